import * as z from 'zod';
import { isCurrencyLabel, isLocale } from '../domain/money/amount.ts';
import { isTimeZone } from '../domain/time/calendar.ts';
import { group, person, tryParseRecord } from './record/parse-record.ts';

/** Bounded because every request reads the whole record. */
export const MAX_MANAGERS = 100;
/** Slack is asked for the members of each. */
export const MAX_MANAGER_GROUPS = 20;
/** The length up to which BCP 47 requires programs to accept a tag. */
const MAX_LOCALE_LENGTH = 35;

/** Every part has a default: a workspace that saved nothing has settings too. */
const schema = z.object({
  /** IANA name of the zone in which days begin and end. */
  zone: z.string().refine(isTimeZone).default('UTC'),
  /** Who sees an answer before it is shared. */
  visibility: z.enum(['asker', 'channel']).default('asker'),
  /** Shown beside amounts, because the billing interface names no currency; '' for none. */
  currency: z.string().refine(isCurrencyLabel).default(''),
  /** BCP 47: the number format of messages that everybody sees. Slack knows the locale of a person, not of a workspace. */
  locale: z.string().max(MAX_LOCALE_LENGTH).refine(isLocale).default('en-US'),
  /** Slack IDs of the people and user groups who manage Tally besides owners and admins. */
  managers: z.array(person).max(MAX_MANAGERS).readonly().default([]),
  managerGroups: z.array(group).max(MAX_MANAGER_GROUPS).readonly().default([]),
  guests: z.boolean().default(false),
  /** Whether members of other organizations, in shared channels, may ask. */
  externals: z.boolean().default(false),
  /** Name of the connection for projects that name none. */
  connection: z.string().default('main'),
});

/** Drops an invalid currency label, which amounts don't need, and keeps the other settings. */
const stored = schema.extend({ currency: schema.shape.currency.catch('') });

export type Settings = Readonly<z.infer<typeof schema>>;

export const DEFAULT_SETTINGS: Settings = Object.freeze(schema.parse({}));

/** @param json undefined for the defaults @returns undefined when it is damaged */
export function parseSettings(json: string | undefined): Settings | undefined {
  return json === undefined ? DEFAULT_SETTINGS : tryParseRecord(stored, json);
}

/** @throws ZodError for invalid settings: the form checks them first */
export function serializeSettings(settings: Settings): string {
  return JSON.stringify(schema.parse(settings));
}
