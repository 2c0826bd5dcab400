import type { Button } from '@slack/types';
import type { Failure, FailureOf } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { type CommandInvocation, commandButton } from '../commands/command-buttons.ts';
import { type Block, button } from '../kit/atoms.ts';
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
  /** Blocks to choose from. */
  readonly choices?: readonly Block[];
}

/** What is said about each of these kinds: the compiler refuses a kind without a description. */
export type Descriptions<F extends Failure> = {
  readonly [K in F['kind']]: (failure: FailureOf<K>, context: ErrorContext) => ErrorDescription;
};

/** What a reply can offer, as far as it is known. */
export interface ErrorContext {
  /** The command that failed, for buttons that run it again. */
  readonly invocation?: CommandInvocation | undefined;
  /** Whether that command takes these words; only then they are offered. */
  readonly canRead?: ((text: string) => boolean) | undefined;
  /** Whether that command opens a form, so that its buttons work in a modal too. */
  readonly opensForm?: boolean | undefined;
  /** Decides which buttons and projects to offer; undefined before the rights were checked. */
  readonly requester?: Request | undefined;
  /** The log's ID of this error. */
  readonly reference?: string | undefined;
  /** It ends a step of a workflow, where nobody can be asked and nothing pressed. */
  readonly isStep?: boolean | undefined;
  /** Whether nothing can have been changed, as by a question. */
  readonly isUnchanged?: boolean | undefined;
}

export const canManage = ({ requester }: ErrorContext): boolean => requester?.user.canManage === true;

export const CONNECT = button('connect', 'Connect…', { style: 'primary' });
export const REPLACE_TOKEN = button('connect', 'Replace token…', { style: 'primary' });

export const retryButton = (invocation?: CommandInvocation): Button[] =>
  invocation === undefined ? [] : commandButton('again', 'Try again', invocation);

export const tryAgain = (todo: string, { invocation }: ErrorContext): ErrorDescription => ({
  todo,
  buttons: retryButton(invocation),
});

/** @param wait in ms */
export const tryAgainIn = (wait: Millis, context: ErrorContext): ErrorDescription =>
  tryAgain(wait <= 0 ? 'You can try again now.' : `Try again in ${formatWait(wait)}.`, context);

/** `a second`, `4 seconds`, `2 minutes`; rounded up. */
function formatWait(ms: Millis): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds <= 1) return 'a second';
  if (seconds < 60) return `${seconds} seconds`;
  const minutes = Math.ceil(ms / MINUTE);
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}
