import type { IncomingHttpHeaders } from 'node:http';

/**
 * How many seconds a service asks to be left alone (RFC 9110, 10.2.3). A date is measured from the answer's own
 * `Date`: two readings of one clock, so that ours being wrong does not matter.
 * @returns undefined when it does not say, or says it unreadably.
 */
export function parseRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const seconds = (httpDate(text) - httpDate(headers.date ?? '')) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function httpDate(text: string): number {
  return text.endsWith('GMT') ? Date.parse(text) : Number.NaN;
}
