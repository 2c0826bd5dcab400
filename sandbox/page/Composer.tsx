/** The field for a message or a reply. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { post, sentenceOf } from './api.ts';
import { Icon, useWorkspace } from './workspace.tsx';

export interface Draft {
  channel: string;
  thread: string | undefined;
  text: string;
}

interface Props {
  channel: string;
  thread?: string;
  draft: Draft | undefined;
  isWanted?: boolean;
  onSent?(): void;
}

const unsent = new Map<string, string>();

export function Composer({ channel, thread, draft, isWanted = true, onSent }: Props) {
  const { snapshot, me, channel: open, report } = useWorkspace();
  const key = `${channel}/${thread ?? ''}`;
  const [text, setText] = useState(unsent.get(key) ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  const covered = snapshot.views.length > 0;

  const write = (next: string) => {
    unsent.set(key, next);
    setText(next);
  };
  useEffect(() => {
    if (isWanted && !covered) field.current?.focus();
  }, [isWanted, covered]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new draft is taken
  useEffect(() => {
    if (draft?.channel !== channel || draft.thread !== thread) return;
    write(draft.text);
    field.current?.focus();
  }, [draft]);

  const send = async () => {
    const message = text.trim();
    if (!message) return;
    write('');
    onSent?.();
    const place = { as: me.id, channel, ...(thread && { threadTs: thread }) };
    const answer = await post('say', { ...place, text: message });
    if (answer.ok) return;
    report(sentenceOf(answer));
    setText((now) => now || message);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  const place = open?.kind === 'im' ? open.name : `#${open?.name}`;
  return (
    <form
      className={thread ? 'composer reply' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        aria-label={thread ? 'Reply' : 'Message'}
        placeholder={thread ? 'Reply…' : `Message ${place}`}
        value={text}
        onChange={({ target }) => write(target.value)}
        onKeyDown={onKeyDown}
        spellCheck={false}
      />
      <button type="submit" className="send" aria-label="Send" disabled={!text.trim()}>
        <Icon name="send" size={18} />
      </button>
    </form>
  );
}
