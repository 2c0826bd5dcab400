import * as z from 'zod';
import { isCurrencyLabel, isLocale } from '../domain/money/amount.ts';
import { isTimeZone } from '../domain/time/calendar.ts';
import { group, person, tryParseRecord } from './record/parse-record.ts';

/** Limits the record, which every request reads whole. */
export const MAX_MANAGERS = 100;
/** Each group's members are looked up. */
export const MAX_MANAGER_GROUPS = 20;
/** BCP 47's minimum supported length of a tag. */
const MAX_LOCALE_LENGTH = 35;

/** All fields have defaults. */
const schema = z.object({
  /** The reporting time zone. */
  zone: z.string().refine(isTimeZone).default('UTC'),
  /** Who sees an answer before it is shared. */
  visibility: z.enum(['asker', 'channel']).default('asker'),
  /** Currency label; billing doesn't name the currency. '' for none. */
  currency: z.string().refine(isCurrencyLabel).default(''),
  /** Number format of public messages. Slack has a locale per user, none per workspace. */
  locale: z.string().max(MAX_LOCALE_LENGTH).refine(isLocale).default('en-US'),
  /** User and group IDs of additional managers. */
  managers: z.array(person).max(MAX_MANAGERS).readonly().default([]),
  managerGroups: z.array(group).max(MAX_MANAGER_GROUPS).readonly().default([]),
  guests: z.boolean().default(false),
  /** Whether external people in shared channels can ask. */
  externals: z.boolean().default(false),
  /** The default connection. */
  connection: z.string().default('main'),
});

/** An invalid currency doesn't discard the other settings. */
const stored = schema.extend({ currency: schema.shape.currency.catch('') });

export type Settings = Readonly<z.infer<typeof schema>>;

export const DEFAULT_SETTINGS: Settings = Object.freeze(schema.parse({}));

/** @param json undefined gives the defaults @returns undefined if damaged */
export function parseSettings(json: string | undefined): Settings | undefined {
  return json === undefined ? DEFAULT_SETTINGS : tryParseRecord(stored, json);
}

/** @throws ZodError, which can't happen after the form's checks */
export function serializeSettings(settings: Settings): string {
  return JSON.stringify(schema.parse(settings));
}
