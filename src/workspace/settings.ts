import * as z from 'zod';
import { isCurrencyLabel, isLocale } from '../domain/money/amount.ts';
import { isTimeZone } from '../domain/time/calendar.ts';
import { group, person, tryParseRecord } from './record/record-schemas.ts';

/** Every request reads the whole record, so its size is limited. */
export const MAX_MANAGERS = 100;
/** Limited, because Tally looks up the members of each group. */
export const MAX_MANAGER_GROUPS = 20;
const MAX_LOCALE_LENGTH = 35;

const schema = z.object({
  zone: z.string().refine(isTimeZone).default('UTC'),
  visibility: z.enum(['asker', 'channel']).default('asker'),
  /** The currency to show with amounts, because billing doesn't say what it is; '' for none. */
  currency: z.string().refine(isCurrencyLabel).default(''),
  /** The number format in messages to everyone. Slack knows a locale only for each user. */
  locale: z.string().max(MAX_LOCALE_LENGTH).refine(isLocale).default('en-US'),
  /** Managers who aren't admins in Slack: user IDs, and user group IDs. */
  managers: z.array(person).max(MAX_MANAGERS).readonly().default([]),
  managerGroups: z.array(group).max(MAX_MANAGER_GROUPS).readonly().default([]),
  guests: z.boolean().default(false),
  /** Whether people of other organizations can ask in shared channels. */
  externals: z.boolean().default(false),
  connection: z.string().default('main'),
});

/** Drops an invalid currency, so that the other settings can still be used. */
const stored = schema.extend({ currency: schema.shape.currency.catch('') });

export type Settings = Readonly<z.infer<typeof schema>>;

export const DEFAULT_SETTINGS: Settings = Object.freeze(schema.parse({}));

export function parseSettings(json: string | undefined): Settings | undefined {
  return json === undefined ? DEFAULT_SETTINGS : tryParseRecord(stored, json);
}

export function serializeSettings(settings: Settings): string {
  return JSON.stringify(schema.parse(settings));
}
