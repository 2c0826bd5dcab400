import { commandText } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { FIELDS } from '../../redis/keys.ts';
import {
  type ExpiryChoice,
  expiryInputs,
  expiryOf,
  parseExpiryChoice,
} from '../../slack/commands/expiry-input.ts';
import { section, textMessage } from '../../slack/kit/blocks.ts';
import { modal, waitingModal } from '../../slack/kit/modal.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/listeners.ts';
import { describeToken, isConnectionName } from '../../workspace/credentials/connection-record.ts';
import { formatExpiry } from '../../workspace/credentials/expiry.ts';
import type { ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import { auditedChange, requireUnchanged, stampOf } from '../../workspace/record/change.ts';
import { findConnection } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';
import { createDisconnect } from './disconnect.ts';
import { canFillIn, checkingModal, connectForm, connectFormDefaults } from './form.ts';
import { connectFormState, decodeConnectMetadata, parseConnectForm, parseConnectionName } from './parse.ts';
import { createConnectionSaving } from './save-connection.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/billing connect': true;
    '/billing disconnect': true;
  }
  interface Actions {
    connect: true;
    'connection-expiry': true;
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
    /** Called after a workspace has saved a token, an access or its expiry: deliveries are planned again. Never rejects. */
    connected?(workspace: SlackId): Promise<void>;
    /** How long a project's money lasts; undefined without an estimate. @throws Failure */
    readonly daysLeft?: (target: ResolvedProject, request: Request) => Promise<number | undefined>;
  }
}

/** `/billing connect` and `/billing disconnect`: tokens come in through a form, are tested, sealed and kept by name. */
export function createConnectFeature(services: Services): Feature {
  const { checks, addresses } = services;
  const saveConnection = createConnectionSaving(services);
  const disconnect = createDisconnect(services);
  const expiry = createExpiry(services);

  const openForm = (request: Request, name: string | undefined): Promise<void> =>
    request.reply.modal.open(
      connectForm(connectFormDefaults(request.workspace, name, addresses), request.workspace),
    );

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
      connect: {
        right: 'manage',
        kind: 'openForm',
        parse: parseConnectionName,
        async run(text, request, typed = text) {
          const name = parseConnectionName(text);
          // A token after the verb would be filled in as the connection's name.
          if (name !== undefined && !canFillIn(name, request.workspace, typed))
            throw new Failure('secret-pasted');
          await openForm(request, name);
        },
      },
      ...disconnect.verbs,
    },
    actions: {
      ...disconnect.actions,
      ...expiry.actions,
      connect: onClick('manage', 'openForm', (name, request) =>
        openForm(request, isConnectionName(name) && canFillIn(name, request.workspace) ? name : undefined),
      ),
      'connect-more': {
        right: 'manage',
        kind: 'answer',
        run: ({ fields, metadata }, request) =>
          request.reply.modal.update(
            connectForm(connectFormState(fields, metadata), request.workspace, { isExpanded: true }),
          ),
      },
      'connect-again': onClick('manage', 'answer', (value, request) =>
        request.reply.modal.update(
          connectForm(decodeConnectMetadata(value), request.workspace),
          textMessage(`The form is closed. Run ${commandText('/billing connect')} to open it again.`),
        ),
      ),
    },
    views: {
      ...expiry.views,
      connect: {
        right: 'manage',
        parse: (fields, metadata) => parseConnectForm(fields, metadata, checks),
        waiting: checkingModal,
        submit: saveConnection,
      },
    },
  };
}

const VIEW = 'connection-expiry';
const TITLE = 'Token expiry';

/** @property stamp of the record that the form showed */
type ExpiryRequest = Readonly<Record<'name' | 'stamp', string>> & { readonly choice: ExpiryChoice };

/** **Set expiry…**: changes when a registered token expires, without the token. */
function createExpiry({ workspaces, all }: Services) {
  const save = async ({ name, stamp, choice }: ExpiryRequest, request: Request): Promise<void> => {
    const { workspace, user, at } = request;
    const { zone } = workspace.settings;
    requireUnchanged(workspace, FIELDS.connection + name, stamp);
    const expiry = expiryOf(choice, zone);
    const change = auditedChange(request, ['expiry changed', { kind: 'connection', name }]);
    await workspaces.editCredential(change, { kind: 'connection', name }, { expiry });
    const text = `Saved. The token for ${name}: ${formatExpiry(expiry, at, zone)}.`;
    await request.reply.modal.show(TITLE, textMessage(text));
    await all.connected(user.teamId);
  };

  const open = async (name: string, { workspace, at, reply }: Request): Promise<void> => {
    const connection = findConnection(workspace, name);
    if (connection === undefined) throw new Failure('connection-missing', { connection: name });
    const expires = formatExpiry(connection, at, workspace.settings.zone);
    await reply.modal.open(
      modal({
        callback: VIEW,
        metadata: `${name} ${stampOf(workspace, FIELDS.connection + name)}`,
        title: TITLE,
        submit: 'Save',
        blocks: [
          section(`${name} · ${describeToken(connection)} · ${expires}`),
          ...expiryInputs('As in the console.'),
        ],
      }),
    );
  };

  return {
    actions: {
      [VIEW]: onClick('manage', 'openForm', open),
    },
    views: {
      [VIEW]: {
        right: 'manage',
        waiting: waitingModal(TITLE),
        parse(fields, metadata) {
          const [name = '', stamp = ''] = metadata.split(' ');
          const parsed = parseExpiryChoice(fields) ?? { error: 'Choose a day, or “It never expires”.' };
          return 'error' in parsed
            ? { errors: { expires: parsed.error } }
            : { input: { name, stamp, ...parsed } };
        },
        submit: save,
      },
    },
  } satisfies Partial<Feature>;
}
