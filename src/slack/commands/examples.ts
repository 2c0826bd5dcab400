import { parseQuestion } from '../../domain/language/questions/question.ts';
import { tryRead } from '../../domain/try-read.ts';
import { type AskLocation, canAskAbout, visibleProjects } from '../../workspace/projects/resolve-project.ts';
import { findConnection } from '../../workspace/record/workspace.ts';
import { isDirectMessage } from '../request/payload.ts';
import type { Request } from '../request/request.ts';

type Reader = Pick<Request, 'workspace'> & AskLocation;

/** In plain words, the first three that are understood. Beside a project called “left”, “what’s left” is not. */
const questionsAbout = (project: string, { aliases }: Request['workspace']): readonly string[] =>
  [
    `how much did ${project} spend last week?`,
    `why did ${project} cost more last month?`,
    `what’s left on ${project}?`,
    `how long will ${project} last?`,
  ]
    .filter((question) => parseQuestion(question, aliases)?.kind === 'command')
    .slice(0, 3);

/** The project that the first connection was tested with: the only one that is known before any has a name. */
export function testedProject(workspace: Request['workspace']) {
  return workspace.connectionNames.length > 0 ? findConnection(workspace)?.test : undefined;
}

/**
 * A project that this reader can ask about here, by its name or its ID: the channel's default, else the one that the connection
 * was tested with, else any. Undefined when none is known.
 */
export function askableProject(reader: Reader): string | undefined {
  const { workspace, channel } = reader;
  const named = visibleProjects(workspace, reader).filter(
    ({ alias }) => questionsAbout(alias, workspace).length > 0,
  );
  const tested = tryRead(() => testedProject(workspace));
  const usual =
    named.find(({ alias }) => channel !== undefined && alias === workspace.channelDefault(channel)) ??
    named.find(({ id }) => id === tested?.project) ??
    named[0];
  if (usual !== undefined) return usual.alias;
  const isOpen = tested && canAskAbout({ id: tested.project, product: tested.product }, workspace, reader);
  return isOpen ? tested.project : undefined;
}

/** The same for examples that are only shown. */
export const exampleProject = (reader: Reader): string => askableProject(reader) ?? '123';

/** Three questions in plain words, as this reader types them here: in a channel Tally has to be mentioned. */
export function exampleQuestions(reader: Reader): readonly string[] {
  const isChannel = reader.channel !== undefined && !isDirectMessage(reader.channel);
  const questions = questionsAbout(exampleProject(reader), reader.workspace);
  return isChannel ? questions.map((question) => `@Tally ${question}`) : questions;
}
