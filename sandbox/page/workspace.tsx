/** What all parts of the page share: the workspace, the URL, avatars and icons. */
import type { ConfirmationDialog } from '@slack/types';
import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react';
import type { Channel, Message, Person, Snapshot } from '../protocol.ts';

export const HOME = 'home';

export interface PageWorkspace {
  snapshot: Snapshot;
  me: Person;
  now(): Date;
  channel: Channel | undefined;
  go(change: Partial<Place>): void;
  report(problem: string): void;
  /** Resolves with true if confirmed, or if there is no dialog. */
  confirm(dialog: ConfirmationDialog | undefined): Promise<boolean>;
}

const Context = createContext<PageWorkspace | null>(null);
export const WorkspaceProvider = Context.Provider;

export function useWorkspace(): PageWorkspace {
  const workspace = useContext(Context);
  if (!workspace) throw new Error('Rendered outside a WorkspaceProvider');
  return workspace;
}

interface Place {
  as: string | null;
  channel: string | null;
}

const read = (): Place => {
  const search = new URLSearchParams(window.location.search);
  return { as: search.get('as'), channel: search.get('channel') };
};

/** The URL holds the viewer and the open channel, for reloads and other windows. */
export function usePlace(): [Place, (change: Partial<Place>) => void] {
  const [place, setPlace] = useState(read);
  useEffect(() => {
    const back = () => setPlace(read());
    window.addEventListener('popstate', back);
    return () => window.removeEventListener('popstate', back);
  }, []);
  const go = useCallback((change: Partial<Place>) => {
    const next = { ...read(), ...change };
    const known = Object.entries(next).filter(([, value]) => value !== null) as [string, string][];
    window.history.pushState(null, '', `?${new URLSearchParams(known)}`);
    setPlace(next);
  }, []);
  return [place, go];
}

/**
 * The number of unread messages by channel ID. Doesn't count the viewer's own messages, private answers, or
 * messages from before this viewer's first visit.
 */
export function useUnread({ me, messages }: Snapshot, open: string | undefined): Record<string, number> {
  /** `<person>/<channel>` → ts of the newest message they have read. */
  const read = useRef(new Map<string, number>());
  useEffect(() => {
    for (const [channel, all] of Object.entries(messages)) {
      const key = `${me}/${channel}`;
      if (channel === open || !read.current.has(key)) read.current.set(key, Number(all.at(-1)?.ts ?? 0));
    }
  }, [me, messages, open]);
  const countOf = ([channel, all]: [string, Message[]]) => {
    const since = channel === open ? undefined : read.current.get(`${me}/${channel}`);
    const isUnread = ({ from, ephemeral, ts }: Message) =>
      since !== undefined && from !== me && !ephemeral && Number(ts) > since;
    return [channel, all.filter(isUnread).length] as const;
  };
  return Object.fromEntries(Object.entries(messages).map(countOf));
}

interface Author {
  name: string;
  color: string;
  isBot: boolean;
}

export function authorOf(from: string, { people, bot }: Snapshot): Author {
  const isBot = from === 'bot' || from === bot.userId;
  if (isBot) return { name: bot.name, isBot, color: '#0b6e5b' };
  if (from === 'slackbot') return { name: 'Slackbot', isBot, color: '#5a5f87' };
  const person = people.find(({ id }) => id === from);
  return { name: person?.realName ?? from, isBot, color: person?.color ?? '#777' };
}

const initials = (name: string) =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');

export function Avatar({ from, size = 36 }: { from: string; size?: number }) {
  const { name, color, isBot } = authorOf(from, useWorkspace().snapshot);
  const style = { width: size, height: size, background: color, fontSize: size * 0.4 };
  return (
    <span className="avatar" style={style} aria-hidden="true">
      {isBot ? (
        <svg viewBox="0 0 36 36" aria-hidden="true">
          <path d="M10 10v16M15.3 10v16M20.6 10v16M26 10v16M6.5 22.5l23-9" />
        </svg>
      ) : (
        initials(name)
      )}
    </span>
  );
}

const PATHS = {
  close: 'm5 5 10 10M15 5 5 15',
  eye: 'M2.5 10S5.2 5 10 5s7.5 5 7.5 5-2.7 5-7.5 5-7.5-5-7.5-5ZM10 7.8v0a2.2 2.2 0 1 0 .1 0',
  hash: 'M7.6 3.5 6 16.5M14 3.5l-1.6 13M3.8 7.4h13M3.2 12.6h13',
  home: 'M3.5 9 10 3.5 16.5 9v7.2h-4.3v-4.4H7.8v4.4H3.5Z',
  lock: 'M4.5 8.8h11v7.7h-11ZM6.9 8.8V6.6a3.1 3.1 0 0 1 6.2 0v2.2',
  panel: 'M2.8 4h14.4v12H2.8ZM12.3 4v12',
  reply:
    'M16.5 9.3c0 3.2-2.9 5.7-6.5 5.7-.9 0-1.8-.2-2.6-.5L3.8 16l1-3.2a5.2 5.2 0 0 1-1.3-3.5C3.5 6.1 6.4 3.6 10 3.6s6.5 2.5 6.5 5.7Z',
  send: 'M3.2 3.6 17 10 3.2 16.4l1.5-5.2L10.5 10 4.7 8.8Z',
};

export function Icon({ name, size = 20 }: { name: keyof typeof PATHS; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export const channelIcon = ({ kind }: Channel, size = 18) => (
  <Icon name={kind === 'private' ? 'lock' : 'hash'} size={size} />
);
