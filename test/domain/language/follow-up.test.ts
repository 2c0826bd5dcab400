import { describe, expect, it } from 'vitest';
import { mergeFollowUp } from '../../../src/domain/language/questions/follow-up.ts';

const ALIASES = new Set(['prod', 'staging', 'dev', 'web-shop']);

const merge = (before: string, text: string) => {
  const [, command, words = ''] = /^(\/\w+) ?(.*)$/.exec(before) ?? [];
  return mergeFollowUp(text, { command: command as '/spend', text: words }, ALIASES);
};

describe('a follow-up', () => {
  it.each(['and it?', 'what did it cost yesterday?', 'again'])(
    'is not guessed where a project has the name of one of its words: %s',
    (text) => {
      const aliases = new Set([...ALIASES, 'it', 'again']);
      expect(mergeFollowUp(text, { command: '/spend', text: 'prod october' }, aliases)).toBeUndefined();
    },
  );

  it('quotes no word that could be a secret', () => {
    const secret = 'gAAAAABnotATokenButItLooksLikeOne0123456789';
    let shown = '';
    try {
      shown = JSON.stringify(merge('/spend prod october', `and ${secret}`));
    } catch (error) {
      shown = String(error);
    }
    expect(shown.toLowerCase()).not.toContain(secret.toLowerCase());
  });
});

describe('without an answer before it', () => {
  it.each([
    ['and october?', { kind: 'project-missing', command: '/spend', text: 'october' }],
    ['again', { kind: 'project-missing', command: '/spend', text: '' }],
    ['as csv', { kind: 'project-missing', command: '/spend', text: 'csv' }],
    ['how long will it last?', { kind: 'project-missing', command: '/balance', text: '' }],
    ['and the balance of prod?', { kind: 'command', command: '/balance', text: 'prod' }],
  ])('“%s” takes nothing from an answer', (text, expected) => {
    expect(mergeFollowUp(text, undefined, ALIASES)).toMatchObject(expected);
  });

  it('offers both questions about a project', () => {
    expect(mergeFollowUp('and staging?', undefined, ALIASES)).toMatchObject({
      kind: 'offered',
      commands: [
        { command: '/balance', text: 'staging' },
        { command: '/spend', text: 'staging' },
      ],
    });
  });

  it('is not a follow-up if nothing refers to an answer, nor refused as one', () => {
    expect(mergeFollowUp('october', undefined, ALIASES)).toBeUndefined();
    expect(mergeFollowUp('and banana?', undefined, ALIASES)).toBeUndefined();
    expect(mergeFollowUp('and stagin?', undefined, ALIASES)).toBeUndefined();
  });
});
