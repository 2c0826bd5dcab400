/** A follow-up: the items of the answer before, with those on top that were said. */
import { addDays, endOfUnit, shiftUnits, startOfUnit, type Unit } from '../../time/calendar.ts';
import type { NamedDays } from '../../time/period.ts';
import { type Reader, readBy } from '../items.ts';
import {
  formatParsedCommand,
  nameOf,
  type ProjectName,
  type SeveralProjects,
  type Words,
} from '../parsed-command.ts';
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
import type { LastAnswer, Said, WordItem } from './said.ts';

/** @param subject what the question itself is about @throws InvalidWord */
export function followUpCommands(
  said: Said,
  subject: 'spend' | 'balance' | undefined,
): readonly MadeCommand[] {
  const base = said.answered;
  if (base === undefined) return [];
  const words = wordsOf(said);
  const again = wholeAnswer(said, base, words, subject);
  if (again) return again;
  checkReferences(said, words, base);
  const names = namesIn(said, words, base);
  const asksSpend =
    (words.phrase ?? words.versus ?? words.top ?? words.unit) !== undefined ||
    said.has('today', 'before', 'compare', 'least', 'pricier+than') ||
    words.output === 'why';
  const command = subject ? (`/${subject}` as const) : asksSpend ? '/spend' : base.command;
  const product = words.product ?? (subject && namesOf(words) ? undefined : base.words.product);
  const output = words.output ?? inheritedOutput(said, words, base, subject);
  const own: Words = { ...words, ...wordsFor(names), product, output };
  const made = commandsOn(said, command, own, base, subject);
  // The answer doesn't lead there, or its days are to be compared, or the number may be something else.
  const isOther = subject === undefined && base.command === '/balance' && command === '/spend';
  const isSide = words.phrase && !words.versus && said.has('more', 'pricier') && !said.has('why', 'than');
  const isOfTop = command === '/balance' && base.words.top !== undefined && !namesOf(words);
  const isShort = said.of('project').some((item) => /^\d{1,2}$/.test(said.typed(item)));
  const isGuess = isOther || isSide || isOfTop || isShort || made.length > 1;
  return made.map((each) => ({ ...each, isOpen: false, isGuess: each.isGuess || isGuess }));
}

function commandsOn(
  said: Said,
  command: LastAnswer['command'],
  words: Words,
  base: LastAnswer,
  subject: unknown,
): readonly MadeCommand[] {
  const { output } = words;
  if (command === '/balance') return balanceCommands(said, words);
  if (output === 'budget' || output === 'over-budget') return budgetCommands(said, words, output);
  const before = said.items.find((item): item is WordItem => item.role === 'before');
  if (before) return countedCommands(said, before, words, base);
  const asked = withDays(said, words, base);
  const { versus } = base.words;
  const isKept = !asked.versus && versus && subject === undefined && !wordsOf(said).output;
  // With another period, people may mean the named comparison again, or the usual one with the days before.
  const compared =
    isKept && words.phrase && 'text' in versus
      ? [{ ...asked, versus }, asked]
      : [isKept ? { ...asked, versus } : asked];
  return [...compared, ...otherDays(said, asked, base)].flatMap((each) => spendCommands(said, each));
}

/** The same answer again, or its total. @throws InvalidWord for a text that only refers to it */
function wholeAnswer(
  said: Said,
  { command, words: answered }: LastAnswer,
  words: Words,
  subject: unknown,
): readonly MadeCommand[] | undefined {
  const same = (more: Words = {}): MadeCommand => ({
    command,
    text: formatParsedCommand({ ...answered, ...more }),
  });
  if (said.has('again') && said.hasOnly('again', 'it', 'same', 'lead'))
    return said.items.filter(({ role }) => role === 'again').length > 1 ? [] : [same()];
  if (said.hasOnly('lead', 'same', 'is', 'only'))
    throw said.refuse(said.items.find(({ kind }) => kind !== 'filler'));
  const total = said.first('all');
  const isTotal = total?.kind === 'word' && total.text !== 'everything';
  if (!isTotal || subject !== undefined || words.phrase !== undefined || namesOf(words)) return undefined;
  if (answered.output === 'why') return [same({ output: undefined })];
  if (answered.several !== undefined) return [same()];
  return [same(), same(wordsFor('all'))].map((each) => ({ ...each, isGuess: true }));
}

/** Words that can refer to the answer in one way only. @throws InvalidWord */
function checkReferences(said: Said, words: Words, base: LastAnswer): void {
  const answered = namesOf(base.words);
  const both = said.first('both');
  if (both && !namesOf(words) && (answered === 'all' || answered?.length !== 2))
    throw said.refuse(both, 'needs an answer about two projects', '');
  const compared = said.first('versus', 'before');
  if (base.command === '/balance' && compared && !words.phrase && !said.has('spend'))
    throw said.refuse(compared, 'can’t be compared with a balance', '');
  const long = said.first('long');
  if (long && base.command !== '/balance' && !said.has('about:balance', 'about:spend'))
    throw said.refuse(long);
  if (said.has('same') && words.phrase?.text === 'last-year') throw said.refuse(said.first('period'));
  const loose = said.of('versus').find((item) => item.ofUnit !== undefined);
  const { rule } = base.words.phrase ?? daysOf('last-7-days', said.reader);
  if (loose && !('unit' in rule && rule.unit === loose.ofUnit)) throw said.refuse(loose);
}

/** The projects: those named, with those of the answer where it adds to them; else those of the answer. @throws InvalidWord */
function namesIn(said: Said, words: Words, { words: answered }: LastAnswer): SeveralProjects | undefined {
  const [before, named] = [namesOf(answered), namesOf(words)];
  const [than] = said.of('than');
  const added = said.of('project').find((item) => item.isAdded);
  if (added) {
    if (before === undefined || before === 'all') throw said.refuse(added);
    const names = added.names.map(nameOf);
    return distinct(added.isAdded === 'before' ? [...names, ...before] : [...before, ...names]);
  }
  // “Cheaper than staging?”, and “is staging cheaper?” than the one of the answer.
  const isBeside = said.has('more', 'pricier') && !said.has('versus', 'why') && named !== undefined;
  const one = than ? (named ?? before) : isBeside ? before : undefined;
  if (than && (one === undefined || one === 'all' || one.length > 1 || words.output === 'why'))
    throw said.refuse(than);
  if (one !== undefined && one !== 'all' && one.length === 1 && named !== 'all')
    return [...one, ...(than ? [nameOf(than.name)] : (named ?? []))];
  const isPer = said.of('all').some((item) => item.isPer);
  const areSeveral = before !== undefined && before !== 'all' && before.length > 1;
  if (named === 'all' && isPer && areSeveral) return before;
  if (named !== undefined) return named;
  if (said.has('all') && !isPer) return 'all';
  const isRanked =
    said.has('most', 'least', 'which', 'sorted', 'first') && !isOfDays(said) && !said.has('change');
  return !isRanked || (areSeveral && !said.has('noun')) ? before : 'all';
}

const distinct = (names: readonly ProjectName[]): SeveralProjects => [
  ...new Map(names.map((name) => [JSON.stringify(name), name])).values(),
];

/** `why` and the question of a budget stay; a file only where the same is asked for. */
function inheritedOutput(said: Said, words: Words, { words: { output } }: LastAnswer, subject: unknown) {
  if (subject !== undefined || words.unit !== undefined) return undefined;
  return said.has('same') || output === 'why' || output === 'budget' || output === 'over-budget'
    ? output
    : undefined;
}

/** The days of the question, or those of the answer. */
function withDays(said: Said, words: Words, { words: answered }: LastAnswer): Words {
  const { phrase, versus } = words;
  const top = words.top ?? (namesOf(words) === namesOf(answered) ? answered.top : undefined);
  const isOfDays = words.isOfDays ?? (words.top === undefined ? answered.isOfDays : undefined);
  const all = { ...words, top, isOfDays };
  if (said.has('will', 'forecast', 'monthEnd')) return all;
  const running =
    versus && said.of('versus').some((item) => item.isThan) ? runningBeside(versus, said.reader) : undefined;
  const before = answered.phrase ?? daysOf('last-7-days', said.reader);
  const isSide =
    phrase &&
    !versus &&
    said.has('compare', 'more', 'pricier') &&
    !namesOf(wordsOf(said)) &&
    !said.has('why');
  if (isSide) return { ...all, phrase: before, versus: phrase };
  return { ...all, phrase: phrase ?? running ?? answered.phrase ?? (versus && before) };
}

/** Days counted from those of the answer: “the week before”. @throws InvalidWord */
function countedCommands(
  said: Said,
  before: WordItem,
  words: Words,
  { words: answered }: LastAnswer,
): readonly MadeCommand[] {
  const { reader } = said;
  const { unit = 'week', isCompared, isEither } = before;
  const base = answered.phrase ?? daysOf('last-7-days', reader);
  const days = unitBefore(unit, base, reader);
  if (days === undefined || words.phrase !== undefined) throw said.refuse(before);
  const usual = daysOf(`last-${unit}`, reader);
  const isSame = usual.first === days.first && usual.last === days.last;
  const isOneOfTwo = !isCompared && (isEither || base.counted !== undefined);
  const meant = isSame ? [usual] : isOneOfTwo ? [days, usual] : [days];
  return meant.flatMap((phrase) =>
    spendCommands(said, { ...words, ...(isCompared ? { phrase: base, versus: phrase } : { phrase }) }),
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
function otherDays(said: Said, asked: Words, { words: { phrase: base } }: LastAnswer): readonly Words[] {
  return (['phrase', 'versus'] as const).flatMap((part): readonly Words[] => {
    const days = asked[part];
    if (base === undefined || days === undefined || !('typed' in days) || days === base || days.counted)
      return [];
    const other = FIXED.test(days.typed) ? undefined : inAnswer(days.typed, base, said.reader);
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
