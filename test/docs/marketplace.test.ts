import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/slack/install/scopes.ts';
import { code, fillTables } from './tables.ts';

const SCOPE_TABLES = {
  scopes: [
    ['scope', 'what for', ''],
    ...SCOPES.map(({ scope, why, optional }) => [code([scope]), why, optional ? 'optional' : '']),
  ],
};

describe('docs/marketplace.md', () => {
  it('has the table of scopes that `npm run docs` writes', async () => {
    const page = fillTables(await readFile('docs/marketplace.md', 'utf8'), SCOPE_TABLES);
    await expect(page).toMatchFileSnapshot('../../docs/marketplace.md');
  });
});
