/** Follow-ups: questions that leave out what the last answer in the thread had. Every word must have a meaning. */

import { commandText } from '../../command-names.ts';
import { catchInvalidWord, InvalidWord } from '../../failure/index.ts';
import { clipWord, normalizeText, typedSpelling } from '../text.ts';
import {
  type Answered,
  isAboutList,
  namesProjects,
  parseReadings,
  parseWords,
  projectText,
  type Reading,
} from './follow-up-reading.ts';
import { AGAIN, type FollowUpText, isReserved, PRONOUN, parseFollowUpText } from './follow-up-text.ts';
import { formatParsedCommand } from './legacy/parsed-command.ts';
import { saysAllTyped } from './legacy/parser.ts';
import { sizeOf } from './legacy/periods/date-ast.ts';
import { formatPhrase, LAST_7_DAYS, type PeriodPhrase, withToday } from './legacy/periods/period-ast.ts';
import type { Aliases } from './legacy/tokenizer.ts';
import {
  MOST_OFFERED,
  parseQuestion,
  type RefusedQuestion,
  type SuggestedCommands,
  withholdSecrets,
} from './parse-question.ts';
import type { QuestionCommand } from './question-commands.ts';
import { NOT_CORRECTED, UNCLEAR_MEANING } from './question-reading.ts';

export type FollowUp =
  /** What it means exactly. `isExplicit` if its words show that it refers to an answer: “and”, “it”, “again”. */
  | (QuestionCommand & { readonly kind: 'command'; readonly isExplicit: boolean })
  | SuggestedCommands
  | RefusedQuestion
  /** There is no answer to take the project from; the command's text without it. */
  | ({ readonly kind: 'project-missing' } & QuestionCommand);

/**
 * Completes a follow-up such as “and staging?” with what the last answer had.
 *
 * @param remembered the command that was answered, in canonical words; undefined for none
 * @param aliases names of projects, in lower case
 * @returns undefined for what is no follow-up
 * @throws SecretPasted
 */
export function mergeFollowUp(
  text: string,
  remembered: QuestionCommand | undefined,
  aliases: Aliases,
): FollowUp | undefined {
  const followUp = completeText(text, remembered, aliases);
  const refusal = followUp && 'refusal' in followUp && followUp.refusal;
  const quoted = refusal && { ...followUp, refusal: refusal.spelled((word) => typedSpelling(text, word)) };
  return withholdSecrets(quoted || followUp, text, aliases);
}

function completeText(
  text: string,
  remembered: QuestionCommand | undefined,
  aliases: Aliases,
): FollowUp | undefined {
  const said = parseFollowUpText(text);
  // “Same last year” doesn’t say of which days.
  if (said.isThanks || (said.isSame && said.text === 'last year')) return undefined;
  // The word may mean what it says, or the project of that name.
  if (text.split(/[\s,?!.]+/).some((word) => isReserved(normalizeText(word), aliases))) return undefined;
  // Undefined if its words cannot be read any more.
  const parsed = remembered && parseWords(remembered.text, aliases);
  const base = parsed && { command: remembered.command, ...parsed };
  if (AGAIN.has(said.text)) {
    if (remembered === undefined) return { kind: 'project-missing', command: '/spend', text: '' };
    return { kind: 'command', ...remembered, isExplicit: true };
  }
  const unclear = base && unclearIn(said, text, base);
  if (unclear !== undefined) return { kind: 'refused', refusal: unclear };
  const projects = base === undefined ? '' : projectText(base.words);
  const compared = compareWithAnswer(said.text, isAboutList(base) ? '' : projects, aliases);
  const asked = (compared ?? said.text)
    .replace(/(?<![\w-])it(?![\w-])/g, projects || PRONOUN)
    .replace(/^(?:per|by|each) project$/, (all) => (isAboutList(base) ? projects : all));
  const question = parseQuestion(asked, aliases);
  if (question?.kind === 'command' && question.command === '/billing')
    return { ...question, ...aboutProject(question, base), isExplicit: said.isExplicit };
  if (question?.kind === 'offered' && question.commands.some(({ command }) => command === '/billing'))
    return { ...question, commands: question.commands.map((offered) => aboutProject(offered, base)) };
  const readings = parseReadings(asked, question, base, aliases);
  if (readings === undefined) return undefined;
  if (readings instanceof InvalidWord) {
    const isExplicit = said.isExplicit || question?.kind === 'command' || question?.kind === 'offered';
    return refuse(readings, { ...said, isExplicit }, base, aliases);
  }
  if (base === undefined) return said.isExplicit ? withoutAnswer(readings) : undefined;
  const merged = readings.flatMap((reading) => merge(base, reading, said.isSame));
  const refused = merged.find((made) => made instanceof InvalidWord);
  if (refused !== undefined) return { kind: 'refused', refusal: refused };
  const [only, ...others] = merged.flatMap(commandOf);
  if (only === undefined) return undefined;
  const isCertain = merged.every((made) => 'isCertain' in made && made.isCertain);
  return others.length === 0 && isCertain && !said.isUnsure && !compared?.endsWith(` than ${projects}`)
    ? { kind: 'command', ...only, isExplicit: said.isExplicit }
    : { kind: 'offered', commands: [only, ...others].slice(0, MOST_OFFERED) };
}

const COMPARED =
  /\b(?:cheaper|pricier|costlier|(?:more|less)(?: expensive| costly)?|higher|lower)( than .+)?$/;

/** “Cheaper than staging?” and “is staging cheaper?” with the project of the answer as the other side. */
function compareWithAnswer(text: string, project: string, aliases: Aliases): string | undefined {
  const found = COMPARED.exec(text);
  const [name, ...others] = text.split(' ').filter((word) => aliases.has(word));
  if (found === null || project === '' || name === undefined || others.length > 0) return undefined;
  if (found[1] === undefined) return `${text} than ${project}`;
  return text.endsWith(` ${name}`) ? `${project} ${text}` : undefined;
}

/** Requests for what only a form can set up, each with the command that opens it. */
const SET_UP = [
  [/^(?:watch|(?:alert|notify|warn)(?: .+)?)$/, commandText('/billing watch')],
  [
    /^schedule$|^(?:post|send|schedule) .*\b(?:every|each|daily|weekly|monthly)\b/,
    commandText('/billing schedule'),
  ],
] as const;

/** Orders to pay, which Tally can't carry out: it moves no money. */
const ORDER = /^(?:(?:can|could|will|would) you )?(?:pay|charge|bill|burn)$/;

/** The costliest weeks or months, or several days: Tally names only the costliest day. */
const RANKED_DAYS =
  /\b(?:most expensive|biggest|largest|costliest|highest) (?:\d+$|(?:week|month|quarter|year)s?\b)/;

const unclearWord = (word: string): InvalidWord => new InvalidWord(word, UNCLEAR_MEANING, '');

/** The word that could mean several things after an answer, or adds nothing to it. */
function unclearIn(
  { text, isExplicit, part, sameOfLastYear }: FollowUpText,
  typed: string,
  base: Answered,
): InvalidWord | undefined {
  const [, form] = SET_UP.find(([request]) => request.test(text)) ?? [];
  if (form !== undefined) return new InvalidWord(clipWord(text), `is set up with ${form}`, '');
  if (part !== undefined) return unclearWord(part);
  if (sameOfLastYear !== undefined && !/^(?:period|time|days)$/.test(sameOfLastYear))
    if (unitOf(base.words.phrase) !== sameOfLastYear) return unclearWord(`same ${sameOfLastYear}`);
  if (text === '' && isExplicit) return unclearWord(clipWord(typed));
  const [order] = ORDER.exec(text) ?? RANKED_DAYS.exec(text) ?? [];
  if (order !== undefined) return unclearWord(order);
  const { several } = base.words;
  if (/^both\b/.test(text) && (several === 'all' || several?.length !== 2))
    return new InvalidWord('both', 'needs an answer about two projects', '');
  const [, amount] = /^(?!.*\bproject).*\bbudget\b.*?(?<![\w-])(\d+)(?![\w-])/.exec(text) ?? [];
  return amount === undefined ? undefined : new InvalidWord(amount, 'could be a project or an amount', '');
}

/** The unit, if the period is exactly one. */
function unitOf(phrase: PeriodPhrase | undefined): string | undefined {
  if (phrase?.kind === 'at') return sizeOf(phrase.at) ?? 'day';
  return phrase?.kind === 'this' || (phrase?.kind === 'last' && phrase.count === 1) ? phrase.unit : undefined;
}

/** Only the list of budgets can be about a single project: `watches prod budget`. */
function aboutProject({ command, text }: QuestionCommand, base: Answered | undefined): QuestionCommand {
  const { alias, project = alias } = base?.words ?? {};
  return { command, text: text === 'watches budget' && project ? `watches ${project} budget` : text };
}

/** What a follow-up means where no answer came before it. */
function withoutAnswer([said]: readonly Reading[]): FollowUp | undefined {
  if (said === undefined) return undefined;
  const { words, output } = said;
  const text = formatParsedCommand(words, output);
  const command = said.command ?? '/spend';
  if (!namesProjects(words)) return { kind: 'project-missing', command, text };
  if (said.command !== undefined || words.phrase !== undefined)
    return { kind: 'command', command, text, isExplicit: true };
  return {
    kind: 'offered',
    commands: [
      { command: '/balance', text },
      { command: '/spend', text },
    ],
  };
}

interface Merged extends QuestionCommand {
  /** Whether nothing else can be meant. */
  readonly isCertain: boolean;
}

/** What the words say, and the rest from what was answered. A question that the answer does not lead to is only offered. */
function merge(
  base: Answered,
  { command: asked, words, output: form, includesToday, isVague = false }: Reading,
  isSame: boolean,
): readonly (Merged | InvalidWord)[] {
  const asksSpend =
    (words.phrase ?? words.versus ?? words.top ?? includesToday) !== undefined || form === 'why';
  const command = asked ?? (asksSpend ? '/spend' : base.command);
  // “And 44?” may be a week or a day.
  const isShort = words.project !== undefined && words.project.length < 3;
  // A balance has no days to explain.
  const isOther = form === 'why' && base.command === '/balance' && words.phrase === undefined;
  const isCertain = command === (asked ?? base.command) && !isVague && !isShort && !isOther;
  const { project, alias, several, top } = namesProjects(words) ? words : base.words;
  const product = words.product ?? base.words.product;
  const isInherited = asked === undefined && (isSame || base.output === 'why');
  const output = form ?? (isInherited ? base.output : undefined);
  if (command === '/balance') {
    const text = formatParsedCommand({ project, alias, several, product }, output);
    return [{ command, text, isCertain: isCertain && top === undefined }];
  }
  if (base.command === '/balance' && words.phrase === undefined && typeof words.versus === 'object')
    return [new InvalidWord(clipWord(words.versus.typed), 'can’t be compared with a balance', '')];
  const before = base.words.phrase;
  const phrase =
    includesToday === undefined
      ? (words.phrase ?? before)
      : catchInvalidWord(() => withToday(before ?? LAST_7_DAYS, includesToday));
  if (phrase instanceof InvalidWord) return [phrase];
  // With a new period, people may mean the named comparison again, or the usual one with the days before.
  const mayCompare = words.phrase !== undefined && typeof base.words.versus === 'object';
  const comparisons =
    words.versus === undefined && mayCompare
      ? [base.words.versus, undefined]
      : [words.versus ?? base.words.versus];
  return comparisons.map((versus) => {
    if (typeof versus === 'object' && formatPhrase(versus) === formatPhrase(phrase ?? LAST_7_DAYS))
      return new InvalidWord(clipWord(versus.typed), 'is on both sides of the comparison', '');
    return {
      command,
      text: formatParsedCommand({ project, alias, several, top, phrase, versus, product }, output),
      isCertain: isCertain && comparisons.length === 1,
    };
  });
}

const commandOf = (made: Merged | InvalidWord): readonly QuestionCommand[] =>
  made instanceof InvalidWord ? [] : [{ command: made.command, text: made.text }];

/** For words that the grammar refuses: what it offers instead, completed with the answer. */
function refuse(
  refusal: InvalidWord,
  { text, isExplicit, isSame }: FollowUpText,
  base: Answered | undefined,
  aliases: Aliases,
): FollowUp | undefined {
  const offered = NOT_CORRECTED.test(refusal.word) || base === undefined ? [] : refusal.offered;
  const commands = offered
    .filter((offer) => saysAllTyped(text, refusal.word, offer, aliases))
    .flatMap((offer) => {
      const parsed = parseWords(offer, aliases);
      // The answer's days change only if the follow-up itself says so.
      const addsDays = parsed?.words.phrase?.includingToday && !/\btoday\b/.test(text);
      return base === undefined || parsed === undefined || addsDays ? [] : merge(base, parsed, isSame);
    })
    .flatMap(commandOf);
  if (commands.length > 0) return { kind: 'offered', commands: commands.slice(0, MOST_OFFERED), refusal };
  return isExplicit && base !== undefined ? { kind: 'refused', refusal } : undefined;
}
