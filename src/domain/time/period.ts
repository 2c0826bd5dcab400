/** Periods of days that people ask about, and the days to compare them with. */
import { Failure, InvalidWord } from '../failure/index.ts';
import { clipWord } from '../wording.ts';
import {
  addDays,
  type Day,
  dayAt,
  dayExists,
  daysBefore,
  daysInRange,
  endOfDay,
  endOfUnit,
  formatRequestedDays,
  type Millis,
  MONTHS_IN,
  type RequestedDays,
  shiftUnits,
  startOfDay,
  type Unit,
  type Zone,
} from './calendar.ts';

/** A period of more than ten years is almost certainly a mistake. */
export const MAX_PERIOD_DAYS = 3660;

/** The days that a phrase names. If the last one is today, the period runs until now. */
export interface NamedDays {
  readonly first: Day;
  readonly last: Day;
  /** The phrase in Tally's own words: `last-7-days`, `this-month`, `2026-10-01..2026-10-15`. */
  readonly text: string;
  readonly typed: string;
  readonly rule: ComparisonRule;
  /** The 7 of `last-7-days`. */
  readonly counted?: number;
}

export interface Period {
  /** Text that parses to the same period: `last-7-days`. */
  readonly phrase: string;
  /** The first millisecond; billing's `periodFrom`. */
  readonly from: Millis;
  /** The last millisecond, never in the future; billing's `periodTo`. */
  readonly to: Millis;
  readonly zone: Zone;
  /** In order, including today, without days that the zone skipped. */
  readonly days: readonly Day[];
  readonly today?: Day;
  readonly requested: RequestedDays;
  /** `14–20 Nov`, `October`; with the year unless it is today's */
  readonly dates: string;
  readonly rule: ComparisonRule;
  /** Absent if no day is complete. */
  readonly comparison?: ComparisonWindow;
  /** The comparison that was typed, such as `vs september`. */
  readonly versus?: Versus;
}

/** @throws InvalidWord if the zone skipped all days; Failure period-just-began */
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
  const before = daysBeforePeriod(named.first, rule, complete.length, zone);
  const comparison = describeWindow(before, complete, zone, today);
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

/** The days that a period is compared with. */
export interface ComparisonWindow {
  readonly from: Millis;
  readonly to: Millis;
  readonly days: readonly Day[];
  /** The period's complete days. */
  readonly currentDays: readonly Day[];
  readonly requested: RequestedDays;
  /** `7–13 Nov`, `September`; with the year unless it is today's */
  readonly label: string;
}

/** `units`: whole calendar units, compared with as many before. `running`: the unit that contains today. */
export type ComparisonRule =
  | { readonly kind: 'days' }
  | { readonly kind: 'units'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'running'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'weekend'; readonly unit: 'week' };

/** Spending drops on weekends, so single days are compared with the same weekday. */
export const sameDaysLastWeek = (days: readonly Day[], zone: Zone): readonly Day[] =>
  days.map((day) => addDays(day, -7)).filter((day) => dayExists(day, zone));

function daysBeforePeriod(first: Day, rule: ComparisonRule, count: number, zone: Zone): readonly Day[] {
  if (count === 0) return [];
  if (rule.kind === 'units' || rule.kind === 'running') {
    const days = daysInRange(shiftUnits(rule.unit, first, -rule.count), addDays(first, -1), zone);
    // February has only 28 days to compare with the first 30 of March.
    return rule.kind === 'units' ? days : days.slice(0, count);
  }
  if (count === 1) return sameDaysLastWeek([first], zone);
  if (rule.kind === 'weekend') return sameDaysLastWeek([first, addDays(first, 1)], zone);
  return daysBefore(first, count, zone);
}

/**
 * @returns the same day of an earlier month. If that month lacks the day, an end moves to the month's last day, and a
 * beginning to the first day of the next month.
 */
function monthsBefore(day: Day, months: number, isBeginning: boolean): Day {
  const month = shiftUnits('month', `${day.slice(0, 7)}-01`, -months);
  const same = `${month.slice(0, 8)}${day.slice(8)}`;
  const last = endOfUnit('month', month);
  return same <= last ? same : isBeginning ? addDays(last, 1) : last;
}

/**
 * The same days one unit earlier: whole months, quarters and years stay whole, weeks keep their weekdays, and other
 * periods keep their dates. 29 February has no counterpart.
 */
function sameDaysBefore(
  unit: Unit,
  complete: readonly [Day, ...Day[]],
  rule: ComparisonRule,
  zone: Zone,
): readonly Day[] {
  const [first, last = first] = [complete[0], complete.at(-1)];
  const isOfWeeks = rule.kind !== 'days' && rule.unit === 'week';
  const shift = unit === 'day' ? 1 : unit === 'week' ? 7 : unit === 'year' && isOfWeeks ? 364 : undefined;
  if (shift !== undefined) return daysInRange(addDays(first, -shift), addDays(last, -shift), zone);
  const months = MONTHS_IN[unit as keyof typeof MONTHS_IN];
  const end =
    rule.kind === 'units'
      ? addDays(monthsBefore(addDays(last, 1), months, false), -1)
      : monthsBefore(last, months, false);
  return daysInRange(monthsBefore(first, months, true), end, zone);
}

function describeWindow(
  days: readonly Day[],
  complete: readonly Day[],
  zone: Zone,
  today: Day | undefined,
): ComparisonWindow | undefined {
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined) return undefined;
  const requested = { first: from, last: to, today };
  return {
    from: startOfDay(from, zone),
    to: endOfDay(to, zone),
    days,
    currentDays: complete,
    requested,
    label: formatRequestedDays(requested),
  };
}

/** What follows `vs`: named days, the same days one unit earlier (`last year`), or units before (`prior 30 days`). */
export type Versus =
  | NamedDays
  | { readonly same: Unit }
  | { readonly before: Unit | 'period'; readonly count: number };

const ONLY_COMPLETE = 'Only complete days are compared, never today.';
const OTHER_DAYS = 'Name other days, or leave out “vs” to compare with the days before.';

export function formatVersus(versus: Versus): string {
  if ('text' in versus) return versus.text;
  if ('same' in versus) return versus.same === 'year' ? 'last-year' : `same-days-last-${versus.same}`;
  if (versus.before === 'period') return 'period-before';
  return versus.count === 1 ? `${versus.before}-before` : `${versus.count}-${versus.before}s-before`;
}

const typedVersus = (versus: Versus): string =>
  `vs ${'typed' in versus ? clipWord(versus.typed) : formatVersus(versus).replaceAll('-', ' ')}`;

/**
 * Compares the period with the days that were typed after `vs`. If no day of the period is complete, nothing is compared.
 * @throws InvalidWord if the other days aren't complete, or if the two overlap; the suggestions belong after `vs`
 */
export function compareWith(period: Period, versus: Versus): Period {
  const [first, ...others] = completeDays(period.days, period);
  if (first === undefined) return { ...period, versus };
  const complete = [first, ...others] as const;
  const days = daysComparedWith(period, complete, versus);
  const comparison = describeWindow(days, complete, period.zone, period.requested.today);
  if (comparison === undefined && 'same' in versus)
    throw new InvalidWord(typedVersus(versus), 'means a day that doesn’t exist', OTHER_DAYS);
  if (comparison === undefined)
    throw new InvalidWord(typedVersus(versus), 'has no complete day to compare yet', ONLY_COMPLETE);
  const requested = new Set(period.days);
  if (!comparison.days.some((day) => requested.has(day))) return { ...period, comparison, versus };
  const isSame = comparison.days.length === complete.length && comparison.days[0] === first;
  const why = isSame ? `covers the same days, ${period.dates}` : `overlaps with ${period.dates}`;
  throw new InvalidWord(typedVersus(versus), why, OTHER_DAYS);
}

type CompleteDays = readonly [Day, ...Day[]];

const completeDays = (days: readonly Day[], { requested }: Period): readonly Day[] =>
  days.filter((day) => day !== requested.today);

function daysComparedWith(period: Period, complete: CompleteDays, versus: Versus): readonly Day[] {
  const { zone, rule } = period;
  if ('text' in versus) return completeDays(daysInRange(versus.first, versus.last, zone), period);
  if ('same' in versus) return sameDaysBefore(versus.same, complete, rule, zone);
  const { before, count } = versus;
  const isOwn = before === 'period' || ('count' in rule && rule.unit === before && rule.count === count);
  if (isOwn && period.comparison) return period.comparison.days;
  const [first, name] = [complete[0], before === 'period' ? 'day' : before];
  const length = { day: count, week: 7 * count, month: 0, quarter: 0, year: 0 }[name];
  // “Month before” could also mean the same days of that month, unless these overlap the period.
  const lastBefore = sameDaysBefore(name, complete, rule, zone).at(-1) ?? first;
  if (name !== 'day' && count === 1 && length !== complete.length && lastBefore < first)
    throw eitherUnit(first, name);
  return length > 0
    ? daysBefore(first, length, zone)
    : daysInRange(shiftUnits(name, first, -count), addDays(first, -1), zone);
}

/** Refuses `1-15 october vs month before`, which could mean all of September or its first 15 days. */
function eitherUnit(first: Day, unit: Unit): InvalidWord {
  const whole = `${shiftUnits(unit, first, -1)}..${addDays(first, -1)}`;
  return new InvalidWord(
    `vs ${unit} before`,
    `could be the whole ${unit} before, or the same days in it`,
    'Name one of them.',
    [formatVersus({ same: unit }), whole],
  );
}
