import type { InputBlock, ModalView } from '@slack/types';
import { couldBeSecret } from '../../domain/language/secret-detection.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { FIELDS } from '../../redis/keys.ts';
import { REMINDER_HINT } from '../../slack/commands/expiry-input.ts';
import { actions, type Block, button, context, header, option, section } from '../../slack/kit/blocks.ts';
import { choiceInput, textInput } from '../../slack/kit/inputs.ts';
import { modal, waitingModal } from '../../slack/kit/modal.ts';
import {
  FIRST_CONNECTION_NAME,
  ROLE_NAMES,
  TYPE_NAMES,
} from '../../workspace/credentials/connection-record.ts';
import { LIFETIME_NAMES } from '../../workspace/credentials/expiry.ts';
import { stampOf } from '../../workspace/record/change.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Services } from '../feature.ts';
import { type ConnectFormDefaults, MAX_ACCOUNT_LENGTH } from './parse.ts';

export const CONNECT_TITLE = 'Connect billing';

/** Whether a typed name can be filled in: a known one, or one that does not look like a secret. */
export const canFillIn = (name: string, { connectionNames }: Workspace, typed = name): boolean =>
  connectionNames.includes(name) || !couldBeSecret(typed);

/** What the form begins with: the values of the connection of that name, else the likely values of a new connection. */
export function connectFormDefaults(
  record: Workspace,
  wanted: string | undefined,
  addresses: Services['addresses'],
): ConnectFormDefaults {
  const chosen = record.defaultConnection;
  const name = wanted ?? chosen ?? record.connectionNames[0] ?? FIRST_CONNECTION_NAME;
  const current = record.connections.get(name);
  if (current !== undefined) {
    // Without type, role and lifetime: those are the current token's.
    const { baseUrl, authUrl = '', account = '', test } = current;
    return { name, baseUrl, authUrl, account, ...(test && { project: test.project }) };
  }
  const like = record.connections.get(chosen ?? '');
  const { baseUrl = like?.baseUrl, authUrl = like?.authUrl } = addresses;
  return withoutUndefined({ name, baseUrl, authUrl });
}

const choices = (names: Record<string, string>) =>
  Object.entries(names).map(([value, name]) => option(name, value));

/**
 * The fields that everyone sees, of which three must be filled in; the others appear after **More…**. The token's field is never filled in: Slack
 * keeps what was typed there.
 */
export function connectForm(
  known: ConnectFormDefaults,
  record: Workspace,
  { isExpanded = false }: { readonly isExpanded?: boolean } = {},
): ModalView {
  const others = record.connectionNames;
  const { name: opened = '' } = known;
  return modal({
    callback: 'connect',
    metadata: JSON.stringify({
      ...(isExpanded ? {} : { ...UNSAID, ...known }),
      opened,
      stamp: stampOf(record, FIELDS.connection + opened),
    }),
    title: CONNECT_TITLE,
    submit: 'Test and save',
    blocks: [
      others.length > 0 && section(describeEffect(known.name ?? '', record)),
      textInput({
        block: 'token',
        label: 'User access token',
        hint: 'In the console: Access management → Access tokens → Create token. Copy it there: the console shows it once. Tally encrypts it and never shows it again.',
        max: 3000,
      }),
      textInput({
        block: 'baseUrl',
        label: 'Address of the billing service',
        hint: 'The part before /bill/graphql. Use a public https address, unless your operator has allowed another.',
        placeholder: 'https://billing.example.com',
        initial: known.baseUrl,
        max: 500,
      }),
      textInput({
        block: 'project',
        label: 'Project to test with',
        hint: 'The numeric ID. In the console: Cloud servers → your project → project card.',
        placeholder: '123',
        initial: known.project,
        max: 64,
      }),
      choiceInput({
        block: 'lifetime',
        label: 'Lifetime of the token',
        hint: `As in the console, counted from today. ${REMINDER_HINT} Skip it if you don’t know.`,
        options: choices(LIFETIME_NAMES),
        initial: known.lifetime,
        optional: true,
      }),
      ...(isExpanded ? moreInputs(known, others) : [actions(button('connect-more', 'More…'))]),
    ],
  });
}

/** The values of hidden fields; type, role and expiry are not guessed. */
const UNSAID: ConnectFormDefaults = {
  name: FIRST_CONNECTION_NAME,
  role: '',
  type: '',
  account: '',
  authUrl: '',
};

const moreInputs = (known: ConnectFormDefaults, others: readonly string[]): (Block | InputBlock)[] => [
  header('More'),
  textInput({
    block: 'name',
    label: 'Name of the connection',
    hint:
      others.length === 0
        ? 'Keep this name unless you have several accounts.'
        : `You have: ${others.join(', ')}. Use one of these to replace its token, or a new name to add a connection.`,
    initial: known.name,
    max: 32,
  }),
  choiceInput({
    block: 'role',
    label: 'Role of the token',
    hint: 'As in the console. Read-only or Accountant is enough.',
    options: choices(ROLE_NAMES),
    initial: known.role,
    optional: true,
  }),
  choiceInput({
    block: 'type',
    label: 'Type of the token',
    hint: 'As in the console.',
    options: choices(TYPE_NAMES),
    initial: known.type,
    optional: true,
  }),
  textInput({
    block: 'account',
    label: 'Account',
    hint: 'Helps you recognize the token later.',
    initial: known.account,
    max: MAX_ACCOUNT_LENGTH,
    optional: true,
  }),
  textInput({
    block: 'authUrl',
    label: 'Address of the identity service',
    hint: 'Only needed for OS_TOKENs. It ends with /v3.',
    placeholder: 'https://identity.example.com/v3',
    initial: known.authUrl,
    max: 500,
    optional: true,
  }),
];

/** What saving the form will do to the connection of this name. */
function describeEffect(name: string, record: Workspace): string {
  const current = record.connections.get(name);
  if (current !== undefined)
    return `${name} uses ${current.baseUrl} with the token ending ${current.lastFour}. Tally tests the new token before it replaces this one.`;
  if (record.connectionNames.includes(name))
    return `The record of ${name} is damaged and not used. Enter its token again to repair it.`;
  return `${name} will be a new connection. You have: ${record.connectionNames.join(', ')}.`;
}

export const checkingModal: ModalView = waitingModal(
  CONNECT_TITLE,
  'Testing the token: Tally is asking the billing service for the project’s balance, once for each product…',
  context('You can close this window. Tally then sends you the result as a direct message.'),
);
