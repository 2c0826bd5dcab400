/** Questions in one's own words. Every word must have a meaning here or in the grammar of commands: nothing is guessed. */

import { isFailure } from '../failure/index.ts';
import { parseBalanceText, parseCommandText } from './command-text.ts';
import { holdsUnknownWord } from './parse.ts';
import { nearestWord } from './spelling.ts';
import { normalizeText } from './text.ts';
import type { Aliases } from './tokenizer.ts';

export interface QuestionCommand {
  readonly command: 'spend' | 'balance';
  /** What follows the command. */
  readonly text: string;
}

export type Question =
  /** The command that the question means exactly. */
  | ({ readonly kind: 'command' } & QuestionCommand)
  /** The commands that it comes nearest to, the likeliest first. At least one. */
  | { readonly kind: 'offered'; readonly commands: readonly QuestionCommand[] };

/** What a phrase does in a question: names the command, or adds nothing to one of them or to both. */
type PhraseRole = QuestionCommand['command'] | 'filler' | `${QuestionCommand['command']}-filler`;

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
    ...['on', 'in', 'for', 'of', 'at', 'over', 'during', 'the', 'a', 'our', 'my', 'we', 'i', 'us', 'it'],
    ...['please', 'pls', 'show', 'show me', 'tell me', 'give me', 'can you', 'could you', 'would you'],
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

const PHRASES: ReadonlyMap<string, PhraseRole> = new Map(
  Object.entries(PHRASES_BY_ROLE).flatMap(([role, phrases]) =>
    phrases.map((phrase) => [phrase, role as PhraseRole] as const),
  ),
);
const LONGEST_PHRASE = 5;

/** The spellings that a misspelt word is compared with. */
const COMMAND_WORDS = ['spend', 'spent', 'spending', 'cost', 'costs', 'balance', 'remaining', 'runway'];

const JOINTS: ReadonlySet<string> = new Set(['and', ',']);
/** All projects that the person may ask about here, as commands write it. */
const ALL = 'all';
/** A project for the grammar where a question names all of them. */
const ANY_PROJECT = '1';
/** Before “may” they show that the month is meant. */
const BEFORE_MONTH: ReadonlySet<string> = new Set('in for of during since from to until and last'.split(' '));
const UNITS: ReadonlySet<string> = new Set(['week', 'month', 'quarter', 'year']);

const isNumber = (word = ''): boolean => /^\d+$/.test(word);

/** What the words of a question say. */
interface QuestionWords {
  readonly commands: readonly QuestionCommand['command'][];
  /** Joined by commas or “and”; or `all` alone. Empty where at most one project is named. */
  readonly projects: readonly string[];
  /** For the grammar of commands to read. */
  readonly rest: readonly string[];
  /** No word has another meaning as well. */
  readonly isClear: boolean;
}

/**
 * Reads a question such as `how much did prod spend last week?`.
 * @param aliases names of projects, in lower case
 * @returns undefined where no word names a project or something that Tally can be asked
 * @throws SecretPasted
 */
export function parseQuestion(text: string, aliases: Aliases): Question | undefined {
  const words = readWords(wordsOf(text, aliases), aliases);
  const [command, other] = words.commands;
  const exact =
    command !== undefined && other === undefined && words.isClear
      ? tryText(command, words.projects, words.rest, aliases).exact
      : undefined;
  if (command !== undefined && exact !== undefined) return { kind: 'command', command, text: exact };
  const commands = nearestCommands(words, aliases);
  return commands.length === 0 ? undefined : { kind: 'offered', commands };
}

/** The words as the grammar reads them, without a “project” or “projects” that adds nothing to the name beside it. */
function wordsOf(text: string, aliases: Aliases): readonly string[] {
  const words = text
    .replace(/['’‘´`ʼ]s(?![a-z])/gi, ' is')
    .replace(/[?!]+/g, ' ')
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

function readWords(all: readonly string[], aliases: Aliases): QuestionWords {
  const words = withoutSoFar(withoutBetween(all));
  // “How long will prod last?”: the word is no part of a period there.
  const asksHowLong = words.join(' ').includes('how long') && words.at(-1) === 'last';
  const end = asksHowLong ? words.length - 1 : words.length;
  const commands = new Set<QuestionCommand['command']>(asksHowLong ? ['balance'] : []);
  const rest: string[] = [];
  const fillers: Record<QuestionCommand['command'], string[]> = { spend: [], balance: [] };
  let projects: readonly string[] = [];
  for (let at = 0; at < end; ) {
    const joined = projects.length === 0 ? projectsAt(words, at, aliases) : undefined;
    const phrase = joined === undefined ? phraseAt(words, at, end) : undefined;
    if (joined !== undefined) projects = joined.projects;
    else if (phrase === undefined) rest.push(words[at] ?? '');
    else if (phrase.role === 'spend-filler') fillers.spend.push(phrase.text);
    else if (phrase.role === 'balance-filler') fillers.balance.push(phrase.text);
    else if (phrase.role !== 'filler') commands.add(phrase.role);
    at = joined?.next ?? at + (phrase?.length ?? 1);
  }
  const isClear = !words.some(
    (word, at) =>
      (aliases.has(word) && PHRASES.has(word)) ||
      (word === 'may' && at < words.length - 1 && !BEFORE_MONTH.has(words[at - 1] ?? '')),
  );
  return {
    commands: [...commands],
    projects,
    rest: [
      ...rest,
      ...(commands.has('spend') ? [] : fillers.spend),
      ...(commands.has('balance') ? [] : fillers.balance),
    ],
    isClear,
  };
}

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

/** The longest phrase that begins there and ends before `end`. */
function phraseAt(words: readonly string[], at: number, end: number) {
  for (let length = Math.min(LONGEST_PHRASE, end - at); length > 0; length--) {
    const text = words.slice(at, at + length).join(' ');
    const role = PHRASES.get(text);
    if (role !== undefined) return { text, role, length };
  }
  return undefined;
}

interface TriedText {
  /** The command's text, which the grammar reads. */
  readonly exact?: string;
  /** The same put right. */
  readonly corrected?: string;
}

/** Each project of a list must go with the other words. @throws SecretPasted */
function tryText(
  command: QuestionCommand['command'],
  projects: readonly string[],
  rest: readonly string[],
  aliases: Aliases,
): TriedText {
  const parse = command === 'spend' ? parseCommandText : parseBalanceText;
  const list = projects.join(',');
  const whole = (first: string, others: string) => (first === '' ? others : `${first} ${others}`.trim());
  const named = projects.length === 0 ? [''] : projects.map((one) => (one === ALL ? ANY_PROJECT : one));
  for (const project of named) {
    try {
      if (parse(whole(project, rest.join(' ')), aliases).help) return {};
    } catch (error) {
      if (!isFailure(error) || error.kind !== 'invalid-word') throw error;
      const { suggestion } = error;
      // A list that nobody asked for would make a project of any number: “prod spend 500”.
      return suggestion === undefined ||
        suggestion === 'help' ||
        suggestion.includes(',') ||
        !suggestion.startsWith(project)
        ? {}
        : { corrected: whole(list, suggestion.slice(project.length).trim()) };
    }
  }
  return { exact: whole(list, rest.join(' ')) };
}

/** Of a question that cannot be read exactly: the command that its words name, or both, with what of it can be read. */
function nearestCommands(words: QuestionWords, aliases: Aliases): readonly QuestionCommand[] {
  const { projects, rest } = words;
  const misspelt = rest
    .filter((word) => word.length > 3 && holdsUnknownWord(word, aliases))
    .map((word) => nearestWord(word, COMMAND_WORDS))
    .flatMap((word) => PHRASES.get(word ?? '') ?? []);
  const named = words.commands.length > 0 ? words.commands : misspelt.filter(isCommand);
  if (named.length === 0 && projects.length === 0 && !rest.some((word) => aliases.has(word))) return [];
  const commands = named.length > 0 ? new Set(named) : (['balance', 'spend'] as const);
  return [...commands].flatMap((command) => {
    const text = nearestText(command, words, aliases);
    return text === undefined ? [] : [{ command, text }];
  });
}

const isCommand = (role: PhraseRole): role is QuestionCommand['command'] =>
  role === 'spend' || role === 'balance';

/** As much of the question as the grammar reads: all of it put right, its known words, or its projects alone. */
function nearestText(
  command: QuestionCommand['command'],
  { projects, rest }: QuestionWords,
  aliases: Aliases,
): string | undefined {
  const typed = [...new Set(rest.filter((word) => aliases.has(word)))];
  const isList = projects.length > 0 || typed.length > 1;
  const list = isList ? [...new Set(projects[0] === ALL ? projects : [...projects, ...typed])] : [];
  const others = isList ? rest.filter((word) => !aliases.has(word)) : rest;
  const known = others.filter((word) => word !== 'help' && !holdsUnknownWord(word, aliases));
  for (const words of [others, known, isList ? [] : typed]) {
    const { exact, corrected = exact } = tryText(command, list, words, aliases);
    if (corrected !== undefined) return corrected;
  }
  return undefined;
}
