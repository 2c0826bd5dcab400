/** Rejects requests that aren't from Slack before Bolt's receiver reads them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isValidSlackRequest } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { tryParseJson } from '../../domain/try-parse.ts';

const REJECTIONS = {
  unsigned: 401,
  outdated: 401,
  'wrong-signature': 401,
  'too-large': 413,
  malformed: 400,
} as const;

export type RejectionReason = keyof typeof REJECTIONS;

export const SERVER_LIMITS = {
  /** Slack's largest payload, a view of 250 KB, fits even if each byte is percent-encoded. */
  bodyBytes: 1024 * 1024,
  unsignedBytes: 1024,
  allBodiesBytes: 32 * 1024 * 1024,
  /** Slack waits 3 s for a response, so a slower request isn't from Slack. */
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  /** A client may send requests without waiting for responses, and Node handles all of them at once. */
  requestsPerConnection: 100,
} as const;

/** In seconds. Slack's clock and this machine's clock may differ by this much. */
const TOLERANCE = 300;

const FORM = 'application/x-www-form-urlencoded';

function signatureOf({ headers }: IncomingMessage) {
  const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature } = headers;
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return undefined;
  if (!/^\d{1,12}$/.test(timestamp) || !/^v0=[0-9a-f]{64}$/.test(signature)) return undefined;
  return { timestamp: Number(timestamp), signature };
}

/** Bolt would read any body to its end before it verifies the signature, and would crash on a signed `null`. */
export function createRequestGuard(
  signingSecret: string,
  log: Logger,
  onRejected: (reason: RejectionReason) => void,
) {
  const logRejection = createRejectionLog(log);
  const readBody = createBodyReader();

  const judge = async (
    req: IncomingMessage,
    now: Millis,
  ): Promise<RejectionReason | 'ssl-check' | undefined> => {
    const size = announcedSize(req);
    if (size > SERVER_LIMITS.bodyBytes) return 'too-large';
    const claim = signatureOf(req);
    const isRecent = claim !== undefined && Math.abs(now / 1000 - claim.timestamp) <= TOLERANCE;
    const early = claim === undefined ? 'unsigned' : isRecent ? undefined : 'outdated';
    if (early !== undefined && size > SERVER_LIMITS.unsignedBytes) return early;
    const body = await readBody(req);
    if (typeof body === 'string') return body;
    const text = body.toString();
    const isForm = req.headers['content-type']?.split(';')[0]?.trim().toLowerCase() === FORM;
    if (isForm) req.headers['content-type'] = FORM;
    Object.assign(req, { rawBody: body });
    // Slack's check of the TLS certificate isn't signed, so Tally reads no other field of the request.
    if (isForm && size <= SERVER_LIMITS.unsignedBytes && fieldOf(text, 'ssl_check') === '1')
      return 'ssl-check';
    if (claim === undefined || early !== undefined) return early;
    const { timestamp, signature } = claim;
    const headers = { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp };
    if (!isValidSlackRequest({ signingSecret, body: text, headers })) return 'wrong-signature';
    const json = isForm ? fieldOf(text, 'payload') : text;
    return json === null || isJsonObject(json) ? undefined : 'malformed';
  };

  return async (req: IncomingMessage, res: ServerResponse): Promise<boolean> => {
    const judged = await judge(req, Date.now());
    if (judged === undefined) return true;
    if (judged === 'ssl-check') {
      res.writeHead(200, { 'content-length': 0 }).end();
      return false;
    }
    onRejected(judged);
    logRejection(judged);
    refuse(res, REJECTIONS[judged]);
    return false;
  };
}

const announcedSize = ({ headers }: IncomingMessage): number =>
  Number(headers['content-length'] ?? SERVER_LIMITS.bodyBytes);

const fieldOf = (form: string, name: string): string | null => new URLSearchParams(form).get(name);

function isJsonObject(text: string): boolean {
  const parsed = tryParseJson(text);
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
}

/** Buffers grow as bytes arrive. If all buffers together exceed `allBodiesBytes`, the oldest requests are cut off. */
function createBodyReader() {
  const buffers = new Map<IncomingMessage, Buffer>();
  const grow = (req: IncomingMessage, size: number): Buffer => {
    const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(size, 16 * 1024), announcedSize(req)));
    buffers.get(req)?.copy(larger);
    buffers.set(req, larger);
    let all = [...buffers.values()].reduce((sum, { length }) => sum + length, 0);
    for (const [oldest, { length }] of buffers) {
      if (all <= SERVER_LIMITS.allBodiesBytes) break;
      all -= length;
      buffers.delete(oldest);
      oldest.destroy();
    }
    return larger;
  };
  return async (req: IncomingMessage): Promise<Buffer | 'too-large' | 'malformed'> => {
    let body: Buffer = Buffer.alloc(0);
    let length = 0;
    buffers.set(req, body);
    try {
      for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        const end = length + chunk.length;
        if (end > announcedSize(req)) return 'too-large';
        if (end > body.length) body = grow(req, 2 * end);
        length += chunk.copy(body, length);
      }
      return body.subarray(0, length);
    } catch {
      return 'malformed';
    } finally {
      buffers.delete(req);
    }
  };
}

export function refuse(res: ServerResponse, status: number): void {
  res.writeHead(status, { 'content-length': 0 }).end();
}

/** A wrong setting can cause these rejections. Other bad requests come from strangers and aren't logged. */
const BY_SETTINGS: Partial<Record<RejectionReason, readonly [msg: string, todo: string]>> = {
  'wrong-signature': [
    'Rejected requests that were not signed with SLACK_SIGNING_SECRET',
    'If nobody gets an answer, set SLACK_SIGNING_SECRET to the Signing Secret from the app’s page, Basic Information. Otherwise these requests don’t come from Slack, and you can ignore them.',
  ],
  outdated: [
    'Rejected requests whose time differs from this machine’s by more than five minutes',
    'If nobody gets an answer, correct this machine’s clock. Otherwise these requests don’t come from Slack, and you can ignore them.',
  ],
};

/** Logs a reason at most once a minute, so that a flood of requests can't fill the disk. */
function createRejectionLog(log: Logger) {
  const logged = new LRUCache<RejectionReason, true>({ max: 10, ttl: MINUTE });
  return (reason: RejectionReason): void => {
    const [msg, todo] = BY_SETTINGS[reason] ?? [];
    if (msg === undefined || logged.has(reason)) return;
    logged.set(reason, true);
    log.warn({ reason, todo }, msg);
  };
}
