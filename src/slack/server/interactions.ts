import type { App } from '@slack/bolt';
import { Failure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { withTimeout } from '../../runtime/timers.ts';
import type { Annotate } from '../../runtime/work-record.ts';
import { type CommandClick, parseCommandClick } from '../commands/command-buttons.ts';
import type { AskedManager } from '../error-messages/description.ts';
import { refuseForm } from '../kit/modal.ts';
import { errorModalOf, failureText } from '../reply/error-reply.ts';
import type { Reply } from '../reply/reply.ts';
import { parseFieldValues } from '../request/form-fields.ts';
import type { SlackPayload } from '../request/payload.ts';
import { opensForm, type Request } from '../request/request.ts';
import type { Source } from '../request/source.ts';
import { LOADING_DELAYS } from '../slack-services.ts';
import { type ListenerContext, type RunCommand, startRequest } from './commands.ts';
import { type ActionHandler, handlerOf, lookUp, routeOf } from './listeners.ts';

/** Registers clicks on buttons and choices in selects. */
export function registerActions(app: App, context: ListenerContext, runCommand: RunCommand): void {
  const { listeners, withRights, errorReply, eventDedup, limits, log } = context;
  const { loadingDelays = LOADING_DELAYS } = context;

  app.action({ type: 'block_actions' }, async ({ ack, action, ...arrival }) => {
    await ack();
    const payload = arrival.body as object as SlackPayload;
    const { action_id = '', ...chosen } = action as ActionPayload;
    const value = chosen.value ?? chosen.selected_option?.value ?? '';
    const label = (chosen.text ?? chosen.selected_option?.text)?.text ?? '';
    const name = action_id.split(':')[0] ?? '';
    const route = routeOf(lookUp(listeners.actions, name), name);
    await startRequest(context, 'button', arrival, route, async (reply, annotate) => {
      const { source } = reply;
      const click = parseCommandClick(name, value);
      const throttled = limits.take('requests', source);
      if (throttled !== undefined) {
        const report = errorReply.explain(throttled, annotate);
        if (limits.take('refusals', source) !== undefined) return;
        const command = click?.how === 'share' ? undefined : click?.command;
        return errorReply.send(reply, report, { command }, 'answer');
      }
      if (click === undefined) await answerClick(reply, { id: action_id, value, label }, payload, annotate);
      else {
        const clicked = sourceOfClick(source, click, payload);
        const isFirst =
          click.how === 'share'
            ? isFirstClick(source, payload, `share ${value}`, SHARED_ONCE)
            : source.isFirst;
        await runCommand(reply.as({ ...clicked, isFirst }), click.command, annotate);
      }
      if (payload.view?.type === 'home') await redrawHome(reply, annotate);
    });
  });

  /** A double click counts once. While Redis is down, each click counts as the first. @param kept for how long it is remembered */
  const isFirstClick = async (source: Source, { container }: SlackPayload, what: string, kept: Millis) =>
    (await source.isFirst) !== false &&
    (await eventDedup
      .first(source.teamId, `${what} ${source.userId} ${container?.message_ts}`, kept)
      .catch(() => true));

  const answerClick = async (
    clickReply: Reply,
    click: NonNullable<AskedManager['click']>,
    payload: SlackPayload,
    annotate: Annotate,
  ): Promise<void> => {
    const { view, state, container } = payload;
    const { id, value } = click;
    const [name = ''] = id.split(':');
    const { source } = clickReply;
    const listener = lookUp(listeners.actions, name);
    if (listener === undefined) {
      const { teamId: workspace } = source;
      return log.warn({ workspace }, 'Ignored a click on something that Tally no longer offers');
    }
    let request: Request | undefined;
    const handler = handlerOf<ActionHandler>(listener, value);
    const isOnce = handler.kind === 'change' && container?.message_ts != null;
    const reply = isOnce
      ? clickReply.as({ ...source, isFirst: isFirstClick(source, payload, `${name} ${value}`, DOUBLE_CLICK) })
      : clickReply;
    if (opensForm(handler)) reply.startLoadingView(loadingDelays.modal);
    const metadata = view?.private_metadata ?? '';
    const clicked = {
      id,
      value,
      fields: parseFieldValues((view?.state ?? state)?.values as never),
      metadata,
    };
    try {
      await withRights(reply, handler, annotate, async (authorized) => {
        request = authorized;
        await handler.run(clicked, request, (command, changes) =>
          runCommand(reply.as({ ...source, ...changes }), command, annotate),
        );
        annotate({ answered: performance.now() });
      });
    } catch (error) {
      const report = errorReply.explain(error, annotate);
      // In a form it depends on the fields, which nobody else has.
      const failed = request ?? (opensForm(handler) && view?.type !== 'modal' ? { click } : {});
      await errorReply.send(reply, report, failed, handler.kind);
    } finally {
      await reply.endLoading();
    }
  };

  /** Updates the Home after a click on it. A user who can no longer see it gets the click's reply instead. */
  const redrawHome = async (reply: Reply, annotate: Annotate): Promise<void> => {
    const listener = lookUp(listeners.events, 'app_home_opened');
    if (listener === undefined) return;
    try {
      // The click's record keeps who waited for what.
      const event = { type: 'app_home_opened', user: reply.source.userId, tab: 'home' };
      await withRights(
        reply,
        listener,
        () => undefined,
        (request) => listener.answer(event, request, (command) => runCommand(reply, command, annotate)),
      );
    } catch (err) {
      log.debug({ err }, 'Home was not redrawn after a click');
    }
  };
}

/** After this time, somebody who presses **Share** again means it. */
const SHARED_ONCE: Millis = 10_000;

/** After this time, a change that is asked for again is meant, as after a failure. */
const DOUBLE_CLICK: Millis = 1_000;

function sourceOfClick(source: Source, click: CommandClick, { channel }: SlackPayload): Source {
  switch (click.how) {
    case 'rerun':
      return source;
    case 'run':
      // Everyone can press the button of a public message, so only the person who did sees the answer.
      return { ...source, replaces: false, audience: channel && !source.replaces ? 'asker' : undefined };
    case 'share':
      return {
        ...source,
        replaces: false,
        audience: 'channel',
        sharedFrom: Math.min(click.askedAt, source.at),
      };
  }
}

/** Acknowledges a form after reading it: with the errors below its fields, or with the view that says it is working. */
export function registerViews(app: App, context: ListenerContext): void {
  const { listeners, withRights, errorReply, limits, redis } = context;

  app.view({ type: 'view_submission' }, async ({ ack, view, ...arrival }) => {
    const name = view.callback_id;
    const listener = lookUp(listeners.views, name);
    if (listener === undefined) return ack();
    await startRequest(context, 'form', arrival, name, async (reply, annotate) => {
      // Later, the view that says it is working has taken the place of what was typed.
      const refusal =
        limits.take('requests', reply.source) ??
        (redis.status === 'ready' ? undefined : new Failure('store-unavailable'));
      if (refusal !== undefined) {
        const instead = errorModalOf(errorReply.explain(refusal, annotate), {}, true);
        return ack(refuseForm(view.blocks, failureText(refusal), instead));
      }
      const metadata = view.private_metadata ?? '';
      const fields = parseFieldValues(view.state?.values as never);
      let parsed: ReturnType<typeof listener.parse>;
      try {
        parsed = listener.parse(fields, metadata);
      } catch (error) {
        const errorModal = errorModalOf(errorReply.explain(error, annotate), {}, true);
        return ack({ response_action: 'update', view: errorModal });
      }
      if ('errors' in parsed) {
        annotate({ outcome: 'invalid-form' });
        return ack({ response_action: 'errors', errors: parsed.errors });
      }
      await ack({ response_action: 'update', view: listener.waiting });
      let request: Request | undefined;
      try {
        const { input } = parsed;
        await withRights(reply, { right: listener.right, kind: 'changeInForm' }, annotate, (authorized) => {
          request = authorized;
          return listener.submit(input, authorized);
        });
      } catch (error) {
        const report = errorReply.explain(error, annotate);
        await errorReply.sendInModal(reply, report, request ?? {});
      }
    });
  });
}

/** Slack shows only what is in the acknowledgement, so suggestions are looked up before it. */
export function registerOptions(app: App, context: ListenerContext): void {
  const { listeners, withRights, errorReply, limits } = context;

  app.options(/.*/, async ({ ack, options, body, client, context: bolt }) => {
    const listener = lookUp(listeners.options, options.action_id);
    const route = routeOf(listener, options.action_id);
    // No check for replays: typing the same text twice within a second sends the same bytes twice.
    const arrival = { body, client, context: { ...bolt, isFirst: undefined } };
    await startRequest(context, 'suggestions', arrival, route, async (reply, annotate) => {
      try {
        const throttled = limits.take('suggestions', reply.source);
        if (throttled !== undefined) errorReply.explain(throttled, annotate);
        const typed = options.value ?? '';
        if (listener === undefined || throttled !== undefined || typed.length > LONGEST_SUGGESTION)
          return await ack({ options: [] });
        const { view } = body as object as SlackPayload;
        const suggest = async (request: Request) => {
          const found = await listener.find(typed, request, view?.private_metadata ?? '');
          await request.reply.confirm();
          return found;
        };
        const find = async () => (await withRights(reply, listener, annotate, suggest)) ?? [];
        const tooLate = () => {
          annotate({ outcome: 'timed-out' });
          return [];
        };
        await ack({ options: [...(await withTimeout(SUGGESTION_TIMEOUT, find(), tooLate))] });
      } catch (error) {
        errorReply.explain(error, annotate);
        await ack({ options: [] });
      }
    });
  });
}

/** In characters: no name, ID or time zone that could be suggested is longer. */
const LONGEST_SUGGESTION = 100;

/** Slack waits 3 s for suggestions, then shows an error; an empty list is better. In ms. */
const SUGGESTION_TIMEOUT = 2_000;

interface ActionPayload {
  readonly action_id?: string;
  readonly value?: string;
  readonly text?: { readonly text?: string } | null;
  readonly selected_option?: {
    readonly value?: string;
    readonly text?: { readonly text?: string } | null;
  } | null;
}
