import type { Button } from '@slack/types';
import * as z from 'zod';
import type { DataOf, FailureKind } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { type Command, commandLine } from '../commands/command.ts';
import { commandButton } from '../commands/command-buttons.ts';
import { type Block, button, SLACK_LIMITS } from '../kit/blocks.ts';
import type { Request } from '../request/request.ts';

/** What the reply to a failure says in addition to the failure's own message. */
export interface ErrorDescription {
  /** Says what happened; replaces the failure's own message. */
  readonly sentence?: string;
  /** What to do next; '' when the sentence or the buttons say it all. */
  readonly todo: string;
  /** Slack IDs of the people that the sentence is about, named at its end. */
  readonly people?: readonly SlackId[];
  /** Outside text, shown as a quotation. */
  readonly quotes?: readonly string[];
  readonly buttons?: readonly Button[];
  /** Whether it is for Tally's operator to find out why, if it keeps happening. */
  readonly isOurs?: boolean;
  /** Blocks to choose from. */
  readonly choices?: readonly Block[];
}

/** What is said about each kind: the compiler refuses a kind without a description. */
export type Descriptions = {
  readonly [K in Described]: (data: DataOf<K>, request: FailedRequest) => ErrorDescription;
};
type Described = Exclude<FailureKind, 'invalid-word'>;

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
  /** Whether something of it was saved before it failed. */
  readonly hasSaved?: boolean;
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

export const CONNECT = button('connect', 'Connect…', { style: 'primary' });
export const REPLACE_TOKEN = button('connect', 'Replace token…', { style: 'primary' });

export const retryButton = (command?: Command): Button[] =>
  command === undefined ? [] : commandButton('again', 'Try again', command);

export const tryAgain = (todo: string, { command }: FailedRequest): ErrorDescription => ({
  todo,
  buttons: retryButton(command),
});

/** Asks the managers to run this command. Managers and external people can't ask. */
export const askManagerButton = (command: Command | undefined, request: FailedRequest): Button[] =>
  askButton(command && { line: commandLine(command) }, request);

/** The same about what was clicked or typed. */
export const askManagerAgain = (request: FailedRequest): Button[] =>
  request.click === undefined
    ? askManagerButton(request.command, request)
    : askButton({ click: request.click }, request);

function askButton(
  wanted: Omit<AskedManager, 'place'> | undefined,
  { channel, place = channel, user }: FailedRequest,
): Button[] {
  if (wanted === undefined || user?.canManage === true || user?.role === 'external') return [];
  const value = JSON.stringify({ place, ...wanted });
  return value.length > SLACK_LIMITS.buttonValue ? [] : [button('ask-manager', 'Ask a manager', { value })];
}

/** What a manager reads and presses. Others read that a manager can do it, and may ask one to run `link`. */
export const forManagers = (
  request: FailedRequest,
  description: ErrorDescription,
  others: string,
  link?: Command,
): ErrorDescription =>
  canManage(request)
    ? description
    : // Below a form or a schedule, the text about what is missing has no certain reader.
      { todo: others, ...(isAuthorized(request) && { buttons: askManagerButton(link, request) }) };

/** `Try again in 4 seconds.`, rounded up. @param wait in ms */
export function tryAgainIn(wait: Millis, request: FailedRequest): ErrorDescription {
  const [seconds, minutes] = [Math.ceil(wait / 1_000), Math.ceil(wait / MINUTE)];
  if (wait <= 0) return tryAgain('You can try again now.', request);
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [minutes, 'minute'];
  return tryAgain(`Try again in ${count === 1 ? `a ${unit}` : `${count} ${unit}s`}.`, request);
}
