import type { BalanceRecord } from '../../billing/client.ts';
import { commandText } from '../../domain/commands.ts';
import type { Failure } from '../../domain/failure/index.ts';
import { formatMoney, parseAmount } from '../../domain/money/amount.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { Millis, Zone } from '../../domain/time/calendar.ts';
import {
  actions,
  type Block,
  button,
  context,
  escapeMarkup,
  header,
  type Message,
  markup,
  quote,
  section,
} from '../../slack/kit/atoms.ts';
import { failureMessage } from '../../slack/reply/error-blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  type Connection,
  describeToken,
  formatExpiry,
  isExpiryUnknown,
  ROLE_NAMES,
} from '../../workspace/credentials/connections.ts';
import type { ConnectMetadata } from './words.ts';

/** The outcome of a successful test; `balance` is undefined when the test project has no data. */
export interface ConnectedResult {
  readonly connection: Connection;
  readonly input: ConnectMetadata;
  readonly balance: BalanceRecord | undefined;
  /** Every connection there is now, and the one that is asked if none is named. */
  readonly names: readonly string[];
  readonly chosen: string | undefined;
}

export function connectedBlocks(
  connected: ConnectedResult,
  { user: { locale }, workspace: { settings }, at }: Request,
): Block[] {
  const { connection, input, balance } = connected;
  const product = PRODUCTS[input.product].name;
  const found =
    balance === undefined
      ? `The token works, but there is no ${product} data for project ${input.project}. Check the ID and the product.`
      : `Project ${input.project} has ${amount(balance, locale)} left (${product}).`;
  return [
    header('Connected'),
    section(found),
    markup(next(connected)),
    ...(isExpiryUnknown(connection) ? expiryUnknownBlocks(connection) : []),
    context(escapeMarkup(describeConnection(connection, at, settings.zone))),
  ];
}

const expiryUnknownBlocks = ({ name }: Connection): Block[] => [
  section('Say when the token expires, and Tally reminds you before.'),
  actions(button('connection-expiry', 'Set expiry…', { value: name })),
];

/** Commands with a bare ID use the default connection, so only that one gets an example. */
function next({ connection: { name }, input: { project }, names, chosen }: ConnectedResult): string {
  const tries = `Now try \`${commandText('/balance')} ${project}\` and \`${commandText('/spend')} ${project} last-7-days\`.`;
  if (names.length === 1) return tries;
  if (name === chosen) return `${name} is the default connection. ${tries}`;
  return `The default connection is still ${chosen}. To use ${name}, choose it for a project in \`${commandText('/billing projects')}\`, or make it the default in \`${commandText('/billing status')}\`.`;
}

function amount({ balance }: BalanceRecord, locale: string): string {
  const read = parseAmount(balance);
  return 'value' in read
    ? formatMoney(read.value, locale)
    : `an amount that Tally can’t read (${read.unreadable})`;
}

/** A registered token in one line: never more of it than its last four characters and its fingerprint. */
export function describeConnection(connection: Connection, at: Millis, zone: Zone): string {
  const { name, baseUrl, role } = connection;
  return [
    name,
    baseUrl,
    describeToken(connection),
    ...(role ? [ROLE_NAMES[role]] : []),
    formatExpiry(connection, at, zone),
  ].join(' · ');
}

const CHECK_ADDRESS =
  'Check the address: it may lead to something else, such as a login page or a proxy. If it’s right, try again later.';

/** Advice for the person who has just pasted the token; they don't need to ask an admin. */
const ADVICE: Partial<Record<Failure['kind'], string>> = {
  'token-rejected':
    'Copy the whole token from the console again. If it still fails, the token may have expired or been revoked, or the address may be wrong.',
  'service-failed': CHECK_ADDRESS,
  'invalid-response': CHECK_ADDRESS,
  'response-too-large': CHECK_ADDRESS,
  'service-unreachable': 'Check the address, or try again later: the service may be down.',
  forbidden:
    'Give the token the role Read-only or Accountant. If it has one of these, the project may belong to another account.',
};

/** Why the test of a new token failed. */
export function refusalMessage(failure: Failure): Message {
  if (failure.kind === 'redirect-refused')
    return {
      text: failure.message,
      blocks: [
        section(`${failure.message}\nIf the service has moved, enter the new address. It redirects to:`),
        quote(failure.target),
      ],
    };
  const advice = ADVICE[failure.kind];
  return advice === undefined
    ? failureMessage(failure)
    : { text: failure.message, blocks: [section(`${failure.message}\n${advice}`)] };
}
