import { z } from 'zod';
import { isZone } from '../domain/calendar.ts';
import { parseRecord } from './record.ts';

export interface Settings {
  /** IANA name of the zone in which days begin and end. */
  readonly zone: string;
}

const DEFAULTS: Settings = Object.freeze({ zone: 'UTC' });
const schema = z.object({ zone: z.string().refine(isZone) });

/** @throws SealBroken `malformed`: days guessed at would be wrong sums */
export function readSettings(json: string | null): Settings {
  return json === null ? DEFAULTS : parseRecord(schema, json);
}

/** @throws ZodError for a zone that is none: the form has to check it before */
export function writeSettings(settings: Settings): string {
  return JSON.stringify(schema.parse(settings));
}
