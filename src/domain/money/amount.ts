import { Big } from 'big.js';
import { LRUCache } from 'lru-cache';

/** An exact decimal. Never a JavaScript number: 0.1 + 0.2 is 0.3 here, and 40 digits stay 40 digits. */
export type Money = Big;

/**
 * A value as the service sent it, before anyone gave it a meaning: `text` is the digits or the string itself,
 * `missing` is null or absent, `odd` a short form of something that is no scalar. The contract shows no types.
 */
export type WireScalar = { readonly text: string } | { readonly missing: true } | { readonly odd: string };

/** `raw` is the digits as they came, for files; `unreadable` is what came instead, short enough to show. */
export type Amount = { readonly value: Money; readonly raw: string } | { readonly unreadable: string };

/** Digits are text and cost memory: past these an amount is a mistake or an attack, not money. */
const LIMITS = { digits: 100, exponent: 60, characters: 110, shown: 40 } as const;
const DECIMAL = /^[+-]?(?<mantissa>\d+(?:\.\d*)?|\.\d+)(?:e(?<exponent>[+-]?\d{1,3}))?$/i;
const FALLBACK_LOCALE = 'en-US';
const CENT = new Big('0.01');

export const ZERO: Money = new Big(0);

/** Accepts numbers and numeric strings, exponents included. Never throws: what is no amount is `unreadable`. */
export function parseAmount(wire: WireScalar): Amount {
  if (!('text' in wire)) return { unreadable: clipWireValue(wire, 'nothing') };
  const raw = wire.text.length <= LIMITS.characters * 2 ? wire.text.trim() : '';
  return isDecimal(raw)
    ? { value: new Big(raw.replace(/^\+/, '')), raw }
    : { unreadable: clipWireValue(wire, 'nothing') };
}

function isDecimal(text: string): boolean {
  if (text.length > LIMITS.characters) return false;
  const { mantissa, exponent = '0' } = DECIMAL.exec(text)?.groups ?? {};
  if (mantissa === undefined) return false;
  return mantissa.replace('.', '').length <= LIMITS.digits && Math.abs(Number(exponent)) <= LIMITS.exponent;
}

/** What came, on one line and clipped: outside text that is shown to people. `nothing` stands for an empty one. */
export function clipWireValue(wire: WireScalar, nothing: string): string {
  if ('missing' in wire) return nothing;
  const came = 'text' in wire ? wire.text : wire.odd;
  // A first cut bounds the work; control and direction marks could otherwise rearrange the message around them.
  const clean = came
    .slice(0, LIMITS.shown * 4)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  const characters = Array.from(clean);
  if (characters.length === 0) return nothing;
  return characters.length > LIMITS.shown ? `${characters.slice(0, LIMITS.shown).join('')}…` : clean;
}

export function sumMoney(values: readonly Money[]): Money {
  return values.reduce((total, value) => total.plus(value), ZERO);
}

/** At least 20 significant digits and 20 decimal places, half-even. Division by zero is the caller's mistake: it throws. */
export function divide(a: Money, by: number | Money): Money {
  const divisor = new Big(by);
  const Precise = Big();
  Precise.DP = 20 + Math.max(0, divisor.e - a.e + 1);
  Precise.RM = Big.roundHalfEven;
  return new Precise(a).div(divisor);
}

/** How often `by` fits whole into `a`, cut and not rounded: 6.999…9 is 6, however many nines there are. */
export function divideToInteger(a: Money, by: Money): Money {
  const Whole = Big();
  Whole.DP = 0;
  Whole.RM = Big.roundDown;
  return new Whole(a).div(by);
}

/** Every digit, no exponent, no grouping: for files and for values that are read again. */
export function toPlainDigits(value: Money): string {
  return value.toFixed();
}

/** Of a currency label, in characters. */
export const MAX_CURRENCY_LENGTH = 8;

/** For a form that refuses one. */
export const CURRENCY_RULE = `At most ${MAX_CURRENCY_LENGTH} letters or currency signs, such as EUR or €.`;

const LABEL = /^[\p{L}\p{Sc}]*$/u;
/** Letters that show nothing, and those written from right to left: beside figures they change the order of both. */
const MISLEADING =
  /\p{Default_Ignorable_Code_Point}|[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Whether this can stand beside amounts: letters and currency signs. A digit, a point or a space would read as part of
 * the amount. '' is no label, and fine.
 */
export const isCurrencyLabel = (text: string): boolean =>
  text.length <= MAX_CURRENCY_LENGTH && LABEL.test(text) && !MISLEADING.test(text);

/**
 * For people: grouped as `locale` (BCP 47) groups, half-even to two places; what is not zero but below a cent keeps
 * two significant digits instead. A currency sign as `label` stands where the locale puts it, any other label follows.
 * Digits are Latin in every locale, as in the sentences around them. An unusable locale means en-US.
 */
export function formatMoney(value: Money, locale: string, label = ''): string {
  const isSign = /\p{Sc}/u.test(label);
  const text = localized(toRoundedDigits(value), locale, isSign ? label : undefined);
  return label === '' || isSign ? text : `${text}\u00a0${label}`;
}

/** Half-even to two places, below a cent to two significant digits; a plain decimal for any machine. */
export function toRoundedDigits(value: Money): string {
  if (value.eq(0)) return '0.00';
  if (value.abs().gte(CENT)) return value.toFixed(2, Big.roundHalfEven);
  const short = value.prec(2, Big.roundHalfEven);
  return short.toFixed(1 - short.e);
}

/** `digits` is a decimal with a fraction of any length; all of it is kept. */
function localized(digits: string, locale: string, sign?: string): string {
  const fraction = digits.slice(digits.indexOf('.') + 1);
  return formatterFor(locale, sign !== undefined)
    .formatToParts(digits as `${number}`)
    .map(({ type, value }) => (type === 'fraction' ? fraction : type === 'currency' ? sign : value))
    .join('');
}

/** Making one costs a hundred times what using it costs; bounded, because a locale comes from outside. */
const formatters = new LRUCache<string, Intl.NumberFormat>({ max: 64 });

function formatterFor(locale: string, currency: boolean): Intl.NumberFormat {
  const key = `${currency}:${locale}`;
  const known = formatters.get(key) ?? makeFormatter(locale, currency);
  formatters.set(key, known);
  return known;
}

function makeFormatter(locale: string, currency: boolean): Intl.NumberFormat {
  const options: Intl.NumberFormatOptions = {
    // Two places carry the locale's decimal sign; the digits behind it are put in by us, since Node 20 stops at 20.
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    useGrouping: 'always',
    numberingSystem: 'latn',
    // Which currency does not matter: its sign is replaced, only its place is the locale's.
    ...(currency ? { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } : {}),
  };
  try {
    // Without a second choice a well-formed but unknown locale would mean the machine's.
    return new Intl.NumberFormat([locale, FALLBACK_LOCALE], options);
  } catch {
    return new Intl.NumberFormat(FALLBACK_LOCALE, options);
  }
}

/** Whether a BCP 47 tag is one whose way to write numbers is known here. */
export function isLocale(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/**
 * The change from `before` to `current` in percent. Undefined where a percentage says nothing: nothing before, or a
 * credit on either side.
 */
export function changeInPercent(current: Money, before: Money): Money | undefined {
  if (before.lte(0) || current.lt(0)) return undefined;
  return divide(current.minus(before).times(100), before);
}

/** `▲ 12.4 %`, `▼ 3.0 %`, `unchanged`: one place, half-even. */
export function formatPercent(change: Money, locale: string): string {
  if (change.eq(0)) return 'unchanged';
  const arrow = change.gt(0) ? '▲' : '▼';
  const rounded = change.abs().round(1, Big.roundHalfEven);
  // `▲ 0.0 %` would say both that it changed and that it did not.
  const size = rounded.eq(0)
    ? `less than ${localized('0.1', locale)}`
    : localized(rounded.toFixed(1), locale);
  return `${arrow} ${size} %`;
}

/** `12.4 %`: one place, half-even. */
export const formatShare = (percent: Money, locale: string): string =>
  `${localized(percent.round(1, Big.roundHalfEven).toFixed(1), locale)} %`;
