/** What to say of a known word, or of a number, that stands where nothing can be made of it. */

import type { Unit } from '../time/calendar-unit.ts';
import { ParseError } from './parse-error.ts';
import type { Token, TokenizedText } from './tokenizer.ts';
import { MONTH_NAMES } from './vocabulary.ts';

/** What the text could hold: `name` completes “… is no”, `works` is a sentence with examples. */
export interface Expectation {
  readonly name: string;
  readonly works: string;
}

type Say = readonly [why: string, works: string, ...instead: string[]];

/** Years with 'to' or a dash between them, where the first would be the project. */
const YEARS = /(?<![^ ])(20\d\d)(?: ?- ?| to | until )(20\d\d)(?![^ ])/;

/** 'quarter 3': units that are told apart by number are written in another way. */
function ofNumbered(unit: Unit, digits: string): Say {
  const why = `is not how Tally writes a ${unit}`;
  const month = MONTH_NAMES[Number(digits) - 1];
  switch (unit) {
    case 'quarter':
      return [why, 'Write q3, or 2026-q3.', ...(/^[1-4]$/.test(digits) ? [`q${digits}`] : [])];
    case 'month':
      return [why, 'Write february, or 2026-02.', ...(month === undefined ? [] : [month])];
    case 'week':
      return [why, 'Write its first and last day, as in 2026-11-09..2026-11-15.'];
    case 'day':
      return [why, 'Write its date, as in 2026-10-05.'];
    case 'year':
      return [why, 'Write year 2026.'];
  }
}

function ofUnit(unit: string): Say {
  const current = unit === 'day' ? 'today' : `this-${unit}`;
  return [`does not say which ${unit}`, `Write ${current}, last-${unit} or last-2-${unit}s.`, current];
}

function ofWord(token: Token & { kind: 'word' }, after: Token | undefined, works: string): Say {
  const { sense, spelling } = token;
  switch (sense.role) {
    case 'unit':
      return after?.kind === 'number' ? ofNumbered(sense.unit, after.digits) : ofUnit(sense.unit);
    case 'since':
      return [
        'needs a date after it',
        'Write since 2026-10-05, since october or since year 2026.',
        ...(after?.kind === 'number' ? [`${spelling} year`] : []),
      ];
    case 'to':
      return ['stands between two dates', 'Write 2026-10-01 to 2026-10-15, or 2026-08..2026-10.'];
    case 'last':
    case 'this':
      return ['does not say which stretch of time', `Write ${spelling}-week or ${spelling}-month.`];
    case 'including':
      return ['goes with “today”', 'Write last-7-days including today.', 'including today'];
    case 'project':
      return ['needs the number of the project after it', 'Write project 123, or 123 alone.'];
    case 'product':
      return ['needs a product after it', 'Write product 2, or storage.'];
    case 'object':
      return ['is only part of a product', 'Write storage or object storage.', 'object storage'];
    case 'platform':
      return ['is only part of a product', 'Write cloud or cloud platform.', 'cloud platform'];
    default:
      return ['cannot be read here', works];
  }
}

/** A number, a range sign, or words run together: quoted with all that hangs on them. */
function ofRaw(raw: string, { name, works }: Expectation): Say {
  if (/^-\d+$/.test(raw))
    return ['is no project ID', 'An ID is digits and nothing else, such as 123.', raw.slice(1)];
  if (/^[^.].*\.\.$/.test(raw))
    return ['has no end', 'Write since 2026-10-01, or 2026-10-01..2026-10-15.', `since ${raw.slice(0, -2)}`];
  return [`is no ${name} that Tally knows`, works];
}

function refusal(start: number, end: number, [why, works, ...instead]: Say): ParseError {
  return new ParseError(start, end, why, works, instead);
}

/** The refusal of the token at `at`, for which there is always a token. */
export function explainUnparsed(
  { text, tokens }: TokenizedText,
  at: number,
  advice: Expectation,
): ParseError {
  const token = tokens[at];
  if (!token) return refusal(0, text.length, ofRaw(text, advice));
  const years = YEARS.exec(text);
  const { start, end } = token.raw;
  if (years && start >= years.index && end <= years.index + years[0].length)
    return refusal(years.index, years.index + years[0].length, [
      'could be years or projects',
      'Say that they are years, as in year 2024..year 2025.',
      `year ${years[1]}..year ${years[2]}`,
    ]);
  if (token.kind === 'word' && (token.spaced || token.dashed)) {
    const after = tokens[at + 1];
    const { end } = token.sense.role === 'unit' && after?.kind === 'number' ? after : token;
    return refusal(token.start, end, ofWord(token, after, advice.works));
  }
  return refusal(start, end, ofRaw(text.slice(start, end), advice));
}
