import { CURRENCY_RULE } from '../../domain/money.ts';
import { type Fields, severalIn } from '../../slack/kit/modal.ts';
import { readable } from '../../workspace/record.ts';
import { DEFAULT_SETTINGS, refusedSettings, type Settings } from '../../workspace/settings.ts';
import type { WorkspaceRecord } from '../../workspace/workspaces.ts';

/** What the form asks about; a part that it did not show is not there. */
export type Given = Partial<Omit<Settings, 'connection'>>;

/** What the fields hold, whether it can be taken or not. Block ids are the names of the settings, but for `others`. */
export function givenIn({
  zone,
  visibility,
  currency,
  locale,
  managers,
  managerGroups,
  others,
}: Fields): Given {
  const allowed = others === undefined ? undefined : severalIn(others);
  return {
    ...(zone !== undefined && { zone }),
    ...(visibility !== undefined && { visibility: visibility as Settings['visibility'] }),
    ...(currency !== undefined && { currency }),
    ...(locale !== undefined && { locale }),
    ...(managers !== undefined && { managers: severalIn(managers) }),
    ...(managerGroups !== undefined && { managerGroups: severalIn(managerGroups) }),
    ...(allowed !== undefined && {
      guests: allowed.includes('guests'),
      strangers: allowed.includes('strangers'),
    }),
  };
}

const SENTENCES: Partial<Record<keyof Settings, string>> = {
  zone: 'Choose a time zone from the list.',
  visibility: 'Choose one from the list.',
  currency: CURRENCY_RULE,
  locale: 'Choose one from the list.',
  managers: 'Choose at most 100 people from the list.',
  managerGroups: 'Choose at most 20 user groups from the list.',
};

export function readSettingsForm(
  fields: Fields,
): { readonly errors: Record<string, string> } | { readonly input: Given } {
  const input = givenIn(fields);
  const refused = refusedSettings(input);
  if (refused.length === 0) return { input };
  return { errors: Object.fromEntries(refused.map((part) => [part, SENTENCES[part] ?? 'Choose again.'])) };
}

/** What the form starts from: damaged settings must not stand in the way of the form that mends them. */
export function settingsNow(record: WorkspaceRecord): {
  readonly settings: Settings;
  readonly damaged: boolean;
} {
  const settings = readable(() => record.settings);
  return { settings: settings ?? DEFAULT_SETTINGS, damaged: settings === undefined };
}
