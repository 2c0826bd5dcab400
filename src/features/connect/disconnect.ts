import { commandText } from '../../domain/command-names.ts';
import { InvalidWord, NotConnected, SecretPasted, UNRECOGNIZED } from '../../domain/failure/index.ts';
import { nearestWord } from '../../domain/language/nearest-word.ts';
import { couldBeSecret } from '../../domain/language/secret-detection.ts';
import {
  actions,
  button,
  compact,
  confirmDialog,
  context,
  escapeMarkup,
  type Message,
  option,
  questionMessage,
  section,
  select,
  textMessage,
} from '../../slack/kit/blocks.ts';
import { usersText } from '../../slack/owned/owned-kind.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/listeners.ts';
import { describeConnection } from '../../workspace/credentials/connection-record.ts';
import { usesConnection } from '../../workspace/owned/stop-reason.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';
import { parseConnectionName } from './form.ts';

const MOST_OFFERED = 5;

function unknownConnection(name: string, names: readonly string[]): InvalidWord {
  const nearest = nearestWord(name, names);
  const offered = (nearest === undefined ? names : [nearest]).slice(0, MOST_OFFERED);
  return new InvalidWord(
    name,
    UNRECOGNIZED,
    `You have: ${names.join(', ')}.`,
    offered.map((connection) => `disconnect ${connection}`),
  );
}

/** `/billing disconnect [name]`: asks which connection, then for a new default, then for a confirmation. */
export function createDisconnect({ workspaces }: Services): Required<Pick<Feature, 'verbs' | 'actions'>> {
  /** Asks the next question: which connection, which new default, whether to go on. Buttons carry names only, checked each time. */
  const ask = async (request: Request, wanted?: string, wish?: string): Promise<void> => {
    const { connectionNames } = request.workspace;
    if (connectionNames.length === 0) throw new NotConnected();
    const name = wanted ?? onlyOf(connectionNames);
    if (name === undefined) {
      const options = connectionNames.map((name) => option(name, name));
      const choices = actions(select('disconnect-ask', 'Connection', options), KEEP);
      return request.reply.update(questionMessage('Disconnect which connection?', choices));
    }
    if (!connectionNames.includes(name)) throw unknownConnection(name, connectionNames);
    const heirs = heirsOf(name, request.workspace);
    const heir = heirs.find((name) => name === wish) ?? onlyOf(heirs);
    if (heir === undefined && heirs.length > 0) {
      const options = heirs.map((heir) => option(heir, `${name} ${heir}`));
      const why = section(`${name} is the default connection. Choose the new default.`);
      const choices = actions(select('disconnect-heir', 'New default', options), KEEP);
      return request.reply.update(questionMessage(`Disconnect ${name}?`, why, choices));
    }
    await request.reply.update(confirmDisconnectMessage(name, heir, request));
  };

  const remove = async (request: Request, name: string, heir: string | undefined): Promise<void> => {
    const inherits =
      heir === undefined
        ? []
        : ([['default connection changed', { kind: 'connection', name: heir }]] as const);
    const change = auditedChange(request, ...inherits, ['connection removed', { kind: 'connection', name }]);
    await workspaces.removeConnection(change, name, heir);
    const gone = `Disconnected. Tally deleted its copy of the token for ${name}.`;
    const now = heir === undefined ? '' : ` The default connection is now ${heir}.`;
    await request.reply.update(textMessage(`${gone}${now}`));
  };

  const confirmed = async (value: string, request: Request): Promise<void> => {
    const [name = '', fingerprint, wish] = value.split(' ');
    const { workspace } = request;
    if (!workspace.connectionNames.includes(name))
      return request.reply.update(textMessage('That connection was already removed.'));
    // `-` is for a damaged record, which can still be removed.
    if (fingerprint !== (workspace.connections.get(name)?.fingerprint ?? '-'))
      return request.reply.update(
        textMessage(`Someone replaced the token for ${name}. Nothing was changed.`),
      );
    const heirs = heirsOf(name, workspace);
    const heir = heirs.find((name) => name === wish);
    if (heir === undefined && heirs.length > 0) return ask(request, name);
    await remove(request, name, heir);
  };

  return {
    verbs: {
      disconnect: {
        right: 'manage',
        parse(text, { connectionNames }) {
          const name = parseConnectionName(text);
          if (name !== undefined && !connectionNames.includes(name))
            throw unknownConnection(name, connectionNames);
        },
        kind: 'answer',
        async run(text, request, typed = text) {
          const name = parseConnectionName(text);
          const isKnown = name === undefined || request.workspace.connectionNames.includes(name);
          if (!isKnown && couldBeSecret(typed)) throw new SecretPasted();
          await ask(request, name);
        },
      },
    },
    actions: {
      'disconnect-ask': onClick('manage', 'answer', (name, request) => ask(request, name)),
      'disconnect-heir': onClick('manage', 'answer', (value, request) =>
        ask(request, ...value.split(' ').slice(0, 2)),
      ),
      disconnect: onClick('manage', 'change', confirmed),
      keep: onClick('manage', 'answer', (_, request) =>
        request.reply.update(textMessage('Nothing was changed.')),
      ),
    },
  };
}

const onlyOf = (names: readonly string[]): string | undefined => (names.length === 1 ? names[0] : undefined);

/** The connections that can become the default when this connection is removed; empty when it isn't the default. */
function heirsOf(name: string, record: Workspace): readonly string[] {
  if (record.defaultConnection !== name) return [];
  return record.connectionNames.filter((other) => other !== name);
}

const KEEP = button('keep', 'Keep');
const MOST_NAMED = 20;

function confirmDisconnectMessage(
  name: string,
  heir: string | undefined,
  { workspace, at }: Request,
): Message {
  const connection = workspace.connections.get(name);
  const zone = workspace.settings.zone;
  const isLast = workspace.connectionNames.length === 1;
  const effects = compact([
    ...(isLast ? [] : orphanedProjects(name, workspace)),
    heir !== undefined && `${heir} becomes the default connection.`,
    usersText(workspace, (project) => usesConnection(project, name, workspace)),
  ]);
  return questionMessage(
    isLast ? 'Disconnect Tally from the billing service?' : `Disconnect ${name}?`,
    section(
      'Tally deletes its copy of the token. The token still works until it expires. Delete it in the console too.',
    ),
    ...effects.map(section),
    context(
      connection ? escapeMarkup(describeConnection(connection, at, zone)) : `${name} · the record is damaged`,
    ),
    actions(
      button('disconnect', 'Disconnect', {
        style: 'danger',
        value: [name, connection?.fingerprint ?? '-', heir].filter(Boolean).join(' '),
        confirm: confirmDialog(
          'Disconnect?',
          isLast ? NOBODY : `Nobody will be able to use ${name}.`,
          'Disconnect',
          'Keep',
        ),
      }),
      KEEP,
    ),
  );
}

const NOBODY = 'Nobody in this workspace can use Tally until you reconnect.';

/** Projects with this connection don't fall back to another one. */
function orphanedProjects(name: string, record: Workspace): string[] {
  const aliases = record.projects.filter(({ connection }) => connection === name);
  if (aliases.length === 0) return [];
  const named = aliases.slice(0, MOST_NAMED).map(({ alias }) => alias);
  const more = aliases.length > MOST_NAMED ? [`${aliases.length - MOST_NAMED} more`] : [];
  return [
    `These projects use ${name}: ${[...named, ...more].join(', ')}. You get no figures for them until you choose another connection in ${commandText('/billing projects')}.`,
  ];
}
