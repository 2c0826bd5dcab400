import * as z from 'zod';
import { type Day, endOfDay, type Zone } from '../../domain/time/calendar.ts';
import type { Expiry } from '../../workspace/credentials/credential-records.ts';
import { option } from '../block-kit/blocks.ts';
import { checks, date, type FieldRefusal, refuseField } from '../forms/fields.ts';

/** When a credential expires, as a person says it. */
export type ExpiryChoice = Day | 'never';

/** For the hints of forms. */
export const REMINDER_HINT = 'Tally reminds you 14, 3 and 1 days before.';

/** The two fields of an expiry. @param empty what it means if neither is filled in */
export const expiryFields = <T>(hint: string, empty: T | FieldRefusal) => ({
  expires: date<ExpiryChoice | T>('Expires on', `${hint} ${REMINDER_HINT}`, (expires, { never = '' }) => {
    if (expires === '') return never === '' ? empty : 'never';
    if (never !== '') return refuseField('Choose a day, or “It never expires”, not both.');
    return isDay(expires) ? expires : refuseField('Choose a day.');
  }),
  never: checks('No expiry', { options: [option('It never expires', 'never')] }),
});

const isDay = (given: string): boolean => z.iso.date().startsWith('2').safeParse(given).success;

/** A day lasts until its end in the zone. */
export const expiryOf = (choice: ExpiryChoice, zone: Zone): Expiry =>
  choice === 'never' ? { lifetime: 'none' } : { expiresAt: endOfDay(choice, zone) };
