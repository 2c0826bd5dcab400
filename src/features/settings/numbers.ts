import type { PlainTextOption } from '@slack/types';
import { formatMoney, isLocale, ZERO } from '../../domain/money/amount.ts';
import { option } from '../../slack/kit/atoms.ts';

/** BCP 47, by the languages' own names; if a region writes numbers in its own way, that region as well. */
const COMMON = [
  ...['en-US', 'en-IN', 'cs', 'da', 'de', 'de-AT', 'de-CH', 'es', 'es-MX', 'fi', 'fr', 'it'],
  ...['nl', 'nb', 'pl', 'pt-BR', 'pt-PT', 'sv', 'tr', 'ru', 'uk', 'zh', 'ja', 'ko'],
];

/** Every group and the decimal sign. */
const EXAMPLE = ZERO.plus('1234567.80');

export const numberExample = (locale: string): string => formatMoney(EXAMPLE, locale);

/** The number formats, each with an example, `1.234.567,80 · Deutsch`, including the current one. */
export function numberOptions(chosen: string): readonly PlainTextOption[] {
  const isElse = !COMMON.includes(chosen) && isLocale(chosen);
  return [...COMMON, ...(isElse ? [chosen] : [])].map((locale) =>
    option(`${numberExample(locale)} · ${nameOf(locale)}`, locale),
  );
}

const nameOf = (locale: string): string =>
  new Intl.DisplayNames(locale, { type: 'language', languageDisplay: 'standard' }).of(locale) ?? locale;
