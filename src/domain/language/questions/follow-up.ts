/** A follow-up: the items of the answer before, with those on top that were said. */
import { addDays, endOfUnit, shiftUnits, startOfUnit, type Unit } from '../../time/calendar.ts';
import type { NamedDays } from '../../time/period.ts';
import { type Reader, readBy } from '../items.ts';
import { formatParsedCommand, type SeveralProjects } from '../parsed-command.ts';

import {
  balanceCommands,
  budgetCommands,
  daysOf,
  isOfDays,
  type MadeCommand,
  nameOf,
  namesOf,
  runningBeside,
  spendCommands,
  type Words,
  wordsFor,
  wordsOf,
} from './question-commands.ts';
import type { AskedItem, LastAnswer, Said, WordItem } from './said.ts';

/** @param subject what the question itself is about @throws InvalidWord */
export function followUpCommands(
  said: Said,
  subject: 'spend' | 'balance' | undefined,
): readonly MadeCommand[] {
  const base = said.answered;
  if (base === undefined) return [];
  const words = wordsOf(said);
  const whole = wholeAnswer(said, base, words, subject);
  if (whole) return whole;
  checkReferences(said, words, base);
  const names = namesIn(said, words, base);
  const [isCompared, projects] = besideAnswer(said, words, names, base);
  const command = subject ? (`/${subject}` as const) : asksSpend(said, words) ? '/spend' : base.command;
  const product = words.product ?? (subject && namesOf(words) ? undefined : base.words.product);
  const output = words.output ?? inheritedOutput(said, words, base, subject);
  const own: Words = { ...words, ...wordsFor(projects), product, output };
  const isGuess = isCompared || isUnsure(said, words, base, subject);
  const guess = (made: readonly MadeCommand[], isUnsureToo = false) =>
    made.map((each) => ({
      ...each,
      isOpen: false,
      isGuess: each.isGuess || isGuess || isUnsureToo || made.length > 1,
    }));
  if (command === '/balance')
    return guess(balanceCommands(said, own), base.words.top !== undefined && !namesOf(words));
  if (output === 'budget' || output === 'over-budget')
    return budgetCommands(said, { ...words, ...wordsFor(projects) }, output);
  const before = said.items.find((item): item is WordItem => item.role === 'before');
  if (before) return guess(countedCommands(said, before, own, base));
  const asked = withDays(said, own, base);
  const made = [...comparedWith(said, asked, words, base, subject), ...otherDays(said, asked, base)];
  return guess(made.flatMap((each) => spendCommands(said, each)));
}

/** The same answer again, or its total. @throws InvalidWord for a text that only refers to it */
function wholeAnswer(
  said: Said,
  base: LastAnswer,
  words: Words,
  subject: unknown,
): readonly MadeCommand[] | undefined {
  const { command, words: answered } = base;
  if (said.has('again') && said.hasOnly('again', 'it', 'same', 'lead'))
    return said.items.filter(({ role }) => role === 'again').length > 1
      ? []
      : [{ command, text: formatParsedCommand(answered) }];
  if (said.hasOnly('lead', 'same', 'is', 'only'))
    throw said.refuse(said.items.find(({ kind }) => kind !== 'filler'));
  const total = said.first('all');
  const isTotal = total?.kind === 'word' && total.text !== 'everything';
  if (!isTotal || subject !== undefined || words.phrase !== undefined || namesOf(words)) return undefined;
  const alone = {
    command,
    text: formatParsedCommand({
      ...answered,
      output: answered.output === 'why' ? undefined : answered.output,
    }),
  };
  if (answered.output === 'why' || answered.several !== undefined) return [alone];
  const all = { command, text: formatParsedCommand({ ...answered, ...wordsFor('all') }) };
  return [alone, all].map((each) => ({ ...each, isGuess: true }));
}

const asksSpend = (said: Said, words: Words): boolean =>
  (words.phrase ?? words.versus ?? words.top ?? words.unit) !== undefined ||
  said.has('today', 'before', 'compare', 'least', 'pricier+than') ||
  words.output === 'why';

/** Words that can refer to the answer in one way only. @throws InvalidWord */
function checkReferences(said: Said, words: Words, base: LastAnswer): void {
  const { items } = said;
  for (const [at, item] of items.entries()) {
    if (item.kind !== 'word' || item.role !== 'it') continue;
    const [before, joint, after] = [items[at - 2], items[at - 1], items[at + 1]];
    const isPart = joint && /^(?:of|in|within)$/i.test(said.typed(joint)) && before && isOfMany(before);
    if (/^(?:it|that|this)$/.test(item.text) && isPart)
      throw said.refuse({ start: joint.start, end: item.end });
    // “Give it 500” is no question about project 500.
    if (after?.kind === 'project' && /^\d/.test(said.typed(after))) throw said.refuse(after);
  }
  const last = items.findLast(({ role }) => role !== 'break' && role !== 'courtesy' && role !== 'thanks');
  const isCut = last?.kind === 'filler' && /^(?:in|on|for|of|during)$/.test(last.word) && items.length > 2;
  if (isCut) throw said.refuse(last);
  const [both] = items.filter(({ role }) => role === 'both');
  const answered = namesOf(base.words);
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

/** Days, numbers and superlatives, of which a part may be asked for. */
const isOfMany = ({ kind, role }: AskedItem): boolean =>
  /^(?:period|top|all|refused)$/.test(kind) || role === 'most' || role === 'all' || role === 'day';

/** The projects: those named, with those of the answer where it adds to them; else those of the answer. @throws InvalidWord */
function namesIn(said: Said, words: Words, { words: answered }: LastAnswer): SeveralProjects | undefined {
  const before = namesOf(answered);
  const [than] = said.of('than');
  const added = said.of('project').find((item) => item.isAdded);
  if (added) {
    if (before === undefined || before === 'all') throw said.refuse(added);
    const names = added.names.map(nameOf);
    return distinct(added.isAdded === 'before' ? [...names, ...before] : [...before, ...names]);
  }
  const named = namesOf(words);
  if (than) {
    const one = named ?? before;
    if (one === undefined || one === 'all' || one.length > 1 || words.output === 'why')
      throw said.refuse(than);
    return [...one, nameOf(than.name)];
  }
  const isPer = said.of('all').some((item) => item.isPer);
  if (named === 'all' && isPer && before !== undefined && before.length > 1) return before;
  if (named !== undefined) return named;
  if (said.has('all') && !isPer) return 'all';
  const isRanked =
    said.has('most', 'least', 'which', 'sorted', 'first') && !isOfDays(said) && !said.has('change');
  if (!isRanked) return before;
  return before !== undefined && before.length > 1 && before !== 'all' && !said.has('noun') ? before : 'all';
}

const distinct = (names: SeveralProjects): SeveralProjects =>
  names === 'all'
    ? names
    : names.filter(
        (name, at) => names.findIndex((other) => JSON.stringify(other) === JSON.stringify(name)) === at,
      );

/** “Is staging cheaper?” may compare it with the project of the answer. */
function besideAnswer(
  said: Said,
  words: Words,
  names: SeveralProjects | undefined,
  { words: answered }: LastAnswer,
): readonly [isGuess: boolean, SeveralProjects | undefined] {
  const [named, before] = [namesOf(words), namesOf(answered)];
  const isOne = named !== undefined && named !== 'all' && named.length === 1;
  if (!said.has('more', 'pricier') || said.has('versus', 'than', 'why') || !isOne) return [false, names];
  return before === undefined || before === 'all' || before.length > 1
    ? [false, names]
    : [true, [...before, ...named]];
}

/** `why` and the question of a budget stay; a file only where the same is asked for. @throws InvalidWord */
function inheritedOutput(said: Said, words: Words, { words: { output } }: LastAnswer, subject: unknown) {
  if (subject !== undefined || words.unit !== undefined) return undefined;
  return said.has('same') || output === 'why' || output === 'budget' || output === 'over-budget'
    ? output
    : undefined;
}

/** Whether the answer doesn't lead to what is asked, or a number may be something else. */
function isUnsure(said: Said, words: Words, base: LastAnswer, subject: unknown): boolean {
  const isOther =
    subject === undefined &&
    base.command === '/balance' &&
    asksSpend(said, words) &&
    !(words.phrase && words.versus) &&
    !words.top &&
    !said.has('pricier+than');
  const isVague =
    subject === undefined &&
    said.has('have') &&
    (words.phrase ?? words.output ?? namesOf(words)) !== undefined;
  const isSide = words.phrase && !words.versus && said.has('more', 'pricier') && !said.has('why', 'than');
  const isShort = said.of('project').some((item) => /^\d{1,2}$/.test(said.typed(item)));
  const period = said.of('period').find(({ days }) => !/\d{4}|last|year/.test(days.typed));
  // “And in December?” after a balance, said in November, hardly means last year's December.
  if (isOther && period && period.days.last.slice(0, 4) < said.reader.today.slice(0, 4))
    throw said.refuse(period, 'is in the future', '');
  return isOther || isVague || isShort || isSide === true;
}

/** The days of the question, or those of the answer. */
function withDays(said: Said, words: Words, { words: answered }: LastAnswer): Words {
  const { phrase, versus } = words;
  const top = words.top ?? (namesOf(words) === namesOf(answered) ? answered.top : undefined);
  const rank = { top, isOfDays: words.isOfDays ?? (words.top === undefined ? answered.isOfDays : undefined) };
  const all = { ...words, ...rank };
  if (said.has('will', 'forecast', 'monthEnd')) return all;
  const running =
    versus && said.of('versus').some((item) => item.isThan) ? runningBeside(versus, said.reader) : undefined;
  const before = answered.phrase ?? (versus && daysOf('last-7-days', said.reader));
  const isSide =
    phrase &&
    !versus &&
    said.has('compare', 'more', 'pricier') &&
    !namesOf(wordsOf(said)) &&
    !said.has('why');
  if (isSide) return { ...all, phrase: before ?? daysOf('last-7-days', said.reader), versus: phrase };
  return { ...all, phrase: phrase ?? running ?? before };
}

/** With another period, people may mean the named comparison again, or the usual one with the days before. */
function comparedWith(
  said: Said,
  asked: Words,
  words: Words,
  { words: answered }: LastAnswer,
  subject: unknown,
): readonly Words[] {
  const { versus } = answered;
  const isKept =
    asked.versus === undefined && versus !== undefined && subject === undefined && words.output === undefined;
  if (!isKept) return half(said, asked, answered.phrase);
  return words.phrase && 'text' in versus ? [{ ...asked, versus }, asked] : [{ ...asked, versus }];
}

/** “The first half” may be that of the answer's month. */
function half(said: Said, asked: Words, before: NamedDays | undefined): readonly Words[] {
  const { typed = '' } = asked.phrase ?? {};
  const month = before?.first.slice(0, 7);
  if (!/^(?:the )?(?:first|second) half$/.test(typed) || month !== before?.last.slice(0, 7)) return [asked];
  return [{ ...asked, phrase: daysOf(`${typed.replace('the ', '')} of ${month}`, said.reader) }, asked];
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

/** “And September?” after October 2025 may be that of the answer's year, “the 15th” a day of its month. */
function otherDays(said: Said, asked: Words, { words: { phrase: base } }: LastAnswer): readonly Words[] {
  if (base === undefined) return [];
  const { reader } = said;
  const [next, year] = [addDays(base.last, 1), `${base.last.slice(0, 4)}-12-31`];
  return (['phrase', 'versus'] as const).flatMap((part): readonly Words[] => {
    const days = asked[part];
    if (days === undefined || !('typed' in days) || days === base || days.counted || FIXED.test(days.typed))
      return [];
    for (const today of [next, base.last, year]) {
      if (today >= reader.today) continue;
      const [item] = readBy(days.typed, 'PeriodOnly', { ...reader, today });
      const other = item?.kind === 'period' ? item.days : undefined;
      const isWithin =
        today !== year
          ? other && other.first >= base.first && other.last <= base.last
          : other && other.first.slice(0, 4) === base.last.slice(0, 4) && 'unit' in other.rule;
      if (other && isWithin && other.first !== days.first && other.text !== base.text)
        return [{ ...asked, [part]: other }];
    }
    return [];
  });
}
