import { type BalanceByProduct, type BalanceRecord, fetchBalanceByProduct } from '../../billing/client.ts';
import { commandText } from '../../domain/command-names.ts';
import { InvalidWord, ignoreFailure } from '../../domain/failure/index.ts';
import { moneyFormatter, parseAmount } from '../../domain/money/amount.ts';
import { formatBalance } from '../../domain/money/runway.ts';
import { DEFAULT_PRODUCT, PRODUCTS } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { DAY, type Millis } from '../../domain/time/calendar.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { pluralize } from '../../domain/wording.ts';
import { actions, type Message, section } from '../../slack/block-kit/blocks.ts';
import { commandButton, toCommand } from '../../slack/commands/command-buttons.ts';
import type { SentForm } from '../../slack/forms/form.ts';
import type { Request } from '../../slack/request/request.ts';
import type { LIFETIMES } from '../../workspace/credentials/credential-records.ts';
import { MAX_CONNECTIONS, type NewConnection } from '../../workspace/credentials/credential-records.ts';
import { findNamed, projectLabel } from '../../workspace/projects/chosen-project.ts';
import { resolveProject } from '../../workspace/projects/resolve-project.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { isDamaged, type Workspace } from '../../workspace/record/workspace.ts';
import type { Services } from '../feature.ts';
import type { connectionFields } from './connect-form.ts';

const DAYS: Partial<Record<(typeof LIFETIMES)[number], number>> = {
  '30-days': 30,
  '60-days': 60,
  '90-days': 90,
  '1-year': 365,
};

export type SentConnection = SentForm<ReturnType<typeof connectionFields>>;
type ConnectInput = SentConnection['input'];

/** What a sent form does: tests the token, saves it, and says how that went. */
export function createConnectionSaving({ workspaces, billing, limits, all }: Services) {
  /** @throws Failure */
  const save = async ({ input, request }: SentConnection): Promise<Message> => {
    const { user, workspace, at } = request;
    const { name } = input;
    const names = [...new Set([...workspace.connectionNames, name])];
    if (names.length > MAX_CONNECTIONS) throw tooMany(name);
    limits.demand('tests', { teamId: user.teamId, userId: user.id });
    const access = { ...input, workspace: user.teamId, connection: name };
    const answers = await fetchBalanceByProduct(billing, access, input.project);
    const isKnown = workspace.connectionNames.includes(name);
    const action = isKnown ? 'replaced the token of the connection' : 'added the connection';
    const chosen = defaultWith(name, workspace);
    const change = auditedChange(request, [action, name], ...chosen.actions);
    await workspaces.saveConnection(change, newConnection(input, answers, user.id, at), chosen.name);
    const now = { ...request, workspace: await workspaces.load(user.teamId) };
    const saved = { ...answers, connection: name, project: input.project, names, chosen: chosen.name };
    // Deliveries that waited for it go on.
    await all.connected(user.teamId);
    return connectedMessage(saved, await daysLeft(saved, now), now);
  };

  /** @returns undefined unless one product has data for the tested project, or where its figures can't be fetched */
  async function daysLeft(
    { connection, project, found: [only, ...others] }: ConnectedResult,
    request: Request,
  ): Promise<number | undefined> {
    if (only === undefined || others.length > 0) return undefined;
    const { product } = only;
    const target = {
      ...resolveProject({ project, product }, request.workspace, { channel: undefined, isUnlimited: true }),
      connection,
    };
    return all.daysLeft()?.(target, request).catch(ignoreFailure);
  }
  return save;
}

/** Stores the current default when a second connection is added: an only connection is the default without being stored. */
function defaultWith(name: string, record: Workspace) {
  if (isDamaged(record, 'settings')) return { name: undefined, actions: [] };
  const before = record.defaultConnection;
  const isNews = before === undefined && record.connectionNames.length > 0;
  return {
    name: before ?? name,
    actions: isNews ? [['changed the default connection to', name] as const] : [],
  };
}

const tooMany = (name: string): InvalidWord =>
  new InvalidWord(
    name,
    `would be connection ${MAX_CONNECTIONS + 1}, and the limit is ${MAX_CONNECTIONS}`,
    `Replace a connection, or remove one with ${commandText('/billing disconnect')}.`,
  );

function newConnection(
  input: ConnectInput,
  { found: [first] }: BalanceByProduct,
  person: SlackId,
  at: Millis,
): NewConnection {
  const { name, baseUrl, authUrl, token, role, lifetime, type, account, project } = input;
  const { product = DEFAULT_PRODUCT } = first ?? {};
  const days = lifetime && DAYS[lifetime];
  return {
    name,
    baseUrl,
    token,
    ...withoutUndefined({ role, type, lifetime, expiresAt: days && at + days * DAY }),
    ...withoutUndefined({ authUrl: authUrl || undefined, account: account || undefined }),
    test: { project, product },
    registeredBy: person,
    registeredAt: at,
  };
}

/** The outcome of a successful test. */
interface ConnectedResult extends BalanceByProduct {
  readonly connection: string;
  readonly project: string;
  readonly names: readonly string[];
  readonly chosen: string | undefined;
}

/** What the first project has left, and the one thing to do next. A product is never chosen where several have data. */
function connectedMessage(
  { connection, project, found, failed, names, chosen }: ConnectedResult,
  days: number | undefined,
  { user: { locale }, workspace }: Request,
): Message {
  const money = moneyFormatter(locale, workspace.settings.currency);
  const balanceOf = ({ balance }: { readonly balance: BalanceRecord }) =>
    formatBalance(parseAmount(balance.balance), money);
  const [only, ...others] = found;
  const named = only && findNamed({ id: project, product: only.product }, workspace);
  const label = projectLabel({ id: project, product: only?.product ?? DEFAULT_PRODUCT }, workspace);
  const each = found.map((one) => `${PRODUCTS[one.product].name}: ${balanceOf(one)}`);
  const lasts =
    days === undefined ? '' : `, ${days === 0 ? 'less than a day' : `about ${pluralize(days, 'day')}`}`;
  const fact =
    only === undefined
      ? `The token works, but no product has data for project ${project}. Check the ID in the console.`
      : others.length === 0
        ? `${label} ${balanceOf(only).endsWith('overdrawn') ? 'is' : 'has'} ${balanceOf(only)}${lasts}.`
        : `Several products have data for project ${project}. ${each.join(', ')}.`;
  const notAnswered = failed.map(
    ({ product, failure }) => `${PRODUCTS[product].name} wasn’t checked: ${failure.message}`,
  );
  const text = ['Connected ✓', fact, ...notAnswered, ...defaultLines(connection, names, chosen)].join(' ');
  const about = only === undefined || others.length > 0 ? [] : [PRODUCTS[only.product].word];
  // Without a name, a project is asked about over the default connection.
  const asked = named === undefined ? chosen : (named.connection ?? chosen);
  const next =
    only !== undefined && others.length === 0 && asked === connection
      ? commandButton(
          'schedule',
          'Post it every morning',
          toCommand('/billing schedule', [project, ...about].join(' ')),
          { style: 'primary' },
        )
      : commandButton(
          'name',
          'Name a project…',
          toCommand(
            '/billing projects',
            ['add', ...(only === undefined ? [] : [project]), ...about, 'on', connection].join(' '),
          ),
          { style: 'primary' },
        );
  return { text, blocks: [section(text), actions(...next)] };
}

const defaultLines = (name: string, names: readonly string[], chosen: string | undefined): string[] =>
  names.length === 1
    ? []
    : name === chosen
      ? [`${name} is the default connection.`]
      : [
          `The default connection is still ${chosen}. To use ${name}, choose it for a project, or make it the default in ${commandText('/billing status')}.`,
        ];
