import { commandText } from '../../domain/command-names.ts';
import { CURRENCY_RULE } from '../../domain/money/amount.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import {
  fetchUserGroups,
  requireKnownGroups,
  suggestGroups,
} from '../../slack/commands/user-group-picker.ts';
import { suggestZones } from '../../slack/commands/zone-picker.ts';
import { textMessage } from '../../slack/kit/blocks.ts';
import { waitingModal } from '../../slack/kit/modal.ts';
import { type FormFields, type ParsedForm, selectedValues } from '../../slack/request/form-fields.ts';
import type { Request } from '../../slack/request/request.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { describeConflict } from '../../workspace/record/change-settings.ts';
import { isDamaged } from '../../workspace/record/workspace.ts';
import { invalidSettings, type Settings } from '../../workspace/settings.ts';
import type { Feature, Services } from '../feature.ts';
import {
  changedSettings,
  decodeSettingsMetadata,
  SETTINGS_TITLE,
  settingsFields,
  settingsForm,
} from './blocks.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/billing settings': true;
  }
}

/** `/billing settings`: where days begin and end, whom answers are for, who manages, and who else may ask. */
export function createSettingsFeature({ workspaces }: Services): Feature {
  const formWith = async (
    request: Request,
    values: SettingsInput,
    options?: Parameters<typeof settingsForm>[3],
  ) =>
    settingsForm(
      { ...request.workspace.settings, ...values },
      await fetchUserGroups(request),
      request,
      options,
    );

  const save = async ({ values, before }: SettingsForm, request: Request): Promise<void> => {
    const { workspace } = request;
    const { settings } = workspace;
    const damaged = isDamaged(request.workspace, 'settings');
    const { managerGroups: groups = [] } = values;
    await requireKnownGroups(
      groups.filter((id) => !settings.managerGroups.includes(id)),
      request,
    );
    const changed = changedSettings(settings, { ...settings, ...values });
    const opened = parseSettingsText(before);
    const now = describeConflict(
      opened,
      settings,
      changed.filter((part) => part in opened),
    );
    if (now !== undefined) {
      const first = `Someone else changed this first. ${now}`;
      const current = settingsFields(settings);
      const seen = Object.keys(values).map((part) => (part in current ? part : 'others'));
      const view = await formWith(request, values, {
        problem: `${first} Save again to replace that.`,
        before: { ...before, ...Object.fromEntries(seen.map((field) => [field, current[field] ?? ''])) },
      });
      return request.reply.modal.update(view, textMessage(`${first} Nothing was saved.`));
    }
    const isSaved = changed.length > 0 || damaged;
    if (isSaved) {
      const about = { kind: 'settings', changed, ...(damaged && { isDamaged: true }) } as const;
      await workspaces.saveSettings(auditedChange(request, ['settings changed', about]), values);
    }
    await request.reply.modal.show(SETTINGS_TITLE, textMessage(isSaved ? 'Saved.' : 'No changes to save.'));
  };

  return {
    help: [
      {
        usage: commandText('/billing settings'),
        what: 'Set the time zone, who sees answers, the number format, who manages and who may ask.',
        right: 'manage',
      },
    ],
    verbs: {
      settings: (rest) => ({
        right: 'manage',
        kind: rest === '' ? 'openForm' : 'answer',
        async run(_, request) {
          refuseExtraWords(rest, 'settings');
          await request.reply.modal.open(await formWith(request, {}));
        },
      }),
    },
    options: {
      'settings-zone': { right: 'manage', find: suggestZones },
      managerGroups: { right: 'manage', find: suggestGroups },
    },
    views: {
      settings: {
        right: 'manage',
        waiting: waitingModal(SETTINGS_TITLE),
        parse: parseSettingsForm,
        submit: save,
      },
    },
  };
}

/** What the form asks about; a part that it did not show is not there. */
export type SettingsInput = Partial<Omit<Settings, 'connection'>>;

/** What the fields hold, whether it can be taken or not. Block ids are the names of the settings, but for `others`. */
function parseSettingsText({ zone, visibility, currency, locale, ...lists }: FormFields): SettingsInput {
  const [managers, managerGroups, others] = [lists.managers, lists.managerGroups, lists.others].map(
    (field) => (field === undefined ? undefined : selectedValues(field)),
  );
  return withoutUndefined({
    zone,
    currency,
    locale,
    managers,
    managerGroups,
    visibility: visibility as Settings['visibility'] | undefined,
    guests: others?.includes('guests'),
    externals: others?.includes('externals'),
  });
}

const SENTENCES: Partial<Record<keyof Settings, string>> = {
  zone: 'Choose a time zone from the list.',
  visibility: 'Choose one from the list.',
  currency: CURRENCY_RULE,
  locale: 'Choose one from the list.',
  managers: 'Choose up to 100 people from the list.',
  managerGroups: 'Choose up to 20 user groups from the list.',
};

/** What was sent. */
export interface SettingsForm {
  /** What the person changed: somebody else may have saved the rest since. */
  readonly values: SettingsInput;
  /** The fields that the form showed when it was opened. */
  readonly before: FormFields;
}

function parseSettingsForm(fields: FormFields, metadata: string): ParsedForm<SettingsForm> {
  const { before } = decodeSettingsMetadata(metadata);
  const [input, opened] = [fields, before].map(parseSettingsText) as [SettingsInput, SettingsInput];
  const refused = invalidSettings(input);
  const isChanged = ([part, value]: [string, unknown]) =>
    String(value) !== String(opened[part as keyof SettingsInput]);
  const values = Object.fromEntries(Object.entries(input).filter(isChanged));
  if (refused.length === 0) return { input: { values, before } };
  return { errors: Object.fromEntries(refused.map((part) => [part, SENTENCES[part] ?? 'Choose again.'])) };
}
