import { describe, expect, it } from 'vitest';
import { isFailure } from '../../../src/domain/failure/index.ts';
import { parseQuestion } from '../../../src/domain/language/questions/parse-question.ts';

const ALIASES: ReadonlySet<string> = new Set(['prod', 'staging', 'dev', 'web-shop', 'archive', 'data-eu']);

/** The command that a question means; `offered` where Tally does not run one. */
const meaning = (text: string): string => {
  const question = parseQuestion(text, ALIASES);
  return question?.kind === 'command' ? `${question.command.slice(1)} ${question.text}`.trim() : 'offered';
};

function attempt(text: string): unknown {
  try {
    return parseQuestion(text, ALIASES);
  } catch (error) {
    if (isFailure(error, 'secret-pasted')) return undefined;
    throw error;
  }
}

describe('a question in one’s own words', () => {
  it.each([
    ...[
      '',
      'good morning',
      'are you there?',
      'deploy the thing',
      'how are you?',
      'what is this?',
      'lunch at 12?',
    ],
    ...['and', ',', '???', 'between', 'the', 'project', 'so far'],
  ])('finds nothing to ask in “%s”', (text) => expect(parseQuestion(text, ALIASES)).toBeUndefined());

  it('takes “may” for the month only where it can be nothing else', () => {
    expect(meaning('how much did prod spend since may?')).toBe('spend prod since may');
    expect(meaning('how much did prod spend may')).toBe('spend prod may');
    expect(meaning('what may prod cost?')).toBe('offered');
  });

  it('never becomes a command with a secret', () => {
    for (const text of ['how much did xoxb-123-abc spend?', 'what is left on gAAAAABk?'])
      expect(`${JSON.stringify(attempt(text))}`).not.toMatch(/xoxb|gaaaa/i);
  });

  it('joins the words of a name, and offers each reading where there are two', () => {
    const read = (text: string, ...names: string[]) => {
      const question = parseQuestion(text, new Set(names));
      return question?.kind === 'offered' ? question.commands.map(({ text: words }) => words) : question;
    };
    const command = { kind: 'command', command: '/spend' };
    expect(read('what did Web Shop’s storage cost in may?', 'web-shop')).toEqual({
      ...command,
      text: 'web-shop may storage',
    });
    expect(read('spend of web shop, prod eu and 123', 'web-shop', 'prod-eu')).toEqual({
      ...command,
      text: 'web-shop,prod-eu,123',
    });
    expect(read('web shop eu spend', 'web-shop', 'web-shop-eu')).toEqual({ ...command, text: 'web-shop-eu' });
    expect(read('prod 2 spend', 'prod', 'prod-2')).toEqual(['prod storage', 'prod-2']);
    expect(read('web shop eu spend', 'web-shop', 'web-shop-eu', 'eu')).toEqual([
      'web-shop-eu',
      'web-shop,eu',
    ]);
    expect(read('web. shop spend', 'web-shop')).toEqual(['web-shop']);
  });
});
