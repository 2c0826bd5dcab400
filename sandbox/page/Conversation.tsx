import type { Channel, Message } from '../protocol.ts';
import { useAutoScroll } from './auto-scroll.ts';
import { AppHeader, ChannelHeader } from './ChannelHeader.tsx';
import { dayLabel, instantOf } from './dates.ts';
import { HashIcon, LockIcon } from './icons.tsx';
import { MessageRow } from './Message.tsx';
import { Welcome } from './Welcome.tsx';
import { useWorkspace } from './workspace.ts';

interface Props {
  channel: Channel;
  /** How many messages the viewer has sent. */
  sentCount: number;
  onOpen(channel: string): void;
  onTry(attempt: { text: string }, as?: string): void;
  onThread(ts: string): void;
}

const NONE: Message[] = [];

export function Conversation({ channel, sentCount, onOpen, onTry, onThread }: Props) {
  const { snapshot } = useWorkspace();
  const messages = snapshot.messages[channel.id] ?? NONE;
  const box = useAutoScroll<HTMLDivElement>(messages.at(-1)?.ts, sentCount);
  const roots = messages.filter(
    ({ threadTs, ts, isBroadcast }) => !threadTs || threadTs === ts || isBroadcast,
  );
  const repliesTo = (ts: string) =>
    messages.filter((message) => message.threadTs === ts && message.ts !== ts);
  const isGeneral = channel.name === 'general';
  return (
    <>
      {channel.kind === 'im' ? (
        <AppHeader open="messages" onOpen={onOpen} />
      ) : (
        <ChannelHeader channel={channel} />
      )}
      <div className="scroller" ref={box}>
        <div className="messages" role="log" aria-label={`Messages in ${channel.name}`}>
          {isGeneral && messages.length === 0 ? (
            <Welcome onTry={onTry} />
          ) : (
            <ChannelIntro channel={channel} />
          )}
          {roots.map((message, index) => (
            <Row
              key={message.ts}
              message={message}
              before={roots[index - 1]}
              replies={repliesTo(message.ts)}
              afterThread={index > 0 && repliesTo(roots[index - 1]?.ts ?? '').length > 0}
              channel={channel.id}
              onThread={onThread}
            />
          ))}
        </div>
      </div>
    </>
  );
}

interface RowProps {
  message: Message;
  before: Message | undefined;
  replies: Message[];
  /** The previous message has a thread below it. */
  afterThread: boolean;
  channel: string;
  onThread(ts: string): void;
}

function Row({ message, before, replies, afterThread, channel, onThread }: RowProps) {
  const { me, now } = useWorkspace();
  const day = dayLabel(instantOf(message.ts), me, now());
  const isNewDay = !before || dayLabel(instantOf(before.ts), me, now()) !== day;
  return (
    <>
      {isNewDay && (
        <div className="day">
          <span>{day}</span>
        </div>
      )}
      <MessageRow
        message={message}
        channel={channel}
        compact={!isNewDay && !afterThread && continues(message, before)}
        onThread={message.ephemeral || message.isBroadcast ? undefined : onThread}
        isInChannel
      />
      {replies.length > 0 && (
        <section className="thread" aria-label="Thread">
          {replies.map((reply) => (
            <MessageRow
              key={reply.ts}
              message={reply}
              channel={channel}
              compact={false}
              onThread={undefined}
            />
          ))}
          <button type="button" className="thread-reply" onClick={() => onThread(message.ts)}>
            Reply…
          </button>
        </section>
      )}
    </>
  );
}

/** Slack shows the author once for messages within five minutes. */
function continues(message: Message, before: Message | undefined): boolean {
  if (before?.from !== message.from || before.ephemeral || message.ephemeral) return false;
  return Number(message.ts) - Number(before.ts) < 300;
}

function ChannelIntro({ channel }: { channel: Channel }) {
  const { bot } = useWorkspace().snapshot;
  if (channel.kind === 'im') {
    return (
      <div className="beginning">
        <h3>{bot.name}</h3>
        <p>
          These are your direct messages with {bot.name}. Ask in words, such as{' '}
          <code>spend 123 last month</code>, or use a command.
        </p>
      </div>
    );
  }
  return (
    <div className="beginning">
      <h3>
        {channel.kind === 'private' ? <LockIcon size={26} /> : <HashIcon size={26} />}
        {channel.name}
      </h3>
      <p>
        This is the very beginning of the {channel.name} channel. {channel.topic}
      </p>
    </div>
  );
}
