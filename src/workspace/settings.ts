import { z } from 'zod';
import { isZone } from '../domain/calendar.ts';
import { parseRecord } from './record.ts';

const person = z.string().regex(/^[UW][A-Z0-9]{1,30}$/);
const group = z.string().regex(/^S[A-Z0-9]{1,30}$/);

/** Every part has a default, so that a record of an older version reads as what it meant. */
const schema = z.object({
  /** IANA name of the zone in which days begin and end. */
  zone: z.string().refine(isZone).default('UTC'),
  /** Whom an answer is for unless it is shared. */
  visibility: z.enum(['asker', 'channel']).default('asker'),
  /** Stands beside amounts, because the interface names no currency; '' for none. */
  currency: z
    .string()
    .regex(/^[^<>&*_~`\s]{0,8}$/u)
    .default(''),
  /** Who manages beside owners and admins: Slack ids of people and of user groups. */
  managers: z.array(person).max(100).readonly().default([]),
  managerGroups: z.array(group).max(20).readonly().default([]),
  /** Whether guests may ask. */
  guests: z.boolean().default(false),
  /** Whether members of other organisations, in shared channels, may ask. */
  strangers: z.boolean().default(false),
  /** Name of the connection that is asked where a project names none. */
  connection: z.string().default('main'),
});

export type Settings = Readonly<z.infer<typeof schema>>;

export const DEFAULT_SETTINGS: Settings = Object.freeze(schema.parse({}));

/** @throws SealBroken `malformed`: days guessed at would be wrong sums */
export function readSettings(json: string | undefined): Settings {
  return json === undefined ? DEFAULT_SETTINGS : parseRecord(schema, json);
}

/** @throws ZodError for what the form has to refuse before */
export function writeSettings(settings: Settings): string {
  return JSON.stringify(schema.parse(settings));
}
