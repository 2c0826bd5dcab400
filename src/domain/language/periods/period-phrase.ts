/** A period phrase: its syntax tree, the counts in it and its canonical text. No clock or time zone is known here. */
import type { Unit } from '../../time/calendar.ts';
import { type DateExpression, dateText } from './date-expression.ts';
import { RefusedPhrase } from './grammar.ts';

export type PhraseMeaning =
  | { readonly kind: 'last'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'this'; readonly unit: Unit }
  | { readonly kind: 'at'; readonly at: DateExpression }
  | { readonly kind: 'range'; readonly from: DateExpression; readonly to: DateExpression }
  | { readonly kind: 'since'; readonly from: DateExpression };

/** `includingToday` as asked for; `resolveRange` decides whether the period can include today. */
export type PeriodPhrase = PhraseMeaning & { readonly typed: string; readonly includingToday: boolean };

export const LAST_7_DAYS: PeriodPhrase = {
  kind: 'last',
  unit: 'day',
  count: 7,
  typed: 'last-7-days',
  includingToday: false,
};

function lastText(unit: Unit, count: number): string {
  return count > 1 ? `last-${count}-${unit}s` : `last-${unit}`;
}

export function phraseText(phrase: PhraseMeaning): string {
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

export const since = (from: DateExpression): PhraseMeaning => ({ kind: 'since', from });

/** Ten years; a longer period is almost certainly a mistake. */
export const MAX_PERIOD_DAYS = 3660;
export const PERIOD_TOO_LONG = 'is longer than 3,660 days';

/** Digits as they were typed: they may be more than a number holds. */
export interface Count {
  readonly digits: string;
}

/** Refuses a count beyond the limit before it becomes a number, which would not be exact. */
export function countOf({ digits }: Count): number | RefusedPhrase {
  const count = digits.replace(/^0+/, '');
  if (count === '')
    return new RefusedPhrase('asks for nothing', 'Counts start at 1, such as last-1-day or last-7-days.');
  return count.length > 4 || Number(count) > MAX_PERIOD_DAYS
    ? new RefusedPhrase(PERIOD_TOO_LONG, 'Ask for ten years or less, such as last-3-years.')
    : Number(count);
}

export function lastUnits(unit: Unit, counted: Count): PhraseMeaning | RefusedPhrase {
  const count = countOf(counted);
  return count instanceof RefusedPhrase ? count : { kind: 'last', unit, count };
}
