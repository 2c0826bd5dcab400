import type { PlainTextOption } from '@slack/types';
import { pluralize } from '../../domain/language/text.ts';
import { formatMoney, isLocale, ZERO } from '../../domain/money/amount.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { option } from '../../slack/kit/atoms.ts';
import { formatLocalTime } from '../../slack/request/time-zones.ts';
import type { Settings } from '../../workspace/settings.ts';

/** One thing that is different now. */
export interface SettingsChange {
  /** For the audit: the setting, not what it holds. */
  readonly name: string;
  readonly sentence: string;
}

interface Part {
  readonly name: string;
  readonly keys: readonly (keyof Settings)[];
  sentence(now: Settings, at: Millis): string;
}

const PARTS: readonly Part[] = [
  {
    name: 'reporting time zone',
    keys: ['zone'],
    sentence: ({ zone }, at) =>
      `Days now begin at midnight in ${zone}, where it is ${formatLocalTime(zone, at)}. Earlier answers keep their days.`,
  },
  {
    name: 'default visibility',
    keys: ['visibility'],
    sentence: ({ visibility }) =>
      visibility === 'channel'
        ? 'Everyone in the channel now sees answers.'
        : 'Answers are now private until they are shared.',
  },
  {
    name: 'currency label',
    keys: ['currency'],
    sentence: ({ currency }) =>
      currency === '' ? 'Amounts no longer have a currency label.' : `The currency label is now ${currency}.`,
  },
  {
    name: 'number format',
    keys: ['locale'],
    sentence: ({ locale }) => `Public answers and posts now write numbers like ${numberExample(locale)}.`,
  },
  {
    name: 'who manages',
    keys: ['managers', 'managerGroups'],
    sentence: (now) => `${managing(now)}.`,
  },
  {
    name: 'whether guests may ask',
    keys: ['guests'],
    sentence: ({ guests }) => (guests ? 'Guests can now ask.' : 'Guests can no longer ask.'),
  },
  {
    name: 'whether external people may ask',
    keys: ['externals'],
    sentence: ({ externals }) =>
      externals ? 'External people can now ask in shared channels.' : 'External people can no longer ask.',
  },
];

/** What saving changes, in the order of the form. @param at ms, for the time in a zone */
export function settingsChanges(before: Settings, now: Settings, at: Millis): readonly SettingsChange[] {
  const differs = (key: keyof Settings) => String(before[key]) !== String(now[key]);
  return PARTS.filter(({ keys }) => keys.some(differs)).map(({ name, sentence }) => ({
    name,
    sentence: sentence(now, at),
  }));
}

function managing({ managers, managerGroups }: Settings): string {
  const named = [
    ...(managers.length > 0 ? [pluralize(managers.length, 'person', 'people')] : []),
    ...(managerGroups.length > 0 ? [pluralize(managerGroups.length, 'user group')] : []),
  ];
  if (named.length === 0) return 'Only owners and admins now manage Tally';
  return `${['Owners', 'admins', ...named.slice(0, -1)].join(', ')} and ${named.at(-1)} now manage Tally`;
}

/** BCP 47, by the languages' own names; if a region writes numbers in its own way, that region as well. */
const COMMON = [
  ...['en-US', 'en-IN', 'cs', 'da', 'de', 'de-AT', 'de-CH', 'es', 'es-MX', 'fi', 'fr', 'it'],
  ...['nl', 'nb', 'pl', 'pt-BR', 'pt-PT', 'sv', 'tr', 'ru', 'uk', 'zh', 'ja', 'ko'],
];

/** Every group and the decimal sign. */
const EXAMPLE = ZERO.plus('1234567.80');

const numberExample = (locale: string): string => formatMoney(EXAMPLE, locale);

/** The number formats, each with an example, `1.234.567,80 · Deutsch`, including the current one. */
export function numberOptions(chosen: string): readonly PlainTextOption[] {
  const isElse = !COMMON.includes(chosen) && isLocale(chosen);
  return [...COMMON, ...(isElse ? [chosen] : [])].map((locale) =>
    option(`${numberExample(locale)} · ${nameOf(locale)}`, locale),
  );
}

const nameOf = (locale: string): string =>
  new Intl.DisplayNames(locale, { type: 'language', languageDisplay: 'standard' }).of(locale) ?? locale;
