import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryParseJson } from '../../domain/try-parse.ts';
import type { RejectionReason } from './http-rejections.ts';

/** What a request's headers say of its signature: well formed and recent, not verified yet. */
export interface SignatureClaim {
  /** Seconds since the epoch, as sent. */
  readonly timestamp: string;
  readonly digest: Buffer;
}

/** How far Slack's clock can differ from ours, in s. A request is valid for twice as long. */
const TOLERANCE = 300;

/**
 * Cheap, so that most of what Slack did not send is refused before its body is read.
 * @param now ms since the epoch
 * @returns `unsigned` when the headers are missing or malformed, `outdated` when they are too far from now
 */
export function parseSignature(
  headers: IncomingHttpHeaders,
  now: Millis,
): SignatureClaim | 'unsigned' | 'outdated' {
  const timestamp = headers['x-slack-request-timestamp'];
  const signature = headers['x-slack-signature'];
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return 'unsigned';
  if (!/^\d{1,12}$/.test(timestamp) || !/^v0=[0-9a-f]{64}$/.test(signature)) return 'unsigned';
  if (Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE) return 'outdated';
  return { timestamp, digest: Buffer.from(signature.slice(3), 'hex') };
}

/** Whether Slack signed these bytes: HMAC-SHA256 over `v0:<timestamp>:<body>`, compared in constant time. */
export function isSigned(body: Buffer, { timestamp, digest }: SignatureClaim, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest();
  return timingSafeEqual(expected, digest);
}

/** For how many more seconds the same bytes with the same signature would be taken. */
export const secondsLeft = ({ timestamp }: SignatureClaim, now: Millis): number =>
  Math.max(1, Math.ceil(Number(timestamp) + TOLERANCE - now / 1000));

/** What the server accepts from any client. Sizes in bytes, durations in ms. */
export const SERVER_LIMITS = {
  /** One body. A view of 250 KB, Slack's largest payload, stays below this even when fully percent-encoded. */
  bodyBytes: 1024 * 1024,
  /** All bodies being read at one time, none of which is verified yet. Beyond it the largest get a 503. */
  totalBodyBytes: 32 * 1024 * 1024,
  unsignedBytes: 1024,
  /** Read and discarded of a refused body, so that the sender gets to see the refusal. */
  discardedBytes: 4 * 1024 * 1024,
  formFields: 64,
  /** Slack gives up after 3 s, so a slower request isn't Slack's. */
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  /** How often Node checks connections for the two timeouts: one outlives them by at most this. */
  checkInterval: 1_000,
  /** At a time. Beyond that, the oldest without a signed request are closed. */
  connections: 512,
  /** Retry-After of a 503, in s. */
  retryAfter: 2,
} as const;

const FORM = 'application/x-www-form-urlencoded';

/** A payload before any check. */
type Fields = Readonly<Record<string, unknown>>;

/** The bytes of a body, or why it is rejected. */
export type BodyRead = Buffer | Extract<RejectionReason, 'malformed' | 'too-large' | 'overloaded'>;

/** Both in bytes. */
type BodyLimits = Readonly<Record<'bodyBytes' | 'totalBodyBytes', number>>;

/** A first buffer holds most of what Slack sends. */
const FIRST_CAPACITY = 16 * 1024;

interface OpenBody {
  /** Allocated bytes. */
  readonly capacity: () => number;
  readonly settle: (read: BodyRead) => void;
}

/**
 * Reads bodies into memory: each up to `bodyBytes`, all that are being read together up to `totalBodyBytes`. Beyond that
 * the largest is given up, the oldest of the largest first: what Slack sends is small and arrives at once, and nobody
 * has signed any of them yet. It counts allocated bytes, so that a body sent in tiny chunks costs no more than any other.
 */
export function createBodyReader(limits: BodyLimits = SERVER_LIMITS) {
  let underWay = 0;
  const open = new Set<OpenBody>();
  const largest = (): OpenBody | undefined => {
    let found: OpenBody | undefined;
    for (const body of open) if (body.capacity() > (found?.capacity() ?? 0)) found = body;
    return found;
  };

  return (req: IncomingMessage): Promise<BodyRead> =>
    new Promise((resolve) => {
      let buffer = Buffer.alloc(0);
      let size = 0;
      const settle = (read: BodyRead): void => {
        req.off('data', take).off('end', end).off('close', lost);
        underWay -= buffer.length;
        open.delete(body);
        resolve(read);
      };
      const body: OpenBody = { capacity: () => buffer.length, settle };
      const take = (chunk: Buffer) => {
        const needed = size + chunk.length;
        if (needed > limits.bodyBytes) return settle('too-large');
        if (needed > buffer.length) {
          const capacity = Math.min(Math.max(needed, 2 * buffer.length, FIRST_CAPACITY), limits.bodyBytes);
          const more = capacity - buffer.length;
          while (underWay + more > limits.totalBodyBytes) {
            const other = largest();
            if (other === undefined || other === body || other.capacity() < capacity)
              return settle('overloaded');
            other.settle('overloaded');
          }
          underWay += more;
          const larger = Buffer.allocUnsafeSlow(capacity);
          buffer.copy(larger, 0, 0, size);
          buffer = larger;
        }
        chunk.copy(buffer, size);
        size = needed;
      };
      const end = () => settle(buffer.subarray(0, size));
      const lost = () => settle('malformed');
      open.add(body);
      // Without a listener, a broken connection would end the process; 'close' follows.
      req.on('error', () => undefined);
      req.on('data', take).once('end', end).once('close', lost);
    });
}

/** The size that a request announces, in bytes; undefined when it does not. */
function announcedSize({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Slack tests a command's certificate with a small form and no signature: `ssl_check=1&token=…`. */
export function isSslCheck(body: Buffer, contentType = ''): boolean {
  if (body.length > SERVER_LIMITS.unsignedBytes || typeOf(contentType) !== FORM) return false;
  return parseForm(body.toString())?.ssl_check === '1';
}

/** A form, the JSON in a form's field `payload`, or JSON. For verified bytes only. @returns undefined for anything else */
export function parseBody(body: Buffer, contentType = ''): Fields | undefined {
  const text = body.toString();
  if (typeOf(contentType) !== FORM) return parseJson(text);
  const form = parseForm(text);
  return form?.payload === undefined ? form : parseJson(form.payload);
}

/** Without the charset that some proxies add. */
const typeOf = (contentType: string): string => contentType.split(';')[0]?.trim().toLowerCase() ?? '';

/** Slack's forms have about fifteen fields. A repeated one, such as a second `payload`, would be ambiguous, so it is refused. */
function parseForm(text: string): Readonly<Record<string, string>> | undefined {
  const { formFields } = SERVER_LIMITS;
  if (text.split('&', formFields + 1).length > formFields) return undefined;
  const fields = [...new URLSearchParams(text)];
  const form = Object.fromEntries(fields);
  return Object.keys(form).length === fields.length ? form : undefined;
}

function parseJson(text: string): Fields | undefined {
  const parsed = tryParseJson(text);
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Fields)
    : undefined;
}

export interface SignedRequest {
  readonly body: Fields;
  readonly claim: SignatureClaim;
}

/**
 * Verifies the signature over the bytes before it parses anything, and refuses what it can before it reads them.
 * @returns a function that returns the request, why it is rejected, or `ssl-check` for Slack’s test of the certificate
 */
export function createSignedRequestReader(signingSecret: string) {
  const readBody = createBodyReader();
  return async (
    req: IncomingMessage,
    now: Millis,
  ): Promise<SignedRequest | RejectionReason | 'ssl-check'> => {
    const size = announcedSize(req);
    if (size !== undefined && size > SERVER_LIMITS.bodyBytes) return 'too-large';
    const claim = parseSignature(req.headers, now);
    const isSmall = size !== undefined && size <= SERVER_LIMITS.unsignedBytes;
    if (typeof claim === 'string' && !isSmall) return claim;
    const bytes = await readBody(req);
    if (typeof bytes === 'string') return bytes;
    const type = req.headers['content-type'];
    const reject = (reason: RejectionReason) => (isSslCheck(bytes, type) ? 'ssl-check' : reason);
    if (typeof claim === 'string') return reject(claim);
    if (!isSigned(bytes, claim, signingSecret)) return reject('wrong-signature');
    const body = parseBody(bytes, type);
    return body === undefined ? 'malformed' : { body, claim };
  };
}

/**
 * Refuses a request. A sender whose connection is closed while it sends may not see the status, so the answer goes out at
 * once and the rest of the body is read and discarded, up to a limit.
 */
export function refuse(res: ServerResponse, status: number): void {
  if (status === 503) res.setHeader('retry-after', SERVER_LIMITS.retryAfter);
  res.writeHead(status, { 'content-length': 0 }).flushHeaders();
  if (res.req.readableEnded) return void res.end();
  let discarded = 0;
  const discard = (chunk: Buffer): void => {
    discarded += chunk.length;
    if (discarded > SERVER_LIMITS.discardedBytes) res.req.destroy();
  };
  res.req.on('data', discard).once('end', () => res.end());
}
