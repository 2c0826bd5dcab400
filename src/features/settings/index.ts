import type { Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import { savedMessage, savedModal, saving, settingsForm, zoneOption } from './blocks.ts';
import { findZones, isKnown } from './zones.ts';

/** `/billing settings`: the reporting zone, which says where days begin and end. */
export function createSettings({ workspaces }: { readonly workspaces: Workspaces }): Feature {
  return {
    help: [
      { usage: '/billing settings', what: 'The time zone whose days are reported (owners and admins).' },
    ],
    verbs: {
      settings: {
        right: 'manage',
        async run(_, visit) {
          await visit.open(settingsForm(visit.record.settings.zone, visit.at));
        },
      },
    },
    options: {
      zone: {
        right: 'manage',
        find: (query, { at }) => findZones(query).map((zone) => zoneOption(zone, at)),
      },
    },
    actions: {
      zone: {
        right: 'manage',
        async run({ value }, visit) {
          if (isKnown(value)) await visit.show(settingsForm(value, visit.at));
        },
      },
    },
    views: {
      settings: {
        right: 'manage',
        waiting: saving,
        read: ({ zone = '' }) =>
          isKnown(zone) ? { input: zone } : { errors: { zone: 'Choose a time zone from the list.' } },
        async work(zone: string, visit) {
          await workspaces.saveSettings(visit.asker.workspace, { ...visit.record.settings, zone });
          const saved = savedMessage(zone, visit.at);
          await visit.show(savedModal(saved), saved);
        },
      },
    },
  };
}
