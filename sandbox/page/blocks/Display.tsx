import type { KnownBlock, TextObject } from '@slack/types';
import { memo, useMemo } from 'react';
import { type Block as LibraryBlock, Message, type MessageProps } from 'slack-blocks-to-jsx';
import { fillDate } from '../dates.ts';
import { useWorkspace } from '../workspace.ts';
import { richTextOf } from './mrkdwn.ts';

/** Only web and mail links are clickable. */
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

/** A block without interaction, rendered by the library. */
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
      // The library returns unknown names without colons.
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
  // The library uses the block ID as an element ID, which two messages can share.
  const { block_id: _, ...shown } = block;
  // The library reads hooks and names once, so another viewer needs a new instance.
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

/** A text object. */
export function Text({ text }: { text: TextObject }) {
  const { me, now } = useWorkspace();
  const block = useMemo(
    () => richTextOf(text, (format, seconds) => fillDate(format, seconds, me, now())),
    [text, me, now],
  );
  return <Display block={block} />;
}
