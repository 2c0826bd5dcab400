/** Resolves a phrase, an instant and a zone into a period: the instants to ask about, and the days between them. */

import { LRUCache } from 'lru-cache';
import { Failure, InvalidWord } from '../failure/index.ts';
import { parsePeriodText } from '../language/parse-command.ts';
import { formatPhrase, type PeriodPhrase } from '../language/periods/period-ast.ts';
import { resolveRange } from '../language/periods/resolve-phrase.ts';
import { clipWord, pluralize } from '../language/text.ts';
import {
  addDays,
  type Day,
  dayAt,
  daysBefore,
  daysInRange,
  endOfDay,
  formatDays,
  formatRequestedDays,
  type Millis,
  type RequestedDays,
  startOfDay,
  type Zone,
} from './calendar.ts';
import { type ComparisonRule, type ComparisonWindow, findComparisonWindow } from './comparison-window.ts';

export type { ComparisonWindow } from './comparison-window.ts';

export interface Period {
  /** Canonical text: parses to the same phrase. */
  readonly phrase: string;
  /** First millisecond: `periodFrom` of the billing API. */
  readonly from: Millis;
  /** Last millisecond, included: `periodTo` of the billing API. Never in the future. */
  readonly to: Millis;
  readonly zone: Zone;
  /** Its days in order, today among them, without those that the zone skipped. */
  readonly days: readonly Day[];
  /** Today, if it is the last day. */
  readonly today?: Day;
  readonly requested: RequestedDays;
  /** '14–20 Nov', with the year if it is not the current one */
  readonly dates: string;
  /** '14–20 Nov 2026 UTC · 7 full days · today excluded' */
  readonly label: string;
  /** How it is compared if nobody says with what. */
  readonly rule: ComparisonRule;
  /** Absent when no day is complete. */
  readonly comparison?: ComparisonWindow;
}

function daysLabel(full: number, endsToday: boolean, endsYesterday: boolean): string {
  const days = pluralize(full, 'full day');
  if (!endsToday) return endsYesterday ? `${days} · today excluded` : days;
  return full === 0 ? 'today so far' : `${days} and today so far`;
}

/**
 * @param now ms since the epoch
 * @param writtenAt ms, the instant at which a person wrote the phrase, if that was earlier
 * @throws InvalidWord if it lies in the future, ends before it begins, is too long, cannot include today, or was
 * skipped by the zone
 * @throws period-just-began if it begins right now
 */
export function resolvePeriod(
  phrase: PeriodPhrase,
  now: Millis,
  zone: Zone,
  writtenAt: Millis = now,
): Period {
  const period = periodOn(phrase, dayAt(now, zone), dayAt(writtenAt, zone), zone);
  if (period.today === undefined) return period;
  if (period.from === now) throw new Failure('period-just-began', { phrase: period.phrase });
  return { ...period, to: now };
}

/** Resolved periods: on one day a phrase means the same days for everybody in a zone, and few phrases are used. */
const periods = new LRUCache<string, Period>({
  max: 1_000,
  maxSize: 50_000,
  sizeCalculation: ({ days }) => days.length,
});

/** @returns the period as of a day; if it ends `today`, `to` is the end of that day */
function periodOn(phrase: PeriodPhrase, today: Day, writtenOn: Day, zone: Zone): Period {
  const key = [formatPhrase(phrase), today, writtenOn, zone].join(' ');
  const known = periods.get(key);
  if (known !== undefined) return known;
  const period = findPeriod(phrase, today, writtenOn, zone);
  periods.set(key, period);
  return period;
}

function findPeriod(phrase: PeriodPhrase, today: Day, writtenOn: Day, zone: Zone): Period {
  const written = resolveRange(phrase, writtenOn, zone);
  // The days that the phrase meant when it was written; a range that was still running then ends today.
  const { first, last, plan } = written.last < writtenOn ? written : resolveRange(phrase, today, zone);
  const days = daysInRange(first, last, zone);
  const [firstDay, lastDay] = [days[0], days.at(-1)];
  if (firstDay === undefined || lastDay === undefined)
    throw new InvalidWord(
      clipWord(phrase.typed),
      `doesn’t exist in ${zone}, which skipped it when it crossed the date line`,
      `The days around it are ${addDays(first, -1)} and ${addDays(last, 1)}.`,
    );
  const requested = { first: firstDay, last: lastDay, today };
  const endsToday = lastDay === today;
  const complete = endsToday ? days.slice(0, -1) : days;
  const comparison = findComparisonWindow(first, complete, plan, zone);
  const extent = daysLabel(complete.length, endsToday, lastDay === daysBefore(today, 1, zone)[0]);
  return {
    // `including today` is left out if today is part of the period anyway.
    phrase: formatPhrase({ ...phrase, includingToday: phrase.includingToday && phrase.kind === 'last' }),
    from: startOfDay(firstDay, zone),
    to: endOfDay(lastDay, zone),
    zone,
    days,
    ...(endsToday && { today }),
    requested,
    dates: formatRequestedDays(requested),
    label: `${formatDays(firstDay, lastDay)} ${zone} · ${extent}`,
    rule: plan,
    ...(comparison && { comparison }),
  };
}

/**
 * Resolves a text that is only a period phrase; the empty text means the last 7 days.
 *
 * @throws what {@link resolvePeriod} throws, and InvalidWord for any other text
 */
export function resolvePeriodText(text: string, now: Millis, zone: Zone): Period {
  return resolvePeriod(parsePeriodText(text), now, zone);
}

/** @returns an instant (ms) as the billing API writes it: YYYY-MM-DDTHH:mm:ss.sssZ */
export function toWireTimestamp(ms: Millis): string {
  return new Date(ms).toISOString();
}
