/** Questions in free words. Every word must have a meaning here or in the grammar of commands. */

import { catchInvalidWord, InvalidWord, UNRECOGNIZED } from '../../failure/index.ts';
import type { Day } from '../../time/calendar.ts';
import { couldBeSecret } from '../secret-detection.ts';
import { clipWord, normalizeText } from '../text.ts';
import { parseQuestionWords, type QuestionWords } from './extract-phrases.ts';
import { joinAliasWords } from './legacy/normalize-project-names.ts';
import type { Aliases } from './legacy/tokenizer.ts';
import { firstSaid, type PhraseRole, ROLE_RULES } from './phrases.ts';
import { commandsOf, type QuestionCommand } from './question-commands.ts';
import { interpretQuestion, isEmpty, type QuestionReading, refuseUnplaced } from './question-reading.ts';

/** Commands that a text may mean, the likeliest first. At least one, and each keeps every word. */
export interface SuggestedCommands {
  readonly kind: 'offered';
  readonly commands: readonly QuestionCommand[];
  readonly refusal?: InvalidWord;
}

/** No command has a place for every word, so none is offered. */
export interface RefusedQuestion {
  readonly kind: 'refused';
  readonly refusal: InvalidWord;
}

export type Question =
  /** The command that the question means exactly. */
  | ({ readonly kind: 'command' } & QuestionCommand)
  /** The same without a project, such as for `it` or `that`, which only an earlier answer explains. `refusal` is of a word that no project is named. */
  | ({ readonly kind: 'which-project'; readonly refusal?: InvalidWord } & QuestionCommand)
  | SuggestedCommands
  | RefusedQuestion
  | { readonly kind: 'thanks' };

/** Buttons below a refusal. */
export const MOST_OFFERED = 3;

/**
 * Reads a question such as `how much did prod spend last week?`.
 * @param aliases names of projects, in lower case
 * @param today where it is known, a running month may be named: `what will prod cost in november?`
 * @returns undefined when no word names a project or something that Tally can be asked
 * @throws SecretPasted
 */
export function parseQuestion(text: string, aliases: Aliases, today?: Day): Question | undefined {
  const plain = interpret(text, aliases, today);
  const joined = joinAliasWords(text, aliases).map((other) => interpret(other, aliases, today) ?? plain);
  return withholdSecrets(oneOf([plain, ...joined]), text, aliases);
}

/** Merges what was read with names as one word and as several: what means a command, else each as a reading. */
function oneOf(questions: readonly (Question | undefined)[]): Question | undefined {
  const exact = questions.filter((question) => question?.kind === 'command');
  // If the words are refused, the same name written as one word is offered.
  const isExact = ({ command, text }: QuestionCommand): boolean =>
    exact.some((other) => other.command === command && other.text === text);
  const offered = questions.filter(
    (question) => question?.kind === 'offered' && !question.commands.every(isExact),
  ) as readonly SuggestedCommands[];
  const meant = [...exact, ...offered];
  const [only = questions.at(-1), ...others] = meant;
  if (others.length === 0) return only;
  const commands = meant.flatMap((question) =>
    question.kind === 'offered' ? question.commands : [question],
  );
  return {
    kind: 'offered',
    commands: commands.slice(0, MOST_OFFERED).map(({ command, text }) => ({ command, text })),
  };
}

/** A refusal that quotes no word where one may be a secret: words are read in lower case, which hides the form of a token. */
export function withholdSecrets<T extends object>(
  reading: T | undefined,
  text: string,
  aliases: Aliases,
): T | RefusedQuestion | undefined {
  const refusal = reading !== undefined && 'refusal' in reading && reading.refusal;
  if (!(refusal instanceof InvalidWord)) return reading;
  const mayHoldSecret = [...new Set(text.split(/\s+/))].some(
    (word) => couldBeSecret(word) && !aliases.has(normalizeText(word)),
  );
  return mayHoldSecret ? { kind: 'refused', refusal: refusal.withheld() } : reading;
}

function interpret(text: string, aliases: Aliases, today: Day | undefined): Question | undefined {
  const question = parseQuestionWords(text, aliases);
  const { said, rest, doubt } = question;
  if (isEmpty(rest) && !hasContent(said)) return said.has('thanks') ? { kind: 'thanks' } : undefined;
  const refused = (word: InvalidWord | undefined): Question | undefined =>
    word && isAsked(question, word, aliases) ? { kind: 'refused', refusal: word } : undefined;
  const parsed = catchInvalidWord(() => interpretQuestion(question, aliases));
  if (parsed instanceof InvalidWord) return refused(parsed);
  const { readings, refusal, isUnknownName } = parsed;
  const [reading] = readings;
  if (reading === undefined) return undefined;
  const { subject, words, refersBack } = reading;
  if (subject === undefined && (isEmpty(rest) || (said.has('thanks') && !isBare(reading)))) return undefined;
  const made = readings.flatMap((each) => commandsOf(each, today));
  const commands = made.filter((each) => 'command' in each);
  const [only, ...others] = commands;
  if (only === undefined) return refused(refusal ?? made.find((each) => each instanceof InvalidWord));
  const isExact = (refusal === undefined || isUnknownName) && doubt === undefined && others.length === 0;
  const isSpend =
    words.versus !== undefined ||
    (words.phrase !== undefined && firstSaid(said, 'total', 'compare', 'joint', 'numbers') !== undefined);
  if (isExact && (subject !== undefined || isSpend || isBare(reading)) && !only.isGuess) {
    if (refusal) return { kind: 'which-project', ...only.command, refusal };
    const isOpen = refersBack && only.command.command !== '/billing';
    return { kind: isOpen ? 'which-project' : 'command', ...only.command };
  }
  if (isUnknownName && refusal) return { kind: 'refused', refusal };
  const misspelt = doubt === undefined ? refusal : refuseUnplaced(clipWord(doubt), UNRECOGNIZED);
  return {
    kind: 'offered',
    commands: commands.slice(0, MOST_OFFERED).map(({ command }) => command),
    ...(misspelt && { refusal: misspelt }),
  };
}

/** Roles of phrases that ask nothing by themselves. */
const ADDS_NOTHING: ReadonlySet<PhraseRole> = new Set<PhraseRole>([
  ...(['filler', 'is', 'what', 'amount', 'request', 'polite', 'article', 'thanks'] as const),
  ...(['past', 'have', 'now', 'future', 'reference', 'quantity'] as const),
]);

const hasContent = (said: QuestionWords['said']): boolean =>
  [...said.keys()].some((role) => !ADDS_NOTHING.has(role));

/** Whether the words name a project, or something that Tally can be asked. */
const isAsked = ({ said, rest }: QuestionWords, { word }: InvalidWord, aliases: Aliases): boolean =>
  /\d/.test(word) ||
  said.has('noun') ||
  [...said.keys()].some((role) => 'about' in ROLE_RULES[role] || role === 'why') ||
  rest.split(/[ ,]/).some((name) => aliases.has(name.toLowerCase()) || name === 'all');

/** Nothing but names, a period, and polite words: `prod last month, please`. Only `/spend` takes periods. */
const isBare = ({ said, words }: QuestionReading): boolean =>
  (words.phrase !== undefined || words.versus !== undefined || words.several !== undefined) &&
  (words.several !== undefined || words.alias !== undefined || words.project !== undefined) &&
  [...said.keys()].every(
    (role) => BARE.has(role) || ((role === 'filler' || role === 'is') && said.has('amount')),
  );
const BARE: ReadonlySet<PhraseRole> = new Set<PhraseRole>([
  ...(['polite', 'request', 'thanks', 'article', 'csv', 'details', 'joint', 'compare', 'rank'] as const),
  ...(['noun', 'amount', 'everything', 'sameBefore', 'stepBefore', 'more', 'than', 'past'] as const),
]);
