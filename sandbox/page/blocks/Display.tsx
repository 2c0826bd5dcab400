import type { KnownBlock, TextObject } from '@slack/types';
import { memo, useMemo } from 'react';
import { type Block as LibraryBlock, Message, type MessageProps } from 'slack-blocks-to-jsx';
import { fillDate } from '../dates.ts';
import { useWorkspace } from '../workspace.ts';
import { richTextOf } from './mrkdwn.ts';

/** Links lead out of the page only to the web or a mail program, and never hand this window over. */
const isSafeLink = (href: string) => /^(https?:|mailto:)/i.test(href);

type Hooks = NonNullable<MessageProps['hooks']>;

const link: NonNullable<Hooks['link']> = ({ href, children, className }) =>
  isSafeLink(href) ? (
    <a href={href} className={className} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );

/** A block that only shows something, drawn by the library in Slack's own look. */
export const Display = memo(function Display({ block }: { block: KnownBlock }) {
  const { snapshot, me, now } = useWorkspace();
  const { people, channels, bot } = snapshot;
  const data = useMemo(
    () => ({
      users: [
        ...people.map(({ id, realName }) => ({ id, name: realName })),
        { id: bot.userId, name: bot.name },
      ],
      channels: channels.map(({ id, name }) => ({ id, name })),
    }),
    [people, channels, bot],
  );
  const hooks = useMemo<Hooks>(
    () => ({
      link,
      // Names that the library does not know come back bare.
      emoji: (emoji, parse) => {
        const sign = parse(emoji);
        return sign === emoji.name ? `:${emoji.name}:` : sign;
      },
      date: ({ timestamp, format, fallback }) => {
        const seconds = Number(timestamp);
        return <span>{Number.isFinite(seconds) ? fillDate(format, seconds, me, now()) : fallback}</span>;
      },
    }),
    [me, now],
  );
  // The library puts a block's id on the element, where two messages would share it.
  const { block_id: _, ...shown } = block;
  // It reads hooks and names once: another viewer needs another instance.
  return (
    <Message
      key={me.id}
      withoutWrapper
      theme="light"
      name=""
      logo=""
      blocks={[shown as LibraryBlock]}
      data={data}
      hooks={hooks}
    />
  );
});

/** A text object, wherever one stands. */
export function Text({ text }: { text: TextObject }) {
  const { me, now } = useWorkspace();
  const block = useMemo(
    () => richTextOf(text, (format, seconds) => fillDate(format, seconds, me, now())),
    [text, me, now],
  );
  return <Display block={block} />;
}
