/** The tokens that a modal lists: in its metadata, and how long they work, in words. */
import { pluralize } from '../../domain/language/text.ts';
import {
  dayAt,
  formatDays,
  MINUTE,
  type Millis,
  wallClockAt,
  type Zone,
} from '../../domain/time/calendar.ts';
import { grantHandle } from '../../workspace/short-lived/token-grants.ts';

/** One line of a modal's metadata: a token that was issued from the modal, or only a grant for another one. */
export interface ModalToken {
  /** The grant's handle, and after a space the encrypted token if the modal can revoke it. */
  readonly grantText: string;
  /** When the token expires, in ms; `unknown` if the service does not say, undefined without a token. */
  readonly expires: number | 'unknown' | undefined;
}

/** The tokens that a modal lists. */
export type Tokens = readonly ModalToken[];

export const canRevoke = ({ grantText }: ModalToken): boolean => grantText.includes(' ');

/** The tokens that may still work. @param now ms */
export const liveTokens = (tokens: Tokens, now: Millis): Tokens =>
  tokens.filter(({ expires }) => expires === 'unknown' || (expires !== undefined && expires > now));

/** As `private_metadata`, in the same order. @see parseModalTokens */
export const serializeModalTokens = (tokens: Tokens): string =>
  tokens
    .map(({ grantText, expires }) => [grantText, ...(expires === undefined ? [] : [`!${expires}`])].join(' '))
    .join('\n');

/** Outside text: what it leads to is checked when it is claimed. */
export const parseModalTokens = (metadata: string): Tokens =>
  metadata.split('\n').flatMap((line): ModalToken[] => {
    const words = line.split(' ').filter(Boolean);
    const grantText = words.filter((word) => !word.startsWith('!')).join(' ');
    return grantText === '' ? [] : [{ grantText, expires: expiresIn(words) }];
  });

/** An entry with two halves has a token, whatever its expiry says. */
function expiresIn(words: readonly string[]): ModalToken['expires'] {
  const mark = words.find((word) => word.startsWith('!'));
  if (mark === undefined) return words.length > 1 ? 'unknown' : undefined;
  const at = Number(mark.slice(1));
  return Number.isSafeInteger(at) ? at : 'unknown';
}

/**
 * As many as `limit` characters hold, newest first: the oldest cannot be revoked any more, and if that is not enough, are
 * not listed either.
 */
export function fitModalTokens(tokens: Tokens, limit: number): Tokens {
  if (serializeModalTokens(tokens).length <= limit) return tokens;
  const oldest = tokens.findLastIndex(canRevoke);
  const revoked = tokens[oldest];
  return fitModalTokens(
    revoked === undefined
      ? tokens.slice(0, -1)
      : tokens.with(oldest, { ...revoked, grantText: grantHandle(revoked.grantText) }),
    limit,
  );
}

/** @returns `until 11:15 on Sat 21 Nov 2026 (Europe/Berlin)`, or `until it expires` */
export const formatUntil = (expires: ModalToken['expires'], zone: Zone): string =>
  typeof expires === 'number' ? `until ${formatClockTime(expires, zone)}` : 'until it expires';

/** `11:15 on Sat 21 Nov 2026 (Europe/Berlin)` */
export function formatClockTime(ms: Millis, zone: Zone): string {
  const day = dayAt(ms, zone);
  return `${wallClockAt(ms, zone).time} on ${formatDays(day, day)} (${zone})`;
}

/** `in 1 hour`; a clock may be wrong, the service’s or Tally’s. */
export const formatTimeLeft = (ms: Millis): string =>
  ms > 0 ? `in ${formatDuration(ms)}` : 'which is past by Tally’s clock';

/** `1 hour`, `19 minutes`, `2 hours 5 minutes`, `3 days` */
function formatDuration(ms: Millis): string {
  const minutes = Math.max(0, Math.round(ms / MINUTE));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (minutes === 0) return 'less than a minute';
  if (hours >= 48) return pluralize(Math.floor(hours / 24), 'day');
  return [hours > 0 && pluralize(hours, 'hour'), rest > 0 && pluralize(rest, 'minute')]
    .filter(Boolean)
    .join(' ');
}
