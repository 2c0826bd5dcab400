import type { Button } from '@slack/types';
import type { FailureKind, FailureOf } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { type Command, commandLine, parseCommand } from '../commands/command.ts';
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
  readonly [K in FailureKind]: (failure: FailureOf<K>, request: FailedRequest) => ErrorDescription;
};

/** What was known of the request when it failed; empty if nobody asked. */
export interface FailedRequest extends Partial<Request> {
  /** The command, for buttons that run it again. */
  readonly command?: Command | undefined;
  /** Whether that command takes these words; only then they are offered. */
  readonly acceptsWords?: ((text: string) => boolean) | undefined;
  /** The channel that it is about, for a manager who is asked to run it. No rights follow from it. */
  readonly place?: SlackId | undefined;
  /** Whether something of it was saved before it failed. */
  readonly hasSaved?: boolean;
}

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

const REQUEST_REASONS = ['manager', 'member', 'owner', 'channel', 'guest', 'issuer', 'setup'] as const;
export type RequestReason = (typeof REQUEST_REASONS)[number];

/** Asks the managers to run this command, or to allow it once. Managers and external people can't ask. */
export function askManagerButton(
  reason: RequestReason,
  link: Command | undefined,
  { channel, place = channel, user }: FailedRequest,
): Button[] {
  const { canManage = false, role } = user ?? {};
  // Below a form or a schedule, the text about what is missing has no certain reader.
  if (reason === 'setup' && user === undefined) return [];
  if (link === undefined || canManage || role === 'external') return [];
  const value = [reason, place ?? '-', commandLine(link)].join(' ');
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
    : { todo: others, ...(link && { buttons: askManagerButton('setup', link, request) }) };

/** What `askManagerButton` carries, all of it outside text. @returns undefined without a reason of Tally's */
export function parseAskManager(value: string) {
  const [first, place = '', ...words] = value.split(' ');
  const reason = REQUEST_REASONS.find((known) => known === first);
  const channel = /^[A-Z][A-Z0-9]{1,30}$/.test(place) ? place : undefined;
  return reason && { reason, channel, ...parseCommand(words.join(' ')) };
}

/** `Try again in 4 seconds.`, rounded up. @param wait in ms */
export function tryAgainIn(wait: Millis, request: FailedRequest): ErrorDescription {
  const [seconds, minutes] = [Math.ceil(wait / 1_000), Math.ceil(wait / MINUTE)];
  if (wait <= 0) return tryAgain('You can try again now.', request);
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [minutes, 'minute'];
  return tryAgain(`Try again in ${count === 1 ? `a ${unit}` : `${count} ${unit}s`}.`, request);
}
