import type { App } from '@slack/bolt';
import { Throttled } from '../../domain/failure/index.ts';
import { type RequestVia, type RequestWork, trackWork } from '../../runtime/work.ts';
import type { Command } from '../commands/command-buttons.ts';
import { errorMessageOf } from '../reply/error-reply.ts';
import {
  isDirectMessage,
  type SlackEvent,
  type SlackPayload,
  sourceOfEvent,
  threadOf,
} from '../request/payload.ts';
import type { Request } from '../request/request.ts';
import type { RunCommand } from './commands.ts';
import { beginRequest, isAdmitted, type ListenerContext, lookUp } from './listeners.ts';

/** Registers the Events API, which Bolt acknowledges before it calls a listener. */
export function registerEvents(app: App, context: ListenerContext, runCommand: RunCommand): void {
  const { listeners, authorize, errorReply, eventDedup, limits, clock, createTarget, onFinished } = context;

  app.event(/.*/, async ({ event: payload, body, client, context: { isFirst, arrived } }) => {
    const event = payload as SlackEvent;
    const listener = lookUp(listeners.events, event.type);
    if (listener === undefined || listener.wants?.(event) === false) return;
    const source = sourceOfEvent(event, body as object as SlackPayload, isFirst);
    if (source === undefined) return;
    const target = createTarget(source, client);
    const at = clock();
    const isPrivate = event.channel === undefined || isDirectMessage(event.channel);
    const audience = isPrivate ? 'asker' : 'channel';
    const handle = async (work: RequestWork): Promise<void> => {
      let request: Request | undefined;
      const origin = {
        client,
        // Slack names the bot for which it sent the event.
        self: (body as object as SlackPayload).authorizations?.[0]?.user_id ?? undefined,
        thread: threadOf(source),
        async rerun(invocation: Command) {
          await runCommand(target, invocation, { at, audience, work, workspace: request?.workspace });
        },
      };
      try {
        limits.demand('requests', source);
        const { event_id: id } = body;
        if (listener.once && id !== undefined && !(await eventDedup.first(source.teamId, id))) {
          work.outcome = 'duplicate';
          return;
        }
        request = await authorize(target, listener.right, { at });
        if (isAdmitted(request, work)) await listener.run(event, request, origin);
      } catch (error) {
        const failure = error instanceof Throttled ? limits.firstOfBurst(error, source) : error;
        const report = errorReply.explain(failure ?? error, work);
        if (failure === undefined) return;
        if (listener.onError === undefined) return errorReply.send(target, report, { request });
        await listener.onError(errorMessageOf(report), event, origin).catch(errorReply.logUndelivered);
      }
    };
    await trackWork(
      beginRequest(VIA[event.type] ?? 'event', event.type, source, arrived),
      onFinished,
      handle,
    );
  });
}

const VIA: Readonly<Record<string, RequestVia>> = { app_mention: 'mention', message: 'message' };
