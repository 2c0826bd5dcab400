import { parseWithOutput } from '../../domain/language/argument.ts';
import { formatCommandWords, parseCommandText } from '../../domain/language/command-text.ts';
import { tryRead } from '../../domain/try-read.ts';
import { FOLLOWED, type ThreadOutcome, type ThreadQuestion } from '../../workspace/thread-store.ts';
import type { CommandInvocation } from '../commands/command-buttons.ts';
import { findAskedProjects } from '../commands/project-answers.ts';
import type { ReplyTarget } from '../reply/reply.ts';
import { threadOf } from '../request/payload.ts';
import type { Request } from '../request/request.ts';
import type { ListenerContext } from './listeners.ts';

/**
 * Remembers a question in its thread, so that the next one can leave out what it had. Never rejects: the answer is out
 * already.
 */
export async function rememberQuestion(
  { threads, log }: Pick<ListenerContext, 'threads' | 'log'>,
  { source, posted }: ReplyTarget,
  request: Request,
  invocation: CommandInvocation,
  outcome: ThreadOutcome,
): Promise<void> {
  const place = threadOf(source);
  const question = place && tryRead(() => threadQuestion(invocation, request));
  if (place === undefined || question === undefined) return;
  const answer = posted();
  // An answer in a direct message may begin a thread.
  const begun = place.thread === '' && answer?.channel === place.channel ? [answer.ts] : [];
  const places = [place, ...begun.map((thread) => ({ ...place, thread }))];
  await Promise.all(places.map((there) => threads.remember(there, question, outcome))).catch((err: unknown) =>
    log.warn({ err }, 'Could not remember a question for follow-ups'),
  );
}

/** @returns undefined for a call for help @throws Failure for projects that this person may not ask about here */
function threadQuestion({ command, text }: CommandInvocation, request: Request): ThreadQuestion | undefined {
  if (!FOLLOWED.has(command)) return undefined;
  const { at, workspace } = request;
  const { words, output } = parseWithOutput(text, workspace.aliases, parseCommandText);
  if (words.help) return undefined;
  const { word, targets } = findAskedProjects(words, request);
  const named = words.several === 'all' ? [] : targets;
  return {
    command,
    text: formatCommandWords(words.several === undefined ? { ...words, alias: word } : words, output),
    at: Math.floor(at),
    ids: Object.fromEntries(
      named.flatMap((target) =>
        'alias' in target && target.alias !== undefined ? [[target.alias, target.project]] : [],
      ),
    ),
  };
}
