import type { Button } from '@slack/types';
import * as z from 'zod';
import type { DataOf, FailureKind } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { type Block, button, SLACK_LIMITS } from '../block-kit/blocks.ts';
import { type Command, commandButton, commandLine } from '../commands/command-buttons.ts';
import type { Request } from '../request/request.ts';

/** What to do about a failure, after the sentence that says what happened. */
export interface Advice {
  /** Says what happened; replaces the failure's own message. */
  readonly sentence?: string;
  /** What to do next; '' or absent when the sentence or the buttons say it all. */
  readonly todo?: string | { readonly member: string; readonly manager: string };
  /** The buttons that do it. */
  readonly fix?: Fix;
  /** Slack IDs of the people that the sentence is about, named at its end. */
  readonly people?: readonly SlackId[];
  /** Outside text, shown as a quotation. */
  readonly quotes?: readonly string[];
  /** Whether it is for Tally's operator to find out why, if it keeps happening. */
  readonly isOurs?: boolean;
  /** Blocks to choose from. */
  readonly choices?: readonly Block[];
}

export interface Fix {
  /** To run the same command again. Where no button can, this is said. */
  readonly again?: '' | 'Try again.';
  /** For everybody, as they are. */
  readonly buttons?: readonly Button[];
  /** What a manager presses. */
  readonly manager?: readonly Button[];
  /** What others may ask a manager to run; `what was asked` is the failed command or click itself. */
  readonly ask?: Command | 'what was asked' | undefined;
}

/** What is said about each kind: the compiler refuses a kind without advice. */
export type AdviceTable = {
  readonly [K in Exclude<FailureKind, 'invalid-word'>]:
    | Advice
    | ((data: DataOf<K>, request: FailedRequest) => Advice);
};

/** What was known of the request when it failed; empty if nobody asked. */
export interface FailedRequest extends Partial<Request> {
  /** The command, for buttons that run it again. */
  readonly command?: Command | undefined;
  /** The button, if that opens a form and was not in one. */
  readonly click?: AskedManager['click'];
  /** Whether that command takes these words; only then they are offered. */
  readonly acceptsWords?: ((text: string) => boolean) | undefined;
  /** The channel that it is about, for a manager who is asked to run it. No rights follow from it. */
  readonly place?: SlackId | undefined;
}

/** What **Ask a manager** carries. It is outside text when it comes back. */
export const askedManagerSchema = z.object({
  /** The channel that it is about; absent for Home. */
  place: z
    .string()
    .regex(/^[A-Z][A-Z0-9]{1,30}$/)
    .optional(),
  /** A command as it is typed. */
  line: z.string().optional(),
  /** Or a button that opens a form. */
  click: z.object({ id: z.string(), value: z.string(), label: z.string() }).optional(),
});
export type AskedManager = Readonly<z.infer<typeof askedManagerSchema>>;

/** Whether the rights were checked. */
export const isAuthorized = (request: FailedRequest): request is FailedRequest & Request =>
  request.user !== undefined;

export const canManage = ({ user }: FailedRequest): boolean => user?.canManage === true;

export const retryButton = (command?: Command): Button[] =>
  command === undefined ? [] : commandButton('again', 'Try again', command);

/** @param todo what else there is to say */
export const tryAgain = (todo = ''): Advice => ({ todo, fix: { again: 'Try again.' } });

/** `Try again in 4 seconds.`, rounded up. @param wait in ms */
export function tryAgainIn(wait: Millis): Advice {
  const [seconds, minutes] = [Math.ceil(wait / 1_000), Math.ceil(wait / MINUTE)];
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [minutes, 'minute'];
  const when = `Try again in ${count === 1 ? `a ${unit}` : `${count} ${unit}s`}.`;
  return { todo: wait <= 0 ? 'You can try again now.' : when, fix: { again: '' } };
}

/** The buttons of a fix that this person may press. */
export function buttonsOf({ again, buttons = [], manager = [], ask }: Fix, request: FailedRequest): Button[] {
  const { command, click } = request;
  const retry = again === undefined ? [] : retryButton(command);
  if (canManage(request)) return [...buttons, ...retry, ...manager];
  // Below a form or a schedule, the text about what is missing has no certain reader.
  const isForm = ask === 'what was asked' && click !== undefined;
  if (isForm) return [...buttons, ...retry, ...askButton({ click }, request)];
  const asked = ask === 'what was asked' ? command : isAuthorized(request) ? ask : undefined;
  return [...buttons, ...retry, ...askManagerButton(asked, request)];
}

/** Asks the managers to run this command. Managers and external people can't ask. */
export const askManagerButton = (command: Command | undefined, request: FailedRequest): Button[] =>
  askButton(command && { line: commandLine(command) }, request);

function askButton(
  wanted: Omit<AskedManager, 'place'> | undefined,
  { channel, place = channel, user }: FailedRequest,
): Button[] {
  if (wanted === undefined || user?.canManage === true || user?.role === 'external') return [];
  const value = JSON.stringify({ place, ...wanted });
  return value.length > SLACK_LIMITS.buttonValue ? [] : [button('ask-manager', 'Ask a manager', { value })];
}
