/** The syntax tree of a period phrase and its canonical text; no clock or time zone is known here. */
import type { Day, Unit } from '../time/calendar.ts';
import { MONTH_NAMES } from './vocabulary.ts';

type At =
  | { readonly kind: 'day'; readonly day: Day }
  /** Without a year: the latest that has begun. `month` is 1 to 12, `quarter` 1 to 4. */
  | { readonly kind: 'month'; readonly month: number; readonly year?: number }
  | { readonly kind: 'quarter'; readonly quarter: number; readonly year?: number }
  | { readonly kind: 'year'; readonly year: number }
  | { readonly kind: 'today' }
  | { readonly kind: 'yesterday' };

/** A named part of the calendar. `typed` is its source text. */
export type DateExpression = At & { readonly typed: string };

type Phrase =
  | { readonly kind: 'last'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'this'; readonly unit: Unit }
  | { readonly kind: 'at'; readonly at: DateExpression }
  | { readonly kind: 'range'; readonly from: DateExpression; readonly to: DateExpression }
  | { readonly kind: 'since'; readonly from: DateExpression };

/** `includingToday` as asked for; `resolveRange` decides whether the period can include today. */
export type PeriodPhrase = Phrase & { readonly typed: string; readonly includingToday: boolean };

export const LAST_7_DAYS: PeriodPhrase = {
  kind: 'last',
  unit: 'day',
  count: 7,
  typed: 'last-7-days',
  includingToday: false,
};

function dateText(date: DateExpression): string {
  switch (date.kind) {
    case 'day':
      return date.day;
    case 'month':
      return date.year === undefined
        ? (MONTH_NAMES[date.month - 1] ?? '')
        : `${date.year}-${String(date.month).padStart(2, '0')}`;
    case 'quarter':
      return date.year === undefined ? `q${date.quarter}` : `${date.year}-q${date.quarter}`;
    case 'year':
      return `year-${date.year}`;
    default:
      return date.kind;
  }
}

function lastText(unit: Unit, count: number): string {
  return count > 1 ? `last-${count}-${unit}s` : `last-${unit}`;
}

function phraseText(phrase: PeriodPhrase): string {
  switch (phrase.kind) {
    case 'last':
      return lastText(phrase.unit, phrase.count);
    case 'this':
      return `this-${phrase.unit}`;
    case 'at':
      return dateText(phrase.at);
    case 'range':
      return `${dateText(phrase.from)}..${dateText(phrase.to)}`;
    case 'since':
      return `since ${dateText(phrase.from)}`;
  }
}

/** The canonical text, which parses back to the same phrase alone and in a command: `last-7-days`, `year-2026`. */
export function formatPhrase(phrase: PeriodPhrase): string {
  return `${phraseText(phrase)}${phrase.includingToday ? ' including today' : ''}`;
}
