import { commandText } from '../../domain/commands.ts';
import { type Block, escapeMarkup, formatInstant, header, markup, section } from '../../slack/kit/atoms.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  type Connection,
  calmText,
  expiresSoon,
  formatExpiry,
  type OpenableConnection,
} from '../../workspace/credentials/connections.ts';
import { tryUnseal } from '../../workspace/credentials/sealed-fields.ts';
import { isConnectionMissing } from '../../workspace/projects/resolve-project.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';

/** A connection as Home shows it; `connection` is undefined when its record is damaged. */
interface HomeConnection {
  readonly name: string;
  readonly connection: Connection | undefined;
  /** Whether its token can be decrypted. */
  readonly isOpen: boolean;
}

const isTokenOpen = (connection: OpenableConnection | undefined): boolean =>
  connection !== undefined && tryUnseal(connection.token) !== undefined;

const connectionsOf = ({ workspace }: Request): readonly HomeConnection[] =>
  workspace.connectionNames.map((name) => ({
    name,
    connection: workspace.connections.get(name),
    isOpen: isTokenOpen(workspace.connections.get(name)),
  }));

/** The most urgent problem with the connections, at the top of Home; nothing if all of them work. */
export function attentionBlocks(request: Request): Block[] {
  const problem = findProblem(connectionsOf(request), request);
  return problem === undefined ? [] : [markup(`:warning: *${escapeMarkup(problem)}*`)];
}

/** For managers each token and when it expires; for everyone else whether all of them work. */
export function connectionBlocks(request: Request): Block[] {
  const all = connectionsOf(request);
  const isCalm = findProblem(all, request) === undefined && request.workspace.failures.size === 0;
  if (!request.user.canManage)
    return isCalm ? [section(calmText([...request.workspace.connections.values()]))] : [];
  const title = all.length === 1 ? 'Connection' : 'Connections';
  return [header(title), markup(all.map((one) => line(one, request)).join('\n'))];
}

function line({ name, connection, isOpen }: HomeConnection, { workspace, at }: Request): string {
  const { zone } = requireSettings(workspace);
  const isDefault = workspace.connectionNames.length > 1 && name === workspace.defaultConnection;
  const shown = `*${escapeMarkup(name)}*${isDefault ? ' (default)' : ''}`;
  if (connection === undefined) return `${shown} · *the record is damaged.* Replace its token.`;
  if (!isOpen) return `${shown} · *the token can’t be decrypted.* See \`${commandText('/billing status')}\`.`;
  const expiry = formatExpiry(connection, at, zone);
  const used = workspace.lastUsed(name);
  return [
    shown,
    `token ending ${escapeMarkup(connection.lastFour.replaceAll('·', ''))}`,
    expiresSoon(connection, at, zone) ? `*${expiry}*` : expiry,
    ...(used === undefined ? [] : [`last used ${formatInstant(used)}`]),
  ].join(' · ');
}

const CUT_OFF =
  'A project uses a connection that no longer exists. A Tally manager can choose another one for it.';
const NO_DEFAULT = `There is no default connection, so only projects with their own connection work. A Tally manager can choose a default in ${commandText('/billing status')}.`;
const DAMAGED = `A billing connection is damaged. A Tally manager can fix it with ${commandText('/billing connect')}.`;
const SHUT = `A billing connection doesn’t work. A Tally manager can see why in ${commandText('/billing status')}.`;

function findProblem(all: readonly HomeConnection[], { workspace, at }: Request): string | undefined {
  const { zone } = requireSettings(workspace);
  const intact = all.flatMap(({ connection }) => connection ?? []);
  if (intact.length < all.length) return DAMAGED;
  if (all.some(({ isOpen }) => !isOpen)) return SHUT;
  if (workspace.projects.some((project) => isConnectionMissing(project, workspace))) return CUT_OFF;
  if (all.length > 1 && workspace.defaultConnection === undefined) return NO_DEFAULT;
  const [first] = intact
    .filter((connection) => expiresSoon(connection, at, zone))
    .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0));
  if (first === undefined) return undefined;
  return `A billing access token ${formatExpiry(first, at, zone)}. A Tally manager can replace it with ${commandText('/billing connect')}.`;
}
