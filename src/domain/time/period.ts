/** A phrase, a moment and a zone make a period: the instants to ask about, and the days they cover. */

import { InvalidWord, PeriodJustBegan } from '../failure/index.ts';
import { parsePeriodText } from '../language/command-text.ts';
import { formatPhrase, type PeriodPhrase } from '../language/period-phrase.ts';
import { type DayRange, resolveRange } from '../language/resolve-range.ts';
import { clipWord } from '../language/spelling.ts';
import { pluralize } from '../language/text.ts';
import {
  addDays,
  type Day,
  dayAt,
  daysBefore,
  daysInRange,
  endOfDay,
  formatDays,
  startOfDay,
} from './calendar.ts';
import { type ComparisonWindow, findComparisonWindow } from './comparison-window.ts';

export type { ComparisonWindow } from './comparison-window.ts';

export interface Period {
  /** Canonical: reads back to the same phrase. */
  readonly phrase: string;
  /** First millisecond, the wire's periodFrom. */
  readonly from: number;
  /** Last millisecond, included, the wire's periodTo; never later than the moment of asking. */
  readonly to: number;
  readonly zone: string;
  /** Every day touched, in order, today among them while it runs; days that the zone left out are not. */
  readonly days: readonly Day[];
  /** Set when the last day is today, still running. */
  readonly today?: Day;
  /** '14–20 Nov', with the year where that is not the current one */
  readonly dates: string;
  /** '14–20 Nov 2026 UTC · 7 full days · today excluded' */
  readonly label: string;
  /** Absent where no day is complete. */
  readonly comparison?: ComparisonWindow;
}

function daysLabel(full: number, running: boolean, endsYesterday: boolean): string {
  const days = pluralize(full, 'full day');
  if (!running) return endsYesterday ? `${days} · today excluded` : days;
  return full === 0 ? 'today so far' : `${days} and today so far`;
}

/** Superfluous where today is part of it anyway; words asked for in vain are refused by the span. */
const canonicalOf = (phrase: PeriodPhrase): string =>
  formatPhrase({ ...phrase, includingToday: phrase.includingToday && phrase.kind === 'last' });

function leftOut(phrase: PeriodPhrase, first: Day, last: Day, zone: string): InvalidWord {
  return new InvalidWord(
    clipWord(phrase.typed),
    `does not exist in ${zone}, whose clocks went over it when the date line moved`,
    `The days beside it are ${addDays(first, -1)} and ${addDays(last, 1)}.`,
  );
}

/** The days as they were meant when asked; what was still running then runs up to today. */
function spanAsOf(phrase: PeriodPhrase, today: Day, asked: Day, zone: string): DayRange {
  const span = resolveRange(phrase, asked, zone);
  return span.last < asked ? span : resolveRange(phrase, today, zone);
}

/**
 * `now` in ms, and so is `asked`, an earlier instant at which the phrase was written. Throws InvalidWord for what lies in the future, ends before it begins, was left out by the zone,
 * is too long or cannot include today; PeriodJustBegan for a period without length yet.
 */
export function resolvePeriod(phrase: PeriodPhrase, now: number, zone: string, asked: number = now): Period {
  const today = dayAt(now, zone);
  const { first, last, plan } = spanAsOf(phrase, today, dayAt(asked, zone), zone);
  const days = daysInRange(first, last, zone);
  const [begins, ends] = [days[0], days.at(-1)];
  if (begins === undefined || ends === undefined) throw leftOut(phrase, first, last, zone);
  const running = ends === today;
  const from = startOfDay(begins, zone);
  if (running && from === now) throw new PeriodJustBegan(canonicalOf(phrase));
  const complete = running ? days.slice(0, -1) : days;
  const comparison = findComparisonWindow(first, complete, plan, zone);
  const extent = daysLabel(complete.length, running, ends === daysBefore(today, 1, zone)[0]);
  return {
    phrase: canonicalOf(phrase),
    from,
    to: running ? now : endOfDay(ends, zone),
    zone,
    days,
    ...(running && { today }),
    dates: formatDays(begins, ends, today.slice(0, 4)),
    label: `${formatDays(begins, ends)} ${zone} · ${extent}`,
    ...(comparison && { comparison }),
  };
}

/** Reads and resolves a text that is a period phrase and nothing else; the empty one is the last 7 days. */
export function resolvePeriodText(text: string, now: number, zone: string): Period {
  return resolvePeriod(parsePeriodText(text), now, zone);
}

/** An instant as the billing interface writes it: YYYY-MM-DDTHH:mm:ss.sssZ. */
export function toWireTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
