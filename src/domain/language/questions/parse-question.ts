/**
 * Turns a question in plain English into the command that answers it. In a thread, a question may leave out what the
 * last answer there already says.
 */
import type { SlashCommand } from '../../command-names.ts';
import { catchInvalidWord, InvalidWord, UNRECOGNIZED } from '../../failure/index.ts';
import { couldBeSecret } from '../../secret-detection.ts';
import { type ParseContext, parseItems } from '../command-items.ts';
import { findItemsRefusal, refuseSecret } from '../parse-command-text.ts';
import { formatParsedCommand, type ParsedCommand } from '../parsed-command.ts';
import type { WordsRefusal } from '../phrase-calendar.ts';
import { couldBeName, explainBadWord, isKnownWord, normalizeText, whyUnbilled } from '../text-cleanup.ts';
import {
  balanceCommands,
  budgetCommands,
  commandsWithoutSubject,
  followUpCommands,
  listCommand,
  type MadeCommand,
  namesOf,
  type QuestionCommand,
  spendCommands,
  withProjects,
  wordsFor,
  wordsOf,
} from './question-commands.ts';
import {
  type AskedItem,
  isEmpty,
  isOfCommand,
  type LastAnswer,
  type Mark,
  markOf,
  type OrderItem,
  QuestionItems,
  readQuestionItems,
  type Subject,
  UNCLEAR,
  WORD_ROLES,
  type WordRole,
} from './question-items.ts';

export type Question =
  | { readonly kind: 'command'; readonly rerun: QuestionCommand }
  /** `fact` says that no project has the typed name. */
  | {
      readonly kind: 'which-project';
      readonly fact?: string | undefined;
      readonly rerun: QuestionCommand;
      /** Whether the last answer's project no longer exists. */
      readonly isGone?: true;
    }
  /** Commands that the question may mean, the likeliest first. `fact` says why none of them is run. */
  | {
      readonly kind: 'guess';
      readonly fact?: string | undefined;
      readonly reruns: readonly QuestionCommand[];
    }
  | { readonly kind: 'nothing'; readonly fact: string | undefined; readonly refusal?: InvalidWord }
  | { readonly kind: 'thanks' };

const MOST_OFFERED = 3;

/** @returns undefined if the text asks nothing that Tally knows @throws secret-pasted */
export function parseQuestion(
  text: string,
  { aliases, ...days }: ParseContext,
  answered?: LastAnswer,
): Question | undefined {
  // A word such as “we” keeps its meaning even if a project got that name when this was still possible.
  const context = { ...days, aliases: new Set([...aliases].filter((alias) => !WORD_ROLES.has(alias))) };
  const { items, shown, mistyped } = readQuestionItems(text, context, answered !== undefined);
  refuseSecret(text, items, (word) => context.aliases.has(word));
  const isSecret = text
    .split(/\s+/)
    .some((word) => couldBeSecret(word) && !context.aliases.has(normalizeText(word)));
  const quotable = (refusal: InvalidWord): InvalidWord => (isSecret ? refusal.withheld() : refusal);
  return interpret(new QuestionItems(items, shown, context, answered), mistyped, quotable);
}

/** Turns `/spend how much did prod cost?` into a text for `command`. @returns undefined if `command` can't answer it */
export function parseTypedQuestion(
  command: SlashCommand,
  text: string,
  context: ParseContext,
): string | undefined {
  const query = parseQuestion(`${command.slice(1)} ${text}`, context);
  return query?.kind === 'command' && query.rerun.command === command ? query.rerun.text : undefined;
}

/** Parses a command's text, or a question in its place. @throws InvalidWord, secret-pasted */
export function parseTyped(
  command: SlashCommand,
  text: string,
  context: ParseContext,
  parse: (text: string, context: ParseContext) => ParsedCommand,
): ParsedCommand {
  const parsed = catchInvalidWord(() => parse(text, context));
  if (!(parsed instanceof InvalidWord)) return parsed;
  const question = parseQuestion(`${command.slice(1)} ${text}`, context);
  if (question?.kind === 'command' && question.rerun.command === command)
    return parse(question.rerun.text, context);
  // Some words, such as “forecast”, have a meaning in questions only. For them, the question's refusal says more.
  const refusal = question?.kind === 'nothing' ? question.refusal : undefined;
  const isQuestion = parsed.why === UNRECOGNIZED && WORD_ROLES.has(parsed.word.toLowerCase());
  throw isQuestion && refusal && ![UNRECOGNIZED, UNCLEAR].includes(refusal.why) ? refusal : parsed;
}

function interpret(
  query: QuestionItems,
  mistyped: string | undefined,
  quotable: (refusal: InvalidWord) => InvalidWord,
): Question | undefined {
  const refused = (refusal: InvalidWord): Question => {
    const { why, fact, message } = quotable(refusal);
    return { kind: 'nothing', fact: why === UNRECOGNIZED ? fact : message, refusal: quotable(refusal) };
  };
  const [order] = query.of('order');
  if (order?.bad) return refused(query.refuse(order.bad, UNRECOGNIZED, ''));
  if (order) return { kind: 'command', rerun: { command: '/billing', text: orderText(query, order) } };
  if (query.items.every(isEmpty) && !query.has('have+amount', 'money+amount', 'have+money', 'have+long'))
    return query.has('thanks') ? { kind: 'thanks' } : undefined;
  const place = refusalOf(query);
  const refusal = place && query.refuse(place, place.why, place.works);
  const readings = alternativesOf(query, place).map((each) => catchInvalidWord(() => makeCommands(each)));
  const all = readings.flatMap((each) => (each instanceof InvalidWord ? [] : each));
  const made = [...new Map(all.map((each) => [`${each.command} ${each.text}`, each])).values()];
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

/** In a thread, an order that names no project is about the last answer's projects. */
function orderText({ answered }: QuestionItems, { verb, words, isNamed }: OrderItem): string {
  const names = isNamed || !answered ? '' : formatParsedCommand(wordsFor(namesOf(answered.words)));
  return [verb, names, ...words].filter(Boolean).join(' ');
}

const isAsked = (query: QuestionItems): boolean =>
  query.answered !== undefined ||
  query.items.some(
    (item) =>
      (!isEmpty(item) && !/^(?:bad|period|product|change|holds|list|numbers|more|it)$/.test(markOf(item))) ||
      (item.kind === 'bad' && (/\d/.test(item.word) || whyUnbilled(item.word) !== undefined)),
  );

/** Finds words that no command can have. “We” counts as all projects. For a balance, refused periods are ignored. */
function refusalOf(query: QuestionItems): WordsRefusal | undefined {
  const isBalance = !query.has('lasting') && catchInvalidWord(() => subjectOf(query)) === 'balance';
  const items = query.items
    .filter(isOfCommand)
    .filter((item) => !(item.kind === 'project' && item.isAdded))
    .filter((item) => !(item.kind === 'refused' && item.ofPeriod && isBalance));
  const we = query.first('we');
  const isNamed = items.some(({ kind }) => kind === 'project' || kind === 'all');
  const scope = we ?? (query.answered && query.items[0]);
  const all = scope && !isNamed ? [{ kind: 'all', start: scope.start, end: scope.end } as const] : [];
  return findItemsRefusal(query.shown.toLowerCase(), [...items, ...all], query.context);
}

/** If some words are refused, tries each replacement of them. */
function alternativesOf(query: QuestionItems, refusal: WordsRefusal | undefined): readonly QuestionItems[] {
  if (refusal === undefined) return [query];
  // “This month” would be no answer to a question about the future.
  if (/^(?:next|tomorrow)/i.test(query.typed(refusal))) return [];
  const { start, end, instead } = refusal;
  return instead.flatMap((text) => {
    const replaced = parseItems(text, 'Command', query.context).map(
      (item): AskedItem => ({ ...item, start, end }),
    );
    const others = query.items.filter((item) => item.end <= start || item.start >= end);
    const at = query.items.findIndex((item) => item.start >= start);
    const before = query.items.slice(0, at).filter((item) => others.includes(item));
    const changed = query.with([...before, ...replaced, ...others.slice(before.length)]);
    return replaced.some(({ kind }) => kind === 'bad') || refusalOf(changed) !== undefined ? [] : [changed];
  });
}

function makeCommands(query: QuestionItems): readonly MadeCommand[] {
  query.refuseAny(['unclear'], 'could mean two things here');
  const subject = subjectOf(query);
  const [first] = query.items;
  if (subject !== undefined && first !== undefined) query.marks.set(`about:${subject}`, first);
  const unknown = query.of('bad').find(({ word }) => whyUnbilled(word)) ?? query.of('bad')[0];
  // Alone, “why?” and “again” are about an earlier answer.
  const marks = ['why', 'again', 'same', 'output', 'csv', 'details'] as const;
  if (!unknown && !query.answered && query.has(...marks) && query.hasOnly(...marks))
    return [{ command: '/spend', text: formatParsedCommand(wordsOf(query)), isOpen: true }];
  if (unknown === undefined) {
    refuseStray(query);
    return commandsFor(subject, query);
  }
  const { why, works } = explainBadWord(query.shown.toLowerCase(), unknown, '', query.context.aliases);
  const refusal = query.refuse(unknown, why, works);
  const isFigures = subject === 'spend' || subject === 'balance';
  if (!isFigures || why !== UNRECOGNIZED || !mayBeProject(query, unknown)) throw refusal;
  refuseStray(query);
  return commandsFor(subject, query).map((made) => ({ ...made, isOpen: true, doubt: refusal }));
}

function commandsFor(subject: Subject | undefined, query: QuestionItems): readonly MadeCommand[] {
  const isFigures = subject === undefined || subject === 'spend' || subject === 'balance';
  if (isFigures && query.answered !== undefined) return followUpCommands(query, subject);
  const words = wordsOf(query);
  switch (subject) {
    case undefined:
      return commandsWithoutSubject(query, words);
    case 'spend':
      return spendCommands(query, withProjects(query, words));
    case 'balance':
      return balanceCommands(query, withProjects(query, words));
    case 'budget':
      return budgetCommands(query, words);
    default:
      return [listCommand(subject, query)];
  }
}

/** An unknown word may be a project in “how much did blork spend?”, but not in “how much memory?”. */
function mayBeProject(query: QuestionItems, unknown: AskedItem & { readonly kind: 'bad' }): boolean {
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

const ABOUT: Readonly<Partial<Record<Subject, readonly WordRole[]>>> = {
  spend: ['spend', 'usage', 'average', 'forecast', 'sorted'],
  balance: ['balance', 'lasting', 'ends'],
  budget: ['budget'],
  schedules: ['schedules'],
  watches: ['watches'],
  help: ['help'],
  status: ['token'],
  owner: ['owner'],
};
const subjectOfRole = (role: WordRole | undefined): Subject | undefined =>
  (Object.keys(ABOUT) as Subject[]).find((subject) => role && ABOUT[subject]?.includes(role));

/** The words that a word needs beside it: any of the listed ones, or both words of `a+b`. */
const NEEDS: Readonly<Partial<Record<Mark, string>>> = {
  more: 'why versus than which either spend+past spend+have spend+is',
  pricier: 'is past versus than which either why answer',
  change: 'why past have versus spend+is most watches',
  most: 'spend noun day change when answer',
  least: 'spend noun day which answer',
  day: 'most least top why lasting ends',
  which: 'most least top more pricier either first lasting balance budget about:projects schedules watches',
  who: 'lasting',
  first: 'lasting',
  sorted: 'noun all most top',
  list: 'noun schedules watches budget top',
  past: 'spend usage average why numbers most least more pricier change noun budget compare versus period lasting thanks bonus balance',
  have: 'money spend usage average change more pricier balance budget compare amount what long output schedules watches noun csv answer',
  why: 'spend change more pricier period past all answer',
  will: 'spend lasting ends average forecast budget balance money',
  can: 'lasting output csv noun schedules watches',
  money: 'spend average balance lasting ends budget long have amount is',
  any: 'money balance bonus budget lasting spend noun schedules watches',
  long: 'have ends lasting balance money answer',
  when: 'lasting ends most least token top long',
  holds: 'budget watches money lasting',
  monthEnd: 'will forecast budget',
  credit: 'balance',
  ends: 'money when long day is+project',
  here: 'schedules watches owner',
  either: 'which more pricier most least first compare',
  only: 'answer',
  again: 'answer',
  same: 'answer',
  lead: 'answer',
  both: 'answer project',
  plus: '',
  second: '',
  unanswered: '',
};

function refuseStray(query: QuestionItems): void {
  for (const [mark, item] of query.marks) {
    const beside = NEEDS[mark];
    if (beside === undefined || query.has(...beside.split(' '))) continue;
    const unbilled = whyUnbilled(query.typed(item));
    throw unbilled === undefined ? query.refuse(item) : query.refuse(item, unbilled, '');
  }
}

function subjectOf(query: QuestionItems): Subject | undefined {
  const named = new Map<Subject, AskedItem>();
  for (const item of query.items) {
    const about = subjectOfRole(item.role);
    if (about !== undefined && !named.has(about)) named.set(about, item);
  }
  const [bonus, budget] = [query.first('bonus'), named.get('budget')];
  // Bonuses belong to what was spent if the question names a period, else to what is left.
  if (bonus && !named.has('spend')) named.set(query.has('period', 'today') ? 'spend' : 'balance', bonus);
  if (budget && query.has('watches', 'list')) named.set('watches', budget);
  if (budget) for (const other of ['spend', 'balance'] as const) named.delete(other);
  if (named.has('watches')) named.delete('budget');
  if (named.size > 1) named.delete('help');
  const [[first, one] = [], [, second] = []] = [...named];
  if (second && one)
    throw query.refuse(second, `and “${query.typed(one)}” are two questions`, 'Ask one at a time.');
  return first ?? impliedSubject(query);
}

const isShortList = (query: QuestionItems): boolean => {
  const noun = query.first('noun');
  return query.items.length < 3 && noun !== undefined && /s$/.test(query.typed(noun));
};

function impliedSubject(query: QuestionItems): Subject | undefined {
  const { answered } = query;
  if (query.has('most', 'least', 'top', 'day')) return 'spend';
  if (
    answered === undefined &&
    (query.has('change', 'pricier') || (query.has('why') && !query.hasOnly('why')))
  )
    return 'spend';
  const isList = query.hasOnly('noun', 'which', 'list', 'all') && query.has('noun') && !query.has('amount');
  const isPer = query.of('all').some((item) => item.isPer);
  if (
    isList &&
    !isPer &&
    !query.has('money', 'long') &&
    !(answered && query.has('all') && !query.has('list', 'request'))
  )
    return query.has('list', 'which', 'what', 'have', 'request', 'any') || (!answered && isShortList(query))
      ? 'projects'
      : undefined;
  const isAmount = query.has('amount', 'what', 'long', 'money');
  return isAmount && query.has('have', 'money') && !query.has('past', 'why') ? 'balance' : undefined;
}
