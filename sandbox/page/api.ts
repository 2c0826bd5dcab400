import { useCallback, useEffect, useState } from 'react';
import type { ServerEvent, Snapshot, Traffic, Verbs } from '../protocol.ts';

type Answer = { ok: boolean; error?: string } & Record<string, unknown>;
type Post = <V extends keyof Verbs>(verb: V, body: Verbs[V]) => Promise<Answer>;

/** Posts a verb. Never rejects: a failed request is an answer with `ok: false`. */
export const post: Post = async (verb, body) => {
  try {
    const response = await fetch(`/sandbox/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Answer;
  } catch {
    return { ok: false, error: 'The sandbox is not responding.' };
  }
};

/** Messages for the server's error codes. */
const SENTENCES: Record<string, string> = {
  operation_timeout: 'The app did not respond within three seconds.',
  dispatch_failed: 'The app could not be reached or rejected the request.',
  not_in_channel: 'You are not a member of this channel.',
  not_found: 'That no longer exists.',
  invalid_options: 'The app sent options that Slack rejects.',
  no_such_time: 'That time doesn’t exist in your time zone.',
  option_not_offered: 'This option is no longer available.',
};

export const sentenceOf = ({ error }: Answer, otherwise: string) =>
  (error && SENTENCES[error]) || error || otherwise;

export type Link = 'connecting' | 'open' | 'stopped';

/** Older exchanges are dropped. */
const MAX_TRAFFIC = 300;
const RECONNECT_MS = 2000;

/** The live workspace as `person` sees it; for null the server chooses a person. */
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
        // The browser retries lost connections, but not after an HTTP error, such as an unknown person.
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

/** An entry is sent again when its exchange ends; it replaces the one with the same ID. */
function merge(before: Traffic[], entries: Traffic[]): Traffic[] {
  const byId = new Map(before.map((entry) => [entry.id, entry]));
  for (const entry of entries) byId.set(entry.id, entry);
  return [...byId.values()].sort((a, b) => a.id - b.id).slice(-MAX_TRAFFIC);
}

/** Keeps old objects where the new ones are equal, so that React renders only what changed. */
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
