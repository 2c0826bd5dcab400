import type { BillingClient } from '../../billing/client.ts';
import { commandText } from '../../domain/commands.ts';
import { InvalidWord, isFailure, NoData, SecretPasted } from '../../domain/failure/index.ts';
import { DAY_MS } from '../../domain/time/calendar.ts';
import { withoutActions } from '../../slack/kit/atoms.ts';
import type { RateLimiter } from '../../slack/rate-limit.ts';
import type { Request } from '../../slack/request.ts';
import { auditedChange } from '../../workspace/change.ts';
import { isConnectionName, MAX_CONNECTIONS, type NewConnection } from '../../workspace/connections.ts';
import { holdsRegisteredSecret, isDamaged } from '../../workspace/workspace.ts';
import type { Workspace, Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import {
  connectedBlocks,
  connectedModal,
  connectTextMessage,
  refusalMessage,
  refusedBlocks,
} from './blocks.ts';
import { createDisconnect } from './disconnect.ts';
import {
  checkingModal,
  connectForm,
  connectFormDefaults,
  type DefaultAddresses,
  isNameable,
} from './form.ts';
import {
  type AddressChecks,
  type ConnectRequest,
  connectFormState,
  decodeConnectMetadata,
  encodeConnectMetadata,
  parseConnectForm,
  parseConnectionName,
  rememberUnnamed,
} from './words.ts';

declare module '../../domain/commands.ts' {
  interface Commands {
    '/billing connect': true;
    '/billing disconnect': true;
  }
  interface Actions {
    connect: true;
    'connect-again': true;
    'connect-more': true;
    disconnect: true;
    'disconnect-ask': true;
    'disconnect-heir': true;
    keep: true;
  }
}

declare module '../feature.ts' {
  interface Feature {
    /** Called after a workspace has registered a token: what waited for one may go on. Never rejects. */
    connected?(workspace: string): Promise<void>;
  }
}

export interface ConnectParts {
  readonly workspaces: Workspaces;
  readonly billing: BillingClient;
  readonly limits: RateLimiter;
  /** The address rules. */
  readonly checks: AddressChecks;
  /** Filled in for a new connection. */
  readonly addresses: DefaultAddresses;
  /** Called after each saved token, so that paused schedules can resume. */
  readonly onConnected?: (workspace: string) => Promise<void>;
}

const DAYS: Partial<Record<ConnectRequest['lifetime'], number>> = {
  '30-days': 30,
  '60-days': 60,
  '90-days': 90,
  '1-year': 365,
};

/** `/billing connect` and `/billing disconnect`: tokens come in through a form, are tested, sealed and kept by name. */
export function createConnect(parts: ConnectParts): Feature {
  const { workspaces, billing, limits, checks, addresses, onConnected } = parts;
  const disconnect = createDisconnect(parts);

  const openForm = (request: Request, name: string | undefined): Promise<void> =>
    request.reply.modal.open(
      connectForm(connectFormDefaults(request.workspace, name, addresses), request.workspace),
    );

  /** @returns the balance of the test project; undefined when the token works but the project has no data */
  const test = async (input: ConnectRequest, { user }: Request) => {
    limits.demand('tests', { teamId: user.teamId, userId: user.id });
    try {
      const access = { ...input, workspace: user.teamId, connection: input.name };
      return await billing.balance(access, input);
    } catch (error) {
      if (error instanceof NoData) return undefined;
      throw error;
    }
  };

  const connect = async (input: ConnectRequest, request: Request): Promise<void> => {
    const { user, workspace, at } = request;
    const { id, locale } = user;
    const { name } = input;
    const names = [...new Set([...workspace.connectionNames, name])];
    if (names.length > MAX_CONNECTIONS) throw tooMany(name);
    // Everyone sees a connection's name, so a token pasted there by mistake must not be saved.
    if (holdsRegisteredSecret(`${name} ${input.account}`, workspace)) throw new SecretPasted();
    const balance = await test(input, request);
    const action = workspace.connectionNames.includes(name) ? 'connection replaced' : 'connection registered';
    const chosen = defaultWith(name, workspace);
    const change = auditedChange(request, [action, name], ...chosen.actions);
    const connection = await workspaces.saveConnection(change, newConnection(input, id, at), chosen.name);
    const zone = workspace.settings.zone;
    const blocks = connectedBlocks({
      connection,
      input,
      balance,
      names,
      chosen: chosen.name,
      at,
      zone,
      locale,
    });
    await request.reply.modal.update(connectedModal(blocks), { text: 'Tally is connected.', blocks });
    await onConnected?.(user.teamId);
  };

  return {
    help: [
      {
        usage: `${commandText('/billing connect')} [name]`,
        what: 'Registers or replaces the access token that Tally reads billing with.',
        right: 'manage',
      },
      {
        usage: `${commandText('/billing disconnect')} [name]`,
        what: 'Deletes a token from Tally.',
        right: 'manage',
      },
    ],
    verbs: {
      connect: {
        right: 'manage',
        opensModal: true,
        async run(text, request, typed = text) {
          const name = parseConnectionName(text);
          // A token after the verb would be filled in as the connection's name.
          if (name !== undefined && !isNameable(name, request.workspace, typed)) throw new SecretPasted();
          await openForm(request, name);
        },
      },
      ...disconnect.verbs,
    },
    actions: {
      ...disconnect.actions,
      connect: {
        right: 'manage',
        opensModal: true,
        run({ value }, request) {
          const isName = isConnectionName(value) && isNameable(value, request.workspace);
          return openForm(request, isName ? value : undefined);
        },
      },
      'connect-more': {
        right: 'manage',
        run: ({ fields, metadata }, request) =>
          request.reply.modal.update(
            connectForm(connectFormState(fields, metadata), request.workspace, { isUnfolded: true }),
          ),
      },
      'connect-again': {
        right: 'manage',
        run: ({ value }, request) =>
          request.reply.modal.update(
            connectForm(decodeConnectMetadata(value), request.workspace),
            connectTextMessage(
              `The form is closed. Run ${commandText('/billing connect')} to open it again.`,
            ),
          ),
      },
    },
    views: {
      connect: {
        right: 'manage',
        read: (fields, metadata) => parseConnectForm(fields, metadata, checks),
        waiting: checkingModal,
        async work(input: ConnectRequest, request) {
          try {
            await connect(input, request);
          } catch (error) {
            if (!isFailure(error)) throw error;
            const kept = request.workspace.connectionNames.includes(input.name);
            const reason = refusalMessage(error);
            const known =
              error.kind === 'secret-pasted' ? rememberUnnamed(input) : encodeConnectMetadata(input);
            const blocks = refusedBlocks(reason, known, kept, error);
            await request.reply.modal.update(connectedModal(blocks), {
              text: reason.text,
              blocks: withoutActions(blocks),
            });
          }
        },
      },
    },
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

function newConnection(input: ConnectRequest, person: string, at: number): NewConnection {
  const { name, baseUrl, authUrl, token, role, lifetime, type, account, project, product } = input;
  const days = DAYS[lifetime];
  return {
    ...{ name, baseUrl, token, role, lifetime, type },
    ...(authUrl !== '' && { authUrl }),
    ...(account !== '' && { account }),
    ...(days !== undefined && { expiresAt: at + days * DAY_MS }),
    test: { project, product },
    registeredBy: person,
    registeredAt: at,
  };
}
