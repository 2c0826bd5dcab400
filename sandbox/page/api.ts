/** The page's requests to the server, and the stream of snapshots from the server. */
import { useEffect, useState } from 'react';
import type { Snapshot, Verbs } from '../protocol.ts';

type Answer = { ok: boolean; error?: string } & Record<string, unknown>;

/** Never rejects: a failed request is an answer with `ok: false`. */
export async function post<V extends keyof Verbs>(verb: V, body: Verbs[V]): Promise<Answer> {
  try {
    const response = await fetch(`/sandbox/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Answer;
  } catch {
    return { ok: false, error: 'The sandbox isn’t responding.' };
  }
}

const SENTENCES: Record<string, string> = {
  operation_timeout: 'The app didn’t respond within three seconds.',
  dispatch_failed: 'The app couldn’t be reached or rejected the request.',
  not_in_channel: 'You aren’t a member of this channel.',
  not_found: 'That no longer exists.',
  invalid_options: 'The app sent options that Slack rejects.',
};

export const sentenceOf = ({ error = 'That didn’t work.' }: Answer): string => SENTENCES[error] ?? error;

const RECONNECT_MS = 2000;

/** @param person if null, the server chooses a person */
export function useStream(person: string | null) {
  const [snapshot, setSnapshot] = useState<Snapshot>();
  const [isStopped, setStopped] = useState(false);

  useEffect(() => {
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const connect = (as: string | null) => {
      source = new EventSource(`/sandbox/stream${as ? `?as=${encodeURIComponent(as)}` : ''}`);
      source.onopen = () => setStopped(false);
      source.onmessage = ({ data }) => {
        const next = JSON.parse(data) as Snapshot;
        setSnapshot((before) => share(before, next));
      };
      source.onerror = () => {
        setStopped(true);
        // The browser reconnects by itself except after an HTTP error, such as an unknown person.
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(() => connect(null), RECONNECT_MS);
      };
    };
    connect(person);
    return () => {
      source?.close();
      clearTimeout(again);
    };
  }, [person]);

  return { snapshot, isStopped };
}

/** Keeps old objects that equal their new ones, so that forms see which blocks have changed. */
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
