import { type App, ErrorCode } from '@slack/bolt';
import { Throttled } from '../../domain/failure/index.ts';
import { beginRequest, type RequestVia, trackWork } from '../../runtime/work.ts';
import { createEventDedup } from '../../workspace/once/replay-protection.ts';
import type { Installations } from '../installations.ts';
import { createErrorReply, errorMessageOf } from '../reply/error-reply.ts';
import { createReply } from '../reply/reply.ts';
import { type SlackEvent, type SlackPayload, sourceOfEvent } from '../request/payload.ts';
import { createAuthorize, type Request } from '../request/request.ts';
import type { SlackServices } from '../services.ts';
import {
  createCommandRunner,
  createRecentNames,
  type ListenerContext,
  type RunCommand,
  registerCommands,
} from './commands.ts';
import { registerInteractions } from './interactions.ts';
import { type Listeners, lookUp, type Rerun } from './listeners.ts';
import { registerSteps } from './steps.ts';

/**
 * Registers the listeners with Bolt. Acknowledges first; later errors become replies.
 * @returns what ends, from then on, the steps of workflows that another process acknowledged and did not end; and returns what stops it
 */
export function registerListeners(
  app: App,
  listeners: Required<Listeners>,
  services: SlackServices,
  clientFor: Installations['clientFor'],
): () => () => void {
  const { log, redis } = services;
  const context: ListenerContext = {
    ...{ ...services, listeners },
    ...{ authorize: createAuthorize(services), errorReply: createErrorReply(log) },
    eventDedup: createEventDedup(redis),
    recent: createRecentNames(),
  };
  const runCommand = createCommandRunner(context);
  registerCommands(app, context, runCommand);
  registerInteractions(app, context, runCommand);
  registerEvents(app, context, runCommand);
  app.error(async (error) => {
    // Logged with its cause where the token was looked up.
    if (error.code !== ErrorCode.AuthorizationError) log.error({ err: error }, 'A listener failed');
  });
  return registerSteps(app, context, clientFor);
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
    const reply = createReply(context, source, client);
    await trackWork(beginRequest(source, event.type, arrived), onFinished, async (note) => {
      let request: Request | undefined;
      const rerun: Rerun = (command, changes) =>
        runCommand(reply.as({ ...source, workspace: request?.workspace, ...changes }), command, note);
      try {
        limits.demand('requests', source);
        const { event_id: id } = body;
        if (listener.once && id !== undefined && !(await eventDedup.first(source.teamId, id)))
          return note({ outcome: 'duplicate' });
        request = await authorize(reply, listener, note);
        if (request !== undefined) await listener.answer(event, request, rerun);
      } catch (error) {
        const failure = error instanceof Throttled ? limits.firstOfBurst(error, source) : error;
        const report = errorReply.explain(failure ?? error, note);
        if (failure === undefined) return;
        if (listener.onError === undefined) return errorReply.send(reply, report, request ?? {}, 'answer');
        const message = errorMessageOf(report, request ?? {}, true);
        await listener.onError(message, reply).catch(errorReply.logUndelivered);
      }
    });
  });
}

const VIA: Readonly<Record<string, RequestVia>> = { app_mention: 'mention', message: 'message' };
