/** What the words and phrases of a question say. */

import { isBareYear } from '../periods/token-classes.ts';
import { normalizeText } from '../text.ts';
import type { Aliases } from '../tokenizer.ts';
import { FILLERS, VOCABULARY } from '../vocabulary.ts';

/** The commands that a question can mean. */
export type QuestionName = 'spend' | 'balance';

/** What a phrase does in a question: names the command, or adds nothing to one of them or to both. */
type PhraseRole = QuestionName | 'filler' | `${QuestionName}-filler`;

export const isQuestionName = (role: PhraseRole): role is QuestionName =>
  role === 'spend' || role === 'balance';

const PHRASES_BY_ROLE: Readonly<Record<PhraseRole, readonly string[]>> = {
  spend: ['spend', 'spends', 'spent', 'spending', 'cost', 'costs', 'costing', 'pay for', 'paid for'],
  balance: [
    ...['balance', 'left', 'remaining', 'runway', 'do we have', 'do i have', 'have we got'],
    ...[
      'run out',
      'runs out',
      'run out of money',
      'runs out of money',
      'running out',
      'running out of money',
    ],
  ],
  filler: [
    ...['how much', 'how much money', 'what', 'whats', 'what is', 'what are', 'what was', 'what were'],
    ...['did', 'do', 'does', 'is', 'are', 'was', 'were', 'has', 'have', 'been', 'had'],
    ...FILLERS.filter((filler) => filler !== 'so far'),
    ...['at', 'over', 'a', 'our', 'my', 'we', 'i', 'us', 'it', 'pls'],
    ...['show', 'show me', 'tell me', 'give me', 'can you', 'could you', 'would you'],
    ...[
      'i want to know',
      'we want to know',
      'i would like to know',
      'do you know',
      'can i see',
      'let me know',
    ],
    ...['hello', 'hi', 'hey', 'hallo', 'tally', 'thanks', 'thank you', 'ok', ','],
  ],
  'spend-filler': ['per day', 'a day', 'each day', 'every day', 'by day', 'day by day'],
  'balance-filler': [
    ...['now', 'right now', 'currently', 'at the moment', 'still', 'there', 'money', 'available'],
    ...['how many days', 'how long', 'how long do', 'how long does', 'how long will', 'how long until'],
    ...['when', 'when do', 'when does', 'when will', 'when is', 'when are'],
  ],
};

export const PHRASES: ReadonlyMap<string, PhraseRole> = new Map(
  Object.entries(PHRASES_BY_ROLE).flatMap(([role, phrases]) =>
    phrases.map((phrase) => [phrase, role as PhraseRole] as const),
  ),
);
const LONGEST_PHRASE = 5;

/** The spellings that a misspelt word is compared with. */
export const COMMAND_WORDS = [
  'spend',
  'spent',
  'spending',
  'cost',
  'costs',
  'balance',
  'remaining',
  'runway',
];

/** The longest phrase that begins there and ends before `end`. */
function phraseAt(words: readonly string[], at: number, end: number) {
  for (let length = Math.min(LONGEST_PHRASE, end - at); length > 0; length--) {
    const text = words.slice(at, at + length).join(' ');
    const role = PHRASES.get(text);
    if (role !== undefined) return { text, role, length };
  }
  return undefined;
}

/** What the words of a question say. */
export interface QuestionWords {
  readonly commands: readonly QuestionName[];
  /** Projects joined by commas or “and”, or only `all`. Empty when at most one project is named. */
  readonly projects: readonly string[];
  /** For the grammar of commands to read. */
  readonly rest: readonly string[];
  /** A word that has another meaning as well. */
  readonly unclear?: string;
}

/** Sorts the words of a question by what they say. @param aliases names of projects, in lower case */
export const readQuestionWords = (text: string, aliases: Aliases): QuestionWords =>
  sortWords(splitWords(text, aliases), aliases);

/** All projects that the person may ask about here, as commands write it. */
const ALL = 'all';
const JOINTS: ReadonlySet<string> = new Set(['and', ',']);
/** Before “may” they show that the month is meant. */
const BEFORE_MONTH: ReadonlySet<string> = new Set(
  'in on for of during since from to until and last'.split(' '),
);
const UNITS: ReadonlySet<string> = new Set(['week', 'month', 'quarter', 'year']);

/** A month or quarter: the number after it may be its year. */
const isSeason = (word = ''): boolean => VOCABULARY.get(word)?.role === 'month' || /^q[1-4]$/.test(word);

const isNumber = (word = ''): boolean => /^\d+$/.test(word);

/** The words for the grammar, without a redundant “project” or “projects” beside a name. */
function splitWords(text: string, aliases: Aliases): readonly string[] {
  const words = text
    .replace(/['’‘´`ʼ]s(?![a-z])/gi, ' is')
    .replace(/[?!]+(?![a-z\d])/gi, ' ')
    .replace(/,(?!\d)|(?<!\d),/g, ' , ')
    .replaceAll('&', ' and ')
    .split(/\s+/)
    .map((word) => (word === ',' ? word : normalizeText(word)))
    .filter((word) => word !== '');
  const isProject = (word = ''): boolean => isNumber(word) || aliases.has(word);
  return words.filter((word, at) => {
    const [before, after] = [words[at - 1], words[at + 1]];
    if (word === 'project') return isNumber(after) || before === 'every';
    return word !== 'projects' || !(isProject(after) || aliases.has(before ?? ''));
  });
}

function sortWords(all: readonly string[], aliases: Aliases): QuestionWords {
  const words = withoutSoFar(withoutBetween(all));
  // “How long will prod last?”: here the word is not part of a period.
  const asksHowLong = words.join(' ').includes('how long') && words.at(-1) === 'last';
  const end = asksHowLong ? words.length - 1 : words.length;
  const commands = new Set<QuestionName>(asksHowLong ? ['balance'] : []);
  const rest: string[] = [];
  const fillers: Record<QuestionName, string[]> = { spend: [], balance: [] };
  let projects: readonly string[] = [];
  for (let at = 0; at < end; ) {
    const joined = projects.length === 0 ? projectsAt(words, at, aliases) : undefined;
    const phrase = joined === undefined && !isAmount(words, at) ? phraseAt(words, at, end) : undefined;
    if (joined !== undefined) projects = joined.projects;
    else if (phrase === undefined) rest.push(words[at] ?? '');
    else if (phrase.role === 'spend-filler') fillers.spend.push(phrase.text);
    else if (phrase.role === 'balance-filler') fillers.balance.push(phrase.text);
    else if (phrase.role !== 'filler') commands.add(phrase.role);
    at = joined?.next ?? at + (phrase?.length ?? 1);
  }
  const hasMonth = rest.some((word) => VOCABULARY.get(word)?.role === 'month');
  const unclear = words.find(
    (word, at) =>
      (aliases.has(word) && PHRASES.has(word)) ||
      (word === 'may' && at < words.length - 1 && !BEFORE_MONTH.has(words[at - 1] ?? '')) ||
      (hasMonth && projects.includes(word) && /^(?:[12]?\d|3[01])$/.test(word)) ||
      (projects.includes(word) && isBareYear(word) && isSeason(words[at - 1])),
  );
  return {
    commands: [...commands],
    projects,
    rest: [
      ...rest,
      ...(commands.has('spend') ? [] : fillers.spend),
      ...(commands.has('balance') ? [] : fillers.balance),
    ],
    ...(unclear !== undefined && { unclear }),
  };
}

/** “Over 500”, “a week”: there the word is no filler. */
const isAmount = (words: readonly string[], at: number): boolean =>
  ((words[at] === 'over' || words[at] === 'at') && isNumber(words[at + 1])) ||
  (words[at] === 'a' && UNITS.has(words[at + 1] ?? ''));

/** `between A and B` as `A to B`. */
function withoutBetween(words: readonly string[]): readonly string[] {
  const from = words.indexOf('between');
  const to = from < 0 ? -1 : words.indexOf('and', from);
  if (to < 0) return words;
  return words.flatMap((word, at) => (at === from ? [] : [at === to ? 'to' : word]));
}

/** “So far” adds nothing to a period that is still running. */
function withoutSoFar(words: readonly string[]): readonly string[] {
  const isRunning = (at: number): boolean =>
    words[at] === 'today' || (words[at] === 'this' && UNITS.has(words[at + 1] ?? ''));
  const at = words.findIndex((word, index) => word === 'so' && words[index + 1] === 'far');
  const isBeside = isRunning(at + 2) || isRunning(at - 2) || words[at - 1] === 'today';
  return at >= 0 && isBeside ? [...words.slice(0, at), ...words.slice(at + 2)] : words;
}

/** Two projects or more, joined by commas or “and”, or the words for all of them. */
function projectsAt(
  words: readonly string[],
  at: number,
  aliases: Aliases,
): { readonly projects: readonly string[]; readonly next: number } | undefined {
  if (words[at] === 'everything') return { projects: [ALL], next: at + 1 };
  if (words[at] === 'all') return allAt(words, at + 1);
  if (words[at] === 'every' && words[at + 1] === 'project') return { projects: [ALL], next: at + 2 };
  const found: string[] = [];
  let next = words[at] === 'project' ? at + 1 : at;
  for (let from = next; ; ) {
    const word = words[from] ?? '';
    if (!isNumber(word) && !aliases.has(word)) break;
    found.push(word);
    next = from + 1;
    from = next;
    while (JOINTS.has(words[from] ?? '')) from += 1;
    if (from === next) break;
  }
  return found.length > 1 ? { projects: found, next } : undefined;
}

/** The rest of “all of our projects”, or of “all” alone. */
function allAt(words: readonly string[], at: number) {
  const [, phrase = ''] =
    /^((?:of )?(?:the |our |my )?projects?) /.exec(`${words.slice(at, at + 3).join(' ')} `) ?? [];
  return { projects: [ALL], next: at + (phrase === '' ? 0 : phrase.split(' ').length) };
}
