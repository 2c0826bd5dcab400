/** Why a word cannot be used where it is, and what to type instead. */

import { commandText } from '../../../command-names.ts';
import { UNRECOGNIZED } from '../../../failure/index.ts';
import { PRODUCTS } from '../../../product.ts';
import type { Unit } from '../../../time/calendar.ts';
import { nearestWord } from '../../nearest-word.ts';
import { MENTION } from '../../secret-detection.ts';
import { holdsUnknownWord, NO_ALIASES, ParseError, senseOf } from './parser.ts';
import type { Aliases, Token, TokenizedText } from './tokenizer.ts';
import { nameOfMonth, SUGGESTIONS, type WordRole } from './vocabulary.ts';

/** Several `instead` are the meanings of an ambiguous word. */
type Hint = readonly [why: string, works: string, ...instead: string[]];

/** Two years with 'to' or a dash between them: the first would be parsed as the project. */
const YEARS = /(?<![^ ])(20\d\d)(?: ?- ?| to | until )(20\d\d)(?![^ ])/;

const ONLY_SPEND = `It works with ${commandText('/spend')}.`;

/** 'quarter 3': a unit with its number after it. */
function ofNumbered(unit: Unit, digits: string): Hint {
  const month = nameOfMonth(Number(digits));
  const works: Readonly<Record<Unit, readonly [string, ...string[]]>> = {
    quarter: ['Type q3 or 2026-q3.', ...(/^[1-4]$/.test(digits) ? [`q${digits}`] : [])],
    month:
      month === ''
        ? ['Type february or 2026-02.']
        : [`Type ${month} or 2026-${digits.padStart(2, '0')}.`, month],
    week: ['Type w45 or 2026-w45.'],
    day: ['Type its date, such as 2026-10-05.'],
    year: ['Type year 2026.'],
  };
  return [`isn’t how to type a ${unit}`, ...works[unit]];
}

function ofUnit(unit: string, isOne: boolean): Hint {
  const current = unit === 'day' ? 'today' : `this-${unit}`;
  const before = unit === 'day' ? 'yesterday' : `last-${unit}`;
  return [
    `doesn’t say which ${unit}`,
    `Type ${current}, ${before} or last-2-${unit}s.`,
    ...(isOne ? [current, before] : []),
  ];
}

const HINTS: { readonly [R in WordRole]?: Hint } = {
  to: ['needs a date on both sides', 'Type 2026-10-01 to 2026-10-15, or 2026-08..2026-10.'],
  excluding: ['leaves out today and nothing else', 'Type last-7-days excluding today.'],
  trailing: ['needs a number after it', 'Type trailing-30-days.'],
  versus: ['compares what was spent in two periods', ONLY_SPEND],
  top: ['ranks projects by what they spent', ONLY_SPEND],
  project: ['needs a project ID after it', 'Type project 123, or just 123.'],
  product: ['needs a product after it', 'Type product 2, or storage.'],
};

function ofWord(token: Token & { kind: 'word' }, after: Token | undefined, works: string): Hint {
  const { sense, spelling } = token;
  switch (sense.role) {
    case 'unit':
      return after?.kind === 'number'
        ? ofNumbered(sense.unit, after.digits)
        : ofUnit(sense.unit, spelling === sense.unit);
    case 'since':
      return [
        'needs a date after it',
        'Type since 2026-10-05, since october or since year 2026.',
        ...(after?.kind === 'number' ? [`${spelling} year`] : []),
      ];
    case 'last':
    case 'this':
      return ['doesn’t say which unit of time', `Type ${spelling}-week or ${spelling}-month.`];
    case 'including':
      return [
        'needs “today” after it',
        'Type last-7-days including today.',
        ...(after === undefined ? ['including today'] : []),
      ];
    case 'product-lead':
    case 'product-end': {
      const { word, name } = PRODUCTS[sense.product];
      const whole = name.toLowerCase();
      return ['is only part of a product', `Type ${word} or ${whole}.`, whole];
    }
    default:
      return HINTS[sense.role] ?? ['doesn’t belong there', works];
  }
}

type Shapes = readonly (readonly [form: RegExp, hint: (raw: string) => Hint])[];

const hintFor = (raw: string, shapes: Shapes): Hint | undefined =>
  shapes.find(([form]) => form.test(raw))?.[1](raw);

const DIGITS_ONLY = 'Project IDs are digits only, such as 123.';
const NO_END = 'Type since 2026-10-01, or 2026-10-01..2026-10-15.';

/** A number, a range sign, or words run together: quoted as one. */
const RAW_SHAPES: Shapes = [
  [/^-\d+$/, (raw) => ['isn’t a project ID', DIGITS_ONLY, raw.slice(1)]],
  [/^-+$/, () => ['has nothing after it', NO_END]],
  [/^[^.].*\.\.$/, (raw) => ['has no end', NO_END, `since ${raw.slice(0, -2)}`]],
];

const ofRaw = (raw: string, works: string): Hint => hintFor(raw, RAW_SHAPES) ?? [UNRECOGNIZED, works];

const refusal = (start: number, end: number, [why, works, ...instead]: Hint): ParseError =>
  new ParseError(start, end, why, works, instead);

/** The error for the token at `at`. @param works what the grammar takes */
export function explainParseError({ text, tokens }: TokenizedText, at: number, works: string): ParseError {
  const token = tokens[at];
  const years = YEARS.exec(text);
  const { start, end } = token?.raw ?? { start: 0, end: text.length };
  if (years && start >= years.index && end <= years.index + years[0].length)
    return refusal(years.index, years.index + years[0].length, [
      'could be years or projects',
      'For years, type year 2024..year 2025.',
      `year ${years[1]}..year ${years[2]}`,
    ]);
  // “Everyone” is quoted as a whole.
  const isWhole = token?.kind === 'word' && senseOf(token, 'each') === undefined;
  if (isWhole && (token.spaced || token.dashed)) {
    const after = tokens[at + 1];
    const { end } = token.sense.role === 'unit' && after?.kind === 'number' ? after : token;
    return refusal(token.start, end, ofWord(token, after, works));
  }
  return refusal(start, end, ofRaw(text.slice(start, end), works));
}

/** No words of the language that are run together are much longer. */
const LONGEST_WORD = 40;
const SPELLINGS = [...SUGGESTIONS.keys()];

function near(word: string, aliases: Aliases): string | undefined {
  const found = nearestWord(word, [...SPELLINGS, ...aliases]);
  return found && (SUGGESTIONS.get(found) ?? found);
}

/** The known words nearest to a raw one: letter run by letter run ('lst7dys'), and as a whole ('yester-day'). */
function corrections(raw: string, aliases: Aliases): readonly string[] {
  const runs = raw
    .split(/([^a-z]+)/)
    .map((run) => (/[a-z]/.test(run) && holdsUnknownWord(run, NO_ALIASES) ? near(run, NO_ALIASES) : run));
  const piecewise = runs.includes(undefined) ? [] : [runs.join('')];
  // A sign before a word may mean that it is not wanted: -prod.
  const wholes = /^[a-z\d]/.test(raw) ? [near(raw, aliases), near(raw.replaceAll('-', ''), aliases)] : [];
  return [...piecewise, ...wholes.filter((whole) => whole !== undefined)];
}

/** Words that are refused, but show what was meant. */
const SHAPES: Shapes = [
  [
    /^\^\d\d$/,
    (raw) => [
      'could be a day or a year',
      'Type the year with four digits.',
      `20${raw.slice(1)}`,
      raw.slice(1),
    ],
  ],
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
  [/^[-+#]*\d[\d.,]*$/, () => ['isn’t a project ID', DIGITS_ONLY]],
  [
    /^\d{4}-\d\d-\d\dt[\d:.]+/,
    (raw) => ['has a time of day', 'Tally works with whole days, such as 2026-10-05.', raw.slice(0, 10)],
  ],
];

function unknownWord(
  { text, aliases }: TokenizedText,
  { start, end }: Token['raw'],
  works: string,
): ParseError {
  const word = text.slice(start, end);
  const shaped = hintFor(word, SHAPES);
  if (shaped !== undefined) return refusal(start, end, shaped);
  const instead = word.length > LONGEST_WORD ? [] : corrections(word, aliases);
  return new ParseError(start, end, UNRECOGNIZED, works, instead, false);
}

/** @throws ParseError for the first word that the language does not have. @param works what to type instead */
export function rejectUnknownWords(source: TokenizedText, works: string): void {
  const bad = source.tokens.find(({ kind }) => kind === 'unknown' || kind === 'bad');
  if (bad?.kind === 'bad') throw new ParseError(bad.start, bad.end, bad.why, bad.works, bad.instead);
  if (bad) throw unknownWord(source, bad.raw, works);
}
