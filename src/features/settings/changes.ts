import { formatLocalTime } from '../../slack/time-zones.ts';
import type { Settings } from '../../workspace/settings.ts';
import { numberExample } from './numbers.ts';

/** One thing that is different now. */
export interface SettingsChange {
  /** For the audit: the setting, not what it holds. */
  readonly name: string;
  readonly sentence: string;
}

interface Part {
  readonly name: string;
  readonly keys: readonly (keyof Settings)[];
  sentence(now: Settings, at: number): string;
}

const PARTS: readonly Part[] = [
  {
    name: 'reporting time zone',
    keys: ['zone'],
    sentence: ({ zone }, at) =>
      `Days now begin and end at midnight in ${zone}; there it is ${formatLocalTime(zone, at)}. Earlier answers keep the days they were asked with.`,
  },
  {
    name: 'default visibility',
    keys: ['visibility'],
    sentence: ({ visibility }) =>
      visibility === 'channel'
        ? 'Answers are now for everyone in the channel.'
        : 'Answers are now for the person who asks, until they are shared.',
  },
  {
    name: 'currency label',
    keys: ['currency'],
    sentence: ({ currency }) =>
      currency === '' ? 'Amounts now stand without a label.' : `Amounts are now labelled ${currency}.`,
  },
  {
    name: 'number format',
    keys: ['locale'],
    sentence: ({ locale }) =>
      `Numbers in public answers and posts are now written as in ${numberExample(locale)}.`,
  },
  {
    name: 'who manages',
    keys: ['managers', 'managerGroups'],
    sentence: (now) => `${managing(now)} now.`,
  },
  {
    name: 'whether guests may ask',
    keys: ['guests'],
    sentence: ({ guests }) => (guests ? 'Guests may ask now.' : 'Guests may not ask any more.'),
  },
  {
    name: 'whether members of other organisations may ask',
    keys: ['strangers'],
    sentence: ({ strangers }) =>
      strangers
        ? 'Members of other organisations may ask now, in shared channels.'
        : 'Members of other organisations may not ask any more.',
  },
];

/** What saving changes, in the order of the form. @param at ms, for the time in a zone */
export function settingsChanges(before: Settings, now: Settings, at: number): readonly SettingsChange[] {
  const differs = (key: keyof Settings) => String(before[key]) !== String(now[key]);
  return PARTS.filter(({ keys }) => keys.some(differs)).map(({ name, sentence }) => ({
    name,
    sentence: sentence(now, at),
  }));
}

function managing({ managers, managerGroups }: Settings): string {
  const named = [
    ...(managers.length > 0 ? [count(managers.length, 'person', 'people')] : []),
    ...(managerGroups.length > 0 ? [count(managerGroups.length, 'user group', 'user groups')] : []),
  ].join(' and ');
  return named === '' ? 'Owners and admins alone manage Tally' : `Owners, admins, ${named} manage Tally`;
}

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;
