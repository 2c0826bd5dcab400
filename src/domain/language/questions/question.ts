/**
 * Questions in free words: a question is items, and a follow-up is the last answer's items with those on top that were said.
 * What no rule gives a meaning is refused by name.
 */
import type { SlashCommand } from '../../command-names.ts';
import { catchInvalidWord, InvalidWord, UNRECOGNIZED } from '../../failure/index.ts';
import { couldBeSecret } from '../../secret-detection.ts';
import { QUESTION_WORDS } from '../generated.js';
import type { WordsRefusal } from '../named-days.ts';
import { formatParsedCommand, type Reader, readBy } from '../parsed-command.ts';
import { findItemsRefusal, refuseSecret } from '../read-command.ts';
import { couldBeName, explainBadWord, isKnownWord, normalizeText, simplifyText } from '../typed-text.ts';
import { followUpCommands } from './follow-up.ts';
import {
  type AskedItem,
  CORRECTABLE_WORDS,
  isEmpty,
  isOfCommand,
  type LastAnswer,
  markOf,
  type OrderItem,
  Query,
  refuseStray,
  type Subject,
  subjectOf,
  UNBILLED,
  WORD_ROLES,
} from './query.ts';
import {
  askedProjects,
  balanceCommands,
  budgetCommands,
  commandsWithoutSubject,
  listCommand,
  type MadeCommand,
  namesOf,
  type QuestionCommand,
  spendCommands,
  wordsFor,
  wordsOf,
} from './question-commands.ts';

export type Question =
  /** The command that it means exactly. */
  | { readonly kind: 'command'; readonly rerun: QuestionCommand }
  /** The same without a project, which only an earlier answer could tell. `fact` is about a word that no project is named. */
  | {
      readonly kind: 'which-project';
      readonly fact?: string | undefined;
      readonly rerun: QuestionCommand;
      /** Whether the project of the answer before is gone. */
      readonly isGone?: true;
    }
  /** What it may mean, the likeliest first, for the person to choose: each keeps every word. `fact` is why it is not run. */
  | {
      readonly kind: 'guess';
      readonly fact?: string | undefined;
      readonly reruns: readonly QuestionCommand[];
    }
  /** No command; `fact` says why. */
  | { readonly kind: 'nothing'; readonly fact: string | undefined }
  | { readonly kind: 'thanks' };

/** Buttons below a refusal. */
const MOST_OFFERED = 3;

/**
 * Reads a question such as `how much did prod spend last week?`, in a thread also `and staging?`.
 *
 * @param answered what was answered last in its thread; its days are those that it had then
 * @returns undefined when no word names a project or something that Tally can be asked
 * @throws secret-pasted
 */
export function readQuestion(text: string, reader: Reader, answered?: LastAnswer): Question | undefined {
  const { items, shown, mistyped } = itemsOf(tidyQuestion(text), reader, answered !== undefined);
  refuseSecret(text, items, (word) => reader.aliases.has(word));
  const isSecret = text
    .split(/\s+/)
    .some((word) => couldBeSecret(word) && !reader.aliases.has(normalizeText(word)));
  const quotable = (refusal: InvalidWord): InvalidWord => (isSecret ? refusal.withheld() : refusal);
  return interpret(new Query(items, shown, reader, answered), mistyped, quotable);
}

/**
 * What people typed after a command although it is a question: `/spend how much did prod cost last week?`.
 * @returns the command's text that it means; undefined where that is another command, or not clear
 * @throws secret-pasted
 */
export function readTypedQuestion(command: SlashCommand, text: string, reader: Reader): string | undefined {
  const query = readQuestion(`${command.slice(1)} ${text}`, reader);
  return query?.kind === 'command' && query.rerun.command === command ? query.rerun.text : undefined;
}

/** Parses what was typed after a command: its words, or a question that means them. @throws InvalidWord, secret-pasted */
export function parseTyped<T>(
  command: SlashCommand,
  text: string,
  reader: Reader,
  parse: (text: string, reader: Reader) => T,
): T {
  const parsed = catchInvalidWord(() => parse(text, reader));
  if (!(parsed instanceof InvalidWord)) return parsed;
  const meant = readTypedQuestion(command, text, reader);
  if (meant === undefined) throw parsed;
  return parse(meant, reader);
}

const PICTURES =
  /(?<![^\s])[:;]-?[()DPp](?!\S)|:[a-z+][\w+'-]*:|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/giu;
const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  // Corrects the question before: “no, staging”. Elsewhere “no” has a meaning of its own.
  [/^no\s*,/i, ''],
  [/(?<=\b(?:(?:what|how|where|when|who|that|there)['’‘´`ʼ]?|(?:it|which)['’‘´`ʼ]))s(?![a-z])/gi, ' is'],
  [/(?<=\b(?:what|how|where|when|who))['’‘´`ʼ]d(?![a-z])/gi, ' did'],
  ...Object.entries({ s: '', ve: ' have', re: ' are', ll: ' will', d: ' would', m: ' am' }).map(
    ([end, whole]) => [new RegExp(`['’‘´\`ʼ]${end}(?![a-z])`, 'gi'), whole] as const,
  ),
  [/(?<![\w-])u(?![\w-])/gi, 'you'],
  // Sentences stay apart.
  [/[?!;]+(?![a-z\d])|\n+|(?<=[a-z]{3})\.(?= [A-Z])/gi, ' ; '],
];

/** `what is` for “what’s”, `prod` for “prod’s”, and nothing for pictures. */
const tidyQuestion = (text: string): string =>
  simplifyText(
    CONTRACTIONS.reduce((result, [form, whole]) => result.replace(form, whole), text.replace(PICTURES, ' ')),
  );

/** The first words of all phrases: elsewhere none is looked for. */
const STARTS: ReadonlySet<string> = new Set(
  QUESTION_WORDS.map((phrase) => /^[a-z]*/.exec(phrase)?.[0] ?? ''),
);

const readItems = (shown: string, reader: Reader, inThread: boolean): readonly AskedItem[] =>
  readBy(shown.toLowerCase(), 'Question', reader, {
    ...{ shown, inThread, aliases: reader.aliases, roles: WORD_ROLES, unbilled: UNBILLED, starts: STARTS },
  }) as readonly AskedItem[];

/** The items of a text, with all mistyped words put right or none; `mistyped` is the first of them. */
function itemsOf(typed: string, reader: Reader, inThread: boolean) {
  const asTyped = { shown: typed, items: readItems(typed, reader, inThread), mistyped: undefined };
  const known = new Set([...reader.aliases, ...CORRECTABLE_WORDS]);
  const unknown = asTyped.items.filter(({ kind }) => kind === 'bad');
  let [shown, mistyped] = [typed, ''];
  for (const { start, end } of unknown.toReversed()) {
    mistyped = typed.slice(start, end);
    const place = { start: 0, end: mistyped.length };
    const [meant] = explainBadWord(mistyped.toLowerCase(), place, '', known).instead;
    if (meant === undefined || !/^[a-z][a-z-]{2,19}$/i.test(mistyped)) return asTyped;
    shown = shown.slice(0, start) + meant + shown.slice(end);
  }
  if (mistyped === '') return asTyped;
  const items = readItems(shown, reader, inThread);
  return items.some(({ kind }) => kind === 'bad') ? asTyped : { shown, items, mistyped };
}

function interpret(
  query: Query,
  mistyped: string | undefined,
  quotable: (refusal: InvalidWord) => InvalidWord,
): Question | undefined {
  const refused = (refusal: InvalidWord): Question => {
    const { why, fact, message } = quotable(refusal);
    return { kind: 'nothing', fact: why === UNRECOGNIZED ? fact : message };
  };
  const [order] = query.of('order');
  if (order?.bad) return refused(query.refuse(order.bad, UNRECOGNIZED, ''));
  if (order) return { kind: 'command', rerun: { command: '/billing', text: orderText(query, order) } };
  if (query.items.every(isEmpty) && !query.has('have+amount', 'money+amount', 'have+money', 'have+long'))
    return query.has('thanks') ? { kind: 'thanks' } : undefined;
  const place = refusalOf(query);
  const refusal = place && query.refuse(place, place.why, place.works);
  const readings = alternativesOf(query, place).map((each) => catchInvalidWord(() => makeCommands(each)));
  const made = readings.flatMap((each) => (each instanceof InvalidWord ? [] : each));
  const [only, ...others] = made;
  if (only === undefined) {
    const why = refusal ?? readings.find((each) => each instanceof InvalidWord);
    return why && isAsked(query) ? refused(why) : undefined;
  }
  const reruns = made.slice(0, MOST_OFFERED).map(({ command, text }) => ({ command, text }));
  const [rerun = only] = reruns;
  const typo = mistyped === undefined ? undefined : new InvalidWord(mistyped, UNRECOGNIZED, '');
  const doubt = typo ?? refusal ?? only.doubt;
  const fact = doubt && quotable(doubt).fact;
  if (others.length > 0 || typo || refusal || only.isGuess) return { kind: 'guess', fact, reruns };
  return only.isOpen ? { kind: 'which-project', fact, rerun } : { kind: 'command', rerun };
}

/** In a thread, a form is about the project of the answer where no other is named. */
function orderText({ answered }: Query, { verb, words, isNamed }: OrderItem): string {
  const names = isNamed || !answered ? '' : formatParsedCommand(wordsFor(namesOf(answered.words)));
  return [verb, names, ...words].filter(Boolean).join(' ');
}

/** Whether a word names a project, or something that Tally can be asked. */
const isAsked = (query: Query): boolean =>
  query.answered !== undefined ||
  query.items.some(
    (item) =>
      (!isEmpty(item) && !/^(?:bad|period|product|change|holds|list|numbers|more|it)$/.test(markOf(item))) ||
      (item.kind === 'bad' && /\d/.test(item.word)),
  );

/** What the items of commands can't say together. Who says “we” names all projects. */
function refusalOf(query: Query): WordsRefusal | undefined {
  const items = query.items.filter(isOfCommand).filter((item) => !(item.kind === 'project' && item.isAdded));
  const we = query.first('we');
  const isNamed = items.some(({ kind }) => kind === 'project' || kind === 'all');
  const scope = we ?? (query.answered && query.items[0]);
  const all = scope && !isNamed ? [{ kind: 'all', start: scope.start, end: scope.end } as const] : [];
  return findItemsRefusal(query.shown.toLowerCase(), [...items, ...all], query.reader);
}

/** The items; where some can't be asked for, each of those that would work in their place. */
function alternativesOf(query: Query, refusal: WordsRefusal | undefined): readonly Query[] {
  if (refusal === undefined) return [query];
  // “This month” is no answer to what the next one will cost.
  if (/^(?:next|tomorrow)/i.test(query.typed(refusal))) return [];
  const { start, end, instead } = refusal;
  return instead.flatMap((text) => {
    const replaced = readBy(text, 'Command', query.reader).map(
      (item): AskedItem => ({ ...item, start, end }),
    );
    const others = query.items.filter((item) => item.end <= start || item.start >= end);
    const at = query.items.findIndex((item) => item.start >= start);
    const before = query.items.slice(0, at).filter((item) => others.includes(item));
    const changed = query.with([...before, ...replaced, ...others.slice(before.length)]);
    return replaced.some(({ kind }) => kind === 'bad') || refusalOf(changed) !== undefined ? [] : [changed];
  });
}

/** @throws InvalidWord */
function makeCommands(query: Query): readonly MadeCommand[] {
  query.refuseAny(['unclear'], 'could mean two things here');
  const unbilled = query.first('unbilled');
  const unbilledName = unbilled && UNBILLED.get(query.typed(unbilled).toLowerCase());
  if (unbilled)
    throw query.refuse(unbilled, `Billing reports projects, products and days, not ${unbilledName}`, '');
  const subject = subjectOf(query);
  const [first] = query.items;
  if (subject !== undefined && first !== undefined) query.marks.set(`about:${subject}`, first);
  const unknown = query.of('bad')[0];
  // “Why?” and “again” only refer to an answer.
  const marks = ['why', 'again', 'same', 'output', 'csv', 'details'] as const;
  if (!unknown && !query.answered && query.has(...marks) && query.hasOnly(...marks))
    return [{ command: '/spend', text: formatParsedCommand(wordsOf(query)), isOpen: true }];
  if (unknown === undefined) {
    refuseStray(query);
    return commandsFor(subject, query);
  }
  const { why, works } = explainBadWord(query.shown.toLowerCase(), unknown, '', query.reader.aliases);
  const refusal = query.refuse(unknown, why, works);
  const isFigures = subject === 'spend' || subject === 'balance';
  if (!isFigures || why !== UNRECOGNIZED || !mayBeProject(query, unknown)) throw refusal;
  refuseStray(query);
  return commandsFor(subject, query).map((made) => ({ ...made, isOpen: true, doubt: refusal }));
}

/** @throws InvalidWord */
function commandsFor(subject: Subject | undefined, query: Query): readonly MadeCommand[] {
  const isFigures = subject === undefined || subject === 'spend' || subject === 'balance';
  if (isFigures && query.answered !== undefined) return followUpCommands(query, subject);
  const words = wordsOf(query);
  switch (subject) {
    case undefined:
      return commandsWithoutSubject(query, words);
    case 'spend':
      return spendCommands(query, { ...words, ...askedProjects(query, words) });
    case 'balance':
      return balanceCommands(query, { ...words, ...askedProjects(query, words) });
    case 'budget':
      return budgetCommands(query, words);
    default:
      return [listCommand(subject, query, words)];
  }
}

/** Whether a word may be the one project asked about: “how much did blork spend?”, but not “how much memory”. */
function mayBeProject(query: Query, unknown: AskedItem & { readonly kind: 'bad' }): boolean {
  const before = query.items[query.items.indexOf(unknown) - 1];
  return (
    query.of('bad').length === 1 &&
    !query.has('project', 'all', 'top', 'most', 'which', 'least', 'more', 'who', 'it') &&
    couldBeName(unknown.word) &&
    !isKnownWord(unknown.word) &&
    !/\b(?:much|many|more|less|which|what|an?|any|some|by|per)$/.test(
      before ? query.typed(before).toLowerCase() : '',
    )
  );
}
