/** Splits a period into days, weeks or months, for tables and charts, and pairs the parts of two periods. */
import {
  addDays,
  countUnits,
  type Day,
  type DayNamer,
  dayNamerFor,
  daysBetween,
  formatDays,
  isoWeekday,
  startOfUnit,
  type Unit,
} from '../time/calendar.ts';
import type { ComparisonWindow, Period } from '../time/period.ts';
import { pluralize } from '../wording.ts';
import { divide, type Money, type MoneyFormatter, sumMoney } from './amount.ts';
import { type RowAmount, sumAmounts } from './charges.ts';
import { formatTotal, type Usage } from './usage.ts';

export interface Cost {
  readonly name: string;
  readonly days: readonly Day[];
  /** Undefined if billing has no item for these days. The amount is unknown then, not zero. */
  readonly amount: RowAmount | undefined;
  readonly bonuses: RowAmount | undefined;
  /** How many complete days have a readable amount. */
  readonly reported: number;
  readonly average: Money | undefined;
}

export interface Row {
  readonly label: string;
  /** Undefined if the period lacks the day: September has no 31st. */
  readonly current?: Cost | undefined;
  readonly before?: Cost | undefined;
  /** `current` minus `before`; undefined where they are not compared. */
  readonly value?: Money | undefined;
  readonly note?: string;
}

type CostFinder = (days: readonly Day[], name: string) => Cost;

export function costsOf(usage: Usage): CostFinder {
  const byDay = new Map(
    usage.rows.flatMap((row) => (row.day === undefined ? [] : [[row.day, row] as const])),
  );
  return (days, name) => {
    const rows = days.flatMap((day) => byDay.get(day) ?? []);
    const values = days.flatMap((day) => usage.amounts.get(day) ?? []);
    return {
      name,
      days,
      reported: values.length,
      amount: sumAmounts(rows.map(({ amount }) => amount)),
      bonuses: sumAmounts(rows.map(({ bonuses }) => bonuses)),
      average: values.length === 0 ? undefined : divide(sumMoney(values), values.length),
    };
  };
}

const isSilent = ({ current }: Row): boolean => current?.amount === undefined;

/** Unreported months at either end are before the project began or after it ended. */
const withoutSilentEnds = (rows: readonly Row[]): readonly Row[] =>
  rows.slice(
    rows.findIndex((row) => !isSilent(row)),
    rows.findLastIndex((row) => !isSilent(row)) + 1,
  );

export type AskedDays = Pick<Period, 'days' | 'today'> & { readonly requested?: Period['requested'] };

/**
 * Uses the shortest unit, from `finest` on, that makes at most `most` rows. Unreported days have a row; unreported
 * weeks and longer units have none at either end.
 */
export function periodRows(
  usage: Usage,
  { days, today, requested }: AskedDays,
  most: number,
  finest: Unit = 'day',
): { readonly unit: Unit; readonly rows: readonly Row[] } {
  const costOf = costsOf(usage);
  const merged = new Map(usage.rows.map((row) => [row.day, row.merged]));
  const shown = days.filter((day) => day !== today || merged.has(day));
  const { unit, groups } = groupDays(shown, most, days, finest, requested?.today);
  const rows = groups.map((group): Row => {
    const { label } = group;
    const [day, ...others] = group.days;
    const isRunning = today !== undefined && group.days.includes(today);
    const count = merged.get(day) ?? 0;
    const notes = [
      ...(isRunning ? [others.length > 0 ? 'today so far' : 'so far'] : []),
      ...(unit === 'day' && count > 1 ? [`${count} items added`] : []),
    ];
    return { label, current: costOf(group.days, label), ...(notes.length > 0 && { note: notes.join(', ') }) };
  });
  return { unit, rows: unit === 'day' ? rows : withoutSilentEnds(rows) };
}

/** Items outside the requested days, and items without a readable day. */
export function strayRows({ rows, missing }: Usage): readonly Row[] {
  const nameOf = dayNamerFor([...rows.flatMap(({ day }) => day ?? []), ...missing]);
  const strays = rows.filter(({ day, outside }) => outside || day === undefined);
  return strays.map(({ day, shown, outside, merged, amount, bonuses }) => {
    const label = day === undefined ? shown : nameOf(day);
    const notes = [
      ...(merged > 1 ? [`${merged} items added`] : []),
      ...(outside ? ['outside this period'] : []),
    ];
    const current = { name: label, days: [], amount, bonuses, reported: 0, average: undefined };
    return { label, current, ...(notes.length > 0 && { note: notes.join(', ') }) };
  });
}

export function comparedRows(
  usage: Usage,
  before: Usage,
  { currentDays, days }: Pick<ComparisonWindow, 'currentDays' | 'days'>,
  most: number,
  finest: Unit = 'day',
): { readonly paired: PairedDays; readonly rows: readonly Row[] } {
  const paired = pairDays({ current: currentDays, before: days }, most, finest);
  const [now, then] = [costsOf(usage), costsOf(before)];
  const [nameOf, nameBefore] = [dayNamerFor(currentDays), dayNamerFor(days)];
  const sideOf = (part: readonly Day[], cost: CostFinder, name: DayNamer) =>
    part[0] === undefined ? undefined : cost(part, name(part[0], part.at(-1)));
  const rows = paired.pairs.map((pair): Row => {
    const [current, past] = [sideOf(pair.current, now, nameOf), sideOf(pair.before, then, nameBefore)];
    const names = [current, past].flatMap((side) => side?.name ?? []);
    return { label: [...new Set(names)].join(' vs '), current, before: past };
  });
  return { paired, rows };
}

export const formatLabel = ({ label, note }: Pick<Row, 'label' | 'note'>): string =>
  note === undefined ? label : `${label} (${note})`;

/** `1,234.00`, `6.00 (6 of 7 days)`, `no data`, `unreadable: n/a`; `–` if the period lacks the day */
export function formatCost(cost: Cost | undefined, money: MoneyFormatter): string {
  if (cost === undefined) return '–';
  const { amount, days, reported } = cost;
  if (amount === undefined) return 'no data';
  if ('unreadable' in amount) return ['unreadable', amount.unreadable].filter(Boolean).join(': ');
  const gaps =
    days.length > 1 && reported < days.length ? ` (${reported} of ${pluralize(days.length, 'day')})` : '';
  return `${formatTotal(amount, money)}${gaps}`;
}

const UNITS: readonly Unit[] = ['day', 'week', 'month', 'quarter', 'year'];

interface DayGroup {
  readonly label: string;
  readonly days: readonly Day[];
}

/**
 * Groups days by the shortest unit, from `finest` on, that makes at most `most` groups.
 * @param asked the requested days; a week's label names only requested days
 */
export function groupDays(
  days: readonly Day[],
  most: number,
  asked: readonly Day[],
  finest: Unit = 'day',
  today?: Day,
): { readonly unit: Unit; readonly groups: readonly DayGroup[] } {
  const fits = (unit: Unit): boolean => {
    const starts = new Set<Day>();
    return days.every((day) => starts.add(startOfUnit(unit, day)).size <= most);
  };
  const unit = UNITS.slice(UNITS.indexOf(finest)).find(fits) ?? 'year';
  const byStart = [...groupByStart(days, unit)];
  const nameOf = dayNamerFor(byStart.map(([start]) => start));
  const labelOf = (start: Day): string => {
    if (unit === 'day') return nameOf(start);
    if (unit === 'week') return weekLabel(start, asked);
    if (unit === 'month') return formatDays(start, start, today?.slice(0, 4)).slice('Sun 1 '.length);
    const year = start.slice(0, 4);
    return unit === 'year' ? year : `${year} Q${Math.ceil(Number(start.slice(5, 7)) / 3)}`;
  };
  return { unit, groups: byStart.map(([start, group]) => ({ label: labelOf(start), days: group })) };
}

function weekLabel(monday: Day, asked: readonly Day[]): string {
  const sunday = addDays(monday, 6);
  const inside = asked.filter((day) => day >= monday && day <= sunday);
  const [first, last] = [inside[0] ?? monday, inside.at(-1) ?? sunday];
  const year = last.slice(0, 4);
  if (first.slice(0, 4) === year) return formatDays(first, last, year);
  return [first, last].map((day) => formatDays(day, day, day.slice(0, 4)).slice(4)).join(' – ');
}

function groupByStart(days: readonly Day[], unit: Unit): ReadonlyMap<Day, readonly Day[]> {
  const byStart = new Map<Day, Day[]>();
  for (const day of days) {
    const start = startOfUnit(unit, day);
    const group = byStart.get(start) ?? [];
    group.push(day);
    byStart.set(start, group);
  }
  return byStart;
}

/** A side is empty if its period lacks the day, as September lacks a 31st. */
export interface DayPair {
  readonly current: readonly Day[];
  readonly before: readonly Day[];
}

export interface PairedDays {
  readonly unit: Unit;
  /** True if each pair is a calendar unit, because both periods begin with one; else each pair has `days` days. */
  readonly isCalendar: boolean;
  readonly days: number;
  readonly pairs: readonly DayPair[];
}

/** Periods that don't begin with a calendar unit are split into whole weeks, which have equally many weekends. */
const PAIRED_UNITS: readonly (readonly [Unit, number])[] = [
  ['day', 1],
  ['week', 7],
  ['month', 28],
  ['quarter', 91],
  ['year', 364],
];

/**
 * Pairs the days of two periods or, if that makes more than `most` pairs or `finest` is longer, their weeks, months,
 * quarters or years. Days of months are paired by their number, other days by weekday, because spending drops on
 * weekends.
 */
export function pairDays(periods: DayPair, most: number, finest: Unit = 'day'): PairedDays {
  for (const [unit, days] of PAIRED_UNITS.slice(PAIRED_UNITS.findIndex(([unit]) => unit === finest))) {
    // Pairing each day of ten years is slow.
    if (unit === 'day' && Math.max(periods.current.length, periods.before.length) > most) continue;
    const paired = splitInto(unit, days, periods);
    if (paired.pairs.length <= most) return paired;
  }
  return splitInto('year', 364, periods);
}

function splitInto(unit: Unit, days: number, periods: DayPair): PairedDays {
  const isCalendar = beginWith(unit, periods);
  if (unit === 'day') return { unit, isCalendar, days, pairs: pairDayByDay(periods) };
  const split = (period: readonly Day[]) =>
    isCalendar
      ? [...groupByStart(period, unit).values()]
      : Array.from({ length: Math.ceil(period.length / days) }, (_, at) =>
          period.slice(at * days, (at + 1) * days),
        );
  const [parts, others] = [split(periods.current), split(periods.before)];
  const pairs = Array.from({ length: Math.max(parts.length, others.length) }, (_, at) => ({
    current: parts[at] ?? [],
    before: others[at] ?? [],
  }));
  return { unit, isCalendar, days, pairs };
}

const beginWith = (unit: Unit, { current, before }: DayPair): boolean =>
  [current, before].every(([first = '']) => startOfUnit(unit, first) === first);

/** Pairs 3 October with 3 September, or the second Fridays of both periods. */
function pairDayByDay(periods: DayPair): DayPair[] {
  const placeOf = beginWith('month', periods) ? placeInMonths : placeInWeeks;
  const placesIn = (days: readonly Day[]) => days.map((day) => placeOf(day, days[0] ?? day));
  const [places, others] = [placesIn(periods.current), placesIn(periods.before)];
  const known = new Set(others);
  const isShared = places.some((place) => known.has(place));
  const partners = new Map(periods.before.map((day, at) => [(isShared ? others : places)[at] ?? at, day]));
  const pairs = periods.current.map((day, at): DayPair => {
    const place = places[at] ?? at;
    const partner = partners.get(place);
    partners.delete(place);
    return { current: [day], before: partner === undefined ? [] : [partner] };
  });
  return [...pairs, ...[...partners.values()].map((day) => ({ current: [], before: [day] }))];
}

const placeInMonths = (day: Day, first: Day): string => `${countUnits('month', first, day)} ${day.slice(8)}`;

const placeInWeeks = (day: Day, first: Day): string =>
  `${isoWeekday(day)} ${Math.floor(daysBetween(first, day) / 7)}`;
