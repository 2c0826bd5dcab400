/** What a watch checks, and how people type its thresholds. */
import { Big } from 'big.js';
import { cleanTyping } from '../language/text.ts';
import { divideToInteger, type Money, toPlainDigits } from './amount.ts';

/** What a watch checks. Amounts are in the service's currency, which it does not name. */
export type WatchRule =
  /** The balance, without bonuses, falls below an amount, which may be zero. */
  | { readonly kind: 'balance'; readonly below: Money }
  /** Balance and bonuses last fewer than this many days. */
  | { readonly kind: 'runway'; readonly days: number }
  /** The month so far reaches a share of the budget, or its forecast exceeds the budget. */
  | { readonly kind: 'budget'; readonly amount: Money }
  /** A day costs more than `factor` times its baseline, and at least `floor`. */
  | { readonly kind: 'spike'; readonly factor: Money; readonly floor: Money };

export type WatchKind = WatchRule['kind'];

/** More digits than any real threshold has. */
export const MAX_THRESHOLD_DIGITS = 30;
/** The longest runway that is estimated in days. */
export const MAX_RUNWAY_DAYS = 3_650;
/** Percent of a budget at which its watch alerts. */
export const BUDGET_STEPS = [50, 80, 100] as const;

/** A typed threshold: an amount, or why it is not valid. */
export type ThresholdText = { readonly value: Money } | ThresholdProblem;

export interface ThresholdProblem {
  readonly problem: 'no-amount' | 'below-zero' | 'too-long' | 'ambiguous';
  /** For `ambiguous`: what to type for each of the two amounts. */
  readonly readings?: readonly string[];
}

/** Digits in groups of three, and a fraction after another sign. */
const GROUPED: readonly (readonly [form: RegExp, separator: string])[] = [
  [/^[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d+)?$/, ' '],
  [/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/, ','],
  [/^[1-9]\d{0,2}(?:\.\d{3})+,\d+$/, '.'],
  [/^[1-9]\d{0,2}(?:\.\d{3}){2,}$/, '.'],
];
const DECIMAL = /^\d+(?:[.,]\d+)?$/;
/** Three decimal places can be thousands or a fraction. Nobody writes a fraction as `50.000`; `1.234` is ambiguous. */
const EITHER = /^([1-9]\d{0,2})\.(\d{3})$/;

/**
 * `50000`, `50,000`, `50 000`, `50.000`, `1.234,56`, `50k`, with or without the sign of a currency.
 */
export function parseThreshold(typed: string): ThresholdText {
  const text = cleanTyping(typed).replace(/^(-?)\p{Sc} ?|(?<=\d) ?\p{Sc}$/gu, '$1');
  if (text.startsWith('-')) {
    const positive = parseThreshold(text.slice(1));
    if ('value' in positive) return positive.value.eq(0) ? positive : { problem: 'below-zero' };
    return positive.problem === 'ambiguous' ? { problem: 'below-zero' } : positive;
  }
  if (text.replace(/\D/g, '').length > MAX_THRESHOLD_DIGITS && /^[\d., ]+k?$/i.test(text))
    return { problem: 'too-long' };
  const thousands = /^(\d+(?:[.,]\d{1,2})?) ?k$/i.exec(text)?.[1];
  if (thousands !== undefined) return { value: new Big(thousands.replace(',', '.')).times(1000) };
  const [, whole, places] = EITHER.exec(text) ?? [];
  if (whole !== undefined && places !== undefined && places !== '000')
    return { problem: 'ambiguous', readings: [`${whole}${places}`, `${whole}.${places}0`] };
  if (EITHER.test(text)) return { value: new Big(text.replace('.', '')) };
  const [, separator] = GROUPED.find(([form]) => form.test(text)) ?? [];
  const plain = (separator === undefined ? text : text.replaceAll(separator, '')).replace(',', '.');
  return separator !== undefined || DECIMAL.test(text) ? { value: new Big(plain) } : { problem: 'no-amount' };
}

/** @returns whole days; undefined for an invalid number of days */
export function parseRunwayDays(typed: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,6}) ?(days?|d|weeks?|w)?$/i.exec(cleanTyping(typed)) ?? [];
  const days = Number(digits) * (unit.toLowerCase().startsWith('w') ? 7 : 1);
  return days >= 1 && days <= MAX_RUNWAY_DAYS ? days : undefined;
}

/** `2`, `2x`, `2×`, `x2`, `1.5x`, `1,5x`. @returns undefined unless it is a factor above 1 */
export function parseFactor(typed: string): Money | undefined {
  const [, before, after] =
    /^(?:[x×] ?(\d{1,6}(?:[.,]\d{1,6})?)|(\d{1,6}(?:[.,]\d{1,6})?) ?[x×]?)$/i.exec(cleanTyping(typed)) ?? [];
  const digits = before ?? after;
  if (digits === undefined) return undefined;
  const value = new Big(digits.replace(',', '.'));
  return value.gt(1) ? value : undefined;
}

/** As people type it: without exponent, grouping and trailing zeros. */
export const thresholdDigits = (value: Money): string =>
  value.eq(divideToInteger(value, new Big(1))) ? value.toFixed(0) : toPlainDigits(value);
