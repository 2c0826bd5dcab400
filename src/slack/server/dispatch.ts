/** Turns Slack's payloads into requests to the listeners. Acknowledges first; what goes wrong later becomes a reply. */
import { type AllMiddlewareArgs, type App, ErrorCode, type RespondArguments } from '@slack/bolt';
import { Failure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { type Annotate, beginRequest, type RequestVia, trackWork } from '../../ops/work-record.ts';
import { withTimeout } from '../../timeout.ts';
import { createEventDedup } from '../../workspace/replay-protection.ts';
import { refuseForm } from '../block-kit/blocks.ts';
import { type CommandClick, parseCommand, parseCommandClick } from '../commands/command-buttons.ts';
import type { AskedManager } from '../error-messages/advice.ts';
import {
  createErrorReply,
  type ErrorReport,
  errorMessageOf,
  errorModalOf,
  failureText,
} from '../reply/error-reply.ts';
import { createLastClicks, createReply, type Reply } from '../reply/reply.ts';
import { createWithRights } from '../request/authorize.ts';
import { parseFieldValues } from '../request/form-fields.ts';
import { type SlackPayload, type Source, sourceOfPayload } from '../request/payload.ts';
import type { Request } from '../request/request.ts';
import type { SlackServices } from '../slack-services.ts';
import { registerEvents, registerSteps } from './events.ts';
import { type Dispatch, type Listeners, lookUp, routeOf, rulesFor } from './listeners.ts';
import { answer, answerCommand } from './run-command.ts';

/** Registers the listeners with Bolt. */
export function registerListeners(app: App, listeners: Required<Listeners>, services: SlackServices): void {
  const dispatch: Dispatch = {
    ...services,
    listeners,
    errorReply: createErrorReply(services.log),
    lastClicks: createLastClicks(),
    eventDedup: createEventDedup(services.redis),
    withRights: createWithRights(services),
    runCommand: (...given) => answerCommand(dispatch, ...given),
  };
  registerCommands(app, dispatch);
  registerActions(app, dispatch);
  registerViews(app, dispatch);
  registerOptions(app, dispatch);
  registerEvents(app, dispatch);
  registerSteps(app, dispatch);
  app.error(async (error) => {
    // Logged with its cause where the token was looked up.
    if (error.code !== ErrorCode.AuthorizationError) services.log.error({ err: error }, 'A listener failed');
  });
}

/**
 * Takes up a command or an interaction: from here on it has a line in the log.
 * @param arrival what Bolt passes to its listener
 */
function takeUp(
  services: Dispatch,
  via: RequestVia,
  { body, client, context }: Pick<AllMiddlewareArgs, 'client' | 'context'> & { readonly body: object },
  route: string,
  run: (reply: Reply, annotate: Annotate) => Promise<void>,
): Promise<void> {
  const { isFirst, arrived } = context;
  const source = sourceOfPayload(body as SlackPayload, { via, at: services.clock(), isFirst });
  const reply = createReply(services, source, client);
  return trackWork(beginRequest(source, route, arrived), services.onFinished, (annotate) =>
    run(reply, annotate),
  );
}

function registerCommands(app: App, dispatch: Dispatch): void {
  const { listeners, names, errorReply, limits } = dispatch;
  app.command(/.*/, async ({ ack, ...arrival }) => {
    const typed = { ...parseCommand(names.parse(arrival.body.command)), text: arrival.body.text ?? '' };
    const route = routeOf(lookUp(listeners.commands, typed.command), typed.command);
    await takeUp(dispatch, 'command', arrival, route, async (reply, annotate) => {
      const throttled = limits.take('requests', reply.source);
      if (throttled !== undefined) {
        const report = errorReply.explain(throttled, annotate);
        // Replies in the acknowledgement, so that a flood costs no calls to Slack.
        return ack(errorMessageOf(report, {}, true) as RespondArguments);
      }
      await ack();
      await dispatch.runCommand(reply, typed, annotate);
    });
  });
}

/** Registers clicks on buttons and choices in selects. */
function registerActions(app: App, dispatch: Dispatch): void {
  const { listeners, errorReply, limits } = dispatch;
  app.action({ type: 'block_actions' }, async ({ ack, action, ...arrival }) => {
    await ack();
    const payload = arrival.body as object as SlackPayload;
    const { action_id: id = '', ...chosen } = action as ActionPayload;
    const value = chosen.value ?? chosen.selected_option?.value ?? '';
    const label = (chosen.text ?? chosen.selected_option?.text)?.text ?? '';
    const name = id.split(':')[0] ?? '';
    const route = routeOf(lookUp(listeners.actions, name), name);
    await takeUp(dispatch, 'button', arrival, route, async (reply, annotate) => {
      const { source } = reply;
      const throttled = limits.take('requests', source);
      if (throttled !== undefined) {
        const report = errorReply.explain(throttled, annotate);
        if (limits.take('refusals', source) !== undefined) return;
        // The message stays, with the button to press again.
        return errorReply.send(reply.as({ ...source, replaces: false }), report, {}, {});
      }
      const click = parseCommandClick(name, value);
      if (click === undefined) await answerClick(dispatch, reply, { id, value, label }, payload, annotate);
      else {
        const isShare = click.how === 'share';
        const isFirst = isShare
          ? isFirstClick(dispatch, source, payload, `share ${value}`, SHARED_ONCE)
          : source.isFirst;
        await dispatch.runCommand(
          reply.as({ ...sourceOfClick(source, click, payload), isFirst }),
          click.command,
          annotate,
        );
      }
      if (payload.view?.type === 'home') await redrawHome(dispatch, reply);
    });
  });
}

interface ActionPayload {
  readonly action_id?: string;
  readonly value?: string;
  readonly text?: { readonly text?: string } | null;
  readonly selected_option?: Pick<ActionPayload, 'value' | 'text'> | null;
}

/** After this time, somebody who presses **Share** again means it. */
const SHARED_ONCE: Millis = 10_000;

/** After this time, a change that is asked for again is meant, as after a failure. */
const DOUBLE_CLICK: Millis = 1_000;

/**
 * A double click in a message or in Home counts once: a window is drawn anew by what was pressed in it. While Redis is down,
 * each click counts as the first.
 * @param kept for how long it is remembered
 */
async function isFirstClick(
  { eventDedup }: Dispatch,
  source: Source,
  { container, view }: SlackPayload,
  what: string,
  kept: Millis,
): Promise<boolean> {
  if ((await source.isFirst) === false) return false;
  const place = container?.message_ts ?? (view?.type === 'home' ? view.id : undefined);
  if (place === undefined || place === null) return true;
  return eventDedup.first(source.teamId, `${what} ${source.userId} ${place}`, kept).catch(() => true);
}

async function answerClick(
  dispatch: Dispatch,
  clickReply: Reply,
  click: NonNullable<AskedManager['click']>,
  payload: SlackPayload,
  annotate: Annotate,
): Promise<void> {
  const { view, state } = payload;
  const { id, value } = click;
  const [name = ''] = id.split(':');
  const { source } = clickReply;
  const handler = lookUp(dispatch.listeners.actions, name);
  if (handler === undefined)
    return dispatch.log.warn(
      { workspace: source.teamId },
      'Ignored a click on something that Tally no longer offers',
    );
  const rules = rulesFor(handler, value);
  const reply = rules.changes
    ? clickReply.as({
        ...source,
        isFirst: isFirstClick(dispatch, source, payload, `${id} ${value}`, DOUBLE_CLICK),
      })
    : clickReply;
  const clicked = {
    id,
    value,
    fields: parseFieldValues((view?.state ?? state)?.values as never),
    metadata: view?.private_metadata ?? '',
  };
  const work = (request: Request) =>
    handler.run(clicked, request, (command, changes) =>
      dispatch.runCommand(reply.as({ ...source, ...changes }), command, annotate),
    );
  const explain = (report: ErrorReport, request: Request | undefined) => {
    // In a form it depends on the fields, which nobody else has.
    const failed = request ?? (rules.opensForm && view?.type !== 'modal' ? { click } : {});
    return dispatch.errorReply.send(reply, report, failed, rules);
  };
  await answer(dispatch, reply, rules, annotate, work, explain);
}

/** Updates the Home after a click on it. A user who can no longer see it gets the click's reply instead. */
async function redrawHome({ listeners, withRights, runCommand, log }: Dispatch, reply: Reply): Promise<void> {
  const listener = lookUp(listeners.events, 'app_home_opened');
  if (listener === undefined) return;
  const event = { type: 'app_home_opened', user: reply.source.userId, tab: 'home' };
  // The click's record keeps who waited for what.
  const annotate = () => undefined;
  await withRights(reply, listener, annotate, (request) =>
    listener.answer(event, request, (command) => runCommand(reply, command, annotate)),
  ).catch((err: unknown) => log.debug({ err }, 'Home was not redrawn after a click'));
}

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
function registerViews(app: App, dispatch: Dispatch): void {
  const { listeners, withRights, errorReply, limits, redis } = dispatch;
  app.view({ type: 'view_submission' }, async ({ ack, view, ...arrival }) => {
    const name = view.callback_id;
    const listener = lookUp(listeners.views, name);
    if (listener === undefined) return ack();
    await takeUp(dispatch, 'form', arrival, name, async (reply, annotate) => {
      const errorModal = (error: unknown) => errorModalOf(errorReply.explain(error, annotate), {}, true);
      // Later, the view that says it is working has taken the place of what was typed.
      const refusal =
        limits.take('requests', reply.source) ??
        (redis.status === 'ready' ? undefined : new Failure('store-unavailable'));
      if (refusal !== undefined)
        return ack(refuseForm(view.blocks, failureText(refusal), errorModal(refusal)));
      let parsed: ReturnType<typeof listener.parse>;
      try {
        parsed = listener.parse(parseFieldValues(view.state?.values as never), view.private_metadata ?? '');
      } catch (error) {
        return ack({ response_action: 'update', view: errorModal(error) });
      }
      if ('errors' in parsed) {
        annotate({ outcome: 'invalid-form' });
        return ack({ response_action: 'errors', errors: parsed.errors });
      }
      await ack({ response_action: 'update', view: listener.waiting });
      const { input } = parsed;
      const rules = { right: listener.right, changes: true, opensForm: true };
      let request: Request | undefined;
      try {
        await withRights(reply, rules, annotate, (authorized) => {
          request = authorized;
          return listener.submit(input, authorized);
        });
      } catch (error) {
        await errorReply.send(reply, errorReply.explain(error, annotate), request ?? {}, rules);
      }
    });
  });
}

/** Slack shows only what is in the acknowledgement, so suggestions are looked up before it. */
function registerOptions(app: App, dispatch: Dispatch): void {
  const { listeners, withRights, errorReply, limits } = dispatch;
  app.options(/.*/, async ({ ack, options, body, client, context: bolt }) => {
    const listener = lookUp(listeners.options, options.action_id);
    const route = routeOf(listener, options.action_id);
    // No check for replays: typing the same text twice within a second sends the same bytes twice.
    const arrival = { body, client, context: { ...bolt, isFirst: undefined } };
    await takeUp(dispatch, 'suggestions', arrival, route, async (reply, annotate) => {
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
const SUGGESTION_TIMEOUT: Millis = 2_000;
