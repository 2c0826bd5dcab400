import { describe, expect, it } from 'vitest';
import { readSpend } from '../../../support/read-words.ts';
import { ARROW, isRow, readLines, readRows, rowOf } from './pages.ts';
import { ALIASES, replyTo, replyToCommand, replyToPeriod } from './what-tally-reads.ts';

type Reply = (text: string) => string | Promise<string>;

/** Texts with one reply share a line. In a reply, “…” is the text itself. */
async function answered(line: string, reply: Reply): Promise<string> {
  const { texts } = rowOf(line);
  const replies = await Promise.all(
    texts.map(async (text) => (await reply(text)).replace(`“${text}”`, '“…”')),
  );
  if (new Set(replies).size === 1) return `${line.split(ARROW)[0]}${ARROW}${replies[0]}`;
  return texts.map((text, at) => `${text}${ARROW}${replies[at]}`).join('\n');
}

const PAGES: readonly [page: string, reply: Reply][] = [
  ['periods.md', replyToPeriod],
  ['commands.md', replyToCommand],
  ['replies.md', replyTo],
];

it.each(PAGES)('each text in %s gets the reply written beside it', async (page, reply) => {
  const lines = readLines(page).map((line) => (isRow(line) ? answered(line, reply) : line));
  await expect((await Promise.all(lines)).join('\n')).toMatchFileSnapshot(page);
});

/** Dates, quarters and periods in a sentence. */
const EXAMPLES =
  /\b(?:\d{4}-[\dq][\d.q-]*\d|q[1-4]|(?:last|past|this)-[\w-]+|mtd|year \d{4})(?:\.\.year \d{4})?/g;

describe('a refusal', () => {
  const refusals = PAGES.flatMap(([page]) => readRows(page).map(({ reply }) => reply)).filter((reply) =>
    /^(?:“|\[|[A-Z])/.test(reply),
  );
  const unreadable = (texts: Iterable<string>) =>
    [...new Set(texts)].filter((text) => /^(?:“|[A-Z])/.test(replyToCommand(text)));

  it('offers only commands that Tally accepts', () => {
    const offered = refusals.flatMap((reply) =>
      [...reply.matchAll(/ ?\[([^\]]+)\]/g)].map(([, text]) => text ?? ''),
    );
    const commands = offered.filter((text) => !text.startsWith('/billing'));
    expect(commands.length).toBeGreaterThan(50);
    const asked = commands.map((text) => (text.startsWith('/') ? text : `/spend ${text}`));
    // Words after `vs` need not be a period by themselves.
    const unread = unreadable(asked).map((text) => text.replace('/spend ', '/spend vs '));
    expect(unreadable(unread)).toEqual([]);
  });

  it('names only dates and periods that Tally accepts', () => {
    const examples = new Set(
      refusals.flatMap((reply) => reply.replace(/“[^”]*”|\[.*/g, '').match(EXAMPLES) ?? []),
    );
    expect(examples.size).toBeGreaterThan(25);
    for (const example of examples) expect(() => readSpend(example, ALIASES)).not.toThrow();
  });
});
