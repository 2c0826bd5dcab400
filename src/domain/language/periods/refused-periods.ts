/** Periods that have no one meaning, or cannot be asked for: why, what to type, and what is nearest. */
import type { Unit } from '../../time/calendar.ts';
import { clipWord } from '../text.ts';
import { MONTH_NAMES } from '../vocabulary.ts';
import { type DateExpression, dateText, ordinal } from './date-expression.ts';
import { type Grammar, RefusedPhrase } from './grammar.ts';
import type { PeriodClasses } from './period-classes.ts';
import { type Count, lastUnits, type PhraseMeaning, phraseText, since } from './period-phrase.ts';

const FUTURE = 'Ask about a period up to today, such as this-week, mtd or last-7-days.';

const refuseFuture = (unit?: Unit): RefusedPhrase =>
  new RefusedPhrase('is in the future', FUTURE, [
    unit === undefined || unit === 'day' ? 'today' : `this-${unit}`,
  ]);

const HOURS_IN_DAY = 24;

const refuseHours = (count?: Count): RefusedPhrase =>
  new RefusedPhrase('isn’t in whole days', 'The shortest period is a day.', [
    Number(count?.digits ?? 0) < HOURS_IN_DAY ? 'today' : 'yesterday',
  ]);

/** Tally counts whole days, so the period nearest to some minutes is today. */
function minutesOrMonths({ digits }: Count): RefusedPhrase {
  const n = clipWord(digits);
  return new RefusedPhrase(
    `could be ${n} minutes or ${n} months`,
    `Type ${n}mo for months. The shortest period is a day.`,
    [`${n}mo`, 'today'],
  );
}

/** `the 17`: a day, or a project or product. */
const dayOrNumber = (day: number): RefusedPhrase =>
  new RefusedPhrase('could be a day or a number', `For the day, type the-${ordinal(day)}.`, [
    `the-${ordinal(day)}`,
    String(day),
  ]);

const VAGUE = 'doesn’t say which days';
const NAME_DAYS = 'Name the first and the last day, such as 1-7 october.';

const startOf = (month: number): RefusedPhrase =>
  vague(`first-half-of-${MONTH_NAMES[month - 1]}`, MONTH_NAMES[month - 1] ?? '');

const vague = (...nearest: string[]): RefusedPhrase => new RefusedPhrase(VAGUE, NAME_DAYS, nearest);

const few = (unit: Unit): RefusedPhrase =>
  new RefusedPhrase(
    'doesn’t say how many',
    `Type last-3-${unit}s or last-7-days.`,
    unit === 'day' ? ['last-3-days', 'last-7-days'] : [`last-2-${unit}s`, `last-3-${unit}s`],
  );

/** `first week`; `first quarter` has a year of its own. */
const refusePlace = (_: number, unit: Unit): RefusedPhrase | undefined =>
  unit === 'quarter'
    ? undefined
    : new RefusedPhrase('doesn’t say of what', 'Say of which, such as first day of october.');

const orSince = (at: DateExpression): RefusedPhrase =>
  new RefusedPhrase('could be that period, or everything since', 'Name one of them.', [
    dateText(at),
    phraseText(since(at)),
  ]);

/** `last month`, `last weekend` */
const isPastUnit = (at: DateExpression): boolean =>
  at.kind === 'ago' ? at.count > 0 && at.as !== 'day' : at.kind === 'weekend' && at.which !== 'this';

const refuseOpenStart = (): RefusedPhrase =>
  new RefusedPhrase('doesn’t say where it begins', 'Name the first day too, such as 2026-10-01..2026-10-15.');

/** What has no one meaning, or cannot be asked for. */
export function addRefusedPeriods(periods: Grammar<PeriodClasses, PhraseMeaning>): void {
  periods
    .rule('the NUMBER', dayOrNumber)
    .rule('next', () => new RefusedPhrase('is in the future', FUTURE))
    .rule('the? next COUNT? UNIT', (_, unit) => refuseFuture(unit))
    .rule('next WEEKDAY', () => refuseFuture())
    .rule('next weekend', () => refuseFuture('week'))
    .rule('WEEKDAY week', () => new RefusedPhrase('could be a week from that day', FUTURE))
    .rule('next SPAN', () => refuseFuture())
    .rule('in COUNT UNIT', (count, unit) => {
      const meaning = lastUnits(unit, count);
      return meaning instanceof RefusedPhrase
        ? meaning
        : new RefusedPhrase('could be a time from now', FUTURE, [phraseText(meaning)]);
    })
    .rule('tomorrow', () => refuseFuture())
    .rule('RANK SINGULAR_UNIT', refusePlace)
    .rule('ORDINAL SINGULAR_UNIT', refusePlace)
    .rule('last? COUNT m', minutesOrMonths)
    .rule('last? COUNT? hour', refuseHours)
    .rule('this hour', () => refuseHours())
    .rule('COUNT hour ago', refuseHours)
    .rule(
      'all time',
      () => new RefusedPhrase('is longer than 3,660 days', 'Ask for ten years or less.', ['last-3-years']),
    )
    .rule('last? few of? UNIT', few)
    .rule('last? a few of? UNIT', few)
    .rule(
      'last? a UNIT',
      (unit) =>
        new RefusedPhrase(
          VAGUE,
          unit === 'day' ? 'Type today or yesterday.' : `Type last-${unit} or this-${unit}.`,
        ),
    )
    .rule('last? fortnight', () => vague('last-14-days', 'last-2-weeks'))
    .rule(
      'last? COUNT? weekdays',
      () => new RefusedPhrase('aren’t one period', 'Type last-weekend, or a range such as monday..friday.'),
    )
    .rule('before DATE', refuseOpenStart)
    .rule('up? until|to DATE', ({ kind }) => (kind === 'year' ? undefined : refuseOpenStart()))
    .rule('up? until|to now', refuseOpenStart)
    .rule(
      'after DATE',
      ({ typed }) =>
        new RefusedPhrase('doesn’t say whether that day counts', `If it does, type since ${typed}.`),
    )
    .rule('DATE on END', (at) => (at.kind === 'ago' && at.count === 0 ? undefined : orSince(at)))
    .rule('DATE to date', (at) => (isPastUnit(at) ? orSince(at) : undefined))
    .rule('early|mid|late last UNIT', (unit) => vague(`last-${unit}`))
    .rule('early|mid|late of? this UNIT', (unit) => vague(`this-${unit}`))
    .rule('early of? MONTH', startOf)
    .rule('early|mid|late of? UNIT', (unit) => vague(`this-${unit}`, `last-${unit}`))
    .rule('late of? MONTH', (month) =>
      vague(`second-half-of-${MONTH_NAMES[month - 1]}`, MONTH_NAMES[month - 1] ?? ''),
    )
    .rule('mid of? MONTH', (month) => vague(MONTH_NAMES[month - 1] ?? ''));
}
