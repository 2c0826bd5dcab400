/** What the pages' numbers are taken from, where no import has it. */
import { readFile } from 'node:fs/promises';

/** @throws where the file has no such constant */
export async function constantIn(file: string, name: string): Promise<string> {
  const source = await readFile(`src/${file}`, 'utf8');
  const value = new RegExp(`^(?:export )?const ${name}\\b[^=]*? = (.+?)(?: as const)?;$`, 'm').exec(
    source,
  )?.[1];
  if (value === undefined) throw new Error(`src/${file} has no constant ${name}`);
  return value;
}

/** The numbers in a constant, in order: of `{ days: 28, minReported: 7 }` 28 and 7. */
export const numbersIn = async (file: string, name: string): Promise<number[]> =>
  [...(await constantIn(file, name)).matchAll(/\b\d[\d_]*(?:\.\d+)?/g)].map(([digits]) =>
    Number(digits.replaceAll('_', '')),
  );

const results = await readFile('bench/RESULTS.md', 'utf8');

/** @returns Tally's figure in this row of bench/RESULTS.md */
export const measured = (row: string): number =>
  Number(new RegExp(`^\\| ${row} +\\| +([\\d,.]+)`, 'm').exec(results)?.[1]?.replaceAll(',', ''));

/** The oldest Node that Tally runs on. */
export const NODE = String(JSON.parse(await readFile('package.json', 'utf8')).engines.node).replace('>=', '');
