import { randomBytes } from 'node:crypto';
import type { App } from '@slack/bolt';
import type { ModalView, PlainTextOption } from '@slack/types';
import type { Logger } from 'pino';
import { type Failure, isFailure, WordRefused } from '../domain/failure.ts';
import { failureMessage, failureModal, unknownMessage, unknownModal } from './failure-reply.ts';
import { type Fields, readFields } from './kit/modal.ts';
import { type Asker, demand, type People, type Right } from './people.ts';
import { type Rerun, readRerun, readShare } from './rerun.ts';
import type { Responder } from './respond.ts';
import {
  createVisit,
  type Origin,
  originOf,
  type Visit,
  type VisitOptions,
  type Ways,
  whisper,
} from './visit.ts';
import type { WebClient } from './web.ts';

export interface CommandListener {
  /** By its words where they decide. */
  readonly right: Right | ((text: string) => Right);
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
  read(fields: Fields): { readonly errors: Record<string, string> } | { readonly input: T };
  /** Shown at once, while `work` goes on. */
  readonly waiting: ModalView;
  work(input: T, visit: Visit): Promise<void>;
}

/** Suggestions while somebody types into a select; nothing secret, so no right is asked. */
export type OptionsListener = (query: string, at: number) => readonly PlainTextOption[];

/** What a feature listens to: commands by `/name`, the rest by id; an action's id may go on after a colon. */
export interface Listeners {
  readonly commands?: Readonly<Record<string, CommandListener>>;
  readonly actions?: Readonly<Record<string, ActionListener>>;
  // biome-ignore lint/suspicious/noExplicitAny: each view has its own input, known to itself alone
  readonly views?: Readonly<Record<string, ViewListener<any>>>;
  readonly options?: Readonly<Record<string, OptionsListener>>;
}

export interface ListenDeps {
  readonly people: People;
  readonly responder: Responder;
  readonly log: Logger;
  /** ms since the epoch */
  readonly clock: () => number;
}

/** Connects the listeners with Bolt. Everything is acknowledged first; whatever is thrown after that becomes a reply. */
export function listen(app: App, listeners: Required<Listeners>, deps: ListenDeps): void {
  const { people, responder, log, clock } = deps;

  const admit = async (client: WebClient, { workspace, person }: Origin, right: Right): Promise<Asker> => {
    const asker = await people.find(client, workspace, person, right === 'manage');
    demand(right, asker);
    return asker;
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
      const asker = await admit(ways.client, ways.origin, right);
      await listener.run(rerun.text, createVisit(ways, asker, options));
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
      const asker = await admit(client, ways.origin, listener.right);
      const state = (body as { view?: { state?: { values?: object } } }).view?.state?.values ?? {};
      await listener.run(
        { value, fields: readFields(state as never) },
        createVisit(ways, asker, { at: clock(), replace: true }),
      );
    } catch (error) {
      await apologise(ways, error);
    }
  });

  app.view({ type: 'view_submission' }, async ({ ack, view, body, client }) => {
    const listener = listeners.views[view.callback_id];
    if (listener === undefined) return ack();
    const reading = listener.read(readFields(view.state.values as never));
    if ('errors' in reading) return ack({ response_action: 'errors', errors: reading.errors });
    await ack({ response_action: 'update', view: listener.waiting });
    const ways = { origin: originOf(body as Parameters<typeof originOf>[0]), client, responder };
    const asker = await admit(client, ways.origin, listener.right).catch((error: unknown) => error as Error);
    const visit = createVisit(ways, asker instanceof Error ? nobody(ways.origin) : asker, { at: clock() });
    try {
      if (asker instanceof Error) throw asker;
      await listener.work(reading.input, visit);
    } catch (error) {
      const told = explain(error, view.callback_id);
      const sorry = 'failure' in told ? failureModal(told.failure) : unknownModal(told.id);
      const instead = 'failure' in told ? failureMessage(told.failure) : unknownMessage(told.id);
      await visit
        .show(sorry, instead)
        .catch((lost: unknown) => log.error({ err: lost }, 'a reply could not be delivered'));
    }
  });

  app.options(/.*/, async ({ ack, options }) => {
    const find = listeners.options[options.action_id];
    await ack({ options: [...(find?.(options.value, clock()) ?? [])] });
  });

  app.error(async (error) => log.error({ err: error }, 'a listener failed'));
}

const nobody = ({ workspace, person }: Origin): Asker => ({
  workspace,
  person,
  standing: 'stranger',
  locale: 'en-US',
  zone: undefined,
});

interface ActionPayload {
  readonly action_id?: string;
  readonly value?: string;
  readonly selected_option?: { readonly value?: string } | null;
}

const valueIn = (action: ActionPayload): string => action.value ?? action.selected_option?.value ?? '';
