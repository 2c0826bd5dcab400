/** Reads what a follow-up says: by the grammar of commands, alone and beside the projects of the answer. */
import type { SlashCommand } from '../../command-names.ts';
import { catchInvalidWord, InvalidWord } from '../../failure/index.ts';
import { tryParse } from '../../try-parse.ts';
import { NAMES_ALL } from './follow-up-text.ts';
import { type Output, parseWithOutput } from './legacy/parse-argument.ts';
import { parseCommandText } from './legacy/parse-command.ts';
import { formatParsedCommand, type ParsedCommand } from './legacy/parsed-command.ts';
import type { Aliases } from './legacy/tokenizer.ts';
import type { Question } from './parse-question.ts';
import { parseQuestionParts } from './question-commands.ts';

/** The parts that a follow-up names itself, before the answer's are added. */
export interface Reading {
  readonly command?: SlashCommand | undefined;
  readonly words: Partial<ParsedCommand>;
  readonly output?: Output | undefined;
  /** Whether it adds today to the days of the answer, or leaves it out of them. */
  readonly includesToday?: boolean;
  /** Whether it asks what there is, which may be another question. */
  readonly isVague?: boolean;
}

export const isAboutList = (base: Answered | undefined): boolean => Array.isArray(base?.words.several);

export interface Answered {
  readonly command: SlashCommand;
  readonly words: ParsedCommand;
  readonly output: Output | undefined;
}

/** @returns undefined for words that commands refuse @throws SecretPasted */
export const parseWords = (text: string, aliases: Aliases) =>
  tryParse(() => parseWithOutput(text, aliases, parseCommandText), InvalidWord);

export const namesProjects = ({ project, alias, several, top }: Partial<ParsedCommand>): boolean =>
  (project ?? alias ?? several ?? top) !== undefined;

/** `prod,staging`, or `all` for the first of all. */
export const projectText = ({ project, alias, several }: Partial<ParsedCommand>): string =>
  formatParsedCommand({ project, alias, several });

/**
 * Reads the words alone, and beside the projects of the answer: there a number is a day, a year or a product, where alone
 * it would be a project.
 *
 * @returns undefined if it says nothing
 * @throws SecretPasted
 */
export function parseReadings(
  text: string,
  question: Question | undefined,
  base: Answered | undefined,
  aliases: Aliases,
): readonly Reading[] | InvalidWord | undefined {
  const projects = base === undefined ? '' : projectText(base.words);
  const parts = parseQuestionParts(text, aliases, base?.command === '/balance');
  const { commands, change, unplaced, isVague, repeats } = parts;
  if (change !== undefined) return base && change;
  if (question?.kind !== 'command' && unplaced !== undefined)
    return question?.kind === 'refused' ? question.refusal : undefined;
  // A question that is only offered by itself is only offered here: “who spent the most?”, “and the forcast?”, “from last week”
  const { phrase, versus } = parseWords(parts.text, aliases)?.words ?? {};
  // “Cheaper than september?” compares the days of the answer.
  const isSide = versus !== undefined && phrase === undefined;
  const offered = question?.kind === 'offered' && !isSide ? question.commands : [];
  const readings = offered.flatMap(({ command, text: meant }): readonly Reading[] => {
    const parsed = parseWords(meant, aliases);
    return parsed === undefined ? [] : [{ command, isVague: true, ...parsed }];
  });
  const areDays =
    readings.length > 1 && readings.every((said) => said.command === '/spend' && !namesProjects(said.words));
  if (offered.length > 0 && (commands.length > 0 || areDays)) return readings;
  const whole = question?.kind === 'command' && !isVague ? question : undefined;
  const [command, other] = whole === undefined ? commands : [whole.command];
  if (other !== undefined || (question?.kind === 'refused' && commands.length > 0))
    return question?.kind === 'refused' ? question.refusal : undefined;
  const typed = whole?.text ?? parts.text;
  if (typed === '' && command === undefined)
    return repeats.slice(0, isAboutList(base) ? 1 : 2).map((words) => ({ words }));
  const [, end] = /^(incl|excl|without)(?:ude|uding)? today$/.exec(typed) ?? [];
  if (end !== undefined) return [{ command, words: {}, includesToday: end === 'incl' }];
  const alone = catchInvalidWord(() => parseWithOutput(typed, aliases, parseCommandText));
  const beside = projects === '' ? undefined : parseWords(`${projects} ${typed}`, aliases);
  const { help: _, ...besideWords } = beside?.words ?? { help: false };
  const { project: _id, alias: _alias, several, top, ...others }: Partial<ParsedCommand> = besideWords;
  const isSame = projectText(besideWords) === projects;
  const words = isSame ? { ...others, ...(top !== undefined && { top, several }) } : besideWords;
  const joint: Reading | undefined = beside && { command, isVague, words, output: beside.output };
  if (alone instanceof InvalidWord) return joint === undefined ? alone : [joint];
  if (alone.words.help) return undefined;
  if (command === undefined && formatParsedCommand(alone.words, alone.output) === '') return undefined;
  const single: Reading = { command, isVague, ...alone };
  const { several: all, ...rest } = alone.words;
  if (all === 'all' && rest.top === undefined && isAboutList(base) && !NAMES_ALL.test(text)) {
    // “Which one cost most?” and “which runs out first?” are about these projects, “which project” may be about all.
    const ofList = { ...single, words: rest };
    return /\bprojects?\b/.test(text) ? [ofList, single] : [ofList];
  }
  if (joint === undefined) return [single];
  return alone.words.project === undefined ? [namesProjects(alone.words) ? single : joint] : [joint, single];
}
