import type { ModalView } from '@slack/types';
import { askEachProduct, type ProductAnswers } from '../../billing/ask-products.ts';
import type { BillingClient } from '../../billing/client.ts';
import { commandText } from '../../domain/commands.ts';
import { InvalidWord, isFailure, SecretPasted } from '../../domain/failure/index.ts';
import { DEFAULT_PRODUCT } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { DAY, type Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import { CONNECT_TITLE, type TestedConnection } from '../../slack/commands/tested-connection.ts';
import { actions, button } from '../../slack/kit/atoms.ts';
import { modal } from '../../slack/kit/modal.ts';
import type { StopsSource } from '../../slack/owned/stopped-items.ts';
import { notSavedMessage } from '../../slack/reply/error-reply.ts';
import type { Request } from '../../slack/request/request.ts';
import type { RateLimiter } from '../../slack/server/rate-limit.ts';
import { MAX_CONNECTIONS, type NewConnection } from '../../workspace/credentials/connections.ts';
import { auditedChange, requireUnchanged } from '../../workspace/record/change.ts';
import { holdsRegisteredSecret, isDamaged } from '../../workspace/record/workspace.ts';
import type { Workspace, Workspaces } from '../../workspace/record/workspaces.ts';
import { connectedMessage, refusalMessage, testedConnection } from './blocks.ts';
import type { DefaultAddresses } from './form.ts';
import { type AddressChecks, type ConnectRequest, encodeConnectMetadata, rememberUnnamed } from './words.ts';

/** @param request with the record that has the connection @returns the view in the form's place */
export type AfterConnect = (tested: TestedConnection, request: Request) => Promise<ModalView>;

export interface ConnectParts {
  readonly workspaces: Workspaces;
  readonly billing: BillingClient;
  readonly limits: RateLimiter;
  /** Called after each saved token or expiry: schedules that waited for a token resume, and reminders are planned. */
  readonly onConnected?: (workspace: SlackId) => Promise<void>;
  /** The form's next view. */
  readonly next: () => AfterConnect | undefined;
  /** What a disconnection stops. */
  readonly stops: () => readonly StopsSource[];
  /** The address rules. */
  readonly checks: AddressChecks;
  /** Filled in for a new connection. */
  readonly addresses: DefaultAddresses;
}

const DAYS: Partial<Record<NonNullable<ConnectRequest['lifetime']>, number>> = {
  '30-days': 30,
  '60-days': 60,
  '90-days': 90,
  '1-year': 365,
};

/** What a submitted form does: tests the token, saves it, and says in the modal how that went. */
export function createConnectionSaving({ workspaces, billing, limits, next, onConnected }: ConnectParts) {
  const test = (input: ConnectRequest, { user, workspace: { waits } }: Request): Promise<ProductAnswers> => {
    limits.demand('tests', { teamId: user.teamId, userId: user.id });
    const access = { ...input, workspace: user.teamId, connection: input.name, waits };
    return askEachProduct(billing, access, input.project);
  };

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
    const answers = await test(input, request);
    const action = workspace.connectionNames.includes(name) ? 'connection replaced' : 'connection registered';
    const chosen = defaultWith(name, workspace);
    const change = auditedChange(request, [action, name], ...chosen.actions);
    await workspaces.saveConnection(change, newConnection(input, answers, user.id, at), chosen.name);
    return { ...answers, connection: name, input, names, chosen: chosen.name };
  };

  const showSaved = async (result: Awaited<ReturnType<typeof save>>, request: Request): Promise<void> => {
    const { teamId } = request.user;
    const now = { ...request, workspace: await workspaces.read(teamId) };
    const tested = testedConnection(result, now);
    const fallback = connectedMessage(tested, now);
    const view = await next()?.(tested, now);
    await request.reply.modal.update(
      view ?? modal({ title: CONNECT_TITLE, blocks: fallback.blocks }),
      fallback,
    );
    await onConnected?.(teamId);
  };

  return async (input: ConnectRequest, request: Request): Promise<void> => {
    let saved: Awaited<ReturnType<typeof save>>;
    try {
      saved = await save(input, request);
    } catch (error) {
      if (!isFailure(error)) throw error;
      const kept = request.workspace.connectionNames.includes(input.name)
        ? 'The new token wasn’t saved. The current token stays in use.'
        : 'Nothing was saved.';
      const value = error.kind === 'secret-pasted' ? rememberUnnamed(input) : encodeConnectMetadata(input);
      return request.reply.modal.show(
        CONNECT_TITLE,
        notSavedMessage(error, refusalMessage(error, request), 'connected', kept),
        actions(button('connect-again', 'Back to the form', { style: 'primary', value })),
      );
    }
    await showSaved(saved, request);
  };
}

/** Keeps the current default: an only connection is the default without being stored as one, until a second one is added. */
function defaultWith(name: string, record: Workspace) {
  if (isDamaged(record, 'settings')) return { name: undefined, actions: [] };
  const before = record.defaultConnection;
  const isNews = before === undefined && record.connectionNames.length > 0;
  return { name: before ?? name, actions: isNews ? [['default connection changed', name] as const] : [] };
}

const tooMany = (name: string): InvalidWord =>
  new InvalidWord(
    name,
    `would be connection ${MAX_CONNECTIONS + 1}, and the limit is ${MAX_CONNECTIONS}`,
    `Replace a connection, or remove one with ${commandText('/billing disconnect')}.`,
  );

function newConnection(
  input: ConnectRequest,
  { found: [first] }: ProductAnswers,
  person: SlackId,
  at: Millis,
): NewConnection {
  const { name, baseUrl, authUrl, token, role, lifetime, type, account, project } = input;
  const { product = DEFAULT_PRODUCT } = first ?? {};
  const days = lifetime && DAYS[lifetime];
  return {
    ...{ name, baseUrl, token },
    ...(role && { role }),
    ...(type && { type }),
    ...(lifetime && { lifetime }),
    ...(authUrl !== '' && { authUrl }),
    ...(account !== '' && { account }),
    ...(days !== undefined && { expiresAt: at + days * DAY }),
    test: { project, product },
    registeredBy: person,
    registeredAt: at,
  };
}
