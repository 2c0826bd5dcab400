/** Exact amounts: parsed, summed, divided, and written for people and for files. */
import { Big } from 'big.js';
import { LRUCache } from 'lru-cache';
import { tryParse } from '../try-parse.ts';

export type Money = Big;

/** A value in a response from billing, which documents no types. `odd`: JSON that is neither text nor number. */
export type WireScalar = { readonly text: string } | { readonly missing: true } | { readonly odd: string };

/** `raw`: the digits as billing sent them, for CSV files. `unreadable`: the start of what it sent instead of a number. */
export type Amount = { readonly value: Money; readonly raw: string } | { readonly unreadable: string };

/** Longer numbers are refused. Databases store up to 38 digits; a 64-bit float written in full has up to 55 decimals. */
const LIMITS = { whole: 40, fraction: 60, characters: 220, shown: 40 } as const;
const DECIMAL = /^[+-]?(?<mantissa>\d+(?:\.\d*)?|\.\d+)(?:e(?<exponent>[+-]?\d{1,3}))?$/i;
const FALLBACK_LOCALE = 'en-US';
const CENT = new Big('0.01');
const PLACES = 2;

export const ZERO: Money = new Big(0);

export function parseAmount(wire: WireScalar): Amount {
  const raw = 'text' in wire && wire.text.length <= LIMITS.characters ? wire.text.trim() : '';
  return isDecimal(raw)
    ? { value: new Big(raw.replace(/^\+/, '')), raw }
    : { unreadable: clipWireValue(wire, 'no value') };
}

function isDecimal(text: string): boolean {
  const { mantissa, exponent = '0' } = DECIMAL.exec(text)?.groups ?? {};
  if (mantissa === undefined) return false;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const moved = Number(exponent);
  return whole.length + moved <= LIMITS.whole && fraction.length - moved <= LIMITS.fraction;
}

/** @returns one line of up to 40 characters, still untrusted; `nothing` if there is no text */
export function clipWireValue(wire: WireScalar, nothing: string): string {
  if ('missing' in wire) return nothing;
  const text = 'text' in wire ? wire.text : wire.odd;
  // Control and direction marks could rearrange the message that quotes the value.
  const clean = text
    .slice(0, LIMITS.shown * 4)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  const characters = Array.from(clean);
  if (characters.length === 0) return nothing;
  return characters.length > LIMITS.shown ? `${characters.slice(0, LIMITS.shown).join('')}…` : clean;
}

export function sumMoney(values: readonly Money[]): Money {
  const [first = ZERO, ...rest] = values;
  return rest.reduce((total, value) => total.plus(value), first);
}

export interface LabelledAmount {
  readonly value: Money;
  readonly label: string;
}

/** @returns a sum for each label, the most frequent label first */
export const sumByLabel = (amounts: readonly LabelledAmount[]): readonly LabelledAmount[] =>
  [...new Set(amounts.map(({ label }) => label))]
    .map((label) => ({ label, values: amounts.flatMap((each) => (each.label === label ? each.value : [])) }))
    .sort((a, b) => b.values.length - a.values.length)
    .map(({ label, values }) => ({ label, value: sumMoney(values) }));

export const byLargest = (a: Money | undefined, b: Money | undefined): number =>
  a && b ? b.cmp(a) : Number(a === undefined) - Number(b === undefined);

/** @returns the quotient with at least 20 significant digits, rounded half-even @throws Error if `by` is zero */
export function divide(a: Money, by: number | Money): Money {
  const divisor = new Big(by);
  const Precise = Big();
  Precise.DP = 20 + Math.max(0, divisor.e - a.e + 1);
  Precise.RM = Big.roundHalfEven;
  return new Precise(a).div(divisor);
}

export function median(values: readonly Money[]): Money {
  const sorted = values.toSorted((a, b) => a.cmp(b));
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return divide(sumMoney(middle), middle.length);
}

const Whole = Big();
Whole.DP = 0;
Whole.RM = Big.roundDown;

/** @returns the integer part of the quotient: 6 for 6.999 @throws Error if `by` is zero */
export const divideToInteger = (a: Money, by: Money): Money => new Whole(a).div(by);

export const toPlainDigits = (value: Money): string => value.toFixed();

/** Writes a value, rounded half-even, with as many decimals as the longest of `amounts`, but at least two. */
export function toPlacesOf(amounts: readonly Money[], value: Money): string {
  const places = Math.max(...amounts.map((amount) => amount.toFixed().split('.')[1]?.length ?? 0));
  return places <= PLACES ? toRoundedDigits(value) : value.toFixed(places, Big.roundHalfEven);
}

export const MAX_CURRENCY_LENGTH = 8;

export const CURRENCY_RULE = `At most ${MAX_CURRENCY_LENGTH} letters or currency signs, such as EUR or €.`;

const LABEL = /^[\p{L}\p{Sc}]*$/u;
/** Right-to-left letters would reorder the digits beside them; invisible letters would let two labels look alike. */
const MISLEADING =
  /\p{Default_Ignorable_Code_Point}|[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Refuses digits and points, which could be taken for part of the amount. An empty label is valid. */
export const isCurrencyLabel = (text: string): boolean =>
  text.length <= MAX_CURRENCY_LENGTH && LABEL.test(text) && !MISLEADING.test(text);

/**
 * Writes an amount for people: `1,234.50 EUR`, or `0.0012` below a cent.
 * @param locale BCP 47; an invalid one counts as en-US
 * @param label a currency sign goes where the locale puts it, any other label after the amount
 */
export function formatMoney(value: Money, locale: string, label = '', isWhole = false): string {
  const isSign = /\p{Sc}/u.test(label);
  const digits = isWhole ? value.toFixed(0) : toRoundedDigits(value);
  const text = localize(digits, locale, isSign ? label : undefined);
  return label === '' || isSign ? text : `${text}\u00a0${label}`;
}

export type MoneyFormatter = (value: Money, isWhole?: boolean) => string;

export const moneyFormatter =
  (locale: string, label = ''): MoneyFormatter =>
  (value, isWhole) =>
    formatMoney(value, locale, label, isWhole);

const ESTIMATE = { roundedFrom: 1000, digits: 4 } as const;

/** `886,500 EUR`: from 1,000 on, rounded to `digits` significant digits, because an estimate isn't more precise. */
export const formatEstimate = (
  value: Money,
  money: MoneyFormatter,
  digits: number = ESTIMATE.digits,
): string =>
  value.abs().lt(ESTIMATE.roundedFrom) ? money(value) : money(value.prec(digits, Big.roundHalfEven), true);

/** Exact if rounding would hide on which side of `limit` the estimate is. */
export const formatEstimateBeside = (value: Money, limit: Money, money: MoneyFormatter): string =>
  value.prec(ESTIMATE.digits, Big.roundHalfEven).cmp(limit) === value.cmp(limit)
    ? formatEstimate(value, money)
    : money(value);

/** `+ 70.00`, `− 70.00`, `0.00` */
export const formatDifference = (value: Money, money: MoneyFormatter): string =>
  value.eq(0) ? money(value) : `${value.lt(0) ? '−' : '+'} ${money(value.abs())}`;

export function toRoundedDigits(value: Money): string {
  if (value.eq(0)) return ZERO.toFixed(PLACES);
  if (value.abs().gte(CENT)) return value.toFixed(PLACES, Big.roundHalfEven);
  const short = value.prec(2, Big.roundHalfEven);
  return short.toFixed(1 - short.e);
}

function localize(digits: string, locale: string, sign?: string): string {
  const [, fraction] = digits.split('.');
  const formatter = formatters.memo(`${sign === undefined ? '#' : '$'} ${locale}`);
  const isPlain = fraction?.length === PLACES && sign === undefined && !digits.startsWith('-');
  if (isPlain) return formatter.format(digits as `${number}`);
  const none = fraction === undefined ? '' : undefined;
  const own = { decimal: none, fraction: fraction ?? none, currency: sign, minusSign: '−' } as Partial<
    Record<string, string>
  >;
  return formatter
    .formatToParts(digits as `${number}`)
    .map(({ type, value }) => own[type] ?? value)
    .join('');
}

export const writesDecimalComma = (locale: string): boolean => localize('0.10', locale) === '0,10';

/** Creating a formatter is slow. The number of locales is limited, because they come from outside. */
const formatters = new LRUCache<string, Intl.NumberFormat>({
  max: 64,
  memoMethod: (key) => createFormatter(key.slice(2), key.startsWith('$')),
});

function createFormatter(locale: string, currency: boolean): Intl.NumberFormat {
  const options: Intl.NumberFormatOptions = {
    // Node 20 writes at most 20 decimals, so `localize` inserts the decimals itself and needs only the locale's signs.
    minimumFractionDigits: PLACES,
    maximumFractionDigits: PLACES,
    useGrouping: 'always',
    numberingSystem: 'latn',
    ...(currency ? { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } : {}),
  };
  // Without the second locale, Intl would replace an unknown locale with the machine's.
  const format = tryParse(() => new Intl.NumberFormat([locale, FALLBACK_LOCALE], options));
  return format ?? new Intl.NumberFormat(FALLBACK_LOCALE, options);
}

export const isLocale = (tag: string): boolean =>
  tryParse(() => Intl.NumberFormat.supportedLocalesOf(tag).length > 0) ?? false;

/** @returns undefined if nothing was spent before, or if an amount is a credit: a percentage would mislead */
export function changeInPercent(current: Money, before: Money): Money | undefined {
  if (before.lte(0) || current.lt(0)) return undefined;
  return divide(current.minus(before).times(100), before);
}

/** `▲ 12.4 %`, `▼ 3.0 %`, `unchanged` */
export function formatPercent(change: Money, locale: string): string {
  if (change.eq(0)) return 'unchanged';
  const arrow = change.gt(0) ? '▲' : '▼';
  const tenths = change.abs().round(1, Big.roundHalfEven);
  const size = tenths.eq(0) ? `less than ${localize('0.1', locale)}` : localize(tenths.toFixed(1), locale);
  return `${arrow} ${size} %`;
}

export const formatFactor = (factor: Money, locale: string): string => {
  const digits = toPlainDigits(factor);
  return digits.includes('.') ? localize(digits, locale) : digits;
};

export const formatShare = (percent: Money, locale: string): string =>
  `${localize(percent.round(1, Big.roundHalfEven).toFixed(1), locale)} %`;
