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
  /** Rules of the handler that depend on the command's text or the button's value. Pure. */
  readonly needs?: (text: string) => Partial<HandlerRules>;
  readonly run: Work;
}

/** A handler's rules. @param text the command's words, or the button's value */
export const rulesFor = ({ needs, run: _, ...rules }: Handler<unknown>, text: string): HandlerRules => ({
  ...rules,
  ...needs?.(text),
});

/** @param typed for subcommands of `/billing`: the text as it was typed, whereas `text` is in lower case */
type CommandWork = (text: string, request: Request, typed?: string) => Promise<void>;

export interface CommandHandler extends Handler<CommandWork> {
  /** The help page of the subcommand, if it has one of its own. */
  readonly help?: (request: Request) => Message;
  /** Parses the text without side effects. A command without `parse` takes no words. */
  readonly parse?: (text: string, workspace: Workspace, reader: Reader) => unknown;
}

/** A clicked button or select. All fields are untrusted. */
interface ClickedOn {
  readonly id: string;
  readonly value: string;
  readonly fields: FormFields;
  /** `private_metadata` of the modal with the button; '' for a button elsewhere. */
  readonly metadata: string;
}

/** Runs a command as if typed here. @param changes what differs in the source @returns whether it was answered */
export type Rerun = (
  command: Command,
  changes?: Partial<Pick<Source, 'askedIn' | 'replaces'>>,
) => Promise<boolean>;

type ActionWork = (action: ClickedOn, request: Request, rerun: Rerun) => Promise<void>;

export type ActionHandler = Handler<ActionWork>;

/** A button that needs only its value. @param work gets the value, which is untrusted */
export const onClick = (
  right: Right,
  does: Omit<HandlerRules, 'right'>,
  work: (value: string, request: Request) => Promise<void>,
): ActionHandler => ({ right, ...does, run: ({ value }, request) => work(value, request) });

/** A submitted form. `parse` runs before the acknowledgement; the work it returns runs after, and may change data. */
export interface ViewListener {
  readonly right: Right;
  /** Pure and fast. @returns errors by block ID, or the work to do after the acknowledgement */
  parse(fields: FormFields, metadata: string): ParsedForm;
  readonly waiting: ModalView;
}

export type ParsedForm =
  | { readonly errors: Record<string, string> }
  | { readonly submit: (request: Request) => Promise<void> };

/** Finds suggestions for a select. */
export interface OptionsListener {
  readonly right: Right;
  /** @param metadata the `private_metadata` of the view with the select; untrusted */
  find(
    query: string,
    request: Request,
    metadata: string,
  ): Promise<readonly PlainTextOption[]> | readonly PlainTextOption[];
}

/** Handles an event after its acknowledgement. It only reads data and answers. */
export interface EventListener {
  readonly right: Right;
  /** Pure. An event for which it returns false is dropped before anything is looked up. */
  wants?(event: SlackEvent): boolean;
  answer(event: SlackEvent, request: Request, rerun: Rerun): Promise<unknown>;
  /** Shows an error of `answer`. By default, the error is a private message in the place of the event. */
  onError?(message: Message, reply: Reply): Promise<void>;
}

/** The inputs of a workflow step: untrusted, and any JSON. */
export type StepInputs = Readonly<Record<string, unknown>>;

/** Runs a workflow step. Slack doesn't say for whom, so the step returns only what everyone may see. */
export type StepListener = (
  inputs: StepInputs,
  request: Pick<Request, 'at' | 'workspace'>,
) => Promise<Readonly<Record<string, string>>>;

/** Whether a command accepts a text, so that the text can be suggested. */
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

/** The listeners of a feature, by name. An action ID can have a suffix after a colon, which isn't part of the name. */
export interface Listeners {
  readonly commands?: Readonly<Record<string, CommandHandler>>;
  readonly actions?: Readonly<Record<string, ActionHandler>>;
  readonly views?: Readonly<Record<string, ViewListener>>;
  readonly options?: Readonly<Record<string, OptionsListener>>;
  readonly events?: Readonly<Record<string, EventListener>>;
  /** The handlers of workflow steps, by callback ID. */
  readonly steps?: Readonly<Record<string, StepListener>>;
}

/** Looks up a name in a table. Only own properties count, because an untrusted name could be `constructor`. */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The label for metrics. Untrusted names without a listener share the label `other`. */
export const routeOf = (listener: object | undefined, name: string): string =>
  listener === undefined ? 'other' : name;
