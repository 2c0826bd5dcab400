import type { BillingClient } from '../../billing/client.ts';
import { DAY } from '../../domain/calendar.ts';
import { isFailure, NoData, WordRefused } from '../../domain/failure.ts';
import type { Visit } from '../../slack/visit.ts';
import type { Audit } from '../../workspace/audit.ts';
import { isConnectionName, MOST_CONNECTIONS, type NewConnection } from '../../workspace/connections.ts';
import { chooseDefault } from '../../workspace/default-connection.ts';
import { readable } from '../../workspace/record.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import { connectedBlocks, connectedModal, plainMessage, refusalMessage, refusedBlocks } from './blocks.ts';
import { createDisconnect } from './disconnect.ts';
import { type Addresses, checking, connectForm, knownOf } from './form.ts';
import { type ConnectRequest, readConnectForm, readName, recall, remember } from './words.ts';

export interface ConnectParts {
  readonly workspaces: Workspaces;
  readonly audit: Audit;
  readonly billing: BillingClient;
  /** The address rules; throws AddressRefused. */
  readonly checkBaseUrl: (text: string) => string;
  /** Filled in for a new connection. */
  readonly addresses: Addresses;
}

const DAYS: Partial<Record<ConnectRequest['lifetime'], number>> = {
  '30-days': 30,
  '60-days': 60,
  '90-days': 90,
  '1-year': 365,
};

/** `/billing connect` and `/billing disconnect`: tokens come in through a form, are tested, sealed and kept by name. */
export function createConnect(parts: ConnectParts): Feature {
  const { workspaces, audit, billing, checkBaseUrl, addresses } = parts;
  const disconnect = createDisconnect(parts);

  const openForm = (visit: Visit, name: string | undefined): Promise<void> =>
    visit.open(connectForm(knownOf(visit.record, name, addresses), visit.record));

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
    const { asker, record, at } = visit;
    const { workspace, person, locale } = asker;
    const { name } = request;
    const names = [...new Set([...record.connectionNames, name])];
    if (names.length > MOST_CONNECTIONS) throw tooMany(name);
    const balance = await test(request);
    const connection = await workspaces.saveConnection(workspace, newConnection(request, person, at));
    const deed = record.connectionNames.includes(name) ? 'connection replaced' : 'connection registered';
    await audit.record(workspace, { at, who: person, deed, about: name });
    const chosen = await keepDefault(name, visit);
    const zone = readable(() => record.settings.zone) ?? 'UTC';
    const blocks = connectedBlocks({ connection, request, balance, names, chosen, at, zone, locale });
    await visit.show(connectedModal(blocks), { text: 'Tally is connected.', blocks });
  };

  /** What was asked by default goes on being asked: an only connection would lose that when a second one comes. */
  const keepDefault = async (name: string, { asker, record, at }: Visit): Promise<string | undefined> => {
    const settings = readable(() => record.settings);
    if (settings === undefined) return undefined;
    const before = record.defaultConnection;
    const chosen = before ?? name;
    if (settings.connection !== chosen) await chooseDefault(workspaces, asker.workspace, chosen);
    if (before === undefined && record.connectionNames.length > 0) {
      const entry = { at, who: asker.person, deed: 'default connection changed', about: chosen } as const;
      await audit.record(asker.workspace, entry);
    }
    return chosen;
  };

  return {
    help: [
      {
        usage: '/billing connect [name]',
        what: 'Register or replace an access token that Tally reads billing with (for those who manage). A workspace with several accounts names several.',
      },
      {
        usage: '/billing disconnect [name]',
        what: 'Delete such a token from Tally (for those who manage).',
      },
    ],
    verbs: {
      connect: { right: 'manage', run: (text, visit) => openForm(visit, readName(text)) },
      ...disconnect.verbs,
    },
    actions: {
      ...disconnect.actions,
      connect: {
        right: 'manage',
        run: ({ value }, visit) => openForm(visit, isConnectionName(value) ? value : undefined),
      },
      'connect-again': {
        right: 'manage',
        run: ({ value }, visit) =>
          visit.show(
            connectForm(recall(value), visit.record),
            plainMessage('The form is closed. Run /billing connect to open it again.'),
          ),
      },
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
            const kept = visit.record.connectionNames.includes(request.name);
            const reason = refusalMessage(error);
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

const tooMany = (name: string): WordRefused =>
  new WordRefused(
    name,
    `would be connection ${MOST_CONNECTIONS + 1}, and ${MOST_CONNECTIONS} is the most`,
    'Replace one of those there are, or remove one with /billing disconnect.',
  );

function newConnection(request: ConnectRequest, person: string, at: number): NewConnection {
  const { name, baseUrl, authUrl, token, role, lifetime, type, account, project, product } = request;
  const days = DAYS[lifetime];
  return {
    ...{ name, baseUrl, token, role, lifetime, type },
    ...(authUrl !== '' && { authUrl }),
    ...(account !== '' && { account }),
    ...(days !== undefined && { lapsesAt: at + days * DAY }),
    test: { project, product },
    registeredBy: person,
    registeredAt: at,
  };
}
