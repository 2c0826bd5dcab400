import { randomBytes } from 'node:crypto';
import type { App } from '@slack/bolt';
import type { ModalView, PlainTextOption } from '@slack/types';
import type { Logger } from 'pino';
import { type Failure, isFailure, WordRefused } from '../domain/failure.ts';
import { demand, type Right } from '../workspace/rights.ts';
import { DEFAULT_SETTINGS, type Settings } from '../workspace/settings.ts';
import type { WorkspaceRecord, Workspaces } from '../workspace/workspaces.ts';
import { failureMessage, failureModal, unknownMessage, unknownModal } from './failure-reply.ts';
import { type Fields, readFields } from './kit/modal.ts';
import type { People } from './people.ts';
import { type Rerun, readRerun, readShare } from './rerun.ts';
import type { Responder } from './respond.ts';
import {
  type Admission,
  createVisit,
  type Origin,
  originOf,
  show,
  type Visit,
  type VisitOptions,
  type Ways,
  whisper,
} from './visit.ts';
import type { WebClient } from './web.ts';

export interface CommandListener {
  /** By its words where they decide. */
  readonly right: Right | ((text: string) => Right);
  /** Answers for everyone in the channel where the workspace wants that. */
  readonly open?: boolean;
  run(text: string, visit: Visit): Promise<void>;
}

export interface ActionListener {
  readonly right: Right;
  run(action: { readonly value: string; readonly fields: Fields }, visit: Visit): Promise<void>;
}

/** A submission is read at once, before the acknowledgement; the work comes after it. */
export interface ViewListener<T = unknown> {
  readonly right: Right;
  /** Pure and quick: block id → sentence where a field is refused, else what was meant. */
  read(fields: Fields, metadata: string): { readonly errors: Record<string, string> } | { readonly input: T };
  /** Shown at once, while `work` goes on. */
  readonly waiting: ModalView;
  work(input: T, visit: Visit): Promise<void>;
}

/** Suggestions while somebody types into a select. */
export interface OptionsListener {
  readonly right: Right;
  find(query: string, visit: Visit): Promise<readonly PlainTextOption[]> | readonly PlainTextOption[];
}

/** An event of the Events API by its type; Slack has its acknowledgement already. */
export interface EventListener {
  /** None where nobody asks: what happens to the installation. */
  readonly right?: Right;
  /** `visit` is there when a right was asked for and the person has it. */
  run(event: SlackEvent, visit: Visit | undefined, origin: EventOrigin): Promise<void>;
}

/** What the listeners read of an event. */
export interface SlackEvent {
  readonly type: string;
  readonly user?: string;
  readonly channel?: string;
  readonly channel_type?: string;
  readonly text?: string;
  readonly ts?: string;
  readonly thread_ts?: string;
  readonly tab?: string;
  readonly bot_id?: string;
  readonly subtype?: string;
}

/** Where an event comes from: a workspace, or an organisation without one. */
export interface EventOrigin {
  readonly workspace: string | undefined;
  readonly enterprise: string | undefined;
  readonly client: WebClient;
}

/** What a feature listens to: commands by `/name`, the rest by id; an action's id may go on after a colon. */
export interface Listeners {
  readonly commands?: Readonly<Record<string, CommandListener>>;
  readonly actions?: Readonly<Record<string, ActionListener>>;
  // biome-ignore lint/suspicious/noExplicitAny: each view has its own input, known to itself alone
  readonly views?: Readonly<Record<string, ViewListener<any>>>;
  readonly options?: Readonly<Record<string, OptionsListener>>;
  readonly events?: Readonly<Record<string, EventListener>>;
}

export interface ListenDeps {
  readonly people: People;
  readonly workspaces: Workspaces;
  readonly responder: Responder;
  readonly log: Logger;
  /** ms since the epoch */
  readonly clock: () => number;
}

/** Connects the listeners with Bolt. Everything is acknowledged first; whatever is thrown after that becomes a reply. */
export function listen(app: App, listeners: Required<Listeners>, deps: ListenDeps): void {
  const { people, workspaces, responder, log, clock } = deps;

  /** Slack and Redis are asked side by side: a warm request waits for one round trip. */
  const admit = async (
    client: WebClient,
    { workspace, person }: Origin,
    right: Right,
  ): Promise<Admission> => {
    const fresh = right === 'manage';
    const [profile, record] = await Promise.all([
      people.find(client, workspace, person, fresh),
      workspaces.read(workspace),
    ]);
    const asker = await people.admit(client, profile, settingsOf(record), fresh);
    demand(right, asker);
    return { asker, record };
  };

  /** The one place where a thrown thing turns into words. */
  const explain = (error: unknown, where: string): { failure: Failure } | { id: string } => {
    if (isFailure(error)) {
      // A refused word is somebody's typing and may be anything, a password too.
      log.info(
        { where, kind: error.kind, ...(error.kind !== 'word-refused' && { err: error }) },
        'answered with a failure',
      );
      return { failure: error };
    }
    const id = randomBytes(4).toString('hex');
    log.error({ where, id, err: error }, 'answered with an unknown error');
    return { id };
  };

  const apologise = async (ways: Ways, error: unknown, rerun?: Rerun): Promise<void> => {
    const told = explain(error, rerun?.command ?? 'action');
    const message = 'failure' in told ? failureMessage(told.failure, rerun) : unknownMessage(told.id, rerun);
    await whisper(ways, message).catch((lost: unknown) =>
      log.error({ err: lost }, 'a reply could not be delivered'),
    );
  };

  const runCommand = async (ways: Ways, rerun: Rerun, options: VisitOptions): Promise<void> => {
    try {
      const listener = listeners.commands[rerun.command];
      if (listener === undefined)
        throw new WordRefused(rerun.command, 'is no command of Tally', 'Try /billing help.');
      const right = typeof listener.right === 'function' ? listener.right(rerun.text) : listener.right;
      const admission = await admit(ways.client, ways.origin, right);
      const audience = listener.open && !options.replace ? admission.record.settings.visibility : 'asker';
      await listener.run(rerun.text, createVisit(ways, admission, { audience, ...options }));
    } catch (error) {
      await apologise(ways, error, rerun);
    }
  };

  app.command(/.*/, async ({ ack, body, client }) => {
    await ack();
    const ways = { origin: originOf(body), client, responder };
    // A workspace may have had to rename a command; the last part of `/acme-spend` still is ours.
    const command = Object.keys(listeners.commands).find((name) => body.command.endsWith(name.slice(1)));
    await runCommand(ways, { command: command ?? body.command, text: body.text ?? '' }, { at: clock() });
  });

  app.action({ type: 'block_actions' }, async ({ ack, action, body, client }) => {
    await ack();
    const ways = { origin: originOf(body as Parameters<typeof originOf>[0]), client, responder };
    const value = valueIn(action as ActionPayload);
    const name = (action as ActionPayload).action_id?.split(':')[0] ?? '';
    if (name === 'rerun') return runCommand(ways, readRerun(value), { at: clock(), replace: true });
    if (name === 'share') {
      const { at, ...rerun } = readShare(value);
      return runCommand(ways, rerun, { at: Math.min(at, clock()), audience: 'channel' });
    }
    const listener = listeners.actions[name];
    if (listener === undefined) return log.warn({ action: name }, 'an action that nothing listens to');
    try {
      const admission = await admit(client, ways.origin, listener.right);
      const { view, state } = body as { view?: { state?: { values?: object } }; state?: { values?: object } };
      const fields = readFields((view?.state ?? state)?.values as never);
      await listener.run({ value, fields }, createVisit(ways, admission, { at: clock(), replace: true }));
    } catch (error) {
      await apologise(ways, error);
    }
  });

  app.view({ type: 'view_submission' }, async ({ ack, view, body, client }) => {
    const listener = listeners.views[view.callback_id];
    if (listener === undefined) return ack();
    const reading = listener.read(readFields(view.state.values as never), view.private_metadata);
    if ('errors' in reading) return ack({ response_action: 'errors', errors: reading.errors });
    await ack({ response_action: 'update', view: listener.waiting });
    const ways = { origin: originOf(body as Parameters<typeof originOf>[0]), client, responder };
    try {
      const admission = await admit(client, ways.origin, listener.right);
      await listener.work(reading.input, createVisit(ways, admission, { at: clock() }));
    } catch (error) {
      const told = explain(error, view.callback_id);
      const sorry = 'failure' in told ? failureModal(told.failure) : unknownModal(told.id);
      const instead = 'failure' in told ? failureMessage(told.failure) : unknownMessage(told.id);
      await show(ways, sorry, instead).catch((lost: unknown) =>
        log.error({ err: lost }, 'a reply could not be delivered'),
      );
    }
  });

  app.options(/.*/, async ({ ack, options, body, client }) => {
    const listener = listeners.options[options.action_id];
    const ways = { origin: originOf(body as Parameters<typeof originOf>[0]), client, responder };
    try {
      if (listener === undefined) return await ack({ options: [] });
      const visit = createVisit(ways, await admit(client, ways.origin, listener.right), { at: clock() });
      await ack({ options: [...(await listener.find(options.value, visit))] });
    } catch (error) {
      explain(error, options.action_id);
      await ack({ options: [] });
    }
  });

  app.event(/.*/, async ({ event, body, client }) => {
    const listener = listeners.events[event.type];
    if (listener === undefined) return;
    const given = event as SlackEvent;
    const { team_id: workspace, enterprise_id: enterprise } = body as {
      team_id?: string;
      enterprise_id?: string;
    };
    const origin = { workspace, enterprise, client };
    if (listener.right === undefined || workspace === undefined || given.user === undefined)
      return listener.right === undefined ? listener.run(given, undefined, origin) : undefined;
    const ways = {
      origin: {
        ...NOWHERE,
        workspace,
        person: given.user,
        channel: given.channel,
        thread: given.thread_ts ?? given.ts,
      },
      client,
      responder,
    };
    try {
      await listener.run(
        given,
        createVisit(ways, await admit(client, ways.origin, listener.right), { at: clock() }),
        origin,
      );
    } catch (error) {
      await apologise(ways, error);
    }
  });

  app.error(async (error) => log.error({ err: error }, 'a listener failed'));
}

const NOWHERE = { responseUrl: undefined, trigger: undefined, viewId: undefined, thread: undefined };

/** Damaged settings allow what none would: so the form that mends them stays open to owners and admins alone. */
function settingsOf(record: WorkspaceRecord): Settings {
  try {
    return record.settings;
  } catch {
    return DEFAULT_SETTINGS;
  }
}

interface ActionPayload {
  readonly action_id?: string;
  readonly value?: string;
  readonly selected_option?: { readonly value?: string } | null;
}

const valueIn = (action: ActionPayload): string => action.value ?? action.selected_option?.value ?? '';
