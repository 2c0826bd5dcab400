import type { InputBlock } from '@slack/types';
import * as z from 'zod';
import { type Day, endOfDay, type Zone } from '../../domain/time/calendar.ts';
import type { Expiry } from '../../workspace/credentials/expiry.ts';
import { checks, date, type FieldRefusal, refuseField } from '../forms/fields.ts';
import { option } from '../kit/blocks.ts';
import { checksInput, dateInput } from '../kit/inputs.ts';
import type { FormFields } from '../request/form-fields.ts';

/** When a credential expires, as a person says it. */
export type ExpiryChoice = Day | 'never';

/** For the hints of forms. */
export const REMINDER_HINT = 'Tally reminds you 14, 3 and 1 days before.';

/** @param hint below the day @param initial what the person chose before a failure; what is registered is not filled in */
export const expiryInputs = (hint: string, initial?: ExpiryChoice): readonly InputBlock[] => [
  dateInput(
    { block: 'expires', label: 'Expires on', hint: `${hint} ${REMINDER_HINT}` },
    initial === 'never' ? undefined : initial,
  ),
  checksInput(
    { block: 'never', label: 'No expiry' },
    [option('It never expires', 'never')],
    initial === 'never' ? ['never'] : [],
  ),
];

/** The two fields of an expiry. @param empty what it means if neither is filled in */
export const expiryFields = <T>(hint: string, empty: T | FieldRefusal) => ({
  expires: date<ExpiryChoice | T>('Expires on', `${hint} ${REMINDER_HINT}`, (expires, { never = '' }) => {
    const parsed = parseExpiryChoice({ expires, never });
    if (parsed === undefined) return empty;
    return 'error' in parsed ? refuseField(parsed.error) : parsed.choice;
  }),
  never: checks('No expiry', { options: [option('It never expires', 'never')] }),
});

const choice = z.union([z.literal('never'), z.iso.date().startsWith('2')]);
/** Whether the value of a form or a button is an expiry choice. */
export const isExpiryChoice = (given: unknown): given is ExpiryChoice => choice.safeParse(given).success;

/** What `expiryInputs` hold. @returns undefined when both are empty; else the choice, or what is wrong with the day */
export function parseExpiryChoice({
  expires = '',
  never = '',
}: FormFields): { readonly choice: ExpiryChoice } | { readonly error: string } | undefined {
  if (expires === '') return never === '' ? undefined : { choice: 'never' };
  if (never !== '') return { error: 'Choose a day, or “It never expires”, not both.' };
  return isExpiryChoice(expires) ? { choice: expires } : { error: 'Choose a day.' };
}

/** A day lasts until its end in the zone. */
export const expiryOf = (choice: ExpiryChoice, zone: Zone): Expiry =>
  choice === 'never' ? { lifetime: 'none' } : { expiresAt: endOfDay(choice, zone) };
