import type { BillingClient } from '../../billing/client.ts';
import { isFailure, NoData, NotConnected } from '../../domain/failure.ts';
import { failureMessage } from '../../slack/failure-reply.ts';
import type { Visit } from '../../slack/visit.ts';
import type { NewConnection } from '../../workspace/connections.ts';
import type { WorkspaceRecord, Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import {
  checking,
  connectedBlocks,
  connectedModal,
  connectForm,
  disconnectMessage,
  plainMessage,
  refusedBlocks,
} from './blocks.ts';
import { type ConnectRequest, readConnectForm, recall, remember } from './words.ts';

export interface ConnectParts {
  readonly workspaces: Workspaces;
  readonly billing: BillingClient;
  /** The address rules; throws AddressRefused. */
  readonly checkBaseUrl: (text: string) => string;
  /** Filled in for a first connection. */
  readonly baseUrl: string | undefined;
}

const NAME = 'main';
const DAY = 86_400_000;
const DAYS: Partial<Record<ConnectRequest['lifetime'], number>> = {
  '30-days': 30,
  '60-days': 60,
  '90-days': 90,
  '1-year': 365,
};

/** `/billing connect` and `/billing disconnect`: the token comes in through a form, is tested, sealed and kept. */
export function createConnect({ workspaces, billing, checkBaseUrl, baseUrl }: ConnectParts): Feature {
  const openForm = async (visit: Visit): Promise<void> => {
    const current = readable(() => visit.record.connection());
    await visit.open(connectForm({ baseUrl: current?.baseUrl ?? baseUrl ?? '' }, current));
  };

  /** The balance the token can read; undefined when the service accepts it and has nothing for the project. */
  const test = async (request: ConnectRequest) => {
    try {
      return await billing.balance(request, request);
    } catch (error) {
      if (error instanceof NoData) return undefined;
      throw error;
    }
  };

  const connect = async (request: ConnectRequest, visit: Visit): Promise<void> => {
    const { workspace, person, locale } = visit.asker;
    const balance = await test(request);
    const connection = await workspaces.saveConnection(workspace, newConnection(request, person, visit.at));
    const blocks = connectedBlocks({ connection, request, balance, locale });
    await visit.show(connectedModal(blocks), { text: 'Tally is connected.', blocks });
  };

  return {
    help: [
      {
        usage: '/billing connect',
        what: 'Register the access token that Tally reads billing with (owners and admins).',
      },
      { usage: '/billing disconnect', what: 'Delete that token from Tally (owners and admins).' },
    ],
    verbs: {
      connect: { right: 'manage', run: (_, visit) => openForm(visit) },
      disconnect: {
        right: 'manage',
        async run(_, visit) {
          const connection = visit.record.connection();
          if (connection === undefined) throw new NotConnected();
          await visit.answer(disconnectMessage(connection));
        },
      },
    },
    actions: {
      connect: { right: 'manage', run: (_, visit) => openForm(visit) },
      'connect-again': {
        right: 'manage',
        run: ({ value }, visit) =>
          visit.show(
            connectForm(recall(value)),
            plainMessage('The form is closed. Run /billing connect to open it again.'),
          ),
      },
      disconnect: {
        right: 'manage',
        async run(_, visit) {
          const removed = visit.record.connection() !== undefined;
          await workspaces.removeConnection(visit.asker.workspace, NAME);
          await visit.answer(
            plainMessage(
              removed
                ? 'Disconnected. Tally’s copy of the token is deleted.'
                : 'There was no connection any more.',
            ),
          );
        },
      },
      keep: { right: 'manage', run: (_, visit) => visit.answer(plainMessage('Nothing was changed.')) },
    },
    views: {
      connect: {
        right: 'manage',
        read: (fields) => readConnectForm(fields, checkBaseUrl),
        waiting: checking,
        async work(request: ConnectRequest, visit) {
          try {
            await connect(request, visit);
          } catch (error) {
            if (!isFailure(error)) throw error;
            const kept = isConnected(visit.record);
            const reason = failureMessage(error);
            const blocks = refusedBlocks(reason, remember(request), kept);
            await visit.show(connectedModal(blocks), {
              text: reason.text,
              blocks: blocks.filter(({ type }) => type !== 'actions'),
            });
          }
        },
      },
    },
  };
}

function newConnection(
  { baseUrl, token, role, lifetime }: ConnectRequest,
  person: string,
  at: number,
): NewConnection {
  const days = DAYS[lifetime];
  return {
    name: NAME,
    baseUrl,
    token,
    role,
    lifetime,
    registeredBy: person,
    registeredAt: at,
    ...(days !== undefined && { lapsesAt: at + days * DAY }),
  };
}

/** A damaged record must not stand in the way of the form that mends it. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const isConnected = (record: WorkspaceRecord): boolean => readable(() => record.connection()) !== undefined;
