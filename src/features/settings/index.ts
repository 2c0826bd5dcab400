import { commandText } from '../../domain/command-names.ts';
import { InvalidWord, UNRECOGNIZED } from '../../domain/failure/index.ts';
import { CURRENCY_RULE } from '../../domain/money/amount.ts';
import { isTimeZone } from '../../domain/time/calendar.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { type Command, toCommand } from '../../slack/commands/command.ts';
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
import { lookUp } from '../../slack/server/listeners.ts';
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

/** Words of the command → the fields of the form that they fill in. */
const FIELDS: Readonly<Record<string, string>> = {
  zone: 'zone',
  answers: 'visibility',
  currency: 'currency',
  numbers: 'locale',
  managers: 'managers',
  groups: 'managerGroups',
  others: 'others',
};
const NONE = 'none';
const CHOOSE = `Choose it in the form: ${commandText('/billing settings')}.`;
/** How Slack writes a person and a user group, without the brackets. */
const REFERENCE = /^(?:@|!subteam\^)(?=[A-Z])/;

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
        kind: rest === '' || Object.hasOwn(FIELDS, rest.split(' ')[0] ?? '') ? 'openForm' : 'answer',
        parse: (words) => parseSettingsWords(words),
        async run(_, request, typed = rest) {
          await request.reply.modal.open(await formWith(request, parseSettingsWords(typed)));
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
        command: settingsCommand,
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

/** What the words after the command fill in: `zone Europe/Berlin managers @olivia @amara`. @throws InvalidWord */
function parseSettingsWords(text: string): SettingsInput {
  const fields: Record<string, string> = {};
  let field: string | undefined;
  for (const word of text.split(' ').filter(Boolean)) {
    const named = lookUp(FIELDS, word.toLowerCase());
    field = named ?? field;
    if (field === undefined) {
      refuseExtraWords(text, 'settings');
      continue;
    }
    const value = named !== undefined || word === NONE ? '' : word.replace(REFERENCE, '');
    fields[field] = [fields[field], value].filter(Boolean).join(',');
  }
  // A command's words have hyphens for underscores.
  if (fields.zone !== undefined && !isTimeZone(fields.zone)) fields.zone = fields.zone.replaceAll('-', '_');
  const input = parseSettingsText(fields);
  const [refused] = invalidSettings(input);
  if (refused !== undefined)
    throw new InvalidWord(fields[refused]?.replaceAll(',', ' ') || NONE, UNRECOGNIZED, CHOOSE);
  return input;
}

function settingsCommand(fields: FormFields, metadata: string): Command {
  const { before } = decodeSettingsMetadata(metadata);
  const refused: readonly string[] = invalidSettings(parseSettingsText(fields));
  const words = Object.entries(FIELDS).flatMap(([word, field]) => {
    const value = fields[field];
    if (value === undefined || value === before[field] || refused.includes(field)) return [];
    const sign = { managers: '@', managerGroups: '!subteam^' }[field];
    const values = selectedValues(value).map((id) => (sign === undefined ? id : `<${sign}${id}>`));
    return [word, ...(values.length === 0 ? [NONE] : values)];
  });
  return toCommand('/billing settings', words.join(' '));
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
