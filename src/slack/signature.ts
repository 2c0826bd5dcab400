import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What a request's headers say of its signature: well formed and recent, not verified yet. */
export interface SignatureClaim {
  /** Seconds since the epoch, as sent. */
  readonly timestamp: string;
  readonly digest: Buffer;
}

/** How far Slack's clock may be from ours, either way, in s: a request is good for twice as long. */
const TOLERANCE = 300;

/**
 * Cheap, so that most of what Slack did not send is refused before its body is read.
 * @param now ms since the epoch
 * @returns undefined where the headers are missing, malformed, or too far from now
 */
export function readSignature(headers: IncomingHttpHeaders, now: number): SignatureClaim | undefined {
  const timestamp = headers['x-slack-request-timestamp'];
  const signature = headers['x-slack-signature'];
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return undefined;
  if (!/^\d{1,12}$/.test(timestamp) || !/^v0=[0-9a-f]{64}$/.test(signature)) return undefined;
  if (Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE) return undefined;
  return { timestamp, digest: Buffer.from(signature.slice(3), 'hex') };
}

/** Whether Slack signed these bytes: HMAC-SHA256 over `v0:<timestamp>:<body>`, compared in constant time. */
export function isSigned(body: Buffer, { timestamp, digest }: SignatureClaim, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest();
  return timingSafeEqual(expected, digest);
}

/** For how many more seconds the same bytes with the same signature would be taken. */
export const secondsLeft = ({ timestamp }: SignatureClaim, now: number): number =>
  Math.max(1, Math.ceil(Number(timestamp) + TOLERANCE - now / 1000));
