/** Takes the phrases of a question out of its text; what is left is for the grammar of commands. */

import { simplifyText } from '../text.ts';
import { isNumber, joinNames, moveNamesFirst } from './legacy/normalize-project-names.ts';
import { holdsUnknownWord } from './legacy/parser.ts';
import { type Aliases, CLAUSE_BREAK, isSpan } from './legacy/tokenizer.ts';
import { VOCABULARY } from './legacy/vocabulary.ts';
import { firstSaid, isPhrase, isPhraseWord, type PhraseRole, phraseAt, ROLE_RULES } from './phrases.ts';
import { correctSpelling, type Word } from './spelling.ts';

export interface QuestionWords {
  /** The question as it was typed. */
  readonly text: string;
  /** The roles that its phrases have, each with the first of its phrases. */
  readonly said: ReadonlyMap<PhraseRole, string>;
  /** For the grammar of commands; a break stands for each phrase that was taken out. */
  readonly rest: string;
  /** Words of `rest` that stand for others, by what was typed. */
  readonly typed: ReadonlyMap<string, string>;
  /** A word with more than one meaning. */
  readonly unclear?: string;
  /** A word that was corrected: then the question is only offered, as a button. */
  readonly doubt?: string;
}

const EMOJI =
  /(?<![^\s])[:;]-?[()DPp](?!\S)|:[a-z+][\w+'-]*:|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/giu;
const APOSTROPHE = "['’‘´`ʼ]";
const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  // Corrects the question before: “no, staging”. Elsewhere “no” has a meaning of its own.
  [/^no\s*,/i, ''],
  [new RegExp(`(?<=\\b(?:what|how|where|when|who|that|there))${APOSTROPHE}?s(?![a-z])`, 'gi'), ' is'],
  [new RegExp(`(?<=\\b(?:it|which))${APOSTROPHE}s(?![a-z])`, 'gi'), ' is'],
  [new RegExp(`(?<=\\b(?:what|how|where|when|who))${APOSTROPHE}d(?![a-z])`, 'gi'), ' did'],
  ...Object.entries({ s: '', ve: ' have', re: ' are', ll: ' will', d: ' would' }).map(
    ([end, whole]) => [new RegExp(`${APOSTROPHE}${end}(?![a-z])`, 'gi'), whole] as const,
  ),
  [new RegExp(`(?<=\\bi)${APOSTROPHE}m(?![a-z])`, 'gi'), ' am'],
  [/(?<![\w-])u(?![\w-])/gi, 'you'],
];

/** `what is` for “what's”, `prod` for “prod's”, and nothing for pictures. */
export const spellOut = (text: string): string =>
  CONTRACTIONS.reduce((result, [form, whole]) => result.replace(form, whole), text.replace(EMOJI, ' '));

/** `oct`, `mon`, `15`, `15th`, `2026`, `2026-10-01`: between two of them a dash is a range's, elsewhere it says nothing. */
const isOfDate = (word = ''): boolean =>
  /^(?:\d{1,2}(?:st|nd|rd|th)?|2\d{3}|\d+[-./]\S*)$/i.test(word) ||
  /^(?:month|weekday)$/.test(VOCABULARY.get(word.toLowerCase())?.role ?? '');

function splitWords(text: string): readonly Word[] {
  const simple = simplifyText(
    spellOut(text)
      .replace(/[?!;]+(?![a-z\d])|\n+/gi, ` ${CLAUSE_BREAK} `)
      .replaceAll('&', ' and ')
      .replace(/ \+ /g, ' and '),
  );
  return simple
    .split(' ')
    .flatMap((word) => word.split(/(,)/))
    .filter(
      (word, at, all) => word !== '' && (word !== '-' || (isOfDate(all[at - 1]) && isOfDate(all[at + 1]))),
    )
    .map((typed) => ({ typed, text: typed.toLowerCase() }));
}

const UNITS: ReadonlySet<string> = new Set(['day', 'days', 'week', 'month', 'quarter', 'year']);

const isPeriodWord = (word = ''): boolean =>
  /^\d/.test(word) || (VOCABULARY.has(word) && VOCABULARY.get(word)?.role !== 'filler');

/** Phrases that mean something else before certain words: `a week ago`, `over 500`, `so far`, `next month`. */
const NOT_BEFORE: Readonly<Record<string, (after: string) => boolean>> = {
  a: (after) => UNITS.has(after) || after === 'few' || after === 'couple',
  over: (after) => after !== 'the' && (isNumber(after) || !isPeriodWord(after)),
  so: (after) => after === 'far',
  some: (after) => after === 'of',
  any: (after) => after === 'of',
  first: isPeriodWord,
  next: isPeriodWord,
  last: isPeriodWord,
  up: (after) => after === 'to',
  at: (after) => after !== 'the' && after !== 'weekend',
  calendar: (after) => !UNITS.has(after),
};

/** `the day before yesterday`, `up on friday` */
const belongsToPeriod = (phrase: string, after: string): boolean =>
  phrase.endsWith(' before')
    ? isPeriodWord(after)
    : /^(?:up|down|higher|lower) (?:on|from|over|against)$/.test(phrase) && after !== 'last';

const ENDS_RANGE: ReadonlySet<string> = new Set(['to', 'until', 'till', 'through', 'thru']);

type PhraseFinder = (at: number) => ReturnType<typeof phraseAt>;

/** Finds the longest phrase that begins at a word and is no part of a period. */
function phraseFinder(words: readonly Word[]): PhraseFinder {
  const auxiliary = words.findIndex(({ text }) => /^(?:did|does|do|has|have|will|would)$/.test(text));
  return (at) =>
    phraseAt(words, at, (phrase, after) =>
      phrase === 'now'
        ? !ENDS_RANGE.has(words[at - 1]?.text ?? '')
        : after !== 'ago' &&
          !NOT_BEFORE[phrase]?.(after) &&
          !belongsToPeriod(phrase, after) &&
          !(
            /^(?:(?:i|we) )?(?:get|give|show|tell|say|need)$/.test(phrase) &&
            !/^(?:more|less|cheaper|costlier|pricier)$/.test(after) &&
            auxiliary >= 0 &&
            auxiliary < at
          ),
    );
}

/** A number of projects: digits, or a word. */
function countIn(word = ''): string | undefined {
  const sense = VOCABULARY.get(word);
  return sense?.role === 'count' ? String(sense.number) : /^[1-9]\d?$/.test(word) ? word : undefined;
}

const isNoun = (word = ''): boolean => word === 'projects' || word === 'spenders';

/** A number of projects beside the words that rank them: `three biggest`, `biggest 3 projects`, `3 projects cost most`. */
function countedAt(words: readonly Word[], at: number, find: PhraseFinder, holdsRank: () => boolean) {
  const count = countIn(words[at]?.text);
  const phrase = find(count === undefined ? at : at + 1);
  const isRanked = phrase?.role === 'rank' || phrase?.role === 'least';
  if (count !== undefined && isRanked) return { count, role: phrase.role, length: phrase.length + 1 };
  if (count !== undefined && isNoun(words[at + 1]?.text) && holdsRank())
    return { count, role: 'rank' as const, length: 2 };
  const after = isRanked ? countIn(words[at + phrase.length]?.text) : undefined;
  return after !== undefined && isNoun(words[at + (phrase?.length ?? 0) + 1]?.text)
    ? { count: after, role: phrase?.role ?? 'rank', length: (phrase?.length ?? 0) + 2 }
    : undefined;
}

/** The place of the name that comes next, after words that add nothing. A number may be an amount: `more than 500`. */
function nameAfter(words: readonly Word[], from: number, aliases: Aliases): number | undefined {
  const at = words.findIndex(({ text }, n) => n >= from && VOCABULARY.get(text)?.role !== 'filler');
  const { text = '' } = words[at] ?? {};
  return isNumber(text) || aliases.has(text) || text === 'project' ? at : undefined;
}

/** The word between the two sides of “compare”, as commands write it. */
function joinComparison(
  words: readonly string[],
  said: ReadonlyMap<PhraseRole, string>,
  typed: Map<string, string>,
): readonly string[] {
  if (!said.has('compare') || words.includes('vs')) return words;
  const places = ['with', 'against', 'and', 'to'].map((joint) =>
    words.flatMap((word, at) => (word.toLowerCase() === joint ? [at] : [])),
  );
  const [place, ...others] = places.find(({ length }) => length > 0) ?? [];
  if (place === undefined || others.length > 0) return words;
  typed.set('vs', words[place] ?? '');
  return words.with(place, 'vs');
}

/** Words before “may” that show that the month is meant. */
const BEFORE_MONTH: ReadonlySet<string> = new Set(
  'in on for of during since from to until till through and last this vs versus between than with'.split(' '),
);
const NAMED_LIKE_MONTHS: ReadonlySet<string> = new Set(['may', 'jan', 'april', 'june', 'august']);

/** Words that are orders, not questions, at the beginning of a text. */
const ORDERS = /^(?:go|keep|hold|stay|stick|use)$/;

/** A word that is a name and something else as well, or a month and something else: `what may prod cost`. */
function unclearIn(words: readonly Word[], aliases: Aliases): string | undefined {
  return words.find(({ text }, at) => {
    if (text === 'top' && /^-\d/.test(words[at + 1]?.text ?? '')) return true;
    if (ORDERS.test(text) && words.slice(0, at).every(({ text: before }) => before === 'please')) return true;
    if (aliases.has(text)) return isPhrase(text);
    if (!NAMED_LIKE_MONTHS.has(text) || at === words.length - 1) return false;
    if ((phraseAt(words, at)?.length ?? 0) > 1) return false;
    const [before = '', after = ''] = [words[at - 1]?.text, words[at + 1]?.text];
    const isDated = BEFORE_MONTH.has(before) || /^\d/.test(before) || /^\d/.test(after);
    return (
      !isDated && (text === 'may' ? after !== CLAUSE_BREAK : /^(?:did|does|do|has|will|is)$/.test(before))
    );
  })?.text;
}

/** The first word that neither questions nor commands have. */
export const findUnknownWord = (text: string, aliases: Aliases): string | undefined =>
  splitWords(text).find(
    ({ text: word }) => /[\p{L}\p{N}]/u.test(word) && !isPhraseWord(word) && holdsUnknownWord(word, aliases),
  )?.typed;

/** Roles beside which “or” asks about both projects: “which is cheaper, prod or staging?”. */
const RANKING = ['which', 'more', 'pricier', 'rank', 'least', 'first'] as const;

/** Reads the phrases of a question. @param aliases names of projects, in lower case */
export function parseQuestionWords(text: string, aliases: Aliases): QuestionWords {
  const { words, doubt } = correctSpelling(splitWords(text), aliases);
  const find = phraseFinder(words);
  let isRanked: boolean | undefined;
  const holdsRank = (): boolean => (isRanked ??= words.some((_, at) => find(at)?.role === 'rank'));
  const said = new Map<PhraseRole, string>();
  const typed = new Map<string, string>();
  const rest: string[] = [];
  const say = (role: PhraseRole, phrase: string): void => {
    if (!said.has(role)) said.set(role, phrase);
    rest.push(CLAUSE_BREAK);
  };
  /** The index after what was read there. */
  const read = (at: number): number => {
    const [before = '', word = '', after = ''] = [at - 1, at, at + 1].map((index) => words[index]?.text);
    const count = countIn(after);
    if (word === 'top' && count !== undefined) {
      rest.push('top', count);
      said.set('rank', word);
      return at + 2;
    }
    const counted = countedAt(words, at, find, holdsRank);
    if (counted !== undefined) {
      rest.push('top', counted.count);
      said.set(counted.role, word);
      return at + counted.length;
    }
    if (word === 'project' || word === 'projects') {
      const isOfName = aliases.has(before) || aliases.has(after) || (isNumber(before) && word === 'project');
      if (isNumber(after)) rest.push('project');
      else if (!isOfName) say('noun', word);
      return at + 1;
    }
    const phrase = find(at);
    // Elsewhere `last` begins a period: `last weak`.
    const isPast = phrase?.role === 'lasts' && !said.has('howLong') && !said.has('when');
    if (phrase === undefined || isPast) {
      rest.push(words[at]?.typed ?? '');
      return at + 1;
    }
    const { says } = ROLE_RULES[phrase.role];
    const name = phrase.role === 'than' ? nameAfter(words, at + 1, aliases) : undefined;
    const place = rest.findLastIndex((other) => aliases.has(other.toLowerCase()));
    const { text: second = '' } = words[name ?? -1] ?? {};
    // Two projects side by side answer which one cost more; the days that made a change belong to one.
    if (name !== undefined && aliases.has(second) && place >= 0 && !said.has('why')) {
      said.set(phrase.role, phrase.phrase);
      rest[place] += `,${second}`;
      return name + 1;
    }
    const joins = phrase.role === 'than' && name === undefined;
    if (joins || phrase.role === 'joint') typed.set('vs', phrase.phrase);
    if (phrase.role === 'than' && !joins) rest.push(phrase.phrase);
    else if (says !== undefined || joins) {
      said.set(phrase.role, phrase.phrase);
      rest.push(...(says ?? 'vs').split(' '));
    } else if (phrase.role !== 'article') say(phrase.role, phrase.phrase);
    return at + phrase.length;
  };
  for (let at = 0; at < words.length; ) at = read(at);
  const isName = (word = ''): boolean => aliases.has(word.toLowerCase());
  const isEither = firstSaid(said, ...RANKING) !== undefined;
  if (isEither && said.get('what') === 'which is') said.set('which', 'which is');
  // One of them may be a name that nobody registered, which is then what isn't recognized.
  const isUnknown = (word = ''): boolean => /\p{L}/u.test(word) && holdsUnknownWord(word, aliases);
  for (const [at, word] of isEither ? rest.entries() : []) {
    const sides = [rest[at - 1], rest[at + 1]];
    if (/^or$/i.test(word) && sides.some(isName) && sides.every((side) => isName(side) || isUnknown(side))) {
      rest[at] = 'and';
      said.set('which', said.get('which') ?? word);
    }
  }
  const from = rest.findIndex((word) => /^from$/i.test(word));
  // “Compare prod from october with …”
  const isSide = said.has('compare') && isSpan(rest[from + 1]?.toLowerCase() ?? '');
  if (from >= 0 && isSide && rest.some((word) => /^(?:with|vs)$/i.test(word))) rest.splice(from, 1);
  // “From … to …” may be a range, or the two sides of a comparison.
  const isRange = said.has('compare') && from >= 0 && rest.includes('to', from) && !rest.includes('with');
  const unclear = unclearIn(words, aliases) ?? (isRange ? 'from' : undefined);
  return {
    text,
    said,
    rest: moveNamesFirst(joinComparison(joinNames(rest, aliases), said, typed), aliases)
      .filter((word, at, all) => word !== CLAUSE_BREAK || all[at + 1] !== CLAUSE_BREAK)
      .join(' '),
    typed,
    ...(unclear !== undefined && { unclear }),
    ...(doubt !== undefined && { doubt }),
  };
}
