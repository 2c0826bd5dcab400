/** What a follow-up says by its words alone: those that only refer to an answer are taken out of it. */

import { nearestWord } from '../nearest-word.ts';
import { cleanTyping } from '../text.ts';
import { spellOut } from './extract-phrases.ts';
import type { Aliases } from './legacy/tokenizer.ts';
import { VOCABULARY } from './legacy/vocabulary.ts';

/** Splits tables of phrases at their commas. */
const listOf = (...tables: readonly string[]): readonly string[] =>
  tables.flatMap((table) => table.split(', '));
const setOf = (...tables: readonly string[]): ReadonlySet<string> => new Set(listOf(...tables));

/** A comma between words, which `listOf` can’t list. */
const COMMA = ',';
const THANKED = 'thanks, thank you, thx';
const THANKS = setOf(THANKED);
/** First words of a farewell that may follow thanks: “have a great weekend”. */
const FAREWELLS = setOf('for, have, see');
/** In characters, including the comma before it and the space after it. */
const LONGEST_FAREWELL = 8;
/** Words that any text may begin with, follow-up or not. */
const WEAK =
  'can you, could you, so, ok, okay, now, do, show, please, yes, great, cool, nice, perfect, hi, hello, hey';
const WEAK_LEADS: ReadonlySet<string> = new Set([...listOf(WEAK, THANKED), COMMA]);
/** Phrases that ask for the answer in the same form, for example as a file. */
const SAMES = 'same for, same thing, same question, same with, same, the same';
const SAME = setOf(SAMES);
/** What a follow-up begins with. */
const LEADS = [
  ...listOf('what about, how about, what of, and, but, then, also, only', SAMES, WEAK, THANKED),
  COMMA,
];
const TAILS = [...listOf('please, pls, tho, though, too, as well, instead, only, then'), COMMA];

/** Words that refer to the projects of the last answer. */
const PRONOUNS = listOf(
  'that project, this project, the project, the same project, same project, that one',
  'these projects, those projects, the projects, the same projects',
  'it all, it, its, that, them, they, those, these',
);
const LONGEST_PRONOUN = 3;

export const AGAIN = setOf(
  'again, same again, the same again, once more, once again, one more time, repeat, refresh',
  'run again, do again, show again, try again, retry, ask again',
);
const WHY = setOf(
  'why, why is, why was, why so much, why so, why much, how come, what changed',
  'why did change, what happened, why is so, why is so much, why so high, why the change',
);
/** Words that add nothing to `csv` and `details`: “as a csv file”. */
const FILE_WORDS = setOf(
  'as, a, an, in, to, file, format, the, with, export, download, send, get, me, can, could, i, we, you, have, give',
  'show, want, need, for, this, of, us',
);

export interface FollowUpText {
  /** The follow-up's words without those that only refer to the answer. */
  readonly text: string;
  readonly isExplicit: boolean;
  /** Whether it wants the answer in the same form: “same for staging”. */
  readonly isSame: boolean;
  /** Whether it is only offered: it begins with “wat about”, or says half of something. */
  readonly isUnsure: boolean;
  /** Whether it thanks for an answer: “thanks for the csv”. */
  readonly isThanks: boolean;
  /** `month` of “same month last year”. */
  readonly sameOfLastYear: string | undefined;
  /** The first words that could mean several things: `of it` after days, `it 500`. */
  readonly part: string | undefined;
}

/** Whether a text refers to an answer before it. Then it is a follow-up, even if it could be a question by itself. */
export const refersBack = (text: string): boolean => parseFollowUpText(text).isExplicit;

/** A project's name that is a word of follow-ups as well. */
export const isReserved = (word: string, aliases: Aliases): boolean =>
  aliases.has(word) && FOLLOW_UP_WORDS.has(word);

const FOLLOW_UP_WORDS: ReadonlySet<string> = new Set([
  ...[...LEADS, ...TAILS, ...PRONOUNS, ...AGAIN, ...WHY].flatMap((phrase) => phrase.split(' ')),
]);

export function parseFollowUpText(text: string): FollowUpText {
  const typed = cleanTyping(spellOut(text))
    .toLowerCase()
    .replace(/[?!]+(?![a-z\d])|[.;:]+(?= |$)/g, ' ')
    .replaceAll(',', ' , ')
    .replace(/^&/, 'and ')
    .replace(/\s+/g, ' ')
    .trim();
  const [first = '', second] = typed.split(' ', 2);
  const isMistyped = second === 'about' && first !== WHAT && nearestWord(first, [WHAT]) === WHAT;
  const [, sameOfLastYear] = SAME_OF_LAST_YEAR.exec(typed) ?? [];
  const said = isMistyped
    ? WHAT + typed.slice(first.length)
    : sameOfLastYear === undefined
      ? typed.replace(/^(?:(?:and )?plus|\+(?= [a-z])) (?=.)/, `${PRONOUN} and `)
      : 'vs last year';
  let isThanks = false;
  let isExplicit = false;
  let isSame = false;
  let [from, end] = [0, said.length];
  for (let lead = leadAt(said, from); lead !== undefined; lead = leadAt(said, from)) {
    isExplicit ||= !WEAK_LEADS.has(lead);
    isSame ||= SAME.has(lead);
    from += lead.length + 1;
    const [next = '', after = ''] = said.slice(from, from + LONGEST_FAREWELL).split(' ');
    isThanks ||= THANKS.has(lead) && FAREWELLS.has(next === COMMA ? after : next);
  }
  const tailOf = () => TAILS.find((tail) => said.slice(from, end).endsWith(` ${tail}`));
  for (let tail = tailOf(); tail !== undefined; tail = tailOf()) end -= tail.length + 1;
  // “Is today in?” and “what did it go on?” are no questions about days or projects.
  const [open] = /(?<= )(?:in|on|for|of|during)$/.exec(said.slice(from, end)) ?? [];
  // `vs september` for “compare september”.
  const body = said.slice(from, end).replace(/^compare(?= \S+$)/, 'vs');
  const { kept, hasPronoun, part } = withoutPronouns(body.split(' '));
  const again = AGAIN.has(kept.join(' ')) || kept.length === 1 ? -1 : kept.indexOf('again');
  const isAgain = again === 0 || (again > 0 && again === kept.length - 1);
  const rest = asOutput(isAgain ? kept.toSpliced(again, 1) : kept);
  const isReference =
    RANKED.test(rest) ||
    AGAIN.has(rest) ||
    WHY.has(rest) ||
    /^(?:csv|details|why(?! not)|vs|versus|compared|without|excl\w*)\b/.test(rest);
  return {
    text: WHY.has(rest) ? 'why' : rest,
    isExplicit: isExplicit || isAgain || hasPronoun || isReference,
    isSame,
    sameOfLastYear,
    part: part ?? open,
    isUnsure:
      isMistyped ||
      sameOfLastYear !== undefined ||
      /^(?:the )?(?:first|second) half$/.test(rest) ||
      // “Only the weekend” may mean the latest weekend, or the weekends of the answer.
      (/(?<!\S)only(?!\S)/.test(said) && /^(?:the )?weekends?$/.test(rest)),
    isThanks,
  };
}

const WHAT = 'what';

/** Ambiguous: the person may want that period alone, or a comparison with it. */
const SAME_OF_LAST_YEAR =
  /^(?:(?:and|in|for|on|the) )*(?:same|this(?= time)) (month|week|quarter|period|time|days?) (?:of |in )?last year$/;

/** Text that names all projects and no days. */
const RANKED = /\b(?:most|least|cheapest|lowest|largest|biggest|costliest|top)\b/;

/** The phrase that begins there, with words after it. */
const leadAt = (text: string, at: number): string | undefined =>
  /^so far(?: |$)/.test(text.slice(at, at + 'so far '.length))
    ? undefined
    : LEADS.find((lead) => text.startsWith(`${lead} `, at));

/** In “it and staging” it is one of several projects, and stays; elsewhere it adds nothing. */
function withoutPronouns(words: readonly string[]) {
  const kept: string[] = [];
  let hasPronoun = false;
  let part: string | undefined;
  for (let at = 0; at < words.length; ) {
    const ahead = `${words.slice(at, at + LONGEST_PRONOUN).join(' ')} `;
    const found = PRONOUNS.find((pronoun) => ahead.startsWith(`${pronoun} `))?.split(' ');
    const after = words[at + (found?.length ?? 0)];
    // “That week” has nothing to do with the project.
    const isUnit = found?.length === 1 && senseOf(after)?.role === 'unit';
    const pronoun = isUnit ? undefined : found;
    if (isUnit) part = `${found[0]} ${after}`;
    const next = at + (pronoun?.length ?? 1);
    hasPronoun ||= pronoun !== undefined;
    if (pronoun && SINGULAR.has(pronoun[0] ?? '') && isPartOf(kept))
      part = `${kept.at(-1)} ${pronoun.join(' ')}`;
    // “Give it 500” is no question about project 500; “was it 3 october” is one about a day.
    const [number = '', unit] = words.slice(next);
    if (pronoun && /^(?:to|at|by)?\d+$/.test(number) && !/^(?:month|unit)$/.test(senseOf(unit)?.role ?? ''))
      part = `${pronoun.join(' ')} ${number}`;
    const isJoined =
      JOINTS.has(kept.at(-1) ?? '') || (JOINTS.has(words[next] ?? '') && next + 1 < words.length);
    if (pronoun === undefined) kept.push(words[at] ?? '');
    else if (isJoined) kept.push(PRONOUN);
    at = next;
  }
  return { kept, hasPronoun, part };
}

const senseOf = (word = '') => VOCABULARY.get(word);

const SINGULAR: ReadonlySet<string> = new Set(['it', 'that', 'this']);

/** Whether the words end with a period, a number or `all`, and “of”. */
function isPartOf(words: readonly string[]): boolean {
  const [before = '', joint = ''] = words.slice(-2);
  const role = senseOf(before)?.role ?? 'filler';
  return (
    /^(?:of|in|within)$/.test(joint) &&
    (/^\d/.test(before) || RANKED.test(before) || !/^(?:filler|and|with|product.*)$/.test(role))
  );
}

/** Words that name all projects; else a question that ranks projects is about those of the answer. */
export const NAMES_ALL = /\b(?:all|each|every\w*|per|by)\b/;

const JOINTS: ReadonlySet<string> = new Set(['and', ',']);
export const PRONOUN = 'it';

/** `csv` for “as a csv file”; other words as they are. */
function asOutput(words: readonly string[]): string {
  const others = words.filter((word) => !FILE_WORDS.has(word));
  return others.length === 1 && /^(?:csv|details)$/.test(others[0] ?? '')
    ? (others[0] ?? '')
    : words.join(' ');
}
