/** What a feature handles: commands, clicks, forms, requests for suggestions, events and workflow steps. */
import type { ModalView, PlainTextOption } from '@slack/types';
import { Failure } from '../../domain/failure/index.ts';
import type { ParseContext } from '../../domain/language/command-items.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { parseContextOf, type Workspace } from '../../workspace/record/workspace.ts';
import type { Right } from '../../workspace/roles-and-rights.ts';
import type { Message } from '../block-kit/blocks.ts';
import type { Command } from '../commands/command-buttons.ts';
import type { Reply } from '../reply/reply.ts';
import type { FormValues, SlackEvent, Source } from '../request/payload.ts';
import type { Request } from '../request/request.ts';

export interface HandlerRules {
  readonly right: Right;
  /** Opens a modal. Slack's trigger expires after 3 s, so a loading modal opens if a look-up is slow. */
  readonly opensForm?: boolean;
  /** Changes data. Runs once per request, and an error says whether anything was changed. */
  readonly changes?: boolean;
  /** Answers with figures, which can be public. */
  readonly figures?: boolean;
  /** Sends a file, so the message with the button stays. */
  readonly sendsFile?: boolean;
}

interface Handler<Work> extends HandlerRules {
  /** Adds rules that depend on the command's text or the button's value. Pure. */
  readonly needs?: (text: string) => Partial<HandlerRules>;
  readonly run: Work;
}

export const rulesFor = ({ needs, run: _, ...rules }: Handler<unknown>, text: string): HandlerRules => ({
  ...rules,
  ...needs?.(text),
});

/** @param typed the words after `/billing` as they were typed, because `text` is in lower case */
type CommandWork = (text: string, request: Request, typed?: string) => Promise<void>;

export interface CommandHandler extends Handler<CommandWork> {
  readonly help?: (request: Request) => Message;
  readonly parse?: (text: string, workspace: Workspace, context: ParseContext) => unknown;
}

interface ClickedOn {
  readonly id: string;
  readonly value: string;
  readonly fields: FormValues;
  /** The modal's `private_metadata`. Empty for a button elsewhere. */
  readonly metadata: string;
}

/** Runs a command as if the user had typed it. @returns whether the command was answered, rather than refused */
export type Rerun = (
  command: Command,
  changes?: Partial<Pick<Source, 'askedIn' | 'replaces'>>,
) => Promise<boolean>;

export type ActionHandler = Handler<(action: ClickedOn, request: Request, rerun: Rerun) => Promise<void>>;

/** @param work gets the button's value, which is untrusted */
export const onClick = (
  right: Right,
  does: Omit<HandlerRules, 'right'>,
  work: (value: string, request: Request) => Promise<void>,
): ActionHandler => ({ right, ...does, run: ({ value }, request) => work(value, request) });

/** `parse` runs before Tally acknowledges the form, and the `submit` that it returns runs afterwards. */
export interface ViewHandler {
  readonly right: Right;
  /** Pure and fast. @returns errors by block ID, or the function that saves the form, which can throw edit-conflict */
  parse(fields: FormValues, metadata: string): ParsedForm;
  readonly waiting: ModalView;
}

export type ParsedForm =
  | { readonly errors: Record<string, string> }
  | { readonly submit: (request: Request, isLast: boolean) => Promise<void> };

export interface OptionsHandler {
  readonly right: Right;
  /** @param metadata the view's `private_metadata`, untrusted */
  find(
    query: string,
    request: Request,
    metadata: string,
  ): Promise<readonly PlainTextOption[]> | readonly PlainTextOption[];
}

/** The handler of an event must not change data. */
export interface EventHandler {
  readonly right: Right;
  /** Whether to handle the event. Called before any look-up. Pure. */
  wants?(event: SlackEvent): boolean;
  answer(event: SlackEvent, request: Request, rerun: Rerun): Promise<unknown>;
  /** Without `onError`, people get errors as private messages. */
  onError?(message: Message, reply: Reply): Promise<void>;
}

export type StepInputs = Readonly<Record<string, unknown>>;

/** Slack doesn't say for whom a step runs, so a step returns only what everyone may see. */
export type StepHandler = (
  inputs: StepInputs,
  request: Pick<Request, 'at' | 'workspace'>,
) => Promise<Readonly<Record<string, string>>>;

export function acceptsWords(
  handler: CommandHandler | undefined,
  text: string,
  workspace: Workspace,
  at: Millis,
): boolean {
  if (handler?.parse === undefined) return handler !== undefined && text === '';
  const { parse } = handler;
  return tryParse(() => [parse(text, workspace, parseContextOf(workspace, at))], Failure) !== undefined;
}

export interface Handlers {
  readonly commands?: Readonly<Record<string, CommandHandler>>;
  readonly actions?: Readonly<Record<string, ActionHandler>>;
  readonly views?: Readonly<Record<string, ViewHandler>>;
  readonly options?: Readonly<Record<string, OptionsHandler>>;
  readonly events?: Readonly<Record<string, EventHandler>>;
  readonly steps?: Readonly<Record<string, StepHandler>>;
}

/** Only own properties count, because an untrusted name could be `constructor`. */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The route in metrics, where all names without a handler share `other`. */
export const routeOf = (handler: object | undefined, name: string): string =>
  handler === undefined ? 'other' : name;
