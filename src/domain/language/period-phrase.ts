/** What a period phrase says, before any clock or zone has been asked: the syntax and its canonical text. */
import type { Day } from '../time/calendar.ts';
import type { Unit } from '../time/calendar-unit.ts';
import { MONTH_NAMES } from './vocabulary.ts';

type At =
  | { readonly kind: 'day'; readonly day: Day }
  /** Without a year: the latest that has begun. `month` is 1 to 12, `quarter` 1 to 4. */
  | { readonly kind: 'month'; readonly month: number; readonly year?: number }
  | { readonly kind: 'quarter'; readonly quarter: number; readonly year?: number }
  | { readonly kind: 'year'; readonly year: number }
  | { readonly kind: 'today' }
  | { readonly kind: 'yesterday' };

/** A stretch of the calendar with a name; `typedText` is what stood in the text. */
export type DateExpression = At & { readonly typed: string };

type Says =
  | { readonly kind: 'last'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'this'; readonly unit: Unit }
  | { readonly kind: 'at'; readonly at: DateExpression }
  | { readonly kind: 'range'; readonly from: DateExpression; readonly to: DateExpression }
  | { readonly kind: 'since'; readonly from: DateExpression };

/** `includingToday` as asked for; whether it can be had is for the resolver to say. */
export type PeriodPhrase = Says & { readonly typed: string; readonly includingToday: boolean };

export const LAST_7_DAYS: PeriodPhrase = {
  kind: 'last',
  unit: 'day',
  count: 7,
  typed: 'last-7-days',
  includingToday: false,
};

function pointText(point: DateExpression): string {
  switch (point.kind) {
    case 'day':
      return point.day;
    case 'month':
      return point.year === undefined
        ? (MONTH_NAMES[point.month - 1] ?? '')
        : `${point.year}-${String(point.month).padStart(2, '0')}`;
    case 'quarter':
      return point.year === undefined ? `q${point.quarter}` : `${point.year}-q${point.quarter}`;
    case 'year':
      return `year-${point.year}`;
    default:
      return point.kind;
  }
}

function lastText(unit: Unit, count: number): string {
  return count > 1 ? `last-${count}-${unit}s` : `last-${unit}`;
}

function saysText(phrase: PeriodPhrase): string {
  switch (phrase.kind) {
    case 'last':
      return lastText(phrase.unit, phrase.count);
    case 'this':
      return `this-${phrase.unit}`;
    case 'at':
      return pointText(phrase.at);
    case 'range':
      return `${pointText(phrase.from)}..${pointText(phrase.to)}`;
    case 'since':
      return `since ${pointText(phrase.from)}`;
  }
}

/** The text that reads back to the same phrase, in a command and alone. A year says that it is one. */
export function formatPhrase(phrase: PeriodPhrase): string {
  return `${saysText(phrase)}${phrase.includingToday ? ' including today' : ''}`;
}
