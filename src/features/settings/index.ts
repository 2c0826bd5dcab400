import { checkAdded, findGroups, groupsFor } from '../../slack/user-groups.ts';
import type { Visit } from '../../slack/visit.ts';
import { findZones, isKnown, zoneOption } from '../../slack/zones.ts';
import { changeBy } from '../../workspace/change.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import { savedMessage, savedModal, saving, settingsForm } from './blocks.ts';
import { changesOf } from './changes.ts';
import { type Given, givenIn, readSettingsForm, settingsNow } from './words.ts';

export interface SettingsParts {
  readonly workspaces: Workspaces;
}

/** `/billing settings`: where days begin and end, whom answers are for, who manages, and who else may ask. */
export function createSettings({ workspaces }: SettingsParts): Feature {
  const formWith = async (visit: Visit, given: Given) => {
    const { settings, damaged } = settingsNow(visit.record);
    const groups = await groupsFor(visit);
    return settingsForm({ settings: { ...settings, ...given }, damaged, groups, at: visit.at });
  };

  const save = async (given: Given, visit: Visit) => {
    const { settings, damaged } = settingsNow(visit.record);
    const { managerGroups: groups = [] } = given;
    await checkAdded(
      groups.filter((id) => !settings.managerGroups.includes(id)),
      visit,
    );
    const changes = changesOf(settings, { ...settings, ...given }, visit.at);
    if (changes.length > 0 || damaged) {
      const about = [...(damaged ? ['damaged settings replaced'] : []), ...changes.map(({ name }) => name)];
      await workspaces.saveSettings(changeBy(visit, ['settings changed', about.join(', ')]), given);
    }
    return savedMessage(changes, damaged);
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
        find: (query, { at }) => findZones(query).map((zone) => zoneOption(zone, at)),
      },
      managerGroups: {
        right: 'manage',
        find: findGroups,
      },
    },
    actions: {
      zone: {
        right: 'manage',
        async run({ value, fields }, visit) {
          if (isKnown(value)) await visit.show(await formWith(visit, { ...givenIn(fields), zone: value }));
        },
      },
    },
    views: {
      settings: {
        right: 'manage',
        waiting: saving,
        read: readSettingsForm,
        async work(given: Given, visit) {
          const saved = await save(given, visit);
          await visit.show(savedModal(saved), saved);
        },
      },
    },
  };
}
