/** Reads what the words of a question say: what it is about, and the rest by the grammar of commands, or why not. */

import { commandText } from '../../command-names.ts';
import { catchInvalidWord, InvalidWord, UNRECOGNIZED } from '../../failure/index.ts';
import { tryParse } from '../../try-parse.ts';
import { couldBeName } from '../nearest-word.ts';
import { clipWord, typedSpelling } from '../text.ts';
import { findUnknownWord, type QuestionWords } from './extract-phrases.ts';
import type { Output } from './legacy/parse-argument.ts';
import { parseCommandText } from './legacy/parse-command.ts';
import type { ParsedCommand } from './legacy/parsed-command.ts';
import { type Aliases, CLAUSE_BREAK } from './legacy/tokenizer.ts';
import { VOCABULARY } from './legacy/vocabulary.ts';
import { firstSaid, type PhraseRole, ROLE_RULES, type Subject } from './phrases.ts';

/** What the words of a question say, before a command is made of them. */
export interface QuestionReading {
  /** Undefined where no word says it. */
  readonly subject: Subject | undefined;
  readonly words: ParsedCommand;
  readonly output: Output | undefined;
  readonly said: QuestionWords['said'];
  /** The project is `it`, `that` or `the project`. */
  readonly refersBack: boolean;
}

const EXAMPLE = `Type a command, such as ${commandText('/spend')} prod last-month.`;
export const UNCLEAR_MEANING = 'I can’t tell what {word} means here';

/** The refusal of a word that a question gives no meaning. */
export const refuseUnplaced = (word: string, why: string = UNCLEAR_MEANING): InvalidWord =>
  new InvalidWord(word, why, EXAMPLE);

/** What a question means; or why it is refused, with corrected readings to offer. */
interface Readings<Reading> {
  readonly readings: readonly Reading[];
  readonly refusal?: InvalidWord;
  /** Whether the refused word may be the name of a project. */
  readonly isUnknownName?: boolean;
}

/** @throws InvalidWord, SecretPasted */
export function interpretQuestion(question: QuestionWords, aliases: Aliases): Readings<QuestionReading> {
  const { said, unclear } = question;
  if (unclear !== undefined) throw refuseUnplaced(clipWord(unclear), 'could mean two things here');
  const [output, other] = OUTPUTS.filter((role) => said.has(role));
  if (other !== undefined)
    throw new InvalidWord(other, `You asked for “${output}” and {word}`, 'Ask for one of them.');
  const [subject, second] = subjectsOf(question);
  if (second !== undefined) {
    const first = [...said].find(([role]) => ROLE_RULES[role].about === subject)?.[1] ?? subject;
    throw new InvalidWord(clipWord(second), `and “${first}” are two questions`, 'Ask one at a time.');
  }
  const lost = [...said].find(([role]) => !applies(role, said, subject))?.[1];
  if (lost !== undefined) {
    const unknown = findUnknownWord(question.text, aliases);
    throw refuseUnplaced(clipWord(unknown ?? lost), unknown === undefined ? UNCLEAR_MEANING : UNRECOGNIZED);
  }
  const parsed = parseRest(question, aliases);
  const isOfAll = NOUN_BESIDE.some((role) => said.has(role));
  const canFillIn = (subject === 'spend' || subject === 'balance') && !said.has('noun') && !isOfAll;
  if (parsed.isUnknownName && !canFillIn) throw parsed.refusal;
  const readings = parsed.readings.map((words): QuestionReading => {
    const isNamed = words.project !== undefined || words.alias !== undefined || words.several !== undefined;
    const isNoun = said.get('noun') === 'project' && !isOfAll;
    return { subject, words, output, said, refersBack: !isNamed && (said.has('reference') || isNoun) };
  });
  return { ...parsed, readings };
}

export const OUTPUTS = ['csv', 'details', 'why'] as const;

export const isEmpty = (rest: string): boolean =>
  rest
    .split(' ')
    .every((word) => word === CLAUSE_BREAK || word === '' || VOCABULARY.get(word)?.role === 'filler');

/** What the question is about: nothing, one subject, or, to be refused, the phrases of two. */
export function subjectsOf({ said, rest }: QuestionWords): readonly Subject[] | readonly [Subject, string] {
  const named = new Map<Subject, string>();
  for (const [role, phrase] of said) {
    const { about } = ROLE_RULES[role];
    if (about !== undefined && !named.has(about)) named.set(about, phrase);
  }
  // The watch of a budget shows both what is spent and what is left.
  if (named.has('budget')) for (const other of ['spend', 'balance'] as const) named.delete(other);
  // Bonuses are spent, too: “how many bonuses did prod use?”.
  const isBonus = /^bonus(?:es)?$/.test(named.get('balance') ?? '') && !/\band\b/.test(rest);
  if (isBonus && named.has('spend')) named.delete('balance');
  const [[first] = [], [, second] = []] = [...named];
  if (first !== undefined) return second === undefined ? [first] : [first, second];
  const isRanked = firstSaid(said, 'rank', 'least', 'by') || /\btop \d/.test(rest);
  if (isRanked || said.has('change') || (said.has('why') && !said.has('have') && !isEmpty(rest)))
    return ['spend'];
  if (isEmpty(rest) && said.get('noun') === 'projects') return ['projects'];
  if (rest.replaceAll(CLAUSE_BREAK, '').trim() === 'all' && / project/.test(said.get('everything') ?? ''))
    return said.has('list') || said.has('request') ? ['projects'] : [];
  const isAmount = firstSaid(said, 'amount', 'what', 'money', 'howLong') !== undefined;
  const isHeld = said.has('have') || (said.has('money') && said.has('amount'));
  return isAmount && isHeld && !said.has('past') && !said.has('noun') ? ['balance'] : [];
}

/** Roles beside which the bare word “projects” means all projects. */
const NOUN_BESIDE = ['rank', 'least', 'first', 'by', 'which'] as const;

/** Whether the question also has the role or subject that this role needs. */
export function applies(
  role: PhraseRole,
  said: QuestionWords['said'],
  subject: Subject | undefined,
): boolean {
  if (role === 'noun')
    return (
      subject === 'projects' || said.get('noun') === 'project' || NOUN_BESIDE.some((other) => said.has(other))
    );
  const { beside } = ROLE_RULES[role];
  return (
    beside === undefined ||
    beside.includes(subject ?? '') ||
    beside.some((others) => others.split('+').every((other) => said.has(other as PhraseRole)))
  );
}

/** Not corrected: the running unit is not what `next` asks about, and 815 is another project than 0815. */
export const NOT_CORRECTED = /^(?:next\b|tomorrow\b|0\d*$)/i;

/** The rest of a question, read as words of a command; if they are refused, what corrects them. @throws InvalidWord, SecretPasted */
function parseRest({ rest, typed, text: asked }: QuestionWords, aliases: Aliases): Readings<ParsedCommand> {
  const parsed = catchInvalidWord(() => parseCommandText(rest, aliases));
  if (!(parsed instanceof InvalidWord)) {
    const far = parsed.product === undefined ? undefined : farNumber(rest);
    if (far !== undefined) throw refuseUnplaced(far);
    if (parsed.help) throw refuseUnplaced('help', 'works only by itself');
    return { readings: [parsed] };
  }
  const { word, why, works, offered } = parsed;
  const unnamed = why === UNRECOGNIZED && offered.length === 0 && withoutName(word, rest, asked, aliases);
  if (unnamed) return { readings: [unnamed], refusal: parsed, isUnknownName: true };
  // A list that nobody marked would take any number for a project: “prod spend 500”.
  const isMarked = (text: string) =>
    text
      .split(' ')
      .filter((listed) => listed.includes(','))
      .every((listed) => rest.includes(listed) || listed.split(',').every((name) => aliases.has(name)));
  const readings = (NOT_CORRECTED.test(word) ? [] : offered.filter(isMarked))
    .map((text) => parseCommandText(text, aliases))
    .filter(({ help }) => !help);
  const quoted = word.replaceAll(` ${CLAUSE_BREAK} `, ' … ').replace(/^vs(?= |$)/, typed.get('vs') ?? 'vs');
  const refusal = new InvalidWord(typedSpelling(asked, quoted), why, works);
  if (readings.length === 0) throw refusal;
  return { readings, refusal };
}

/** Words for people, which are never a project's name here. */
const PEOPLE =
  /^(?:he|she|everyone|everybody|someone|somebody|anyone|people|person|teams?|users?|guys|folks|colleagues?|customers?)$/i;
/** A word after one of these is no project's name: “how much memory”. */
const NOT_BEFORE_NAME = '(?:much|many|more|less|which|what|an?|any|some|by|per)';

/** The words beside a word that may be a project's name; undefined if they name another project. */
function withoutName(word: string, rest: string, asked: string, aliases: Aliases): ParsedCommand | undefined {
  const places = rest.split(' ');
  const place = places.indexOf(word);
  if (
    place < 0 ||
    !couldBeName(word) ||
    PEOPLE.test(word) ||
    new RegExp(`\\b${NOT_BEFORE_NAME}\\s+${word}\\b`, 'i').test(asked)
  )
    return undefined;
  const words = tryParse(() => parseCommandText(places.with(place, CLAUSE_BREAK).join(' '), aliases));
  const isNamed = words?.help || (words?.alias ?? words?.project ?? words?.several) !== undefined;
  return isNamed ? undefined : words;
}

/** A number that would be read as a product although it does not follow its project: `why did prod cost 2`. */
function farNumber(rest: string): string | undefined {
  const isNamed = rest
    .split(' ')
    .some((word) => VOCABULARY.get(word.toLowerCase())?.role.startsWith('product'));
  return isNamed || /^\S+ [1-3](?= |$)/.test(rest) ? undefined : /(?<= )[1-3](?= |$)/.exec(rest)?.[0];
}
