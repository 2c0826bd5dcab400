import { commandText } from '../../domain/command-names.ts';
import { Failure, InvalidWord, UNRECOGNIZED } from '../../domain/failure/index.ts';
import { nearestWord } from '../../domain/language/typed-text.ts';
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
import { choice, type FormMoment, live, note, refuseField } from '../../slack/forms/fields.ts';
import { createForm } from '../../slack/forms/form.ts';
import type { Request } from '../../slack/request/request.ts';
import { describeConnection } from '../../workspace/credentials/credential-records.ts';
import { connectionNameOf } from '../../workspace/projects/chosen-project.ts';
import { auditedChange, stampOf } from '../../workspace/record/change.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Services } from '../feature.ts';

const MOST_OFFERED = 5;
const MOST_NAMED = 20;

/** @throws InvalidWord for a connection that there isn't */
export function requireKnown(name: string | undefined, { connectionNames: names }: Workspace): void {
  if (name === undefined || names.length === 0 || names.includes(name)) return;
  const nearest = nearestWord(name, names);
  const offered = (nearest === undefined ? names : [nearest]).slice(0, MOST_OFFERED);
  throw new InvalidWord(
    name,
    UNRECOGNIZED,
    `You have: ${names.join(', ')}.`,
    offered.map((connection) => `disconnect ${connection}`),
  );
}

/** The form of `/billing disconnect [name]`: which connection, and what that changes. */
export function createDisconnectForm({ workspaces }: Services) {
  const { open, listeners } = createForm('disconnect', {
    right: 'manage',
    workspaces,
    heading: 'Disconnect',
    submit: 'Disconnect',
    fields: DISCONNECT_FIELDS,
    // What the form says depends on all of them.
    revision: (_, { workspace }) =>
      workspace.connectionNames.map((name) => stampOf(workspace, FIELDS.connection + name)).join(' '),
    conflict: () => [
      'Someone else changed a connection first.',
      'Check what it says now, then disconnect again.',
    ],
    async save({ input: { name }, request }) {
      const { workspace } = request;
      if (!workspace.connectionNames.includes(name)) return refuseField('Choose a connection.');
      await workspaces.removeConnection(auditedChange(request, ['removed the connection', name]), name);
      return textMessage(joinTexts(' ', [goneText(name), defaultText(name, workspace)]));
    },
  });
  return {
    listeners,
    /** @param wanted outside text */
    async open(wanted: string | undefined, request: Request): Promise<void> {
      const { connectionNames: names } = request.workspace;
      if (names.length === 0) throw new Failure('not-connected');
      requireKnown(wanted, request.workspace);
      const name = wanted ?? (names.length === 1 ? names[0] : undefined);
      await open(request, { id: '', values: name === undefined ? {} : { name } });
    },
  };
}

const DISCONNECT_FIELDS = {
  name: live(choice('Connection', { options: ({ request }) => connectionOptions(request.workspace) })),
  effects: note(effectBlocks),
};

/** Nothing to choose where there is only one. */
const connectionOptions = ({ connectionNames: names }: Workspace) =>
  names.length < 2 ? [] : names.map((name) => option(name, name));

const goneText = (name: string): string => `Disconnected. Tally deleted its copy of the token for ${name}.`;

/** What becomes of the default when this connection is removed. */
function defaultText(name: string, { defaultConnection, connectionNames }: Workspace): string | undefined {
  const [next, ...others] = connectionNames.filter((other) => other !== name);
  if (defaultConnection !== name || next === undefined) return undefined;
  return others.length === 0
    ? `${next} becomes the default connection.`
    : `Choose the new default connection in ${commandText('/billing status')}. Until then, projects without a connection of their own get no figures.`;
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
  return [...effects.map(section), context(described ?? `${name} · the record is damaged`)];
}

/** Projects with this connection don't fall back to another one. */
function orphanedProjects(name: string, { projects }: Workspace): string | undefined {
  const aliases = projects.filter(({ connection }) => connection === name).map(({ alias }) => alias);
  if (aliases.length === 0) return undefined;
  const more = aliases.length > MOST_NAMED ? [`${aliases.length - MOST_NAMED} more`] : [];
  return `These projects use ${name}: ${[...aliases.slice(0, MOST_NAMED), ...more].join(', ')}. You get no figures for them until you choose another connection in ${commandText('/billing projects')}.`;
}
