/** Turns a question's items into commands that keep every word. A word that doesn't fit throws InvalidWord. */
import { commandText, type SlashCommand } from '../../command-names.ts';
import { InvalidWord } from '../../failure/index.ts';
import { addDays, endOfUnit, shiftUnits, startOfUnit, type Unit } from '../../time/calendar.ts';
import { formatVersus, type NamedDays, type Versus } from '../../time/period.ts';
import { type ParseContext, parseItems } from '../command-items.ts';
import { BALANCE_IS_NOW, commandOfItems, findItemsRefusal } from '../parse-command-text.ts';
import {
  formatParsedCommand,
  type ProjectName,
  type SeveralProjects,
  toProjectName,
  type Words,
} from '../parsed-command.ts';
import {
  type AskedItem,
  isEmpty,
  isOfCommand,
  type LastAnswer,
  type ListSubject,
  type QuestionItems,
  type WordItem,
} from './question-items.ts';

export interface QuestionCommand {
  readonly command: SlashCommand;
  readonly text: string;
}

export interface MadeCommand extends QuestionCommand {
  /** Whether to offer the command instead of running it, because the question may mean something else. */
  readonly isGuess?: boolean;
  /** Whether the question doesn't say which project it is about. */
  readonly isOpen?: boolean;
  readonly doubt?: InvalidWord | undefined;
}

export function wordsOf(query: QuestionItems): Words {
  const { items, context, answered } = query;
  const saidItems = items.filter(isOfCommand).filter((item) => !isTotal(query, item));
  for (const product of query.of('product')) {
    const before = items.slice(0, items.indexOf(product)).findLast(({ kind }) => kind !== 'filler');
    if (!answered && /^[1-3]$/.test(query.typed(product)) && before?.kind !== 'project')
      throw query.refuse(product);
  }
  // “Without today” changes the days of the last answer.
  const isOfAnswer = query.has('today') && !query.has('period') && answered?.words.phrase;
  const days = isOfAnswer ? [{ kind: 'period', days: isOfAnswer, start: 0, end: 0 } as const] : [];
  const refusal = isOfAnswer && findItemsRefusal('', [...days, ...query.of('today')], context);
  if (refusal) throw query.refuse(refusal, refusal.why, refusal.works);
  const { help: _, ...words } = commandOfItems([...days, ...saidItems], context);
  return words;
}

/** With named projects, `total` means their sum, not all projects. */
const isTotal = (query: QuestionItems, item: AskedItem): boolean =>
  query.has('project') && item.kind === 'all' && !item.isPer;

export const namesOf = ({ project, alias, several }: Words): readonly ProjectName[] | 'all' | undefined =>
  several ?? (alias !== undefined ? [{ alias }] : project !== undefined ? [{ project }] : undefined);

export function wordsFor(names: SeveralProjects | undefined): Words {
  const none = { project: undefined, alias: undefined, several: undefined };
  if (names === undefined || names === 'all' || names.length > 1) return { ...none, several: names };
  return { ...none, ...names[0] };
}

function daysOf(text: string, context: ParseContext): NamedDays {
  const [item] = parseItems(text, 'PeriodOnly', context);
  if (item?.kind !== 'period') throw new TypeError(`No period: ${text}`);
  return item.days;
}

export function commandsWithoutSubject(query: QuestionItems, typed: Words): readonly MadeCommand[] {
  const words = withProjects(query, typed);
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

const isOfDays = (query: QuestionItems): boolean =>
  query.has('day', 'when') || query.of('top').some((top) => top.isOfDays);

export const withProjects = (query: QuestionItems, words: Words): Words => ({
  ...words,
  ...wordsFor(askedProjects(query, words)),
});

function askedProjects(query: QuestionItems, words: Words): SeveralProjects | undefined {
  const { answered } = query;
  const [named, before] = [namesOf(words), answered && namesOf(answered.words)];
  const [than] = query.of('than');
  const added = query.of('project').find((item) => item.isAdded);
  if (added) {
    if (before === undefined || before === 'all') throw query.refuse(added);
    const names = added.names.map(toProjectName);
    return distinct(added.isAdded === 'before' ? [...names, ...before] : [...before, ...names]);
  }
  // “Is staging cheaper?” compares staging with the last answer's project.
  const isBeside = query.has('more', 'pricier') && !query.has('versus', 'why') && named !== undefined;
  const one = than ? (named ?? before) : isBeside ? before : undefined;
  if (than && (countOf(one) !== 1 || words.output === 'why')) throw query.refuse(than);
  if (one !== undefined && one !== 'all' && one.length === 1 && named !== 'all')
    return [...one, ...(than ? [toProjectName(than.name)] : (named ?? []))];
  const isPer = query.of('all').some((item) => item.isPer);
  const areSeveral = before !== undefined && before !== 'all' && before.length > 1;
  if (named === 'all' && isPer && areSeveral) return before;
  if (named !== undefined) return named;
  if (answered ? query.has('all') && !isPer : namesAll(query)) return 'all';
  const isRanked =
    query.has('most', 'least', 'which', 'sorted', 'who', 'first') &&
    !isOfDays(query) &&
    !(answered && query.has('change'));
  const them = query.items.find((item) => item.kind === 'word' && /^th(?:em|ese|ose)$/.test(item.text));
  if (isRanked && them && !areSeveral && before !== 'all')
    throw query.refuse(them, 'needs an answer about several projects', '');
  return isRanked && (!areSeveral || query.has('noun')) ? 'all' : before;
}

const countOf = (names: SeveralProjects | undefined): number =>
  names === 'all' ? Number.POSITIVE_INFINITY : (names?.length ?? 0);

const distinct = (names: readonly ProjectName[]): SeveralProjects => [
  ...new Map(names.map((name) => [JSON.stringify(name), name])).values(),
];

/** Whether a word means all projects: “we”, “in total”, “where did the money go?”. */
const namesAll = (query: QuestionItems): boolean =>
  query.has('we', 'all') || query.items.some((item) => item.kind === 'word' && item.isAll);

/** Whether the question says only “it” or “the project”. */
const isOpen = (query: QuestionItems, words: Words): boolean => {
  const noun = query.first('noun');
  return (
    namesOf(words) === undefined &&
    (query.has('it') ||
      (noun?.kind === 'word' && noun.text === 'project' && !query.has('most', 'least', 'which', 'top')))
  );
};

export function balanceCommands(query: QuestionItems, words: Words): readonly MadeCommand[] {
  const was = query.items.find((item) => item.kind === 'word' && item.role === 'past' && item.text !== 'did');
  const past = was ?? (query.has('lasting') ? undefined : query.first('past'));
  const notNow = query.first('period', 'versus', 'unit', 'today', 'refused') ?? past;
  if (words.output === 'why')
    throw new InvalidWord('why', 'is about what was spent', `It works with ${commandText('/spend')}.`);
  if (!query.has('lasting')) query.refuseAny(['most', 'least', 'top']);
  const { project, alias, several, product, output } = words;
  const text = formatParsedCommand({ project, alias, several, product, output });
  const doubt = notNow && query.refuse(notNow, BALANCE_IS_NOW, '');
  const isGuess = notNow !== undefined || query.has('credit');
  return [{ command: '/balance', text, isGuess, isOpen: isOpen(query, words), doubt }];
}

const OVER = /^(?:over|above|against|out of|go|goes|going|gone|went|exceed|pass|reach|blow|blew|broke)/;

export function budgetCommands(
  query: QuestionItems,
  words: Words,
  inherited?: 'budget' | 'over-budget',
): readonly MadeCommand[] {
  const { answered, context } = query;
  const number = query.of('project').find((item) => /^\d+$/.test(query.typed(item)));
  if (answered && number) throw query.refuse(number, 'could be a project or an amount', '');
  if (words.phrase?.text !== daysOf('this-month', context).text) query.refuseAny(['period']);
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

export function listCommand(subject: ListSubject, query: QuestionItems): MadeCommand {
  query.refuseAny(['period', 'versus', 'unit', 'product', 'top', 'output', 'csv', 'details', 'why', 'today']);
  if (subject !== 'status' && subject !== 'owner') query.refuseAny(['project']);
  return { command: '/billing', text: LISTS[subject] ?? subject };
}

export function spendCommands(query: QuestionItems, words: Words): readonly MadeCommand[] {
  // Every answer shows a daily average, so “average per day” needs no grouping.
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
  // “Costs from last month” may mean that month, or everything since it began.
  if (from?.[1]) return [daysOf(from[1], query.context), phrase].map((days) => made({ phrase: days }, true));
  // “What changed between september and october” compares the two months.
  if (asked.output === 'why' && phrase && /^between\b.*\.\./.test(`${phrase.typed} ${phrase.text}`)) {
    const [versus, to] = phrase.text.split('..').map((text) => daysOf(text, query.context));
    return [made({ phrase: to, versus }, false)];
  }
  if (unit !== undefined && unit !== 'day' && phrase === undefined)
    return [
      made({ phrase: daysOf(`last-${unit}`, query.context), unit: undefined }, true),
      made({ phrase: daysOf(`last-12-${unit}s`, query.context) }, true),
    ];
  return [made({}, isGuess(query, words, asked))];
}

function isGuess(query: QuestionItems, { phrase, versus, output }: Words, asked: Words): boolean {
  const isAmbiguous = query.of('versus').some((item) => item.isAmbiguous) && (!phrase || query.answered);
  const why = query.first('why');
  const isVague = why?.kind === 'output' && why.isAmbiguous && !query.has('spend') && !query.answered;
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

function withRank(query: QuestionItems, words: Words): Words {
  const isLowest = words.isLowest || query.has('least') || asksForLess(query, words);
  const ranked = query.first('most', 'least', 'sorted');
  const [top] = query.of('top');
  if (isLowest && (query.has('most') || (words.top !== undefined && !words.isLowest)))
    throw query.refuse(query.first('least') ?? top);
  // “Which grew most” asks why spend changed.
  if (query.has('change+most') && words.output === undefined)
    return { ...words, ...(namesOf(words) === undefined && wordsFor('all')), output: 'why' };
  const names = namesOf(words);
  if (isOfDays(query)) {
    const isRanking = isLowest || words.top !== undefined;
    if (isRanking && countOf(names) > 1) throw query.refuse(query.first('day') ?? top);
    return { ...words, ...(isRanking && { isOfDays: true, ...(isLowest && { isLowest: true }) }) };
  }
  if (ranked && countOf(names) === 1) throw query.refuse(ranked);
  return { ...words, ...(isLowest && { isLowest: true }) };
}

/** Whether “which is cheaper?” or “prod or staging, which costs less?” asks for the smallest of several projects. */
const asksForLess = (query: QuestionItems, words: Words): boolean =>
  query.has('which', 'either') &&
  !query.has('than', 'versus', 'change') &&
  countOf(namesOf(words)) > 1 &&
  query.items.some((item) => item.kind === 'word' && /^(?:cheaper|less|lower|smaller)$/.test(item.text));

/** Refuses days other than this month, because only a running month has a forecast. */
function asForecast(query: QuestionItems, words: Words): Words {
  if (!query.has('will', 'forecast', 'monthEnd')) return words;
  const month = daysOf('this-month', query.context);
  const [period] = query.of('period');
  if (period && words.phrase && (words.phrase.first !== month.first || words.phrase.last !== month.last))
    throw query.refuse(
      period,
      'isn’t this month, and only this month has a forecast',
      `Type ${commandText('/spend')} prod this-month.`,
    );
  const [versus] = query.of('versus');
  if (versus) throw query.refuse(versus);
  return { ...words, phrase: month, versus: undefined };
}

/** “More than last month” compares this month with last month. */
function beside(query: QuestionItems, words: Words): Words {
  const { versus, phrase } = words;
  if (versus === undefined) return words;
  const [item] = query.of('versus');
  const days = phrase ?? runningBeside(versus, query.context);
  if (days === undefined) throw query.refuse(item, 'is only one side of a comparison');
  if ('text' in versus && versus.text === days.text)
    throw query.refuse(item, 'is on both sides of the comparison');
  const { rule } = days;
  const unit = 'before' in versus ? versus.before : undefined;
  const own = 'unit' in rule && rule.kind !== 'weekend' ? rule.unit : unit;
  if (unit !== own && unit !== undefined && unit !== 'period' && unit !== 'year') throw query.refuse(item);
  return { ...words, phrase: days };
}

function runningBeside(versus: Versus, context: ParseContext): NamedDays | undefined {
  const [, unit = formatVersus(versus) === 'yesterday' ? 'day' : undefined] =
    /^(?:last-)?(day|week|month|quarter|year)(?:-before)?$/.exec(formatVersus(versus)) ?? [];
  return unit === undefined ? undefined : daysOf(unit === 'day' ? 'today' : `this-${unit}`, context);
}

function refuseUnspendable(query: QuestionItems, { product, unit, isOfDays, several }: Words): void {
  // “How much storage did prod use” asks for gigabytes, “why does prod cost anything” for its purpose.
  if (product === 2) query.refuseAny(['usage']);
  if (query.has('why')) query.refuseAny(['any']);
  const per = query.of('all').find((item) => item.isPer);
  if (query.has('average') && (per || (unit && unit !== 'day')))
    throw query.refuse(per ?? query.first('unit'));
  if (unit && isOfDays) throw query.refuse(query.first('unit'));
  if (unit && unit !== 'day' && several)
    throw query.refuse(query.first('unit'), 'works for one project only', '');
}

export function followUpCommands(
  query: QuestionItems,
  subject: 'spend' | 'balance' | undefined,
): readonly MadeCommand[] {
  const base = query.answered;
  if (base === undefined) return [];
  const words = wordsOf(query);
  const again = wholeAnswer(query, base, words, subject);
  if (again) return again;
  checkReferences(query, words, base);
  const asksSpend =
    (words.phrase ?? words.versus ?? words.top ?? words.unit) !== undefined ||
    query.has('today', 'before', 'compare', 'least', 'pricier') ||
    words.output === 'why';
  const command = subject ? (`/${subject}` as const) : asksSpend ? '/spend' : base.command;
  const product = words.product ?? (subject && namesOf(words) ? undefined : base.words.product);
  const output = words.output ?? inheritedOutput(query, words, base, subject);
  const asked: Words = { ...withProjects(query, words), product, output };
  const made = commandsOn(query, command, asked, base, subject);
  // Offers the command instead of running it if the last answer had another command, or if a word is ambiguous.
  const isOther = subject === undefined && base.command === '/balance' && command === '/spend';
  const isSide = words.phrase && !words.versus && query.has('more', 'pricier') && !query.has('why', 'than');
  const isOfTop = command === '/balance' && base.words.top !== undefined && !namesOf(words);
  const isShort = query.of('project').some((item) => /^\d{1,2}$/.test(query.typed(item)));
  const isGuess = isOther || isSide || isOfTop || isShort || made.length > 1;
  return made.map((each) => ({ ...each, isOpen: false, isGuess: each.isGuess || isGuess }));
}

function commandsOn(
  query: QuestionItems,
  command: LastAnswer['command'],
  words: Words,
  base: LastAnswer,
  subject: unknown,
): readonly MadeCommand[] {
  const { output } = words;
  if (command === '/balance') return balanceCommands(query, words);
  if (output === 'budget' || output === 'over-budget') return budgetCommands(query, words, output);
  const before = query.items.find((item): item is WordItem => item.role === 'before');
  if (before) return countedCommands(query, before, words, base);
  const asked = withDays(query, words, base);
  const { versus } = base.words;
  const isKept = !asked.versus && versus && subject === undefined && !wordsOf(query).output;
  // For a new period, offers both the last answer's comparison and the default one.
  const compared =
    isKept && words.phrase && 'text' in versus
      ? [{ ...asked, versus }, asked]
      : [isKept ? { ...asked, versus } : asked];
  return [...compared, ...otherDays(query, asked, base)].flatMap((each) => spendCommands(query, each));
}

/** “Again” asks for the last answer, “in total” for its sum. */
function wholeAnswer(
  query: QuestionItems,
  { command, words: answered }: LastAnswer,
  words: Words,
  subject: unknown,
): readonly MadeCommand[] | undefined {
  const same = (more: Words = {}): MadeCommand => ({
    command,
    text: formatParsedCommand({ ...answered, ...more }),
  });
  if (query.has('again') && query.hasOnly('again', 'it', 'same', 'lead'))
    return query.items.filter(({ role }) => role === 'again').length > 1 ? [] : [same()];
  if (query.hasOnly('lead', 'same', 'is', 'only'))
    throw query.refuse(query.items.find(({ kind }) => kind !== 'filler'));
  const total = query.first('all');
  const isTotal = total?.kind === 'word' && total.text !== 'everything';
  if (!isTotal || subject !== undefined || words.phrase !== undefined || namesOf(words)) return undefined;
  if (answered.output === 'why') return [same({ output: undefined })];
  if (answered.several !== undefined) return [same()];
  return [same(), same(wordsFor('all'))].map((each) => ({ ...each, isGuess: true }));
}

/** Refuses words that don't fit the last answer, such as “both” after an answer about one project. */
function checkReferences(query: QuestionItems, words: Words, base: LastAnswer): void {
  const answered = namesOf(base.words);
  const both = query.first('both');
  if (both && !namesOf(words) && countOf(answered) !== 2)
    throw query.refuse(both, 'needs an answer about two projects', '');
  const compared = query.first('versus', 'before');
  if (base.command === '/balance' && compared && !words.phrase && !query.has('spend'))
    throw query.refuse(compared, 'can’t be compared with a balance', '');
  const long = query.first('long');
  if (long && base.command !== '/balance' && !query.has('about:balance', 'about:spend'))
    throw query.refuse(long);
  if (query.has('same') && words.phrase?.text === 'last-year') throw query.refuse(query.first('period'));
  const loose = query.of('versus').find((item) => item.ofUnit !== undefined);
  const { rule } = base.words.phrase ?? daysOf('last-7-days', query.context);
  if (loose && !('unit' in rule && rule.unit === loose.ofUnit)) throw query.refuse(loose);
}

/** A follow-up keeps the last answer's “why” or budget question, but its CSV or Details only if it says “same”. */
function inheritedOutput(
  query: QuestionItems,
  words: Words,
  { words: { output } }: LastAnswer,
  subject: unknown,
) {
  if (subject !== undefined || words.unit !== undefined) return undefined;
  return query.has('same') || output === 'why' || output === 'budget' || output === 'over-budget'
    ? output
    : undefined;
}

function withDays(query: QuestionItems, words: Words, { words: answered }: LastAnswer): Words {
  const { phrase, versus } = words;
  const isSame = namesOf(words) === namesOf(answered) && !namesAll(query);
  const isOther = query.has('why', 'will', 'forecast', 'monthEnd') || words.output !== undefined;
  const isRanked = (words.top ?? words.isLowest ?? words.isOfDays) !== undefined;
  const { top, isLowest, isOfDays } = answered;
  const all = isRanked || isOther || !(isOfDays || isSame) ? words : { ...words, top, isLowest, isOfDays };
  if (query.has('will', 'forecast', 'monthEnd')) return all;
  const running =
    versus && query.of('versus').some((item) => item.isThan)
      ? runningBeside(versus, query.context)
      : undefined;
  const before = answered.phrase ?? daysOf('last-7-days', query.context);
  const isSide =
    phrase &&
    !versus &&
    query.has('compare', 'more', 'pricier') &&
    !namesOf(wordsOf(query)) &&
    !query.has('why');
  if (isSide) return { ...all, phrase: before, versus: phrase };
  return { ...all, phrase: phrase ?? running ?? answered.phrase ?? (versus && before) };
}

/** “The week before” is counted from the last answer's days. */
function countedCommands(
  query: QuestionItems,
  before: WordItem,
  words: Words,
  { words: answered }: LastAnswer,
): readonly MadeCommand[] {
  const { context } = query;
  const { unit = 'week', isCompared, isEither } = before;
  const base = answered.phrase ?? daysOf('last-7-days', context);
  const days = unitBefore(unit, base, context);
  if (days === undefined || words.phrase !== undefined) throw query.refuse(before);
  const usual = daysOf(`last-${unit}`, context);
  const isSame = usual.first === days.first && usual.last === days.last;
  const isOneOfTwo = !isCompared && (isEither || base.counted !== undefined);
  const meant = isSame ? [usual] : isOneOfTwo ? [days, usual] : [days];
  return meant.flatMap((phrase) =>
    spendCommands(query, { ...words, ...(isCompared ? { phrase: base, versus: phrase } : { phrase }) }),
  );
}

function unitBefore(
  unit: Unit,
  { first, last, rule, counted }: NamedDays,
  context: ParseContext,
): NamedDays | undefined {
  const text = (from: string, to: string) => daysOf(from === to ? from : `${from}..${to}`, context);
  if (counted === 7 && unit === 'week') return text(addDays(first, -7), addDays(last, -7));
  const start = startOfUnit(unit, first);
  const isUnit = start === first && (endOfUnit(unit, first) === last || rule.kind === 'running');
  return isUnit && last <= endOfUnit(unit, first)
    ? text(shiftUnits(unit, start, -1), addDays(start, -1))
    : undefined;
}

/** Phrases that mean the same days after any answer, because they are relative to today or name a year. */
const FIXED = /\b(?:ago|yesterday|today|last|past|previous|prev|prior|this|current|since|now)\b|\d{4}/;

/** After an answer about October 2025, “September” may be in 2025, and “the 15th” in October. */
function otherDays(
  query: QuestionItems,
  asked: Words,
  { words: { phrase: base } }: LastAnswer,
): readonly Words[] {
  return (['phrase', 'versus'] as const).flatMap((part): readonly Words[] => {
    const days = asked[part];
    if (base === undefined || days === undefined || !('typed' in days) || days === base || days.counted)
      return [];
    const other = FIXED.test(days.typed) ? undefined : inAnswer(days.typed, base, query.context);
    const isOther = other && other.first !== days.first && other.text !== base.text;
    return isOther ? [{ ...asked, [part]: other }] : [];
  });
}

function inAnswer(typed: string, base: NamedDays, context: ParseContext): NamedDays | undefined {
  const month = base.first.slice(0, 7);
  if (/^(?:the )?(?:first|second) half$/.test(typed) && month === base.last.slice(0, 7))
    return daysOf(`${typed.replace('the ', '')} of ${month}`, context);
  const year = base.last.slice(0, 4);
  for (const today of [base.last, `${year}-12-31`]) {
    const [item] = today < context.today ? parseItems(typed, 'PeriodOnly', { ...context, today }) : [];
    if (item?.kind !== 'period') continue;
    const { first, last, rule } = item.days;
    const isWithin = first >= base.first && last <= base.last;
    if (isWithin || ('unit' in rule && first.startsWith(year))) return item.days;
  }
  return undefined;
}
