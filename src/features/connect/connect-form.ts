/** The form that registers a billing token. It tests the token, saves it, and shows the tested project's balance. */
import { type BalanceByProduct, type BalanceRecord, fetchBalanceByProduct } from '../../billing/client.ts';
import { commandText } from '../../domain/command-names.ts';
import { ignoreFailure } from '../../domain/failure/index.ts';
import { moneyFormatter, parseAmount } from '../../domain/money/amount.ts';
import { formatBalance } from '../../domain/money/runway.ts';
import { DEFAULT_PRODUCT, PRODUCTS } from '../../domain/product.ts';
import { DAY } from '../../domain/time/calendar.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { pluralize } from '../../domain/wording.ts';
import { FIELDS } from '../../redis/keys.ts';
import { actions, context, type Message, section } from '../../slack/block-kit/blocks.ts';
import { commandButton, toCommand } from '../../slack/commands/command-buttons.ts';
import { type FieldRefusal, refuseField } from '../../slack/forms/fields.ts';
import { CHANGED_FIRST, createForm, type SentForm } from '../../slack/forms/form.ts';
import type { Request } from '../../slack/request/request.ts';
import { MAX_CONNECTIONS, type NewConnection } from '../../workspace/credentials/credential-records.ts';
import { findNamed, projectLabel } from '../../workspace/projects/project-ref.ts';
import { resolveProject } from '../../workspace/projects/resolve-project.ts';
import { auditedChange, stampOf } from '../../workspace/record/change.ts';
import { isDamaged, type Workspace } from '../../workspace/record/workspace.ts';
import type { Services } from '../feature.ts';
import { connectionFields, connectionValues } from './connection-fields.ts';

type SentConnection = SentForm<ReturnType<typeof connectionFields>>;

/** A form for one connection: its `id` is the name of the connection that it was opened for. */
export function createConnectForm(services: Services) {
  const { workspaces, parseAddress, defaultAddresses } = services;
  const { open, listeners } = createForm('connect', {
    right: 'manage',
    workspaces,
    heading: 'Connect billing',
    submit: 'Test and save',
    waiting: [
      'Testing the token: asking billing for the project’s balance…',
      context('You can close this window. Tally then sends you the result as a direct message.'),
    ],
    fields: connectionFields(parseAddress),
    hidden: ({ values: { known = '' } }) => ({ known }),
    revision: (id, { workspace }, input) => stampOf(workspace, FIELDS.connection + (input?.name ?? id)),
    // A person who types another connection's name means to replace that connection: this is no conflict.
    conflict: ({ id, input }) => (input.name === id ? CHANGED_FIRST : undefined),
    save: (sent) => testAndSave(sent, services),
    done: 'connected',
    unchanged: ({ input, request }) =>
      request.workspace.connectionNames.includes(input.name)
        ? 'The new token wasn’t saved. The current token stays in use.'
        : 'Nothing was saved.',
  });
  return {
    listeners,
    open(wanted: string | undefined, request: Request): Promise<void> {
      const values = connectionValues(request.workspace, wanted, defaultAddresses);
      return open(request, { id: values.name, values });
    },
  };
}

/** Asks billing with the token before it is saved. @throws Failure */
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
      `You have ${MAX_CONNECTIONS} connections, the maximum. Replace one, or remove one with ${commandText('/billing disconnect')}.`,
    );
  limits.demand('tests', { teamId: user.teamId, userId: user.id });
  const access = { ...input, workspace: user.teamId, connection: name };
  const answers = await fetchBalanceByProduct(billing, access, project);
  const usual = defaultWith(name, workspace);
  const action = isNew ? 'added the connection' : 'replaced the token of the connection';
  const change = auditedChange(request, [action, name], ...usual.actions);
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

/** A workspace's only connection is its default without being stored as such. Adding a second connection stores it. */
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

/** The tested project's balance and one next step. If several products have data for it, the balance of each. */
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
  // A project without a registered name is asked about with the default connection.
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
