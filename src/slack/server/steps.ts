import type { App } from '@slack/bolt';
import * as z from 'zod';
import { InvalidWord, Throttled } from '../../domain/failure/index.ts';
import { type RequestWork, trackWork } from '../../runtime/work.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import { appLink } from '../app-link.ts';
import { stepErrorText } from '../reply/error-reply.ts';
import { retryRateLimited } from '../reply/messages.ts';
import { originOf, type SlackPayload } from '../request/payload.ts';
import { callSlack, type WebClient } from '../web-client.ts';
import { beginRequest, type ListenerContext, lookUp, routeOf } from './listeners.ts';

/** What Tally reads of a `function_executed` event. */
const execution = z.looseObject({
  function: z.looseObject({ callback_id: z.string() }),
  function_execution_id: z.string().min(1).max(255),
  inputs: z.record(z.string(), z.unknown()).nullish(),
});

/** All workflows of a workspace share what a person may ask, so that they leave enough for people. */
const WORKFLOWS = 'workflows';

/**
 * Registers the steps of Workflow Builder. Each run ends with its outputs or a sentence, once: Slack repeats the event until
 * it is acknowledged, and marks a workflow whose step stays open as failed without a reason.
 */
export function registerSteps(app: App, context: ListenerContext, workspaces: Workspaces): void {
  const { listeners, errorReply, eventDedup, limits, clock, onFinished } = context;

  app.event('function_executed', async ({ ack, event, body, client, context: { isFirst, arrived } }) => {
    // Bolt leaves this to the listener, for this event alone.
    await ack();
    const parsed = execution.safeParse(event);
    const { teamId } = originOf(body as object as SlackPayload);
    if (!parsed.success || teamId === undefined) return;
    const { function_execution_id: id, function: called, inputs } = parsed.data;
    const listener = lookUp(listeners.steps, called.callback_id);
    const route = routeOf(listener, called.callback_id);
    const at = clock();
    const run = async (work: RequestWork): Promise<void> => {
      if ((await isFirst) === false) {
        work.outcome = 'replayed';
        return;
      }
      const refusal = limits.take('requests', { teamId, userId: WORKFLOWS });
      if (refusal !== undefined) throw new Throttled('workspace', RUNNING_STEPS, refusal.wait);
      if (!(await eventDedup.first(teamId, id))) {
        work.outcome = 'duplicate';
        return;
      }
      if (listener === undefined) throw new InvalidWord(called.callback_id, ...UNKNOWN_STEP);
      const workspace = await workspaces.read(teamId);
      work.waits = workspace.waits;
      const link = appLink(new URL(client.slackApiUrl).origin, body.api_app_id, teamId);
      await complete(client, id, await listener.run(inputs ?? {}, { at, workspace, link }));
    };
    await trackWork(beginRequest('step', route, { teamId, userId: '' }, arrived), onFinished, (work) =>
      run(work).catch(async (error: unknown) => {
        const report = errorReply.explain(error, work);
        await fail(client, id, stepErrorText(report)).catch(errorReply.logUndelivered);
      }),
    );
  });
}

const RUNNING_STEPS = 'running steps faster than Tally can answer';
const UNKNOWN_STEP = ['isn’t a step of this version of Tally', 'Remove it from the workflow.'] as const;

const complete = (client: WebClient, id: string, outputs: Record<string, string | number | undefined>) =>
  retryRateLimited(() =>
    callSlack('functions.completeSuccess', () =>
      client.functions.completeSuccess({ function_execution_id: id, outputs }),
    ),
  );

const fail = (client: WebClient, id: string, error: string) =>
  retryRateLimited(() =>
    callSlack('functions.completeError', () =>
      client.functions.completeError({ function_execution_id: id, error }),
    ),
  );
