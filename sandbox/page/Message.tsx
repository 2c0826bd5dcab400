import type { KnownBlock } from '@slack/types';
import { memo, useMemo } from 'react';
import type { Message, SharedFile } from '../protocol.ts';
import { AppBadge, Avatar } from './Avatar.tsx';
import { Blocks } from './blocks/Blocks.tsx';
import { SurfaceProvider, useSurfaceOf } from './blocks/surface.ts';
import { clock, instantOf } from './dates.ts';
import { EyeIcon, ReplyIcon } from './icons.tsx';
import { authorOf, useWorkspace } from './workspace.ts';

interface Props {
  message: Message;
  channel: string;
  compact: boolean;
  onThread: ((ts: string) => void) | undefined;
  /** Shown in the channel, not in a thread. */
  isInChannel?: boolean;
}

export const MessageRow = memo(function MessageRow({
  message,
  channel,
  compact,
  onThread,
  isInChannel = false,
}: Props) {
  const { snapshot, me } = useWorkspace();
  const author = authorOf(message.from, snapshot);
  const sent = instantOf(message.ts);
  const time = (
    <time dateTime={sent.toISOString()} title={sent.toISOString()}>
      {clock(sent, me)}
    </time>
  );
  return (
    <article
      className={`message ${compact ? 'compact' : ''} ${message.ephemeral ? 'ephemeral' : ''}`}
      data-ts={message.ts}
      data-from={message.from}
      aria-label={`${author.name}, ${clock(sent, me)}`}
    >
      {message.ephemeral && (
        <div className="only-you">
          <EyeIcon size={14} />
          Only visible to you
        </div>
      )}
      {message.isBroadcast && isInChannel && (
        <div className="only-you">
          <ReplyIcon size={14} />
          Replied to a thread
        </div>
      )}
      <div className="message-gutter">{compact ? time : <Avatar author={author} />}</div>
      <div className="message-body">
        {!compact && (
          <div className="message-head">
            <b>{author.name}</b>
            {author.kind === 'bot' && <AppBadge />}
            {time}
          </div>
        )}
        <MessageBlocks message={message} channel={channel} />
        {message.files?.map((file) => (
          <FileLink key={file.id} file={file} />
        ))}
        {message.edited && <span className="edited">(edited)</span>}
      </div>
      {onThread && (
        <button
          type="button"
          className="message-reply"
          aria-label="Reply in thread"
          title="Reply in thread"
          onClick={() => onThread(message.ts)}
        >
          <ReplyIcon size={18} />
        </button>
      )}
    </article>
  );
});

const FileLink = ({ file: { name, title, size, url } }: { file: SharedFile }) => (
  <a className="file" href={url} download={name}>
    <b>{title}</b>
    <span>
      {name} · {size.toLocaleString('en')} bytes
    </span>
  </a>
);

const NO_BLOCKS: KnownBlock[] = [];

function MessageBlocks({ message, channel }: { message: Message; channel: string }) {
  const { ts, text, blocks = NO_BLOCKS } = message;
  const shown = useMemo<KnownBlock[]>(
    () => (blocks.length || !text ? blocks : [{ type: 'section', text: { type: 'mrkdwn', text } }]),
    [blocks, text],
  );
  const surface = useSurfaceOf({ channel, ts }, shown, false);
  return (
    <SurfaceProvider value={surface}>
      <Blocks blocks={shown} />
    </SurfaceProvider>
  );
}
