import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { InvalidWord } from '../../src/domain/failure/index.ts';
import { resolvePeriodText } from '../../src/domain/time/resolve-period.ts';
import { AMBIGUOUS_PERIODS, PERIOD_EXAMPLES, PERIOD_TABLES, REFUSED_PERIODS } from './periods.ts';
import { fillTables } from './tables.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const PAGE = 'docs/periods.md';

const resolve = (phrase: string) => resolvePeriodText(phrase, NOW, 'UTC');

describe(PAGE, () => {
  it.each(PERIOD_EXAMPLES)('names the days that “$phrase” means: $days', ({ phrase, days }) => {
    expect(resolve(phrase).label.split(' UTC')[0]).toBe(days);
  });

  it.each(AMBIGUOUS_PERIODS)('names the two meanings of “$phrase”, which are its buttons', (example) => {
    expect(() => resolve(example.phrase)).toThrow(expect.objectContaining({ readings: example.readings }));
  });

  it.each(REFUSED_PERIODS)('names “$phrase” as refused, and it is', ({ phrase }) => {
    expect(() => resolve(phrase)).toThrow(InvalidWord);
  });

  it('has the tables that `npm run docs` writes', async () => {
    const page = fillTables(await readFile(PAGE, 'utf8'), PERIOD_TABLES);
    await expect(page).toMatchFileSnapshot(`../../${PAGE}`);
  });
});
