import { useEffect, useRef } from 'react';
import type { Message, Snapshot } from '../protocol.ts';

const newest = (messages: readonly Message[] = []) => Number(messages.at(-1)?.ts ?? 0);

/**
 * Returns the number of unread messages by channel ID, without channels that have none. As in Slack, the viewer's own
 * messages and ephemeral ones do not count. Messages from before the page was opened count as read.
 *
 * @param open ID of the open channel
 */
export function useUnread(snapshot: Snapshot | undefined, open: string | undefined): Record<string, number> {
  const openedAt = useRef<number>(undefined);
  /** `<person>/<channel>` → ts of the newest message they have read. */
  const lastRead = useRef(new Map<string, number>());

  useEffect(() => {
    if (!snapshot) return;
    openedAt.current ??= Math.max(0, ...Object.values(snapshot.messages).map((all) => newest(all)));
    if (open) lastRead.current.set(`${snapshot.me}/${open}`, newest(snapshot.messages[open]));
  }, [snapshot, open]);

  const since = openedAt.current;
  if (!snapshot || since === undefined) return {};
  const counts = Object.entries(snapshot.messages).map(([channel, messages]) => {
    const read = lastRead.current.get(`${snapshot.me}/${channel}`) ?? 0;
    // After a restart the sandbox's clock can be behind the last read message.
    const from = Math.max(since, read > newest(messages) ? 0 : read);
    const isUnread = ({ from: author, ephemeral, ts }: Message) =>
      author !== snapshot.me && !ephemeral && Number(ts) > from;
    return [channel, channel === open ? 0 : messages.filter(isUnread).length] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
