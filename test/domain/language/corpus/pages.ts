/** Reads the pages of this folder: lines `text · text → what becomes of them`. */
import { readFileSync } from 'node:fs';

export interface Row {
  /** Texts of which the same becomes. Of a thread: the command that was answered last, a bar, and what follows. */
  readonly texts: readonly string[];
  readonly reply: string;
}

export const ARROW = ' → ';
const SAME = ' · ';
const BAR = ' | ';

export const isRow = (line: string): boolean => line.includes(ARROW);

/** What stands before a bar holds for the texts after it too. */
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

/** The command that was answered last in a thread, and the text that follows it. */
export function splitAtBar(text: string): readonly [answered: string, text: string] {
  const [answered = '', next = ''] = text.split(BAR);
  return [answered, next];
}

export const isInThread = (text: string): boolean => text.includes(BAR);

export const readLines = (page: string): readonly string[] =>
  readFileSync(new URL(page, import.meta.url), 'utf8').split('\n');

export const readRows = (page: string): readonly Row[] => readLines(page).filter(isRow).map(rowOf);

/** The periods that can be asked for on the day of periods.md. */
export const readPeriods = (): readonly string[] =>
  readRows('periods.md').flatMap(({ texts, reply }) =>
    /^(?:\w{3} )?\d/.test(reply) ? texts.filter((text) => !text.includes(' vs ')) : [],
  );
