/** Passes each payload from Bolt to its handler, after a rate limit and the acknowledgement. */
import { type AllMiddlewareArgs, type App, ErrorCode, type RespondArguments } from '@slack/bolt';
import { Failure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { beginRequest, type RequestVia, trackWork } from '../../ops/work-record.ts';
import { withTimeout } from '../../timeout.ts';
import { hasSameRights } from '../../workspace/record/audited-change.ts';
import { refuseForm } from '../block-kit/blocks.ts';
import { isShortText, parseCommand } from '../commands/command-buttons.ts';
import type { AskedManager } from '../error-messages/advice.ts';
import {
  createErrorReply,
  type ErrorReport,
  errorMessageOf,
  errorModalOf,
  failureText,
  stepErrorText,
} from '../reply/error-reply.ts';
import { createLastClicks, createReply } from '../reply/reply.ts';
import { retryRateLimited } from '../reply/reply-sender.ts';
import { createAuthorize } from '../request/authorize.ts';
import {
  originOf,
  parseFormValues,
  type SlackEvent,
  type SlackPayload,
  type Source,
  sourceOfEvent,
  sourceOfPayload,
} from '../request/payload.ts';
import type { Request } from '../request/request.ts';
import type { SlackServices } from '../slack-services.ts';
import { callSlack } from '../web-client.ts';
import {
  type ActionHandler,
  type Handlers,
  lookUp,
  type ParsedForm,
  type Rerun,
  routeOf,
  rulesFor,
} from './handlers.ts';
import { answerCommand, type Dispatch, runAuthorized, type Task } from './run-command.ts';

export function registerHandlers(app: App, handlers: Required<Handlers>, services: SlackServices): void {
  const dispatch: Dispatch = {
    ...services,
    handlers,
    errorReply: createErrorReply(services.log),
    lastClicks: createLastClicks(),
    authorize: createAuthorize(services),
  };
  registerCommands(app, dispatch);
  registerClicks(app, dispatch);
  registerForms(app, dispatch);
  registerSuggestions(app, dispatch);
  registerEvents(app, dispatch);
  registerSteps(app, dispatch);
  app.error(async (error) => {
    // Authorization errors are logged where the token is looked up.
    if (error.code !== ErrorCode.AuthorizationError) services.log.error({ err: error }, 'A listener failed');
  });
}

interface Arrival extends Pick<AllMiddlewareArgs, 'client' | 'context'> {
  readonly body: object;
}

const sourceOf = ({ clock }: Dispatch, via: RequestVia, { body }: Arrival): Source =>
  sourceOfPayload(body as SlackPayload, { via, at: clock() });

/** A replayed command or click has the same `trigger_id`. */
function sourceOnce(dispatch: Dispatch, via: RequestVia, arrival: Arrival): Source {
  const source = sourceOf(dispatch, via, arrival);
  const { teamId, triggerId } = source;
  return triggerId ? { ...source, isFirst: dispatch.dedup.first(teamId, triggerId) } : source;
}

const beginTask = (
  dispatch: Dispatch,
  { client, context }: Omit<Arrival, 'body'>,
  source: Source,
  route: string,
  work: (task: Task) => Promise<void>,
): Promise<void> =>
  trackWork(beginRequest(source, route, context.arrived), dispatch.onFinished, (annotate) =>
    work({ reply: createReply(dispatch, source, client), annotate }),
  );

/** Undefined if the sender is within the limits. */
function checkRateLimit(
  { limits, errorReply }: Dispatch,
  { reply, annotate }: Task,
): ErrorReport | undefined {
  const excess = limits.take('requests', reply.source);
  return excess && errorReply.explain(excess, annotate);
}

function registerCommands(app: App, dispatch: Dispatch): void {
  const { handlers } = dispatch;
  app.command(/.*/, async ({ ack, ...arrival }) => {
    const typed = { ...parseCommand(arrival.body.command), text: arrival.body.text ?? '' };
    const route = routeOf(lookUp(handlers.commands, typed.command), typed.command);
    await beginTask(dispatch, arrival, sourceOnce(dispatch, 'command', arrival), route, async (task) => {
      const excess = checkRateLimit(dispatch, task);
      // The acknowledgement carries the refusal, so that a flood of commands causes no calls to Slack.
      await ack(excess && (errorMessageOf(excess, {}, true) as RespondArguments));
      if (excess === undefined) await answerCommand(dispatch, task, typed);
    });
  });
}

function registerClicks(app: App, dispatch: Dispatch): void {
  const { handlers, errorReply, limits } = dispatch;
  app.action({ type: 'block_actions' }, async ({ ack, action, ...arrival }) => {
    await ack();
    const payload = arrival.body as object as SlackPayload;
    const click = readClick(action as ClickedElement);
    const handler = lookUp(handlers.actions, click.name);
    const route = routeOf(handler, click.name);
    await beginTask(dispatch, arrival, sourceOnce(dispatch, 'button', arrival), route, async (task) => {
      const { reply, annotate } = task;
      const { source } = reply;
      const excess = checkRateLimit(dispatch, task);
      if (excess !== undefined) {
        if (limits.take('refusals', source) !== undefined) return;
        return errorReply.send(reply.as({ ...source, replaces: false }), excess, {}, {});
      }
      const asked = readCommandClick(click, source, payload);
      if (asked !== undefined) {
        const isFirst =
          click.name === 'share' ? isFirstClick(dispatch, source, payload, click, 'share') : source.isFirst;
        const from = reply.as({ ...asked.from, isFirst });
        await answerCommand(dispatch, { reply: from, annotate }, parseCommand(asked.line));
      } else if (handler !== undefined) await runAction(dispatch, task, handler, click, payload);
      if (payload.view?.type !== 'home') return;
      const opened = { type: 'app_home_opened', user: source.userId, tab: 'home' };
      await answerEvent(dispatch, { reply, annotate: () => undefined }, opened);
    });
  });
}

interface ClickedElement {
  readonly action_id?: string;
  readonly value?: string;
  readonly text?: { readonly text?: string } | null;
  readonly selected_option?: Pick<ClickedElement, 'value' | 'text'> | null;
}

interface Click extends NonNullable<AskedManager['click']> {
  readonly name: string;
}

const readClick = ({ action_id: id = '', selected_option: chosen, value, text }: ClickedElement): Click => ({
  id,
  name: id.split(':')[0] ?? '',
  value: value ?? chosen?.value ?? '',
  label: (text ?? chosen?.text)?.text ?? '',
});

/** In ms: a second press of a button within this time is a double click. */
const DOUBLE_CLICK = { share: 10_000, change: 1_000 } as const;

/** In modals, and while Redis is down, every click counts as the first. */
async function isFirstClick(
  { dedup }: Dispatch,
  { isFirst, teamId, userId }: Source,
  { container, view }: SlackPayload,
  { id, value }: Click,
  kind: keyof typeof DOUBLE_CLICK,
): Promise<boolean> {
  if ((await isFirst) === false) return false;
  const place = container?.message_ts ?? (view?.type === 'home' ? view.id : undefined);
  if (place === undefined || place === null) return true;
  return dedup.first(teamId, `${id} ${value} ${userId} ${place}`, DOUBLE_CLICK[kind]);
}

async function runAction(
  dispatch: Dispatch,
  { reply: clickReply, annotate }: Task,
  handler: ActionHandler,
  click: Click,
  payload: SlackPayload,
): Promise<void> {
  const { view, state } = payload;
  const { name: _, ...shown } = click;
  const { source } = clickReply;
  const rules = rulesFor(handler, click.value);
  const isFirst = rules.changes ? isFirstClick(dispatch, source, payload, click, 'change') : source.isFirst;
  const reply = clickReply.as({ ...source, isFirst });
  const rerun: Rerun = (command, changes) =>
    answerCommand(dispatch, { reply: reply.as({ ...source, ...changes }), annotate }, command);
  const fields = parseFormValues((view?.state ?? state)?.values as never);
  const clicked = { ...shown, fields, metadata: view?.private_metadata ?? '' };
  // A click in a modal depends on the modal's fields, so **Ask a manager** can't pass the click on.
  const unauthorized = rules.opensForm && view?.type !== 'modal' ? { click: shown } : {};
  await runAuthorized(
    dispatch,
    { reply, annotate },
    rules,
    (request) => handler.run(clicked, request, rerun),
    (report, request) => dispatch.errorReply.send(reply, report, request ?? unauthorized, rules),
  );
}

/** `rerun` replaces the message, `run` answers below it, and `share` answers publicly in the channel. */
function readCommandClick(
  { name, value }: Click,
  source: Source,
  { channel }: SlackPayload,
): { readonly line: string; readonly from: Source } | undefined {
  if (name === 'rerun') return { line: value, from: source };
  // Everyone can press a button of a public message, but only the person who presses it sees the answer.
  const audience = channel && !source.replaces ? 'asker' : undefined;
  if (name === 'run') return { line: value, from: { ...source, replaces: false, audience } };
  if (name !== 'share') return undefined;
  const [at = '', ...words] = value.split(' ');
  const asked = Number(at);
  const sharedFrom = Number.isSafeInteger(asked) && asked > 0 ? Math.min(asked, source.at) : source.at;
  return { line: words.join(' '), from: { ...source, replaces: false, audience: 'channel', sharedFrom } };
}

/** The acknowledgement of a form carries the form's errors, or the view “Saving…”. */
function registerForms(app: App, dispatch: Dispatch): void {
  const { handlers, errorReply, limits, redis, dedup } = dispatch;
  app.view({ type: 'view_submission' }, async ({ ack, view, ...arrival }) => {
    const name = view.callback_id;
    const handler = lookUp(handlers.views, name);
    if (handler === undefined) return ack();
    await beginTask(dispatch, arrival, sourceOf(dispatch, 'form', arrival), name, async (task) => {
      const { reply, annotate } = task;
      const errorModal = (error: unknown) => errorModalOf(errorReply.explain(error, annotate), {}, true);
      // “Saving…” replaces the form and its input, so any refusal must come first.
      const refusal =
        limits.take('requests', reply.source) ??
        (redis.status === 'ready' ? undefined : new Failure('store-unavailable'));
      if (refusal !== undefined)
        return ack(refuseForm(view.blocks, failureText(refusal), errorModal(refusal)));
      let parsed: ParsedForm;
      try {
        parsed = handler.parse(parseFormValues(view.state?.values as never), view.private_metadata ?? '');
      } catch (error) {
        return ack({ response_action: 'update', view: errorModal(error) });
      }
      if ('errors' in parsed) {
        annotate({ outcome: 'invalid-form' });
        return ack({ response_action: 'errors', errors: parsed.errors });
      }
      await ack({ response_action: 'update', view: handler.waiting });
      // After an error a form has new metadata, so it can be submitted again.
      const sent = `${view.id} ${view.private_metadata}`;
      if (!(await dedup.first(reply.source.teamId, sent))) return annotate({ outcome: 'duplicate' });
      const rules = { right: handler.right, changes: true };
      await runAuthorized(dispatch, task, rules, parsed.submit, (report, request) =>
        errorReply.send(reply, report, request ?? {}, rules),
      );
    });
  });
}

function registerSuggestions(app: App, dispatch: Dispatch): void {
  const { handlers, authorize, errorReply, limits } = dispatch;
  app.options(/.*/, async ({ ack, options, ...arrival }) => {
    const handler = lookUp(handlers.options, options.action_id);
    const route = routeOf(handler, options.action_id);
    const source = sourceOf(dispatch, 'suggestions', arrival);
    const { view } = arrival.body as object as SlackPayload;
    const typed = options.value ?? '';
    await beginTask(dispatch, arrival, source, route, async ({ reply, annotate }) => {
      const find = async () => {
        const excess = limits.take('suggestions', source);
        if (excess !== undefined) throw excess;
        if (handler === undefined || !isShortText(typed)) return [];
        const request = await authorize(reply, handler, annotate);
        if (request === undefined) return [];
        const found = await handler.find(typed, request, view?.private_metadata ?? '');
        await request.reply.confirm();
        return found;
      };
      const found = find().catch((error: unknown) => {
        errorReply.explain(error, annotate);
        return [];
      });
      const tooLate = () => {
        annotate({ outcome: 'timed-out' });
        return [];
      };
      await ack({ options: [...(await withTimeout(SUGGESTION_TIMEOUT, found, tooLate))] });
    });
  });
}

/** Slack shows an error after 3 s, so Tally sends an empty list before that. */
const SUGGESTION_TIMEOUT: Millis = 2_000;

function registerEvents(app: App, dispatch: Dispatch): void {
  const { handlers, clock, limits, dedup } = dispatch;
  app.event(/.*/, async ({ event: payload, body, client, context }) => {
    const event = payload as SlackEvent;
    const handler = lookUp(handlers.events, event.type);
    if (handler === undefined || handler.wants?.(event) === false) return;
    const arrived = { via: VIA[event.type] ?? 'event', at: clock() };
    const source = sourceOfEvent(event, body as object as SlackPayload, arrived);
    if (source === undefined) return;
    await beginTask(dispatch, { client, context }, source, event.type, async (task) => {
      const excess = checkRateLimit(dispatch, task);
      if (excess !== undefined && limits.take('refusals', source) !== undefined) return;
      if (excess !== undefined) return explainEvent(dispatch, task, event, excess);
      // Slack resends an event whose acknowledgement was lost.
      if (await dedup.first(source.teamId, body.event_id)) await answerEvent(dispatch, task, event);
      else task.annotate({ outcome: 'duplicate' });
    });
  });
}

const VIA: Readonly<Record<string, RequestVia>> = { app_mention: 'mention', message: 'message' };

async function answerEvent(dispatch: Dispatch, task: Task, event: SlackEvent): Promise<void> {
  const { reply, annotate } = task;
  const handler = lookUp(dispatch.handlers.events, event.type);
  if (handler === undefined) return;
  const answer = (request: Request) =>
    handler.answer(event, request, (command, changes) => {
      const from = { ...reply.source, workspace: request.workspace, ...changes };
      return answerCommand(dispatch, { reply: reply.as(from), annotate }, command);
    });
  await runAuthorized(dispatch, task, handler, answer, (report, request) =>
    explainEvent(dispatch, task, event, report, request),
  );
}

async function explainEvent(
  { handlers, errorReply }: Dispatch,
  { reply }: Task,
  { type }: SlackEvent,
  report: ErrorReport,
  request?: Request,
): Promise<void> {
  const onError = lookUp(handlers.events, type)?.onError;
  if (onError === undefined) return errorReply.send(reply, report, request ?? {}, {});
  const message = errorMessageOf(report, request ?? {}, true);
  await onError(message, reply).catch(errorReply.logUndelivered(reply.source.teamId));
}

/** All workflows of a workspace share a rate limit, as if they were one person. */
const WORKFLOWS = 'workflows';

function registerSteps(app: App, dispatch: Dispatch): void {
  const { handlers, errorReply, dedup, limits, clock, onFinished, workspaces } = dispatch;
  const end = (...call: Parameters<typeof callSlack>) => retryRateLimited(() => callSlack(...call));

  for (const [name, run] of Object.entries(handlers.steps))
    app.function(name, async ({ inputs, complete, fail, body, context: bolt }) => {
      const { arrived, functionExecutionId: id = '' } = bolt;
      const { teamId = '' } = originOf(body as object as SlackPayload);
      const work = beginRequest({ via: 'step', teamId }, name, arrived);
      await trackWork(work, onFinished, async (annotate) => {
        try {
          if (!(await dedup.first(teamId, id))) return annotate({ outcome: 'duplicate' });
          limits.demand('requests', { teamId, userId: WORKFLOWS });
          const workspace = await workspaces.load(teamId);
          const outputs = await run(inputs, { at: clock(), workspace });
          if (!hasSameRights(workspace, await workspaces.load(teamId))) throw new Failure('rights-changed');
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
