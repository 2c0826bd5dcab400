import type { InputBlock } from '@slack/types';
import * as z from 'zod';
import type { ProductId } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type Day, endOfDay, type Zone } from '../../domain/time/calendar.ts';
import {
  describeConnection,
  type Expiry,
  isExpiryUnknown,
} from '../../workspace/credentials/connection-record.ts';
import {
  type Block,
  button,
  compact,
  context,
  escapeMarkup,
  header,
  option,
  section,
} from '../kit/blocks.ts';
import { checksInput, dateInput } from '../kit/modal.ts';
import type { FormFields } from '../request/form-fields.ts';
import type { Request } from '../request/request.ts';

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

export const CONNECT_TITLE = 'Connect billing';

/** A connection that was tested with a project and saved: what the form's next view needs. */
export interface TestedConnection {
  readonly connection: string;
  /** Where the form was opened; '' for nowhere. */
  readonly channel: SlackId;
  readonly project: string;
  /** Those that have data for the project. */
  readonly products: readonly ProductId[];
  /** The first answer: plain text. */
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * @param request with the record that has the connection
 * @param next what to do from here
 */
export function connectedBlocks(
  { connection: name, title, lines }: Pick<TestedConnection, 'connection' | 'title' | 'lines'>,
  { workspace, at }: Pick<Request, 'workspace' | 'at'>,
  next: readonly Block[],
): Block[] {
  const connection = workspace.connections.get(name);
  return [
    header(title),
    ...lines.map(section),
    ...next,
    ...(connection === undefined
      ? []
      : compact([
          context(escapeMarkup(`Connected: ${describeConnection(connection, at, workspace.settings.zone)}`)),
          isExpiryUnknown(connection) && expiryUnknownBlock(name),
        ])),
  ];
}

const expiryUnknownBlock = (name: string): Block => ({
  ...section('Say when the token expires, and Tally reminds you before.'),
  accessory: button('connection-expiry', 'Set expiry…', { value: name }),
});
