import { Failure } from '../../domain/failure/index.ts';
import { dayAt, type Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { limitLines } from '../../domain/wording.ts';
import { toCommand } from '../../slack/commands/command.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { askManagerButton } from '../../slack/error-messages/description.ts';
import { lastFailureText, lastFailureTodo } from '../../slack/error-messages/index.ts';
import {
  actions,
  type Block,
  button,
  buttonRow,
  escapeMarkup,
  header,
  markup,
  section,
} from '../../slack/kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import { describeAccess } from '../../workspace/credentials/access-record.ts';
import { isExpiryUnknown } from '../../workspace/credentials/expiry.ts';
import { credentialHealth, KEY_IS_GONE, worstFirst } from '../../workspace/credentials/health.ts';
import { canAskAbout, visibleProjects } from '../../workspace/projects/project-visibility.ts';
import { isConnectionMissing } from '../../workspace/projects/resolve-project.ts';
import { findFailure } from '../../workspace/record/stored-outcomes.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { StatusPart } from '../feature.ts';

const MOST_LINES = 10;
const MOST_BUTTONS = 5;

/** The projects that billing last gave no answer for. One that is limited to other channels is not named. */
export function projectParts(request: Request): readonly StatusPart[] {
  const { workspace, at, isUnlimited } = request;
  const failing = visibleProjects(workspace, request).flatMap((project) => {
    const failure = findFailure(workspace.failures, project);
    return failure === undefined ? [] : [{ project, failure }];
  });
  if (failing.length === 0) return [];
  const today = dayAt(at, workspace.settings.zone);
  const lines = failing.map(({ project, failure }) => {
    const todo = isUnlimited ? ` ${lastFailureTodo(failure, project)}` : '';
    return `*${escapeMarkup(project.alias)}* gives no answer: ${lastFailureText(failure, today)}.${todo}`;
  });
  const buttons = failing
    .slice(0, MOST_BUTTONS)
    .flatMap(({ project: { alias } }) =>
      commandButton(`ask-${alias}`, `Ask ${alias} again`, { command: '/balance', text: alias }),
    );
  return [
    {
      health: 'broken',
      problems: failing.length,
      blocks: [header('Projects'), markup(limitLines(lines, MOST_LINES).join('\n')), actions(...buttons)],
    },
  ];
}

/** The projects whose connection no longer exists. */
export function missingConnectionBlocks(request: Request): readonly (readonly Block[])[] {
  const { workspace, isUnlimited } = request;
  const all = workspace.projects.filter((project) => isConnectionMissing(project, workspace));
  const named = all.filter((project) => canAskAbout(project, workspace, request));
  const lines = named.map(
    ({ alias, connection = '' }) =>
      `*${escapeMarkup(alias)}* uses the connection ${escapeMarkup(connection)}, which no longer exists.`,
  );
  const hidden = all.length > named.length ? [CUT_OFF_ELSEWHERE] : [];
  const shown = [...limitLines(lines, MOST_LINES), ...hidden];
  if (shown.length === 0) return [];
  const edit = (alias: string) => toCommand('/billing projects', `edit ${alias}`);
  const edits = isUnlimited
    ? named
        .slice(0, MOST_BUTTONS)
        .flatMap(({ alias }) => commandButton(`edit-${alias}`, `Edit ${alias}…`, edit(alias)))
    : named.slice(0, 1).flatMap(({ alias }) => askManagerButton(edit(alias), request));
  return [[markup(shown.join('\n')), ...buttonRow(edits)]];
}

const CUT_OFF_ELSEWHERE = 'Some projects in other channels use a connection that no longer exists.';

const MOST_ACCESSES = 30;

/** The application accesses, sorted by project; those that need attention first. */
export function accessParts(workspace: Workspace, at: Millis): readonly StatusPart[] {
  const states = worstFirst(workspace.accessIds.map((id) => accessState(id, workspace, at)));
  const [worst] = states;
  if (worst === undefined) return [];
  const texts = states.map(({ label, text }) => `${label} · ${text}`);
  const todo = states
    .flatMap(({ id, label, health, isExpiryUnknown: isUnknown }) => {
      if (health !== 'fine') return button(`access-form:${id}`, `Replace access of ${label}…`, { value: id });
      return isUnknown ? button(`access-form:${id}`, `Set expiry of ${label}…`, { value: id }) : [];
    })
    .slice(0, MOST_BUTTONS);
  return [
    {
      health: worst.health,
      problems: states.filter(({ health }) => health !== 'fine').length,
      blocks: [
        header('Application accesses'),
        section(limitLines(texts, MOST_ACCESSES).join('\n')),
        ...buttonRow(todo),
      ],
    },
  ];
}

/** The state of an access. Opens its seal only to see whether it opens. */
function accessState(id: string, workspace: Workspace, at: Millis) {
  const { zone } = workspace.settings;
  const access = workspace.accesses.get(id);
  const isOpen = access !== undefined && tryParse(access.open, Failure) !== undefined;
  const isRejected = workspace.rejectedAt({ kind: 'access', name: id }) !== undefined;
  const rejected = isRejected ? ' · rejected by the identity service' : '';
  return {
    id,
    label: workspace.projects.find((project) => project.id === id)?.alias ?? `Project ${id}`,
    health: credentialHealth(access, !isOpen || isRejected, at, zone),
    isExpiryUnknown: isOpen && isExpiryUnknown(access),
    text:
      access === undefined
        ? 'damaged and not used: register it again'
        : isOpen
          ? `${describeAccess(access, at, zone)}${rejected}`
          : KEY_IS_GONE,
  };
}
