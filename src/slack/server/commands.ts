import type { AllMiddlewareArgs, App, RespondArguments } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import { commandText } from '../../domain/command-names.ts';
import { Failure, InvalidWord, UNKNOWN_COMMAND } from '../../domain/failure/index.ts';
import { NO_ALIASES } from '../../domain/language/items.ts';
import { formatParsedCommand } from '../../domain/language/parsed-command.ts';
import { holdsUnknownWord, parseCommandText } from '../../domain/language/read-command.ts';
import { MINUTE } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { type Annotate, beginRequest, type RequestVia, trackWork } from '../../runtime/work-record.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import { visibleProjects } from '../../workspace/projects/project-visibility.ts';
import { readerIn } from '../../workspace/record/workspace.ts';
import type { EventDedup } from '../../workspace/short-lived/replay-protection.ts';
import { FOLLOW_UP_COMMANDS, type ThreadOutcome, type ThreadQuestion } from '../../workspace/thread-store.ts';
import { type Command, isShortText, offeredAgain, parseCommand, textTooLong } from '../commands/command.ts';
import { findAskedProjects } from '../commands/project-answers.ts';
import { type ErrorReply, type ErrorReport, errorMessageOf } from '../reply/error-reply.ts';
import { createReply, type Reply } from '../reply/reply.ts';
import type { Authorize } from '../request/authorize.ts';
import type { SlackPayload } from '../request/payload.ts';
import { asksFigures, opensForm, privateScope, type Request } from '../request/request.ts';
import { type Source, sourceOfPayload } from '../request/source.ts';
import { LOADING_DELAYS, type SlackServices } from '../slack-services.ts';
import {
  acceptsWords,
  type CommandHandler,
  handlerOf,
  type Listeners,
  lookUp,
  routeOf,
} from './listeners.ts';

/** What turns Slack's payloads into requests to the listeners. */
export interface ListenerContext extends SlackServices {
  readonly listeners: Required<Listeners>;
  readonly authorize: Authorize;
  readonly errorReply: ErrorReply;
  readonly eventDedup: EventDedup;
  readonly recentNames: ReturnType<typeof createRecentNames>;
}

/**
 * Takes up a command or an interaction: from here on it has a line in the log.
 * @param arrival what Bolt passes to its listener
 */
export function startRequest(
  context: ListenerContext,
  via: RequestVia,
  arrival: Pick<AllMiddlewareArgs, 'client' | 'context'> & { readonly body: object },
  route: string,
  run: (reply: Reply, annotate: Annotate) => Promise<void>,
): Promise<void> {
  const { body, client } = arrival;
  const { isFirst, arrived } = arrival.context;
  const source = sourceOfPayload(body as SlackPayload, { via, at: context.clock(), isFirst });
  const reply = createReply(context, source, client);
  return trackWork(beginRequest(source, route, arrived), context.onFinished, (annotate) =>
    run(reply, annotate),
  );
}

export function registerCommands(app: App, context: ListenerContext, runCommand: RunCommand): void {
  const { listeners, names, errorReply, limits } = context;

  app.command(/.*/, async ({ ack, ...arrival }) => {
    const typed = { ...parseCommand(names.parse(arrival.body.command)), text: arrival.body.text ?? '' };
    const route = routeOf(lookUp(listeners.commands, typed.command), typed.command);
    await startRequest(context, 'command', arrival, route, async (reply, annotate) => {
      const throttled = limits.take('requests', reply.source);
      if (throttled !== undefined) {
        const report = errorReply.explain(throttled, annotate);
        // Replies in the acknowledgement, so that a flood costs no calls to Slack.
        const names = context.recentNames.get(readerOf(reply.source)) ?? NO_ALIASES;
        const command = isOwnWords(typed.text, names) ? offeredAgain(typed, names) : undefined;
        return ack(errorMessageOf(report, { command }, true) as RespondArguments);
      }
      await ack();
      await runCommand(reply, typed, annotate);
    });
  });
}

/**
 * Whether a text has only IDs, these names and Tally's own words. A command that came too fast is refused before the record is
 * read, so any other word could be a registered secret, and isn't offered again.
 */
const isOwnWords = (text: string, names: ReadonlySet<string>): boolean =>
  isShortText(text) && !holdsUnknownWord(text, names);

/** The names of projects that people could use lately, each where they asked. */
export const createRecentNames = () =>
  new LRUCache<string, ReadonlySet<string>>({ max: 100, ttl: 5 * MINUTE });

const readerOf = ({ teamId, userId, channel = '' }: Source): string => `${teamId} ${userId} ${channel}`;

/**
 * Runs a command that was typed, mentioned or clicked. Never rejects: errors become replies.
 * @returns whether it was answered, and not refused
 */
export type RunCommand = (reply: Reply, typed: Command, annotate: Annotate) => Promise<boolean>;

export function createCommandRunner(context: ListenerContext): RunCommand {
  const { listeners, authorize, errorReply, loadingDelays = LOADING_DELAYS } = context;
  return async (reply, typed, annotate) => {
    const { source } = reply;
    const { command, text } = typed;
    const listener = lookUp(listeners.commands, command);
    const handler = listener && (isShortText(text) ? handlerOf<CommandHandler>(listener, text) : TOO_LONG);
    const isForm = source.triggerId !== undefined && handler !== undefined && opensForm(handler);
    annotate({ route: routeOf(listener, command) });
    const began = performance.now();
    let request: Request | undefined;
    let outcome: ThreadOutcome | undefined;
    try {
      if (isForm) reply.startLoadingView(loadingDelays.modal);
      if (handler === undefined)
        throw new InvalidWord(
          command,
          UNKNOWN_COMMAND,
          `Type ${commandText('/billing help')} to see what works.`,
        );
      request = await authorize(reply, handler, annotate, typed);
      if (request === undefined) return false;
      if (request.user.canAsk) {
        const projects = visibleProjects(request.workspace, privateScope(request));
        context.recentNames.set(readerOf(source), new Set(projects.map(({ alias }) => alias)));
      }
      if (handler !== TOO_LONG && holdsRegisteredSecret(text, request.workspace))
        throw new Failure('secret-pasted');
      // In the place of the message, it would take its place for good.
      const staysBeside = handler.kind === 'sendFile' && source.isClick;
      if (asksFigures(handler) && !isForm && !staysBeside)
        request.reply.startLoadingMessage(Math.max(0, loadingDelays.message - (performance.now() - began)));
      await handler.run(text, request);
      outcome = request.audience === 'channel' ? 'everybody' : 'person';
      annotate({ answered: performance.now() });
    } catch (error) {
      const report = errorReply.explain(error, annotate);
      outcome = outcomeOf(report);
      const { workspace } = request ?? {};
      const failed = {
        ...request,
        command: offeredCommand(report, typed, handler, workspace?.aliases),
        acceptsWords: workspace && ((words: string) => acceptsWords(listener, words, workspace, source.at)),
      };
      await errorReply.send(reply, report, failed, handler?.kind ?? 'answer');
    } finally {
      await reply.endLoading();
    }
    if (handler !== undefined && asksFigures(handler) && request !== undefined && outcome !== undefined)
      await rememberQuestion(context, request, typed, outcome);
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
  kind: 'answer',
  run: () => Promise.reject(textTooLong()),
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

/** Remembers a question in its thread, so that the next one can leave out what it had. Never rejects: the answer is out already. */
async function rememberQuestion(
  { threads, log }: Pick<ListenerContext, 'threads' | 'log'>,
  request: Request,
  command: Command,
  outcome: ThreadOutcome,
): Promise<void> {
  const { thread: place, reply } = request;
  const question = place && tryParse(() => threadQuestion(command, request));
  if (place === undefined || question === undefined) return;
  // An answer in a direct message may begin a thread.
  const answer = reply.posted();
  const thread = place.thread || (answer?.channel === place.channel ? answer.ts : undefined);
  if (thread === undefined) return;
  await threads
    .remember({ ...place, thread }, question, outcome)
    .catch((err: unknown) =>
      log.warn({ err, workspace: request.workspace.teamId }, 'Could not remember a question for follow-ups'),
    );
}

/** @returns undefined for a call for help @throws Failure for projects that this person may not ask about here */
function threadQuestion({ command, text }: Command, request: Request): ThreadQuestion | undefined {
  if (!FOLLOW_UP_COMMANDS.has(command)) return undefined;
  const { at, workspace } = request;
  const words = parseCommandText(text, readerIn(workspace, at));
  if (words.help) return undefined;
  const { word, targets } = findAskedProjects(words, request);
  const named = words.several === 'all' ? [] : targets;
  return {
    command,
    text: formatParsedCommand(words.several === undefined ? { ...words, alias: word } : words),
    at: Math.floor(at),
    ids: Object.fromEntries(
      named.flatMap((target) =>
        'alias' in target && target.alias !== undefined ? [[target.alias, target.project]] : [],
      ),
    ),
  };
}
