/** Questions in free words. Every word must have a meaning here or in the grammar of commands. */

import { isFailure } from '../failure/index.ts';
import { parseBalanceText, parseCommandText } from './command-text.ts';
import { holdsUnknownWord } from './parse.ts';
import { COMMAND_WORDS, isQuestionName, PHRASES, type QuestionName } from './question-phrases.ts';
import { ALL, type QuestionWords, readQuestionWords } from './question-words.ts';
import { nearestWord } from './text.ts';
import type { Aliases } from './tokenizer.ts';

export interface QuestionCommand {
  readonly command: QuestionName;
  /** What follows the command. */
  readonly text: string;
}

export type Question =
  /** The command that the question means exactly. */
  | ({ readonly kind: 'command' } & QuestionCommand)
  /** The commands that it comes nearest to, the likeliest first. At least one. */
  | { readonly kind: 'offered'; readonly commands: readonly QuestionCommand[] };

/** Stands for a project in the grammar when a question names all of them. */
const ANY_PROJECT = '1';

/**
 * Reads a question such as `how much did prod spend last week?`.
 * @param aliases names of projects, in lower case
 * @returns undefined when no word names a project or something that Tally can be asked
 * @throws SecretPasted
 */
export function parseQuestion(text: string, aliases: Aliases): Question | undefined {
  const words = readQuestionWords(text, aliases);
  const [command, other] = words.commands;
  const exact =
    command !== undefined && other === undefined && words.isClear
      ? tryText(command, words.projects, words.rest, aliases).exact
      : undefined;
  if (command !== undefined && exact !== undefined) return { kind: 'command', command, text: exact };
  const commands = nearestCommands(words, aliases);
  return commands.length === 0 ? undefined : { kind: 'offered', commands };
}

interface TriedText {
  /** The command's text, which the grammar reads. */
  readonly exact?: string;
  /** The corrected question. */
  readonly corrected?: string;
}

/** Each project of a list must go with the other words. @throws SecretPasted */
function tryText(
  command: QuestionName,
  projects: readonly string[],
  rest: readonly string[],
  aliases: Aliases,
): TriedText {
  const parse = command === 'spend' ? parseCommandText : parseBalanceText;
  const list = projects.join(',');
  const whole = (first: string, others: string) => (first === '' ? others : `${first} ${others}`.trim());
  const named = projects.length === 0 ? [''] : projects.map((one) => (one === ALL ? ANY_PROJECT : one));
  for (const project of named) {
    try {
      if (parse(whole(project, rest.join(' ')), aliases).help) return {};
    } catch (error) {
      if (!isFailure(error) || error.kind !== 'invalid-word') throw error;
      const { suggestion } = error;
      // An unmarked list would take any number for a project: “prod spend 500”.
      return suggestion === undefined ||
        suggestion === 'help' ||
        suggestion.includes(',') ||
        !suggestion.startsWith(project)
        ? {}
        : { corrected: whole(list, suggestion.slice(project.length).trim()) };
    }
  }
  return { exact: whole(list, rest.join(' ')) };
}

/** Of a question that cannot be read exactly: the command that its words name, or both, with what of it can be read. */
function nearestCommands(words: QuestionWords, aliases: Aliases): readonly QuestionCommand[] {
  const { projects, rest } = words;
  const misspelt = rest
    .filter((word) => word.length > 3 && holdsUnknownWord(word, aliases))
    .map((word) => nearestWord(word, COMMAND_WORDS))
    .flatMap((word) => PHRASES.get(word ?? '') ?? []);
  const named = words.commands.length > 0 ? words.commands : misspelt.filter(isQuestionName);
  if (named.length === 0 && projects.length === 0 && !rest.some((word) => aliases.has(word))) return [];
  const commands = named.length > 0 ? new Set(named) : (['balance', 'spend'] as const);
  return [...commands].flatMap((command) => {
    const text = nearestText(command, words, aliases);
    return text === undefined ? [] : [{ command, text }];
  });
}

/** As much of the question as the grammar accepts: all of it, corrected; its known words; or only its projects. */
function nearestText(
  command: QuestionName,
  { projects, rest }: QuestionWords,
  aliases: Aliases,
): string | undefined {
  const typed = [...new Set(rest.filter((word) => aliases.has(word)))];
  const isList = projects.length > 0 || typed.length > 1;
  const list = isList ? [...new Set(projects[0] === ALL ? projects : [...projects, ...typed])] : [];
  const others = isList ? rest.filter((word) => !aliases.has(word)) : rest;
  const known = others.filter((word) => word !== 'help' && !holdsUnknownWord(word, aliases));
  for (const words of [others, known, isList ? [] : typed]) {
    const { exact, corrected = exact } = tryText(command, list, words, aliases);
    if (corrected !== undefined) return corrected;
  }
  return undefined;
}
