import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { InvalidResponse, type Service } from '../domain/failure/index.ts';
import type { ServiceResponse } from './service-request.ts';

export type RawResponse = Dispatcher.ResponseData;

/** @param text the decoded body, empty where it does not count */
export function toServiceResponse(response: RawResponse, text: string): ServiceResponse {
  const pairs = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return { status: response.statusCode, headers: Object.fromEntries(pairs), text };
}

/** Whether `content-length` alone already exceeds `maxBytes`. */
export function exceedsLength({ headers }: RawResponse, maxBytes: number): boolean {
  return Number([headers['content-length']].flat()[0] ?? 0) > maxBytes;
}

/** @throws {InvalidResponse} for a compressed body, which we never ask for, and for what is not UTF-8 */
export function decodeBody({ headers }: RawResponse, bytes: ArrayBuffer, service: Service): string {
  const encoding = [headers['content-encoding']].flat().join();
  if (bytes.byteLength > 0 && encoding !== '' && encoding !== 'identity') {
    throw new InvalidResponse(service, 'a compressed body that was not asked for');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidResponse(service, 'text that is not UTF-8');
  }
}

/** @returns where a redirect leads, without query and fragment, in at most 300 characters; undefined for no redirect */
export function redirectTarget({ statusCode, headers }: RawResponse, requestUrl: URL): string | undefined {
  const location = [headers.location].flat()[0];
  const isRedirect = REDIRECT_STATUS.has(statusCode) || (statusCode < 400 && location !== undefined);
  if (!isRedirect) return undefined;
  if (!location || !URL.canParse(location, requestUrl.href)) return 'an unreadable address';
  const { origin, pathname } = new URL(location, requestUrl);
  return origin === 'null' ? 'an unreadable address' : `${origin}${pathname}`.slice(0, 300);
}

const REDIRECT_STATUS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3). A date is measured from the response's own `Date`: both come from one clock,
 * so ours may be wrong.
 *
 * @returns seconds, 0 or more; undefined where the header is missing or unreadable
 */
export function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const seconds = (parseHttpDate(text) - parseHttpDate(headers.date ?? '')) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function parseHttpDate(text: string): number {
  return text.endsWith('GMT') ? Date.parse(text) : Number.NaN;
}
