/** Reads the pages of replies in this folder: after each `## title` lines `text · text → reply`. */
import { readFileSync } from 'node:fs';

interface Row {
  readonly line: string;
  /** Texts with one reply. */
  readonly texts: readonly string[];
  readonly reply: string;
}

const ARROW = ' → ';
const SAME = ' · ';

function rowOf(line: string): Row {
  const [texts = '', reply = ''] = line.split(ARROW);
  return { line, texts: texts.split(SAME), reply };
}

export const formatRow = (texts: readonly string[], reply: string): string =>
  `${texts.join(SAME)}${ARROW}${reply}`;

export const readSections = (page: string) =>
  readFileSync(new URL(page, import.meta.url), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return { title, rows: lines.filter((line) => line.includes(ARROW)).map(rowOf) };
    });

export const readRows = (page: string): readonly Row[] => readSections(page).flatMap(({ rows }) => rows);

/** The periods that can be asked for on the day of periods.md. */
export const readPeriods = (): readonly string[] =>
  readRows('periods.md').flatMap(({ texts, reply }) =>
    /^(?:\w{3} )?\d/.test(reply) ? texts.filter((text) => !text.includes(' vs ')) : [],
  );
