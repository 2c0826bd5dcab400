import { z } from 'zod';
import { SettingsDamaged } from '../domain/failure/index.ts';
import { isCurrencyLabel, isLocale } from '../domain/money/amount.ts';
import { isTimeZone } from '../domain/time/calendar.ts';
import { group, parseRecord, person } from './record-schema.ts';

/** More than anybody names one by one; the record is read whole by every command. */
export const MAX_MANAGERS = 100;
/** Each is looked up where rights are decided. */
export const MAX_MANAGER_GROUPS = 20;
/** In characters: what BCP 47 asks of everybody to take. */
const LONGEST_LOCALE = 35;

/** Every part has a default, so that a record of an older version reads as what it meant. */
const schema = z.object({
  /** IANA name of the zone in which days begin and end. */
  zone: z.string().refine(isTimeZone).default('UTC'),
  /** Whom an answer is for unless it is shared. */
  visibility: z.enum(['asker', 'channel']).default('asker'),
  /** Stands beside amounts, because the interface names no currency; '' for none. */
  currency: z.string().refine(isCurrencyLabel).default(''),
  /** BCP 47: how numbers are written that everybody reads. Slack knows a person's locale, none of a workspace. */
  locale: z.string().max(LONGEST_LOCALE).refine(isLocale).default('en-US'),
  /** Who manages beside owners and admins: Slack ids of people and of user groups. */
  managers: z.array(person).max(MAX_MANAGERS).readonly().default([]),
  managerGroups: z.array(group).max(MAX_MANAGER_GROUPS).readonly().default([]),
  /** Whether guests may ask. */
  guests: z.boolean().default(false),
  /** Whether members of other organisations, in shared channels, may ask. */
  strangers: z.boolean().default(false),
  /** Name of the connection that is asked where a project names none. */
  connection: z.string().default('main'),
});

/** Drops a currency label that an earlier version accepted and this one does not, and keeps the other settings. */
const stored = schema.extend({ currency: schema.shape.currency.catch('') });

export type Settings = Readonly<z.infer<typeof schema>>;

export const DEFAULT_SETTINGS: Settings = Object.freeze(schema.parse({}));

/** @throws SettingsDamaged: days guessed at would be wrong sums */
export function parseSettings(json: string | undefined): Settings {
  if (json === undefined) return DEFAULT_SETTINGS;
  try {
    return parseRecord(stored, json);
  } catch {
    throw new SettingsDamaged();
  }
}

/** Undefined where they are damaged. */
export function readSettings(json: string | undefined): Settings | undefined {
  try {
    return parseSettings(json);
  } catch (error) {
    if (!(error instanceof SettingsDamaged)) throw error;
    return undefined;
  }
}

/** Which parts of what somebody typed or chose cannot be taken. */
export function invalidSettings(given: unknown): readonly (keyof Settings)[] {
  const { error } = schema.partial().safeParse(given);
  const parts = error?.issues.map(({ path }) => path[0] as keyof Settings) ?? [];
  return [...new Set(parts)];
}

/** @throws ZodError for what the form has to refuse before */
export function serializeSettings(settings: Settings): string {
  return JSON.stringify(schema.parse(settings));
}
