import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { decodeLeniently, exchange } from '../http/exchange.ts';

/** How long a second try waits, in ms. */
const PAUSE = 200;

/** No answer that Tally asks for comes near it, in bytes. */
const MAX_RESPONSE = 16 * 1024 * 1024;

/** Methods that put a message somewhere: done twice, it is there twice. */
const POSTS = /\/(?:chat\.post\w+|files\.completeUploadExternal)$/;

/** One for all clients, each of which has its own limit of calls at a time. Opens connections as they are needed. */
const agent = new Agent({ maxResponseSize: MAX_RESPONSE });

/**
 * What Slack's SDK calls in place of `fetch`, whose streams would cost more time and memory than all the rest of a call.
 * Only file uploads use Node's own fetch, because they are not text.
 */
export const slackFetch: typeof fetch = async (url, init = {}) => {
  const { headers, body, signal } = init;
  if (typeof body !== 'string') return fetch(url, init);
  const answer = await exchange(agent, {
    method: 'POST',
    url: new URL(String(url)),
    headers: headers as Record<string, string>,
    body,
    maxBytes: MAX_RESPONSE,
    signal: signal ?? undefined,
  });
  if (answer.bodyError !== undefined) throw answer.bodyError;
  const text = decodeLeniently(answer);
  const fields = new Map(Object.entries(answer.headers));
  // All that the SDK reads of a response. Node's own class would load the whole of its fetch.
  return {
    status: answer.statusCode,
    statusText: '',
    url: String(url),
    headers: { get: (name: string) => fields.get(name) ?? null, entries: () => fields.entries() },
    text: async () => text,
  } as unknown as Response;
};

/** Tries once more, as long as there is time; not what may have posted a message already. */
export const slackFetchTwice: typeof fetch = async (url, init) => {
  const isPost = POSTS.test(String(url));
  try {
    const answer = await slackFetch(url, init);
    if (answer.status < 500 || (isPost && isUnclearStatus(answer.status))) return answer;
  } catch (error) {
    if (init?.signal?.aborted || (isPost && !wasNeverSent(error))) throw error;
  }
  await sleep(PAUSE);
  return slackFetch(url, init);
};

/** A gateway without an answer from Slack, which may still have done the work. */
export const isUnclearStatus = (status: number): boolean => status === 502 || status === 504;

/** What a connection fails with before anything goes over it. */
const BEFORE_SENDING =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+)$/;

/** Whether a call failed before anything of it was sent. */
export function wasNeverSent(error: unknown): boolean {
  const { cause = error } = error as { cause?: unknown };
  const { code } = cause as { code?: unknown };
  return typeof code === 'string' && BEFORE_SENDING.test(code);
}
