/** Exact amounts: parsed, summed, divided, and written for people and for files. */
import { Big } from 'big.js';
import { LRUCache } from 'lru-cache';
import { tryParse } from '../try-parse.ts';

/** An exact decimal, never a JavaScript number. */
export type Money = Big;

/** A value as the service sent it, whose contract shows no types: text or digits, nothing, or other JSON (`odd`). */
export type WireScalar = { readonly text: string } | { readonly missing: true } | { readonly odd: string };

/** `raw`: the digits as the service sent them, for files. `unreadable`: what it sent instead, shortened. */
export type Amount = { readonly value: Money; readonly raw: string } | { readonly unreadable: string };

/** Longer numbers are refused. Databases hold at most 38 digits, and a binary 0.1 written in full has 55 decimals. */
const LIMITS = { whole: 40, fraction: 60, characters: 220, shown: 40 } as const;
const DECIMAL = /^[+-]?(?<mantissa>\d+(?:\.\d*)?|\.\d+)(?:e(?<exponent>[+-]?\d{1,3}))?$/i;
const FALLBACK_LOCALE = 'en-US';
const CENT = new Big('0.01');
const PLACES = 2;

export const ZERO: Money = new Big(0);

/** Accepts numbers and numeric strings, with exponents too. @returns `unreadable` for anything else; never throws */
export function parseAmount(wire: WireScalar): Amount {
  if (!('text' in wire)) return { unreadable: clipWireValue(wire, 'no value') };
  const raw = wire.text.length <= LIMITS.characters ? wire.text.trim() : '';
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

/** @returns the value as one line of about 40 characters, still untrusted; the text `nothing` for an empty value */
export function clipWireValue(wire: WireScalar, nothing: string): string {
  if ('missing' in wire) return nothing;
  const text = 'text' in wire ? wire.text : wire.odd;
  // Cuts first, to bound the work; then drops control and direction marks, which could rearrange the message.
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

/** @returns one sum per currency label, in the order in which the labels first appear */
export const sumByLabel = (amounts: readonly LabelledAmount[]): readonly LabelledAmount[] =>
  [...new Set(amounts.map(({ label }) => label))].map((label) => ({
    label,
    value: sumMoney(amounts.flatMap((each) => (each.label === label ? each.value : []))),
  }));

/** Sort order of amounts: the largest first, undefined last. */
export const byLargest = (a: Money | undefined, b: Money | undefined): number =>
  a && b ? b.cmp(a) : Number(a === undefined) - Number(b === undefined);

/** @returns a constructor whose quotients are rounded half-even to this many decimal places */
function bigWithPlaces(places: number): typeof Big {
  const Precise = Big();
  Precise.DP = places;
  Precise.RM = Big.roundHalfEven;
  return Precise;
}

/** @returns the quotient to 20 significant digits or more, half-even @throws Error for a division by zero */
export function divide(a: Money, by: number | Money): Money {
  const divisor = new Big(by);
  const Precise = bigWithPlaces(20 + Math.max(0, divisor.e - a.e + 1));
  return new Precise(a).div(divisor);
}

const Whole = Big();
Whole.DP = 0;
Whole.RM = Big.roundDown;

/** @returns the integer part, never rounded: 6.999…9 is 6 @throws Error for a division by zero */
export const divideToInteger = (a: Money, by: Money): Money => new Whole(a).div(by);

/** Writes an amount for a file: all of its digits, without exponent or grouping. */
export const toPlainDigits = (value: Money): string => value.toFixed();

/** Writes `value` for a file with the most decimals that one of `amounts` has, at least two, rounded half-even. */
export function toPlacesOf(amounts: readonly Money[], value: Money): string {
  const places = Math.max(...amounts.map((amount) => amount.toFixed().split('.')[1]?.length ?? 0));
  return places <= PLACES ? toRoundedDigits(value) : value.toFixed(places, Big.roundHalfEven);
}

/** The longest currency label, in UTF-16 code units. */
export const MAX_CURRENCY_LENGTH = 8;

export const CURRENCY_RULE = `At most ${MAX_CURRENCY_LENGTH} letters or currency signs, such as EUR or €.`;

const LABEL = /^[\p{L}\p{Sc}]*$/u;
/** Invisible or right-to-left letters, which would reorder adjacent figures. */
const MISLEADING =
  /\p{Default_Ignorable_Code_Point}|[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Whether a label is empty or has only letters and currency signs: a digit or a point could look like the amount's. */
export const isCurrencyLabel = (text: string): boolean =>
  text.length <= MAX_CURRENCY_LENGTH && LABEL.test(text) && !MISLEADING.test(text);

/**
 * Writes an amount for people in Latin digits, grouped by locale: two decimals, below a cent two significant digits.
 * @param locale BCP 47; en-US if it is invalid
 * @param label a currency sign goes where the locale puts it, any other label after the amount
 */
export function formatMoney(value: Money, locale: string, label = ''): string {
  const isSign = /\p{Sc}/u.test(label);
  const text = localize(toRoundedDigits(value), locale, isSign ? label : undefined);
  return label === '' || isSign ? text : `${text}\u00a0${label}`;
}

export type MoneyFormatter = (value: Money) => string;

/** `formatMoney` with fixed locale and label. */
export const moneyFormatter =
  (locale: string, label = ''): MoneyFormatter =>
  (value) =>
    formatMoney(value, locale, label);

/** `+ 70.00`, `− 70.00`; a difference of zero has no sign. */
export const formatDifference = (value: Money, money: MoneyFormatter): string =>
  value.eq(0) ? money(value) : `${value.lt(0) ? '−' : '+'} ${money(value.abs())}`;

/** @returns the amount with two decimals, below a cent with two significant digits, rounded half-even */
export function toRoundedDigits(value: Money): string {
  if (value.eq(0)) return ZERO.toFixed(PLACES);
  if (value.abs().gte(CENT)) return value.toFixed(PLACES, Big.roundHalfEven);
  const short = value.prec(2, Big.roundHalfEven);
  return short.toFixed(1 - short.e);
}

/** Writes a decimal number as the locale does, keeping all of its decimals. @param sign a currency sign to add */
function localize(digits: string, locale: string, sign?: string): string {
  const fraction = digits.slice(digits.indexOf('.') + 1);
  const formatter = formatterFor(locale, sign !== undefined);
  const isPlain = fraction.length === PLACES && sign === undefined && !digits.startsWith('-');
  if (isPlain) return formatter.format(digits as `${number}`);
  const own = { fraction, currency: sign, minusSign: '−' } as Partial<Record<string, string>>;
  return formatter
    .formatToParts(digits as `${number}`)
    .map(({ type, value }) => own[type] ?? value)
    .join('');
}

/** Whether the locale writes 1.5 as 1,5. */
export const writesDecimalComma = (locale: string): boolean => localize('0.10', locale) === '0,10';

/** Cached, because formatters are expensive to create; bounded, because locales are untrusted. */
const formatters = new LRUCache<string, Intl.NumberFormat>({ max: 64 });

function formatterFor(locale: string, currency: boolean): Intl.NumberFormat {
  const key = `${currency}:${locale}`;
  const formatter = formatters.get(key) ?? createFormatter(locale, currency);
  formatters.set(key, formatter);
  return formatter;
}

function createFormatter(locale: string, currency: boolean): Intl.NumberFormat {
  const options: Intl.NumberFormatOptions = {
    // Two places, just to get the locale's decimal sign: `localize` inserts the decimals, as Node 20 allows only 20.
    minimumFractionDigits: PLACES,
    maximumFractionDigits: PLACES,
    useGrouping: 'always',
    numberingSystem: 'latn',
    // The currency doesn't matter: only the sign's position is used.
    ...(currency ? { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } : {}),
  };
  // Without a fallback, Intl would use the machine's locale for a well-formed but unknown locale.
  const format = tryParse(() => new Intl.NumberFormat([locale, FALLBACK_LOCALE], options));
  return format ?? new Intl.NumberFormat(FALLBACK_LOCALE, options);
}

/** Whether Node has this locale's number format. */
export const isLocale = (tag: string): boolean =>
  tryParse(() => Intl.NumberFormat.supportedLocalesOf(tag).length > 0) ?? false;

/** @returns undefined when a percentage would mislead: nothing was spent before, or either amount is a credit */
export function changeInPercent(current: Money, before: Money): Money | undefined {
  if (before.lte(0) || current.lt(0)) return undefined;
  return divide(current.minus(before).times(100), before);
}

/** @returns `▲ 12.4 %`, `▼ 3.0 %` or `unchanged` */
export function formatPercent(change: Money, locale: string): string {
  if (change.eq(0)) return 'unchanged';
  const arrow = change.gt(0) ? '▲' : '▼';
  const tenths = change.abs().round(1, Big.roundHalfEven);
  // A small change would round to `▲ 0.0 %`, an arrow without a change.
  const size = tenths.eq(0) ? `less than ${localize('0.1', locale)}` : localize(tenths.toFixed(1), locale);
  return `${arrow} ${size} %`;
}

/** Writes a watch's factor, without grouping: `1.5`, `2`. */
export const formatFactor = (factor: Money, locale: string): string => {
  const digits = toPlainDigits(factor);
  return digits.includes('.') ? localize(digits, locale) : digits;
};

/** `12.4 %`: one decimal, rounded half-even. */
export const formatShare = (percent: Money, locale: string): string =>
  `${localize(percent.round(1, Big.roundHalfEven).toFixed(1), locale)} %`;
