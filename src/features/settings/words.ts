import { CURRENCY_RULE } from '../../domain/money/amount.ts';
import { type FormFields, type FormReading, selectedValues } from '../../slack/kit/modal.ts';
import { invalidSettings, type Settings } from '../../workspace/settings.ts';

/** What the form asks about; a part that it did not show is not there. */
export type SettingsInput = Partial<Omit<Settings, 'connection'>>;

/** What the fields hold, whether it can be taken or not. Block ids are the names of the settings, but for `others`. */
export function parseSettingsText({
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
