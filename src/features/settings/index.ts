import { commandText } from '../../domain/commands.ts';
import { isTimeZone } from '../../domain/time/calendar.ts';
import { toCommand } from '../../slack/commands/command-buttons.ts';
import { refuseExtraWords } from '../../slack/commands/subcommands.ts';
import { waitingModal } from '../../slack/kit/modal.ts';
import { findStops, notSavedYet, type Stops, type StopsSource } from '../../slack/owned/stopped-items.ts';
import type { Request } from '../../slack/request/request.ts';
import { suggestZones } from '../../slack/request/time-zones.ts';
import { loadUserGroups, requireKnownGroups, suggestGroups } from '../../slack/request/user-groups.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { isDamaged } from '../../workspace/record/workspace.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import type { Feature } from '../feature.ts';
import { SETTINGS_TITLE, settingsForm, settingsSavedMessage } from './blocks.ts';
import { settingsChanges } from './changes.ts';
import { parseSettingsForm, parseSettingsText, type SettingsForm, type SettingsInput } from './words.ts';

declare module '../../domain/commands.ts' {
  interface Commands {
    '/billing settings': true;
  }
  interface Actions {
    'settings-zone': true;
  }
}

const SETTINGS = toCommand('/billing settings');

export interface SettingsParts {
  readonly workspaces: Workspaces;
  /** What a change of the settings stops. */
  readonly stops: () => readonly StopsSource[];
}

/** `/billing settings`: where days begin and end, whom answers are for, who manages, and who else may ask. */
export function createSettingsFeature({ workspaces, stops }: SettingsParts): Feature {
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
    const stop = await findStops(stops(), request, { ...workspace, settings: after });
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
