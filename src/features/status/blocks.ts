import { isFailure, type UnsealFailed } from '../../domain/failure/index.ts';
import { pluralize } from '../../domain/language/text.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { dayAt, formatDays } from '../../domain/time/calendar.ts';
import {
  actions,
  type Block,
  button,
  context,
  formatInstant,
  header,
  type Message,
  markup,
  section,
} from '../../slack/kit/atoms.ts';
import { escapeMarkup, mention } from '../../slack/kit/escape.ts';
import { describeAccess, type OpenableAccess } from '../../workspace/accesses.ts';
import {
  type Connection,
  describeToken,
  expiresSoon,
  formatExpiry,
  LIFETIME_NAMES,
  ROLE_NAMES,
  TYPE_NAMES,
} from '../../workspace/connections.ts';
import { tryUnseal } from '../../workspace/fields.ts';
import type { Permissions } from '../../workspace/permissions.ts';
import type { Project } from '../../workspace/projects.ts';
import { type AskLocation, canAskAbout, isConnectionMissing } from '../../workspace/resolve-project.ts';
import { findConnection, isDamaged } from '../../workspace/workspace.ts';
import type { Workspace } from '../../workspace/workspaces.ts';

export interface StatusView {
  readonly workspace: Workspace;
  readonly user: Pick<Permissions, 'canManage'>;
  /** Where it is read: a project that is limited to other channels is not named there. */
  readonly place: AskLocation;
  /** ms */
  readonly at: number;
  readonly tested: TestResult | undefined;
}

/** What a test that was just made says of a connection. */
export interface TestResult {
  readonly name: string;
  readonly says: readonly Block[];
}

/** A connection and its state; `broken` says why its record can't be read or decrypted. */
interface Entry {
  readonly name: string;
  readonly connection: Connection | undefined;
  readonly broken: UnsealFailed['reason'] | undefined;
  readonly isDefault: boolean;
  readonly lastUsed: number | undefined;
}

export function statusMessage({ workspace, user, place, at, tested }: StatusView): Message {
  const entries = workspace.connectionNames.map((name) => entryOf(name, workspace));
  const scene = { at, zone: workspace.settings.zone, several: entries.length > 1 };
  const accesses = user.canManage ? accessBlocks(workspace, scene) : [];
  const wrong = [
    ...(isDamaged(workspace, 'settings') ? [section(DAMAGED_SETTINGS)] : []),
    ...(entries.length > 1 && !entries.some(({ isDefault }) => isDefault) ? [section(NO_DEFAULT)] : []),
    ...cutOffBlocks(workspace, place),
  ];
  const blocks = [
    ...wrong,
    ...(user.canManage
      ? entries.flatMap((entry) => forManager(entry, scene, entry.name === tested?.name ? tested.says : []))
      : forMembers(entries, scene, wrong.length === 0)),
    ...accesses,
    context(`As of ${formatInstant(at)}`),
  ];
  return entries.length === 0
    ? nothingThere(user.canManage, accesses)
    : {
        text: `Connections: ${workspace.connectionNames.join(', ')}`,
        blocks: [header('Connections'), ...blocks],
      };
}

const DAMAGED_SETTINGS =
  'This workspace’s settings are damaged and not used. A Tally manager can save them again with /billing settings.';
const NO_DEFAULT =
  'There is no default connection, so only projects with their own connection work. Make one the default.';

/** The projects whose connection is gone, with what each of them asks for. */
function cutOffBlocks(record: Workspace, place: AskLocation): Block[] {
  const all = record.projects.filter((project) => isConnectionMissing(project, record));
  const named = all.filter((project) => canAskAbout(project, place));
  const lines = named.slice(0, MOST_CUT_OFF).map((project) => cutOffWords(project, place.manager));
  const more = named.length - lines.length;
  const hidden = all.length > named.length ? [CUT_OFF_ELSEWHERE] : [];
  const words = [...lines, ...(more > 0 ? [`and ${pluralize(more, 'more project')}`] : []), ...hidden];
  return words.length === 0 ? [] : [markup(words.join('\n'))];
}

const MOST_CUT_OFF = 10;
const CUT_OFF_ELSEWHERE = 'Some projects in other channels use a connection that no longer exists.';

function cutOffWords({ alias, connection = '' }: Project, manage: boolean): string {
  const what = `*${escapeMarkup(alias)}* uses the connection ${escapeMarkup(connection)}, which no longer exists.`;
  const todo = manage
    ? ` Choose another with \`/billing projects edit ${alias}\`, or reconnect it with \`/billing connect ${escapeMarkup(connection)}\`.`
    : ' A Tally manager can choose another one.';
  return what + todo;
}

function nothingThere(manage: boolean, more: readonly Block[]): Message {
  const text = 'Tally isn’t connected to a billing service yet.';
  const todo = manage
    ? 'You need the address of the service and an access token.'
    : 'Ask a Tally manager to connect it with /billing connect.';
  const buttons = manage ? [actions(button('connect', 'Connect…', { style: 'primary' }))] : [];
  return { text, blocks: [section(`${text} ${todo}`), ...buttons, ...more] };
}

function entryOf(name: string, record: Workspace): Entry {
  const connection = record.connections.get(name);
  return {
    name,
    connection,
    broken: brokenAs(name, record),
    isDefault: record.defaultConnection === name,
    lastUsed: record.lastUsed(name),
  };
}

/** Opens the seal and drops what was in it. */
function brokenAs(name: string, record: Workspace): Entry['broken'] {
  try {
    findConnection(record, name)?.token();
    return undefined;
  } catch (error) {
    if (isFailure(error) && error.kind === 'unseal-failed') return error.reason;
    throw error;
  }
}

/** The accesses that tokens are issued with, by the names of their projects. */
function accessBlocks(record: Workspace, { at, zone }: Scene): Block[] {
  const lines = record.accessIds.map((id) => {
    const access = record.accesses.get(id);
    const alias = record.projects.find((project) => project.id === id)?.alias;
    return `${alias ?? `Project ${id}`} · ${accessText(access, at, zone)}`;
  });
  if (lines.length === 0) return [];
  const shown = lines.slice(0, MOST_ACCESSES);
  const more = lines.length > shown.length ? [`and ${lines.length - shown.length} more`] : [];
  return [header('Application accesses'), section([...shown, ...more].join('\n'))];
}

const MOST_ACCESSES = 30;

/** Opens the seal and drops what was in it. */
function accessText(access: OpenableAccess | undefined, at: number, zone: string): string {
  if (access === undefined) return 'damaged and not used: register it again';
  if (tryUnseal(access.open) === undefined) return 'can’t be decrypted: register it again';
  return describeAccess(access, at, zone);
}

interface Scene {
  readonly at: number;
  readonly zone: string;
  readonly several: boolean;
}

const title = ({ name, isDefault }: Entry, { several }: Scene): string =>
  `*${escapeMarkup(name)}*${isDefault && several ? ' · default' : ''}`;

const CALM = 'All connections work. No token expires in the next two weeks.';

/** @param isSound nothing else is wrong, such as damaged settings */
function forMembers(entries: readonly Entry[], scene: Scene, isSound: boolean): Block[] {
  const troubles = entries.map((entry) => troubleOf(entry, scene));
  const lines = entries.map((entry, at) => `${title(entry, scene)}${troubles[at] ?? ''}`);
  const isCalm = isSound && troubles.every((trouble) => trouble === undefined);
  return [...(isCalm ? [section(CALM)] : []), markup(lines.join('\n'))];
}

function troubleOf({ connection, broken }: Entry, { at, zone }: Scene): string | undefined {
  if (connection === undefined || broken !== undefined) return ' · doesn’t work: a Tally manager can fix it';
  return expiresSoon(connection, at, zone) ? ` · its token ${formatExpiry(connection, at, zone)}` : undefined;
}

const BROKEN: Record<UnsealFailed['reason'], string> = {
  'unknown-key':
    'Its token is encrypted with a key that is missing from ENCRYPTION_KEYS. Replace the token, or ask your operator to restore the key.',
  'not-authentic': 'Its record was changed outside of Tally. Replace the token.',
  malformed: 'Its record is damaged. Replace the token.',
};

function forManager(entry: Entry, scene: Scene, tested: readonly Block[]): Block[] {
  const { connection, broken } = entry;
  const lines = [
    title(entry, scene),
    ...(broken === undefined ? [] : [`*Doesn’t work.* ${BROKEN[broken]}`]),
    ...(connection === undefined ? [] : details(connection, entry, scene)),
  ];
  return [markup(lines.join('\n')), ...tested, buttons(entry)];
}

function details(connection: Connection, { lastUsed }: Entry, { at, zone }: Scene): string[] {
  const { baseUrl, authUrl, account, role, type, lifetime, registeredBy, registeredAt } = connection;
  const day = dayAt(registeredAt, zone);
  const hosts = authUrl === undefined ? hostOf(baseUrl) : `${hostOf(baseUrl)} · identity ${hostOf(authUrl)}`;
  const made = [
    ROLE_NAMES[role],
    ...(type ? [TYPE_NAMES[type]] : []),
    ...(account ? [`account ${account}`] : []),
  ];
  const lasts = formatExpiry(connection, at, zone);
  const noted = expiresSoon(connection, at, zone) ? `*${lasts}*` : lasts;
  const lifeSpan = lifetime === 'none' ? '' : ` for ${LIFETIME_NAMES[lifetime]}`;
  return [
    `${noted} · ${lastUsed === undefined ? 'not used yet' : `last used ${formatInstant(lastUsed)}`}`,
    escapeMarkup(`${hosts} · ${describeToken(connection)}`),
    escapeMarkup(made.join(' · ')),
    `added by ${mention(registeredBy)} on ${formatDays(day, day)}${lifeSpan}`,
  ];
}

/** With the port where there is one: that is what tells two services on one machine apart. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

function buttons({ name, connection, isDefault }: Entry): Block {
  const canBeTested = connection?.test !== undefined;
  return actions(
    ...(canBeTested ? [button('connection-test', 'Test now', { value: name })] : []),
    button('connect', 'Replace token…', { value: name }),
    ...(isDefault ? [] : [button('connection-default', 'Make default', { value: name })]),
    button('disconnect-ask', 'Disconnect…', { value: name }),
  );
}

export function formatTestResult(
  { project, product }: NonNullable<Connection['test']>,
  answered: boolean,
): string {
  if (answered) return `The test passed: the token works, and project ${project} has data.`;
  return `The token works, but there is no ${PRODUCTS[product].name} data for project ${project}.`;
}
