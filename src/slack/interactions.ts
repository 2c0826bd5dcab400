import { setTimeout } from 'node:timers/promises';
import type { App } from '@slack/bolt';
import { modalOf } from './apology.ts';
import { readFields } from './kit/modal.ts';
import type { House } from './listen.ts';
import { originOf, type Payload } from './origin.ts';
import { own } from './own.ts';
import { readRerun, readShare } from './rerun.ts';
import { createVisit } from './visit.ts';
import type { Ways } from './ways.ts';
import type { WebClient } from './web.ts';

/** Clicks, forms and suggestions. Acknowledged first, but for a form that is read and suggestions that are found. */
export function listenToInteractions(app: App, house: House): void {
  const { listeners, admit, apology, runCommand, responder, clock, log } = house;
  const waysOf = (body: unknown, client: WebClient): Ways => {
    const { hash } = (body as Clicked).view ?? {};
    return { origin: originOf(body as Payload), client, responder, ...(hash !== undefined && { hash }) };
  };

  app.action({ type: 'block_actions' }, async ({ ack, action, body, client }) => {
    await ack();
    const ways = waysOf(body, client);
    const { action_id = '', ...chosen } = action as ActionPayload;
    const value = valueIn(chosen);
    const name = action_id.split(':')[0] ?? '';
    // `rerun` answers in the place of the message it stands on, `run` beside it.
    if (name === 'rerun' || name === 'run')
      return runCommand(ways, readRerun(value), { at: clock(), replace: name === 'rerun' });
    if (name === 'share') {
      const { at, ...rerun } = readShare(value);
      return runCommand(ways, rerun, { at: Math.min(at, clock()), audience: 'channel', shared: true });
    }
    const listener = own(listeners.actions, name);
    if (listener === undefined) return log.warn({ action: name }, 'an action that nothing listens to');
    try {
      const admission = await admit(client, ways.origin, listener.right);
      const { view, state } = body as Clicked;
      const fields = readFields((view?.state ?? state)?.values as never);
      const options = { at: clock(), replace: true };
      const metadata = view?.private_metadata ?? '';
      await listener.run({ value, fields, metadata }, createVisit(ways, admission, options), (rerun) =>
        runCommand(ways, rerun, options),
      );
    } catch (error) {
      await apology.say(ways, apology.explain(error, 'action'));
    }
  });

  app.view({ type: 'view_submission' }, async ({ ack, view, body, client }) => {
    const listener = own(listeners.views, view.callback_id);
    if (listener === undefined) return ack();
    const ways = waysOf(body, client);
    let reading: ReturnType<typeof listener.read>;
    try {
      reading = listener.read(readFields(view.state?.values as never), view.private_metadata ?? '');
    } catch (error) {
      const sorry = modalOf(apology.explain(error, view.callback_id));
      return ack({ response_action: 'update', view: sorry });
    }
    if ('errors' in reading) return ack({ response_action: 'errors', errors: reading.errors });
    await ack({ response_action: 'update', view: listener.waiting });
    try {
      const admission = await admit(client, ways.origin, listener.right);
      await listener.work(reading.input, createVisit(ways, admission, { at: clock() }));
    } catch (error) {
      await apology.sayInModal(ways, apology.explain(error, view.callback_id));
    }
  });

  app.options(/.*/, async ({ ack, options, body, client }) => {
    const listener = own(listeners.options, options.action_id);
    try {
      if (listener === undefined) return await ack({ options: [] });
      const find = async () => {
        const ways = waysOf(body, client);
        const admission = await admit(client, ways.origin, listener.right, { isTyping: true });
        const metadata = (body as Clicked).view?.private_metadata ?? '';
        return listener.find(options.value ?? '', createVisit(ways, admission, { at: clock() }), metadata);
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
    readonly state?: { readonly values?: object };
    readonly private_metadata?: string;
    readonly hash?: string;
  };
  readonly state?: { readonly values?: object };
}

interface ActionPayload {
  readonly action_id?: string;
  readonly value?: string;
  readonly selected_option?: { readonly value?: string } | null;
}

const valueIn = (action: ActionPayload): string => action.value ?? action.selected_option?.value ?? '';
