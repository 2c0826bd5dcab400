import { commandText } from '../../domain/commands.ts';
import { type Block, escapeMarkup, formatInstant, header, markup, section } from '../../slack/kit/atoms.ts';
import type { Request } from '../../slack/request/request.ts';
import { calmText, expiresSoon, formatExpiry } from '../../workspace/credentials/connections.ts';
import { type ConnectionState, connectionStates } from '../../workspace/credentials/health.ts';
import { isConnectionMissing } from '../../workspace/projects/resolve-project.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';

/** The most urgent problem with the connections, at the top of Home; nothing if all of them work. */
export function attentionBlocks(request: Request): Block[] {
  const problem = findProblem(connectionStates(request.workspace, request.at), request);
  return problem === undefined ? [] : [markup(`:warning: *${escapeMarkup(problem)}*`)];
}

/** For managers each token and when it expires; for everyone else whether all of them work. */
export function connectionBlocks(request: Request): Block[] {
  const all = connectionStates(request.workspace, request.at);
  const isCalm = findProblem(all, request) === undefined && request.workspace.failures.size === 0;
  if (!request.user.canManage)
    return isCalm ? [section(calmText([...request.workspace.connections.values()]))] : [];
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
  return [
    shown,
    `token ending ${escapeMarkup(connection.lastFour.replaceAll('·', ''))}`,
    expiresSoon(connection, at, zone) ? `*${expiry}*` : expiry,
    ...(lastUsed === undefined ? [] : [`last used ${formatInstant(lastUsed)}`]),
  ].join(' · ');
}

const CUT_OFF =
  'A project uses a connection that no longer exists. A Tally manager can choose another one for it.';
const NO_DEFAULT = `There is no default connection, so only projects with their own connection work. A Tally manager can choose a default in ${commandText('/billing status')}.`;
const DAMAGED = `A billing connection is damaged. A Tally manager can fix it with ${commandText('/billing connect')}.`;
const UNDECRYPTED = `A billing connection doesn’t work. A Tally manager can see why in ${commandText('/billing status')}.`;

function findProblem(all: readonly ConnectionState[], { workspace, at }: Request): string | undefined {
  const { zone } = requireSettings(workspace);
  const intact = all.flatMap(({ connection }) => connection ?? []);
  if (intact.length < all.length) return DAMAGED;
  if (all.some(({ damage }) => damage !== undefined)) return UNDECRYPTED;
  if (workspace.projects.some((project) => isConnectionMissing(project, workspace))) return CUT_OFF;
  if (all.length > 1 && workspace.defaultConnection === undefined) return NO_DEFAULT;
  const [first] = intact
    .filter((connection) => expiresSoon(connection, at, zone))
    .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0));
  if (first === undefined) return undefined;
  return `A billing access token ${formatExpiry(first, at, zone)}. A Tally manager can replace it with ${commandText('/billing connect')}.`;
}
