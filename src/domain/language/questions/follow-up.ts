/** A follow-up: the items of the answer before, with those on top that were said. */
import { addDays, endOfUnit, shiftUnits, startOfUnit, type Unit } from '../../time/calendar.ts';
import type { NamedDays } from '../../time/period.ts';
import {
  formatParsedCommand,
  nameOf,
  type ProjectName,
  type Reader,
  readBy,
  type SeveralProjects,
  type Words,
} from '../parsed-command.ts';
import type { LastAnswer, Query, WordItem } from './query.ts';
import {
  balanceCommands,
  budgetCommands,
  daysOf,
  isOfDays,
  type MadeCommand,
  namesOf,
  runningBeside,
  spendCommands,
  wordsFor,
  wordsOf,
} from './question-commands.ts';

/** @param subject what the question itself is about @throws InvalidWord */
export function followUpCommands(
  query: Query,
  subject: 'spend' | 'balance' | undefined,
): readonly MadeCommand[] {
  const base = query.answered;
  if (base === undefined) return [];
  const words = wordsOf(query);
  const again = wholeAnswer(query, base, words, subject);
  if (again) return again;
  checkReferences(query, words, base);
  const names = namesIn(query, words, base);
  const asksSpend =
    (words.phrase ?? words.versus ?? words.top ?? words.unit) !== undefined ||
    query.has('today', 'before', 'compare', 'least', 'pricier+than') ||
    words.output === 'why';
  const command = subject ? (`/${subject}` as const) : asksSpend ? '/spend' : base.command;
  const product = words.product ?? (subject && namesOf(words) ? undefined : base.words.product);
  const output = words.output ?? inheritedOutput(query, words, base, subject);
  const asked: Words = { ...words, ...wordsFor(names), product, output };
  const made = commandsOn(query, command, asked, base, subject);
  // The answer doesn't lead there, or its days are to be compared, or the number may be something else.
  const isOther = subject === undefined && base.command === '/balance' && command === '/spend';
  const isSide = words.phrase && !words.versus && query.has('more', 'pricier') && !query.has('why', 'than');
  const isOfTop = command === '/balance' && base.words.top !== undefined && !namesOf(words);
  const isShort = query.of('project').some((item) => /^\d{1,2}$/.test(query.typed(item)));
  const isGuess = isOther || isSide || isOfTop || isShort || made.length > 1;
  return made.map((each) => ({ ...each, isOpen: false, isGuess: each.isGuess || isGuess }));
}

function commandsOn(
  query: Query,
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
  // With another period, people may mean the named comparison again, or the usual one with the days before.
  const compared =
    isKept && words.phrase && 'text' in versus
      ? [{ ...asked, versus }, asked]
      : [isKept ? { ...asked, versus } : asked];
  return [...compared, ...otherDays(query, asked, base)].flatMap((each) => spendCommands(query, each));
}

/** The same answer again, or its total. @throws InvalidWord for a text that only refers to it */
function wholeAnswer(
  query: Query,
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

/** Words that can refer to the answer in one way only. @throws InvalidWord */
function checkReferences(query: Query, words: Words, base: LastAnswer): void {
  const answered = namesOf(base.words);
  const both = query.first('both');
  if (both && !namesOf(words) && (answered === 'all' || answered?.length !== 2))
    throw query.refuse(both, 'needs an answer about two projects', '');
  const compared = query.first('versus', 'before');
  if (base.command === '/balance' && compared && !words.phrase && !query.has('spend'))
    throw query.refuse(compared, 'can’t be compared with a balance', '');
  const long = query.first('long');
  if (long && base.command !== '/balance' && !query.has('about:balance', 'about:spend'))
    throw query.refuse(long);
  if (query.has('same') && words.phrase?.text === 'last-year') throw query.refuse(query.first('period'));
  const loose = query.of('versus').find((item) => item.ofUnit !== undefined);
  const { rule } = base.words.phrase ?? daysOf('last-7-days', query.reader);
  if (loose && !('unit' in rule && rule.unit === loose.ofUnit)) throw query.refuse(loose);
}

/** The projects: those named, with those of the answer where it adds to them; else those of the answer. @throws InvalidWord */
function namesIn(query: Query, words: Words, { words: answered }: LastAnswer): SeveralProjects | undefined {
  const [before, named] = [namesOf(answered), namesOf(words)];
  const [than] = query.of('than');
  const added = query.of('project').find((item) => item.isAdded);
  if (added) {
    if (before === undefined || before === 'all') throw query.refuse(added);
    const names = added.names.map(nameOf);
    return distinct(added.isAdded === 'before' ? [...names, ...before] : [...before, ...names]);
  }
  // “Cheaper than staging?”, and “is staging cheaper?” than the one of the answer.
  const isBeside = query.has('more', 'pricier') && !query.has('versus', 'why') && named !== undefined;
  const one = than ? (named ?? before) : isBeside ? before : undefined;
  if (than && (one === undefined || one === 'all' || one.length > 1 || words.output === 'why'))
    throw query.refuse(than);
  if (one !== undefined && one !== 'all' && one.length === 1 && named !== 'all')
    return [...one, ...(than ? [nameOf(than.name)] : (named ?? []))];
  const isPer = query.of('all').some((item) => item.isPer);
  const areSeveral = before !== undefined && before !== 'all' && before.length > 1;
  if (named === 'all' && isPer && areSeveral) return before;
  if (named !== undefined) return named;
  if (query.has('all') && !isPer) return 'all';
  const isRanked =
    query.has('most', 'least', 'which', 'sorted', 'first') && !isOfDays(query) && !query.has('change');
  return !isRanked || (areSeveral && !query.has('noun')) ? before : 'all';
}

const distinct = (names: readonly ProjectName[]): SeveralProjects => [
  ...new Map(names.map((name) => [JSON.stringify(name), name])).values(),
];

/** `why` and the question of a budget stay; a file only where the same is asked for. */
function inheritedOutput(query: Query, words: Words, { words: { output } }: LastAnswer, subject: unknown) {
  if (subject !== undefined || words.unit !== undefined) return undefined;
  return query.has('same') || output === 'why' || output === 'budget' || output === 'over-budget'
    ? output
    : undefined;
}

/** The days of the question, or those of the answer. */
function withDays(query: Query, words: Words, { words: answered }: LastAnswer): Words {
  const { phrase, versus } = words;
  const top = words.top ?? (namesOf(words) === namesOf(answered) ? answered.top : undefined);
  const isOfDays = words.isOfDays ?? (words.top === undefined ? answered.isOfDays : undefined);
  const all = { ...words, top, isOfDays };
  if (query.has('will', 'forecast', 'monthEnd')) return all;
  const running =
    versus && query.of('versus').some((item) => item.isThan)
      ? runningBeside(versus, query.reader)
      : undefined;
  const before = answered.phrase ?? daysOf('last-7-days', query.reader);
  const isSide =
    phrase &&
    !versus &&
    query.has('compare', 'more', 'pricier') &&
    !namesOf(wordsOf(query)) &&
    !query.has('why');
  if (isSide) return { ...all, phrase: before, versus: phrase };
  return { ...all, phrase: phrase ?? running ?? answered.phrase ?? (versus && before) };
}

/** Days counted from those of the answer: “the week before”. @throws InvalidWord */
function countedCommands(
  query: Query,
  before: WordItem,
  words: Words,
  { words: answered }: LastAnswer,
): readonly MadeCommand[] {
  const { reader } = query;
  const { unit = 'week', isCompared, isEither } = before;
  const base = answered.phrase ?? daysOf('last-7-days', reader);
  const days = unitBefore(unit, base, reader);
  if (days === undefined || words.phrase !== undefined) throw query.refuse(before);
  const usual = daysOf(`last-${unit}`, reader);
  const isSame = usual.first === days.first && usual.last === days.last;
  const isOneOfTwo = !isCompared && (isEither || base.counted !== undefined);
  const meant = isSame ? [usual] : isOneOfTwo ? [days, usual] : [days];
  return meant.flatMap((phrase) =>
    spendCommands(query, { ...words, ...(isCompared ? { phrase: base, versus: phrase } : { phrase }) }),
  );
}

/** The whole unit before the one that the days are, or 7 days before as many. */
function unitBefore(
  unit: Unit,
  { first, last, rule, counted }: NamedDays,
  reader: Reader,
): NamedDays | undefined {
  const text = (from: string, to: string) => daysOf(from === to ? from : `${from}..${to}`, reader);
  if (counted === 7 && unit === 'week') return text(addDays(first, -7), addDays(last, -7));
  const start = startOfUnit(unit, first);
  const isUnit = start === first && (endOfUnit(unit, first) === last || rule.kind === 'running');
  return isUnit && last <= endOfUnit(unit, first)
    ? text(shiftUnits(unit, start, -1), addDays(start, -1))
    : undefined;
}

/** Words that count from today, or name a year: their days are the same wherever they are said. */
const FIXED = /\b(?:ago|yesterday|today|last|past|previous|prev|prior|this|current|since|now)\b|\d{4}/;

/** “And September?” after October 2025 may be that of the answer's year, “the 15th” or “the first half” a part of its month. */
function otherDays(query: Query, asked: Words, { words: { phrase: base } }: LastAnswer): readonly Words[] {
  return (['phrase', 'versus'] as const).flatMap((part): readonly Words[] => {
    const days = asked[part];
    if (base === undefined || days === undefined || !('typed' in days) || days === base || days.counted)
      return [];
    const other = FIXED.test(days.typed) ? undefined : inAnswer(days.typed, base, query.reader);
    const isOther = other && other.first !== days.first && other.text !== base.text;
    return isOther ? [{ ...asked, [part]: other }] : [];
  });
}

/** The days that words mean as of the answer's. */
function inAnswer(typed: string, base: NamedDays, reader: Reader): NamedDays | undefined {
  const month = base.first.slice(0, 7);
  if (/^(?:the )?(?:first|second) half$/.test(typed) && month === base.last.slice(0, 7))
    return daysOf(`${typed.replace('the ', '')} of ${month}`, reader);
  const year = base.last.slice(0, 4);
  for (const today of [addDays(base.last, 1), base.last, `${year}-12-31`]) {
    const [item] = today < reader.today ? readBy(typed, 'PeriodOnly', { ...reader, today }) : [];
    if (item?.kind !== 'period') continue;
    const { first, last, rule } = item.days;
    const isWithin = first >= base.first && last <= base.last;
    if (isWithin || (today.endsWith('12-31') && first.startsWith(year) && 'unit' in rule)) return item.days;
  }
  return undefined;
}
