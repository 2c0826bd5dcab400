import type { ModalView, PlainTextOption } from '@slack/types';
import { isFailure } from '../../domain/failure/index.ts';
import type { Reader } from '../../domain/language/parsed-command.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { readerIn, type Workspace } from '../../workspace/record/workspace.ts';
import type { Right } from '../../workspace/roles-and-rights.ts';
import type { Message } from '../block-kit/blocks.ts';
import type { Command } from '../commands/command-buttons.ts';
import type { Reply } from '../reply/reply.ts';
import type { FormFields, SlackEvent, Source } from '../request/payload.ts';
import type { HandlerRules, Request } from '../request/request.ts';

interface Handler<Work> extends HandlerRules {
  /** Rules that differ for this command text or button value. Pure. */
  readonly needs?: (text: string) => Partial<HandlerRules>;
  readonly run: Work;
}

/** @param text the command's words, or the button's value */
export const rulesFor = ({ needs, run: _, ...rules }: Handler<unknown>, text: string): HandlerRules => ({
  ...rules,
  ...needs?.(text),
});

/** @param typed for `/billing` subcommands: the text as typed (`text` is in lower case) */
type CommandWork = (text: string, request: Request, typed?: string) => Promise<void>;

export interface CommandHandler extends Handler<CommandWork> {
  /** The help page of a `/billing` subcommand. */
  readonly help?: (request: Request) => Message;
  /** Parses the text without side effects. A command without it takes no words. */
  readonly parse?: (text: string, workspace: Workspace, reader: Reader) => unknown;
}

/** A click. All fields are untrusted. */
interface ClickedOn {
  readonly id: string;
  readonly value: string;
  readonly fields: FormFields;
  /** `private_metadata` of its modal; '' elsewhere. */
  readonly metadata: string;
}

/** Runs a command as if it had been typed here. @param changes to the source @returns whether it was answered */
export type Rerun = (
  command: Command,
  changes?: Partial<Pick<Source, 'askedIn' | 'replaces'>>,
) => Promise<boolean>;

type ActionWork = (action: ClickedOn, request: Request, rerun: Rerun) => Promise<void>;

export type ActionHandler = Handler<ActionWork>;

/** A button whose value is all it needs. @param work gets the value (untrusted) */
export const onClick = (
  right: Right,
  does: Omit<HandlerRules, 'right'>,
  work: (value: string, request: Request) => Promise<void>,
): ActionHandler => ({ right, ...does, run: ({ value }, request) => work(value, request) });

/** A submitted form. `parse` runs before the acknowledgement, its result after, and that can change data. */
export interface ViewListener {
  readonly right: Right;
  /** Pure and fast. @returns errors by block ID, or the work to do */
  parse(fields: FormFields, metadata: string): ParsedForm;
  readonly waiting: ModalView;
}

export type ParsedForm =
  | { readonly errors: Record<string, string> }
  | { readonly submit: (request: Request) => Promise<void> };

/** Suggestions for an external select. */
export interface OptionsListener {
  readonly right: Right;
  /** @param metadata the `private_metadata` of the view it is in; untrusted */
  find(
    query: string,
    request: Request,
    metadata: string,
  ): Promise<readonly PlainTextOption[]> | readonly PlainTextOption[];
}

/** An event handler, called after the acknowledgement. It only reads and answers. */
export interface EventListener {
  readonly right: Right;
  /** Pure. Events it rejects are dropped before any look-up. */
  wants?(event: SlackEvent): boolean;
  answer(event: SlackEvent, request: Request, rerun: Rerun): Promise<unknown>;
  /** Shows an error. Default: a private message where the event happened. */
  onError?(message: Message, reply: Reply): Promise<void>;
}

/** A workflow's inputs: untrusted, any JSON. */
export type StepInputs = Readonly<Record<string, unknown>>;

/** Runs a workflow step. Slack doesn't say who runs it, so it returns only what everyone may see. */
export type StepListener = (
  inputs: StepInputs,
  request: Pick<Request, 'at' | 'workspace'>,
) => Promise<Readonly<Record<string, string>>>;

/** Whether the command accepts this text, so it can be suggested. */
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

/** A feature's listeners. An action ID can have a suffix after a colon. */
export interface Listeners {
  readonly commands?: Readonly<Record<string, CommandHandler>>;
  readonly actions?: Readonly<Record<string, ActionHandler>>;
  readonly views?: Readonly<Record<string, ViewListener>>;
  readonly options?: Readonly<Record<string, OptionsListener>>;
  readonly events?: Readonly<Record<string, EventListener>>;
  /** By callback ID. */
  readonly steps?: Readonly<Record<string, StepListener>>;
}

/** Own properties only: the name is untrusted and could be `constructor`. */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Label for metrics; unregistered (untrusted) names share one. */
export const routeOf = (listener: object | undefined, name: string): string =>
  listener === undefined ? 'other' : name;
