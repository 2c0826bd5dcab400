import type { ModalView, PlainTextOption } from '@slack/types';
import * as z from 'zod';
import { formatMoney, isLocale, MAX_CURRENCY_LENGTH, ZERO } from '../../domain/money/amount.ts';
import { type GroupChoices, groupsInput } from '../../slack/commands/user-group-picker.ts';
import { zoneInput } from '../../slack/commands/zone-picker.ts';
import { compact, context, option, section } from '../../slack/kit/blocks.ts';
import { checksInput, choiceInput, peopleInput, textInput } from '../../slack/kit/inputs.ts';
import { modal } from '../../slack/kit/modal.ts';
import type { FormFields } from '../../slack/request/form-fields.ts';
import type { Request } from '../../slack/request/request.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import { isDamaged } from '../../workspace/record/workspace.ts';
import { MAX_MANAGER_GROUPS, MAX_MANAGERS, type Settings } from '../../workspace/settings.ts';

export const SETTINGS_TITLE = 'Settings';

interface SettingsFormOptions {
  /** Why nothing was saved. */
  readonly problem?: string;
  /** The fields as the form showed them first, if it is drawn again before it is saved. */
  readonly before?: FormFields;
}

/** @param settings what is chosen now; damaged ones count as the defaults, so that the form can replace them */
export function settingsForm(
  settings: Settings,
  groups: GroupChoices,
  { workspace, at }: Request,
  { problem, before = settingsFields(workspace.settings) }: SettingsFormOptions = {},
): ModalView {
  return modal({
    callback: 'settings',
    title: SETTINGS_TITLE,
    submit: 'Save',
    metadata: JSON.stringify({ before } satisfies SettingsMetadata),
    blocks: [
      problem !== undefined && section(problem),
      isDamaged(workspace, 'settings') && section(DAMAGED),
      zoneInput('Reporting time zone', ZONE_HINT, settings.zone, at, 'settings-zone'),
      context(CUT),
      choiceInput({
        block: 'visibility',
        label: 'Who sees answers',
        hint: 'Help and errors are always private.',
        options: [
          option('Only the person who asks, until they share', 'asker'),
          option('Everyone in the channel', 'channel'),
        ],
        initial: settings.visibility,
      }),
      textInput({
        block: 'currency',
        label: 'Currency label',
        hint: 'Shown next to amounts, for example EUR or €. The billing service doesn’t send a currency.',
        initial: settings.currency,
        max: MAX_CURRENCY_LENGTH,
        optional: true,
      }),
      choiceInput({
        block: 'locale',
        label: 'Numbers in public answers and posts',
        hint: 'Private answers follow each person’s Slack language.',
        options: numberOptions(settings.locale),
        initial: settings.locale,
      }),
      peopleInput({
        block: 'managers',
        label: 'People who manage Tally',
        hint: 'Owners and admins always manage Tally. Only full members can be added.',
        initial: settings.managers,
        max: MAX_MANAGERS,
      }),
      ...groupsInput(
        {
          block: 'managerGroups',
          action: 'managerGroups',
          label: 'User groups that manage Tally',
          hint: 'Every full member of these groups manages Tally.',
          max: MAX_MANAGER_GROUPS,
        },
        settings.managerGroups,
        groups,
      ),
      checksInput(
        {
          block: 'others',
          label: 'Who else can ask',
          hint: 'Full members can always ask. Guests and external people can’t manage Tally.',
        },
        [
          option('Guests of this workspace', 'guests'),
          option('External people, in shared channels', 'externals'),
        ],
        othersOf(settings),
      ),
    ],
  });
}

const settingsMetadata = z.object({
  before: z.record(z.string(), z.string()).default({}),
});
type SettingsMetadata = z.infer<typeof settingsMetadata>;

export const decodeSettingsMetadata = (metadata: string): SettingsMetadata =>
  tryParseRecord(settingsMetadata, metadata) ?? settingsMetadata.parse({});

const othersOf = ({ guests, externals }: Settings): readonly string[] =>
  compact([guests && 'guests', externals && 'externals']);

export const settingsFields = (settings: Settings): FormFields => ({
  zone: settings.zone,
  visibility: settings.visibility,
  currency: settings.currency,
  locale: settings.locale,
  others: othersOf(settings).join(','),
  managers: settings.managers.join(','),
  managerGroups: settings.managerGroups.join(','),
});

const CUT =
  'Choose the zone that the billing service uses for its days. In another, charges can fall outside a scheduled post’s days.';
const DAMAGED =
  'The saved settings are damaged. This form shows the defaults. Save it to replace the damaged settings.';

const ZONE_HINT =
  'Days begin at midnight in this zone, for the whole workspace. Type a city, an area or UTC.';

/** What saving changes. */
export const changedSettings = (before: Settings, now: Settings): readonly (keyof Settings)[] =>
  (Object.keys(now) as (keyof Settings)[]).filter((key) => String(before[key]) !== String(now[key]));

/** BCP 47, in the order of the languages' own names; with the region where it writes numbers in its own way. */
const COMMON = [
  ...['en-US', 'en-IN', 'cs', 'da', 'de', 'de-AT', 'de-CH', 'es', 'es-MX', 'fi', 'fr', 'it'],
  ...['nl', 'nb', 'pl', 'pt-BR', 'pt-PT', 'sv', 'tr', 'ru', 'uk', 'zh', 'ja', 'ko'],
];

/** Shows each group separator and the decimal sign. */
const EXAMPLE = ZERO.plus('1234567.80');

const numberExample = (locale: string): string => formatMoney(EXAMPLE, locale);

/** The number formats, each with an example, `1.234.567,80 · Deutsch`, including the current one. */
function numberOptions(chosen: string): readonly PlainTextOption[] {
  const isElse = !COMMON.includes(chosen) && isLocale(chosen);
  return [...COMMON, ...(isElse ? [chosen] : [])].map((locale) =>
    option(`${numberExample(locale)} · ${nameOf(locale)}`, locale),
  );
}

const nameOf = (locale: string): string =>
  new Intl.DisplayNames(locale, { type: 'language', languageDisplay: 'standard' }).of(locale) ?? locale;
