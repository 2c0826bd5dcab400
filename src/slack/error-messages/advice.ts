/** What to do about a failure, and about a word that a command can't use. */
import type { Button } from '@slack/types';
import * as z from 'zod';
import type { SlashCommand } from '../../domain/command-names.ts';
import {
  type DataOf,
  type FailureKind,
  type InvalidWord,
  UNKNOWN_COMMAND,
  UNRECOGNIZED,
} from '../../domain/failure/index.ts';
import { parseCommandText } from '../../domain/language/read-command.ts';
import { couldBeName } from '../../domain/language/typed-text.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { readerIn } from '../../workspace/record/workspace.ts';
import { type Block, button, SLACK_LIMITS } from '../block-kit/blocks.ts';
import { type Command, commandButton, commandButtons, commandLine } from '../commands/command-buttons.ts';
import { ALL_COMMANDS } from '../commands/help.ts';
import { canSuggest, projectPicker, projectSelect } from '../commands/project-picker.ts';
import { privateScope, type Request } from '../request/request.ts';

/** What to do about a failure, after the sentence that says what happened. */
export interface Advice {
  /** Says what happened; replaces the failure's own message. */
  readonly sentence?: string;
  /** What to do next; absent when the sentence or the buttons say it all. */
  readonly todo?: string;
  /** What a manager reads in its place. */
  readonly managerTodo?: string;
  /** To run the same command again. Where no button can, this is said. */
  readonly again?: '' | 'Try again.';
  /** What everybody presses, and a manager besides. */
  readonly buttons?: readonly Button[];
  readonly managerButtons?: readonly Button[];
  /** What others may ask a manager to run; `what was asked` is the failed command or click itself. */
  readonly ask?: Command | 'what was asked' | undefined;
  /** Slack IDs of the people that the sentence is about, named at its end. */
  readonly people?: readonly SlackId[];
  /** Outside text, shown as a quotation. */
  readonly quotes?: readonly string[];
  /** Whether it is for Tally's operator to find out why, if it keeps happening. */
  readonly isOurs?: boolean;
  /** Blocks to choose from. */
  readonly choices?: readonly Block[];
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
export const tryAgain = (todo = ''): Advice => ({ todo, again: 'Try again.' });

/** `Try again in 4 seconds.`, rounded up. @param wait in ms */
export function tryAgainIn(wait: Millis): Advice {
  const [seconds, minutes] = [Math.ceil(wait / 1_000), Math.ceil(wait / MINUTE)];
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [minutes, 'minute'];
  const when = `Try again in ${count === 1 ? `a ${unit}` : `${count} ${unit}s`}.`;
  return { todo: wait <= 0 ? 'You can try again now.' : when, again: '' };
}

/** The buttons that this person may press. */
export function buttonsOf(
  { again, buttons = [], managerButtons = [], ask }: Advice,
  request: FailedRequest,
): Button[] {
  const { command, click } = request;
  const retry = again === undefined ? [] : retryButton(command);
  if (canManage(request)) return [...buttons, ...retry, ...managerButtons];
  // A form has no command that could be run again: the manager is asked to open it.
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

/** The corrected commands as buttons, or the projects to choose from where the word may have meant one. */
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

const ASKS: ReadonlySet<SlashCommand> = new Set(['/spend', '/balance', '/os-token']);

/** The command without the word, for one of the projects; nothing where the rest names one. */
function pickerInstead({ word, fact }: InvalidWord, { command, text }: Command, request: Request): Advice {
  const at = text.toLowerCase().indexOf(word.toLowerCase());
  // A word that may be a secret is not in the failure, and so not found.
  if (at < 0 || !ASKS.has(command) || !couldBeName(word)) return {};
  const rest = `${text.slice(0, at)}${text.slice(at + word.length)}`.replace(/\s+/g, ' ').trim();
  const parsed = tryParse(() => parseCommandText(rest, readerIn(request.workspace, request.at)));
  if (parsed === undefined || parsed.project || parsed.alias || parsed.several) return {};
  return { sentence: `${fact} Which project?`, choices: projectPicker({ command, text: rest }, request) };
}
