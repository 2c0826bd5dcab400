import type { SlashCommand } from '../../domain/command-names.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { askedText } from '../../slack/commands/project-answers.ts';
import { type ChosenProject, referenceTo } from '../../workspace/projects/chosen-project.ts';
import { UNLIMITED } from '../../workspace/projects/project-visibility.ts';
import { resolveProject } from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { ThreadPlace, ThreadQuestion } from '../../workspace/thread-store.ts';
import type { DeliveryContext } from '../context.ts';

export type TopicContext = Pick<DeliveryContext, 'workspace' | 'clock' | 'log'>;

/** The question that a message answers. */
export interface MessageTopic {
  readonly command: SlashCommand;
  /** The projects that the message shows. */
  readonly projects: readonly ChosenProject[];
  /** Its period in canonical words, if it has one, and what that is compared with. */
  readonly days?: string;
}

/**
 * What is remembered in a message's thread, so that “why?” is enough there. Never throws: the message is sent
 * already, and without this a follow-up only has to name its project.
 */
export function threadQuestions(
  topic: MessageTopic,
  { channel, ts }: { readonly channel: SlackId; readonly ts: string },
  { workspace, clock, log }: TopicContext,
): readonly (readonly [ThreadPlace, ThreadQuestion])[] {
  try {
    const question = questionOf(topic, workspace);
    if (question === undefined) return [];
    const place = { workspace: workspace.teamId, channel, thread: ts };
    return [[place, { at: Math.floor(clock()), ...question }]];
  } catch (err) {
    log.warn({ err, workspace: workspace.teamId }, 'Could not remember a message for follow-ups');
    return [];
  }
}

/** @returns undefined if no single command asks about all of them: they have several products, or one has no name */
function questionOf(
  { command, days = '', projects }: MessageTopic,
  workspace: Workspace,
): Omit<ThreadQuestion, 'at'> | undefined {
  const references = projects.map((project) => referenceTo(project, workspace));
  const words = references.map(({ alias, project }) => alias ?? project);
  const isUsual = references.every(
    ({ product, ...named }) => resolveProject(named, workspace, UNLIMITED).product === product,
  );
  const [product, ...others] = isUsual ? [] : new Set(projects.map((project) => project.product));
  if (words.length === 0 || others.length > 0) return undefined;
  const ids = references.flatMap(({ alias }, at) =>
    alias === undefined ? [] : [[alias, projects[at]?.id ?? '']],
  );
  return { command, text: askedText({ word: words.join(','), product }, days), ids: Object.fromEntries(ids) };
}
