/** Questions in free words. Every word must have a meaning here or in the grammar of commands. */

import { commandText } from '../../commands.ts';
import { InvalidWord, isFailure, UNRECOGNIZED } from '../../failure/index.ts';
import { parseBalanceText, parseCommandText } from '../command-text.ts';
import { nearestWord } from '../nearest-word.ts';
import { holdsUnknownWord } from '../parse.ts';
import { couldBeSecret } from '../secret-detection.ts';
import { clipWord, normalizeText } from '../text.ts';
import type { Aliases } from '../tokenizer.ts';
import {
  COMMAND_WORDS,
  isQuestionName,
  PHRASES,
  type QuestionName,
  readQuestionWords,
} from './question-words.ts';

export interface QuestionCommand {
  readonly command: QuestionName;
  /** What follows the command. */
  readonly text: string;
}

export type Question =
  /** The command that the question means exactly. */
  | ({ readonly kind: 'command' } & QuestionCommand)
  /** Commands that it may mean, the likeliest first. At least one, and each keeps every word. */
  | {
      readonly kind: 'offered';
      readonly commands: readonly QuestionCommand[];
      readonly refusal?: InvalidWord;
    }
  /** No command keeps every word. */
  | { readonly kind: 'refused'; readonly refusal: InvalidWord };

const EXAMPLE = `Type a command, such as ${commandText('/spend')} prod last-month.`;
const EITHER: readonly QuestionName[] = ['balance', 'spend'];

/**
 * Reads a question such as `how much did prod spend last week?`.
 * @param aliases names of projects, in lower case
 * @returns undefined when no word names a project or something that Tally can be asked
 * @throws SecretPasted
 */
export function parseQuestion(text: string, aliases: Aliases): Question | undefined {
  const question = readQuestion(text, aliases);
  // Its words are read in lower case, which hides the form of a token.
  const mayHoldSecret = text
    .split(/\s+/)
    .some((word) => couldBeSecret(word) && !aliases.has(normalizeText(word)));
  return question !== undefined && 'refusal' in question && mayHoldSecret
    ? { kind: 'refused', refusal: question.refusal.withheld() }
    : question;
}

function readQuestion(text: string, aliases: Aliases): Question | undefined {
  const { commands, projects, rest, unclear } = readQuestionWords(text, aliases);
  const [named, other] = commands;
  if (other !== undefined) return refused(other, `and “${named}” are two questions`, 'Ask one at a time.');
  if (unclear !== undefined) return refused(unclear, 'could mean two things here', EXAMPLE);
  const misspelt = named === undefined ? misspeltCommand(rest, aliases) : undefined;
  const others = rest.filter((word) => word !== misspelt?.word);
  const typed = [projects.join(','), ...others].filter(Boolean).join(' ');
  const command = named ?? misspelt?.command;
  if (command === undefined && typed === '') return undefined;
  const isName = (word: string) => aliases.has(word) || projects.includes(word);
  const readings = (command === undefined ? EITHER : [command]).map((name) =>
    tryText(name, typed, aliases, isName),
  );
  const [refusal] = readings.flatMap((reading) => reading.refusal ?? []).slice(-1);
  if (named !== undefined && refusal === undefined) return { kind: 'command', command: named, text: typed };
  const offered = readings.flatMap((reading) => reading.offered);
  const doubt = misspelt?.refusal ?? readings.at(-1)?.refusal;
  if (offered.length > 0) return { kind: 'offered', commands: offered, ...(doubt && { refusal: doubt }) };
  const isAsked = command !== undefined || rest.some(isName) || projects.length > 0;
  return refusal !== undefined && isAsked ? { kind: 'refused', refusal } : undefined;
}

const refused = (word: string, why: string, works: string): Question => ({
  kind: 'refused',
  refusal: new InvalidWord(clipWord(word), why, works),
});

/** The word that names a command, mistyped. */
function misspeltCommand(rest: readonly string[], aliases: Aliases) {
  for (const word of rest.filter((candidate) => holdsUnknownWord(candidate, aliases))) {
    const command = PHRASES.get(nearestWord(word, COMMAND_WORDS) ?? '');
    if (command !== undefined && isQuestionName(command))
      return { word, command, refusal: new InvalidWord(clipWord(word), UNRECOGNIZED, EXAMPLE) };
  }
  return undefined;
}

interface Reading {
  /** The command as it is, or corrected. */
  readonly offered: readonly QuestionCommand[];
  /** Why the grammar does not take it as it is. */
  readonly refusal?: InvalidWord;
}

/** @throws SecretPasted */
function tryText(
  command: QuestionName,
  text: string,
  aliases: Aliases,
  isName: (word: string) => boolean,
): Reading {
  const parse = command === 'spend' ? parseCommandText : parseBalanceText;
  try {
    if (parse(text, aliases).help)
      return { offered: [], refusal: new InvalidWord('help', 'goes without other words', EXAMPLE) };
    return { offered: [{ command, text }] };
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'invalid-word') throw error;
    // A list that nobody marked would take any number for a project: “prod spend 500”.
    const isMarked = (text: string) =>
      text.split(' ').every((word) => !word.includes(',') || word.split(',').every(isName));
    const texts = error.offered.filter((text) => isMarked(text) && !text.split(' ').includes('help'));
    return { offered: texts.map((text) => ({ command, text })), refusal: error };
  }
}
