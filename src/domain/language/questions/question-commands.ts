/** What the items of a question mean as commands: those that keep every word, or the refusal of the word that none can keep. */
import { commandText, type SlashCommand } from '../../command-names.ts';
import { InvalidWord } from '../../failure/index.ts';
import { formatVersus, type NamedDays, type Versus } from '../../time/period.ts';
import {
  formatParsedCommand,
  nameOf,
  type ProjectName,
  type Reader,
  readBy,
  type SeveralProjects,
  type Words,
} from '../parsed-command.ts';
import { commandOfItems, findItemsRefusal } from '../read-command.ts';
import { type AskedItem, isEmpty, isOfCommand, type ListSubject, type Query } from './query.ts';

/** A command and what follows it, in canonical words. */
export interface QuestionCommand {
  readonly command: SlashCommand;
  readonly text: string;
}

export interface MadeCommand extends QuestionCommand {
  /** Whether another command may be meant as well. */
  readonly isGuess?: boolean;
  /** Whether only an answer before could tell the project. */
  readonly isOpen?: boolean;
  /** What is said with the offer. */
  readonly doubt?: InvalidWord | undefined;
}

/** The words that the items say. @throws InvalidWord for a product that does not follow its project */
export function wordsOf(query: Query): Words {
  const { items, reader, answered } = query;
  const saidItems = items.filter(isOfCommand).filter((item) => !isTotal(query, item));
  for (const product of query.of('product')) {
    const before = items.slice(0, items.indexOf(product)).findLast(({ kind }) => kind !== 'filler');
    if (!answered && /^[1-3]$/.test(query.typed(product)) && before?.kind !== 'project')
      throw query.refuse(product);
  }
  // Today is added to the days of the answer, or left out of them.
  const isOfAnswer = query.has('today') && !query.has('period') && answered?.words.phrase;
  const days = isOfAnswer ? [{ kind: 'period', days: isOfAnswer, start: 0, end: 0 } as const] : [];
  const refusal = isOfAnswer && findItemsRefusal('', [...days, ...query.of('today')], reader);
  if (refusal) throw query.refuse(refusal, refusal.why, refusal.works);
  const { help: _, ...words } = commandOfItems([...days, ...saidItems], reader);
  return words;
}

/** `total` with projects named is their sum. */
const isTotal = (query: Query, item: AskedItem): boolean =>
  query.has('project') && item.kind === 'all' && !item.isPer;

export const namesOf = ({ project, alias, several }: Words): readonly ProjectName[] | 'all' | undefined =>
  several ?? (alias !== undefined ? [{ alias }] : project !== undefined ? [{ project }] : undefined);

/** The words for these projects. */
export function wordsFor(names: SeveralProjects | undefined): Words {
  const none = { project: undefined, alias: undefined, several: undefined };
  if (names === undefined || names === 'all' || names.length > 1) return { ...none, several: names };
  return { ...none, ...names[0] };
}

/** The days of a canonical phrase. */
export function daysOf(text: string, reader: Reader): NamedDays {
  const [item] = readBy(text, 'PeriodOnly', reader);
  if (item?.kind !== 'period') throw new TypeError(`No period: ${text}`);
  return item.days;
}

/** Days and names alone: what to ask of them. @throws InvalidWord */
export function commandsWithoutSubject(query: Query, typed: Words): readonly MadeCommand[] {
  const words = { ...typed, ...askedProjects(query, typed) };
  const isNamed = namesOf(words) !== undefined;
  const isOutput = query.has('output', 'why', 'csv', 'details') && !words.phrase;
  const isAnd = query.items.some((item, at) => at === 0 && item.kind === 'filler' && item.word === 'and');
  const refersBack = !isNamed && (isOutput || isAnd || query.has('tail', 'it'));
  const isSpend =
    (words.versus ?? words.unit ?? words.top) !== undefined ||
    words.output === 'why' ||
    (words.phrase !== undefined && query.has('numbers', 'compare', 'all'));
  const isBare = query.items.every((item) => isEmpty(item) || item.kind !== 'word' || BARE.has(item.role));
  if (isSpend || (words.phrase && isBare && (isNamed || refersBack)))
    return spendCommands(query, words).map((made) => ({ ...made, isOpen: made.isOpen || refersBack }));
  if (refersBack && words.output)
    return [{ command: '/spend', text: formatParsedCommand(words), isOpen: true }];
  if (!isNamed || words.phrase) return [];
  return [...balanceCommands(query, words), ...spendCommands(query, words)].map((made) => ({
    ...made,
    isGuess: true,
  }));
}

const BARE: ReadonlySet<string> = new Set('compare all noun more it both we numbers'.split(' '));

/** Whether days are ranked, and not projects. */
export const isOfDays = (query: Query): boolean =>
  query.has('day', 'when') || query.of('top').some((top) => top.isOfDays);

/** The projects asked about: the named ones, all of them, or none. @throws InvalidWord */
export function askedProjects(query: Query, words: Words): Words {
  const [than] = query.of('than');
  const names = namesOf(words);
  if (than !== undefined) {
    if (names === undefined || names === 'all' || names.length > 1 || words.output === 'why')
      throw query.refuse(than);
    return wordsFor([...names, nameOf(than.name)]);
  }
  if (names !== undefined) return {};
  const isRanked =
    query.has('most', 'least', 'which', 'sorted', 'who', 'first', 'change+most') && !isOfDays(query);
  return wordsFor(isRanked || namesAll(query) ? 'all' : undefined);
}

/** Whether a word means all projects: “we”, “in total”, “where did the money go?”. */
const namesAll = (query: Query): boolean =>
  query.has('we', 'all') || query.items.some((item) => item.kind === 'word' && item.isAll);

/** Whether only an answer before could tell the project. */
const isOpen = (query: Query, words: Words): boolean => {
  const noun = query.first('noun');
  return (
    namesOf(words) === undefined &&
    (query.has('it') ||
      (noun?.kind === 'word' && noun.text === 'project' && !query.has('most', 'least', 'which', 'top')))
  );
};

const AS_OF_NOW = 'A balance is always as of now';

/** @throws InvalidWord */
export function balanceCommands(query: Query, words: Words): readonly MadeCommand[] {
  const was = query.items.find((item) => item.kind === 'word' && item.role === 'past' && item.text !== 'did');
  const isPast = was ?? (query.has('lasting') ? undefined : query.first('past'));
  const late = query.first('period', 'versus', 'unit', 'today');
  if (late) throw query.refuse(late, AS_OF_NOW, '');
  if (words.output === 'why')
    throw new InvalidWord('why', 'is about what was spent', `It works with ${commandText('/spend')}.`);
  if (!query.has('lasting')) query.refuseAny(['most', 'least', 'top']);
  const { project, alias, several, product, output } = words;
  const text = formatParsedCommand({ project, alias, several, product, output });
  const doubt = isPast && query.refuse(isPast, AS_OF_NOW, '');
  const isGuess = isPast !== undefined || query.has('credit');
  return [{ command: '/balance', text, isGuess, isOpen: isOpen(query, words), doubt }];
}

/** Words that ask whether a budget is passed, and not whether it holds. */
const OVER = /^(?:over|above|against|out of|go|goes|going|gone|went|exceed|pass|reach|blow|blew|broke)/;

/** Whether the budget holds, as an answer about the running month. @param inherited how the answer before asked it @throws InvalidWord */
export function budgetCommands(
  query: Query,
  words: Words,
  inherited?: 'budget' | 'over-budget',
): readonly MadeCommand[] {
  const { answered, reader } = query;
  const number = query.of('project').find((item) => /^\d+$/.test(query.typed(item)));
  if (answered && number) throw query.refuse(number, 'could be a project or an amount', '');
  if (words.phrase?.text !== daysOf('this-month', reader).text) query.refuseAny(['period']);
  query.refuseAny(['versus', 'unit', 'product', 'top', 'output', 'csv', 'details', 'why']);
  const isOfAnswer = answered && !namesAll(query) && !query.has('which', 'noun');
  const names = namesOf(words) ?? (isOfAnswer ? namesOf(answered.words) : undefined) ?? 'all';
  const isOver = query.items.some(
    (item) => item.kind === 'word' && /^(?:holds|budget)$/.test(item.role) && OVER.test(item.text),
  );
  const output = isOver ? 'over-budget' : (inherited ?? 'budget');
  return [{ command: '/spend', text: formatParsedCommand({ ...wordsFor(names), output }) }];
}

const LISTS: Readonly<Partial<Record<ListSubject, string>>> = { status: 'status', owner: 'projects' };

/** @throws InvalidWord */
export function listCommand(subject: ListSubject, query: Query, words: Words): MadeCommand {
  query.refuseAny(['period', 'versus', 'unit', 'product', 'top', 'output', 'csv', 'details', 'why', 'today']);
  if (subject === 'projects' || subject === 'schedules' || subject === 'help') query.refuseAny(['project']);
  const isOfProjects = subject === 'watches' && namesOf(words) !== 'all';
  const names = isOfProjects ? formatParsedCommand(wordsFor(namesOf(words))) : '';
  return { command: '/billing', text: `${LISTS[subject] ?? subject} ${names}`.trim() };
}

/** @param words with the projects, and with what a follow-up takes from the answer @throws InvalidWord */
export function spendCommands(query: Query, words: Words): readonly MadeCommand[] {
  // Each answer has the average of a day.
  const grouped = query.has('average') && words.unit === 'day' ? undefined : words.unit;
  const asked = asForecast(query, beside(query, withRank(query, { ...words, unit: grouped })));
  refuseUnspendable(query, asked);
  const made = (changed: Words, isGuess: boolean): MadeCommand => ({
    command: '/spend',
    text: formatParsedCommand({ ...asked, ...changed }),
    isGuess,
    isOpen: isOpen(query, asked),
  });
  const { phrase, unit } = asked;
  const from = phrase && /^from (?:the )?((?:last|past|previous|yesterday).*)/.exec(phrase.typed);
  // “Costs from last month” are that month's; “from” with a date begins there.
  if (from?.[1]) return [daysOf(from[1], query.reader), phrase].map((days) => made({ phrase: days }, true));
  // “What changed between september and october” is from one to the other.
  if (asked.output === 'why' && phrase && /^between\b.*\.\./.test(`${phrase.typed} ${phrase.text}`)) {
    const [versus, to] = phrase.text.split('..').map((text) => daysOf(text, query.reader));
    return [made({ phrase: to, versus }, false)];
  }
  if (unit !== undefined && unit !== 'day' && phrase === undefined)
    return [
      made({ phrase: daysOf(`last-${unit}`, query.reader), unit: undefined }, true),
      made({ phrase: daysOf(`last-12-${unit}s`, query.reader) }, true),
    ];
  return [made({}, isGuess(query, words, asked))];
}

/** Whether something else may be meant, too. */
function isGuess(query: Query, { phrase, versus, output }: Words, asked: Words): boolean {
  const isAmbiguous = query.of('versus').some((item) => item.isAmbiguous) && (!phrase || query.answered);
  const why = query.first('why');
  const isVague = why?.kind === 'output' && why.isVague && !query.has('spend') && !query.answered;
  const isChange =
    query.has('change', 'more', 'pricier') &&
    !versus &&
    output !== 'why' &&
    !query.has('which', 'than', 'either', 'most') &&
    (!phrase || query.has('amount') || !query.has('spend', 'pricier'));
  const isSide = asked.versus && !phrase && !query.has('compare', 'change', 'spend');
  return Boolean(
    (query.has('usage') && !query.has('bonus')) ||
      isAmbiguous ||
      isVague ||
      isChange ||
      (isSide && !query.of('versus').some((item) => item.isThan)),
  );
}

/** What is ranked, and in which order. @throws InvalidWord */
function withRank(query: Query, words: Words): Words {
  const isLowest = words.isLowest || query.has('least');
  const ranked = query.first('most', 'least', 'sorted');
  const [top] = query.of('top');
  if (isLowest && (query.has('most') || (words.top !== undefined && !words.isLowest)))
    throw query.refuse(query.first('least') ?? top);
  // The projects that grew most are those that made the change.
  if (query.has('change+most') && words.output === undefined)
    return { ...words, ...(namesOf(words) === undefined && wordsFor('all')), output: 'why' };
  const names = namesOf(words);
  if (isOfDays(query)) {
    const isRanking = isLowest || words.top !== undefined;
    if (isRanking && names !== undefined && (names === 'all' || names.length > 1))
      throw query.refuse(query.first('day') ?? top);
    return { ...words, ...(isRanking && { isOfDays: true, ...(isLowest && { isLowest: true }) }) };
  }
  if (ranked && names !== undefined && names !== 'all' && names.length === 1) throw query.refuse(ranked);
  return { ...words, ...(isLowest && { isLowest: true }) };
}

/** The running month, where a forecast is asked for. @throws InvalidWord for other days */
function asForecast(query: Query, words: Words): Words {
  if (!query.has('will', 'forecast', 'monthEnd')) return words;
  const month = daysOf('this-month', query.reader);
  const [period] = query.of('period');
  if (period && words.phrase && (words.phrase.first !== month.first || words.phrase.last !== month.last))
    throw query.refuse(
      period,
      'doesn’t say this month, and only that has a forecast',
      `Type ${commandText('/spend')} prod this-month.`,
    );
  const [versus] = query.of('versus');
  if (versus) throw query.refuse(versus);
  return { ...words, phrase: month, versus: undefined };
}

/** The running unit beside “than last month”. @throws InvalidWord where only one side of a comparison is said */
function beside(query: Query, words: Words): Words {
  const { versus, phrase } = words;
  if (versus === undefined) return words;
  const [item] = query.of('versus');
  const days = phrase ?? runningBeside(versus, query.reader);
  if (days === undefined) throw query.refuse(item, 'is only one side of a comparison');
  if ('text' in versus && versus.text === days.text)
    throw query.refuse(item, 'is on both sides of the comparison');
  const { rule } = days;
  const unit = 'before' in versus && versus.before;
  if (
    unit &&
    unit !== 'period' &&
    unit !== 'year' &&
    'unit' in rule &&
    rule.kind !== 'weekend' &&
    rule.unit !== unit
  )
    throw query.refuse(item);
  return { ...words, phrase: days };
}

export function runningBeside(versus: Versus, reader: Reader): NamedDays | undefined {
  const [, unit = formatVersus(versus) === 'yesterday' ? 'day' : undefined] =
    /^(?:last-)?(day|week|month|quarter|year)(?:-before)?$/.exec(formatVersus(versus)) ?? [];
  return unit === undefined ? undefined : daysOf(unit === 'day' ? 'today' : `this-${unit}`, reader);
}

/** @throws InvalidWord for words that no answer about spend keeps */
function refuseUnspendable(query: Query, { product, unit, isOfDays, several }: Words): void {
  // “How much storage did prod use” asks for gigabytes, “why does prod cost anything” for its purpose.
  if (product === 2) query.refuseAny(['usage']);
  if (query.has('why')) query.refuseAny(['any']);
  const per = query.of('all').find((item) => item.isPer);
  if (query.has('average') && (per || (unit && unit !== 'day')))
    throw query.refuse(per ?? query.first('unit'));
  if (unit && isOfDays) throw query.refuse(query.first('unit'));
  if (unit && unit !== 'day' && several) throw query.refuse(query.first('unit'), 'works for one project', '');
}
