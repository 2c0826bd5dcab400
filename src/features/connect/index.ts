import { commandText } from '../../domain/commands.ts';
import { SecretPasted } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { textMessage } from '../../slack/kit/atoms.ts';
import type { Request } from '../../slack/request/request.ts';
import { isConnectionName } from '../../workspace/credentials/connections.ts';
import type { Feature } from '../feature.ts';
import { createDisconnect } from './disconnect.ts';
import { createExpiry } from './expiry.ts';
import { checkingModal, connectForm, connectFormDefaults, isNameable } from './form.ts';
import { type AfterConnect, type ConnectParts, createConnectionSaving } from './saving.ts';
import {
  connectCommand,
  connectFormState,
  decodeConnectMetadata,
  parseConnectForm,
  parseConnectionName,
} from './words.ts';

declare module '../../domain/commands.ts' {
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
    /** The form's next view, after the connection was tested and saved. */
    readonly afterConnect?: AfterConnect;
  }
}

/** `/billing connect` and `/billing disconnect`: tokens come in through a form, are tested, sealed and kept by name. */
export function createConnectFeature(parts: ConnectParts): Feature {
  const { checks, addresses } = parts;
  const saveConnection = createConnectionSaving(parts);
  const disconnect = createDisconnect(parts);
  const expiry = createExpiry(parts);

  const openForm = (request: Request, name: string | undefined): Promise<void> =>
    request.reply.modal.open(
      connectForm(
        {
          ...connectFormDefaults(request.workspace, name, addresses),
          ...(request.channel !== undefined && { channel: request.channel }),
        },
        request.workspace,
      ),
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
      connect: (rest) =>
        expiry.verb(rest) ?? {
          right: 'manage',
          does: 'openForm',
          read: parseConnectionName,
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
      ...expiry.actions,
      connect: {
        right: 'manage',
        command: ({ value }) => connectCommand(value),
        does: 'openForm',
        run({ value }, request) {
          const isName = isConnectionName(value) && isNameable(value, request.workspace);
          return openForm(request, isName ? value : undefined);
        },
      },
      'connect-more': {
        right: 'manage',
        command: ({ fields, metadata }) => connectCommand(connectFormState(fields, metadata).name),
        does: 'answer',
        run: ({ fields, metadata }, request) =>
          request.reply.modal.update(
            connectForm(connectFormState(fields, metadata), request.workspace, { isUnfolded: true }),
          ),
      },
      'connect-again': {
        right: 'manage',
        command: ({ value }) => connectCommand(decodeConnectMetadata(value).name),
        does: 'answer',
        run: ({ value }, request) =>
          request.reply.modal.update(
            connectForm(decodeConnectMetadata(value), request.workspace),
            textMessage(`The form is closed. Run ${commandText('/billing connect')} to open it again.`),
          ),
      },
    },
    views: {
      ...expiry.views,
      connect: {
        right: 'manage',
        command: (fields, metadata) => connectCommand(connectFormState(fields, metadata).name),
        read: (fields, metadata) => parseConnectForm(fields, metadata, checks),
        waiting: checkingModal,
        submit: saveConnection,
      },
    },
  };
}
