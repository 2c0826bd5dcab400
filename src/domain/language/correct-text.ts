/** What to type instead of words that can't be read: the nearest words of the grammar, and the whole text put right. */
import { UNRECOGNIZED } from '../failure/index.ts';
import { PRODUCTS } from '../product.ts';
import { CORRECTIONS, WORDS } from './generated.js';
import type { Aliases } from './items.ts';
import type { Place } from './named-days.ts';
import { nearestWord } from './nearest-word.ts';
import { MENTION } from './secret-detection.ts';
import { simplifyText } from './text.ts';

/** A place in a text that cannot be asked for. */
export interface Slip extends Place {
  /** Why the words are refused, as in InvalidWord. */
  readonly why: string;
  /** A whole sentence: what to type. */
  readonly works: string;
  /** Replacements for the words at the place. */
  readonly instead: readonly string[];
  /** Whether each text in `instead` is a meaning of the words, and offered; else only the first that makes the text valid. */
  readonly isAmbiguous: boolean;
  /** What is quoted, if not the words at the place. */
  readonly quotes?: Place;
}

/** Literals that are only parts of words. */
const ENDINGS: ReadonlySet<string> = new Set(['st', 'nd', 'rd', 'th', 'ly', 'ths', 'amp']);
const VOCABULARY: ReadonlySet<string> = new Set(
  WORDS.filter((word) => /^[a-z]+$/.test(word) && !ENDINGS.has(word)),
);
/** No words of the language that are run together are much longer. */
const LONGEST_WORD = 40;

/** Whether a run of letters is made of words of the language: `monthtodate` is three. Single letters stand alone, or after a digit. */
function isMadeOfWords(run: string, isAfterDigit: boolean): boolean {
  if (run.length > LONGEST_WORD) return false;
  const ends = new Set([0]);
  for (let end = 1; end <= run.length; end++)
    for (const start of [...ends]) {
      const isLetter = end - start === 1 && run.length > 1 && !(start === 0 && isAfterDigit);
      if (!isLetter && VOCABULARY.has(run.slice(start, end))) ends.add(end);
    }
  return ends.has(run.length);
}

/** Whether each part of a word is one of the language's, so that it is refused for its place and not for itself. */
export const isKnownWord = (word: string): boolean =>
  /^(?=.*[a-z])[a-z\d./-]+$/.test(word) &&
  [...word.matchAll(/[a-z]+/g)].every(({ 0: run, index }) => {
    const isAfterDigit = /\d/.test(word[index - 1] ?? '');
    if (run.length === 1) return VOCABULARY.has(run) && (run === word || /^\d+[a-z]$/.test(word));
    return isMadeOfWords(run, isAfterDigit) || (isAfterDigit && ENDINGS.has(run));
  });

/** What people write together, which is corrected as one word. */
const RUN_TOGETHER = ['day', 'week', 'month', 'quarter', 'year'].flatMap((unit) => [
  ...['last', 'past', 'previous', 'this'].map((which) => `${which}-${unit}`),
  `${unit}-to-date`,
]);
const PRODUCT_NAMES = Object.values(PRODUCTS).map(({ name }) => name.toLowerCase().replaceAll(' ', '-'));
/** Every spelling to suggest, by its form without hyphens. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  [
    ...CORRECTIONS.filter((word) => VOCABULARY.has(word) && word.length > 2),
    ...RUN_TOGETHER,
    'including-today',
    'incl-today',
    ...PRODUCT_NAMES,
  ].map((word) => [word.replaceAll('-', ''), word]),
);

function near(word: string, aliases: Aliases): string | undefined {
  const found = nearestWord(word, [...SPELLINGS.keys(), ...aliases]);
  return found && (SPELLINGS.get(found) ?? found);
}

/** The known words nearest to a raw one: letter run by letter run ('lst7dys'), and as a whole ('yester-day'). */
function nearestTo(raw: string, aliases: Aliases): readonly string[] {
  if (raw.length > LONGEST_WORD) return [];
  const runs = raw
    .split(/([^a-z]+)/)
    .map((run) => (/[a-z]/.test(run) && !isKnownWord(run) ? near(run, new Set()) : run));
  const piecewise = runs.includes(undefined) ? [] : [runs.join('')];
  // A sign before a word may mean that it is not wanted: -prod.
  const wholes = /^[a-z\d]/.test(raw) ? [near(raw, aliases), near(raw.replaceAll('-', ''), aliases)] : [];
  return [...piecewise, ...wholes.filter((whole) => whole !== undefined)];
}

type Hint = readonly [why: string, works: string, ...instead: string[]];

const DIGITS_ONLY = 'Project IDs are digits only, such as 123.';
const NO_END = 'Type since 2026-10-01, or 2026-10-01..2026-10-15.';

/** Words that are refused, but show what was meant. */
const SHAPES: readonly (readonly [form: RegExp, hint: (raw: string) => Hint])[] = [
  [/^-+$/, () => ['has nothing after it', NO_END]],
  [/^-+\d+$/, (raw) => ['isn’t a project ID', DIGITS_ONLY, raw.replace(/^-+/, '')]],
  [
    /^(?:fy(?:-?\d+|td)?|fiscal|financial)$/,
    () => [
      'needs the month in which your fiscal year begins, which Tally doesn’t know',
      'Name the first and the last month, such as 2025-04..2026-03.',
    ],
  ],
  [
    /^(?:christmas|xmas|easter|thanksgiving|halloween|spring|summer|autumn|winter)$/,
    () => [
      'isn’t a date that Tally knows',
      'Name the first and the last day, such as 2025-12-24..2025-12-26.',
    ],
  ],
  [MENTION, () => ['You mentioned a person, a channel or a group', 'Type a project’s name or ID.']],
  [/^\d{1,3}(?:[.,]\d{3})+$/, (raw) => ['isn’t a project ID', DIGITS_ONLY, raw.replace(/\D/g, '')]],
  [
    /^(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])$/,
    () => ['is a day only with a dot after it too', 'Type 5.11. or 2026-11-05.'],
  ],
  [/^(?:[-+#]+\d[\d.,]*|\d+[.,][\d.,]*)$/, () => ['isn’t a project ID', DIGITS_ONLY]],
  [
    /^\d{4}-\d\d-\d\dt[\d:.]+/,
    (raw) => ['has a time of day', 'Tally works with whole days, such as 2026-10-05.', raw.slice(0, 10)],
  ],
];

/** Why a word that no rule reads is refused. @param works what the command takes */
export function explainBadWord(text: string, { start, end }: Place, works: string, aliases: Aliases): Slip {
  const word = text.slice(start, end);
  const [, hint] = SHAPES.find(([form]) => form.test(word)) ?? [];
  if (hint !== undefined) {
    const [why, what, ...instead] = hint(word);
    return { start, end, why, works: what, instead, isAmbiguous: instead.length > 1 };
  }
  if (isKnownWord(word))
    return { start, end, why: 'doesn’t belong there', works, instead: [], isAmbiguous: false };
  return { start, end, why: UNRECOGNIZED, works, instead: nearestTo(word, aliases), isAmbiguous: false };
}

/** The longest suggestion: what a button can hold, and people can check before pressing it. */
const LONGEST_SUGGESTION = 200;
/** A text with more mistakes than this is not corrected. */
const MOST_SLIPS = 3;
/** Words that “the” does not go with. */
const RELATIVE = /^(?:this-|last-(?!\d)|today|yesterday)/;

/**
 * The whole text with every mistake corrected: only what can be parsed is suggested, and all that stands around the mistake is
 * kept. A meaning of ambiguous words is suggested if nothing else is left to correct.
 * @param slipIn parses another text with the same grammar
 */
export function correctionsOf(
  text: string,
  slip: Slip,
  slipIn: (text: string) => Slip | undefined,
): readonly string[] {
  const found = corrected(text, slip, slipIn, MOST_SLIPS);
  return slip.isAmbiguous ? [...found] : [found.next().value ?? []].flat();
}

function* corrected(
  text: string,
  slip: Slip,
  slipIn: (text: string) => Slip | undefined,
  left: number,
): Generator<string> {
  if (left === 0 || text.length > LONGEST_SUGGESTION) return;
  for (const instead of slip.instead) {
    const typed = text.slice(0, slip.start);
    const before = RELATIVE.test(instead) ? typed.replace(/(?<![^ ])the $/, '') : typed;
    const candidate = simplifyText(before + instead + text.slice(slip.end)).toLowerCase();
    const next = slipIn(candidate);
    // Corrected twice, a word becomes another one: “tomorow” is not “today”.
    if (next && next.start < before.length + instead.length && next.end > before.length) continue;
    if (next === undefined) yield candidate;
    else if (!slip.isAmbiguous && !next.isAmbiguous) yield* corrected(candidate, next, slipIn, left - 1);
  }
}
