import type { App } from '@slack/bolt';
import { withTimeout } from '../../runtime/timers.ts';
import { type RequestWork, trackWork } from '../../runtime/work.ts';
import { type Command, parseCommand, parseShare } from '../commands/command-buttons.ts';
import { readFields, splitMetadata } from '../kit/modal.ts';
import { errorModalOf, failureText } from '../reply/error-reply.ts';
import { LOADING_DELAYS, type ReplyTarget } from '../reply/reply.ts';
import {
  isDirectMessage,
  type RequestSource,
  type SlackPayload,
  sourceOfPayload,
} from '../request/payload.ts';
import type { Request } from '../request/request.ts';
import type { WebClient } from '../web-client.ts';
import type { RunCommand } from './commands.ts';
import {
  type ActionHandler,
  beginRequest,
  handlerOf,
  isAdmitted,
  type ListenerContext,
  lookUp,
  routeOf,
  workOf,
} from './listeners.ts';

/** Registers clicks, forms and suggestions. */
export function registerInteractions(app: App, context: ListenerContext, runCommand: RunCommand): void {
  registerActions(app, context, runCommand);
  registerViews(app, context);
  registerOptions(app, context);
}

function registerActions(app: App, context: ListenerContext, runCommand: RunCommand): void {
  const { listeners, authorize, errorReply, limits, clock, log, onFinished } = context;
  const { loadingDelays = LOADING_DELAYS } = context;

  app.action(
    { type: 'block_actions' },
    async ({ ack, action, body, client, context: { isFirst, arrived } }) => {
      await ack();
      const target = targetOf(context, body, client, isFirst);
      const { source } = target;
      const { action_id = '', ...chosen } = action as ActionPayload;
      const value = chosen.value ?? chosen.selected_option?.value ?? '';
      const name = action_id.split(':')[0] ?? '';
      const route = routeOf(lookUp(listeners.actions, name), name);
      await trackWork(beginRequest('button', route, source, arrived), onFinished, async (work) => {
        const throttled = limits.take('requests', source);
        if (throttled !== undefined) {
          const report = errorReply.explain(throttled, work);
          if (limits.take('refusals', source) !== undefined) return;
          const isCommand = name === 'rerun' || name === 'run';
          return errorReply.send(target, report, isCommand ? { invocation: parseCommand(value) } : {});
        }
        await answerClick(target, name, value, body as object as SlackPayload, work);
        if ((body as object as SlackPayload).view?.type === 'home') await redrawHome(target, work);
      });
    },
  );

  const answerClick = async (
    target: ReplyTarget,
    name: string,
    value: string,
    body: SlackPayload,
    work: RequestWork,
  ): Promise<void> => {
    const inPlace = { at: clock(), replace: isPrivate(body), audience: 'asker' } as const;
    // `rerun` replaces the message that has the button, `run` answers below it: who clicked where everyone can, alone.
    if (name === 'rerun') {
      await runCommand(target, parseCommand(value), { ...inPlace, work });
      return;
    }
    if (name === 'run') {
      await runCommand(target, parseCommand(value), {
        ...{ at: inPlace.at, work },
        ...(body.channel !== undefined && !isPrivate(body) && { audience: 'asker' }),
      });
      return;
    }
    if (name === 'share') {
      const at = clock();
      const { asked, ...invocation } = parseShare(value);
      const sharedFrom = Math.min(asked, at);
      await runCommand(target, invocation, { at, audience: 'channel', sharedFrom, work });
      return;
    }
    const listener = lookUp(listeners.actions, name);
    if (listener === undefined) return log.warn('Ignored a click on something that Tally no longer offers');
    let request: Request | undefined;
    const handler = handlerOf<ActionHandler>(listener, value);
    if (handler.openForm !== undefined) target.startLoadingView(loadingDelays.modal);
    const { view, state } = body;
    const { metadata, managerRequest } = splitMetadata(view?.private_metadata ?? '');
    const clicked = { value, fields: readFields((view?.state ?? state)?.values as never), metadata };
    try {
      request = await authorize(target, handler.right, { ...inPlace, managerRequest });
      if (!isAdmitted(request, work)) return;
      await workOf(handler)(clicked, request, (invocation, options) =>
        runCommand(target, invocation, { ...inPlace, ...options, work }),
      );
      work.ms ??= performance.now() - work.began;
    } catch (error) {
      await errorReply.send(target, errorReply.explain(error, work), {
        request,
        ...(request === undefined && {
          ...{ invocation: handler.command?.(clicked), channel: target.source.channel },
        }),
      });
    } finally {
      await target.endLoading();
    }
  };

  /** Updates the Home after a click on it. A user who can no longer see it gets the click's reply instead. */
  const redrawHome = async (target: ReplyTarget, work: RequestWork): Promise<void> => {
    const listener = lookUp(listeners.events, 'app_home_opened');
    if (listener === undefined) return;
    const { client, source } = target;
    const at = clock();
    try {
      const request = await authorize(target, listener.right, { at });
      if (request === undefined) return;
      const rerun = async (invocation: Command): Promise<void> => {
        await runCommand(target, invocation, { at, work });
      };
      const event = { type: 'app_home_opened', user: source.userId, tab: 'home' };
      await listener.run(event, request, { client, rerun });
    } catch (err) {
      log.debug({ err }, 'Home was not redrawn after a click');
    }
  };
}

/** Acknowledges a form after reading it: with the errors below its fields, or with the view that says it is working. */
function registerViews(app: App, context: ListenerContext): void {
  const { listeners, authorize, errorReply, limits, clock, onFinished } = context;

  app.view(
    { type: 'view_submission' },
    async ({ ack, view, body, client, context: { isFirst, arrived } }) => {
      const name = view.callback_id;
      const listener = lookUp(listeners.views, name);
      if (listener === undefined) return ack();
      const target = targetOf(context, body, client, isFirst);
      await trackWork(beginRequest('form', name, target.source, arrived), onFinished, async (work) => {
        const throttled = limits.take('requests', target.source);
        if (throttled !== undefined) {
          const report = errorReply.explain(throttled, work);
          const lastInput = view.blocks.findLast(({ type }) => type === 'input')?.block_id;
          // Below the last field, so that the form keeps what was typed.
          return lastInput === undefined
            ? ack({ response_action: 'update', view: errorModalOf(report) })
            : ack({ response_action: 'errors', errors: { [lastInput]: failureText(throttled) } });
        }
        const { metadata, managerRequest } = splitMetadata(view.private_metadata ?? '');
        const fields = readFields(view.state?.values as never);
        let parsed: ReturnType<typeof listener.read>;
        try {
          parsed = listener.read(fields, metadata);
        } catch (error) {
          const errorModal = errorModalOf(errorReply.explain(error, work), { isUnchanged: true });
          return ack({ response_action: 'update', view: errorModal });
        }
        if ('errors' in parsed) {
          work.outcome = 'invalid-form';
          return ack({ response_action: 'errors', errors: parsed.errors });
        }
        await ack({ response_action: 'update', view: listener.waiting });
        let request: Request | undefined;
        try {
          request = await authorize(target, listener.right, { at: clock(), managerRequest });
          if (isAdmitted(request, work)) await listener.work(parsed.input, request);
        } catch (error) {
          const report = errorReply.explain(error, work);
          const isRefused = report.failure?.kind === 'not-allowed' && request === undefined;
          await errorReply.sendInModal(target, report, {
            request,
            ...(isRefused && {
              invocation: listener.command?.(fields, metadata),
              opensForm: true,
            }),
          });
        }
      });
    },
  );
}

/** Slack shows only what is in the acknowledgement, so suggestions are looked up before it. */
function registerOptions(app: App, context: ListenerContext): void {
  const { listeners, authorize, errorReply, limits, clock, onFinished } = context;

  app.options(/.*/, async ({ ack, options, body, client, context: { arrived } }) => {
    const listener = lookUp(listeners.options, options.action_id);
    // No check for replays: typing the same text twice within a second sends the same bytes twice.
    const target = targetOf(context, body, client);
    const { source } = target;
    const route = routeOf(listener, options.action_id);
    await trackWork(beginRequest('suggestions', route, source, arrived), onFinished, async (work) => {
      try {
        const throttled = limits.take('suggestions', source);
        if (throttled !== undefined) errorReply.explain(throttled, work);
        const typed = options.value ?? '';
        if (listener === undefined || throttled !== undefined || typed.length > LONGEST_SUGGESTION)
          return await ack({ options: [] });
        const find = async () => {
          const request = await authorize(target, listener.right, { at: clock(), isTyping: true });
          const { view } = body as object as SlackPayload;
          const { metadata } = splitMetadata(view?.private_metadata ?? '');
          return isAdmitted(request, work) ? listener.find(typed, request, metadata) : [];
        };
        const tooLate = () => {
          work.outcome = 'timed-out';
          return [];
        };
        await ack({ options: [...(await withTimeout(SUGGESTION_TIMEOUT, find(), tooLate))] });
      } catch (error) {
        errorReply.explain(error, work);
        await ack({ options: [] });
      }
    });
  });
}

/** In characters: no name, ID or time zone that could be suggested is longer. */
const LONGEST_SUGGESTION = 100;

/** Slack waits 3 s for suggestions, then shows an error; an empty list is better. In ms. */
const SUGGESTION_TIMEOUT = 2_000;

function targetOf(
  { createTarget }: ListenerContext,
  body: object,
  client: WebClient,
  isFirst?: RequestSource['isFirst'],
): ReplyTarget {
  const payload = body as SlackPayload;
  return createTarget(sourceOfPayload(payload, isFirst), client, payload.view?.hash || undefined);
}

/** Whether only the user sees the message: then the answer may replace it. The answer goes by this user's rights. */
const isPrivate = ({ container, channel }: SlackPayload): boolean =>
  container?.is_ephemeral === true || isDirectMessage(channel?.id ?? '');

interface ActionPayload {
  readonly action_id?: string;
  readonly value?: string;
  readonly selected_option?: { readonly value?: string } | null;
}
