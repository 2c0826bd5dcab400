import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { post, sentenceOf } from './api.ts';
import { Completion } from './Completion.tsx';
import { commandInText, completionsOf, useHistory } from './commands.ts';
import { type Drafts, draftKey } from './drafts.ts';
import { AtIcon, CloseIcon, SendIcon, SlashIcon } from './icons.tsx';
import { useWorkspace } from './workspace.ts';

interface Props {
  drafts: Drafts;
  thread: string | undefined;
  onLeaveThread(): void;
  onSent(): void;
}

export function Composer({ drafts, thread, onLeaveThread, onSent }: Props) {
  const { snapshot, me, channel, report } = useWorkspace();
  const channelId = channel?.id ?? '';
  const key = draftKey(channelId, thread);
  const [text, setText] = useState(() => drafts.of(key));
  const [active, setActive] = useState(0);
  const [hidden, setHidden] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const covered = snapshot.views.length > 0;
  const history = useHistory();
  const completions = hidden ? [] : completionsOf(text, snapshot.commands);
  const command = commandInText(text, snapshot.commands);

  const write = (next: string) => {
    setText(next);
    setActive(0);
    setHidden(false);
    drafts.save(key, next);
  };
  // The draft was replaced by a click on an example.
  const [seen, setSeen] = useState(drafts.version);
  if (seen !== drafts.version) {
    setSeen(drafts.version);
    setText(drafts.of(key));
    setHidden(drafts.of(key).includes(' '));
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new draft moves the focus here
  useEffect(() => {
    if (!covered) field.current?.focus();
  }, [drafts.version, covered]);
  useLayoutEffect(() => {
    const area = field.current;
    if (!area || area.value !== text) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
  }, [text]);

  const send = async () => {
    const message = text.trim();
    if (!message) return;
    history.add(message);
    write('');
    onSent();
    const answer = await post('say', {
      as: me.id,
      channel: channelId,
      text: message,
      ...(thread && { threadTs: thread }),
    });
    if (answer.ok) return;
    report(sentenceOf(answer, 'The message was not sent.'));
    if (!drafts.of(key)) drafts.insert(key, message);
  };
  const complete = (name: string) => {
    write(`${name} `);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = completions[active]?.command;
    const older = event.key === 'ArrowUp' && (!text || history.browsing) ? history.older() : undefined;
    const newer = event.key === 'ArrowDown' && history.browsing ? history.newer() : undefined;
    if (event.nativeEvent.isComposing) return;
    if (completions.length && !history.browsing && event.key === 'ArrowDown')
      setActive((active + 1) % completions.length);
    else if (completions.length && !history.browsing && event.key === 'ArrowUp')
      setActive((active + completions.length - 1) % completions.length);
    else if (chosen && (event.key === 'Tab' || (event.key === 'Enter' && chosen !== text))) complete(chosen);
    else if (completions.length && event.key === 'Escape') setHidden(true);
    else if (event.key === 'Enter' && !event.shiftKey) void send();
    else if (older !== undefined) write(older);
    else if (newer !== undefined) write(newer);
    else return;
    event.preventDefault();
  };
  const insert = (sign: string) => {
    write(sign === '/' ? '/' : `${text}${text && !text.endsWith(' ') ? ' ' : ''}${sign} `);
    field.current?.focus();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {completions.length > 0 && <Completion commands={completions} active={active} onChoose={complete} />}
      {thread && (
        <div className="composer-thread">
          Replying in a thread
          <button type="button" className="icon-button" aria-label="Close thread" onClick={onLeaveThread}>
            <CloseIcon size={14} />
          </button>
        </div>
      )}
      {command && completions.length === 0 && (
        <div className="composer-hint">
          <b>{command.command}</b> <span>{command.usageHint}</span>
          <small>{command.description}</small>
        </div>
      )}
      <textarea
        ref={field}
        rows={1}
        aria-label="Message"
        placeholder={
          thread ? 'Reply…' : `Message ${channel?.kind === 'im' ? channel.name : `#${channel?.name}`}`
        }
        value={text}
        onChange={({ target }) => write(target.value)}
        onKeyDown={onKeyDown}
        spellCheck={false}
      />
      <div className="composer-row">
        <button type="button" className="icon-button" aria-label="Commands" onClick={() => insert('/')}>
          <SlashIcon />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label={`Mention ${snapshot.bot.name}`}
          onClick={() => insert(`@${snapshot.bot.name}`)}
        >
          <AtIcon />
        </button>
        <button type="submit" className="send" aria-label="Send" disabled={!text.trim()}>
          <SendIcon size={18} />
        </button>
      </div>
    </form>
  );
}
