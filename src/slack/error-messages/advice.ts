/** What a person can do next after a failure, or after a word that a command can't use. */
import type { Button } from '@slack/types';
import * as z from 'zod';
import { ASKS_ABOUT } from '../../domain/command-names.ts';
import {
  type DataOf,
  type FailureKind,
  type InvalidWord,
  UNKNOWN_COMMAND,
  UNRECOGNIZED,
} from '../../domain/failure/index.ts';
import { parseCommandText } from '../../domain/language/parse-command-text.ts';
import { couldBeName } from '../../domain/language/text-cleanup.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { parseContextOf } from '../../workspace/record/workspace.ts';
import { type Block, button, SLACK_LIMITS } from '../block-kit/blocks.ts';
import { type Command, commandButton, commandButtons, commandLine } from '../commands/command-buttons.ts';
import { ALL_COMMANDS } from '../commands/help.ts';
import { canSuggest, projectPicker, projectSelect } from '../commands/project-picker.ts';
import { privateScope, type Request } from '../request/request.ts';

export interface Advice {
  readonly sentence?: string;
  /** Mrkdwn that a message shows instead of `sentence` and `todo`. */
  readonly lead?: string | undefined;
  readonly todo?: string;
  readonly managerTodo?: string;
  /** Set if trying again can help. People read this text if the reply has no **Try again** button. */
  readonly again?: '' | 'Try again.';
  readonly buttons?: readonly Button[];
  readonly managerButtons?: readonly Button[];
  /** The command that **Ask a manager** passes on. */
  readonly ask?: Command | 'what was asked' | undefined;
  readonly people?: readonly SlackId[];
  readonly quotes?: readonly string[];
  /** Whether to show the reference by which the operator finds the error in the log. */
  readonly isOurs?: boolean;
  readonly choices?: readonly Block[];
}

export type AdviceTable = {
  readonly [K in Exclude<FailureKind, 'invalid-word'>]:
    | Advice
    | ((data: DataOf<K>, request: FailedRequest) => Advice);
};

export interface FailedRequest extends Partial<Request> {
  readonly command?: Command | undefined;
  /** Set if the user clicked a button that opens a form, but not a button inside a form. */
  readonly click?: AskedManager['click'];
  /** The channels in which the person can ask about the project. */
  readonly channels?: readonly SlackId[];
  /** Whether the command accepts a corrected text. Tally then offers the text as a button. */
  readonly acceptsWords?: ((text: string) => boolean) | undefined;
  /** The channel where the person asked, and where a manager runs the command. It grants no rights. */
  readonly place?: SlackId | undefined;
}

/** The value of an **Ask a manager** button, which is untrusted when Slack sends it back. */
export const askedManagerSchema = z.object({
  place: z
    .string()
    .regex(/^[A-Z][A-Z0-9]{1,30}$/)
    .optional(),
  line: z.string().optional(),
  click: z.object({ id: z.string(), value: z.string(), label: z.string() }).optional(),
});
export type AskedManager = Readonly<z.infer<typeof askedManagerSchema>>;

/** Whether Tally knew the user's rights before the failure. */
export const isAuthorized = (request: FailedRequest): request is FailedRequest & Request =>
  request.user !== undefined;

export const canManage = ({ user }: FailedRequest): boolean => user?.canManage === true;

export const retryButton = (command?: Command): Button[] =>
  command === undefined ? [] : commandButton('again', 'Try again', command);

export const tryAgain = (todo = ''): Advice => ({ todo, again: 'Try again.' });

/** `Try again in 4 seconds.` @param wait rounded up to whole seconds or minutes */
export function tryAgainIn(wait: Millis): Advice {
  const [seconds, minutes] = [Math.ceil(wait / 1_000), Math.ceil(wait / MINUTE)];
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [minutes, 'minute'];
  const when = `Try again in ${count === 1 ? `a ${unit}` : `${count} ${unit}s`}.`;
  return { todo: wait <= 0 ? 'You can try again now.' : when, again: '' };
}

export function buttonsOf(
  { again, buttons = [], managerButtons = [], ask }: Advice,
  request: FailedRequest,
): Button[] {
  const { command, click } = request;
  const retry = again === undefined ? [] : retryButton(command);
  if (canManage(request)) return [...buttons, ...retry, ...managerButtons];
  // A button that opens a form has no command to run, so the manager gets the button itself.
  const isForm = ask === 'what was asked' && click !== undefined;
  if (isForm) return [...buttons, ...retry, ...askButton({ click }, request)];
  const asked = ask === 'what was asked' ? command : isAuthorized(request) ? ask : undefined;
  return [...buttons, ...retry, ...askManagerButton(asked, request)];
}

/** Managers and external people don't get the button. */
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

/** Offers corrected commands as buttons, or a menu of projects if the word may have been a project. */
export function adviseOnWord(failure: InvalidWord, request: FailedRequest): Advice {
  const { command, acceptsWords = () => true } = request;
  const { fact, why, projectFor } = failure;
  const mayOffer = (text: string) =>
    acceptsWords(text) &&
    (!isAuthorized(request) || canSuggest(text, { ...privateScope(request), workspace: request.workspace }));
  const reruns =
    command === undefined ? [] : failure.offered.filter(mayOffer).map((text) => ({ ...command, text }));
  const buttons = commandButtons('suggestion', reruns);
  if (why === UNKNOWN_COMMAND && buttons.length === 0) return { buttons: ALL_COMMANDS };
  if (command !== undefined && isAuthorized(request)) {
    if (projectFor !== undefined)
      return { buttons, choices: projectSelect(command.command, projectFor, request) };
    if (why === UNRECOGNIZED && buttons.length === 0) return pickerInstead(failure, command, request);
  }
  const isGuess = (why === UNRECOGNIZED || why === UNKNOWN_COMMAND) && buttons.length > 0;
  return { buttons, ...(isGuess && { sentence: `${fact} Did you mean this?` }) };
}

function pickerInstead({ word, fact }: InvalidWord, { command, text }: Command, request: Request): Advice {
  const at = text.toLowerCase().indexOf(word.toLowerCase());
  // If the word may be a secret, the failure has a placeholder instead, which the text doesn't contain.
  if (at < 0 || ASKS_ABOUT[command] === 'anything' || !couldBeName(word)) return {};
  const rest = `${text.slice(0, at)}${text.slice(at + word.length)}`.replace(/\s+/g, ' ').trim();
  const parsed = tryParse(() => parseCommandText(rest, parseContextOf(request.workspace, request.at)));
  if (parsed === undefined || parsed.project || parsed.alias || parsed.several) return {};
  return { sentence: `${fact} Which project?`, choices: projectPicker({ command, text: rest }, request) };
}
