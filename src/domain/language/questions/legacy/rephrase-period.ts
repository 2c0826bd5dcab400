import {
  addDays,
  type Day,
  dayAt,
  endOfUnit,
  type Millis,
  shiftUnits,
  startOfDay,
  startOfUnit,
  type Unit,
  type Zone,
} from '../../../time/calendar.ts';
import { parsePeriodText } from './parse-command.ts';
import type { DateExpression } from './periods/date-ast.ts';
import type { PeriodPhrase } from './periods/period-ast.ts';
import { resolveRange } from './periods/resolve-phrase.ts';

/**
 * A phrase that means today the days that another one meant when it was written: `last-7-days` of 21 November is
 * `2026-11-14..2026-11-20` later. A period that was still running keeps its words and runs until now; a month or another
 * unit ends with its last day.
 *
 * @param writtenAt when the phrase was written, in ms
 * @param now in ms
 * @throws InvalidWord where `resolvePeriod` does
 */
export function fixDays(phrase: PeriodPhrase, writtenAt: Millis, now: Millis, zone: Zone): PeriodPhrase {
  const [writtenOn, today] = [dayAt(writtenAt, zone), dayAt(now, zone)];
  if (writtenOn === today) return phrase;
  const { first, plan, ...range } = resolveRange(phrase, writtenOn, zone);
  const last = plan.kind === 'running' ? addDays(shiftUnits(plan.unit, first, plan.count), -1) : range.last;
  if (last >= (plan.kind === 'running' ? today : writtenOn)) return phrase;
  const current = resolveRange(phrase, today, zone);
  if (current.first === first && current.last === last) return phrase;
  return phraseOfDays(first, last, 'count' in plan ? plan.unit : 'day');
}

/** Whole months as months, because months are compared with months; anything else, weeks too, as days. */
function phraseOfDays(first: Day, last: Day, unit: Unit): PeriodPhrase {
  const isOfMonths = unit !== 'day' && unit !== 'week';
  const [from, to] = isOfMonths ? [first.slice(0, 7), last.slice(0, 7)] : [first, last];
  return parsePeriodText(from === to ? from : `${from}..${to}`);
}

/**
 * The week before that of a phrase, or the day, month, quarter or year before; before seven days, the seven before.
 *
 * @returns undefined for a phrase that means something else than one such unit
 * @throws InvalidWord where `resolvePeriod` does
 */
export function unitBefore(
  phrase: PeriodPhrase,
  unit: Unit,
  now: Millis,
  zone: Zone,
): PeriodPhrase | undefined {
  const { first, last, plan } = resolveRange(phrase, dayAt(now, zone), zone);
  const isOne = unit === 'day' ? first === last : 'count' in plan && plan.unit === unit && plan.count === 1;
  const isOfDays = unit === 'week' && plan.kind === 'days' && last === addDays(first, 6);
  return isOne || isOfDays ? phraseOfDays(shiftUnits(unit, first, -1), addDays(first, -1), unit) : undefined;
}

/** The unit that contains this date once; undefined if the date says itself in which unit it is. */
function unitOf(date: DateExpression): Unit | undefined {
  switch (date.kind) {
    case 'month':
    case 'quarter':
    case 'half':
    case 'month-day':
    case 'week':
      return date.year === undefined ? 'year' : undefined;
    case 'day-of-month':
      return 'month';
    case 'weekday':
      return date.week === undefined ? 'week' : undefined;
    case 'weekend':
      return date.which === 'last' ? 'week' : undefined;
    default:
      return undefined;
  }
}

/**
 * A phrase that means the latest September, or the latest Monday, as the one of the year or week that the days of another
 * phrase are in.
 *
 * @returns undefined where that is the same, or there is none
 * @throws InvalidWord where `resolvePeriod` does
 */
export function phraseWithin(
  phrase: PeriodPhrase,
  around: PeriodPhrase,
  now: Millis,
  zone: Zone,
): PeriodPhrase | undefined {
  const [from, to] =
    phrase.kind === 'at' ? [phrase.at] : phrase.kind === 'range' ? [phrase.from, phrase.to] : [];
  const unit = from && unitOf(from);
  if (unit === undefined || (to && unitOf(to) !== unit)) return undefined;
  const today = dayAt(now, zone);
  const { first, last } = resolveRange(around, today, zone);
  const start = startOfUnit(unit, first);
  const isInside = (other: PeriodPhrase) =>
    startOfUnit(unit, resolveRange(other, today, zone).first) === start;
  if (startOfUnit(unit, last) !== start || isInside(phrase)) return undefined;
  // A weekday is the latest before the day on which it is said.
  const end = startOfDay(addDays(endOfUnit(unit, first), unit === 'week' ? 1 : 0), zone);
  const within = fixDays(phrase, Math.min(end, now), now, zone);
  return isInside(within) ? within : undefined;
}
