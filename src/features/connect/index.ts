import { isDeepStrictEqual } from 'node:util';
import { commandText } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import { couldBeSecret } from '../../domain/secret-detection.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { FIELDS } from '../../redis/keys.ts';
import { context, escapeMarkup, section, textMessage } from '../../slack/block-kit/blocks.ts';
import { expiryFields, expiryOf } from '../../slack/forms/common-fields.ts';
import { note, refuseField } from '../../slack/forms/fields.ts';
import { createForm } from '../../slack/forms/form.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/listeners.ts';
import {
  describeConnection,
  describeToken,
  type Expiry,
  formatExpiry,
  isConnectionName,
  withExpiry,
} from '../../workspace/credentials/credential-records.ts';
import type { ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import { auditedChange, stampOf } from '../../workspace/record/change.ts';
import { findConnection, type Workspace } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';
import { connectionFields, connectionValues, parseConnectionName } from './connect-form.ts';
import { createDisconnectForm, requireKnown } from './disconnect.ts';
import { createConnectionSaving } from './save-connection.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/billing connect': true;
    '/billing disconnect': true;
  }
  interface Actions {
    connect: true;
    'connect-form': true;
    'connection-expiry-form': true;
    disconnect: true;
    'disconnect-form': true;
  }
}

declare module '../feature.ts' {
  interface Feature {
    /** Called after a workspace has saved a token, an access or its expiry: deliveries are planned again. Never rejects. */
    connected?(workspace: SlackId): Promise<void>;
    /** How long a project's money lasts; undefined without an estimate. @throws Failure */
    readonly daysLeft?: (target: ResolvedProject, request: Request) => Promise<number | undefined>;
  }
}

/** `/billing connect` and `/billing disconnect`: tokens come in through a form, are tested, sealed and kept by name. */
export function createConnectFeature(services: Services): Feature {
  const form = createConnectForm(services);
  const expiry = createExpiryForm(services);
  const disconnect = createDisconnectForm(services);
  return {
    help: [
      {
        usage: `${commandText('/billing connect')} [name]`,
        what: 'Register or replace the access token that Tally reads billing with.',
        right: 'manage',
      },
      {
        usage: `${commandText('/billing disconnect')} [name]`,
        what: 'Delete a token from Tally.',
        right: 'manage',
      },
    ],
    verbs: {
      // `main expiry` is in the menu of a connection.
      connect: {
        ...{ right: 'manage', opensForm: true },
        parse: (text) => parseConnectionName(text.replace(EXPIRY, '')),
        run: (text, request, typed) =>
          EXPIRY.test(text)
            ? expiry.open(typedName(text.replace(EXPIRY, ''), request), request)
            : form.open(typedName(text, request, typed), request),
      },
      disconnect: {
        ...{ right: 'manage', opensForm: true },
        parse: (text, workspace) => requireKnown(parseConnectionName(text), workspace),
        run: (text, request, typed) => disconnect.open(typedName(text, request, typed), request),
      },
    },
    actions: {
      ...form.listeners.actions,
      ...expiry.listeners.actions,
      ...disconnect.listeners.actions,
      connect: onClick('manage', { opensForm: true }, (name, request) =>
        form.open(isConnectionName(name) && canFillIn(name, request.workspace) ? name : undefined, request),
      ),
      disconnect: onClick('manage', { opensForm: true }, (name, request) =>
        disconnect.open(name === '' ? undefined : name, request),
      ),
    },
    views: { ...form.listeners.views, ...expiry.listeners.views, ...disconnect.listeners.views },
  };
}

const EXPIRY = / expiry$/;

/** @throws InvalidWord; secret-pasted: a token after the verb would be filled in as the connection's name */
function typedName(text: string, { workspace }: Request, typed = text): string | undefined {
  const name = parseConnectionName(text);
  if (name !== undefined && !canFillIn(name, workspace, typed)) throw new Failure('secret-pasted');
  return name;
}

/** Whether a typed name can be filled in: a known one, or one that does not look like a secret. */
const canFillIn = (name: string, { connectionNames }: Workspace, typed = name): boolean =>
  connectionNames.includes(name) || !couldBeSecret(typed);

const stampOfConnection = ({ workspace }: Request, name: string): string =>
  stampOf(workspace, FIELDS.connection + name);

const describeNow = (name: string, { workspace, at }: Request): string => {
  const now = workspace.connections.get(name);
  if (now === undefined) return `${name} was disconnected.`;
  return `It’s now ${escapeMarkup(describeConnection(now, at, workspace.settings.zone))}.`;
};

/** The form of a token; its record's ID is the connection that it was opened for. */
function createConnectForm(services: Services) {
  const { workspaces, checks, addresses } = services;
  const { save, repeated } = createConnectionSaving(services);
  const { open, listeners } = createForm('connect', {
    right: 'manage',
    workspaces,
    heading: 'Connect billing',
    title: () => 'Connect billing',
    submit: 'Test and save',
    waiting: [
      'Testing the token: Tally is asking the billing service for the project’s balance, once for each product…',
      context('You can close this window. Tally then sends you the result as a direct message.'),
    ],
    fields: connectionFields(checks),
    hidden: ({ values: { known = '' } }) => ({ known }),
    revision: (id, request, input) => stampOfConnection(request, input?.name ?? id),
    repeated,
    // Whose name was typed into the form is replaced on purpose.
    conflict: ({ id, input, request }) => (input.name === id ? describeNow(id, request) : undefined),
    save,
    done: 'connected',
    unchanged: ({ input, request }) =>
      request.workspace.connectionNames.includes(input.name)
        ? 'The new token wasn’t saved. The current token stays in use.'
        : 'Nothing was saved.',
  });
  return {
    listeners,
    open(wanted: string | undefined, request: Request): Promise<void> {
      const values = connectionValues(request.workspace, wanted, addresses);
      return open(request, { id: values.name, values });
    },
  };
}

/** **Set expiry…**: changes when a registered token expires, without the token. */
function createExpiryForm({ workspaces, all }: Services) {
  const savedText = (name: string, expiry: Expiry, { workspace, at }: Request) =>
    textMessage(`Saved. The token for ${name}: ${formatExpiry(expiry, at, workspace.settings.zone)}.`);
  const { open, listeners } = createForm('connection-expiry', {
    right: 'manage',
    workspaces,
    heading: 'Token expiry',
    title: () => 'Token expiry',
    fields: {
      token: note(({ id, request: { workspace, at } }) => {
        const connection = workspace.connections.get(id);
        const expires = connection && formatExpiry(connection, at, workspace.settings.zone);
        return connection === undefined ? [] : [section(`${id} · ${describeToken(connection)} · ${expires}`)];
      }),
      ...expiryFields<never>('As in the console.', refuseField('Choose a day, or “It never expires”.')),
    },
    revision: (id, request) => stampOfConnection(request, id),
    repeated({ id, input, request }) {
      const known = request.workspace.connections.get(id);
      const wanted = expiryOf(input.expires, request.workspace.settings.zone);
      const isSame = known !== undefined && isDeepStrictEqual(known, withExpiry(known, wanted));
      return isSame ? savedText(id, wanted, request) : undefined;
    },
    conflict: ({ id, request }) => describeNow(id, request),
    async save({ id, input, request }) {
      const { workspace, user } = request;
      if (findConnection(workspace, id) === undefined)
        throw new Failure('connection-missing', { connection: id });
      const expiry = expiryOf(input.expires, workspace.settings.zone);
      const change = auditedChange(request, ['changed the expiry of the connection', id]);
      await workspaces.editCredential(change, { kind: 'connection', name: id }, { expiry });
      await all.connected(user.teamId);
      return savedText(id, expiry, request);
    },
  });
  return {
    listeners,
    async open(name: string | undefined, request: Request): Promise<void> {
      if (name === undefined || findConnection(request.workspace, name) === undefined)
        throw new Failure('connection-missing', { connection: name ?? '' });
      await open(request, { id: name, values: {} });
    },
  };
}
