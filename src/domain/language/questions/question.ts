/** Questions in free words. Every word must have a meaning here or in the grammar of commands. */

import { commandText, type SlashCommand } from '../../commands.ts';
import { InvalidWord, isFailure, UNRECOGNIZED } from '../../failure/index.ts';
import { PRODUCTS } from '../../product.ts';
import type { Unit } from '../../time/calendar.ts';
import { tryRead } from '../../try-read.ts';
import type { Output, Versus } from '../argument.ts';
import { type CommandWords, formatCommandWords, parseCommandText, parsePeriodText } from '../command-text.ts';
import { couldBeName } from '../nearest-word.ts';
import { formatPhrase, type PeriodPhrase } from '../periods/period-phrase.ts';
import { couldBeSecret } from '../secret-detection.ts';
import { clipWord, normalizeText } from '../text.ts';
import { type Aliases, BREAK } from '../tokenizer.ts';
import { VOCABULARY } from '../vocabulary.ts';
import { type PhraseRole, ROLE_RULES, type Subject } from './phrases.ts';
import { findUnknownWord, joinAliasWords, type QuestionWords, readQuestionWords } from './question-words.ts';

/** A command and what follows it, in canonical words. */
export interface QuestionCommand {
  readonly command: SlashCommand;
  readonly text: string;
}

export type Question =
  /** The command that the question means exactly. */
  | ({ readonly kind: 'command' } & QuestionCommand)
  /** The same without a project: `it` and `that` are known only from an earlier answer, a name that is refused to nobody. */
  | ({ readonly kind: 'which-project'; readonly refusal?: InvalidWord } & QuestionCommand)
  /** Commands that it may mean, the likeliest first. At least one, and each keeps every word. */
  | {
      readonly kind: 'offered';
      readonly commands: readonly QuestionCommand[];
      readonly refusal?: InvalidWord;
    }
  /** No command keeps every word. */
  | { readonly kind: 'refused'; readonly refusal: InvalidWord }
  | { readonly kind: 'thanks' };

/** What the words of a question say, before a command is made of them. */
interface QuestionReading {
  /** Undefined where no word says it. */
  readonly subject: Subject | undefined;
  readonly words: CommandWords;
  readonly output: Output | undefined;
  readonly said: QuestionWords['said'];
  /** The project is `it`, `that` or `the project`. */
  readonly refersBack: boolean;
}

const EXAMPLE = `Type a command, such as ${commandText('/spend')} prod last-month.`;
export const UNPLACED = 'I can’t tell what {word} means here';
/** Buttons below a refusal. */
const MOST_OFFERED = 3;
/** What may be meant where nothing says it, the likeliest first. */
const EITHER: readonly Subject[] = ['balance', 'spend'];

/**
 * Reads a question such as `how much did prod spend last week?`.
 * @param aliases names of projects, in lower case
 * @returns undefined when no word names a project or something that Tally can be asked
 * @throws SecretPasted
 */
export function parseQuestion(text: string, aliases: Aliases): Question | undefined {
  const plain = understand(text, aliases);
  const joined = joinAliasWords(text, aliases).map((other) => understand(other, aliases) ?? plain);
  return withholdSecrets(oneOf([plain, ...joined]), text, aliases);
}

/** What was read with names in one word and in several: the one that means a command, or each as a reading. */
function oneOf(questions: readonly (Question | undefined)[]): Question | undefined {
  const meant = questions.filter((question) => question?.kind === 'command' || question?.kind === 'offered');
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
): T | { readonly kind: 'refused'; readonly refusal: InvalidWord } | undefined {
  const refusal = reading !== undefined && 'refusal' in reading && reading.refusal;
  if (!(refusal instanceof InvalidWord)) return reading;
  const mayHoldSecret = [...new Set(text.split(/\s+/))].some(
    (word) => couldBeSecret(word) && !aliases.has(normalizeText(word)),
  );
  return mayHoldSecret ? { kind: 'refused', refusal: refusal.withheld() } : reading;
}

function understand(text: string, aliases: Aliases): Question | undefined {
  const question = readQuestionWords(text, aliases);
  const { said, rest, doubt } = question;
  if (isEmpty(rest) && !hasContent(said)) return said.has('thanks') ? { kind: 'thanks' } : undefined;
  const { readings, refusal, isUnknownName } = readQuestion(question, aliases);
  const [reading] = readings;
  if (reading === undefined)
    return refusal && isAsked(question, refusal, aliases) ? { kind: 'refused', refusal } : undefined;
  if (reading.subject === undefined && (isEmpty(rest) || (said.has('thanks') && !isBare(reading))))
    return undefined;
  const made = readings.flatMap(commandsOf);
  const commands = made.flatMap((command) => ('command' in command ? [command] : []));
  const [only, ...others] = commands;
  if (only === undefined) {
    const refused = made.find((command) => command instanceof InvalidWord) ?? refusal;
    return refused && isAsked(question, refused, aliases) ? { kind: 'refused', refusal: refused } : undefined;
  }
  const isExact = (refusal === undefined || isUnknownName) && doubt === undefined && others.length === 0;
  const { subject, words } = reading;
  const isSpend =
    words.versus !== undefined ||
    (words.phrase !== undefined &&
      (['total', 'compare', 'joint', 'numbers'] as const).some((role) => said.has(role)));
  const isSaid = subject !== undefined || isSpend || isBare(reading);
  if (isExact && isSaid && !only.isGuess) {
    const { command, text: asked } = only;
    if (isUnknownName && refusal) return { kind: 'which-project', command, text: asked, refusal };
    const isOpen = reading.refersBack && command !== '/billing';
    return { kind: isOpen ? 'which-project' : 'command', command, text: asked };
  }
  if (isUnknownName && refusal) return { kind: 'refused', refusal };
  const misspelt = doubt === undefined ? refusal : new InvalidWord(clipWord(doubt), UNRECOGNIZED, EXAMPLE);
  return {
    kind: 'offered',
    commands: commands.slice(0, MOST_OFFERED).map(({ command, text: asked }) => ({ command, text: asked })),
    ...(misspelt && { refusal: misspelt }),
  };
}

const isEmpty = (rest: string): boolean =>
  rest.split(' ').every((word) => word === BREAK || word === '' || VOCABULARY.get(word)?.role === 'filler');

/** Roles that ask nothing by themselves. */
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

/** What a question says: one reading, or with a refusal those that put it right. @throws SecretPasted */
function readQuestion(
  question: QuestionWords,
  aliases: Aliases,
): {
  readonly readings: readonly QuestionReading[];
  readonly refusal?: InvalidWord;
  /** Whether all that is refused may be the name of a project. */
  readonly isUnknownName?: boolean | undefined;
} {
  const { said, unclear } = question;
  if (unclear !== undefined) return refuse(unclear, 'could mean two things here');
  const output = outputOf(said);
  if (output instanceof InvalidWord) return { readings: [], refusal: output };
  const [subject, second] = subjectsOf(question);
  if (second !== undefined)
    return refuse(
      second,
      `and “${said.get(subject as PhraseRole) ?? subject}” are two questions`,
      'Ask one at a time.',
    );
  const unplaced = [...said].find(([role]) => !isPlaced(role, said, subject));
  if (unplaced !== undefined) {
    const unknown = findUnknownWord(question.text, aliases);
    return unknown === undefined ? refuse(unplaced[1], UNPLACED) : refuse(unknown, UNRECOGNIZED);
  }
  const { all, refusal, isUnknownName } = parseRest(question, aliases);
  const readings = all.map((words): QuestionReading => {
    const isNamed = words.project !== undefined || words.alias !== undefined || words.several !== undefined;
    const isNoun = said.get('noun') === 'project' && !NOUN_BESIDE.some((role) => said.has(role));
    const refersBack = !isNamed && (said.has('reference') || isNoun);
    return { subject, words, output, said, refersBack };
  });
  const isNameable =
    (subject === 'spend' || subject === 'balance') &&
    !said.has('noun') &&
    !NOUN_BESIDE.some((role) => said.has(role));
  if (isUnknownName && !isNameable) return { readings: [], ...(refusal && { refusal }) };
  return { readings, ...(refusal && { refusal }), isUnknownName };
}

const refuse = (word: string, why: string, works: string = EXAMPLE) => ({
  readings: [],
  refusal: new InvalidWord(clipWord(word), why, works),
});

const OUTPUTS = ['csv', 'details', 'why'] as const;

function outputOf(said: QuestionWords['said']): Output | undefined | InvalidWord {
  const [output, other] = OUTPUTS.filter((role) => said.has(role));
  if (other === undefined) return output;
  return new InvalidWord(other, `You asked for “${output}” and {word}`, 'Ask for one of them.');
}

/** What the question is about: nothing, one subject, or, to be refused, the phrases of two. */
function subjectsOf({ said, rest }: QuestionWords): readonly Subject[] | readonly [Subject, string] {
  const named = new Map<Subject, string>();
  for (const [role, phrase] of said) {
    const { about } = ROLE_RULES[role];
    if (about !== undefined && !named.has(about)) named.set(about, phrase);
  }
  // The watch of a budget shows both what is spent and what is left.
  if (named.has('budget')) for (const other of ['spend', 'balance'] as const) named.delete(other);
  const [[first] = [], [, second] = []] = [...named];
  if (first !== undefined) return second === undefined ? [first] : [first, second];
  const isRanked = said.has('rank') || said.has('by') || /\btop \d/.test(rest);
  if (isRanked || said.has('change') || (said.has('why') && !said.has('have') && !isEmpty(rest)))
    return ['spend'];
  if (isEmpty(rest) && said.get('noun') === 'projects') return ['projects'];
  if (rest.replaceAll(BREAK, '').trim() === 'all' && / project/.test(said.get('everything') ?? ''))
    return said.has('list') || said.has('request') ? ['projects'] : [];
  const isAmount = said.has('amount') || said.has('what') || said.has('money');
  const isHeld = said.has('have') || (said.has('money') && said.has('amount'));
  return isAmount && isHeld && !said.has('past') && !said.has('noun') ? ['balance'] : [];
}

/** Beside them “projects” are all of them. */
const NOUN_BESIDE = ['rank', 'first', 'by', 'which'] as const;

/** Whether a role stands beside one that gives it a meaning. */
function isPlaced(role: PhraseRole, said: QuestionWords['said'], subject: Subject | undefined): boolean {
  if (role === 'noun')
    return (
      subject === 'projects' || said.get('noun') === 'project' || NOUN_BESIDE.some((other) => said.has(other))
    );
  const { beside } = ROLE_RULES[role];
  return (
    beside === undefined ||
    beside.includes(subject ?? '') ||
    beside.some((others) => others.split('+').every((other) => said.has(other as PhraseRole)))
  );
}

/** Not corrected: the running unit is not what `next` asks about, and 815 is another project than 0815. */
export const NOT_CORRECTED = /^(?:next\b|tomorrow\b|0\d*$)/i;

interface ParsedRest {
  /** The words, or what corrects them. */
  readonly all: readonly CommandWords[];
  readonly refusal?: InvalidWord;
  /** Whether all that is refused may be the name of a project. */
  readonly isUnknownName?: boolean | undefined;
}

/** @throws SecretPasted */
function parseRest({ rest, typed, text: asked }: QuestionWords, aliases: Aliases): ParsedRest {
  // A list that nobody marked would take any number for a project: “prod spend 500”.
  const isMarked = (text: string) =>
    text
      .split(' ')
      .filter((word) => word.includes(','))
      .every((word) => rest.includes(word) || word.split(',').every((name) => aliases.has(name)));
  try {
    const words = parseCommandText(rest, aliases);
    const far = words.product === undefined ? undefined : farNumber(rest);
    if (far !== undefined) return { all: [], refusal: new InvalidWord(far, UNPLACED, EXAMPLE) };
    return words.help
      ? { all: [], refusal: new InvalidWord('help', 'goes without other words', EXAMPLE) }
      : { all: [words] };
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'invalid-word') throw error;
    const { word, why, works, offered } = error;
    const unnamed = why === UNRECOGNIZED && offered.length === 0 && withoutName(word, rest, asked, aliases);
    if (unnamed) return { all: [unnamed], refusal: error, isUnknownName: true };
    const all = (NOT_CORRECTED.test(word) ? [] : offered.filter(isMarked)).map((text) =>
      parseCommandText(text, aliases),
    );
    const quoted = word.replaceAll(` ${BREAK} `, ' … ').replace(/^vs(?= |$)/, typed.get('vs') ?? 'vs');
    return { all: all.filter(({ help }) => !help), refusal: new InvalidWord(quoted, why, works) };
  }
}

/** Before a project's name there is none of these: “how much memory”. */
const PEOPLE =
  /^(?:he|she|everyone|everybody|someone|somebody|anyone|people|person|teams?|users?|guys|folks|colleagues?|customers?)$/i;
const NOT_BEFORE_NAME = '(?:much|many|more|less|which|what|an?|any|some|by|per)';

/** What is said beside a word that may be the name of a project; undefined where another one is named. */
function withoutName(word: string, rest: string, asked: string, aliases: Aliases): CommandWords | undefined {
  const places = rest.split(' ');
  const place = places.indexOf(word);
  if (
    place < 0 ||
    !couldBeName(word) ||
    PEOPLE.test(word) ||
    new RegExp(`\\b${NOT_BEFORE_NAME}\\s+${word}\\b`, 'i').test(asked)
  )
    return undefined;
  const words = tryRead(() => parseCommandText(places.with(place, BREAK).join(' '), aliases));
  const isNamed = words?.help || (words?.alias ?? words?.project ?? words?.several) !== undefined;
  return isNamed ? undefined : words;
}

/** A number that would be read as a product although it does not follow its project: `why did prod cost 2`. */
function farNumber(rest: string): string | undefined {
  const isNamed = rest
    .split(' ')
    .some((word) => VOCABULARY.get(word.toLowerCase())?.role.startsWith('product'));
  return isNamed || /^\S+ [1-3](?= |$)/.test(rest) ? undefined : /(?<= )[1-3](?= |$)/.exec(rest)?.[0];
}

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

interface MadeCommand extends QuestionCommand {
  /** Another command may be meant as well. */
  readonly isGuess: boolean;
}

/** The commands that a reading means, or why there is none. */
function commandsOf(reading: QuestionReading): readonly (MadeCommand | InvalidWord)[] {
  const { subject } = reading;
  if (subject === undefined) return EITHER.flatMap((about) => commandsOf({ ...reading, subject: about }));
  switch (subject) {
    case 'spend':
      return spendCommands(reading);
    case 'balance':
      return balanceCommands(reading);
    default:
      return [billingCommand(subject, reading)];
  }
}

const isThisMonth = (phrase: PeriodPhrase | undefined): boolean =>
  phrase === undefined || (phrase.kind === 'this' && phrase.unit === 'month');

const THIS_MONTH: PeriodPhrase = { kind: 'this', unit: 'month', typed: 'this-month', includingToday: false };
const thisUnit = (unit: Unit): PeriodPhrase => ({ ...THIS_MONTH, unit, typed: `this-${unit}` });

const FROM_PAST = /^from (?:the )?(?:last|past|previous|yesterday)/i;

/** They ask for a change, which `/spend` shows by comparing with the days before. */
const CHANGES: ReadonlySet<PhraseRole> = new Set(['change', 'more', 'pricier', 'stepBefore'] as const);

function spendCommands({ words, output, said }: QuestionReading): readonly (MadeCommand | InvalidWord)[] {
  const isChange = words.versus === undefined && !said.has('why') && !said.has('stepBefore');
  const isVague =
    words.phrase === undefined || said.has('amount') || !(said.has('spend') || said.has('pricier'));
  const isGuess =
    said.has('use') || (isChange && isVague && [...said.keys()].some((role) => CHANGES.has(role)));
  const make = (some: CommandWords, guess = isGuess): MadeCommand => ({
    command: '/spend',
    text: formatCommandWords(some, output),
    isGuess: guess,
  });
  const rank = said.get('rank') ?? said.get('by');
  const isRanked = rank !== undefined && !said.has('peak') && !said.has('when');
  if (isRanked && (words.alias ?? words.project) !== undefined)
    return [new InvalidWord(rank, UNPLACED, EXAMPLE)];
  const asked: CommandWords = isRanked && words.several === undefined ? { ...words, several: 'all' } : words;
  const { phrase, versus } = asked;
  const step = said.get('stepBefore');
  if (step !== undefined) {
    const compared = versus === undefined ? withStepBefore(step, asked) : undefined;
    return [
      compared === undefined
        ? new InvalidWord(clipWord(step), UNPLACED, EXAMPLE)
        : make(compared, phrase === undefined || isGuess),
    ];
  }
  if (said.has('future') || said.has('forecast') || said.has('monthEnd')) {
    if (isThisMonth(phrase) && versus === undefined) return [make({ ...asked, phrase: THIS_MONTH })];
    const why = 'doesn’t say this month, and only that has a forecast';
    const works = `Type ${commandText('/spend')} prod this-month.`;
    return [
      isThisMonth(phrase)
        ? new InvalidWord(said.get('than') ?? said.get('joint') ?? 'vs', UNPLACED, EXAMPLE)
        : new InvalidWord(clipWord(phrase?.typed ?? 'vs'), why, works),
    ];
  }
  // “Costs from last month” are that month's; “from” with a date begins there.
  if (phrase?.kind === 'since' && FROM_PAST.test(phrase.typed)) {
    const unit = parsePeriodText(formatPhrase(phrase).replace(/^since /, ''));
    return [unit, phrase].map((period) => make({ ...asked, phrase: period }, true));
  }
  if (phrase !== undefined && versus !== undefined && versus !== 'year-before')
    if (formatPhrase(phrase) === formatPhrase(versus)) {
      // `/spend` compares with as many days before anyway.
      const { versus: _, ...alone } = asked;
      return phrase.kind === 'last'
        ? [make(alone, true)]
        : [new InvalidWord(clipWord(versus.typed), 'is on both sides of the comparison', EXAMPLE)];
    }
  if (phrase !== undefined || versus === undefined) return [make(asked)];
  return besides(versus).map((instead) => make({ ...asked, phrase: instead }, true));
}

/** A period compared with the one before it: `last week`, “than the week before”. Undefined where that is another one. */
function withStepBefore(step: string, words: CommandWords): CommandWords | undefined {
  const unit = /day|week|month|quarter/.exec(step)?.[0] as Unit | undefined;
  const phrase = words.phrase ?? (unit && thisUnit(unit));
  if (phrase === undefined) return undefined;
  const versus = (text: string) => ({ ...words, phrase, versus: parsePeriodText(text) });
  const name = formatPhrase(phrase);
  const days = { today: 'yesterday', yesterday: '2 days ago', 'last-day': '2 days ago' }[name];
  if (days !== undefined) return unit === undefined || unit === 'day' ? versus(days) : undefined;
  const [, count, of] = /^(?:last|this)-(?:(\d+)-)?([a-z]+?)s?$/.exec(name) ?? [];
  if (phrase.kind === 'this') return unit === undefined || unit === of ? versus(`last-${of}`) : undefined;
  // `/spend` itself compares these with as many units or days before.
  const length =
    phrase.kind === 'at' ? phrase.at.kind : count === undefined ? of : name === 'last-7-days' && 'week';
  const isSpan = phrase.kind === 'last' || phrase.kind === 'range';
  return (unit === undefined ? isSpan : unit !== 'day' && unit === length) ? words : undefined;
}

/** The periods that may be compared with this one, where none is named. */
function besides(versus: Versus): readonly PeriodPhrase[] {
  if (versus === 'year-before') return [thisUnit('year')];
  return versus.kind === 'last' && versus.count === 1 && versus.unit !== 'day' ? [thisUnit(versus.unit)] : [];
}

function balanceCommands({ words, output, said }: QuestionReading): readonly (MadeCommand | InvalidWord)[] {
  const { phrase, versus, top, ...asked } = words;
  const past = said.get('past');
  if (past !== undefined)
    return [new InvalidWord(past, 'is about the past, and a balance is always as of now', EXAMPLE)];
  const ranked = (['first', 'rank', 'which', 'who'] as const).map((role) => said.get(role)).find(Boolean);
  if (phrase !== undefined)
    return [
      new InvalidWord(
        clipWord(phrase.typed),
        'is a period, and a balance is always as of now',
        `Only ${commandText('/spend')} takes periods.`,
      ),
    ];
  if (versus !== undefined || top !== undefined || output === 'why')
    return [
      new InvalidWord(
        versus !== undefined ? 'vs' : (said.get('why') ?? 'top'),
        'is about what was spent',
        `Only ${commandText('/spend')} takes it.`,
      ),
    ];
  const isNamed = (asked.alias ?? asked.project) !== undefined;
  if (isNamed && ranked !== undefined) return [new InvalidWord(ranked, UNPLACED, EXAMPLE)];
  // “In total” may mean all projects.
  const isTotal = said.has('total') && !isNamed && asked.several === undefined;
  const all =
    (ranked !== undefined || isTotal) && asked.several === undefined ? ({ several: 'all' } as const) : {};
  const text = formatCommandWords({ ...asked, ...all }, output);
  return [
    {
      command: '/balance',
      text,
      isGuess: isTotal || said.has('rank') || said.has('who') || said.has('credit'),
    },
  ];
}

const BILLING: Readonly<Record<Exclude<Subject, 'spend' | 'balance'>, string>> = {
  budget: commandText('/billing watches'),
  projects: commandText('/billing projects'),
  schedules: commandText('/billing schedules'),
  watches: commandText('/billing watches'),
  help: commandText('/billing help'),
};

/** Lists and help. A budget is a watch. */
function billingCommand(
  subject: Exclude<Subject, 'spend' | 'balance'>,
  { words, output, said }: QuestionReading,
): MadeCommand | InvalidWord {
  const { phrase, versus, top, product, several, ...named } = words;
  const isBudget = subject === 'budget';
  const extra =
    (phrase !== undefined && !(isBudget && isThisMonth(phrase)) && phrase.typed) ||
    (versus !== undefined && 'vs') ||
    (top !== undefined && 'top') ||
    (product && PRODUCTS[product].word) ||
    (output !== undefined && said.get(output)) ||
    (['compare', 'rank', 'by', 'first', 'total'] as const).map((role) => said.get(role)).find(Boolean);
  if (extra) return new InvalidWord(clipWord(extra), UNPLACED, EXAMPLE);
  const names = several === 'all' ? '' : formatCommandWords({ ...named, several });
  if (names !== '' && !isBudget && subject !== 'watches') return new InvalidWord(names, UNPLACED, EXAMPLE);
  const [command, verb] = BILLING[subject].split(' ') as [SlashCommand, string];
  return { command, text: [verb, names, isBudget && 'budget'].filter(Boolean).join(' '), isGuess: false };
}

/** What a follow-up says by itself. */
interface QuestionParts {
  /** The commands that it asks for: none, one, or two that exclude each other. */
  readonly commands: readonly SlashCommand[];
  /** Its other words, for the grammar of commands. */
  readonly text: string;
  /** The refusal of a change that nothing is compared for: after an answer it may be that one or the days before. */
  readonly change?: InvalidWord | undefined;
  /** A phrase that the command could not express. */
  readonly unplaced?: string | undefined;
  /** Whether it asks what there is: “what do you have for october?”. */
  readonly isVague: boolean;
}

/**
 * Splits a text into the command it asks for and the rest.
 * @param wasBalance whether a balance was asked for before
 */
export function readQuestionParts(text: string, aliases: Aliases, wasBalance = false): QuestionParts {
  const question = readQuestionWords(text, aliases);
  const { said, rest } = question;
  const outputs = OUTPUTS.filter((role) => said.has(role));
  const isVague = said.has('have') && ![...said.keys()].some((role) => 'about' in ROLE_RULES[role]);
  const subjects = isVague ? [] : subjectsOf(question);
  const commands = subjects.flatMap((about) =>
    about === 'spend' || about === 'balance' ? [`/${about}` as const] : [],
  );
  const [subject = wasBalance ? 'balance' : 'spend'] = subjects;
  const isFigures = subject === 'spend' || subject === 'balance';
  const isMeant = (role: PhraseRole) => isFigures && isPlaced(role, said, subject);
  const change = [...said].find(([role]) => CHANGES.has(role) && !said.has('why') && !said.has('than'));
  return {
    commands,
    change: change && new InvalidWord(clipWord(change[1]), UNPLACED, EXAMPLE),
    unplaced: [...said].find(([role]) => !isMeant(role))?.[1],
    isVague,
    text: [...rest.split(' ').filter((word) => word !== BREAK), ...outputs].filter(Boolean).join(' '),
  };
}
