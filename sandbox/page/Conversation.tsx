/** A channel's messages and threads. */
import type { KnownBlock } from '@slack/types';
import { memo, useMemo, useRef, useState } from 'react';
import type { Channel, Message } from '../protocol.ts';
import { Blocks } from './blocks.tsx';
import { Composer, type Draft } from './Composer.tsx';
import { clock, dayLabel, instantOf } from './dates.ts';
import { SurfaceProvider, useSurfaceOf } from './form.ts';
import { emojiIn } from './mrkdwn.tsx';
import { Avatar, authorOf, Icon, useWorkspace } from './workspace.tsx';

interface Props {
  channel: Channel;
  draft: Draft | undefined;
  onTry(text: string): void;
}

const NONE: Message[] = [];

export function Conversation({ channel, draft, onTry }: Props) {
  const { snapshot, me, now } = useWorkspace();
  const messages = snapshot.messages[channel.id] ?? NONE;
  const [answered, setAnswered] = useState<string>();
  const scroller = useRef<HTMLDivElement>(null);
  const roots = messages.filter(
    ({ threadTs, ts, isBroadcast }) => !threadTs || threadTs === ts || isBroadcast,
  );
  const repliesTo = (ts: string) => messages.filter((reply) => reply.threadTs === ts && reply.ts !== ts);
  const dayOf = (message: Message | undefined) => message && dayLabel(instantOf(message.ts), me, now());
  return (
    <>
      <div className="scroller" ref={scroller}>
        <div className="messages" role="log" aria-label={`Messages in ${channel.name}`}>
          {channel.name === 'general' && messages.length === 0 && <Welcome onTry={onTry} />}
          {roots.map((message, index) => {
            const replies = repliesTo(message.ts);
            const isAnswered = answered === message.ts;
            const isNewDay = dayOf(roots[index - 1]) !== dayOf(message);
            return (
              <div key={message.ts}>
                {isNewDay && <p className="day">{dayOf(message)}</p>}
                <MessageRow message={message} channel={channel.id} onReply={setAnswered} />
                {(replies.length > 0 || isAnswered) && !message.isBroadcast && (
                  <Thread
                    root={message.ts}
                    channel={channel.id}
                    replies={replies}
                    isAnswered={isAnswered}
                    draft={draft}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
      <Composer channel={channel.id} draft={draft} onSent={() => scroller.current?.scrollTo({ top: 0 })} />
    </>
  );
}

interface ThreadProps {
  root: string;
  channel: string;
  replies: Message[];
  isAnswered: boolean;
  draft: Draft | undefined;
}

const LOADED = Date.now() / 1000;

function Thread({ root, channel, replies, isAnswered, draft }: ThreadProps) {
  const newest = replies.at(-1)?.ts ?? '';
  const [isOpen, setOpen] = useState(isAnswered || Number(newest) > LOADED);
  const wanted = `${newest} ${isAnswered} ${draft?.thread === root ? draft.text : ''}`;
  const [seen, setSeen] = useState(wanted);
  if (seen !== wanted) {
    setSeen(wanted);
    setOpen(true);
  }
  return (
    <details className="thread" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{replies.length === 1 ? '1 reply' : `${replies.length} replies`}</summary>
      <section aria-label="Thread">
        {replies.map((reply) => (
          <MessageRow key={reply.ts} message={reply} channel={channel} />
        ))}
        <Composer channel={channel} thread={root} draft={draft} isWanted={isAnswered} />
      </section>
    </details>
  );
}

interface RowProps {
  message: Message;
  channel: string;
  onReply?(ts: string): void;
}

const MessageRow = memo(function MessageRow({ message, channel, onReply }: RowProps) {
  const { snapshot, me } = useWorkspace();
  const { from, ts, ephemeral, isBroadcast, edited, files = [], reactions = [] } = message;
  const { name, isBot } = authorOf(from, snapshot);
  const time = clock(instantOf(ts), me);
  return (
    <article className="message" aria-label={`${name}, ${time}`}>
      {ephemeral && (
        <p className="only-you">
          <Icon name="eye" size={14} />
          Only visible to you
        </p>
      )}
      {isBroadcast && onReply && (
        <p className="only-you">
          <Icon name="reply" size={14} />
          Replied to a thread
        </p>
      )}
      <Avatar from={from} />
      <div className="message-body">
        <p className="message-head">
          <b>{name}</b>
          {isBot && <small>APP</small>}
          <time dateTime={instantOf(ts).toISOString()}>{time}</time>
        </p>
        <MessageBlocks message={message} channel={channel} />
        {files.map(({ id, name: file, title, size, url }) => (
          <a key={id} href={url} download={file}>
            {title} ({size.toLocaleString('en')} bytes)
          </a>
        ))}
        {edited && <small className="edited">(edited)</small>}
        {reactions.map((name) => (
          <small key={name} className="reaction">
            {emojiIn(`:${name}: 1`)}
          </small>
        ))}
      </div>
      {onReply && !ephemeral && !isBroadcast && (
        <button
          type="button"
          className="message-reply"
          aria-label="Reply in thread"
          onClick={() => onReply(ts)}
        >
          <Icon name="reply" size={18} />
        </button>
      )}
    </article>
  );
});

const NO_BLOCKS: KnownBlock[] = [];

function MessageBlocks({ message, channel }: { message: Message; channel: string }) {
  const { ts, text, blocks = NO_BLOCKS } = message;
  const shown = useMemo<KnownBlock[]>(
    () => (blocks.length || !text ? blocks : [{ type: 'section', text: { type: 'mrkdwn', text } }]),
    [blocks, text],
  );
  return (
    <SurfaceProvider value={useSurfaceOf({ channel, ts }, shown)}>
      <Blocks blocks={shown} />
    </SurfaceProvider>
  );
}

const STEPS = [
  ['/billing connect', 'Connect', 'Paste the token “Read-only” from the panel; test with project 123.'],
  ['/spend 123 last-7-days', 'See the spend', 'Total, comparison, chart and each day.'],
  ['/billing schedule 123', 'Post it every morning', 'Save, then press Skip to 09:00 in the panel.'],
] as const;

function Welcome({ onTry }: { onTry(text: string): void }) {
  const { bot, install, workspace } = useWorkspace().snapshot;
  return (
    <section className="welcome" aria-label="Welcome">
      <h3>What do your cloud projects cost?</h3>
      <p>
        {bot.name} answers in Slack. Here the bot is real; Slack and the billing service are simulated on your
        machine. Click a step, then press Enter. In the panel you can skip time and break things; below the
        channels you can switch person.
      </p>
      {install?.isInstalled === false && (
        <p className="welcome-first">
          {bot.name} isn’t installed in {workspace.name} yet.{' '}
          <a href={install.url} target="_blank" rel="noreferrer" className="button primary">
            Install {bot.name}
          </a>
        </p>
      )}
      <ol>
        {STEPS.map(([text, title, why], index) => (
          <li key={text}>
            <button type="button" onClick={() => onTry(text)}>
              <span>
                <b>
                  {index + 1}. {title}
                </b>
                <small>{why}</small>
              </span>
              <code>{text}</code>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
