import { type App, ErrorCode } from '@slack/bolt';
import * as z from 'zod';
import { InvalidWord, NotInstalled, SlackFailed, Throttled } from '../../domain/failure/index.ts';
import { HOUR, type Millis } from '../../domain/time/calendar.ts';
import { repeat } from '../../runtime/timers.ts';
import { type Annotate, beginRequest, type RequestVia, trackWork } from '../../runtime/work-record.ts';
import type { LeftStep, StepExecution } from '../../workspace/short-lived/open-steps.ts';
import { createEventDedup } from '../../workspace/short-lived/replay-protection.ts';
import type { Installations } from '../installations.ts';
import { createErrorReply, errorMessageOf, stepErrorText } from '../reply/error-reply.ts';
import { createReply } from '../reply/reply.ts';
import { retryRateLimited } from '../reply/reply-messages.ts';
import { createRequestAuthorizer } from '../request/authorize.ts';
import type { SlackEvent, SlackPayload } from '../request/payload.ts';
import type { Request } from '../request/request.ts';
import { originOf, sourceOfEvent } from '../request/source.ts';
import type { SlackServices } from '../slack-services.ts';
import { appLink, callSlack, type WebClient } from '../web-client.ts';
import {
  createCommandRunner,
  createRecentNames,
  type ListenerContext,
  type RunCommand,
  registerCommands,
} from './commands.ts';
import { registerActions, registerOptions, registerViews } from './interactions.ts';
import { type Listeners, lookUp, type Rerun, routeOf } from './listeners.ts';

/**
 * Registers the listeners with Bolt. Acknowledges first; later errors become replies.
 * @returns starts ending the workflow steps that another process acknowledged and left open; that returns what stops it
 */
export function registerListeners(
  app: App,
  listeners: Required<Listeners>,
  services: SlackServices,
  clientFor: Installations['clientFor'],
): () => () => void {
  const { log, redis } = services;
  const context: ListenerContext = {
    ...services,
    listeners,
    authorize: createRequestAuthorizer(services),
    errorReply: createErrorReply(log),
    eventDedup: createEventDedup(redis),
    recentNames: createRecentNames(),
  };
  const runCommand = createCommandRunner(context);
  registerCommands(app, context, runCommand);
  registerActions(app, context, runCommand);
  registerViews(app, context);
  registerOptions(app, context);
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
    await trackWork(beginRequest(source, event.type, arrived), onFinished, async (annotate) => {
      let request: Request | undefined;
      const rerun: Rerun = (command, changes) =>
        runCommand(reply.as({ ...source, workspace: request?.workspace, ...changes }), command, annotate);
      try {
        limits.demand('requests', source);
        const { event_id: id } = body;
        if (listener.once && id !== undefined && !(await eventDedup.first(source.teamId, id)))
          return annotate({ outcome: 'duplicate' });
        request = await authorize(reply, listener, annotate);
        if (request !== undefined) await listener.answer(event, request, rerun);
      } catch (error) {
        const failure = error instanceof Throttled ? limits.firstOfBurst(error, source) : error;
        const report = errorReply.explain(failure ?? error, annotate);
        if (failure === undefined) return;
        if (listener.onError === undefined) return errorReply.send(reply, report, request ?? {}, 'answer');
        const message = errorMessageOf(report, request ?? {}, true);
        await listener.onError(message, reply).catch(errorReply.logUndelivered(source.teamId));
      }
    });
  });
}

const VIA: Readonly<Record<string, RequestVia>> = { app_mention: 'mention', message: 'message' };

/** What Tally reads of a `function_executed` event. */
const functionExecuted = z.looseObject({
  function: z.looseObject({ callback_id: z.string() }),
  function_execution_id: z.string().regex(/^\w{1,255}$/),
  inputs: z.record(z.string(), z.unknown()).nullish(),
});

/** All workflows of a workspace share what a person may ask, so that they leave enough for people. */
const WORKFLOWS = 'workflows';

/**
 * Registers the steps of Workflow Builder. Each run ends with its outputs or a sentence, once: Slack repeats the event
 * until it is acknowledged, and a workflow whose step stays open never goes on. So the run is kept in Redis from before
 * the acknowledgement until Slack has its end.
 * @param clientFor for steps that another process left open
 * @returns as `registerListeners`
 */
function registerSteps(
  app: App,
  context: ListenerContext,
  clientFor: Installations['clientFor'],
): () => () => void {
  const { listeners, errorReply, eventDedup, limits, clock, onFinished, log } = context;
  const { workspaces, openSteps } = context;

  const run = async (execution: StepExecution, client: WebClient, annotate: Annotate): Promise<void> => {
    const { workspace: teamId, id, step, inputs, at } = execution;
    const listener = lookUp(listeners.steps, step);
    annotate({ route: routeOf(listener, step) });
    if (listener === undefined) throw new InvalidWord(step, ...UNKNOWN_STEP);
    const workspace = await workspaces.load(teamId);
    annotate({ waits: workspace.waits });
    const link = appLink(new URL(client.slackApiUrl).origin, execution.app, teamId);
    const outputs = await listener.run(inputs, { at, workspace, link });
    await endStep('functions.completeSuccess', () =>
      client.functions.completeSuccess({ function_execution_id: id, outputs }),
    );
  };

  /** A run that Slack did not end is kept, and tried again. */
  const endAfterError = async (
    error: unknown,
    { id, at, workspace }: Pick<StepExecution, 'id' | 'at' | 'workspace'>,
    client: WebClient,
    annotate: Annotate,
  ): Promise<boolean> => {
    if (isOver(error)) {
      annotate({ outcome: 'duplicate' });
      return true;
    }
    const report = errorReply.explain(error, annotate);
    try {
      await endStep('functions.completeError', () =>
        client.functions.completeError({ function_execution_id: id, error: stepErrorText(report) }),
      );
      return true;
    } catch (undelivered) {
      errorReply.logUndelivered(workspace)(undelivered);
      return isOver(undelivered) || clock() - at > MOST_TRIED;
    }
  };

  app.event(
    'function_executed',
    async ({ ack, event: sent, body, client, context: { isFirst, arrived } }) => {
      const parsed = functionExecuted.safeParse(sent);
      const { teamId } = originOf(body as object as SlackPayload);
      // Bolt leaves the acknowledgement to the listener, for this event alone.
      if (!parsed.success || teamId === undefined) return ack();
      const { function_execution_id: id, function: called, inputs } = parsed.data;
      const execution: StepExecution = {
        workspace: teamId,
        id,
        at: clock(),
        step: called.callback_id,
        app: body.api_app_id,
        inputs: inputs ?? {},
      };
      const keeping = openSteps.keep(execution);
      // Without Redis it is acknowledged too, and ends with a sentence.
      await keeping.catch(() => undefined);
      await ack();
      const route = routeOf(lookUp(listeners.steps, called.callback_id), called.callback_id);
      await trackWork(
        beginRequest({ via: 'step', teamId, userId: '' }, route, arrived),
        onFinished,
        async (annotate) => {
          try {
            if (!(await keeping)) return annotate({ outcome: 'duplicate' });
            if ((await isFirst) === false) annotate({ outcome: 'replayed' });
            else if (!(await eventDedup.first(teamId, id))) annotate({ outcome: 'duplicate' });
            else {
              const refusal = limits.take('requests', { teamId, userId: WORKFLOWS });
              if (refusal !== undefined) throw new Throttled('workspace', RUNNING_STEPS, refusal.wait);
              await run(execution, client, annotate);
            }
          } catch (error) {
            if (!(await endAfterError(error, execution, client, annotate))) return;
          }
          // If Redis is away, the run is taken over later, and Slack says that it is over.
          await openSteps.drop(execution).catch(() => undefined);
        },
      );
    },
  );

  /** Ends a step that was left; a failure leaves it to the next look. */
  const endLeft = (left: LeftStep): Promise<void> => {
    const began = beginRequest({ via: 'step', teamId: left.workspace, userId: '' }, routeOf(undefined, ''));
    return trackWork(began, onFinished, async (annotate) => {
      const client = await clientFor(left.workspace).catch((error: unknown) => {
        if (!(error instanceof NotInstalled)) throw error;
      });
      try {
        if (client !== undefined) await run(left.open(), client, annotate);
      } catch (error) {
        if (client === undefined || !(await endAfterError(error, left, client, annotate))) return;
      }
      await openSteps.drop(left);
    });
  };

  const endAllLeft = async (): Promise<void> => {
    await Promise.all((await openSteps.takeOver(clock())).map(endLeft));
  };
  return () =>
    repeat(endAllLeft, {
      pause: () => LOOK,
      retry: LOOK,
      onError: (err) => log.warn({ err }, 'Could not end steps that were left open'),
    });
}

/** How often each process looks for runs that were left, in ms. */
const LOOK: Millis = 20_000;

/** How long Slack is told again that a step ended, while it doesn't take that. */
const MOST_TRIED = HOUR;

const RUNNING_STEPS = 'running steps faster than Tally can answer';
const UNKNOWN_STEP = ['isn’t a step of this version of Tally', 'Remove it from the workflow.'] as const;

const OVER: ReadonlySet<string> = new Set(['execution_not_in_running_state', 'function_execution_not_found']);

/** Whether Slack says that the step ended before. */
const isOver = (error: unknown): boolean => error instanceof SlackFailed && OVER.has(error.code);

/** Tells Slack that a step ended, with retries if Slack limits the rate. */
const endStep = (
  method: 'functions.completeSuccess' | 'functions.completeError',
  end: () => Promise<unknown>,
): Promise<unknown> => retryRateLimited(() => callSlack(method, end));
