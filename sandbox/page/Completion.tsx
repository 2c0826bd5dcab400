import type { SlashCommand } from '../protocol.ts';
import { Avatar } from './Avatar.tsx';
import { authorOf, useWorkspace } from './workspace.ts';

interface Props {
  commands: SlashCommand[];
  active: number;
  onChoose(command: string): void;
}

/** The commands that match the typed text, shown above the message field. */
export function Completion({ commands, active, onChoose }: Props) {
  const { snapshot } = useWorkspace();
  return (
    <div className="completion" role="listbox" aria-label="Commands">
      {commands.map(({ command, usageHint, description }, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the message field keeps the focus and handles the keys
        // biome-ignore lint/a11y/useKeyWithClickEvents: the message field handles the keys
        <div
          key={command}
          role="option"
          aria-selected={index === active}
          className={index === active ? 'active' : ''}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(command)}
        >
          <Avatar author={authorOf('bot', snapshot)} size={32} />
          <span>
            <b>{command}</b> <i>{usageHint}</i>
            <small>{description}</small>
          </span>
          <em>{snapshot.bot.name}</em>
        </div>
      ))}
    </div>
  );
}
