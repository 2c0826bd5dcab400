/** The comparison that somebody names: `october vs september`, `vs last year`, `vs prior 30 days`. */
import { InvalidWord } from '../failure/index.ts';
import { clipWord } from '../wording.ts';
import { addDays, type Day, daysBefore, daysInRange, formatDays, shiftUnits, type Unit } from './calendar.ts';
import { dayOneYearBefore, describeWindow, sameDaysBefore } from './comparison-window.ts';
import type { NamedDays, Period } from './period.ts';

/**
 * What a period is compared with: named days, the same days one unit earlier (`last year`), or so many units directly before
 * it (`the week before`, `prior 30 days`).
 */
export type Versus =
  | NamedDays
  | { readonly same: Unit }
  | { readonly before: Unit | 'period'; readonly count: number };

export interface ComparedPeriod extends Period {
  /** What the period is compared with, if the command named it. */
  readonly versus?: Versus;
}

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
 * The period with the named comparison in place of its own. The complete days of each are compared; the two may differ
 * in length, and either may be the earlier one.
 *
 * @throws InvalidWord if one of them has no complete day, or if they share days; what it offers goes after `vs`
 */
export function compareWith(period: Period, versus: Versus): ComparedPeriod {
  const [first, ...others] = completeDays(period.days, period);
  if (first === undefined)
    throw new InvalidWord(period.phrase, 'has no complete day to compare yet', ONLY_COMPLETE);
  const complete = [first, ...others] as const;
  const days = daysComparedWith(period, complete, versus);
  const comparison = describeWindow(days, complete, period.zone, period.requested.today);
  if (comparison === undefined) throw new InvalidWord(typedVersus(versus), ...noDays(complete, versus));
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
  // The same days of the unit before are another reading, unless they are days of the period itself.
  const lastBefore = sameDaysBefore(name, complete, rule, zone).at(-1) ?? first;
  if (name !== 'day' && count === 1 && length !== complete.length && lastBefore < first)
    throw eitherUnit(first, name);
  return length > 0
    ? daysBefore(first, length, zone)
    : daysInRange(shiftUnits(name, first, -count), addDays(first, -1), zone);
}

/** `1-15 october vs month before`: all of September, or as many of its days. */
function eitherUnit(first: Day, unit: Unit): InvalidWord {
  const whole = `${shiftUnits(unit, first, -1)}..${addDays(first, -1)}`;
  return new InvalidWord(
    `vs ${unit} before`,
    `could be the whole ${unit} before, or the same days in it`,
    'Name one of them.',
    [formatVersus({ same: unit }), whole],
  );
}

/** Why a comparison has no day. 29 February has none a year before, and the 31st none in a shorter month. */
function noDays(
  [day, ...others]: CompleteDays,
  versus: Versus,
): readonly [string, string, (readonly string[])?] {
  if (!('same' in versus) || others.length > 0) return ['has no complete day to compare yet', ONLY_COMPLETE];
  const around = versus.same === 'year' ? [-1, 1].map((step) => dayOneYearBefore(addDays(day, step))) : [];
  return [`has no day for ${formatDays(day, day)}`, 'Compare with a day beside it.', around];
}
