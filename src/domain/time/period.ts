/** A period as billing is asked about it: the days that a phrase named, the instants they begin and end, and what they are compared with. */
import { Failure, InvalidWord } from '../failure/index.ts';
import { clipWord } from '../wording.ts';
import {
  addDays,
  type Day,
  dayAt,
  daysInRange,
  endOfDay,
  formatRequestedDays,
  type Millis,
  type RequestedDays,
  startOfDay,
  type Zone,
} from './calendar.ts';
import { type ComparisonRule, type ComparisonWindow, findComparisonWindow } from './comparison-window.ts';

export type { ComparisonWindow } from './comparison-window.ts';

/** Days that a phrase names, as of the day on which it was read. They run until now where the last one is that day. */
export interface NamedDays {
  readonly first: Day;
  /** Today at the latest. */
  readonly last: Day;
  /** Canonical: `last-7-days`, `this-month`, `yesterday`, or absolute dates; it is read as the same days. */
  readonly text: string;
  readonly typed: string;
  /** What the days are compared with by default. */
  readonly rule: ComparisonRule;
  /** How many days were counted, of `last-7-days`; they may include today. */
  readonly counted?: number;
}

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
  /** How it is compared if nobody says with what. */
  readonly rule: ComparisonRule;
  /** Absent when no day is complete. */
  readonly comparison?: ComparisonWindow;
}

/**
 * @param days as they are read on the day of `now`
 * @param now ms since the epoch
 * @throws InvalidWord if the zone skipped all of the days; period-just-began if they begin right now
 */
export function periodOf({ text, typed, rule, ...named }: NamedDays, now: Millis, zone: Zone): Period {
  const today = dayAt(now, zone);
  const days = daysInRange(named.first, named.last, zone);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined)
    throw new InvalidWord(
      clipWord(typed),
      `doesn’t exist in ${zone}, which skipped it when it crossed the date line`,
      `The days around it are ${addDays(named.first, -1)} and ${addDays(named.last, 1)}.`,
    );
  const requested = { first, last, today };
  const endsToday = last === today;
  if (endsToday && startOfDay(first, zone) === now) throw new Failure('period-just-began', { phrase: text });
  const complete = endsToday ? days.slice(0, -1) : days;
  const comparison = findComparisonWindow(named.first, complete, rule, zone);
  return {
    phrase: text,
    from: startOfDay(first, zone),
    to: endsToday ? now : endOfDay(last, zone),
    zone,
    days,
    ...(endsToday && { today }),
    requested,
    dates: formatRequestedDays(requested),
    rule,
    ...(comparison && { comparison }),
  };
}

/** @returns an instant (ms) as the billing API writes it: YYYY-MM-DDTHH:mm:ss.sssZ */
export function toWireTimestamp(ms: Millis): string {
  return new Date(ms).toISOString();
}
