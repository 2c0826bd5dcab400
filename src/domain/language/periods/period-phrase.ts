/** A period phrase: its syntax tree and its canonical text. No clock or time zone is known here. */
import type { Unit } from '../../time/calendar.ts';
import { type DateExpression, dateText } from './date-expression.ts';

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
