/** Every way to be refused: which word, what is wrong with it, what to type, and what is offered instead. */
import { describe, expect, it } from 'vitest';
import { InvalidWord } from '../../../src/domain/failure/index.ts';
import {
  parseBalanceText,
  parseCommandText,
  parsePeriodText,
  parseProjectText,
  parseSingleProjectText,
} from '../../../src/domain/language/parse-command.ts';

const ALIASES: ReadonlySet<string> = new Set(['prod', 'staging']);

function refusalOf(work: () => unknown): InvalidWord {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidWord) return error;
    throw error;
  }
  throw new Error('It was read.');
}

describe('a text that cannot be read', () => {
  it.each<
    [string, (text: string, aliases: ReadonlySet<string>) => unknown, string, string | undefined, string]
  >([
    ['prod last week', parseBalanceText, 'last week', undefined, 'Only /spend takes periods.'],
    ['last 0 days prod', parseBalanceText, 'last 0 days', undefined, 'Only /spend takes periods.'],
    ['prod including today', parseBalanceText, 'including today', undefined, 'Only /spend takes periods.'],
    ['banana', parseBalanceText, 'banana', undefined, 'Only /spend takes periods.'],
    ['banana', parseProjectText, 'banana', undefined, 'Type a project’s name or ID.'],
    ['prod,staging', parseProjectText, 'prod,staging', undefined, 'Name one project here.'],
    ['all', parseSingleProjectText, 'all', undefined, 'Name one project here.'],
    ['banana', parseSingleProjectText, 'banana', undefined, 'Type a project, a period (last-7-days'],
    ['banana', parsePeriodText, 'banana', undefined, 'Type a period, such as last-7-days'],
    ['123', parsePeriodText, '123', undefined, 'Type a period, such as last-7-days'],
    ['cloud', parsePeriodText, 'cloud', undefined, 'Type a period, such as last-7-days'],
    ['last wek', parsePeriodText, 'wek', 'last week', 'Type a period, such as last-7-days'],
  ])('“%s” is refused by %o for what it takes', (text, parse, word, suggestion, works) => {
    const refusal = refusalOf(() => parse(text, ALIASES));
    expect(refusal).toMatchObject({ word, suggestion });
    expect(refusal.message).toContain(works);
    expect(refusal.fact).toMatch(/^(?:I don’t recognize “|You named several projects\.$|“).*\.?$/);
  });
});

describe('a refusal says what would work', () => {
  it.each(['123 -5x', '..', '2024-2025 x', 'x 2024-2025', '123 2024 - 2025 zzz'])(
    'by what the command takes where it is no more than a word: %j',
    (typed) => {
      const { message } = refusalOf(() => parseCommandText(typed, new Set()));
      expect(message).toMatch(/^I don’t recognize “(-5x|\.\.|x|zzz)”\. Type a project, a period/);
    },
  );
});
