/** Reads the pages of replies in this folder: lines `text · text → reply`. */
import { readFileSync } from 'node:fs';

interface Row {
  /** Texts with one reply. */
  readonly texts: readonly string[];
  readonly reply: string;
}

const ARROW = ' → ';
const SAME = ' · ';

export const isRow = (line: string): boolean => line.includes(ARROW);

export function rowOf(line: string): Row {
  const [texts = '', reply = ''] = line.split(ARROW);
  return { texts: texts.split(SAME), reply };
}

export const formatRow = (texts: readonly string[], reply: string): string =>
  `${texts.join(SAME)}${ARROW}${reply}`;

export const readLines = (page: string): readonly string[] =>
  readFileSync(new URL(page, import.meta.url), 'utf8').split('\n');

export const readRows = (page: string): readonly Row[] => readLines(page).filter(isRow).map(rowOf);

/** The periods that can be asked for on the day of periods.md. */
export const readPeriods = (): readonly string[] =>
  readRows('periods.md').flatMap(({ texts, reply }) =>
    /^(?:\w{3} )?\d/.test(reply) ? texts.filter((text) => !text.includes(' vs ')) : [],
  );
