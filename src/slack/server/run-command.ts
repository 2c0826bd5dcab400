/** Runs a command or a click with the rights of the person who sent it. Errors become replies. */
import { canFollowUp, commandText } from '../../domain/command-names.ts';
import { Failure, InvalidWord, isFailure, UNKNOWN_COMMAND } from '../../domain/failure/index.ts';
import { parseCommandText } from '../../domain/language/parse-command-text.ts';
import { formatParsedCommand } from '../../domain/language/parsed-command.ts';
import { tryParse } from '../../domain/try-parse.ts';
import type { Annotate } from '../../ops/work-record.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import { hasSaved } from '../../workspace/record/audited-change.ts';
import { parseContextOf } from '../../workspace/record/workspace.ts';
import type { ThreadQuestion } from '../../workspace/thread-store.ts';
import { findAskedProjects } from '../commands/asked-projects.ts';
import { type Command, isShortText, offeredAgain, requireShortText } from '../commands/command-buttons.ts';
import type { FailedRequest } from '../error-messages/advice.ts';
import type { ErrorReply, ErrorReport } from '../reply/error-reply.ts';
import type { LastClicks, Reply } from '../reply/reply.ts';
import type { Authorize } from '../request/authorize.ts';
import type { Audience } from '../request/payload.ts';
import type { Request } from '../request/request.ts';
import { LOADING_DELAYS, type SlackServices } from '../slack-services.ts';
import { acceptsWords, type HandlerRules, type Handlers, lookUp, routeOf, rulesFor } from './handlers.ts';

export interface Dispatch extends SlackServices {
  readonly handlers: Required<Handlers>;
  readonly errorReply: ErrorReply;
  readonly lastClicks: LastClicks;
  readonly authorize: Authorize;
}

export interface Task {
  readonly reply: Reply;
  readonly annotate: Annotate;
}

/**
 * If somebody else's change came first, checks the rights anew and runs `work` once more. Never rejects. @param work is
 * told whether it will be run again after an edit-conflict @param explain replies with the error if anything fails
 */
export async function runAuthorized(
  dispatch: Dispatch,
  task: Task,
  rules: HandlerRules,
  work: (request: Request, isLast: boolean) => Promise<unknown>,
  explain: (report: ErrorReport, request: Request | undefined) => Promise<void>,
  command?: Command,
  isLast = false,
): Promise<void> {
  const { authorize, errorReply, loadingDelays = LOADING_DELAYS } = dispatch;
  const { reply, annotate } = task;
  const began = performance.now();
  const opensWindow = rules.opensForm === true && reply.source.triggerId !== undefined;
  let request: Request | undefined;
  try {
    if (opensWindow) reply.startLoadingView(loadingDelays.modal);
    request = await authorize(reply, rules, annotate, command);
    if (request === undefined) return;
    const delay = Math.max(0, loadingDelays.message - (performance.now() - began));
    // The message with the button for a file stays, so a loading message must not replace it.
    if (rules.figures && !opensWindow) request.reply.startLoadingMessage(delay, rules.sendsFile !== true);
    await work(request, isLast);
    annotate({ answered: performance.now() });
  } catch (error) {
    const mayRepeat = !isLast && request !== undefined && !hasSaved(request.workspace);
    if (mayRepeat && isFailure(error, 'edit-conflict')) {
      const afresh = { reply: reply.as({ ...reply.source, workspace: undefined }), annotate };
      return await runAuthorized(dispatch, afresh, rules, work, explain, command, true);
    }
    await explain(errorReply.explain(error, annotate), request);
  } finally {
    await reply.endLoading();
  }
}

/** Never rejects. @returns whether the command was answered, rather than refused */
export async function answerCommand(dispatch: Dispatch, task: Task, typed: Command): Promise<boolean> {
  const { reply, annotate } = task;
  const { command, text } = typed;
  const handler = lookUp(dispatch.handlers.commands, command);
  const rules: HandlerRules = handler && isShortText(text) ? rulesFor(handler, text) : { right: 'ask' };
  let asked: Request | undefined;
  let answeredTo: Audience | undefined;
  annotate({ route: routeOf(handler, command) });

  const explain = (report: ErrorReport, request: Request | undefined): Promise<void> => {
    answeredTo = report.failure?.kind === 'no-data' ? 'asker' : undefined;
    const { workspace } = request ?? {};
    const failed: FailedRequest = {
      ...request,
      // Any word may be the secret. Without its words, the command still opens its form.
      command:
        report.failure?.kind === 'secret-pasted'
          ? { ...typed, text: '' }
          : offeredAgain(typed, workspace?.aliases),
      acceptsWords: workspace && ((words) => acceptsWords(handler, words, workspace, reply.source.at)),
    };
    return dispatch.errorReply.send(reply, report, failed, rules);
  };
  if (handler === undefined) {
    const works = `Type ${commandText('/billing help')} to see what works.`;
    const unknown = new InvalidWord(command, UNKNOWN_COMMAND, works);
    await explain(dispatch.errorReply.explain(unknown, annotate), undefined);
    return false;
  }
  const work = async (request: Request): Promise<void> => {
    asked = request;
    requireShortText(text);
    if (holdsRegisteredSecret(text, request.workspace)) throw new Failure('secret-pasted');
    await handler.run(text, request);
    answeredTo = request.audience;
  };
  await runAuthorized(dispatch, task, rules, work, explain, typed);
  if (rules.figures && asked !== undefined && answeredTo !== undefined)
    await rememberQuestion(dispatch, asked, typed, answeredTo);
  return answeredTo !== undefined;
}

/** Never rejects, because the answer has already been sent. */
async function rememberQuestion(
  { threads, log }: Pick<Dispatch, 'threads' | 'log'>,
  request: Request,
  command: Command,
  answeredTo: Audience,
): Promise<void> {
  const { thread: place, reply } = request;
  const question = place && tryParse(() => threadQuestion(command, request));
  if (place === undefined || question === undefined) return;
  // The answer to a direct message can be the first message of a thread.
  const answer = reply.posted();
  const thread = place.thread || (answer?.channel === place.channel ? answer.ts : undefined);
  if (thread === undefined) return;
  const person = answeredTo === 'channel' ? undefined : place.person;
  await threads
    .remember({ ...place, thread, person }, question)
    .catch((err: unknown) =>
      log.warn({ err, workspace: request.workspace.teamId }, 'Could not remember a question for follow-ups'),
    );
}

function threadQuestion({ command, text }: Command, request: Request): ThreadQuestion | undefined {
  if (!canFollowUp(command)) return undefined;
  const { at, workspace } = request;
  const words = parseCommandText(text, parseContextOf(workspace, at));
  if (words.help) return undefined;
  const { word, targets } = findAskedProjects(words, request);
  const named = words.several === 'all' ? [] : targets;
  return {
    command,
    text: formatParsedCommand(
      words.several === 'all' ? words : { ...words, several: undefined, alias: word },
    ),
    at: Math.floor(at),
    ids: Object.fromEntries(
      named.flatMap((target) =>
        'alias' in target && target.alias !== undefined ? [[target.alias, target.project]] : [],
      ),
    ),
  };
}
