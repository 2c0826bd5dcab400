import { describe, expect, it } from 'vitest';
import { isFailure } from '../../../src/domain/failure/index.ts';
import { parseCommandText } from '../../../src/domain/language/parse-command-text.ts';
import { parseQuestion, parseTyped } from '../../../src/domain/language/questions/parse-question.ts';
import { contextWith, readSpend } from '../../support/read-words.ts';

const ALIASES: ReadonlySet<string> = new Set(['prod', 'staging', 'dev', 'web-shop', 'archive', 'data-eu']);

const meaning = (text: string): string => {
  const question = parseQuestion(text, contextWith(ALIASES));
  return question?.kind === 'command'
    ? `${question.rerun.command.slice(1)} ${question.rerun.text}`.trim()
    : 'offered';
};

function attempt(text: string): unknown {
  try {
    return parseQuestion(text, contextWith(ALIASES));
  } catch (error) {
    if (isFailure(error, 'secret-pasted')) return undefined;
    throw error;
  }
}

describe('a question in plain English', () => {
  it.each([
    ...['good morning', '', 'are you there?', 'deploy the thing', 'how are you?', 'what is this?'],
    ...['and', ',', '???', 'between', 'the', 'project', 'so far'],
  ])('is not recognized in the text “%s”', (text) =>
    expect(parseQuestion(text, contextWith(ALIASES))).toBeUndefined(),
  );

  it('means the month of May by the word “may” only where “may” can’t be a verb', () => {
    expect(meaning('how much did prod spend since may?')).toBe('spend prod since 2026-05');
    expect(meaning('how much did prod spend may')).toBe('spend prod 2026-05');
    expect(meaning('what may prod cost?')).toBe('offered');
  });

  it('with “we” and “total” is about all projects, even if projects have these names', () => {
    const asked = parseQuestion(
      'how much did we spend in total last month?',
      contextWith(new Set(['we', 'total'])),
    );
    expect(asked).toMatchObject({ kind: 'command', rerun: { command: '/spend', text: 'all last-month' } });
  });

  it('gets each suggestion only once', () => {
    const asked = parseQuestion(
      'how much money do I need to top up prod until end of march?',
      contextWith(ALIASES),
    );
    expect(asked).toMatchObject({ kind: 'guess', reruns: [{ command: '/balance', text: 'prod' }] });
  });

  it('never becomes a command that contains a secret', () => {
    for (const text of ['how much did xoxb-123-abc spend?', 'what is left on gAAAAABk?'])
      expect(`${JSON.stringify(attempt(text))}`).not.toMatch(/xoxb|gaaaa/i);
  });

  it.each([
    ['prod october forecast', '“october” isn’t this month, and only this month has a forecast.'],
    ['prod more than 200k', '“more than 200k” is an amount, and Tally compares only periods and projects.'],
    ['prod banana forecast', 'I don’t recognize “banana”. Type a project, a period'],
  ])('typed after /spend gets a refusal that explains what is wrong: “%s”', (text, sentence) =>
    expect(() => parseTyped('/spend', text, contextWith(ALIASES), parseCommandText)).toThrow(sentence),
  );

  it('is about the projects whose names match the most words', () => {
    const read = (text: string, ...names: string[]) => {
      const question = parseQuestion(text, contextWith(new Set(names)));
      return question?.kind === 'command' ? question.rerun.text : question;
    };
    expect(read('what did Web Shop’s storage cost in may?', 'web-shop')).toEqual('web-shop 2026-05 storage');
    expect(read('spend of web shop, prod eu and 123', 'web-shop', 'prod-eu')).toEqual('web-shop,prod-eu,123');
    expect(read('web shop eu spend', 'web-shop', 'web-shop-eu')).toEqual('web-shop-eu');
    expect(read('prod 2 spend', 'prod', 'prod-2')).toEqual('prod-2');
  });
});

const meaningAfter = (answered: string | undefined, text: string, names = ALIASES) =>
  parseQuestion(
    text,
    contextWith(names),
    answered === undefined ? undefined : { command: '/spend', words: readSpend(answered, names) },
  );

describe('a follow-up question in a thread', () => {
  it('keeps the meaning of “it” and “again” even if projects have these names', () => {
    const names = new Set([...ALIASES, 'it', 'again']);
    for (const text of ['what did it cost?', 'again'])
      expect(meaningAfter('prod october', text, names)).toMatchObject({
        kind: 'command',
        rerun: { command: '/spend', text: 'prod 2026-10' },
      });
  });

  it('gets a reply that does not quote a possible secret', () => {
    const secret = 'gAAAAABnotATokenButItLooksLikeOne0123456789';
    let shown = '';
    try {
      shown = JSON.stringify(meaningAfter('prod october', `and ${secret}`));
    } catch (error) {
      shown = String(error);
    }
    expect(shown.toLowerCase()).not.toContain(secret.toLowerCase());
  });

  it.each([
    ['and october?', { kind: 'which-project', rerun: { command: '/spend', text: '2026-10' } }],
    ['as csv', { kind: 'which-project', rerun: { command: '/spend', text: 'csv' } }],
    ['how long will it last?', { kind: 'which-project', rerun: { command: '/balance', text: '' } }],
    ['and the balance of prod?', { kind: 'command', rerun: { command: '/balance', text: 'prod' } }],
  ])('without an earlier answer is read as a question of its own: “%s”', (text, expected) => {
    expect(meaningAfter(undefined, text)).toMatchObject(expected);
  });

  it('that only names a project gets buttons for balance and spend if there is no earlier answer', () => {
    expect(meaningAfter(undefined, 'and staging?')).toMatchObject({
      kind: 'guess',
      reruns: [
        { command: '/balance', text: 'staging' },
        { command: '/spend', text: 'staging' },
      ],
    });
  });
});
