import type { App } from '@slack/bolt';
import { tryRead } from '../../domain/try-read.ts';
import { withTimeout } from '../../runtime/timers.ts';
import { beginRequest, type RequestWork, trackWork } from '../../runtime/work.ts';
import { type Command, type CommandClick, parseCommandClick } from '../commands/command-buttons.ts';
import { readFields, splitMetadata, withCarried } from '../kit/modal.ts';
import { errorModalOf, failureText } from '../reply/error-reply.ts';
import { createReplyTarget, LOADING_DELAYS, type ReplyTarget } from '../reply/reply.ts';
import { type SlackPayload, type Source, sourceOfPayload } from '../request/payload.ts';
import type { Request } from '../request/request.ts';
import type { ListenerContext, RunCommand } from './commands.ts';
import { type ActionHandler, handlerOf, lookUp, opensForm, routeOf } from './listeners.ts';

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
      const payload = body as object as SlackPayload;
      const source = sourceOfPayload(payload, { via: 'button', at: clock(), isFirst });
      const target = createReplyTarget(context, source, client);
      const { action_id = '', ...chosen } = action as ActionPayload;
      const value = chosen.value ?? chosen.selected_option?.value ?? '';
      const name = action_id.split(':')[0] ?? '';
      const route = routeOf(lookUp(listeners.actions, name), name);
      await trackWork(beginRequest(source, route, arrived), onFinished, async (work) => {
        const click = parseCommandClick(name, value);
        const throttled = limits.take('requests', source);
        if (throttled !== undefined) {
          const report = errorReply.explain(throttled, work);
          if (limits.take('refusals', source) !== undefined) return;
          const command = click?.how === 'share' ? undefined : click?.command;
          return errorReply.send(target, report, { command }, 'answer');
        }
        if (click === undefined) await answerClick(target, name, value, payload, work);
        else
          await runCommand({ ...target, source: sourceOfClick(source, click, payload) }, click.command, work);
        if (payload.view?.type === 'home') await redrawHome(target, work);
      });
    },
  );

  const answerClick = async (
    target: ReplyTarget,
    name: string,
    value: string,
    { view, state }: SlackPayload,
    work: RequestWork,
  ): Promise<void> => {
    const { source } = target;
    const listener = lookUp(listeners.actions, name);
    if (listener === undefined) return log.warn('Ignored a click on something that Tally no longer offers');
    let request: Request | undefined;
    const handler = handlerOf<ActionHandler>(listener, value);
    if (opensForm(handler)) target.startLoadingView(loadingDelays.modal);
    const { metadata } = splitMetadata(view?.private_metadata ?? '');
    const clicked = { value, fields: readFields((view?.state ?? state)?.values as never), metadata };
    try {
      request = await authorize(target, handler, work);
      if (request === undefined) return;
      await handler.run(clicked, request, (command, changes) =>
        runCommand(
          { ...target, source: { ...source, managerRequest: undefined, ...changes } },
          command,
          work,
        ),
      );
      work.ms ??= performance.now() - work.began;
    } catch (error) {
      const asked =
        request === undefined ? { command: tryRead(() => handler.command?.(clicked)) } : { request };
      await errorReply.send(target, errorReply.explain(error, work), asked, handler.does);
    } finally {
      await target.endLoading();
    }
  };

  /** Updates the Home after a click on it. A user who can no longer see it gets the click's reply instead. */
  const redrawHome = async (target: ReplyTarget, work: RequestWork): Promise<void> => {
    const listener = lookUp(listeners.events, 'app_home_opened');
    if (listener === undefined) return;
    const { client, source } = target;
    try {
      // The click's record keeps who waited for what.
      const request = await authorize(target, listener, { ...work });
      if (request === undefined) return;
      const rerun = async (command: Command): Promise<void> => {
        await runCommand(target, command, work);
      };
      const event = { type: 'app_home_opened', user: source.userId, tab: 'home' };
      await listener.answer(event, request, { client, rerun });
    } catch (err) {
      log.debug({ err }, 'Home was not redrawn after a click');
    }
  };
}

/** The same source, for the command that was clicked. */
function sourceOfClick(source: Source, click: CommandClick, { channel }: SlackPayload): Source {
  const clicked = { ...source, managerRequest: undefined };
  switch (click.how) {
    case 'rerun':
      return clicked;
    case 'run':
      // Everyone can press the button of a public message, so only the person who did sees the answer.
      return { ...clicked, replaces: false, audience: channel && !source.replaces ? 'asker' : undefined };
    case 'share':
      return {
        ...clicked,
        ...{ replaces: false, audience: 'channel', sharedFrom: Math.min(click.asked, source.at) },
      };
  }
}

/** Acknowledges a form after reading it: with the errors below its fields, or with the view that says it is working. */
function registerViews(app: App, context: ListenerContext): void {
  const { listeners, authorize, errorReply, limits, clock, log, onFinished } = context;

  /** Never rejects: at worst, the form below shows what was so when it was opened. */
  const redrawBelow = async (target: ReplyTarget, view_id: string, request: Request): Promise<void> => {
    const { below = '', managerRequest } = target.source;
    const [name = ''] = below.split(' ');
    try {
      const view = await lookUp(listeners.views, name)?.redraw?.(below.slice(name.length + 1), request);
      if (view === undefined) return;
      await target.client.views.update({ view_id, view: withCarried(view, { managerRequest }) });
    } catch (err) {
      log.debug({ err }, 'A form was not redrawn after the one on top of it was saved');
    }
  };

  app.view(
    { type: 'view_submission' },
    async ({ ack, view, body, client, context: { isFirst, arrived } }) => {
      const name = view.callback_id;
      const listener = lookUp(listeners.views, name);
      if (listener === undefined) return ack();
      const source = sourceOfPayload(body as object as SlackPayload, { via: 'form', at: clock(), isFirst });
      const target = createReplyTarget(context, source, client);
      await trackWork(beginRequest(source, name, arrived), onFinished, async (work) => {
        const throttled = limits.take('requests', source);
        if (throttled !== undefined) {
          const report = errorReply.explain(throttled, work);
          const lastInput = view.blocks.findLast(({ type }) => type === 'input')?.block_id;
          // Below the last field, so that the form keeps what was typed.
          return lastInput === undefined
            ? ack({ response_action: 'update', view: errorModalOf(report, {}, true) })
            : ack({ response_action: 'errors', errors: { [lastInput]: failureText(throttled) } });
        }
        const { metadata } = splitMetadata(view.private_metadata ?? '');
        const fields = readFields(view.state?.values as never);
        let parsed: ReturnType<typeof listener.read>;
        try {
          parsed = listener.read(fields, metadata);
        } catch (error) {
          const errorModal = errorModalOf(errorReply.explain(error, work), {}, true);
          return ack({ response_action: 'update', view: errorModal });
        }
        if ('errors' in parsed) {
          work.outcome = 'invalid-form';
          return ack({ response_action: 'errors', errors: parsed.errors });
        }
        await ack({ response_action: 'update', view: listener.waiting });
        let request: Request | undefined;
        try {
          request = await authorize(target, listener, work);
          if (request === undefined) return;
          await listener.submit(parsed.input, request);
          await redrawBelow(target, view.previous_view_id ?? '', request);
        } catch (error) {
          const report = errorReply.explain(error, work);
          const isRefused = report.failure?.kind === 'not-allowed' && request === undefined;
          const command = isRefused ? tryRead(() => listener.command?.(fields, metadata)) : undefined;
          await errorReply.sendInModal(target, report, { command, request });
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
    const payload = body as object as SlackPayload;
    // No check for replays: typing the same text twice within a second sends the same bytes twice.
    const source = sourceOfPayload(payload, { via: 'suggestions', at: clock() });
    const route = routeOf(listener, options.action_id);
    await trackWork(beginRequest(source, route, arrived), onFinished, async (work) => {
      try {
        const throttled = limits.take('suggestions', source);
        if (throttled !== undefined) errorReply.explain(throttled, work);
        const typed = options.value ?? '';
        if (listener === undefined || throttled !== undefined || typed.length > LONGEST_SUGGESTION)
          return await ack({ options: [] });
        const find = async () => {
          const request = await authorize(createReplyTarget(context, source, client), listener, work);
          const { metadata } = splitMetadata(payload.view?.private_metadata ?? '');
          return request === undefined ? [] : listener.find(typed, request, metadata);
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

interface ActionPayload {
  readonly action_id?: string;
  readonly value?: string;
  readonly selected_option?: { readonly value?: string } | null;
}
