import { describe, expect, it } from 'vitest';
import { readBalance, readSpend } from '../../support/read-words.ts';

const FILLERS = ['the', 'in', 'on', 'for', 'during', 'of', 'please', 'so far'];
const ALIASES: ReadonlySet<string> = new Set(['prod', 'the', 'infra']);

describe('a filler in a command', () => {
  it.each(FILLERS)('adds nothing: %s', (filler) => {
    const { phrase, alias } = readSpend(`prod ${filler} this month`, new Set(['prod']));
    expect([alias, phrase?.text]).toEqual(['prod', 'this-month']);
    expect(readSpend(`${filler} this month`).phrase).toMatchObject({ text: 'this-month' });
    expect(readSpend(`this month ${filler}`).phrase).toMatchObject({ text: 'this-month' });
  });

  it.each(['spend', 'so', 'far', 'so long', 'at', 'our'])('comes from a closed list, without %s', (word) => {
    expect(() => readSpend(`${word} last week`)).toThrow();
  });

  it('is a project if the workspace has one of that name, and never part of a name', () => {
    expect(readSpend('the last week', ALIASES)).toMatchObject({ alias: 'the' });
    expect(readBalance('infra please', ALIASES)).toMatchObject({ alias: 'infra' });
  });

  it.each(['prod so far', 'last week so far', 'so far 7 days'])(
    'that says that a period is still running needs one: %s',
    (text) => expect(() => readSpend(text, ALIASES)).toThrow('“so far” needs a period'),
  );
});
