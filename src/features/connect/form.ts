import type { ModalView } from '@slack/types';
import { couldBeSecret } from '../../domain/language/secret-detection.ts';
import { DEFAULT_PRODUCT, PRODUCT_IDS, PRODUCTS } from '../../domain/product.ts';
import { context, option, section } from '../../slack/kit/atoms.ts';
import { choiceInput, modal, textInput } from '../../slack/kit/modal.ts';
import {
  type Connection,
  FIRST_CONNECTION_NAME,
  LIFETIME_NAMES,
  ROLE_NAMES,
  TYPE_NAMES,
} from '../../workspace/connections.ts';
import type { Workspace } from '../../workspace/workspaces.ts';
import { type ConnectFormDefaults, MAX_ACCOUNT_LENGTH } from './words.ts';

/** What a new connection's addresses are filled in with. */
export interface DefaultAddresses {
  readonly baseUrl: string | undefined;
  readonly authUrl: string | undefined;
}

/** Whether a name that somebody typed may be filled in: a known one, or one that is no secret by the look of it. */
export const isNameable = (name: string, { connectionNames }: Workspace, typed = name): boolean =>
  connectionNames.includes(name) || !couldBeSecret(typed);

/** What the form begins with: what the connection of that name has, else what a new one probably will. */
export function connectFormDefaults(
  record: Workspace,
  given: string | undefined,
  addresses: DefaultAddresses,
): ConnectFormDefaults {
  const chosen = record.defaultConnection;
  const name = given ?? chosen ?? record.connectionNames[0] ?? FIRST_CONNECTION_NAME;
  const current = record.connections.get(name);
  if (current !== undefined) return knownAs(current);
  const like = record.connections.get(chosen ?? '');
  const baseUrl = addresses.baseUrl ?? like?.baseUrl;
  const authUrl = addresses.authUrl ?? like?.authUrl;
  return { name, ...(baseUrl !== undefined && { baseUrl }), ...(authUrl !== undefined && { authUrl }) };
}

function knownAs({ test, ...connection }: Connection): ConnectFormDefaults {
  const { name, baseUrl, authUrl = '', role, lifetime, type = 'for-oneself', account = '' } = connection;
  return {
    ...{ name, baseUrl, authUrl, role, lifetime, type, account },
    ...(test !== undefined && { project: test.project, product: String(test.product) }),
  };
}

const choices = (names: Record<string, string>) =>
  Object.entries(names).map(([value, name]) => option(name, value));

const PRODUCT_CHOICES = PRODUCT_IDS.map((id) => option(`${PRODUCTS[id].name} (${id})`, String(id)));

/** The form, what has to be filled in first. The token's field is never filled in. */
export function connectForm(known: ConnectFormDefaults, record: Workspace): ModalView {
  const others = record.connectionNames;
  return modal({
    callback: 'connect',
    title: 'Connect billing',
    submit: 'Test and save',
    close: 'Cancel',
    blocks: [
      ...(others.length === 0 ? [] : [section(beside(known.name ?? '', record))]),
      textInput({
        block: 'token',
        label: 'User access token',
        hint: 'In the console: Access management → Access tokens → Create token. It is shown there once. Slack shows it while you type; Tally seals it and never shows it again, so it is asked for each time.',
        max: 3000,
      }),
      textInput({
        block: 'base_url',
        label: 'Address of the billing service',
        hint: 'The part before /bill/graphql. Only https and public addresses, unless the operator of this bot trusts others.',
        placeholder: 'https://billing.example.com',
        initial: known.baseUrl,
        max: 500,
      }),
      textInput({
        block: 'project',
        label: 'A project to test with',
        hint: 'Its ID, digits only. In the console: Cloud servers → your project → project card.',
        placeholder: '123',
        initial: known.project,
        max: 64,
      }),
      choiceInput({
        block: 'product',
        label: 'Product of that project',
        hint: 'Projects under Cloud servers belong to the cloud platform.',
        options: PRODUCT_CHOICES,
        initial: known.product ?? String(DEFAULT_PRODUCT),
      }),
      textInput({
        block: 'name',
        label: 'Name of the connection',
        hint:
          others.length === 0
            ? 'For this workspace alone. One connection is enough unless you have several accounts.'
            : `Registered: ${others.join(', ')}. One of these gets a new token; another name adds a connection.`,
        initial: known.name,
        max: 32,
      }),
      choiceInput({
        block: 'role',
        label: 'Role of the token',
        hint: 'As chosen in the console. Read-only or Accountant is enough for Tally.',
        options: choices(ROLE_NAMES),
        initial: known.role ?? 'read-only',
      }),
      choiceInput({
        block: 'lifetime',
        label: 'Lifetime of the token',
        hint: 'As chosen in the console, counted from today.',
        options: choices(LIFETIME_NAMES),
        initial: known.lifetime ?? '90-days',
      }),
      choiceInput({
        block: 'type',
        label: 'Type of the token',
        hint: 'As chosen in the console.',
        options: choices(TYPE_NAMES),
        initial: known.type ?? 'for-oneself',
      }),
      textInput({
        block: 'account',
        label: 'Account',
        hint: 'As chosen in the console, to recognise it later.',
        initial: known.account,
        max: MAX_ACCOUNT_LENGTH,
        optional: true,
      }),
      textInput({
        block: 'auth_url',
        label: 'Address of the identity service',
        hint: 'Only for OS_TOKENs; it ends with /v3. Balances and spending do without.',
        placeholder: 'https://identity.example.com/v3',
        initial: known.authUrl,
        max: 500,
        optional: true,
      }),
    ],
  });
}

/** What is there already, and what becomes of it. */
function beside(name: string, record: Workspace): string {
  const current = record.connections.get(name);
  if (current !== undefined)
    return `${name} asks ${current.baseUrl} with the token ending in ${current.lastFour}. A new token takes its place once it has passed the test; until then the old one stays in use.`;
  if (record.connectionNames.includes(name))
    return `The record of ${name} is damaged and not used. Registering its token anew mends it.`;
  return `${name} will be a new connection beside ${record.connectionNames.join(', ')}.`;
}

export const checkingModal: ModalView = modal({
  title: 'Connect billing',
  blocks: [
    section('Checking… Tally asks the billing service for the balance of the test project.'),
    context('You can close this window: the result then comes as a direct message.'),
  ],
});
