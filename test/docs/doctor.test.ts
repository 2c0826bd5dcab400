import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CAUSES, type CheckArea } from '../../src/ops/doctor/causes.ts';
import { DOCTOR_TABLES, EXAMPLES } from './doctor.ts';
import { fillTables } from './tables.ts';

const PAGE = 'docs/doctor.md';
const PLACES = Object.keys(CAUSES) as CheckArea[];

describe(PAGE, () => {
  it.each(PLACES)('has an example of each part of a setup that a sentence names: %s', (place) => {
    const named = Object.values(CAUSES[place]).flatMap(([cause, remedy]) => [
      ...`${cause} ${remedy}`.matchAll(/\{(\w+)\}/g),
    ]);
    const missing = named.flatMap(([, name = '']) =>
      name in EXAMPLES[place] || name === 'code' ? [] : [name],
    );
    expect(missing).toEqual([]);
  });

  it.each(PLACES)('has one command or line to paste, or a step on a page, for each code: %s', (place) => {
    const remedies = Object.values(CAUSES[place]).map(([, remedy]) => remedy);
    const isPaste = /`[^`]+`/;
    const isPage = /OAuth & Permissions|manifest\.yml|admin/;
    expect(remedies.filter((remedy) => !isPaste.test(remedy) && !isPage.test(remedy))).toEqual([]);
  });

  it('has the tables that `npm run docs` writes', async () => {
    const page = fillTables(await readFile(PAGE, 'utf8'), DOCTOR_TABLES);
    await expect(page).toMatchFileSnapshot(`../../${PAGE}`);
  });
});
