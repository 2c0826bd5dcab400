/** Why a known word or a number cannot be used where it is, and what to type instead. */

import { commandText } from '../commands.ts';
import { UNRECOGNIZED } from '../failure/index.ts';
import { PRODUCTS } from '../product.ts';
import type { Unit } from '../time/calendar.ts';
import { ParseError } from './parse.ts';
import type { Token, TokenizedText } from './tokenizer.ts';
import { MONTH_NAMES } from './vocabulary.ts';

/** More than one `instead` are meanings of the word. */
type Hint = readonly [why: string, works: string, ...instead: string[]];

/** Two years with 'to' or a dash between them: the first would be parsed as the project. */
const YEARS = /(?<![^ ])(20\d\d)(?: ?- ?| to | until )(20\d\d)(?![^ ])/;

const ONLY_SPEND = `It works with ${commandText('/spend')}.`;

/** 'quarter 3': a unit with its number after it. */
function ofNumbered(unit: Unit, digits: string): Hint {
  const why = `isn’t how to type a ${unit}`;
  const month = MONTH_NAMES[Number(digits) - 1];
  switch (unit) {
    case 'quarter':
      return [why, 'Type q3 or 2026-q3.', ...(/^[1-4]$/.test(digits) ? [`q${digits}`] : [])];
    case 'month':
      return month === undefined
        ? [why, 'Type february or 2026-02.']
        : [why, `Type ${month} or 2026-${digits.padStart(2, '0')}.`, month];
    case 'week':
      return [why, 'Type w45 or 2026-w45.'];
    case 'day':
      return [why, 'Type its date, such as 2026-10-05.'];
    case 'year':
      return [why, 'Type year 2026.'];
  }
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
    case 'to':
      return ['needs a date on both sides', 'Type 2026-10-01 to 2026-10-15, or 2026-08..2026-10.'];
    case 'last':
    case 'this':
      return ['doesn’t say which unit of time', `Type ${spelling}-week or ${spelling}-month.`];
    case 'including':
      return [
        'needs “today” after it',
        'Type last-7-days including today.',
        ...(after === undefined ? ['including today'] : []),
      ];
    case 'versus':
      return ['compares what was spent in two periods', ONLY_SPEND];
    case 'top':
      return ['ranks projects by what they spent', ONLY_SPEND];
    case 'project':
      return ['needs a project ID after it', 'Type project 123, or just 123.'];
    case 'product':
      return ['needs a product after it', 'Type product 2, or storage.'];
    case 'product-lead':
    case 'product-end': {
      const { word, name } = PRODUCTS[sense.product];
      const whole = name.toLowerCase();
      return ['is only part of a product', `Type ${word} or ${whole}.`, whole];
    }
    default:
      return ['doesn’t belong there', works];
  }
}

/** A number, a range sign, or words run together: quoted as one. */
function ofRaw(raw: string, works: string): Hint {
  if (/^-\d+$/.test(raw))
    return ['isn’t a project ID', 'Project IDs are digits only, such as 123.', raw.slice(1)];
  if (/^-+$/.test(raw)) return ['has nothing after it', 'Type since 2026-10-01, or 2026-10-01..2026-10-15.'];
  if (/^[^.].*\.\.$/.test(raw))
    return ['has no end', 'Type since 2026-10-01, or 2026-10-01..2026-10-15.', `since ${raw.slice(0, -2)}`];
  return [UNRECOGNIZED, works];
}

function refusal(start: number, end: number, [why, works, ...instead]: Hint): ParseError {
  return new ParseError(start, end, why, works, instead, instead.length > 1);
}

/** The error for the token at `at`. @param works what the grammar takes */
export function explainUnparsed({ text, tokens }: TokenizedText, at: number, works: string): ParseError {
  const token = tokens[at];
  if (!token) return refusal(0, text.length, ofRaw(text, works));
  const years = YEARS.exec(text);
  const { start, end } = token.raw;
  if (years && start >= years.index && end <= years.index + years[0].length)
    return refusal(years.index, years.index + years[0].length, [
      'could be years or projects',
      'For years, type year 2024..year 2025.',
      `year ${years[1]}..year ${years[2]}`,
    ]);
  if (token.kind === 'word' && (token.spaced || token.dashed)) {
    const after = tokens[at + 1];
    const { end } = token.sense.role === 'unit' && after?.kind === 'number' ? after : token;
    return refusal(token.start, end, ofWord(token, after, works));
  }
  return refusal(start, end, ofRaw(text.slice(start, end), works));
}
