/** The form that registers a billing token. It tests the token, saves it, and shows the tested project's balance. */
import type { BalanceRecord, BillingClient, BillingCredentials } from '../../billing/client.ts';
import { DEFAULT_PRODUCT, PRODUCT_IDS, PRODUCTS, type ProductId } from '../../domain/billing-products.ts';
import { commandText } from '../../domain/command-names.ts';
import {
  type Failure,
  failureOf,
  InvalidWord,
  ignoreFailure,
  isFailure,
} from '../../domain/failure/index.ts';
import { moneyFormatter, parseAmount } from '../../domain/money/amount.ts';
import { formatBalance } from '../../domain/money/balance-and-runway.ts';
import { looksLikeSecret } from '../../domain/secret-detection.ts';
import { DAY } from '../../domain/time/calendar.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { pluralize } from '../../domain/wording.ts';
import { FIELDS } from '../../redis/keys.ts';
import { actions, type Message, section } from '../../slack/block-kit/blocks.ts';
import { commandButton, toCommand } from '../../slack/commands/command-buttons.ts';
import { projectIdField, REMINDER_HINT } from '../../slack/forms/common-fields.ts';
import {
  choice,
  choices,
  type Field,
  type FieldRefusal,
  noteField,
  refuseField,
  text,
  underMore,
} from '../../slack/forms/fields.ts';
import { createForm, type SentForm } from '../../slack/forms/form.ts';
import type { FormValues } from '../../slack/request/payload.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  FIRST_CONNECTION_NAME,
  isConnectionName,
  LIFETIME_NAMES,
  MAX_CONNECTIONS,
  type NewConnection,
  ROLE_NAMES,
  TYPE_NAMES,
} from '../../workspace/credentials/credential-records.ts';
import { findNamed, projectLabel } from '../../workspace/projects/chosen-project.ts';
import { resolveProject } from '../../workspace/projects/resolve-project.ts';
import { auditedChange } from '../../workspace/record/audited-change.ts';
import { isDamaged, type Workspace } from '../../workspace/record/workspace.ts';
import type { Services } from '../feature.ts';

type SentConnection = SentForm<ReturnType<typeof connectionFields>>;

export const createConnectForm = (services: Services) =>
  createForm('connect', {
    right: 'manage',
    heading: 'Connect billing',
    submit: 'Test and save',
    waiting: 'Testing the token: asking billing for the project’s balance…',
    start(wanted: string | undefined, { workspace }) {
      const values = connectionValues(workspace, wanted, services.defaultAddresses);
      return { id: values.name, values };
    },
    fields: connectionFields(services.parseAddress),
    records: (name) => [FIELDS.connection + name],
    save: (sent) => testAndSave(sent, services),
    done: 'connected',
    unchanged: ({ input, request }) =>
      request.workspace.connectionNames.includes(input.name)
        ? 'The new token wasn’t saved. The current token stays in use.'
        : 'Nothing was saved.',
  });

async function testAndSave(
  { input, request }: SentConnection,
  { workspaces, billing, limits, delivery, registry }: Services,
): Promise<Message | FieldRefusal> {
  const { user, workspace } = request;
  const { name, project } = input;
  const { connectionNames: names } = workspace;
  const isNew = !names.includes(name);
  if (isNew && names.length >= MAX_CONNECTIONS)
    return refuseField(
      `You have ${MAX_CONNECTIONS} connections, the maximum. Replace one, or disconnect one with ${commandText('/billing disconnect')}.`,
    );
  limits.demand('tests', { teamId: user.teamId, userId: user.id });
  const access = { ...input, workspace: user.teamId, connection: name };
  const answers = await fetchBalanceByProduct(billing, access, project);
  const usual = defaultWith(name, workspace);
  const action = isNew ? 'added the connection' : 'replaced the token of the connection';
  const change = auditedChange(request, [action, name], ...usual.actions);
  await request.reply.confirm();
  await workspaces.saveConnection(change, newConnection(input, answers, request), usual.name);
  const now = { ...request, workspace: await workspaces.load(user.teamId) };
  // Resumes posts that were paused because they lacked this connection.
  await delivery.changed(user.teamId);
  const [only, ...others] = answers.found;
  const isSure = only !== undefined && others.length === 0;
  const target = isSure && {
    ...resolveProject({ project, product: only.product }, now.workspace, {
      channel: undefined,
      isUnlimited: true,
    }),
    connection: name,
  };
  const days = target ? await registry.daysLeft()?.(target, now).catch(ignoreFailure) : undefined;
  return connectedMessage(input, answers, days, now);
}

interface BalanceByProduct {
  readonly found: readonly { readonly product: ProductId; readonly balance: BalanceRecord }[];
  readonly failed: readonly { readonly product: ProductId; readonly failure: Failure }[];
}

/**
 * The API doesn't say which product a project has, so this asks about each product. @throws Failure if the query
 * failed for every product
 */
async function fetchBalanceByProduct(
  billing: BillingClient,
  // Leaves out `failures`, because a failure of a guessed product must not be saved as the project's.
  { failures: _, ...access }: BillingCredentials,
  project: string,
): Promise<BalanceByProduct> {
  const answers = await Promise.all(
    PRODUCT_IDS.map(async (product) => ({
      product,
      answer: await billing.balance(access, { project, product }).catch(failureOf),
    })),
  );
  const found = answers.flatMap(({ product, answer }) =>
    isFailure(answer) ? [] : [{ product, balance: answer }],
  );
  const failed = answers.flatMap(({ product, answer }) =>
    isFailure(answer) && answer.kind !== 'no-data' ? [{ product, failure: answer }] : [],
  );
  const [first] = failed;
  if (first !== undefined && failed.length === PRODUCT_IDS.length) throw first.failure;
  return { found, failed };
}

/** A workspace's only connection is its default, but it is stored as the default only when a second one is added. */
function defaultWith(name: string, record: Workspace) {
  if (isDamaged(record, 'settings')) return { name: undefined, actions: [] };
  const before = record.defaultConnection;
  const isNews = before === undefined && record.connectionNames.length > 0;
  return {
    name: before ?? name,
    actions: isNews ? [['changed the default connection to', name] as const] : [],
  };
}

const LIFETIME_DAYS = { '30-days': 30, '60-days': 60, '90-days': 90, '1-year': 365, none: undefined };

function newConnection(
  { name, baseUrl, authUrl, token, role, lifetime, type, account, project }: SentConnection['input'],
  { found: [first] }: BalanceByProduct,
  { user, at }: Request,
): NewConnection {
  const days = lifetime && LIFETIME_DAYS[lifetime];
  return {
    name,
    baseUrl,
    token,
    ...withoutUndefined({ role, type, lifetime, expiresAt: days && at + days * DAY }),
    ...withoutUndefined({ authUrl: authUrl || undefined, account: account || undefined }),
    test: { project, product: first?.product ?? DEFAULT_PRODUCT },
    registeredBy: user.id,
    registeredAt: at,
  };
}

function connectedMessage(
  { name, project }: SentConnection['input'],
  { found, failed }: BalanceByProduct,
  days: number | undefined,
  { user: { locale }, workspace }: Request,
): Message {
  const money = moneyFormatter(locale, workspace.settings.currency);
  const balanceOf = ({ balance }: { readonly balance: BalanceRecord }) =>
    formatBalance(parseAmount(balance.balance), money);
  const only = found.length === 1 ? found[0] : undefined;
  const named = only && findNamed({ id: project, product: only.product }, workspace);
  const lasts =
    days === undefined ? '' : `, ${days === 0 ? 'less than a day' : `about ${pluralize(days, 'day')}`}`;
  const each = found.map((one) => `${PRODUCTS[one.product].name}: ${balanceOf(one)}`);
  const fact = only
    ? `${projectLabel({ id: project, product: only.product }, workspace)} ${balanceOf(only).endsWith('overdrawn') ? 'is' : 'has'} ${balanceOf(only)}${lasts}.`
    : found.length > 0
      ? `Project ${project} has data for several products. ${each.join(', ')}.`
      : `The token works, but no product has data for project ${project}. Check the ID in the console.`;
  const notAnswered = failed.map(
    ({ product, failure }) => `${PRODUCTS[product].name} wasn’t checked: ${failure.message}`,
  );
  const text = ['Connected ✓', fact, ...notAnswered, ...defaultLines(name, workspace)].join(' ');
  const words = [...(found.length > 0 ? [project] : []), ...(only ? [PRODUCTS[only.product].word] : [])];
  // Tally uses the default connection for a project without a name.
  const isAskable = only && (named?.connection ?? workspace.defaultConnection) === name;
  const [label, command] = isAskable
    ? ['Post it every morning', toCommand('/billing schedule', words.join(' '))]
    : ['Name a project…', toCommand('/billing projects', ['add', ...words, 'on', name].join(' '))];
  const next = commandButton('next', label, command, { style: 'primary' });
  return { text, blocks: [section(text), actions(...next)] };
}

const defaultLines = (
  name: string,
  { connectionNames, defaultConnection: usual }: Workspace,
): readonly string[] =>
  connectionNames.length === 1
    ? []
    : name === usual
      ? [`${name} is the default connection.`]
      : [
          `The default connection is still ${usual}. To use ${name}, choose it for a project, or make it the default in ${commandText('/billing status')}.`,
        ];

const A_NAME = 'Use 2 to 32 letters, digits and hyphens, for example main or eu-finance.';
const A_SECRET = 'That looks like a token. Everyone can see this field, so choose something else.';
/** HTTP headers allow only visible ASCII. A space or line break means a copying mistake. */
const TOKEN = /^[\x21-\x7e]+$/;

/** @returns undefined if the text is empty @throws InvalidWord */
export function parseConnectionName(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  if (name === '') return undefined;
  if (!isConnectionName(name))
    throw new InvalidWord(name.slice(0, 40), 'isn’t a valid connection name', A_NAME);
  return name;
}

function connectionValues(
  record: Workspace,
  wanted: string | undefined,
  defaultAddresses: Services['defaultAddresses'],
): FormValues & { readonly name: string } {
  const name = wanted ?? record.defaultConnection ?? record.connectionNames[0] ?? FIRST_CONNECTION_NAME;
  const current = record.connections.get(name);
  const like = current ?? {
    ...record.connections.get(record.defaultConnection ?? ''),
    ...withoutUndefined(defaultAddresses),
  };
  const { baseUrl = '', authUrl = '' } = like;
  const { account = '', test } = current ?? {};
  return { name, baseUrl, authUrl, account, project: test?.project ?? '' };
}

const asInConsole = <T extends string>(
  label: string,
  hint: string,
  names: Record<T, string>,
): Field<T | undefined> =>
  choice(label, {
    hint,
    options: choices(names),
    optional: true,
    parse: (chosen) => (Object.hasOwn(names, chosen) ? (chosen as T) : undefined),
  });

const TOKEN_FIELD = text('User access token', {
  hint: 'In the console: Access management → Access tokens → Create token. Copy it right away: the console shows it only once. Tally encrypts it and never shows it again.',
  max: 3000,
  secret: true,
  parse(typed) {
    const token = withoutQuotes(typed);
    return TOKEN.test(token) ? token : refuseField('Paste only the token, without spaces or line breaks.');
  },
});

const MORE_FIELDS = {
  lifetime: underMore(
    asInConsole(
      'Token lifetime',
      `As in the console, counted from today. ${REMINDER_HINT} Skip it if you don’t know.`,
      LIFETIME_NAMES,
    ),
  ),
  name: underMore(
    text('Connection name', {
      hint: 'Keep this name if you have one account. A new name adds a connection. Under an existing name, the new token replaces the old one.',
      max: 32,
      parse(typed, { token = '' }) {
        const name = typed.toLowerCase();
        if (isSecret(name, token)) return refuseField(A_SECRET);
        return isConnectionName(name) ? name : refuseField(A_NAME);
      },
    }),
  ),
  role: underMore(
    asInConsole('Token role', 'As in the console. Read-only or Accountant is enough.', ROLE_NAMES),
  ),
  type: underMore(asInConsole('Token type', 'As in the console.', TYPE_NAMES)),
  account: underMore(
    text('Account', {
      hint: 'Helps you recognize the token later.',
      max: 100,
      optional: true,
      parse: (account, { token = '' }) => (isSecret(account, token) ? refuseField(A_SECRET) : account),
    }),
  ),
};

const connectionFields = (parseAddress: Services['parseAddress']) => ({
  effect: noteField(({ id, request: { workspace } }) =>
    workspace.connectionNames.length === 0 ? [] : [section(describeEffect(id, workspace))],
  ),
  token: TOKEN_FIELD,
  project: projectIdField(
    'Project to test with',
    'The numeric ID. In the console: Cloud servers → your project → project card.',
  ),
  baseUrl: text('Billing service address', {
    hint: 'The part before /bill/graphql. A public https address, unless your operator allows others.',
    placeholder: 'https://billing.example.com',
    max: 500,
    parse: parseAddress.baseUrl,
  }),
  ...MORE_FIELDS,
  authUrl: underMore(
    text('Identity service address', {
      hint: 'Only needed for OS_TOKENs. It ends with /v3.',
      placeholder: 'https://identity.example.com/v3',
      max: 500,
      optional: true,
      parse: (address) => (address === '' ? '' : parseAddress.authUrl(address)),
    }),
  ),
});

const isSecret = (typed: string, pasted: string): boolean => {
  const token = withoutQuotes(pasted).toLowerCase();
  return looksLikeSecret(typed) || (token !== '' && typed.toLowerCase().includes(token));
};

/** Removes the quotes around a copied value; a quote on only one side is part of the value. */
const withoutQuotes = (typed: string): string =>
  typed.trim().replace(/^(["'`])(.+)\1$|^[“”„](.+)[“”]$|^[‘’‚](.+)[‘’]$/s, '$2$3$4');

function describeEffect(name: string, { connections, connectionNames }: Workspace): string {
  const others = connectionNames.length > 1 ? ` of ${name}` : '';
  const known = connectionNames.length > 1 ? ` Your connections: ${connectionNames.join(', ')}.` : '';
  if (connections.has(name)) return `Replaces the token${others}. Tally tests the new one first.${known}`;
  if (connectionNames.includes(name)) return `The stored token for ${name} is damaged. Enter it again.`;
  return `This adds a connection, ${name}. Your connections: ${connectionNames.join(', ')}.`;
}
