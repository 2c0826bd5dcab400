import { commandText } from '../../domain/commands.ts';
import { limitLines, pluralize } from '../../domain/language/text.ts';
import { dayAt, type Millis } from '../../domain/time/calendar.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { lastFailureText, lastFailureTodo } from '../../slack/error-messages/last-failure.ts';
import { actions, type Block, buttonRow, escapeMarkup, header, markup } from '../../slack/kit/atoms.ts';
import { findFailure } from '../../workspace/projects/last-failure.ts';
import type { Project } from '../../workspace/projects/projects.ts';
import {
  type AskLocation,
  canAskAbout,
  isConnectionMissing,
  visibleProjects,
} from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { StatusPart } from '../feature.ts';

const MOST_LINES = 10;
const MOST_BUTTONS = 5;

/** The projects that billing last gave no answer for. @param place a project that is limited to other channels is not named there */
export function projectParts(workspace: Workspace, place: AskLocation, at: Millis): readonly StatusPart[] {
  const failing = visibleProjects(workspace, place).flatMap((project) => {
    const failure = findFailure(workspace.failures, project);
    return failure === undefined ? [] : [{ project, failure }];
  });
  if (failing.length === 0) return [];
  const today = dayAt(at, workspace.settings.zone);
  const lines = failing.map(({ project, failure }) => {
    const todo = place.manager ? ` ${lastFailureTodo(failure, project)}` : '';
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

/** The projects whose connection no longer exists, each with what to do. */
export function cutOffBlocks(record: Workspace, place: AskLocation): readonly (readonly Block[])[] {
  const all = record.projects.filter((project) => isConnectionMissing(project, record));
  const named = all.filter((project) => canAskAbout(project, record, place));
  const shown = named.slice(0, MOST_LINES);
  const lines = shown.map((project) => cutOffWords(project, place.manager));
  const more = named.length - lines.length;
  const hidden = all.length > named.length ? [CUT_OFF_ELSEWHERE] : [];
  const words = [...lines, ...(more > 0 ? [`and ${pluralize(more, 'more project')}`] : []), ...hidden];
  if (words.length === 0) return [];
  const edits = place.manager
    ? shown.slice(0, MOST_BUTTONS).flatMap(({ alias }) =>
        commandButton(`edit-${alias}`, `Edit ${alias}…`, {
          command: '/billing projects',
          text: `edit ${alias}`,
        }),
      )
    : [];
  return [[markup(words.join('\n')), ...buttonRow(edits)]];
}

const CUT_OFF_ELSEWHERE = 'Some projects in other channels use a connection that no longer exists.';

function cutOffWords({ alias, connection = '' }: Project, manage: boolean): string {
  const what = `*${escapeMarkup(alias)}* uses the connection ${escapeMarkup(connection)}, which no longer exists.`;
  const todo = manage
    ? ` Choose another with \`${commandText('/billing projects')} edit ${alias}\`, or reconnect it with \`${commandText('/billing connect')} ${escapeMarkup(connection)}\`.`
    : ' A Tally manager can choose another one.';
  return what + todo;
}
