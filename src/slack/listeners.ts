import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { App } from '@slack/bolt';
import type { ModalView, PlainTextOption } from '@slack/types';
import type { Logger } from 'pino';
import { type Failure, isFailure, WordRefused } from '../domain/failure.ts';
import type { Heard } from '../workspace/heard.ts';
import { demand, type Right } from '../workspace/rights.ts';
import { DEFAULT_SETTINGS, type Settings } from '../workspace/settings.ts';
import type { WorkspaceRecord, Workspaces } from '../workspace/workspaces.ts';
import { failureMessage, failureModal, unknownMessage, unknownModal } from './failure-reply.ts';
import type { Message } from './kit/atoms.ts';
import { type Fields, readFields } from './kit/modal.ts';
import type { People } from './people.ts';
import { isDirect } from './post.ts';
import type { Scene } from './project-picker.ts';
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
  /** `rerun` goes on with a command in the place of the message, its right checked anew. */
  run(
    action: {
      readonly value: string;
      readonly fields: Fields;
      /** The `private_metadata` of the view it is in; outside text. */
      readonly metadata: string;
    },
    visit: Visit,
    rerun: (command: Rerun) => Promise<void>,
  ): Promise<void>;
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
  /** @param metadata the `private_metadata` of the view it is in; outside text */
  find(
    query: string,
    visit: Visit,
    metadata: string,
  ): Promise<readonly PlainTextOption[]> | readonly PlainTextOption[];
}

/** An event of the Events API by its type; Slack has its acknowledgement already. */
export interface EventListener {
  readonly right: Right;
  /** Answers with a message: so what Slack sends again is passed over. */
  readonly once?: boolean;
  /** Pure: what is not wanted is passed over before anything is asked or said. */
  wants?(event: SlackEvent): boolean;
  run(event: SlackEvent, visit: Visit, origin: EventOrigin): Promise<void>;
  /** Says what went wrong; without it that is said to the person alone, where the event happened. */
  sorry?(message: Message, event: SlackEvent, origin: EventOrigin): Promise<void>;
}

/** What the listeners read of an event. */
export interface SlackEvent {
  readonly type: string;
  readonly user?: string;
  /** The workspace the person belongs to. */
  readonly user_team?: string;
  readonly channel?: string;
  readonly channel_type?: string;
  readonly text?: string;
  readonly ts?: string;
  readonly thread_ts?: string;
  readonly tab?: string;
  readonly bot_id?: string;
  readonly subtype?: string;
}

/** Where an event comes from. */
interface EventOrigin {
  readonly client: WebClient;
  /** Runs a command as if it had been typed where the event happened, its answer for everybody there. */
  rerun(rerun: Rerun): Promise<void>;
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
  readonly heard: Heard;
  readonly log: Logger;
  /** ms since the epoch */
  readonly clock: () => number;
}

/** Connects the listeners with Bolt. Everything is acknowledged first; whatever is thrown after that becomes a reply. */
export function listen(app: App, listeners: Required<Listeners>, deps: ListenDeps): void {
  const { people, workspaces, responder, heard, log, clock } = deps;

  /** Slack and Redis are asked side by side: a warm request waits for one round trip. */
  const admit = async (
    client: WebClient,
    origin: Origin,
    right: Right,
    isTyping = false,
  ): Promise<Admission> => {
    const fresh = right !== 'ask';
    const { workspace } = origin;
    const [profile, record] = await Promise.all([
      people.find(client, origin, fresh),
      workspaces.read(workspace),
    ]);
    // Slack lets a group's members be asked for some twenty times a minute: less than somebody types.
    const asker = await people.admit(client, profile, settingsOf(record), fresh && !isTyping);
    demand(right, asker);
    return {
      asker,
      record,
      userGroups: () => people.userGroups(client, workspace),
      standingOf: (person) => people.standingOf(client, workspace, person),
    };
  };

  /** The one place where a thrown thing turns into words. */
  const explain = (error: unknown, where: string): Told => {
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

  const apologise = async (
    ways: Ways,
    error: unknown,
    rerun?: Rerun,
    admission?: Admission,
  ): Promise<void> => {
    const told = explain(error, rerun?.command ?? 'action');
    const scene = admission && sceneOf(ways, admission);
    const message =
      'failure' in told ? failureMessage(told.failure, rerun, scene) : unknownMessage(told.id, rerun);
    const said = ways.opened === undefined ? whisper(ways, message) : show(ways, modalOf(told), message);
    await said.catch((lost: unknown) => log.error({ err: lost }, 'a reply could not be delivered'));
  };

  const runCommand = async (ways: Ways, rerun: Rerun, options: VisitOptions): Promise<void> => {
    let admission: Admission | undefined;
    try {
      const listener = listeners.commands[rerun.command];
      if (listener === undefined)
        throw new WordRefused(rerun.command, 'is no command of Tally', 'Try /billing help.');
      const right = typeof listener.right === 'function' ? listener.right(rerun.text) : listener.right;
      admission = await admit(ways.client, ways.origin, right);
      const { visibility } = settingsOf(admission.record);
      const isOpen = listener.open === true && !options.replace;
      const audience = isOpen ? (options.audience ?? options.aloud ?? visibility) : 'asker';
      await listener.run(rerun.text, createVisit(ways, admission, { ...options, audience, rerun }));
    } catch (error) {
      await apologise(ways, error, rerun, admission);
    }
  };

  app.command(/.*/, async ({ ack, body, client }) => {
    await ack();
    const ways: Ways = { origin: originOf(body), client, responder };
    // A workspace may have had to rename a command; the last part of `/acme-spend` still is ours.
    const command = Object.keys(listeners.commands).find((name) => body.command.endsWith(name.slice(1)));
    await runCommand(ways, { command: command ?? body.command, text: body.text ?? '' }, { at: clock() });
  });

  app.action({ type: 'block_actions' }, async ({ ack, action, body, client }) => {
    await ack();
    const ways: Ways = { origin: originOf(body as Parameters<typeof originOf>[0]), client, responder };
    const value = valueIn(action as ActionPayload);
    const name = (action as ActionPayload).action_id?.split(':')[0] ?? '';
    // `rerun` answers in the place of the message it stands on, `run` beside it.
    if (name === 'rerun' || name === 'run')
      return runCommand(ways, readRerun(value), { at: clock(), replace: name === 'rerun' });
    if (name === 'share') {
      const { at, ...rerun } = readShare(value);
      return runCommand(ways, rerun, { at: Math.min(at, clock()), audience: 'channel', shared: true });
    }
    const listener = listeners.actions[name];
    if (listener === undefined) return log.warn({ action: name }, 'an action that nothing listens to');
    try {
      const admission = await admit(client, ways.origin, listener.right);
      const { view, state } = body as ActionBody;
      const fields = readFields((view?.state ?? state)?.values as never);
      const metadata = view?.private_metadata ?? '';
      const options = { at: clock(), replace: true };
      await listener.run({ value, fields, metadata }, createVisit(ways, admission, options), (rerun) =>
        runCommand(ways, rerun, options),
      );
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
    const ways: Ways = { origin: originOf(body as Parameters<typeof originOf>[0]), client, responder };
    try {
      const admission = await admit(client, ways.origin, listener.right);
      await listener.work(reading.input, createVisit(ways, admission, { at: clock() }));
    } catch (error) {
      const told = explain(error, view.callback_id);
      const instead = 'failure' in told ? failureMessage(told.failure) : unknownMessage(told.id);
      await show(ways, modalOf(told), instead).catch((lost: unknown) =>
        log.error({ err: lost }, 'a reply could not be delivered'),
      );
    }
  });

  app.options(/.*/, async ({ ack, options, body, client }) => {
    const listener = listeners.options[options.action_id];
    try {
      if (listener === undefined) return await ack({ options: [] });
      const find = async () => {
        const ways: Ways = { origin: originOf(body as Parameters<typeof originOf>[0]), client, responder };
        const admission = await admit(client, ways.origin, listener.right, true);
        const metadata = (body as ActionBody).view?.private_metadata ?? '';
        return listener.find(options.value, createVisit(ways, admission, { at: clock() }), metadata);
      };
      await ack({ options: [...(await withinPatience(find()))] });
    } catch (error) {
      explain(error, options.action_id);
      await ack({ options: [] });
    }
  });

  app.event(/.*/, async ({ event, body, client }) => {
    const given = event as SlackEvent;
    const listener = listeners.events[given.type];
    if (listener === undefined || listener.wants?.(given) === false) return;
    const { authorizations, event_id: id, team_id } = body as EventEnvelope;
    const workspace = authorizations?.[0]?.team_id ?? team_id;
    const { user: person, channel, ts } = given;
    if (workspace === undefined || person === undefined) return;
    const at = clock();
    const isAlone = channel === undefined || isDirect(channel);
    const place = { channel, thread: given.thread_ts, begins: isAlone ? undefined : ts };
    const ways: Ways = {
      origin: { ...NOWHERE, workspace, person, home: given.user_team, ...place },
      client,
      responder,
    };
    const rerun = (one: Rerun) => runCommand(ways, one, { at, aloud: isAlone ? 'asker' : 'channel' });
    const origin = { client, rerun };
    try {
      if (listener.once && id !== undefined && !(await heard.first(workspace, id, at))) return;
      const admission = await admit(client, ways.origin, listener.right);
      await listener.run(given, createVisit(ways, admission, { at }), origin);
    } catch (error) {
      if (listener.sorry === undefined) return apologise(ways, error);
      const told = explain(error, given.type);
      const message = 'failure' in told ? failureMessage(told.failure) : unknownMessage(told.id);
      await listener
        .sorry(message, given, origin)
        .catch((lost: unknown) => log.error({ err: lost }, 'a reply could not be delivered'));
    }
  });

  app.error(async (error) => log.error({ err: error }, 'a listener failed'));
}

/** A failure that has words, or the id under which the log has the unknown. */
type Told = { readonly failure: Failure } | { readonly id: string };

const modalOf = (told: Told): ModalView =>
  'failure' in told ? failureModal(told.failure) : unknownModal(told.id);

/** Slack waits 3 s for suggestions; nothing found is better said in time. */
const PATIENCE = 2_000;

async function withinPatience<T>(finding: Promise<readonly T[]>): Promise<readonly T[]> {
  const end = new AbortController();
  const late = setTimeout(PATIENCE, [], { signal: end.signal }).catch(() => []);
  return Promise.race([finding, late]).finally(() => end.abort());
}

const NOWHERE = { responseUrl: undefined, trigger: undefined, viewId: undefined };

/** What is written around an event. */
interface EventEnvelope {
  /** Of what happens in a shared channel, `team_id` may be the other organisation; this is who has the app. */
  readonly authorizations?: readonly { readonly team_id?: string | null }[];
  readonly team_id?: string;
  readonly event_id?: string;
}

const sceneOf = ({ origin }: Ways, { asker, record }: Admission): Scene => ({
  record,
  channel: origin.channel,
  manager: asker.manage,
});

/** Damaged settings allow what none would: so the form that mends them stays open to owners and admins alone. */
function settingsOf(record: WorkspaceRecord): Settings {
  try {
    return record.settings;
  } catch {
    return DEFAULT_SETTINGS;
  }
}

/** Where an element stands: in a view, or in a message. */
interface ActionBody {
  readonly view?: { readonly private_metadata?: string; readonly state?: { readonly values?: object } };
  readonly state?: { readonly values?: object };
}

interface ActionPayload {
  readonly action_id?: string;
  readonly value?: string;
  readonly selected_option?: { readonly value?: string } | null;
}

const valueIn = (action: ActionPayload): string => action.value ?? action.selected_option?.value ?? '';
