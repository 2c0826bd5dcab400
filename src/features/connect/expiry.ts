import { ConnectionMissing } from '../../domain/failure/index.ts';
import { FIELDS } from '../../redis/keys.ts';
import {
  type ExpiryChoice,
  expiryInputs,
  expiryOf,
  parseExpiryChoice,
} from '../../slack/commands/expiry-input.ts';
import { section, textMessage } from '../../slack/kit/atoms.ts';
import { modal, waitingModal } from '../../slack/kit/modal.ts';
import type { Request } from '../../slack/request/request.ts';
import type { CommandHandler } from '../../slack/server/listeners.ts';
import { describeToken, formatExpiry } from '../../workspace/credentials/connections.ts';
import { auditedChange, requireUnchanged, stampOf } from '../../workspace/record/change.ts';
import { findConnection } from '../../workspace/record/workspace.ts';
import type { Feature } from '../feature.ts';
import type { ConnectParts } from './saving.ts';
import { connectCommand } from './words.ts';

const VIEW = 'connection-expiry';
const TITLE = 'Token expiry';

interface ExpiryRequest {
  /** Of the connection. */
  readonly name: string;
  /** Of the record that the form showed. */
  readonly stamp: string;
  readonly choice: ExpiryChoice;
}

/** **Set expiry…**: changes when a registered token expires, without the token. */
export function createExpiry({ workspaces, onConnected }: Pick<ConnectParts, 'workspaces' | 'onConnected'>) {
  const save = async ({ name, stamp, choice }: ExpiryRequest, request: Request): Promise<void> => {
    const { workspace, user, at } = request;
    const { zone } = workspace.settings;
    requireUnchanged(workspace, FIELDS.connection + name, stamp);
    const expiry = expiryOf(choice, zone);
    const change = auditedChange(request, ['expiry changed', `connection ${name}`]);
    await workspaces.editCredential(change, { kind: 'connection', name }, { expiry });
    const text = `Saved. The token for ${name}: ${formatExpiry(expiry, at, zone)}.`;
    await request.reply.modal.show(TITLE, textMessage(text));
    await onConnected?.(user.teamId);
  };

  const open = async (name: string, { workspace, at, reply }: Request): Promise<void> => {
    const connection = findConnection(workspace, name);
    if (connection === undefined) throw new ConnectionMissing(name);
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
    /** `main expiry` after `/billing connect`: what a manager is asked to run. */
    verb(rest: string): CommandHandler | undefined {
      const [, name] = /^(\S+) expiry$/.exec(rest) ?? [];
      if (name === undefined) return undefined;
      return {
        right: 'manage',
        read: (_, workspace) => findConnection(workspace, name),
        does: 'openForm',
        run: (_, request) => open(name, request),
      };
    },
    actions: {
      [VIEW]: {
        right: 'manage',
        command: ({ value }) => connectCommand(value, 'expiry'),
        does: 'openForm',
        run: ({ value }, request) => open(value, request),
      },
    },
    views: {
      [VIEW]: {
        right: 'manage',
        command: (_, metadata) => connectCommand(metadata, 'expiry'),
        waiting: waitingModal(TITLE),
        read(fields, metadata) {
          const [name = '', stamp = ''] = metadata.split(' ');
          const read = parseExpiryChoice(fields) ?? { error: 'Choose a day, or “It never expires”.' };
          return 'error' in read ? { errors: { expires: read.error } } : { input: { name, stamp, ...read } };
        },
        submit: save,
      },
    },
  } satisfies Partial<Feature> & { verb: unknown };
}
