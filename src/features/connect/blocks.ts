import type { ModalView } from '@slack/types';
import type { BalanceRecord } from '../../billing/client.ts';
import { formatMoney, readAmount } from '../../domain/money.ts';
import { DEFAULT_PRODUCT, PRODUCT_IDS, PRODUCTS } from '../../domain/product.ts';
import {
  actions,
  type Block,
  button,
  confirmation,
  context,
  header,
  type Message,
  markup,
  option,
  section,
} from '../../slack/kit/atoms.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';
import { choiceInput, modal, textInput } from '../../slack/kit/modal.ts';
import type { Connection } from '../../workspace/connections.ts';
import type { Remembered } from './words.ts';

const ROLE_NAMES: Record<Connection['role'], string> = {
  administrator: 'Administrator',
  'read-only': 'Read-only',
  accountant: 'Accountant',
  engineer: 'Engineer',
};

const LIFETIME_NAMES: Record<Connection['lifetime'], string> = {
  '30-days': '30 days',
  '60-days': '60 days',
  '90-days': '90 days',
  '1-year': '1 year',
  none: 'No expiry',
};

const choices = (names: Record<string, string>) =>
  Object.entries(names).map(([value, name]) => option(name, value));

const PRODUCT_CHOICES = PRODUCT_IDS.map((id) => option(`${PRODUCTS[id].name} (${id})`, String(id)));

/** The form. The token's field is never filled in. */
export function connectForm(
  known: Partial<Record<keyof Remembered, string>>,
  current?: Connection,
): ModalView {
  return modal({
    callback: 'connect',
    title: 'Connect billing',
    submit: 'Test and save',
    close: 'Cancel',
    blocks: [
      ...(current === undefined ? [] : [section(replaces(current))]),
      textInput({
        block: 'base_url',
        label: 'Address of the billing service',
        hint: 'The part before /bill/graphql. Only https and public addresses, unless the operator of this bot trusts others.',
        placeholder: 'https://billing.example.com',
        initial: known.baseUrl,
        max: 500,
      }),
      textInput({
        block: 'token',
        label: 'User access token',
        hint: 'In the console: Access management → Access tokens → Create token. It is shown there once. Slack shows it while you type; Tally seals it and never shows it again.',
        max: 3000,
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
    ],
  });
}

const replaces = (current: Connection): string =>
  `Connected to ${current.baseUrl} with the token ending in ${current.lastFour}. A new token takes its place once it has passed the test; until then the old one stays in use.`;

export const checking: ModalView = modal({
  title: 'Connect billing',
  blocks: [
    section('Checking… Tally asks the billing service for the balance of the test project.'),
    context('You can close this window: the result then comes as a direct message.'),
  ],
});

/** How the token ended up: what it could read with it, or that the test project gave nothing. */
export interface Connected {
  readonly connection: Connection;
  readonly request: Remembered;
  readonly balance: BalanceRecord | undefined;
  readonly locale: string;
}

export function connectedBlocks({ connection, request, balance, locale }: Connected): Block[] {
  const product = `${PRODUCTS[request.product].name} (${request.product})`;
  const found =
    balance === undefined
      ? `The service accepted the token, but project ${request.project} gave no data as ${product}. Check the ID and the product.`
      : `Project ${request.project} has ${amount(balance, locale)} left as ${product}.`;
  return [
    header('Connected'),
    section(found),
    markup(`Now try \`/balance ${request.project}\` and \`/spend ${request.project} last-7-days\`.`),
    context(escapeMarkup(describe(connection))),
  ];
}

function amount({ balance }: BalanceRecord, locale: string): string {
  const read = readAmount(balance);
  return 'value' in read
    ? formatMoney(read.value, locale)
    : `an amount that Tally cannot read (${read.unreadable})`;
}

/** A registered token in words: never more of it than its last four characters and its fingerprint. */
function describe({ baseUrl, lastFour, fingerprint, role, lifetime, lapsesAt }: Connection): string {
  const until =
    lapsesAt === undefined ? 'no expiry' : `lapses ${new Date(lapsesAt).toISOString().slice(0, 10)}`;
  return `${baseUrl} · token ····${lastFour.replaceAll('·', '')} · fingerprint ${fingerprint} · ${ROLE_NAMES[role]} · ${LIFETIME_NAMES[lifetime]}, ${until}`;
}

export const connectedModal = (blocks: readonly Block[]): ModalView =>
  modal({ title: 'Connect billing', blocks });

/** A failed test: the reason, that nothing was stored, and the form again without the token. */
export function refusedBlocks(reason: Message, remembered: string, kept: boolean): Block[] {
  return [
    header('Not connected'),
    ...reason.blocks.filter(({ type }) => type !== 'actions'),
    section(
      kept ? 'The new token was not stored. The one registered before stays in use.' : 'Nothing was stored.',
    ),
    actions(button('connect-again', 'Back to the form', { style: 'primary', value: remembered })),
  ];
}

export function disconnectMessage(connection: Connection): Message {
  const text = 'Disconnect Tally from the billing service?';
  return {
    text,
    blocks: [
      header(text),
      section(
        'Tally deletes its sealed copy of the token. In the console the token lives on until it lapses or you delete it there.',
      ),
      context(escapeMarkup(describe(connection))),
      actions(
        button('disconnect', 'Disconnect', {
          style: 'danger',
          value: connection.fingerprint,
          confirm: confirmation(
            'Disconnect?',
            'Nobody in this workspace gets figures until somebody connects again.',
            'Disconnect',
            'Keep',
          ),
        }),
        button('keep', 'Keep'),
      ),
    ],
  };
}

export const plainMessage = (text: string): Message => ({ text, blocks: [section(text)] });
