import type { Link } from './api.ts';
import { PanelIcon } from './icons.tsx';
import { useWorkspace } from './workspace.ts';

interface Props {
  link: Link;
  panelOpen: boolean;
  onPanel(): void;
}

export function TopBar({ link, panelOpen, onPanel }: Props) {
  const { snapshot } = useWorkspace();
  const { bot } = snapshot;
  const up = bot.up && link !== 'stopped';
  return (
    <header className="top-bar">
      <div className="top-pill">
        <b>{snapshot.workspace.name}</b>
        <span>A Slack workspace on this machine. Nothing here leaves it.</span>
      </div>
      <div className="top-right">
        <span className={up ? 'bot-state up' : 'bot-state'}>
          {bot.name} {up ? 'is up' : 'is down'} · {bot.mode === 'socket' ? 'Socket Mode' : 'HTTP'}
        </span>
        <button
          type="button"
          className="top-button"
          aria-pressed={panelOpen}
          aria-label={panelOpen ? 'Hide the panel' : 'Show the panel'}
          onClick={onPanel}
        >
          <PanelIcon />
        </button>
      </div>
    </header>
  );
}
