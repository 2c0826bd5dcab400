import { describe, expect, it } from 'vitest';
import { InvalidWord } from '../../../src/domain/failure/index.ts';
import {
  parseBalanceText,
  parseCommandText,
  parseReportText,
  parseSingleProjectText,
} from '../../../src/domain/language/parse-command.ts';
import { formatParsedCommand, projectList } from '../../../src/domain/language/parsed-command.ts';

const ALIASES: ReadonlySet<string> = new Set(['prod', 'staging', 'dev']);

const canonical = (text: string): string => formatParsedCommand(parseCommandText(text, ALIASES));

function refusal(read: () => unknown): InvalidWord {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidWord) return error;
    throw error;
  }
  throw new Error('it was read');
}

describe('vs and top in /spend', () => {
  it.each([
    ['prod october vs september', 'prod october vs september'],
    ['prod vs september october', 'prod october vs september'],
    ['october prod versus 2026-08 storage', 'prod october vs 2026-08 storage'],
    ['prod vs last year', 'prod vs last-year'],
    ['prod october vs last-year', 'prod october vs last-year'],
    ['prod this-month vs. last month', 'prod this-month vs last-month'],
    ['vs last-2-years prod', 'prod vs last-2-years'],
    ['prod 2026 vs 2025', 'prod year-2026 vs year-2025'],
    ['prod q3 vs q2', 'prod q3 vs q2'],
    [
      'prod 2026-10-01..2026-10-15 vs 2026-09-01..2026-09-15',
      'prod 2026-10-01..2026-10-15 vs 2026-09-01..2026-09-15',
    ],
    ['all mtd vs october', 'all this-month vs october'],
    ['prod vs staging this-month', 'prod,staging this-month'],
    ['prod vs staging vs dev', 'prod,staging,dev'],
    ['123 vs 456 last-week', '123,456 last-week'],
    ['prod vs staging october vs september', 'prod,staging october vs september'],
    ['top 3', 'top 3'],
    ['top 3 last-month', 'top 3 last-month'],
    ['Top-3 last month storage', 'top 3 last-month storage'],
    ['all top 3', 'top 3'],
    ['all', 'all'],
    ['project 123 last week cloud', '123 last-week cloud'],
  ])('%j is %j', (text, expected) => {
    expect(canonical(text)).toBe(expected);
    expect(canonical(expected)).toBe(expected);
  });

  it('are what the words say', () => {
    expect(parseCommandText('prod october vs last year', ALIASES)).toMatchObject({
      alias: 'prod',
      phrase: { kind: 'at' },
      versus: 'year-before',
    });
    expect(parseCommandText('prod vs september', ALIASES)).toMatchObject({ versus: { kind: 'at' } });
    expect(parseCommandText('top 3', ALIASES)).toEqual({ help: false, several: 'all', top: 3 });
  });

  it('keep the file that was asked for', () => {
    expect(formatParsedCommand(parseCommandText('prod october vs september', ALIASES), 'csv')).toBe(
      'prod october vs september csv',
    );
  });

  it.each([
    ['prod vs', 'vs', 'needs a period after it'],
    ['prod vs storage', 'vs', 'needs a period after it'],
    ['prod vs 2', 'vs', 'needs a period after it'],
    ['october vs prod', 'vs', 'needs a period after it'],
    ['prod october vs september vs august', 'vs august', 'You named two comparisons, “september” and {word}'],
    ['top', 'top', 'doesn’t say how many'],
    ['top october', 'top', 'doesn’t say how many'],
    ['top 0', 'top 0', 'isn’t a number of projects'],
    ['top 100', 'top 100', 'isn’t a number of projects'],
    ['top 3 prod', 'top 3 prod', 'You named a project and “top 3” of them'],
  ])('%j is refused for %j, which %s', (text, word, why) => {
    expect(refusal(() => parseCommandText(text, ALIASES))).toMatchObject({ word, why });
  });

  it('are refused by other commands', () => {
    for (const read of [parseBalanceText, parseReportText, parseSingleProjectText]) {
      expect(refusal(() => read('prod vs last-year', ALIASES)).message).toContain(
        '“vs” compares what was spent in two periods. It works with /spend.',
      );
      expect(refusal(() => read('top 3', ALIASES)).message).toContain(
        '“top” ranks projects by what they spent. It works with /spend.',
      );
    }
  });
});

describe('projects in a command', () => {
  it('are typed as one word', () => {
    expect(projectList('all')).toBe('all');
    expect(projectList([{ alias: 'prod' }, { project: '123' }])).toBe('prod,123');
  });
});
