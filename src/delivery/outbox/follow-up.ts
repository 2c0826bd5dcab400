/** The question that a message answers. People can ask follow-up questions in the message's thread. */
import type { Logger } from 'pino';
import type { SlashCommand } from '../../domain/command-names.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { askedText } from '../../slack/commands/asked-projects.ts';
import { type ChosenProject, findNamed } from '../../workspace/projects/chosen-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { ThreadQuestion, ThreadStore } from '../../workspace/thread-store.ts';

export type AskedQuestion = Omit<ThreadQuestion, 'at'>;

/** @param words the period and comparison @returns undefined if no single command can ask about all these projects */
export function askAbout(
  command: SlashCommand,
  projects: readonly ChosenProject[],
  words: string,
  workspace: Workspace,
): AskedQuestion | undefined {
  const named = projects.map((project) => findNamed(project, workspace));
  const products = new Set(named.includes(undefined) ? projects.map(({ product }) => product) : []);
  const [product, ...others] = products;
  if (projects.length === 0 || others.length > 0) return undefined;
  const word = projects.map(({ id }, at) => named[at]?.alias ?? id).join(',');
  const ids = named.flatMap((project) => (project ? [[project.alias, project.id]] : []));
  return { command, text: askedText({ word, product }, words), ids: Object.fromEntries(ids) };
}

export interface FollowUpServices {
  readonly threads: Pick<ThreadStore, 'remember'>;
  readonly clock: () => Millis;
  readonly log: Logger;
}

/** Never rejects, because the message is already sent. */
export async function rememberQuestion(
  question: AskedQuestion | undefined,
  { channel, ts }: { readonly channel: SlackId; readonly ts: string },
  workspace: SlackId,
  { threads, clock, log }: FollowUpServices,
): Promise<void> {
  if (question === undefined) return;
  await threads
    .remember({ workspace, channel, thread: ts }, { ...question, at: Math.floor(clock()) }, 'everybody')
    .catch((err: unknown) =>
      log.warn({ err, workspace }, 'Could not store what follow-ups below a message refer to'),
    );
}
