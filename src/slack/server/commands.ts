import type { App, RespondArguments } from '@slack/bolt';
import type { Logger } from 'pino';
import { commandText } from '../../domain/commands.ts';
import {
  InvalidWord,
  isShortText,
  SecretPasted,
  TextTooLong,
  UNKNOWN_COMMAND,
} from '../../domain/failure/index.ts';
import { parseWithOutput } from '../../domain/language/argument.ts';
import { formatCommandWords, parseCommandText } from '../../domain/language/command-text.ts';
import { NO_ALIASES } from '../../domain/language/parse.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryRead } from '../../domain/try-read.ts';
import { beginRequest, type OnFinished, type RequestWork, trackWork } from '../../runtime/work.ts';
import type { EventDedup } from '../../workspace/once/replay-protection.ts';
import { holdsRegisteredSecret } from '../../workspace/record/workspace.ts';
import {
  FOLLOWED,
  type ThreadOutcome,
  type ThreadQuestion,
  type ThreadStore,
} from '../../workspace/thread-store.ts';
import type { CommandNames } from '../command-names.ts';
import { type Command, offeredAgain, parseCommand } from '../commands/command-buttons.ts';
import { findAskedProjects } from '../commands/project-answers.ts';
import { type ErrorReply, type ErrorReport, errorMessageOf } from '../reply/error-reply.ts';
import { createReplyTarget, LOADING_DELAYS, type LoadingDelays, type ReplyTarget } from '../reply/reply.ts';
import type { ResponseUrlClient } from '../reply/response-url.ts';
import { sourceOfPayload, threadOf } from '../request/payload.ts';
import type { Authorize, Request } from '../request/request.ts';
import {
  type CommandHandler,
  canRead,
  handlerOf,
  type Listeners,
  lookUp,
  opensForm,
  routeOf,
} from './listeners.ts';
import type { RateLimiter } from './rate-limit.ts';

/** Registers slash commands. */
export function registerCommands(app: App, context: ListenerContext, runCommand: RunCommand): void {
  const { listeners, names, errorReply, limits, clock, onFinished } = context;

  app.command(/.*/, async ({ ack, body, client, context: { isFirst, arrived } }) => {
    const typed = { ...parseCommand(names.parse(body.command)), text: body.text ?? '' };
    const source = sourceOfPayload(body, { via: 'command', at: clock(), isFirst });
    const route = routeOf(lookUp(listeners.commands, typed.command), typed.command);
    await trackWork(beginRequest(source, route, arrived), onFinished, async (work) => {
      const throttled = limits.take('requests', source);
      if (throttled !== undefined) {
        const report = errorReply.explain(throttled, work);
        // Replies in the acknowledgement, so that a flood costs no calls to Slack.
        const command = isOwnWords(typed.text) ? offeredAgain(typed) : undefined;
        return ack(errorMessageOf(report, { command }, true) as RespondArguments);
      }
      await ack();
      await runCommand(createReplyTarget(context, source, client), typed, work);
    });
  });
}

/**
 * Whether a text has only IDs and Tally's own words. A command that came too fast is refused before the record is read, so any
 * other word could be a registered secret, and isn't offered again.
 */
const isOwnWords = (text: string): boolean =>
  isShortText(text) && tryRead(() => parseWithOutput(text, NO_ALIASES, parseCommandText)) !== undefined;

/**
 * Runs a command that was typed, mentioned or clicked. Never rejects: errors become replies.
 * @returns whether it was answered, and not refused
 */
export type RunCommand = (target: ReplyTarget, typed: Command, work: RequestWork) => Promise<boolean>;

export function createCommandRunner({
  listeners: { commands },
  authorize,
  errorReply,
  threads,
  log,
  loadingDelays = LOADING_DELAYS,
}: ListenerContext): RunCommand {
  return async (target, typed, work) => {
    const { source } = target;
    const { command, text } = typed;
    const listener = lookUp(commands, command);
    const handler = listener && (isShortText(text) ? handlerOf<CommandHandler>(listener, text) : TOO_LONG);
    const isForm = source.triggerId !== undefined && handler !== undefined && opensForm(handler);
    work.route = routeOf(listener, command);
    const began = performance.now();
    let request: Request | undefined;
    let outcome: ThreadOutcome | undefined;
    try {
      if (isForm) target.startLoadingView(loadingDelays.modal);
      if (handler === undefined)
        throw new InvalidWord(
          command,
          UNKNOWN_COMMAND,
          `Type ${commandText('/billing help')} to see what works.`,
        );
      request = await authorize(target, handler, work, typed);
      if (request === undefined) return false;
      if (handler !== TOO_LONG && holdsRegisteredSecret(text, request.workspace)) throw new SecretPasted();
      if (handler.isQuestion && !isForm) {
        const delay = Math.max(0, loadingDelays.message - (performance.now() - began));
        target.startLoadingMessage({ audience: request.audience, replaces: source.replaces, delay });
      }
      await handler.run(text, request);
      outcome = request.audience === 'channel' ? 'everybody' : 'person';
      work.ms = performance.now() - work.began;
    } catch (error) {
      const report = errorReply.explain(error, work);
      outcome = outcomeOf(report);
      const { workspace } = request ?? {};
      const asked = {
        command: offeredCommand(report, typed, handler, workspace?.aliases),
        canRead: workspace && ((words: string) => canRead(listener, words, workspace)),
        request,
      };
      await errorReply.send(target, report, asked, handler?.does ?? 'answer');
    } finally {
      await target.endLoading();
    }
    if (handler?.isQuestion && request !== undefined && outcome !== undefined)
      await rememberQuestion({ threads, log }, target, request, typed, outcome);
    return outcome === 'everybody' || outcome === 'person';
  };
}

/** “No data” is an answer, which only this person saw; a refused word is not asked about again. */
function outcomeOf({ failure }: ErrorReport): ThreadOutcome | undefined {
  if (failure?.kind === 'invalid-word' || failure?.kind === 'secret-pasted') return undefined;
  return failure?.kind === 'no-data' ? 'person' : 'failed';
}

/** No listener reads such a text. It is refused after the rights, like any other words. */
const TOO_LONG: CommandHandler = {
  right: 'ask',
  does: 'answer',
  run: () => Promise.reject(new TextTooLong()),
};

/** The command that failed, as its reply may offer it: again, or to a manager. */
function offeredCommand(
  { failure }: ErrorReport,
  typed: Command,
  { isForManagers = false }: Pick<CommandHandler, 'isForManagers'> = {},
  aliases: ReadonlySet<string> | undefined,
): Command | undefined {
  // Which form takes a secret depends on the command alone.
  if (failure?.kind === 'secret-pasted') return { ...typed, text: '' };
  if (failure?.kind === 'not-allowed' && isForManagers) return undefined;
  return offeredAgain(typed, aliases);
}

/**
 * Remembers a question in its thread, so that the next one can leave out what it had. Never rejects: the answer is out
 * already.
 */
async function rememberQuestion(
  { threads, log }: Pick<ListenerContext, 'threads' | 'log'>,
  { source, posted }: ReplyTarget,
  request: Request,
  command: Command,
  outcome: ThreadOutcome,
): Promise<void> {
  const place = threadOf(source);
  const question = place && tryRead(() => threadQuestion(command, request));
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
function threadQuestion({ command, text }: Command, request: Request): ThreadQuestion | undefined {
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

/** What turns Slack's payloads into requests to the listeners. */
export interface ListenerContext {
  readonly listeners: Required<Listeners>;
  readonly names: Pick<CommandNames, 'parse'>;
  readonly authorize: Authorize;
  readonly errorReply: ErrorReply;
  readonly responseUrls: ResponseUrlClient;
  readonly eventDedup: EventDedup;
  readonly threads: ThreadStore;
  readonly limits: RateLimiter;
  readonly log: Logger;
  readonly clock: () => Millis;
  readonly loadingDelays?: LoadingDelays;
  /** Gets the record of each request that Tally took up. */
  readonly onFinished: OnFinished;
}
