import type { KnownBlock } from '@slack/types';
import { memo, useMemo, useRef, useState } from 'react';
import type { Channel, Message, SharedFile } from '../protocol.ts';
import { Blocks } from './blocks.tsx';
import { Composer, type Draft } from './Composer.tsx';
import { clock, dayLabel, instantOf } from './dates.ts';
import { SurfaceProvider, useSurfaceOf } from './form.ts';
import { Avatar, authorOf, channelIcon, Icon, useWorkspace } from './workspace.tsx';

interface Props {
  channel: Channel;
  draft: Draft | undefined;
  onTry(text: string): void;
}

const NONE: Message[] = [];

export function Conversation({ channel, draft, onTry }: Props) {
  const { snapshot, me, now } = useWorkspace();
  const messages = snapshot.messages[channel.id] ?? NONE;
  /** The message that somebody answers to. */
  const [answered, setAnswered] = useState<string>();
  const scroller = useRef<HTMLDivElement>(null);
  const roots = messages.filter(
    ({ threadTs, ts, isBroadcast }) => !threadTs || threadTs === ts || isBroadcast,
  );
  const repliesTo = (ts: string) => messages.filter((reply) => reply.threadTs === ts && reply.ts !== ts);
  const dayOf = (message: Message | undefined) => message && dayLabel(instantOf(message.ts), me, now());
  return (
    <>
      {/* The style sheet keeps it at its end while messages come. */}
      <div className="scroller" ref={scroller}>
        <div className="messages" role="log" aria-label={`Messages in ${channel.name}`}>
          {channel.name === 'general' && messages.length === 0 ? (
            <Welcome onTry={onTry} />
          ) : (
            <Beginning channel={channel} />
          )}
          {roots.map((message, index) => {
            const replies = repliesTo(message.ts);
            const isAnswered = answered === message.ts;
            const before = roots[index - 1];
            const isNewDay = dayOf(before) !== dayOf(message);
            return (
              <div key={message.ts}>
                {isNewDay && (
                  <p className="day">
                    <span>{dayOf(message)}</span>
                  </p>
                )}
                <MessageRow
                  message={message}
                  channel={channel.id}
                  isCompact={!isNewDay && continues(message, before)}
                  onReply={setAnswered}
                />
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

/** Slack shows the author once for messages within five minutes. */
const continues = (message: Message, before: Message | undefined): boolean =>
  before?.from === message.from &&
  !before.ephemeral &&
  !message.ephemeral &&
  !before.threadTs &&
  Number(message.ts) - Number(before.ts) < 300;

interface ThreadProps {
  root: string;
  channel: string;
  replies: Message[];
  /** Somebody is about to reply. */
  isAnswered: boolean;
  draft: Draft | undefined;
}

const LOADED = Date.now() / 1000;

/** The replies below their message: open when there is a new one. */
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
  isCompact?: boolean;
  /** Absent in a thread. */
  onReply?(ts: string): void;
}

const MessageRow = memo(function MessageRow({ message, channel, isCompact = false, onReply }: RowProps) {
  const { snapshot, me } = useWorkspace();
  const { from, ts, ephemeral, isBroadcast, edited, files = [] } = message;
  const { name, isBot } = authorOf(from, snapshot);
  const time = <time dateTime={instantOf(ts).toISOString()}>{clock(instantOf(ts), me)}</time>;
  return (
    <article
      className={isCompact ? 'message compact' : 'message'}
      aria-label={`${name}, ${clock(instantOf(ts), me)}`}
    >
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
      {isCompact ? time : <Avatar from={from} />}
      <div className="message-body">
        {!isCompact && (
          <p className="message-head">
            <b>{name}</b>
            {isBot && <span className="app-badge">APP</span>}
            {time}
          </p>
        )}
        <MessageBlocks message={message} channel={channel} />
        {files.map((file) => (
          <FileLink key={file.id} file={file} />
        ))}
        {edited && <small className="edited">(edited)</small>}
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

const FileLink = ({ file: { name, title, size, url } }: { file: SharedFile }) => (
  <a className="file" href={url} download={name}>
    <b>{title}</b>
    <small>
      {name} · {size.toLocaleString('en')} bytes
    </small>
  </a>
);

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

function Beginning({ channel }: { channel: Channel }) {
  const { bot } = useWorkspace().snapshot;
  if (channel.kind === 'im')
    return (
      <div className="beginning">
        <h3>{bot.name}</h3>
        <p>
          Ask in words, such as <code>how much did 123 spend last week?</code>, or use a command.
        </p>
      </div>
    );
  return (
    <div className="beginning">
      <h3>
        {channelIcon(channel, 26)}
        {channel.name}
      </h3>
      <p>{channel.topic}</p>
    </div>
  );
}

const STEPS = [
  ['/billing connect', 'Connect', 'Paste the token “Read-only” from the panel; test with project 123.'],
  ['/spend 123 last-7-days', 'See the spend', 'Total, comparison, chart and each day.'],
  ['/billing schedule 123', 'Post it every morning', 'Save, then press Skip to 09:00 in the panel.'],
] as const;

/** The first steps. A click puts the command into the message field. */
function Welcome({ onTry }: { onTry(text: string): void }) {
  const { bot, install, workspace } = useWorkspace().snapshot;
  return (
    <section className="welcome" aria-label="Welcome">
      <h3>What do your cloud projects cost?</h3>
      <p>
        {bot.name} answers in Slack. Here the bot is real; Slack and the billing service are simulated on your
        machine. Click a step, then press Enter.
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
        {STEPS.map(([text, title, why]) => (
          <li key={text}>
            <button type="button" onClick={() => onTry(text)}>
              <span>
                <b>{title}</b>
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
