import { commandText } from '../../domain/commands.ts';
import { isFailure, type UnsealFailed } from '../../domain/failure/index.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { dayAt, formatDays, type Millis, type Zone } from '../../domain/time/calendar.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import {
  actions,
  type Block,
  button,
  escapeMarkup,
  formatInstant,
  header,
  markup,
  mention,
  section,
} from '../../slack/kit/atoms.ts';
import {
  type Connection,
  calmText,
  describeToken,
  expiresSoon,
  formatExpiry,
  isExpiryUnknown,
  LIFETIME_NAMES,
  ROLE_NAMES,
  TYPE_NAMES,
} from '../../workspace/credentials/connections.ts';
import type { Permissions } from '../../workspace/permissions.ts';
import type { AskLocation } from '../../workspace/projects/resolve-project.ts';
import { findConnection, isDamaged } from '../../workspace/record/workspace.ts';
import type { Workspace } from '../../workspace/record/workspaces.ts';
import type { StatusPart } from '../feature.ts';
import { cutOffBlocks } from './projects.ts';

export interface StatusView {
  readonly workspace: Workspace;
  readonly user: Pick<Permissions, 'canManage'>;
  /** Where it is read: a project that is limited to other channels is not named there. */
  readonly place: AskLocation;
  readonly at: Millis;
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
  readonly isRejected: boolean;
}

/** How the connections are: what is wrong with them, then those that work. */
export function connectionParts(view: StatusView): readonly StatusPart[] {
  const { workspace, user, place, at } = view;
  const entries = workspace.connectionNames.map((name) => entryOf(name, workspace));
  if (entries.length === 0) return [nothingThere(user.canManage)];
  const statusContext = { at, zone: workspace.settings.zone, several: entries.length > 1 };
  const wrong = [
    ...(isDamaged(workspace, 'settings') ? [damagedSettings(user.canManage)] : []),
    ...(entries.length > 1 && !entries.some(({ isDefault }) => isDefault) ? [[section(NO_DEFAULT)]] : []),
    ...cutOffBlocks(workspace, place),
  ];
  return user.canManage
    ? partsForManager(entries, wrong, view, statusContext)
    : partsForMembers(entries, wrong.flat(), statusContext, workspace.failures.size === 0);
}

type Health = StatusPart['health'];

/** @param wrong what is wrong besides, each with what to do */
function partsForManager(
  entries: readonly Entry[],
  wrong: readonly (readonly Block[])[],
  { tested }: StatusView,
  statusContext: StatusContext,
): readonly StatusPart[] {
  const draw = (entry: Entry) =>
    forManager(entry, statusContext, entry.name === tested?.name ? tested.says : []);
  const ofHealth = (health: Health) => entries.filter((entry) => healthOf(entry, statusContext) === health);
  const [broken, soon, fine] = [ofHealth('broken'), ofHealth('warning'), ofHealth('fine')];
  const brokenCount = broken.length + wrong.length;
  // A tested connection keeps its position, so that its result is not cut off at the end of the page.
  const parts: readonly StatusPart[] = [
    { health: 'broken', problems: brokenCount, blocks: [...wrong.flat(), ...broken.flatMap(draw)] },
    { health: 'warning', problems: soon.length, blocks: soon.flatMap(draw) },
    { health: 'fine', problems: 0, blocks: fine.flatMap(draw) },
  ];
  return parts
    .filter(({ blocks }) => blocks.length > 0)
    .map((part, at) => ({
      ...part,
      blocks: [header(at === 0 ? 'Connections' : 'Other connections'), ...part.blocks],
    }));
}

const DAMAGED_SETTINGS = `This workspace’s settings are damaged and not used. A Tally manager can save them again with ${commandText('/billing settings')}.`;
const damagedSettings = (canManage: boolean): readonly Block[] => [
  section(DAMAGED_SETTINGS),
  ...(canManage
    ? [actions(...commandButton('settings', 'Settings…', { command: '/billing settings' }))]
    : []),
];
const NO_DEFAULT =
  'There is no default connection, so only projects with their own connection work. Make one the default.';

function nothingThere(manage: boolean): StatusPart {
  const text = 'Tally isn’t connected to a billing service yet.';
  const todo = manage
    ? 'You need the address of the service and an access token.'
    : `Ask a Tally manager to connect it with ${commandText('/billing connect')}.`;
  const buttons = manage ? [actions(button('connect', 'Connect…', { style: 'primary' }))] : [];
  return { health: 'broken', problems: 1, blocks: [section(`${text} ${todo}`), ...buttons] };
}

function entryOf(name: string, record: Workspace): Entry {
  const connection = record.connections.get(name);
  return {
    name,
    connection,
    broken: brokenAs(name, record),
    isDefault: record.defaultConnection === name,
    lastUsed: record.lastUsed(name),
    isRejected: record.rejectedAt({ kind: 'connection', name }) !== undefined,
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

interface StatusContext {
  readonly at: Millis;
  readonly zone: Zone;
  readonly several: boolean;
}

const title = ({ name, isDefault }: Entry, { several }: StatusContext): string =>
  `*${escapeMarkup(name)}*${isDefault && several ? ' · default' : ''}`;

function partsForMembers(
  entries: readonly Entry[],
  wrong: readonly Block[],
  statusContext: StatusContext,
  isAnswering: boolean,
): readonly StatusPart[] {
  const lines = entries.map(
    (entry) => `${title(entry, statusContext)}${problemOf(entry, statusContext) ?? ''}`,
  );
  const healths = entries.map((entry) => healthOf(entry, statusContext));
  const isBroken = wrong.length > 0 || healths.includes('broken');
  const health = isBroken ? 'broken' : healths.includes('warning') ? 'warning' : 'fine';
  const problems = wrong.length + healths.filter((one) => one !== 'fine').length;
  const healthy =
    health === 'fine' && isAnswering
      ? [section(calmText(entries.flatMap(({ connection }) => connection ?? [])))]
      : [];
  return [
    { health, problems, blocks: [header('Connections'), ...wrong, ...healthy, markup(lines.join('\n'))] },
  ];
}

function healthOf({ connection, broken, isRejected }: Entry, { at, zone }: StatusContext): Health {
  if (connection === undefined || broken !== undefined || isRejected) return 'broken';
  if (connection.expiresAt !== undefined && connection.expiresAt <= at) return 'broken';
  return expiresSoon(connection, at, zone) ? 'warning' : 'fine';
}

function problemOf(
  { connection, broken, isRejected }: Entry,
  { at, zone }: StatusContext,
): string | undefined {
  if (connection === undefined || broken !== undefined) return ' · doesn’t work: a Tally manager can fix it';
  if (isRejected) return ' · its token was rejected: a Tally manager can replace it';
  return expiresSoon(connection, at, zone) ? ` · its token ${formatExpiry(connection, at, zone)}` : undefined;
}

const BROKEN: Record<UnsealFailed['reason'], string> = {
  'unknown-key':
    'Its token is encrypted with a key that is missing from ENCRYPTION_KEYS. Replace the token, or ask your operator to restore the key.',
  'not-authentic': 'Its record was changed outside of Tally. Replace the token.',
  malformed: 'Its record is damaged. Replace the token.',
};

function forManager(entry: Entry, statusContext: StatusContext, tested: readonly Block[]): Block[] {
  const { connection, broken, isRejected } = entry;
  const lines = [
    title(entry, statusContext),
    ...(broken === undefined ? [] : [`*Doesn’t work.* ${BROKEN[broken]}`]),
    ...(isRejected ? ['*The service rejected its token.* It may have expired or been revoked.'] : []),
    ...(connection === undefined ? [] : details(connection, entry, statusContext)),
  ];
  return [markup(lines.join('\n')), ...tested, buttons(entry)];
}

function details(connection: Connection, { lastUsed }: Entry, { at, zone }: StatusContext): string[] {
  const { baseUrl, authUrl, account, role, type, lifetime, registeredBy, registeredAt } = connection;
  const day = dayAt(registeredAt, zone);
  const hosts = authUrl === undefined ? hostOf(baseUrl) : `${hostOf(baseUrl)} · identity ${hostOf(authUrl)}`;
  const made = [
    ...(role ? [ROLE_NAMES[role]] : []),
    ...(type ? [TYPE_NAMES[type]] : []),
    ...(account ? [`account ${account}`] : []),
  ];
  const lasts = formatExpiry(connection, at, zone);
  const noted = expiresSoon(connection, at, zone)
    ? `*${lasts}*`
    : isExpiryUnknown(connection)
      ? `${lasts} — set it to be reminded`
      : lasts;
  const lifeSpan = lifetime && lifetime !== 'none' ? ` for ${LIFETIME_NAMES[lifetime]}` : '';
  return [
    `${noted} · ${lastUsed === undefined ? 'not used yet' : `last used ${formatInstant(lastUsed)}`}`,
    escapeMarkup(`${hosts} · ${describeToken(connection)}`),
    ...(made.length > 0 ? [escapeMarkup(made.join(' · '))] : []),
    `added by ${mention(registeredBy)} on ${formatDays(day, day)}${lifeSpan}`,
  ];
}

/** With the port if there is one: that is what tells two services on one machine apart. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

function buttons({ name, connection, isDefault }: Entry): Block {
  const canBeTested = connection?.test !== undefined;
  return actions(
    ...(canBeTested ? [button('connection-test', 'Test now', { value: name })] : []),
    button('connect', 'Replace token…', { value: name }),
    ...(connection === undefined
      ? []
      : [
          button('connection-expiry', isExpiryUnknown(connection) ? 'Set expiry…' : 'Change expiry…', {
            value: name,
          }),
        ]),
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
