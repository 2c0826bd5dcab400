/** A period to ask billing about: its days and instants, and the days to compare it with. */
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

/** The days that a phrase names, as of the day on which it was read. If the last is that day, they run until now. */
export interface NamedDays {
  readonly first: Day;
  readonly last: Day;
  /** Canonical text: `last-7-days`, `this-month`, or dates. */
  readonly text: string;
  readonly typed: string;
  readonly rule: ComparisonRule;
  /** The number of days in `last-n-days`. The days may include today. */
  readonly counted?: number;
}

export interface Period {
  /** Canonical text, which parses to the same period: `last-7-days`. */
  readonly phrase: string;
  /** First instant, which the API calls `periodFrom`. */
  readonly from: Millis;
  /** Last instant, never in the future, which the API calls `periodTo`. */
  readonly to: Millis;
  readonly zone: Zone;
  /** The period's days in order, including today, without days that the zone skipped. */
  readonly days: readonly Day[];
  /** Today, if the period ends today. */
  readonly today?: Day;
  readonly requested: RequestedDays;
  /** '14–20 Nov', with the year if it is not the current one */
  readonly dates: string;
  readonly rule: ComparisonRule;
  /** Absent when no day is complete. */
  readonly comparison?: ComparisonWindow;
  /** What the command says to compare the period with, if it does. */
  readonly versus?: Versus;
}

/** @param days read on the day of `now` @throws InvalidWord if the zone skipped all days; period-just-began */
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

export interface ComparisonWindow {
  /** First and last millisecond of the window. */
  readonly from: Millis;
  readonly to: Millis;
  readonly days: readonly Day[];
  /** The period's complete days, which the window is compared with. */
  readonly currentDays: readonly Day[];
  /** The window's first and last day, and today, whose year labels leave out. */
  readonly requested: RequestedDays;
  /** '7–13 Nov', with the year if it is not the current one */
  readonly label: string;
}

/** Compares days with days, whole units with whole units, and a running unit with the beginning of the unit before. */
export type ComparisonRule =
  | { readonly kind: 'days' }
  | { readonly kind: 'units'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'running'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'weekend'; readonly unit: 'week' };

/** The same weekdays a week earlier, because spend drops on Saturdays; without days that the zone skipped. */
export const sameDaysLastWeek = (days: readonly Day[], zone: Zone): readonly Day[] =>
  days.map((day) => addDays(day, -7)).filter((day) => dayExists(day, zone));

/** The days to compare with by default. @param count how many complete days the period has */
function daysBeforePeriod(first: Day, rule: ComparisonRule, count: number, zone: Zone): readonly Day[] {
  if (count === 0) return [];
  if (rule.kind === 'units' || rule.kind === 'running') {
    const days = daysInRange(shiftUnits(rule.unit, first, -rule.count), addDays(first, -1), zone);
    // A running unit is compared at most with the whole unit before: 30 days of March with all 28 of February.
    return rule.kind === 'units' ? days : days.slice(0, count);
  }
  if (count === 1) return sameDaysLastWeek([first], zone);
  if (rule.kind === 'weekend') return sameDaysLastWeek([first, addDays(first, 1)], zone);
  return daysBefore(first, count, zone);
}

/** @returns the day `months` earlier; if that month is too short, its last day, or for a beginning the day after it */
function monthsBefore(day: Day, months: number, isBeginning: boolean): Day {
  const month = shiftUnits('month', `${day.slice(0, 7)}-01`, -months);
  const same = `${month.slice(0, 8)}${day.slice(8)}`;
  const last = endOfUnit('month', month);
  return same <= last ? same : isBeginning ? addDays(last, 1) : last;
}

/**
 * The same days one unit earlier. Whole months, quarters and years stay whole, weeks keep their weekdays, and other
 * periods keep their first and last date. 29 February has no counterpart.
 * @param complete the period's complete days, in order
 * @param rule how the period is compared by default
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

/**
 * @param complete the complete days of the period that the window is compared with
 * @param today the label leaves out the year if it is today's
 * @returns undefined if the window has no day
 */
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

/**
 * What a period is compared with: named days, the same days one unit earlier (`last year`), or a number of units
 * directly before it (`the week before`, `prior 30 days`).
 */
export type Versus =
  | NamedDays
  | { readonly same: Unit }
  | { readonly before: Unit | 'period'; readonly count: number };

const ONLY_COMPLETE = 'Only complete days are compared, never today.';
const OTHER_DAYS = 'Name other days, or leave out “vs” to compare with the days before.';

/** What follows `vs`: `2026-09`, `last-year`, `30-days-before`. */
export function formatVersus(versus: Versus): string {
  if ('text' in versus) return versus.text;
  if ('same' in versus) return versus.same === 'year' ? 'last-year' : `same-days-last-${versus.same}`;
  if (versus.before === 'period') return 'period-before';
  return versus.count === 1 ? `${versus.before}-before` : `${versus.count}-${versus.before}s-before`;
}

const typedVersus = (versus: Versus): string =>
  `vs ${'typed' in versus ? clipWord(versus.typed) : formatVersus(versus).replaceAll('-', ' ')}`;

/**
 * Compares a period's complete days with other days than by default, which may be more, fewer or later ones.
 * @throws InvalidWord if either side has no complete day or both share days; its suggestions belong after `vs`
 */
export function compareWith(period: Period, versus: Versus): Period {
  const [first, ...others] = completeDays(period.days, period);
  if (first === undefined)
    throw new InvalidWord(period.phrase, 'has no complete day to compare yet', ONLY_COMPLETE);
  const complete = [first, ...others] as const;
  const days = daysComparedWith(period, complete, versus);
  const comparison = describeWindow(days, complete, period.zone, period.requested.today);
  // The year before has no 29 February, and a shorter month has no 31st.
  if (comparison === undefined && 'same' in versus)
    throw new InvalidWord(typedVersus(versus), 'means a day that doesn’t exist', OTHER_DAYS);
  if (comparison === undefined)
    throw new InvalidWord(typedVersus(versus), 'has no complete day to compare yet', ONLY_COMPLETE);
  const requested = new Set(period.days);
  if (!comparison.days.some((day) => requested.has(day))) return { ...period, comparison, versus };
  const isSame = comparison.days.length === complete.length && comparison.days[0] === first;
  const why = isSame ? `is the same days, ${period.dates}` : `shares days with ${period.dates}`;
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
  // “Month before” could also mean the same days of that month, unless those overlap the period.
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
