import type { ModalView, PlainTextOption } from '@slack/types';
import type { Right } from '../workspace/permissions.ts';
import type { CommandInvocation } from './command-buttons.ts';
import type { Message } from './kit/atoms.ts';
import type { FormFields } from './kit/modal.ts';
import type { Request } from './request.ts';
import type { WebClient } from './web-client.ts';

export interface CommandListener {
  /** By its words where they decide. */
  readonly right: Right | ((text: string) => Right);
  /** Answers for everyone in the channel where the workspace wants that. */
  readonly open?: boolean;
  /** Of a second word of `/billing` that has a page of its own. */
  readonly help?: () => Message;
  /** @param typed of a verb, whose text is in lower case: the same in the letters it was typed in */
  run(text: string, request: Request, typed?: string): Promise<void>;
}

/** What a click brings along: outside text, all of it. */
interface ClickedOn {
  readonly value: string;
  readonly fields: FormFields;
  /** `private_metadata` of the modal it happened in; '' elsewhere. */
  readonly metadata: string;
}

export interface ActionListener {
  readonly right: Right;
  /** `rerun` goes on with a command in the place of the message, its right checked anew. */
  run(
    action: ClickedOn,
    request: Request,
    rerun: (command: CommandInvocation) => Promise<void>,
  ): Promise<void>;
}

/** A submission is read at once, before the acknowledgement; the work comes after it. */
export interface ViewListener<T = unknown> {
  readonly right: Right;
  /** Pure and quick: block id → sentence where a field is refused, else what was meant. */
  read(
    fields: FormFields,
    metadata: string,
  ): { readonly errors: Record<string, string> } | { readonly input: T };
  /** Shown at once, while `work` goes on. */
  readonly waiting: ModalView;
  work(input: T, request: Request): Promise<void>;
}

/** Suggestions while somebody types into a select. */
export interface OptionsListener {
  readonly right: Right;
  /** @param metadata the `private_metadata` of the view it is in; outside text */
  find(
    query: string,
    request: Request,
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
  run(event: SlackEvent, request: Request, origin: EventOrigin): Promise<void>;
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
  rerun(rerun: CommandInvocation): Promise<void>;
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
