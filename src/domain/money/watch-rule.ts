/** The rules of watches, and the amounts, days and factors that people type for them. */
import { Big } from 'big.js';
import { cleanTyping } from '../language/text-cleanup.ts';
import type { Money } from './amount.ts';

export type WatchRule =
  | { readonly kind: 'balance'; readonly below: Money }
  | { readonly kind: 'runway'; readonly days: number }
  /** The month has cost 50, 80 or 100 % of `amount`, or is expected to cost more than `amount`. */
  | { readonly kind: 'budget'; readonly amount: Money }
  /** A day costs more than `factor` times its usual amount, and at least `floor`. */
  | { readonly kind: 'spike'; readonly factor: Money; readonly floor: Money };

export type WatchKind = WatchRule['kind'];

export const MAX_THRESHOLD_DIGITS = 30;
export const MAX_RUNWAY_DAYS = 3_650;
export const BUDGET_STEPS = [50, 80, 100] as const;

/** `50 000,5`, `50,000.5`, `50.000,5`, `5.000.000`; each with its thousands separator. */
const GROUPED: readonly (readonly [form: RegExp, separator: string])[] = [
  [/^[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d+)?$/, ' '],
  [/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/, ','],
  [/^[1-9]\d{0,2}(?:\.\d{3})+,\d+$/, '.'],
  [/^[1-9]\d{0,2}(?:\.\d{3}){2,}$/, '.'],
];
const DECIMAL = /^\d+(?:[.,]\d+)?$/;
/** `50.000` is certainly 50 thousand; `1.234` may also be a fraction. */
const EITHER = /^([1-9]\d{0,2})\.(\d{3})$/;

/**
 * Reads `50000`, `50,000`, `50 000`, `50.000`, `1.234,56` and `€50k`.
 * @returns each amount that the text can mean: two for `1.234`. The `digits` of each can mean only that amount.
 */
export const readAmounts = (typed: string): readonly { readonly value: Money; readonly digits: string }[] =>
  amountsIn(typed).map((digits) => ({ value: new Big(digits), digits }));

function amountsIn(typed: string): readonly string[] {
  const text = cleanTyping(typed).replace(/^\p{Sc} ?|(?<=\d) ?\p{Sc}$|^-(?=0$)/gu, '');
  if (text.replace(/\D/g, '').length > MAX_THRESHOLD_DIGITS) return [];
  const thousands = /^(\d+(?:[.,]\d{1,2})?) ?k$/i.exec(text)?.[1];
  if (thousands !== undefined) return [new Big(thousands.replace(',', '.')).times(1000).toFixed()];
  const [, whole, places] = EITHER.exec(text) ?? [];
  if (whole !== undefined)
    return places === '000' ? [`${whole}000`] : [`${whole}${places}`, `${whole}.${places}0`];
  const [, separator] = GROUPED.find(([form]) => form.test(text)) ?? [];
  const plain = (separator === undefined ? text : text.replaceAll(separator, '')).replace(',', '.');
  return separator !== undefined || DECIMAL.test(text) ? [plain] : [];
}

export function parseRunwayDays(typed: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,6}) ?(days?|d|weeks?|w)?$/i.exec(cleanTyping(typed)) ?? [];
  const days = Number(digits) * (unit.toLowerCase().startsWith('w') ? 7 : 1);
  return days >= 1 && days <= MAX_RUNWAY_DAYS ? days : undefined;
}

/** Reads `2`, `2x`, `×2` and `1,5x`. @returns undefined unless the factor is above 1 */
export function parseFactor(typed: string): Money | undefined {
  const [, before, after] =
    /^(?:[x×] ?(\d{1,6}(?:[.,]\d{1,6})?)|(\d{1,6}(?:[.,]\d{1,6})?) ?[x×]?)$/i.exec(cleanTyping(typed)) ?? [];
  const digits = before ?? after;
  if (digits === undefined) return undefined;
  const value = new Big(digits.replace(',', '.'));
  return value.gt(1) ? value : undefined;
}
