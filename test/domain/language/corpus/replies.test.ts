import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { replyInThread, replyToCommand, replyToMention, replyToPeriod } from './reply.ts';

type Reply = (text: string) => string | Promise<string>;

const ARROW = ' → ';
const SAME = ' · ';

/** The titles and lines of a page. */
const sectionsOf = (page: string) =>
  readFileSync(new URL(page, import.meta.url), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return { title, lines: lines.filter((line) => line.includes(ARROW)) };
    });

/** The line as it is if each of its texts has the same reply, else a line for each text. */
async function answered(line: string, reply: Reply): Promise<string> {
  const texts = (line.split(ARROW)[0] ?? '').split(SAME);
  const replies = await Promise.all(texts.map((text) => reply(text.replaceAll('⏎', '\n'))));
  return new Set(replies).size === 1
    ? `${texts.join(SAME)}${ARROW}${replies[0]}`
    : texts.map((text, at) => `${text}${ARROW}${replies[at]}`).join('\n');
}

describe.each<[page: string, reply: Reply]>([
  ['periods.md', replyToPeriod],
  ['commands.md', replyToCommand],
  ['replies.md', replyToMention],
  ['thread-replies.md', replyInThread],
])('every text is answered as in %s', (page, reply) => {
  it.each(sectionsOf(page))('$title', async ({ lines }) => {
    expect(lines.length).toBeGreaterThan(0);
    expect(await Promise.all(lines.map((line) => answered(line, reply)))).toEqual(lines);
  });
});
