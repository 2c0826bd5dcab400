import { setTimeout } from 'node:timers/promises';
import type { App } from '@slack/bolt';
import { type CommandInvocation, parseInvocation, parseShare } from './command-buttons.ts';
import { failureText } from './error-blocks.ts';
import { errorModalOf } from './error-reply.ts';
import { readFields } from './kit/modal.ts';
import { type Origin, originOf, type Payload } from './origin.ts';
import { ownValue } from './own-property.ts';
import { isDirectMessage } from './post-message.ts';
import type { ListenerContext } from './register-listeners.ts';
import { createRequest } from './request.ts';
import type { Ways } from './ways.ts';
import type { WebClient } from './web-client.ts';

/** Clicks, forms and suggestions. Acknowledged first, but for a form that is read and suggestions that are found. */
export function registerInteractions(app: App, house: ListenerContext): void {
  const { listeners, admit, apology, runCommand, responder, limits, clock, log } = house;
  const waysOf = (body: unknown, client: WebClient, isFirst?: Origin['isFirst']): Ways => {
    const { hash } = (body as Clicked).view ?? {};
    const origin = originOf(body as Payload, isFirst);
    return { origin, client, responder, log, ...(hash !== undefined && { hash }) };
  };

  /** Home shows what a click on it has changed. Who may no longer see it is told by the click's own answer. */
  const redrawHome = async (ways: Ways): Promise<void> => {
    const listener = ownValue(listeners.events, 'app_home_opened');
    if (listener === undefined) return;
    const { client, origin } = ways;
    const at = clock();
    try {
      const admission = await admit(client, { ...origin, isFirst: undefined }, listener.right);
      if (admission === undefined) return;
      const rerun = (command: CommandInvocation) => runCommand(ways, command, { at });
      const event = { type: 'app_home_opened', user: origin.userId, tab: 'home' };
      await listener.run(event, createRequest(ways, admission, { at }), { client, rerun });
    } catch (err) {
      log.debug({ err }, 'Home was not redrawn after a click');
    }
  };

  app.action({ type: 'block_actions' }, async ({ ack, action, body, client, context }) => {
    await ack();
    const ways = waysOf(body, client, context.isFirst);
    const { action_id = '', ...chosen } = action as ActionPayload;
    const name = action_id.split(':')[0] ?? '';
    const value = valueIn(chosen);
    const refusal = limits.take('requests', ways.origin);
    if (refusal !== undefined) {
      const told = apology.explain(refusal, 'action');
      if (limits.take('refusals', ways.origin) !== undefined) return;
      const isCommand = name === 'rerun' || name === 'run';
      return apology.say(
        ways,
        told,
        isCommand ? { rerun: parseInvocation(value), scene: undefined } : undefined,
      );
    }
    await answerClick(ways, name, value, body as Clicked);
    if ((body as Clicked).view?.type === 'home') await redrawHome(ways);
  });

  const answerClick = async (ways: Ways, name: string, value: string, body: Clicked): Promise<void> => {
    const inPlace = { at: clock(), replace: isPrivate(body), audience: 'asker' } as const;
    // `rerun` answers in the place of the message it stands on, `run` beside it.
    if (name === 'rerun') return runCommand(ways, parseInvocation(value), inPlace);
    if (name === 'run') return runCommand(ways, parseInvocation(value), { at: clock() });
    if (name === 'share') {
      const at = clock();
      const { asked, ...rerun } = parseShare(value);
      return runCommand(ways, rerun, { at, audience: 'channel', sharedFrom: Math.min(asked, at) });
    }
    const listener = ownValue(listeners.actions, name);
    if (listener === undefined) return log.warn({ action: name }, 'an action that nothing listens to');
    try {
      const admission = await admit(ways.client, ways.origin, listener.right);
      if (admission === undefined) return;
      const fields = readFields((body.view?.state ?? body.state)?.values as never);
      const metadata = body.view?.private_metadata ?? '';
      await listener.run({ value, fields, metadata }, createRequest(ways, admission, inPlace), (rerun) =>
        runCommand(ways, rerun, inPlace),
      );
    } catch (error) {
      await apology.say(ways, apology.explain(error, 'action'));
    }
  };

  app.view({ type: 'view_submission' }, async ({ ack, view, body, client, context }) => {
    const listener = ownValue(listeners.views, view.callback_id);
    if (listener === undefined) return ack();
    const ways = waysOf(body, client, context.isFirst);
    const refusal = limits.take('requests', ways.origin);
    if (refusal !== undefined) {
      const told = apology.explain(refusal, view.callback_id);
      const last = view.blocks.findLast(({ type }) => type === 'input')?.block_id;
      // Below the last field, so that nothing has to be typed again.
      return last === undefined
        ? ack({ response_action: 'update', view: errorModalOf(told) })
        : ack({ response_action: 'errors', errors: { [last]: failureText(refusal) } });
    }
    let reading: ReturnType<typeof listener.read>;
    try {
      reading = listener.read(readFields(view.state?.values as never), view.private_metadata ?? '');
    } catch (error) {
      const sorry = errorModalOf(apology.explain(error, view.callback_id));
      return ack({ response_action: 'update', view: sorry });
    }
    if ('errors' in reading) return ack({ response_action: 'errors', errors: reading.errors });
    await ack({ response_action: 'update', view: listener.waiting });
    try {
      const admission = await admit(client, ways.origin, listener.right);
      if (admission === undefined) return;
      await listener.work(reading.input, createRequest(ways, admission, { at: clock() }));
    } catch (error) {
      await apology.sayInModal(ways, apology.explain(error, view.callback_id));
    }
  });

  app.options(/.*/, async ({ ack, options, body, client }) => {
    const listener = ownValue(listeners.options, options.action_id);
    try {
      // Without a look for replays: who types the same twice within a second sends the same bytes twice.
      const ways = waysOf(body, client);
      const isTooMuch = limits.take('suggestions', ways.origin) !== undefined;
      if (listener === undefined || isTooMuch) return await ack({ options: [] });
      const find = async () => {
        const admission = await admit(client, ways.origin, listener.right, { isTyping: true });
        if (admission === undefined) return [];
        const metadata = (body as Clicked).view?.private_metadata ?? '';
        return listener.find(options.value ?? '', createRequest(ways, admission, { at: clock() }), metadata);
      };
      await ack({ options: [...(await withinPatience(find()))] });
    } catch (error) {
      apology.explain(error, options.action_id);
      await ack({ options: [] });
    }
  });
}

/** Slack waits 3 s for suggestions; nothing found is better said in time. */
const PATIENCE = 2_000;

async function withinPatience<T>(finding: Promise<readonly T[]>): Promise<readonly T[]> {
  const end = new AbortController();
  const late = setTimeout(PATIENCE, [], { signal: end.signal }).catch(() => []);
  return Promise.race([finding, late]).finally(() => end.abort());
}

/** Where a click happened: in a view, or in a message. */
interface Clicked {
  readonly view?: {
    readonly type?: string;
    readonly state?: { readonly values?: object };
    readonly private_metadata?: string;
    readonly hash?: string;
  };
  readonly state?: { readonly values?: object };
  readonly container?: { readonly is_ephemeral?: boolean | null };
  readonly channel?: { readonly id?: string } | null;
}

/**
 * Whether only the person who clicked sees the message: then the answer may take its place. What others read stays, and
 * the answer, which goes by that person's rights, comes beside it.
 */
const isPrivate = ({ container, channel }: Clicked): boolean =>
  container?.is_ephemeral === true || isDirectMessage(channel?.id ?? '');

interface ActionPayload {
  readonly action_id?: string;
  readonly value?: string;
  readonly selected_option?: { readonly value?: string } | null;
}

const valueIn = (action: ActionPayload): string => action.value ?? action.selected_option?.value ?? '';
