import { describe, expect, it } from 'vitest';
import { parseBalanceText, parseCommandText } from '../../../src/domain/language/parse-command.ts';
import { formatPhrase } from '../../../src/domain/language/periods/period-ast.ts';

const FILLERS = ['the', 'in', 'on', 'for', 'during', 'of', 'please', 'so far'];
const ALIASES: ReadonlySet<string> = new Set(['prod', 'the', 'infra']);

describe('a filler in a command', () => {
  it.each(FILLERS)('adds nothing: %s', (filler) => {
    const { phrase, alias } = parseCommandText(`prod ${filler} this month`, new Set(['prod']));
    expect([alias, phrase && formatPhrase(phrase)]).toEqual(['prod', 'this-month']);
    expect(parseCommandText(`${filler} this month`).phrase).toMatchObject({ kind: 'this' });
    expect(parseCommandText(`this month ${filler}`).phrase).toMatchObject({ kind: 'this' });
  });

  it.each(['spend', 'so', 'far', 'so long', 'at', 'our'])('comes from a closed list, without %s', (word) => {
    expect(() => parseCommandText(`${word} last week`)).toThrow();
  });

  it('is a project if the workspace has one of that name, and never part of a name', () => {
    expect(parseCommandText('the last week', ALIASES)).toMatchObject({ alias: 'the' });
    expect(parseBalanceText('infra please', ALIASES)).toMatchObject({ alias: 'infra' });
  });

  it.each(['prod so far', 'last week so far', 'so far 7 days'])(
    'that says that a period is still running needs one: %s',
    (text) => expect(() => parseCommandText(text, ALIASES)).toThrow('“so far” needs a period'),
  );
});
