/** What a reading means as commands: those that keep every word, or the refusal of the word that none can keep. */

import { commandText, type SlashCommand } from '../../command-names.ts';
import { catchInvalidWord, InvalidWord } from '../../failure/index.ts';
import { PRODUCTS } from '../../product.ts';
import type { Day, Unit } from '../../time/calendar.ts';
import { clipWord } from '../text.ts';
import { parseQuestionWords } from './extract-phrases.ts';
import type { Versus } from './legacy/parse-argument.ts';
import { parsePeriodText } from './legacy/parse-command.ts';
import { formatParsedCommand, type ParsedCommand } from './legacy/parsed-command.ts';
import { dateText, sizeOf } from './legacy/periods/date-ast.ts';
import { pad } from './legacy/periods/date-literal.ts';
import { formatPhrase, type PeriodPhrase, unitPhrase } from './legacy/periods/period-ast.ts';
import { type Aliases, CLAUSE_BREAK } from './legacy/tokenizer.ts';
import { firstSaid, type PhraseRole, ROLE_RULES, type Subject } from './phrases.ts';
import { applies, OUTPUTS, type QuestionReading, refuseUnplaced, subjectsOf } from './question-reading.ts';

/** A command and what follows it, in canonical words. */
export interface QuestionCommand {
  readonly command: SlashCommand;
  readonly text: string;
}

/** Subjects to try when the question names none, likeliest first. */
const EITHER: readonly Subject[] = ['balance', 'spend'];

interface MadeCommand {
  readonly command: QuestionCommand;
  /** Another command may be meant as well. */
  readonly isGuess: boolean;
}

/** The commands that a reading means, or why there is none. @param today as for `parseQuestion` */
export const commandsOf = (reading: QuestionReading, today?: Day): readonly (MadeCommand | InvalidWord)[] =>
  (reading.subject === undefined && reading.words.versus === undefined
    ? EITHER
    : [reading.subject ?? 'spend']
  ).flatMap<MadeCommand | InvalidWord>((subject) =>
    catchInvalidWord(() => {
      if (subject === 'spend') return spendCommands(reading, today);
      return [subject === 'balance' ? balanceCommand(reading) : billingCommand(subject, reading, today)];
    }),
  );

/** Whether no period is named, or the running month: `this month`, and on 21 November 2026 `november`. */
function isThisMonth(phrase: PeriodPhrase | undefined, today = ''): boolean {
  if (phrase === undefined || (phrase.kind === 'this' && phrase.unit === 'month')) return true;
  if (phrase.kind !== 'at' || phrase.at.kind !== 'month') return false;
  const { number, year = 'this' } = phrase.at;
  return `${year === 'this' ? today.slice(0, 4) : year}-${pad(number)}` === today.slice(0, 7);
}

const FROM_PAST = /^from (?:the )?(?:last|past|previous|yesterday)/i;

/** Phrases that ask for a change, which `/spend` shows by comparing with the days before. */
const CHANGES = ['change', 'more', 'pricier', 'stepBefore'] as const;

/** @throws InvalidWord */
function spendCommands(
  { words, output, said }: QuestionReading,
  today: Day | undefined,
): readonly MadeCommand[] {
  const isChange = words.versus === undefined && !firstSaid(said, 'why', 'stepBefore', 'than', 'which');
  const isVague =
    words.phrase === undefined || said.has('amount') || !(said.has('spend') || said.has('pricier'));
  const isGuess =
    said.has('use') ||
    (said.has('least') && !said.has('peak') && words.several === undefined) ||
    (/happened/.test(said.get('why') ?? '') && !said.has('spend')) ||
    (isChange && isVague && firstSaid(said, ...CHANGES) !== undefined);
  // “How much storage did prod use” asks for gigabytes, “why does prod cost anything” for its purpose.
  const uncosted =
    (words.product === 2 && /^(?:us|consum)/.test(said.get('use') ?? '') && said.get('use')) ||
    (said.has('why') && / anything$/.exec(said.get('spend') ?? '')?.[0].trim());
  if (uncosted) throw refuseUnplaced(uncosted);
  const least = said.get('least');
  const which = said.has('which') ? firstSaid(said, 'more', 'pricier') : undefined;
  const rank = firstSaid(said, 'rank', 'by', 'least') ?? which;
  if (least !== undefined && (said.has('rank') || words.top !== undefined)) throw refuseUnplaced(least);
  const isRanked = rank !== undefined && !said.has('peak') && !said.has('when');
  if (isRanked && (words.alias ?? words.project) !== undefined) throw refuseUnplaced(rank);
  const asked: ParsedCommand = isRanked && words.several === undefined ? { ...words, several: 'all' } : words;
  const make = (changed: Partial<ParsedCommand>, guess = isGuess): readonly MadeCommand[] => [
    {
      command: { command: '/spend', text: formatParsedCommand({ ...asked, ...changed }, output) },
      isGuess: guess,
    },
  ];
  const { phrase, versus } = asked;
  const step = said.get('stepBefore');
  if (step !== undefined) {
    const compared = versus === undefined ? withStepBefore(step, asked) : undefined;
    if (compared === undefined) throw refuseUnplaced(clipWord(step));
    return make(compared, phrase === undefined || isGuess);
  }
  if (said.has('future') || said.has('forecast') || said.has('monthEnd')) {
    if (!isThisMonth(phrase, today))
      throw new InvalidWord(
        clipWord(phrase?.typed ?? 'vs'),
        'doesn’t say this month, and only that has a forecast',
        `Type ${commandText('/spend')} prod this-month.`,
      );
    if (versus !== undefined) throw refuseUnplaced(said.get('than') ?? said.get('joint') ?? 'vs');
    return make({ phrase: unitPhrase('this', 'month') });
  }
  // “Costs from last month” are that month's; “from” with a date begins there.
  if (phrase?.kind === 'since' && FROM_PAST.test(phrase.typed)) {
    const unit = parsePeriodText(formatPhrase(phrase).replace(/^since /, ''));
    return [unit, phrase].flatMap((period) => make({ phrase: period }, true));
  }
  // “What changed between september and october” may mean from one to the other.
  if (output === 'why' && phrase?.kind === 'range' && /^between\b/i.test(phrase.typed)) {
    const sides = {
      phrase: parsePeriodText(dateText(phrase.to)),
      versus: parsePeriodText(dateText(phrase.from)),
    };
    return [...make(sides, true), ...make({}, true)];
  }
  if (phrase === undefined && versus !== undefined)
    return make({ phrase: periodBeside(versus, today) }, true);
  if (phrase === undefined || versus === undefined || versus === 'year-before') return make({});
  if (formatPhrase(phrase) !== formatPhrase(versus)) return make({});
  if (phrase.kind !== 'last')
    throw refuseUnplaced(clipWord(versus.typed), 'is on both sides of the comparison');
  // `/spend` compares with as many days before anyway.
  const { versus: _, ...alone } = asked;
  return [{ command: { command: '/spend', text: formatParsedCommand(alone, output) }, isGuess: true }];
}

/** A period compared with the period before it: `last week`, “than the week before”. Undefined if other words say otherwise. */
function withStepBefore(step: string, words: ParsedCommand): ParsedCommand | undefined {
  const unit = /day|week(?!end)|month|quarter/.exec(step)?.[0] as Unit | undefined;
  const phrase = words.phrase ?? (unit && unitPhrase('this', unit));
  if (phrase === undefined) return undefined;
  const versus = (text: string) => ({ ...words, phrase, versus: parsePeriodText(text) });
  const name = formatPhrase(phrase);
  const days = { today: 'yesterday', yesterday: '2 days ago', 'last-day': '2 days ago' }[name];
  if (days !== undefined) return unit === undefined || unit === 'day' ? versus(days) : undefined;
  const [, count, of] = /^(?:last|this)-(?:(\d+)-)?([a-z]+?)s?$/.exec(name) ?? [];
  if (step.includes('same')) return phrase.kind === 'this' && unit === of ? words : undefined;
  if (step.includes('weekend')) return name === 'last-weekend' ? words : undefined;
  if (phrase.kind === 'this') return unit === undefined || unit === of ? versus(`last-${of}`) : undefined;
  // `/spend` itself compares these with as many units or days before, and a running unit with its first days.
  const length =
    phrase.kind === 'at' ? phrase.at.kind : count === undefined ? of : name === 'last-7-days' && 'week';
  const isSpan = phrase.kind === 'last' || phrase.kind === 'range';
  return (unit === undefined ? isSpan : unit !== 'day' && unit === length) ? words : undefined;
}

/** The period that may be meant if only the period to compare with is named. @throws InvalidWord */
function periodBeside(versus: Versus, today: Day | undefined): PeriodPhrase {
  if (versus === 'year-before') return unitPhrase('this', 'year');
  const unit =
    versus.kind === 'at' ? sizeOf(versus.at) : versus.kind === 'last' && versus.count === 1 && versus.unit;
  if (unit && unit !== 'day' && unit !== 'half' && !isThisMonth(versus, today))
    return unitPhrase('this', unit);
  throw refuseUnplaced(clipWord(versus.typed), 'is only one side of a comparison');
}

/** @throws InvalidWord */
function balanceCommand({ words, output, said }: QuestionReading): MadeCommand {
  const { phrase, versus, top, ...asked } = words;
  const step = said.get('stepBefore');
  if (step !== undefined) throw refuseUnplaced(clipWord(step));
  const past = said.get('past');
  if (past !== undefined) throw refuseUnplaced(past, 'is about the past, and a balance is always as of now');
  if (phrase !== undefined)
    throw new InvalidWord(
      clipWord(phrase.typed),
      'is a period, and a balance is always as of now',
      `Only ${commandText('/spend')} takes periods.`,
    );
  if (versus !== undefined || top !== undefined || output === 'why')
    throw new InvalidWord(
      versus !== undefined ? 'vs' : (said.get('why') ?? 'top'),
      'is about what was spent',
      `It works with ${commandText('/spend')}.`,
    );
  const isNamed = (asked.alias ?? asked.project) !== undefined;
  // Sorted by what runs out first.
  const most = firstSaid(said, 'rank', 'least');
  if (most !== undefined && !said.has('lasting')) throw refuseUnplaced(most);
  const ranked = firstSaid(said, 'first', 'rank', 'which', 'who');
  if (isNamed && ranked !== undefined) throw refuseUnplaced(ranked);
  // “In total” may mean all projects.
  const isTotal = said.has('total') && !isNamed && asked.several === undefined;
  const all = (ranked !== undefined || isTotal) && asked.several === undefined;
  return {
    command: {
      command: '/balance',
      text: formatParsedCommand(all ? { ...asked, several: 'all' } : asked, output),
    },
    isGuess: isTotal || said.has('rank') || said.has('who') || said.has('credit'),
  };
}

/** Lists and help. A budget is a watch. @throws InvalidWord */
function billingCommand(
  subject: Exclude<Subject, 'spend' | 'balance'>,
  { words, output, said }: QuestionReading,
  today: Day | undefined,
): MadeCommand {
  const { phrase, versus, top, product, several, ...named } = words;
  const isBudget = subject === 'budget';
  const extra =
    (phrase !== undefined && !(isBudget && isThisMonth(phrase, today)) && phrase.typed) ||
    (versus !== undefined && 'vs') ||
    (top !== undefined && 'top') ||
    (product && PRODUCTS[product].word) ||
    (output !== undefined && said.get(output)) ||
    firstSaid(said, 'compare', 'rank', 'least', 'by', 'first', 'total');
  if (extra) throw refuseUnplaced(clipWord(extra));
  const names = several === 'all' ? '' : formatParsedCommand({ ...named, several });
  if (names !== '' && !isBudget && subject !== 'watches') throw refuseUnplaced(names);
  const [command, verb] = BILLING[subject].split(' ') as [SlashCommand, string];
  const text = [verb, names, isBudget && 'budget'].filter(Boolean).join(' ');
  return { command: { command, text }, isGuess: false };
}

const BILLING: Readonly<Record<Exclude<Subject, 'spend' | 'balance'>, string>> = {
  budget: commandText('/billing watches'),
  projects: commandText('/billing projects'),
  schedules: commandText('/billing schedules'),
  watches: commandText('/billing watches'),
  help: commandText('/billing help'),
};

/** A question's words, split into the command they ask for and the rest. */
interface QuestionParts {
  /** The commands that it asks for: none, one, or two that exclude each other. */
  readonly commands: readonly SlashCommand[];
  /** The words that are not part of a question's phrase, for the grammar of commands. */
  readonly text: string;
  /** The refusal of a change without a comparison: after an answer it may mean that answer's comparison or the days before. */
  readonly change?: InvalidWord | undefined;
  /** A phrase that the command could not express. */
  readonly unplaced?: string | undefined;
  /** What it adds to an answer that it asks for once more, as a chart or a total: the total of one project may mean all. */
  readonly repeats: readonly Partial<ParsedCommand>[];
  /** Whether it asks what exists: “what do you have for october?”. */
  readonly isVague: boolean;
}

/** Splits a text into the command it asks for and the rest. @param wasBalance whether a balance was asked for before */
export function parseQuestionParts(text: string, aliases: Aliases, wasBalance = false): QuestionParts {
  const question = parseQuestionWords(text, aliases);
  const { said, rest } = question;
  const outputs = OUTPUTS.filter((role) => said.has(role));
  const isVague = said.has('have') && ![...said.keys()].some((role) => 'about' in ROLE_RULES[role]);
  const subjects = isVague ? [] : subjectsOf(question);
  const commands = subjects.flatMap((about) =>
    about === 'spend' || about === 'balance' ? [`/${about}` as const] : [],
  );
  const [subject = wasBalance ? 'balance' : 'spend'] = subjects;
  const isFigures = subject === 'spend' || subject === 'balance';
  const isMeant = (role: PhraseRole) => isFigures && applies(role, said, subject);
  const isCompared = firstSaid(said, 'why', 'than', 'which') !== undefined;
  const change = isCompared ? undefined : firstSaid(said, ...CHANGES);
  return {
    commands,
    change: change === undefined ? change : refuseUnplaced(clipWord(change)),
    unplaced: [...said].find(([role]) => !isMeant(role))?.[1],
    isVague,
    repeats: said.has('total') ? [{}, { several: 'all' }] : firstSaid(said, 'numbers', 'howLong') ? [{}] : [],
    text: [...rest.split(' ').filter((word) => word !== CLAUSE_BREAK), ...outputs].filter(Boolean).join(' '),
  };
}
