import type { IncomingHttpHeaders } from 'node:http';
import { InvalidResponse, type Service } from '../domain/failure/index.ts';
import type { RawResponse } from './exchange.ts';
import type { ServiceResponse } from './service-request.ts';

/** @param text the decoded body, empty where it does not count */
export function toServiceResponse({ statusCode, headers }: RawResponse, text: string): ServiceResponse {
  const joined: Record<string, string> = {};
  for (const name in headers) joined[name] = [headers[name]].flat().join(', ');
  return { status: statusCode, headers: joined, text };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const LENIENT_UTF8 = new TextDecoder();

/** @throws {InvalidResponse} for a compressed body, which we never ask for, and for what is not UTF-8 */
export function decodeBody({ headers, body }: RawResponse, service: Service): string {
  const encoding = [headers['content-encoding']].flat().join();
  if (body.length > 0 && encoding !== '' && encoding !== 'identity') {
    throw new InvalidResponse(service, 'a compressed body that was not asked for');
  }
  try {
    return UTF8.decode(body);
  } catch {
    throw new InvalidResponse(service, 'text that is not UTF-8');
  }
}

/** For a body that does not decide: what cannot be read is replaced. */
export const decodeLeniently = ({ body }: Pick<RawResponse, 'body'>): string => LENIENT_UTF8.decode(body);

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
