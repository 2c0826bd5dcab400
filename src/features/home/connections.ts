import type { Button } from '@slack/types';
import { commandText } from '../../domain/commands.ts';
import { type Command, commandButton, toCommand } from '../../slack/commands/command-buttons.ts';
import { askManagerButton } from '../../slack/error-messages/description.ts';
import {
  actions,
  type Block,
  button,
  buttonRow,
  escapeMarkup,
  formatInstant,
  header,
  joinTexts,
  markup,
} from '../../slack/kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import { expiresSoon, formatExpiry } from '../../workspace/credentials/connection-record.ts';
import { type ConnectionState, connectionStates } from '../../workspace/credentials/health.ts';
import { isConnectionMissing } from '../../workspace/projects/resolve-project.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';

/** The most urgent problem with the connections, at the top of Home, with the button that fixes it; nothing if all work. */
export function attentionBlocks(request: Request): Block[] {
  const problem = findProblem(connectionStates(request.workspace, request.at), request);
  if (problem === undefined) return [];
  const { fact, todo, mend, command } = problem;
  if (!request.user.canManage)
    return [
      markup(`:warning: *${escapeMarkup(fact)}* A Tally manager can ${todo}.`),
      ...buttonRow(askManagerButton('setup', command, request)),
    ];
  return [markup(`:warning: *${escapeMarkup(fact)}*`), actions(...mend)];
}

/** For managers: each token and when it expires. */
export function connectionBlocks(request: Request): Block[] {
  if (!request.user.canManage) return [];
  const all = connectionStates(request.workspace, request.at);
  const title = all.length === 1 ? 'Connection' : 'Connections';
  return [header(title), markup(all.map((state) => line(state, request)).join('\n'))];
}

function line(state: ConnectionState, { workspace, at }: Request): string {
  const { name, connection, damage, isDefault, lastUsed } = state;
  const { zone } = requireSettings(workspace);
  const shown = `*${escapeMarkup(name)}*${isDefault && workspace.connectionNames.length > 1 ? ' (default)' : ''}`;
  if (connection === undefined) return `${shown} · *the record is damaged.* Replace its token.`;
  if (damage !== undefined)
    return `${shown} · *the token can’t be decrypted.* See \`${commandText('/billing status')}\`.`;
  const expiry = formatExpiry(connection, at, zone);
  return joinTexts(' · ', [
    shown,
    `token ending ${escapeMarkup(connection.lastFour.replaceAll('·', ''))}`,
    expiresSoon(connection, at, zone) ? `*${expiry}*` : expiry,
    lastUsed !== undefined && `last used: ${formatInstant(lastUsed)}`,
  ]);
}

interface Problem {
  readonly fact: string;
  /** What a manager can do: completes “A Tally manager can”. */
  readonly todo: string;
  readonly mend: readonly Button[];
  /** What others can ask a manager to run. */
  readonly command: Command;
}

const STATUS = toCommand('/billing status');
const SEE_STATUS = { mend: commandButton('status', 'See what’s wrong', STATUS), command: STATUS };
const replaceToken = (name: string): Pick<Problem, 'mend' | 'command'> => ({
  mend: [button('connect', 'Replace token…', { value: name })],
  command: toCommand('/billing connect', name),
});

function findProblem(all: readonly ConnectionState[], { workspace, at }: Request): Problem | undefined {
  const { zone } = requireSettings(workspace);
  const damaged = all.find(({ connection }) => connection === undefined);
  if (damaged !== undefined)
    return {
      fact: 'A billing connection is damaged.',
      todo: 'replace its token',
      ...replaceToken(damaged.name),
    };
  if (all.some(({ damage }) => damage !== undefined))
    return { fact: 'A billing connection doesn’t work.', todo: 'see why', ...SEE_STATUS };
  if (workspace.projects.some((project) => isConnectionMissing(project, workspace)))
    return {
      fact: 'A project uses a connection that no longer exists.',
      todo: 'choose another one for it',
      ...SEE_STATUS,
    };
  if (all.length > 1 && workspace.defaultConnection === undefined)
    return {
      fact: 'There is no default connection, so only projects with their own connection work.',
      todo: 'choose a default',
      ...SEE_STATUS,
    };
  const [first] = all
    .flatMap(({ connection }) => connection ?? [])
    .filter((connection) => expiresSoon(connection, at, zone))
    .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0));
  if (first === undefined) return undefined;
  return {
    fact: `A billing access token ${formatExpiry(first, at, zone)}.`,
    todo: 'replace it',
    ...replaceToken(first.name),
  };
}
