import type { ModalView } from '@slack/types';
import type { BalanceRecord } from '../../billing/client.ts';
import { type BalanceByProduct, fetchBalanceByProduct } from '../../billing/fetch-balance-by-product.ts';
import { commandText } from '../../domain/command-names.ts';
import { type Failure, InvalidWord, isFailure, SecretPasted } from '../../domain/failure/index.ts';
import { moneyFormatter, parseAmount } from '../../domain/money/amount.ts';
import { formatBalance } from '../../domain/money/runway.ts';
import { DEFAULT_PRODUCT, PRODUCTS } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { DAY, type Millis } from '../../domain/time/calendar.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { FIELDS } from '../../redis/keys.ts';
import { toCommand } from '../../slack/commands/command.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import {
  CONNECT_TITLE,
  connectedBlocks,
  type TestedConnection,
} from '../../slack/commands/connected-blocks.ts';
import { actions, button, type Message, quote, section } from '../../slack/kit/blocks.ts';
import { modal } from '../../slack/kit/modal.ts';
import { failureMessage, notSavedMessage } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import { MAX_CONNECTIONS, type NewConnection } from '../../workspace/credentials/connection-record.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import { projectLabel } from '../../workspace/projects/chosen-project.ts';
import { auditedChange, requireUnchanged } from '../../workspace/record/change.ts';
import { isDamaged, type Workspace } from '../../workspace/record/workspace.ts';
import type { Services } from '../feature.ts';
import { type ConnectRequest, encodeConnectMetadata, encodeWithoutName } from './parse.ts';

/** @param request with the record that has the connection @returns the view in the form's place */
export type AfterConnect = (tested: TestedConnection, request: Request) => Promise<ModalView>;

const DAYS: Partial<Record<NonNullable<ConnectRequest['lifetime']>, number>> = {
  '30-days': 30,
  '60-days': 60,
  '90-days': 90,
  '1-year': 365,
};

/** What a submitted form does: tests the token, saves it, and says in the modal how that went. */
export function createConnectionSaving({ workspaces, billing, limits, all }: Services) {
  /** @returns what the test answered, and which connection became the default */
  const save = async (input: ConnectRequest, request: Request) => {
    const { user, workspace, at } = request;
    const { name } = input;
    if (input.opened?.name === name)
      requireUnchanged(workspace, FIELDS.connection + name, input.opened.stamp);
    const names = [...new Set([...workspace.connectionNames, name])];
    if (names.length > MAX_CONNECTIONS) throw tooMany(name);
    // Everyone sees a connection's name, so a token pasted there by mistake must not be saved.
    if (holdsRegisteredSecret(`${name} ${input.account}`, workspace)) throw new SecretPasted();
    limits.demand('tests', { teamId: user.teamId, userId: user.id });
    const access = { ...input, workspace: user.teamId, connection: name, waits: workspace.waits };
    const answers = await fetchBalanceByProduct(billing, access, input.project);
    const action = workspace.connectionNames.includes(name) ? 'connection replaced' : 'connection registered';
    const chosen = defaultWith(name, workspace);
    const change = auditedChange(request, [action, { kind: 'connection', name }], ...chosen.actions);
    await workspaces.saveConnection(change, newConnection(input, answers, user.id, at), chosen.name);
    return { ...answers, connection: name, input, names, chosen: chosen.name };
  };

  return async (input: ConnectRequest, request: Request): Promise<void> => {
    let saved: Awaited<ReturnType<typeof save>>;
    try {
      saved = await save(input, request);
    } catch (error) {
      if (!isFailure(error)) throw error;
      request.recordError(error);
      const kept = request.workspace.connectionNames.includes(input.name)
        ? 'The new token wasn’t saved. The current token stays in use.'
        : 'Nothing was saved.';
      const value = error.kind === 'secret-pasted' ? encodeWithoutName(input) : encodeConnectMetadata(input);
      return request.reply.modal.show(
        CONNECT_TITLE,
        notSavedMessage(error, refusalMessage(error, request), 'connected', kept),
        actions(button('connect-again', 'Back to the form', { style: 'primary', value })),
      );
    }
    const { teamId } = request.user;
    const now = { ...request, workspace: await workspaces.load(teamId) };
    const tested = testedConnection(saved, now);
    const fallback = connectedMessage(tested, now);
    const view = await all.afterConnect()?.(tested, now);
    await request.reply.modal.update(
      view ?? modal({ title: CONNECT_TITLE, blocks: fallback.blocks }),
      fallback,
    );
    await all.connected(teamId);
  };
}

/** Stores the current default when a second connection is added: an only connection is the default without being stored. */
function defaultWith(name: string, record: Workspace) {
  if (isDamaged(record, 'settings')) return { name: undefined, actions: [] };
  const before = record.defaultConnection;
  const isNews = before === undefined && record.connectionNames.length > 0;
  return {
    name: before ?? name,
    actions: isNews ? [['default connection changed', { kind: 'connection', name }] as const] : [],
  };
}

const tooMany = (name: string): InvalidWord =>
  new InvalidWord(
    name,
    `would be connection ${MAX_CONNECTIONS + 1}, and the limit is ${MAX_CONNECTIONS}`,
    `Replace a connection, or remove one with ${commandText('/billing disconnect')}.`,
  );

function newConnection(
  input: ConnectRequest,
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
  readonly input: Pick<ConnectRequest, 'project' | 'channel'>;
  readonly names: readonly string[];
  readonly chosen: string | undefined;
}

/** What is said of the test, the number first. A product is never chosen where several have data. */
function testedConnection(
  { connection, input: { project, channel }, found, failed, names, chosen }: ConnectedResult,
  { user: { locale }, workspace }: Request,
): TestedConnection {
  const money = moneyFormatter(locale, workspace.settings.currency);
  const left = ({ balance }: BalanceRecord) => formatBalance(parseAmount(balance), money);
  const [only, ...others] = found;
  const products = found.map(({ product }) => product);
  const notAnswered = failed.map(
    ({ product, failure }) => `${PRODUCTS[product].name} wasn’t checked: ${failure.message}`,
  );
  const said = (title: string, line: string) => ({
    connection,
    channel,
    project,
    products,
    title,
    lines: [line, ...notAnswered, ...defaultLines(connection, names, chosen)],
  });
  if (only === undefined)
    return said(
      `No data for project ${project}`,
      'The token works, but no product has data for this project. Check the ID in the console.',
    );
  if (others.length === 0)
    return said(
      `${projectLabel({ id: project, product: only.product }, workspace)} · ${left(only.balance)}`,
      `Product: ${PRODUCTS[only.product].name}, the only one with data for it.`,
    );
  const each = found.map(({ product, balance }) => `${PRODUCTS[product].name}: ${left(balance)}`);
  return said(
    `Project ${project} · which product?`,
    `Several products have data for it. Choose the one that the console shows. ${each.join(', ')}.`,
  );
}

const defaultLines = (name: string, names: readonly string[], chosen: string | undefined): string[] =>
  names.length === 1
    ? []
    : name === chosen
      ? [`${name} is the default connection.`]
      : [
          `The default connection is still ${chosen}. To use ${name}, choose it for a project, or make it the default in ${commandText('/billing status')}.`,
        ];

/** For a direct message: the form was closed before the test ended. */
function connectedMessage(tested: TestedConnection, request: Request): Message {
  const {
    title,
    project,
    products: [product, ...others],
  } = tested;
  const words = product === undefined || others.length > 0 ? project : `${project} ${PRODUCTS[product].word}`;
  return {
    text: `Tally is connected. ${title}.`,
    blocks: connectedBlocks(tested, request, [
      actions(
        ...commandButton('name', 'Name the project…', toCommand('/billing projects', `add ${words}`)),
        ...commandButton('schedule', 'Schedule a post…', toCommand('/billing schedule', words)),
      ),
    ]),
  };
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

function refusalMessage(failure: Failure, request: Request): Message {
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
    ? failureMessage(failure, request)
    : { text: failure.message, blocks: [section(`${failure.message}\n${advice}`)] };
}
