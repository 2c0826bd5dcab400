import { useCallback, useEffect, useState } from 'react';
import type { ServerEvent, Snapshot, Traffic, Verbs } from '../protocol.ts';

type Answer = { ok: boolean; error?: string } & Record<string, unknown>;
type Post = <V extends keyof Verbs>(verb: V, body: Verbs[V]) => Promise<Answer>;

/** Sends one verb. Never rejects: a lost server is an answer like any other. */
export const post: Post = async (verb, body) => {
  try {
    const response = await fetch(`/sandbox/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Answer;
  } catch {
    return { ok: false, error: 'The sandbox does not answer.' };
  }
};

/** Codes that the server answers with, in words that somebody at the page can use. */
const SENTENCES: Record<string, string> = {
  operation_timeout: 'The app did not answer within three seconds.',
  dispatch_failed: 'The app could not be reached or refused the request.',
  not_in_channel: 'You are not a member of this channel.',
  not_found: 'That is not there any more.',
  invalid_options: 'The app answered with options that Slack would refuse.',
  no_such_time: 'No clock shows that time.',
  option_not_offered: 'This choice is not offered any more.',
};

export const sentenceOf = ({ error }: Answer, otherwise: string) =>
  (error && SENTENCES[error]) || error || otherwise;

export type Link = 'connecting' | 'open' | 'stopped';

/** What the inspector remembers; older exchanges are dropped. */
const MAX_TRAFFIC = 300;
const RECONNECT_MS = 2000;

/** The live picture as `person` sees it; without a person the server chooses one and says so in `me`. */
export function useStream(person: string | null) {
  const [snapshot, setSnapshot] = useState<Snapshot>();
  const [traffic, setTraffic] = useState<Traffic[]>([]);
  const [link, setLink] = useState<Link>('connecting');

  const receive = useCallback((event: ServerEvent) => {
    if (event.type === 'snapshot') setSnapshot((before) => share(before, event));
    else setTraffic((before) => merge(before, event.entries));
  }, []);

  useEffect(() => {
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const connect = (as: string | null) => {
      source = new EventSource(`/sandbox/stream${as ? `?as=${encodeURIComponent(as)}` : ''}`);
      source.onopen = () => setLink('open');
      source.onmessage = (message) => receive(JSON.parse(message.data) as ServerEvent);
      source.onerror = () => {
        setLink('stopped');
        // The browser retries lost connections, but gives up for good on an HTTP error: nobody of that name, say.
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(() => connect(null), RECONNECT_MS);
      };
    };
    connect(person);
    return () => {
      source?.close();
      clearTimeout(again);
    };
  }, [person, receive]);

  return { snapshot, traffic, link };
}

/** Entries come again when they finish: the later one replaces the earlier one of the same id. */
function merge(before: Traffic[], entries: Traffic[]): Traffic[] {
  const byId = new Map(before.map((entry) => [entry.id, entry]));
  for (const entry of entries) byId.set(entry.id, entry);
  return [...byId.values()].sort((a, b) => a.id - b.id).slice(-MAX_TRAFFIC);
}

/** Keeps the old object wherever the new one says the same, so that only what changed is drawn again. */
function share<T>(before: T | undefined, now: T): T {
  if (Object.is(before, now) || !isTree(before) || !isTree(now)) return now;
  if (Array.isArray(before) !== Array.isArray(now)) return now;
  const shared = Object.entries(now).map(([key, value]) => [key, share(before[key], value)] as const);
  const same =
    shared.length === Object.keys(before).length &&
    shared.every(([key, value]) => Object.is(before[key], value));
  if (same) return before;
  return (Array.isArray(now) ? shared.map(([, value]) => value) : Object.fromEntries(shared)) as T;
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
