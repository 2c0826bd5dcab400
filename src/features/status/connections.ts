import { commandText } from '../../domain/command-names.ts';
import type { FailureOf } from '../../domain/failure/index.ts';
import { dayAt, formatDays, type Millis, type Zone } from '../../domain/time/calendar.ts';
import { toCommand } from '../../slack/commands/command.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { askManagerButton } from '../../slack/error-messages/description.ts';
import {
  actions,
  type Block,
  button,
  buttonRow,
  compact,
  escapeMarkup,
  formatInstant,
  header,
  joinTexts,
  markup,
  mention,
  section,
} from '../../slack/kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  type Connection,
  describeToken,
  ROLE_NAMES,
  TYPE_NAMES,
} from '../../workspace/credentials/connection-record.ts';
import {
  expiresSoon,
  formatExpiry,
  isExpiryUnknown,
  LIFETIME_NAMES,
  tokensOkText,
} from '../../workspace/credentials/expiry.ts';
import {
  type ConnectionState,
  connectionStates,
  type HealthLevel,
  KEY_IS_GONE,
  worstFirst,
} from '../../workspace/credentials/health.ts';
import { isDamaged, type Workspace } from '../../workspace/record/workspace.ts';
import type { StatusPart } from '../feature.ts';
import { missingConnectionBlocks } from './projects.ts';

/** What a test that was just made says of a connection. */
export interface TestResult {
  readonly name: string;
  readonly says: readonly Block[];
}

/** How the connections are: what is wrong with them, then those that work. */
export function connectionParts(request: Request, tested?: TestResult): readonly StatusPart[] {
  const { workspace, user, at } = request;
  const states = connectionStates(workspace, at);
  if (states.length === 0) return [nothingThere(request)];
  const wrong = compact([
    isDamaged(workspace, 'settings') && damagedSettings(request),
    ...(states.length > 1 && !states.some(({ isDefault }) => isDefault) ? [[section(NO_DEFAULT)]] : []),
    ...missingConnectionBlocks(request),
  ]);
  return user.canManage
    ? partsForManager(states, wrong, request, tested)
    : [partForMembers(states, wrong, request)];
}

/** @param wrong what is wrong besides, each with what to do */
function partsForManager(
  states: readonly ConnectionState[],
  wrong: readonly (readonly Block[])[],
  { workspace, at }: Request,
  tested: TestResult | undefined,
): readonly StatusPart[] {
  const drawn = (health: HealthLevel) =>
    states
      .filter((state) => state.health === health)
      .map((state) => [
        markup(linesForManager(state, workspace, at).join('\n')),
        ...(state.name === tested?.name ? tested.says : []),
        buttons(state),
      ]);
  const [broken, soon] = [[...wrong, ...drawn('broken')], drawn('warning')];
  // A tested connection keeps its position, so that its result is not cut off at the end of the page.
  const parts: readonly StatusPart[] = [
    { health: 'broken', problems: broken.length, blocks: broken.flat() },
    { health: 'warning', problems: soon.length, blocks: soon.flat() },
    { health: 'fine', problems: 0, blocks: drawn('fine').flat() },
  ];
  return parts
    .filter(({ blocks }) => blocks.length > 0)
    .map((part, at) => ({
      ...part,
      blocks: [header(at === 0 ? 'Connections' : 'Other connections'), ...part.blocks],
    }));
}

const DAMAGED_SETTINGS = 'This workspace’s settings are damaged and not used.';
const damagedSettings = (request: Request): readonly Block[] =>
  request.user.canManage
    ? [
        section(`${DAMAGED_SETTINGS} Save them again.`),
        actions(...commandButton('settings', 'Settings…', toCommand('/billing settings'))),
      ]
    : [
        section(
          `${DAMAGED_SETTINGS} A Tally manager can save them again with ${commandText('/billing settings')}.`,
        ),
        ...buttonRow(askManagerButton(toCommand('/billing settings'), request)),
      ];
const NO_DEFAULT =
  'There is no default connection, so only projects with their own connection work. Make one the default.';

function nothingThere(request: Request): StatusPart {
  const { canManage } = request.user;
  const text = 'Tally isn’t connected to a billing service yet.';
  const todo = canManage
    ? 'You need the address of the service and an access token.'
    : `Ask a Tally manager to connect it with ${commandText('/billing connect')}.`;
  const buttons = canManage
    ? [button('connect', 'Connect…', { style: 'primary' })]
    : askManagerButton(toCommand('/billing connect'), request);
  return { health: 'broken', problems: 1, blocks: [section(`${text} ${todo}`), ...buttonRow(buttons)] };
}

const title = ({ name, isDefault }: ConnectionState, { connectionNames }: Workspace): string =>
  `*${escapeMarkup(name)}*${isDefault && connectionNames.length > 1 ? ' · default' : ''}`;

function partForMembers(
  states: readonly ConnectionState[],
  wrong: readonly (readonly Block[])[],
  request: Request,
): StatusPart {
  const { workspace, at } = request;
  const lines = states.map((state) => title(state, workspace) + problemOf(state, workspace, at));
  const [worst] = worstFirst(states);
  const health = wrong.length > 0 ? 'broken' : (worst?.health ?? 'fine');
  const problems = wrong.length + states.filter((state) => state.health !== 'fine').length;
  const isCalm = health === 'fine' && workspace.failures.size === 0;
  const calm = isCalm ? [section(tokensOkText([...workspace.connections.values()]))] : [];
  return {
    health,
    problems,
    blocks: [
      header('Connections'),
      ...wrong.flat(),
      ...calm,
      markup(lines.join('\n')),
      ...(worst === undefined || worst.health === 'fine'
        ? []
        : buttonRow(askManagerButton(toCommand('/billing connect', worst.name), request))),
    ],
  };
}

function problemOf(
  { connection, damage, isRejected }: ConnectionState,
  { settings: { zone } }: Workspace,
  at: Millis,
): string {
  if (connection === undefined || damage !== undefined) return ' · doesn’t work: a Tally manager can fix it';
  if (isRejected) return ' · its token was rejected: a Tally manager can replace it';
  return expiresSoon(connection, at, zone) ? ` · its token ${formatExpiry(connection, at, zone)}` : '';
}

const DAMAGE: Record<FailureOf<'unseal-failed'>['data']['reason'], string> = {
  'unknown-key': KEY_IS_GONE,
  'not-authentic': KEY_IS_GONE,
  malformed: 'Its record is damaged. Replace the token.',
};

function linesForManager(state: ConnectionState, workspace: Workspace, at: Millis): readonly string[] {
  const { connection, damage, isRejected } = state;
  return compact([
    title(state, workspace),
    damage !== undefined && `*Doesn’t work.* ${DAMAGE[damage]}`,
    isRejected && '*The service rejected its token.* It may have expired or been revoked.',
    ...(connection === undefined ? [] : details(connection, state, workspace.settings.zone, at)),
  ]);
}

function details(
  connection: Connection,
  { lastUsed }: ConnectionState,
  zone: Zone,
  at: Millis,
): readonly string[] {
  const { baseUrl, authUrl, account, role, type, lifetime, registeredBy, registeredAt } = connection;
  const day = dayAt(registeredAt, zone);
  const hosts = authUrl === undefined ? hostOf(baseUrl) : `${hostOf(baseUrl)} · identity ${hostOf(authUrl)}`;
  const made = joinTexts(' · ', [
    role && ROLE_NAMES[role],
    type && TYPE_NAMES[type],
    account && `account ${account}`,
  ]);
  const lasts = formatExpiry(connection, at, zone);
  const noted = expiresSoon(connection, at, zone)
    ? `*${lasts}*`
    : isExpiryUnknown(connection)
      ? `${lasts} — set it to be reminded`
      : lasts;
  const lifeSpan = lifetime && lifetime !== 'none' ? ` for ${LIFETIME_NAMES[lifetime]}` : '';
  return compact([
    `${noted} · ${lastUsed === undefined ? 'not used yet' : `last used: ${formatInstant(lastUsed)}`}`,
    escapeMarkup(`${hosts} · ${describeToken(connection)}`),
    made !== '' && escapeMarkup(made),
    `added by ${mention(registeredBy)} on ${formatDays(day, day)}${lifeSpan}`,
  ]);
}

/** With the port if there is one: that is what tells two services on one machine apart. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** First what fixes it, while something is wrong. */
function buttons({ name, connection, isDefault, health }: ConnectionState): Block {
  const test = connection?.test === undefined ? [] : [button('connection-test', 'Test now', { value: name })];
  const replace = (style?: 'primary') =>
    button('connect', 'Replace token…', { value: name, ...(style && { style }) });
  return actions(
    ...(health === 'fine' ? [...test, replace()] : [replace('primary'), ...test]),
    connection &&
      button('connection-expiry', isExpiryUnknown(connection) ? 'Set expiry…' : 'Change expiry…', {
        value: name,
      }),
    !isDefault && button('connection-default', 'Make default', { value: name }),
    button('disconnect', 'Disconnect…', { value: name }),
  );
}
