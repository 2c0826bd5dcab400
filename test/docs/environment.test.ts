import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { variables } from '../../src/config/variables.ts';
import { ENV_EXAMPLE, ENVIRONMENT_TABLES, formOf, LIMITS_TABLES, NAMES } from './environment.ts';
import { fillTables } from './tables.ts';
import { DESCRIPTIONS } from './variable-descriptions.ts';

describe('docs/environment.md', () => {
  it.each(NAMES)('has an example of %s that Tally takes, and says how to write it', (name) => {
    const { example } = DESCRIPTIONS[name];
    if (!example.includes('…')) expect(variables.shape[name].safeParse(example).error).toBeUndefined();
    expect(formOf(name)).toMatch(/^[A-Z].*\.$|xapp-…$|xoxb-…$/);
  });

  it('has an example of each variable that goes with those of the others', () => {
    const secret = Buffer.from([...Array(32).keys()]).toString('base64');
    const examples = NAMES.filter((name) => !/^SLACK_(CLIENT|STATE)/.test(name)).map(
      (name) =>
        [
          name,
          DESCRIPTIONS[name].example.replaceAll('…', name === 'ENCRYPTION_KEYS' ? secret : 'x'),
        ] as const,
    );
    expect(() => parseConfig(Object.fromEntries(examples))).not.toThrow();
  });

  it('has the tables that `npm run docs` writes', async () => {
    const page = fillTables(await readFile('docs/environment.md', 'utf8'), ENVIRONMENT_TABLES);
    await expect(page).toMatchFileSnapshot('../../docs/environment.md');
  });
});

describe('docs/limits.md', () => {
  it('has the table that `npm run docs` writes', async () => {
    const page = fillTables(await readFile('docs/limits.md', 'utf8'), LIMITS_TABLES);
    await expect(page).toMatchFileSnapshot('../../docs/limits.md');
  });
});

describe('.env.example', () => {
  it('is what `npm run docs` writes', () =>
    expect(`${ENV_EXAMPLE}\n`).toMatchFileSnapshot('../../.env.example'));
});
