/** What is offered in place of a word that a command can't use. */
import type { SlashCommand } from '../../domain/command-names.ts';
import { type InvalidWord, UNKNOWN_COMMAND, UNRECOGNIZED } from '../../domain/failure/index.ts';
import { couldBeName } from '../../domain/language/correct-text.ts';
import { parseCommandText } from '../../domain/language/read-command.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { readerIn } from '../../workspace/record/workspace.ts';
import { type Command, commandButtons } from '../commands/command-buttons.ts';
import { ALL_COMMANDS } from '../commands/help.ts';
import { canSuggest, projectPicker, projectSelect } from '../commands/project-picker.ts';
import { privateScope, type Request } from '../request/request.ts';
import { type Advice, type FailedRequest, isAuthorized } from './description.ts';

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
  if (why === UNKNOWN_COMMAND && buttons.length === 0) return { fix: { buttons: ALL_COMMANDS } };
  if (command !== undefined && isAuthorized(request)) {
    if (projectFor !== undefined)
      return { fix: { buttons }, choices: projectSelect(command.command, projectFor, request) };
    if (why === UNRECOGNIZED && buttons.length === 0) return pickerInstead(failure, command, request);
  }
  const isGuess = (why === UNRECOGNIZED || why === UNKNOWN_COMMAND) && buttons.length > 0;
  return { fix: { buttons }, ...(isGuess && { sentence: `${fact} Did you mean this?` }) };
}

const ASKS: ReadonlySet<SlashCommand> = new Set(['/spend', '/balance', '/os-token']);

/** The command without the word, for one of the projects; nothing where the rest names one. */
function pickerInstead({ word, fact }: InvalidWord, { command, text }: Command, request: Request): Advice {
  const rest = textWithout(text, word);
  if (!ASKS.has(command) || rest === undefined || !couldBeName(word)) return {};
  const parsed = tryParse(() => parseCommandText(rest, readerIn(request.workspace, request.at)));
  const { project, alias, several } = parsed ?? {};
  if (parsed === undefined || [project, alias, several].some((named) => named !== undefined)) return {};
  return { sentence: `${fact} Which project?`, choices: projectPicker({ command, text: rest }, request) };
}

/** @returns undefined when the text doesn't have the word, which may be withheld */
function textWithout(text: string, word: string): string | undefined {
  const at = text.toLowerCase().indexOf(word.toLowerCase());
  if (at < 0) return undefined;
  const rest = `${text.slice(0, at)}${text.slice(at + word.length)}`;
  return rest
    .replace(/,(?=\s*,)/g, '')
    .replace(/^[\s,]+|[\s,]+$/g, '')
    .replace(/\s+/g, ' ');
}
