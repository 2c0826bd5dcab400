/**
 * Questions in free words: a question is items, and a follow-up is the last answer's items with those on top that were said.
 * What no rule gives a meaning is refused by name.
 */
import type { SlashCommand } from '../../command-names.ts';
import { catchInvalidWord, InvalidWord, UNRECOGNIZED } from '../../failure/index.ts';
import { couldBeSecret } from '../../secret-detection.ts';
import { couldBeName, explainBadWord, isKnownWord } from '../correct-text.ts';
import { QUESTION_WORDS } from '../generated.js';
import { type Reader, readBy } from '../items.ts';
import type { Slip } from '../named-days.ts';
import { formatParsedCommand } from '../parsed-command.ts';
import { findItemsSlip, refuseSecret } from '../read-command.ts';
import { normalizeText, simplifyText } from '../text.ts';
import { followUpCommands } from './follow-up.ts';
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
import {
  type AskedItem,
  isEmpty,
  isOfCommand,
  type LastAnswer,
  markOf,
  type OrderItem,
  refuseLoose,
  Said,
  type Subject,
  subjectOf,
} from './said.ts';
import { MEANT_WORDS, UNBILLED, WORD_ROLES } from './words.ts';

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
  const judged = (refusal: InvalidWord): InvalidWord => (isSecret ? refusal.withheld() : refusal);
  return interpret(new Said(items, shown, reader, answered), mistyped, judged);
}

/**
 * What people typed after a command although it is a question: `/spend how much did prod cost last week?`.
 * @returns the command's text that it means; undefined where that is another command, or not clear
 * @throws secret-pasted
 */
export function readTypedQuestion(command: SlashCommand, text: string, reader: Reader): string | undefined {
  const question = readQuestion(`${command.slice(1)} ${text}`, reader);
  return question?.kind === 'command' && question.rerun.command === command ? question.rerun.text : undefined;
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
const SIGN = "['’‘´`ʼ]";
const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  // Corrects the question before: “no, staging”. Elsewhere “no” has a meaning of its own.
  [/^no\s*,/i, ''],
  [new RegExp(`(?<=\\b(?:what|how|where|when|who|that|there))${SIGN}?s(?![a-z])`, 'gi'), ' is'],
  [new RegExp(`(?<=\\b(?:it|which))${SIGN}s(?![a-z])`, 'gi'), ' is'],
  [new RegExp(`(?<=\\b(?:what|how|where|when|who))${SIGN}d(?![a-z])`, 'gi'), ' did'],
  ...Object.entries({ s: '', ve: ' have', re: ' are', ll: ' will', d: ' would' }).map(
    ([end, whole]) => [new RegExp(`${SIGN}${end}(?![a-z])`, 'gi'), whole] as const,
  ),
  [new RegExp(`(?<=\\bi)${SIGN}m(?![a-z])`, 'gi'), ' am'],
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
  const known = new Set([...reader.aliases, ...MEANT_WORDS]);
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
  said: Said,
  mistyped: string | undefined,
  judged: (refusal: InvalidWord) => InvalidWord,
): Question | undefined {
  const refused = (refusal: InvalidWord): Question => {
    const { why, fact, message } = judged(refusal);
    return { kind: 'nothing', fact: why === UNRECOGNIZED ? fact : message };
  };
  const [order] = said.of('order');
  if (order?.bad) return refused(said.refuse(order.bad, UNRECOGNIZED, ''));
  if (order) return { kind: 'command', rerun: { command: '/billing', text: orderText(said, order) } };
  if (said.items.every(isEmpty) && !said.has('have+amount', 'money+amount', 'have+money', 'have+long'))
    return said.has('thanks') ? { kind: 'thanks' } : undefined;
  const place = slipOf(said);
  const slip = place && said.refuse(place, place.why, place.works);
  const readings = alternativesOf(said, place).map((each) => catchInvalidWord(() => makeCommands(each)));
  const made = readings.flatMap((each) => (each instanceof InvalidWord ? [] : each));
  const [only, ...others] = made;
  if (only === undefined) {
    const why = slip ?? readings.find((each) => each instanceof InvalidWord);
    return why && isAsked(said) ? refused(why) : undefined;
  }
  const reruns = made.slice(0, MOST_OFFERED).map(({ command, text }) => ({ command, text }));
  const [rerun = only] = reruns;
  const typo = mistyped === undefined ? undefined : new InvalidWord(mistyped, UNRECOGNIZED, '');
  const doubt = typo ?? slip ?? only.doubt;
  const fact = doubt && judged(doubt).fact;
  if (others.length > 0 || typo || slip || only.isGuess) return { kind: 'guess', fact, reruns };
  return only.isOpen ? { kind: 'which-project', fact, rerun } : { kind: 'command', rerun };
}

/** In a thread, a form is about the project of the answer where no other is named. */
function orderText({ answered }: Said, { verb, words, isNamed }: OrderItem): string {
  const names = isNamed || !answered ? '' : formatParsedCommand(wordsFor(namesOf(answered.words)));
  return [verb, names, ...words].filter(Boolean).join(' ');
}

/** Whether a word names a project, or something that Tally can be asked. */
const isAsked = (said: Said): boolean =>
  said.answered !== undefined ||
  said.items.some(
    (item) =>
      (!isEmpty(item) && !/^(?:bad|period|product|change|kept|list|numbers|more|it)$/.test(markOf(item))) ||
      (item.kind === 'bad' && /\d/.test(item.word)),
  );

/** What the items of commands can't say together. Who says “we” names all projects. */
function slipOf(said: Said): Slip | undefined {
  const items = said.items.filter(isOfCommand).filter((item) => !(item.kind === 'project' && item.isAdded));
  const we = said.first('we');
  const isNamed = items.some(({ kind }) => kind === 'project' || kind === 'all');
  const scope = we ?? (said.answered && said.items[0]);
  const all = scope && !isNamed ? [{ kind: 'all', start: scope.start, end: scope.end } as const] : [];
  return findItemsSlip(said.shown.toLowerCase(), [...items, ...all], said.reader);
}

/** The items; where some can't be asked for, each of those that would work in their place. */
function alternativesOf(said: Said, slip: Slip | undefined): readonly Said[] {
  if (slip === undefined) return [said];
  // “This month” is no answer to what the next one will cost.
  if (/^(?:next|tomorrow)/i.test(said.typed(slip))) return [];
  const { start, end, instead } = slip;
  return instead.flatMap((text) => {
    const meant = readBy(text, 'Command', said.reader).map((item): AskedItem => ({ ...item, start, end }));
    const kept = said.items.filter((item) => item.end <= start || item.start >= end);
    const at = said.items.findIndex((item) => item.start >= start);
    const before = said.items.slice(0, at).filter((item) => kept.includes(item));
    const changed = said.with([...before, ...meant, ...kept.slice(before.length)]);
    return meant.some(({ kind }) => kind === 'bad') || slipOf(changed) !== undefined ? [] : [changed];
  });
}

/** @throws InvalidWord */
function makeCommands(said: Said): readonly MadeCommand[] {
  said.refuseAny(['unclear'], 'could mean two things here');
  const unbilled = said.first('unbilled');
  const unbilledName = unbilled && UNBILLED.get(said.typed(unbilled).toLowerCase());
  if (unbilled)
    throw said.refuse(unbilled, `Billing reports projects, products and days, not ${unbilledName}`, '');
  const subject = subjectOf(said);
  const [first] = said.items;
  if (subject !== undefined && first !== undefined) said.marks.set(`about:${subject}`, first);
  const unknown = said.of('bad')[0];
  // “Why?” and “again” only refer to an answer.
  const marks = ['why', 'again', 'same', 'output', 'csv', 'details'] as const;
  if (!unknown && !said.answered && said.has(...marks) && said.hasOnly(...marks))
    return [{ command: '/spend', text: formatParsedCommand(wordsOf(said)), isOpen: true }];
  if (unknown === undefined) {
    refuseLoose(said);
    return commandsFor(subject, said);
  }
  const { why, works } = explainBadWord(said.shown.toLowerCase(), unknown, '', said.reader.aliases);
  const refusal = said.refuse(unknown, why, works);
  const isFigures = subject === 'spend' || subject === 'balance';
  if (!isFigures || why !== UNRECOGNIZED || !mayBeProject(said, unknown)) throw refusal;
  refuseLoose(said);
  return commandsFor(subject, said).map((made) => ({ ...made, isOpen: true, doubt: refusal }));
}

/** @throws InvalidWord */
function commandsFor(subject: Subject | undefined, said: Said): readonly MadeCommand[] {
  const isFigures = subject === undefined || subject === 'spend' || subject === 'balance';
  if (isFigures && said.answered !== undefined) return followUpCommands(said, subject);
  const words = wordsOf(said);
  switch (subject) {
    case undefined:
      return commandsWithoutSubject(said, words);
    case 'spend':
      return spendCommands(said, { ...words, ...askedProjects(said, words) });
    case 'balance':
      return balanceCommands(said, { ...words, ...askedProjects(said, words) });
    case 'budget':
      return budgetCommands(said, words);
    default:
      return [listCommand(subject, said, words)];
  }
}

/** Whether a word may be the one project asked about: “how much did blork spend?”, but not “how much memory”. */
function mayBeProject(said: Said, unknown: AskedItem & { readonly kind: 'bad' }): boolean {
  const before = said.items[said.items.indexOf(unknown) - 1];
  return (
    said.of('bad').length === 1 &&
    !said.has('project', 'all', 'top', 'most', 'which', 'least', 'more', 'who', 'it') &&
    couldBeName(unknown.word) &&
    !isKnownWord(unknown.word) &&
    !/\b(?:much|many|more|less|which|what|an?|any|some|by|per)$/.test(
      before ? said.typed(before).toLowerCase() : '',
    )
  );
}
