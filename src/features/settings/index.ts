/** `/billing settings`: the reporting time zone, who sees answers, who manages Tally, and who else may ask. */
import { isDeepStrictEqual } from 'node:util';
import type { PlainTextOption } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { formatMoney, isLocale, ZERO } from '../../domain/money/amount.ts';
import { FIELDS as RECORD_FIELDS } from '../../redis/keys.ts';
import { compact, option, section, textMessage } from '../../slack/block-kit/blocks.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import { currencyField, userGroups, zone } from '../../slack/forms/common-fields.ts';
import {
  checkMembers,
  checks,
  choice,
  choices,
  noteField,
  people,
  refuseField,
} from '../../slack/forms/fields.ts';
import { createForm, type FormInput, type SentForm } from '../../slack/forms/form.ts';
import type { FormValues } from '../../slack/request/payload.ts';
import { auditedChange } from '../../workspace/record/audited-change.ts';
import { isDamaged } from '../../workspace/record/workspace.ts';
import { MAX_MANAGER_GROUPS, MAX_MANAGERS, type Settings } from '../../workspace/settings.ts';
import type { Feature, Services } from '../feature.ts';

type SentSettings = SentForm<typeof FORM_FIELDS>;
type Values = Omit<Settings, 'connection'>;

const SETTING_NAMES: Readonly<Record<keyof Values, string>> = {
  zone: 'reporting time zone',
  visibility: 'default visibility',
  currency: 'currency label',
  locale: 'number format',
  managers: 'Tally managers',
  managerGroups: 'Tally managers',
  guests: 'questions from guests',
  externals: 'questions from external people',
};

export function createSettingsFeature({ workspaces }: Services): Feature {
  const form = createForm('settings', {
    right: 'manage',
    heading: 'Settings',
    start: (_: undefined, { workspace }) => ({ id: '', values: fieldsOf(workspace.settings) }),
    fields: FORM_FIELDS,
    records: () => [RECORD_FIELDS.settings],
    before: (_, { workspace }) => fieldsOf(workspace.settings),
    async save(sent) {
      const { input, request } = sent;
      const damaged = isDamaged(request.workspace, 'settings');
      const parts = changedParts(sent);
      if (parts.length === 0 && !damaged) return textMessage('No changes to save.');
      const names = [
        ...(damaged ? ['damaged settings replaced'] : []),
        ...parts.map((part) => SETTING_NAMES[part]),
      ];
      const change = auditedChange(request, ['changed the settings:', [...new Set(names)].join(', ')]);
      const values = settingsOf(input);
      await workspaces.saveSettings(change, Object.fromEntries(parts.map((part) => [part, values[part]])));
      return textMessage('Saved.');
    },
  });

  return {
    help: [
      {
        usage: commandText('/billing settings'),
        what: 'Set the time zone, who sees answers, the number format, who manages and who may ask.',
        right: 'manage',
      },
    ],
    verbs: {
      settings: {
        right: 'manage',
        needs: (rest) => ({ opensForm: rest === '' }),
        async run(rest, request) {
          refuseExtraWords(rest, 'settings');
          await form.open(undefined, request);
        },
      },
    },
    forms: [form],
  };
}

const EXAMPLE = ZERO.plus('1234567.80');
/** Locales (BCP 47) that the form offers. A region is given where its number format differs. */
const COMMON =
  'en-US en-IN cs da de de-AT de-CH es es-MX fi fr it nl nb pl pt-BR pt-PT sv tr ru uk zh ja ko'.split(' ');
const MAX_LOCALE_LENGTH = 35;

/** Each option shows an amount: `1.234.567,80 · Deutsch`. @param chosen the workspace's locale, which COMMON may lack */
function numberOptions(chosen: string): readonly PlainTextOption[] {
  const isElse = !COMMON.includes(chosen) && isLocale(chosen);
  return [...COMMON, ...(isElse ? [chosen] : [])].map((locale) =>
    option(`${formatMoney(EXAMPLE, locale)} · ${nameOf(locale)}`, locale),
  );
}

const nameOf = (locale: string): string =>
  new Intl.DisplayNames(locale, { type: 'language', languageDisplay: 'standard' }).of(locale) ?? locale;

const VISIBILITY = {
  asker: 'Only the person who asks, until they share',
  channel: 'Everyone in the channel',
} as const satisfies Record<Settings['visibility'], string>;

const FORM_FIELDS = {
  damaged: noteField(({ request: { workspace } }) =>
    isDamaged(workspace, 'settings')
      ? [section('The saved settings are damaged. This form shows the defaults. Save it to replace them.')]
      : [],
  ),
  zone: zone(
    'Reporting time zone',
    'Days begin at midnight in this zone. Use the billing service’s zone. Type a city, an area or UTC.',
  ),
  visibility: choice<Settings['visibility']>('Who sees answers', {
    hint: 'Help and errors are always private.',
    options: choices(VISIBILITY),
  }),
  currency: currencyField(
    'Shown next to amounts, for example EUR or €. The billing service doesn’t send a currency.',
  ),
  locale: choice('Number format in public answers and posts', {
    hint: 'Private answers follow each person’s Slack language.',
    options: ({ values }) => numberOptions(values.locale ?? ''),
    parse: (chosen) =>
      chosen.length <= MAX_LOCALE_LENGTH && isLocale(chosen)
        ? chosen
        : refuseField('Choose one from the list.'),
  }),
  managers: {
    ...people('Tally managers', {
      hint: 'Owners and admins always manage Tally. Only full members can be added.',
      max: MAX_MANAGERS,
    }),
    check: checkMembers('Tally managers'),
  },
  managerGroups: userGroups(
    'User groups of Tally managers',
    'Every full member of these groups is a Tally manager.',
    MAX_MANAGER_GROUPS,
  ),
  others: checks('Also allow questions from', {
    hint: 'Full members can always ask. Guests and external people can’t manage Tally.',
    options: choices({
      guests: 'Guests of this workspace',
      externals: 'External people, in shared channels',
    }),
  }),
};

const fieldsOf = ({ zone, visibility, currency, locale, ...others }: Settings): FormValues => ({
  zone,
  visibility,
  currency,
  locale,
  managers: others.managers.join(','),
  managerGroups: others.managerGroups.join(','),
  others: compact([others.guests && 'guests', others.externals && 'externals']).join(','),
});

const settingsOf = ({ others, damaged: _, ...input }: FormInput<typeof FORM_FIELDS>): Values => ({
  ...input,
  guests: others.includes('guests'),
  externals: others.includes('externals'),
});

/** What a person changed in the form. A setting that the form couldn't show counts as unchanged. */
function changedParts({ input, values: shown, request }: SentSettings): readonly (keyof Values)[] {
  const { settings } = request.workspace;
  const values = settingsOf(input);
  return (Object.keys(SETTING_NAMES) as (keyof Values)[]).filter((part) => {
    const field = part === 'guests' || part === 'externals' ? 'others' : part;
    return field in shown && !isDeepStrictEqual(values[part], settings[part]);
  });
}
