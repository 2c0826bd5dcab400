import { commandButton } from '../../slack/command-buttons.ts';
import { lastFailureText, lastFailureTodo } from '../../slack/error-messages/last-failure.ts';
import { actions, escapeMarkup, header, markup } from '../../slack/kit/atoms.ts';
import { findFailure } from '../../workspace/last-failure.ts';
import { type AskLocation, visibleProjects } from '../../workspace/resolve-project.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { StatusPart } from '../feature.ts';

const MOST_LINES = 10;
const MOST_BUTTONS = 5;

/** The projects that billing last gave no answer for. @param place a project that is limited to other channels is not named there */
export function projectParts(workspace: Workspace, place: AskLocation): readonly StatusPart[] {
  const failing = visibleProjects(workspace, place).flatMap((project) => {
    const failure = findFailure(workspace.failures, project);
    return failure === undefined ? [] : [{ project, failure }];
  });
  if (failing.length === 0) return [];
  const shown = failing.slice(0, MOST_LINES);
  const lines = shown.map(({ project, failure }) => {
    const todo = place.manager ? ` ${lastFailureTodo(failure, project)}` : '';
    return `*${escapeMarkup(project.alias)}* gives no answer: ${lastFailureText(failure)}.${todo}`;
  });
  const more = failing.length > shown.length ? [`and ${failing.length - shown.length} more`] : [];
  const buttons = shown
    .slice(0, MOST_BUTTONS)
    .flatMap(({ project: { alias } }) =>
      commandButton(`ask-${alias}`, `Ask ${alias} again`, { command: '/balance', text: alias }),
    );
  return [
    {
      health: 'broken',
      problems: failing.length,
      blocks: [header('Projects'), markup([...lines, ...more].join('\n')), actions(...buttons)],
    },
  ];
}
