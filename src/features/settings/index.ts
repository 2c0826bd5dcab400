import { isKnownZone, searchZones, zoneOption } from '../../slack/time-zones.ts';
import { loadUserGroups, requireKnownGroups, suggestGroups } from '../../slack/user-groups.ts';
import type { Visit } from '../../slack/visit.ts';
import { auditedChange } from '../../workspace/change.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import { savingSettingsModal, settingsForm, settingsSavedMessage, settingsSavedModal } from './blocks.ts';
import { settingsChanges } from './changes.ts';
import { currentSettings, parseSettingsForm, parseSettingsText, type SettingsInput } from './words.ts';

export interface SettingsParts {
  readonly workspaces: Workspaces;
}

/** `/billing settings`: where days begin and end, whom answers are for, who manages, and who else may ask. */
export function createSettings({ workspaces }: SettingsParts): Feature {
  const formWith = async (visit: Visit, given: SettingsInput) => {
    const { settings, damaged } = currentSettings(visit.record);
    const groups = await loadUserGroups(visit);
    return settingsForm({ settings: { ...settings, ...given }, damaged, groups, at: visit.at });
  };

  const save = async (given: SettingsInput, visit: Visit) => {
    const { settings, damaged } = currentSettings(visit.record);
    const { managerGroups: groups = [] } = given;
    await requireKnownGroups(
      groups.filter((id) => !settings.managerGroups.includes(id)),
      visit,
    );
    const changes = settingsChanges(settings, { ...settings, ...given }, visit.at);
    if (changes.length > 0 || damaged) {
      const about = [...(damaged ? ['damaged settings replaced'] : []), ...changes.map(({ name }) => name)];
      await workspaces.saveSettings(auditedChange(visit, ['settings changed', about.join(', ')]), given);
    }
    return settingsSavedMessage(changes, damaged);
  };

  return {
    help: [
      {
        usage: '/billing settings',
        what: 'Time zone, who sees answers, currency label, number format, who manages, who else may ask (for those who manage).',
      },
    ],
    verbs: {
      settings: { right: 'manage', run: async (_, visit) => visit.open(await formWith(visit, {})) },
    },
    options: {
      zone: {
        right: 'manage',
        find: (query, { at }) => searchZones(query).map((zone) => zoneOption(zone, at)),
      },
      managerGroups: {
        right: 'manage',
        find: suggestGroups,
      },
    },
    actions: {
      zone: {
        right: 'manage',
        async run({ value, fields }, visit) {
          if (isKnownZone(value))
            await visit.show(await formWith(visit, { ...parseSettingsText(fields), zone: value }));
        },
      },
    },
    views: {
      settings: {
        right: 'manage',
        waiting: savingSettingsModal,
        read: parseSettingsForm,
        async work(given: SettingsInput, visit) {
          const saved = await save(given, visit);
          await visit.show(settingsSavedModal(saved), saved);
        },
      },
    },
  };
}
