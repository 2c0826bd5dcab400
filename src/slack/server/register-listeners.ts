import { type App, ErrorCode } from '@slack/bolt';
import { Throttled } from '../../domain/failure/index.ts';
import { beginRequest, type RequestVia, type RequestWork, trackWork } from '../../runtime/work.ts';
import type { Command } from '../commands/command-buttons.ts';
import { errorMessageOf } from '../reply/error-reply.ts';
import { createReplyTarget } from '../reply/reply.ts';
import { type SlackEvent, type SlackPayload, sourceOfEvent, threadOf } from '../request/payload.ts';
import { createAuthorize, type Request } from '../request/request.ts';
import { createCommandRunner, type ListenerContext, type RunCommand, registerCommands } from './commands.ts';
import { registerInteractions } from './interactions.ts';
import { type Listeners, lookUp } from './listeners.ts';
import { registerSteps } from './steps.ts';

type ListenerParts = Omit<ListenerContext, 'listeners' | 'authorize'> &
  Parameters<typeof createAuthorize>[0] &
  Parameters<typeof registerSteps>[2];

/**
 * Registers the listeners with Bolt. Acknowledges first; later errors become replies.
 * @returns what ends, from then on, the steps of workflows that another process acknowledged and did not end; and returns what stops it
 */
export function registerListeners(
  app: App,
  listeners: Required<Listeners>,
  parts: ListenerParts,
): () => () => void {
  const context: ListenerContext = { ...parts, listeners, authorize: createAuthorize(parts) };
  const runCommand = createCommandRunner(context);
  registerCommands(app, context, runCommand);
  registerInteractions(app, context, runCommand);
  registerEvents(app, context, runCommand);
  app.error(async (error) => {
    // Logged with its cause where the token was looked up.
    if (error.code !== ErrorCode.AuthorizationError) parts.log.error({ err: error }, 'A listener failed');
  });
  return registerSteps(app, context, parts);
}

/** Registers the Events API, which Bolt acknowledges before it calls a listener. */
function registerEvents(app: App, context: ListenerContext, runCommand: RunCommand): void {
  const { listeners, authorize, errorReply, eventDedup, limits, clock, onFinished } = context;

  app.event(/.*/, async ({ event: payload, body, client, context: { isFirst, arrived } }) => {
    const event = payload as SlackEvent;
    const listener = lookUp(listeners.events, event.type);
    if (listener === undefined || listener.wants?.(event) === false) return;
    const arrival = { via: VIA[event.type] ?? 'event', at: clock(), isFirst };
    const source = sourceOfEvent(event, body as object as SlackPayload, arrival);
    if (source === undefined) return;
    const target = createReplyTarget(context, source, client);
    const handle = async (work: RequestWork): Promise<void> => {
      let request: Request | undefined;
      const origin = {
        client,
        // Slack names the bot for which it sent the event.
        self: (body as object as SlackPayload).authorizations?.[0]?.user_id ?? undefined,
        thread: threadOf(source),
        async rerun(command: Command) {
          const { workspace } = request ?? {};
          await runCommand({ ...target, source: { ...source, workspace } }, command, work);
        },
      };
      try {
        limits.demand('requests', source);
        const { event_id: id } = body;
        if (listener.once && id !== undefined && !(await eventDedup.first(source.teamId, id))) {
          work.outcome = 'duplicate';
          return;
        }
        request = await authorize(target, listener, work);
        if (request !== undefined) await listener.answer(event, request, origin);
      } catch (error) {
        const failure = error instanceof Throttled ? limits.firstOfBurst(error, source) : error;
        const report = errorReply.explain(failure ?? error, work);
        if (failure === undefined) return;
        if (listener.onError === undefined) return errorReply.send(target, report, { request }, 'answer');
        const message = errorMessageOf(report, { request }, true);
        await listener.onError(message, event, origin).catch(errorReply.logUndelivered);
      }
    };
    await trackWork(beginRequest(source, event.type, arrived), onFinished, handle);
  });
}

const VIA: Readonly<Record<string, RequestVia>> = { app_mention: 'mention', message: 'message' };
