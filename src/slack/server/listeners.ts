import type { ModalView, PlainTextOption } from '@slack/types';
import { isFailure } from '../../domain/failure/index.ts';
import type { Reader } from '../../domain/language/parsed-command.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Right } from '../../workspace/permissions.ts';
import { readerIn, type Workspace } from '../../workspace/record/workspace.ts';
import type { Message } from '../block-kit/blocks.ts';
import type { Command } from '../commands/command-buttons.ts';
import type { Reply } from '../reply/reply.ts';
import type { FormFields, SlackEvent, Source } from '../request/payload.ts';
import type { HandlerRules, Request } from '../request/request.ts';

/** What a handler needs and does, which decides how an error of it is answered. */
export interface Rules extends HandlerRules {
  /** It shows what only managers may see, so that nobody can ask one to run it. */
  readonly isForManagers?: boolean;
}

interface Handler<Work> extends Rules {
  /** What is different for these words of a command, or this value of a button. Does nothing else, and throws nothing. */
  readonly needs?: (text: string) => Partial<Rules>;
  readonly run: Work;
}

/** @param text the command's words, or the button's value */
export const rulesFor = ({ needs, run: _, ...rules }: Handler<unknown>, text: string): Rules => ({
  ...rules,
  ...needs?.(text),
});

/** @param typed for a second word of `/billing`, whose `text` is in lower case: the text as it was typed */
type CommandWork = (text: string, request: Request, typed?: string) => Promise<void>;

export interface CommandHandler extends Handler<CommandWork> {
  /** For a second word of `/billing` with its own help page. */
  readonly help?: (request: Request) => Message;
  /**
   * Reads the command's words and does nothing. Without it the command takes none.
   * @throws InvalidWord, secret-pasted, project-missing
   */
  readonly parse?: (text: string, workspace: Workspace, reader: Reader) => unknown;
}

/** The data of a click. All of it is outside text. */
interface ClickedOn {
  /** The action's ID. */
  readonly id: string;
  readonly value: string;
  readonly fields: FormFields;
  /** `private_metadata` of the modal it happened in; '' elsewhere. */
  readonly metadata: string;
}

/**
 * Runs a command, with its own check of rights, in the place of the click or of the message, as if it had been typed there.
 * @param changes where it counts as asked, for whom, and whether the answer replaces the message, if that differs
 * @returns whether it was answered, and not refused
 */
export type Rerun = (
  command: Command,
  changes?: Partial<Pick<Source, 'askedIn' | 'replaces'>>,
) => Promise<boolean>;

type ActionWork = (action: ClickedOn, request: Request, rerun: Rerun) => Promise<void>;

export type ActionHandler = Handler<ActionWork>;

/** A button whose value says it all. @param work gets the value, which is outside text */
export const onClick = (
  right: Right,
  does: Omit<HandlerRules, 'right'>,
  work: (value: string, request: Request) => Promise<void>,
): ActionHandler => ({ right, ...does, run: ({ value }, request) => work(value, request) });

/** A form is read before the acknowledgement; what that returns runs after it, and may change something. */
export interface ViewListener {
  readonly right: Right;
  /** Pure and quick. @returns what is wrong, by block ID; or what is done with the form if every field is right */
  parse(fields: FormFields, metadata: string): ParsedForm;
  readonly waiting: ModalView;
}

export type ParsedForm =
  | { readonly errors: Record<string, string> }
  | { readonly submit: (request: Request) => Promise<void> };

/** Suggestions for an external select. */
export interface OptionsListener {
  readonly right: Right;
  /** @param metadata the `private_metadata` of the view it is in; outside text */
  find(
    query: string,
    request: Request,
    metadata: string,
  ): Promise<readonly PlainTextOption[]> | readonly PlainTextOption[];
}

/** Handles one event type, after Bolt has acknowledged the event. It reads, and answers. */
export interface EventListener {
  readonly right: Right;
  /** Pure. Events that it refuses are dropped before anything is looked up. */
  wants?(event: SlackEvent): boolean;
  answer(event: SlackEvent, request: Request, rerun: Rerun): Promise<unknown>;
  /** Shows an error; without it the user gets a private message where the event happened. */
  onError?(message: Message, reply: Reply): Promise<void>;
}

/** What a workflow puts into a step: outside text, or any other JSON. */
export type StepInputs = Readonly<Record<string, unknown>>;

/**
 * Runs a step, after the acknowledgement. There is no right to check, because Slack doesn't say who runs the workflow: a step
 * gives only what everyone may see. What it throws ends the step with a sentence. @returns the outputs
 */
export type StepListener = (
  inputs: StepInputs,
  request: Pick<Request, 'at' | 'workspace'>,
) => Promise<Readonly<Record<string, string>>>;

/** Whether the command takes these words, so that it may be offered. */
export function acceptsWords(
  handler: CommandHandler | undefined,
  text: string,
  workspace: Workspace,
  at: Millis,
): boolean {
  if (handler?.parse === undefined) return handler !== undefined && text === '';
  try {
    handler.parse(text, workspace, readerIn(workspace, at));
    return true;
  } catch (error) {
    if (isFailure(error)) return false;
    throw error;
  }
}

/** What a feature listens to: commands by `/name`, the rest by ID; an action's ID may continue after a colon. */
export interface Listeners {
  readonly commands?: Readonly<Record<string, CommandHandler>>;
  readonly actions?: Readonly<Record<string, ActionHandler>>;
  readonly views?: Readonly<Record<string, ViewListener>>;
  readonly options?: Readonly<Record<string, OptionsListener>>;
  readonly events?: Readonly<Record<string, EventListener>>;
  /** By callback ID. */
  readonly steps?: Readonly<Record<string, StepListener>>;
}

/** Looks up a name from outside, which can be `constructor` or another inherited property. */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** What Tally did not register has this route: the name is outside text. */
export const routeOf = (listener: object | undefined, name: string): string =>
  listener === undefined ? 'other' : name;
