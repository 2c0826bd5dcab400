/** Events, and steps of Workflow Builder: Bolt acknowledges both before it calls a listener. */
import type { App } from '@slack/bolt';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import { beginRequest, type RequestVia, trackWork } from '../../ops/work-record.ts';
import { hasSameLimits } from '../../workspace/record/change.ts';
import { errorMessageOf, stepErrorText } from '../reply/error-reply.ts';
import { createReply } from '../reply/reply.ts';
import { retryRateLimited } from '../reply/reply-messages.ts';
import { RightsChanged, repeatIfRightsChange } from '../request/authorize.ts';
import { originOf, type SlackEvent, type SlackPayload, sourceOfEvent } from '../request/payload.ts';
import type { Request } from '../request/request.ts';
import { callSlack } from '../web-client.ts';
import { type Dispatch, lookUp, type Rerun } from './listeners.ts';

export function registerEvents(app: App, dispatch: Dispatch): void {
  const { listeners, withRights, errorReply, eventDedup, limits, clock, onFinished, runCommand } = dispatch;

  app.event(/.*/, async ({ event: payload, body, client, context: { isFirst, arrived } }) => {
    const event = payload as SlackEvent;
    const listener = lookUp(listeners.events, event.type);
    if (listener === undefined || listener.wants?.(event) === false) return;
    const arrival = { via: VIA[event.type] ?? 'event', at: clock(), isFirst };
    const source = sourceOfEvent(event, body as object as SlackPayload, arrival);
    if (source === undefined) return;
    const reply = createReply(dispatch, source, client);
    await trackWork(beginRequest(source, event.type, arrived), onFinished, async (annotate) => {
      let request: Request | undefined;
      const rerun: Rerun = (command, changes) =>
        runCommand(reply.as({ ...source, workspace: request?.workspace, ...changes }), command, annotate);
      try {
        limits.demand('requests', source);
        const { event_id: id } = body;
        if (listener.once && id !== undefined && !(await eventDedup.first(source.teamId, id)))
          return annotate({ outcome: 'duplicate' });
        await withRights(reply, listener, annotate, (authorized) => {
          request = authorized;
          return listener.answer(event, authorized, rerun);
        });
      } catch (error) {
        const report = errorReply.explain(error, annotate);
        if (isFailure(error, 'throttled') && limits.take('refusals', source) !== undefined) return;
        if (listener.onError === undefined) return errorReply.send(reply, report, request ?? {}, {});
        const message = errorMessageOf(report, request ?? {}, true);
        await listener.onError(message, reply).catch(errorReply.logUndelivered(source.teamId));
      }
    });
  });
}

const VIA: Readonly<Record<string, RequestVia>> = { app_mention: 'mention', message: 'message' };

/** All workflows of a workspace share what a person may ask, so that they leave enough for people. */
const WORKFLOWS = 'workflows';

/** Each run ends with its outputs or a sentence. */
export function registerSteps(app: App, dispatch: Dispatch): void {
  const { listeners, errorReply, eventDedup, limits, clock, onFinished, workspaces } = dispatch;
  const end = (...call: Parameters<typeof callSlack>) => retryRateLimited(() => callSlack(...call));

  for (const [name, run] of Object.entries(listeners.steps))
    app.function(name, async ({ inputs, complete, fail, body, context: bolt }) => {
      const { isFirst, arrived, functionExecutionId: id = '' } = bolt;
      const { teamId = '' } = originOf(body as object as SlackPayload);
      const work = beginRequest({ via: 'step', teamId, userId: '' }, name, arrived);
      await trackWork(work, onFinished, async (annotate) => {
        try {
          if ((await isFirst) === false || !(await eventDedup.first(teamId, id)))
            return annotate({ outcome: 'duplicate' });
          const refusal = limits.take('requests', { teamId, userId: WORKFLOWS });
          if (refusal !== undefined)
            throw new Failure('throttled', {
              whose: 'workspace',
              doing: 'running steps faster than Tally can answer',
              wait: refusal.data.wait,
            });
          const outputs = await repeatIfRightsChange(async () => {
            const workspace = await workspaces.load(teamId);
            const found = await run(inputs, { at: clock(), workspace });
            if (!hasSameLimits(workspace, await workspaces.load(teamId))) throw new RightsChanged();
            return found;
          });
          await end('functions.completeSuccess', () => complete({ outputs }));
        } catch (error) {
          const text = stepErrorText(errorReply.explain(error, annotate));
          await end('functions.completeError', () => fail({ error: text })).catch(
            errorReply.logUndelivered(teamId),
          );
        }
      });
    });
}
