/** Reads the Markdown pages of this folder, whose lines are `text · text → what Tally makes of each text`. */
import { readFileSync } from 'node:fs';

export interface Row {
  /** A text with a bar is `the last command in the thread | the text after it`. */
  readonly texts: readonly string[];
  readonly reply: string;
}

export const ARROW = ' → ';
const SAME = ' · ';
const BAR = ' | ';

export const isRow = (line: string): boolean => line.includes(ARROW);

export function rowOf(line: string): Row {
  const [typed = '', reply = ''] = line.split(ARROW);
  let answered = '';
  const texts = typed.split(SAME).map((text) => {
    const at = text.indexOf(BAR);
    if (at >= 0) answered = text.slice(0, at + BAR.length);
    return `${at >= 0 ? '' : answered}${text}`;
  });
  return { texts, reply };
}

export function splitAtBar(text: string): readonly [answered: string, text: string] {
  const [answered = '', next = ''] = text.split(BAR);
  return [answered, next];
}

export const isInThread = (text: string): boolean => text.includes(BAR);

export const readLines = (page: string): readonly string[] =>
  readFileSync(new URL(page, import.meta.url), 'utf8').split('\n');

export const readRows = (page: string): readonly Row[] => readLines(page).filter(isRow).map(rowOf);

export const readPeriods = (): readonly string[] =>
  readRows('periods.md').flatMap(({ texts, reply }) =>
    /^(?:\w{3} )?\d/.test(reply) ? texts.filter((text) => !text.includes(' vs ')) : [],
  );
