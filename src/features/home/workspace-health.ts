/** The state of connections, projects, application accesses and records, for Home and `/billing status`. */
import type { Button, Overflow } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { Failure, isFailure, kindOf } from '../../domain/failure/index.ts';
import { dayAt, formatDays, type Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { listNames } from '../../domain/wording.ts';
import { usersText } from '../../slack/automations/automation.ts';
import {
  button,
  compact,
  escapeMarkup,
  instantMarkup,
  joinTexts,
  mention,
  overflow,
} from '../../slack/block-kit/blocks.ts';
import { commandButton, commandOption, toCommand } from '../../slack/commands/command-buttons.ts';
import { askManagerButton } from '../../slack/error-messages/advice.ts';
import { describeError, lastFailureText } from '../../slack/error-messages/advice-by-failure.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  type ConnectionState,
  connectionStates,
  credentialHealth,
  KEY_IS_GONE,
} from '../../workspace/credentials/credential-health.ts';
import {
  type Connection,
  describeAccess,
  expiresSoon,
  formatExpiry,
  isExpiryUnknown,
  ROLE_NAMES,
  TYPE_NAMES,
} from '../../workspace/credentials/credential-records.ts';
import {
  type ChosenProject,
  connectionNameOf,
  isSameProject,
  projectKey,
} from '../../workspace/projects/chosen-project.ts';
import { canAskAbout, visibleProjects } from '../../workspace/projects/project-scope.ts';
import { isConnectionMissing } from '../../workspace/projects/resolve-project.ts';
import { MAX_DIGEST_PROJECTS } from '../../workspace/record/automation-records.ts';
import type { LastFailure } from '../../workspace/record/service-outcomes.ts';
import { isDamaged, type Workspace } from '../../workspace/record/workspace.ts';
import type { HealthLine, HealthSection, HealthSource } from '../feature.ts';

const RANK: Readonly<Record<HealthLine['level'], number>> = { broken: 0, warning: 1, news: 2, fine: 3 };
const rankOf = (lines: readonly HealthLine[]): number => Math.min(...lines.map(({ level }) => RANK[level]));

export const needsAttention = ({ level }: Pick<HealthLine, 'level'>): boolean => level !== 'fine';
export const isProblem = ({ level }: Pick<HealthLine, 'level'>): boolean =>
  level === 'broken' || level === 'warning';

/** The worst sections and lines come first. @param others the sources of other features */
export async function loadHealth(
  others: readonly HealthSource[],
  request: Request,
): Promise<readonly HealthSection[]> {
  const sources = [recordHealth, connectionHealth, projectHealth, accessHealth, ...others];
  const sections = await Promise.all(sources.map((source) => unlessDamaged(source, request)));
  return compact(sections)
    .filter(({ lines }) => lines.length > 0)
    .map((one) => ({ ...one, lines: one.lines.toSorted((a, b) => RANK[a.level] - RANK[b.level]) }))
    .toSorted((a, b) => rankOf(a.lines) - rankOf(b.lines));
}

async function unlessDamaged(source: HealthSource, request: Request): Promise<HealthSection | undefined> {
  try {
    return await source(request);
  } catch (error) {
    if (!isFailure(error, 'unseal-failed') && !isFailure(error, 'settings-damaged')) throw error;
    const text = ['Some of Tally’s data is damaged. Ask your operator to run `tally doctor`.'];
    return { title: '', lines: [{ level: 'broken', text }] };
  }
}

function failureLine(failure: Failure, request: Request): HealthLine {
  const { sentence, todo, buttons } = describeError(failure, request);
  return { level: 'broken', text: [escapeMarkup(joinTexts(' ', [sentence, todo]))], fix: buttons[0] };
}

/** Damaged connections and application accesses aren't here: their own sections say how to repair them. */
const recordHealth: HealthSource = (request) => {
  const { workspace, user } = request;
  const damaged = workspace.damaged.filter(({ kind }) => /^(project|schedule|watch)$/.test(kind));
  const named = damaged.map(({ kind, id }) => `the ${kind} ${escapeMarkup(id)}`);
  const isProject = damaged.some(({ kind }) => kind === 'project');
  const text = joinTexts(' ', [
    `Damaged: ${listNames(named)}. Your operator can run \`tally doctor\` to see why.`,
    isProject &&
      `Remove damaged projects in \`${commandText('/billing projects')}\`. Until then, nobody can ask about projects by ID.`,
  ]);
  return {
    title: 'Records',
    lines: compact([
      isDamaged(workspace, 'settings') && failureLine(new Failure('settings-damaged'), request),
      user.canManage && damaged.length > 0 && { level: 'broken', text: [text] },
    ]),
  };
};

const connectionHealth: HealthSource = (request) => {
  const { workspace, user, at } = request;
  const states = connectionStates(workspace, at);
  const hasNoDefault = states.length > 1 && !states.some(({ isDefault }) => isDefault);
  const lines: readonly (HealthLine | false)[] = [
    states.length === 0 && failureLine(new Failure('not-connected'), request),
    hasNoDefault && { level: 'broken', text: [NO_DEFAULT] },
    ...(user.canManage
      ? states.map((state) => lineForManager(state, workspace, at))
      : states.filter(({ health }) => health !== 'fine').map((state) => lineForMember(state, request))),
  ];
  return { title: 'Connections', lines: compact(lines) };
};

const NO_DEFAULT = 'Choose a default connection. Until then, only projects with their own connection work.';

const nameOf = ({ name, isDefault }: ConnectionState, { connectionNames }: Workspace): string =>
  connectionNames.length === 1
    ? '*Billing connection*'
    : `*${escapeMarkup(name)}*${isDefault ? ' · default' : ''}`;

function lineForMember(state: ConnectionState, request: Request): HealthLine {
  const { workspace, at } = request;
  const { name, connection, damage, isRejected, health } = state;
  const problem =
    connection === undefined || damage !== undefined
      ? 'doesn’t work: a Tally manager can fix it'
      : isRejected
        ? 'its token was rejected: a Tally manager can replace it'
        : `its token ${formatExpiry(connection, at, workspace.settings.zone)}`;
  const [fix] = askManagerButton(toCommand('/billing connect', name), request);
  return {
    level: health,
    text: compact([nameOf(state, workspace), problem, waitingText(state, workspace)]),
    fix,
  };
}

/** What a rejected token stops: `2 schedules and 1 watch use it.` */
const waitingText = ({ name, isRejected }: ConnectionState, workspace: Workspace): string | false =>
  isRejected && (usersText(workspace, (project) => connectionNameOf(project, workspace) === name) ?? false);

function lineForManager(state: ConnectionState, workspace: Workspace, at: Millis): HealthLine {
  const { name, connection, damage, isRejected, health } = state;
  const { zone } = workspace.settings;
  const expiry = connection && formatExpiry(connection, at, zone);
  const isUnknown = connection !== undefined && isExpiryUnknown(connection);
  const isKeyGone = damage !== undefined && damage !== 'malformed';
  const problem = joinTexts(' ', [
    isKeyGone && `*Doesn’t work.* ${KEY_IS_GONE}`,
    damage === 'malformed' && '*Damaged.* Replace the token.',
    isRejected && '*The service rejected its token.* It may have expired or been revoked.',
  ]);
  const expires =
    connection && expiresSoon(connection, at, zone)
      ? `*its token ${expiry}*`
      : isUnknown
        ? 'expiry unknown. Set it to get reminders'
        : expiry && `token: ${expiry}`;
  const setExpiry = commandButton('expiry', 'Set expiry…', toCommand('/billing connect', `${name} expiry`));
  const replace = [button('connect', 'Replace token…', { value: name, style: 'primary' })];
  const [fix] = health === 'fine' ? (isUnknown ? setExpiry : []) : isKeyGone ? [] : replace;
  return {
    level: health,
    text: compact([
      nameOf(state, workspace),
      problem === '' ? expires : problem,
      waitingText(state, workspace),
      connection && detailsOf(connection, state, workspace),
    ]),
    fix,
    menu: connectionMenu(state),
  };
}

function detailsOf(connection: Connection, { lastUsed }: ConnectionState, workspace: Workspace): string {
  const { baseUrl, account, role, type, registeredBy, registeredAt, lastFour } = connection;
  const day = dayAt(registeredAt, workspace.settings.zone);
  const many = workspace.connectionNames.length > 1;
  return joinTexts(' · ', [
    lastUsed === undefined ? 'not used yet' : `last used: ${instantMarkup(lastUsed)}`,
    role && ROLE_NAMES[role],
    type && TYPE_NAMES[type],
    account && escapeMarkup(`account ${account}`),
    // The host includes the port, because two services can run on one machine.
    many && escapeMarkup(new URL(baseUrl).host),
    many && `token ending ${escapeMarkup(lastFour)}`,
    `added by ${mention(registeredBy)} on ${formatDays(day, day)}`,
  ]);
}

const connectionMenu = ({ name, connection, isDefault }: ConnectionState): Overflow =>
  overflow(
    `rerun:connection-${name}`,
    compact([
      commandOption('Replace token…', toCommand('/billing connect', name)),
      connection && commandOption('Change expiry…', toCommand('/billing connect', `${name} expiry`)),
      !isDefault && commandOption('Make default', toCommand('/billing status', `default ${name}`)),
      commandOption('Disconnect…', toCommand('/billing disconnect', name)),
    ]),
  );

const projectHealth: HealthSource = (request) => {
  const { workspace } = request;
  const failed = failedProjects(request);
  const causes = [...new Set(failed.map(({ text }) => text))];
  const missing = workspace.projects
    .filter((project) => isConnectionMissing(project, workspace) && canAskAbout(project, workspace, request))
    .map(({ alias, connection }) =>
      failureLine(
        new Failure('connection-missing', { connection, project: { label: alias, alias } }),
        request,
      ),
    );
  const lineOf = (text: string) =>
    causeLine(
      failed.filter((one) => one.text === text),
      request,
    );
  return { title: 'Projects', lines: [...compact(causes.map(lineOf)), ...missing] };
};

/** Leaves out rejected tokens, because the line of the connection reports them. */
function failedProjects(request: Request) {
  const { workspace, at } = request;
  const today = dayAt(at, workspace.settings.zone);
  return visibleProjects(workspace, request).flatMap((project) => {
    const failure = workspace.failures.get(projectKey(project));
    const name = connectionNameOf(project, workspace);
    const isRejected = workspace.rejectedAt({ kind: 'connection', name }) !== undefined;
    return failure === undefined || (failure.kind === 'token-rejected' && isRejected)
      ? []
      : [{ project, failure, text: lastFailureText(failure, today) }];
  });
}

/** @param failed projects without figures, all for the same reason */
function causeLine(
  failed: ReturnType<typeof failedProjects>,
  { workspace, isUnlimited }: Request,
): HealthLine | undefined {
  const [first] = failed;
  if (first === undefined) return undefined;
  const aliases = failed.map(({ project }) => project.alias);
  const since = instantMarkup(Math.min(...failed.map(({ failure }) => failure.since)));
  const names = listNames(aliases.map((alias) => `*${escapeMarkup(alias)}*`));
  const isUsed = (used: ChosenProject) => failed.some(({ project }) => isSameProject(project, used));
  const users = usersText(workspace, isUsed, failed.length === 1 ? 'it' : 'them');
  const said = `No figures for ${names}: ${first.text}. First failed: ${since}.`;
  return {
    level: 'broken',
    text: [joinTexts(' ', [said, users])],
    fix: fixOf(first.failure, aliases, isUnlimited),
  };
}

function fixOf({ kind }: LastFailure, aliases: readonly string[], isManager: boolean): Button | undefined {
  const [first = ''] = aliases;
  const fixedBy = isManager ? kindOf(kind)?.fixedBy : undefined;
  if (fixedBy === 'manager') return button('connect', 'Replace token…');
  const text = aliases.slice(0, MAX_DIGEST_PROJECTS).join(',');
  return fixedBy === 'asker'
    ? commandButton(`edit-${first}`, 'Edit…', toCommand('/billing projects', `edit ${first}`))[0]
    : commandButton(`ask-${first}`, 'Try again', { command: '/balance', text })[0];
}

/** Only managers see this. Decrypts each secret only to check that this is possible. */
const accessHealth: HealthSource = ({ workspace, user, at }) => {
  if (!user.canManage) return undefined;
  const { zone } = workspace.settings;
  const lines = workspace.accessIds.map((id): HealthLine => {
    const access = workspace.accesses.get(id);
    const isOpen = access !== undefined && tryParse(access.open, Failure) !== undefined;
    const isRejected = workspace.rejectedAt({ kind: 'access', name: id }) !== undefined;
    const label = workspace.projects.find((project) => project.id === id)?.alias ?? `Project ${id}`;
    const form = (what: string): Button => button(`access-form:${id}`, what, { value: id });
    const level = credentialHealth(access, !isOpen || isRejected, at, zone);
    const state =
      access === undefined
        ? 'access damaged: replace it'
        : isOpen
          ? `${describeAccess(access, at, zone)}${isRejected ? ' · rejected by the identity service' : ''}`
          : KEY_IS_GONE;
    const isUnknown = isOpen && isExpiryUnknown(access);
    return {
      level,
      text: [`*${escapeMarkup(label)}* · OS_TOKEN ${escapeMarkup(state)}`],
      fix: level !== 'fine' ? form('Replace access…') : isUnknown ? form('Set expiry…') : undefined,
    };
  });
  return { title: 'Application access', lines };
};
