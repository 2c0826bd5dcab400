import { commandText } from '../../domain/commands.ts';
import { CURRENCY_RULE } from '../../domain/money/amount.ts';
import { isTimeZone } from '../../domain/time/calendar.ts';
import { toCommand } from '../../slack/commands/command-buttons.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import { type FormFields, type FormReading, selectedValues, waitingModal } from '../../slack/kit/modal.ts';
import { findStops, notSavedYet, type Stops } from '../../slack/owned/stopped-items.ts';
import type { Request } from '../../slack/request/request.ts';
import { suggestZones } from '../../slack/request/time-zones.ts';
import { loadUserGroups, requireKnownGroups, suggestGroups } from '../../slack/request/user-groups.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { isDamaged } from '../../workspace/record/workspace.ts';
import { invalidSettings, type Settings } from '../../workspace/settings.ts';
import type { Feature, Services } from '../feature.ts';
import { SETTINGS_TITLE, settingsChanges, settingsForm, settingsSavedMessage } from './blocks.ts';

declare module '../../domain/commands.ts' {
  interface Commands {
    '/billing settings': true;
  }
  interface Actions {
    'settings-zone': true;
  }
}

const SETTINGS = toCommand('/billing settings');

/** `/billing settings`: where days begin and end, whom answers are for, who manages, and who else may ask. */
export function createSettingsFeature({ workspaces, all }: Services): Feature {
  const formWith = async (request: Request, given: SettingsInput, warning?: Stops) =>
    settingsForm(
      { ...request.workspace.settings, ...given },
      await loadUserGroups(request),
      request,
      warning,
    );

  const save = async ({ warned, given }: SettingsForm, request: Request): Promise<void> => {
    const { workspace } = request;
    const { settings } = workspace;
    const damaged = isDamaged(request.workspace, 'settings');
    const { managerGroups: groups = [] } = given;
    await requireKnownGroups(
      groups.filter((id) => !settings.managerGroups.includes(id)),
      request,
    );
    const after = { ...settings, ...given };
    const changes = settingsChanges(settings, after, request.at);
    const stop = await findStops(all.stops(), request, { ...workspace, settings: after });
    if (stop.digest !== '' && warned !== stop.digest)
      return request.reply.modal.update(await formWith(request, given, stop), notSavedYet(stop));
    if (changes.length > 0 || damaged) {
      const about = [...(damaged ? ['damaged settings replaced'] : []), ...changes.map(({ name }) => name)];
      await workspaces.saveSettings(auditedChange(request, ['settings changed', about.join(', ')]), given);
    }
    await request.reply.modal.show(SETTINGS_TITLE, settingsSavedMessage(changes, damaged, stop.answer));
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
        does: rest === '' ? 'openForm' : 'answer',
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
    actions: {
      'settings-zone': {
        right: 'manage',
        command: () => SETTINGS,
        does: 'answer',
        async run({ value, fields }, request) {
          if (isTimeZone(value))
            await request.reply.modal.update(
              await formWith(request, { ...parseSettingsText(fields), zone: value }),
            );
        },
      },
    },
    views: {
      settings: {
        right: 'manage',
        command: () => SETTINGS,
        waiting: waitingModal(SETTINGS_TITLE),
        read: parseSettingsForm,
        submit: (form: SettingsForm, request) => save(form, request),
      },
    },
  };
}

/** What the form asks about; a part that it did not show is not there. */
export type SettingsInput = Partial<Omit<Settings, 'connection'>>;

/** What the fields hold, whether it can be taken or not. Block ids are the names of the settings, but for `others`. */
function parseSettingsText({
  zone,
  visibility,
  currency,
  locale,
  managers,
  managerGroups,
  others,
}: FormFields): SettingsInput {
  const allowed = others === undefined ? undefined : selectedValues(others);
  return {
    ...(zone !== undefined && { zone }),
    ...(visibility !== undefined && { visibility: visibility as Settings['visibility'] }),
    ...(currency !== undefined && { currency }),
    ...(locale !== undefined && { locale }),
    ...(managers !== undefined && { managers: selectedValues(managers) }),
    ...(managerGroups !== undefined && { managerGroups: selectedValues(managerGroups) }),
    ...(allowed !== undefined && {
      guests: allowed.includes('guests'),
      externals: allowed.includes('externals'),
    }),
  };
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
  readonly given: SettingsInput;
  /** The digest of what the form said that saving stops; '' if it said nothing. */
  readonly warned: string;
}

/** @param warned the form's metadata */
export function parseSettingsForm(fields: FormFields, warned: string): FormReading<SettingsForm> {
  const input = parseSettingsText(fields);
  const refused = invalidSettings(input);
  if (refused.length === 0) return { input: { given: input, warned } };
  return { errors: Object.fromEntries(refused.map((part) => [part, SENTENCES[part] ?? 'Choose again.'])) };
}
