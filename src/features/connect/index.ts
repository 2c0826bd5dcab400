/** `/billing connect` and `/billing disconnect`: tokens are entered in a form, tested, and stored encrypted. */
import { commandText } from '../../domain/command-names.ts';
import { Failure, InvalidWord, UNRECOGNIZED } from '../../domain/failure/index.ts';
import { nearestWord } from '../../domain/language/text-cleanup.ts';
import { couldBeSecret } from '../../domain/secret-detection.ts';
import { pluralize } from '../../domain/wording.ts';
import { FIELDS } from '../../redis/keys.ts';
import { usersText } from '../../slack/automations/automation.ts';
import {
  compact,
  context,
  escapeMarkup,
  joinTexts,
  option,
  section,
  textMessage,
} from '../../slack/block-kit/blocks.ts';
import { expiryFields, expiryOf } from '../../slack/forms/common-fields.ts';
import { choice, type FormMoment, noteField, redrawing, refuseField } from '../../slack/forms/fields.ts';
import { createForm } from '../../slack/forms/form.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/handlers.ts';
import {
  describeConnection,
  describeToken,
  formatExpiry,
  isConnectionName,
} from '../../workspace/credentials/credential-records.ts';
import { connectionNameOf } from '../../workspace/projects/chosen-project.ts';
import { auditedChange } from '../../workspace/record/audited-change.ts';
import { findConnection, type Workspace } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';
import { createConnectForm, parseConnectionName } from './connect-form.ts';

export function createConnectFeature(services: Services): Feature {
  const form = createConnectForm(services);
  const expiry = createExpiryForm(services);
  const disconnect = createDisconnectForm(services);
  return {
    help: [
      {
        usage: `${commandText('/billing connect')} [name]`,
        what: 'Add or replace the access token for the billing service.',
        right: 'manage',
      },
      {
        usage: `${commandText('/billing disconnect')} [name]`,
        what: 'Disconnect from a billing service.',
        right: 'manage',
      },
    ],
    verbs: {
      // A connection's menu sends `/billing connect main expiry`.
      connect: {
        right: 'manage',
        opensForm: true,
        parse: (text) => parseConnectionName(text.replace(EXPIRY, '')),
        run: (text, request, typed) =>
          EXPIRY.test(text)
            ? expiry.open(typedName(text.replace(EXPIRY, ''), request), request)
            : form.open(typedName(text, request, typed), request),
      },
      disconnect: {
        right: 'manage',
        opensForm: true,
        parse: (text, workspace) => requireConnectionName(parseConnectionName(text), workspace),
        run: (text, request, typed) => disconnect.open(typedName(text, request, typed), request),
      },
    },
    forms: [form, expiry, disconnect],
    actions: {
      connect: onClick('manage', { opensForm: true }, (name, request) =>
        form.open(isConnectionName(name) && canFillIn(name, request.workspace) ? name : undefined, request),
      ),
    },
  };
}

const EXPIRY = / expiry$/;

/** @throws InvalidWord; secret-pasted if the text looks like a token, because the form would show it */
function typedName(text: string, { workspace }: Request, typed = text): string | undefined {
  const name = parseConnectionName(text);
  if (name !== undefined && !canFillIn(name, workspace, typed)) throw new Failure('secret-pasted');
  return name;
}

const canFillIn = (name: string, { connectionNames }: Workspace, typed = name): boolean =>
  connectionNames.includes(name) || !couldBeSecret(typed);

const createExpiryForm = ({ workspaces, delivery }: Services) =>
  createForm('connection-expiry', {
    right: 'manage',
    heading: 'Token expiry',
    start(name: string | undefined, { workspace }) {
      if (name === undefined || findConnection(workspace, name) === undefined)
        throw new Failure('connection-missing', { connection: name ?? '' });
      return { id: name, values: {} };
    },
    fields: {
      token: noteField(({ id, request: { workspace, at } }) => {
        const connection = workspace.connections.get(id);
        const expires = connection && formatExpiry(connection, at, workspace.settings.zone);
        return connection === undefined ? [] : [section(`${id} · ${describeToken(connection)} · ${expires}`)];
      }),
      ...expiryFields<never>('As in the console.', refuseField('Choose a day, or “It never expires”.')),
    },
    records: (name) => [FIELDS.connection + name],
    async save({ id, input, request }) {
      const { workspace, user } = request;
      if (findConnection(workspace, id) === undefined)
        throw new Failure('connection-missing', { connection: id });
      const expiry = expiryOf(input.expires, workspace.settings.zone);
      const change = auditedChange(request, ['changed the expiry of the connection', id]);
      await workspaces.editCredential(change, { kind: 'connection', name: id }, { expiry });
      await delivery.changed(user.teamId);
      const text = formatExpiry(expiry, request.at, workspace.settings.zone);
      return textMessage(`Saved. The token for ${id}: ${text}.`);
    },
  });

function requireConnectionName(name: string | undefined, { connectionNames: names }: Workspace): void {
  if (name === undefined || names.length === 0 || names.includes(name)) return;
  throw new InvalidWord(
    name,
    UNRECOGNIZED,
    `Your connections: ${names.join(', ')}.`,
    `disconnect ${nearestWord(name, names) ?? ''}`.trim(),
  );
}

const createDisconnectForm = ({ workspaces }: Services) =>
  createForm('disconnect', {
    right: 'manage',
    heading: 'Disconnect',
    submit: 'Disconnect',
    start(wanted: string | undefined, { workspace }) {
      const { connectionNames: names } = workspace;
      if (names.length === 0) throw new Failure('not-connected');
      requireConnectionName(wanted, workspace);
      const name = wanted ?? (names.length === 1 ? names[0] : undefined);
      return { id: '', values: name === undefined ? {} : { name } };
    },
    fields: DISCONNECT_FIELDS,
    records: (_, { connectionNames }) => connectionNames.map((name) => FIELDS.connection + name),
    async save({ input: { name }, request }) {
      const { workspace } = request;
      if (!workspace.connectionNames.includes(name)) return refuseField('Choose a connection.');
      await workspaces.removeConnection(auditedChange(request, ['disconnected', name]), name);
      const done = `Disconnected. Tally deleted its copy of the token for ${name}.`;
      return textMessage(joinTexts(' ', [done, defaultText(name, workspace)]));
    },
  });

const DISCONNECT_FIELDS = {
  name: redrawing(
    choice('Connection', {
      options: ({ request: { workspace } }) =>
        workspace.connectionNames.length < 2
          ? []
          : workspace.connectionNames.map((name) => option(name, name)),
    }),
  ),
  effects: noteField(effectBlocks),
};

function defaultText(name: string, { defaultConnection, connectionNames }: Workspace): string | undefined {
  const [next, ...others] = connectionNames.filter((other) => other !== name);
  if (defaultConnection !== name || next === undefined) return undefined;
  return others.length === 0
    ? `${next} becomes the default connection.`
    : `Choose the new default connection in ${commandText('/billing status')}. Until then, you get no figures for projects without their own connection.`;
}

function effectBlocks({ values: { name = '' }, request: { workspace, at } }: FormMoment) {
  if (name === '') return [];
  const { connectionNames, connections, settings } = workspace;
  const connection = connections.get(name);
  const effects = compact([
    'Tally deletes its copy of the token. The token still works until it expires. Delete it in the console too.',
    connectionNames.length === 1
      ? 'Nobody in this workspace can use Tally until you reconnect.'
      : orphanedProjects(name, workspace),
    defaultText(name, workspace),
    usersText(workspace, (project) => connectionNameOf(project, workspace) === name),
  ]);
  const described = connection && escapeMarkup(describeConnection(connection, at, settings.zone));
  return [...effects.map(section), context(described ?? `${name} · damaged`)];
}

function orphanedProjects(name: string, { projects }: Workspace): string | undefined {
  const orphans = projects.filter(({ connection }) => connection === name).length;
  return orphans === 0
    ? undefined
    : `You get no figures for ${pluralize(orphans, 'project')} until you choose another connection in ${commandText('/billing projects')}.`;
}
