/** What keyboards and Slack make of a text, undone. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanTyping, originalSpelling, simplifyText } from '../../../src/domain/language/text.ts';
import { runs } from '../../support/thorough.ts';

describe('typing', () => {
  it.each([
    ['  prod \t last\n week  ', 'prod last week'],
    ['“prod” ‘x’', 'prod x'],
    // A full-width grave accent is a quote only once it is written plainly.
    ['pr｀od', 'prod'],
    ['pr\u200bod\ufe0f', 'prod'],
    ['1 — 2 – 3 − 4', '1 - 2 - 3 - 4'],
    ['1…2', '1..2'],
    ['1....2', '1..2'],
    ['*prod* <#C1|costs> <x>', 'prod costs x'],
    [`e${'\u0316'.repeat(40)}`, `e${'\u0316'.repeat(30)}`],
  ])('%j is tidied', (typed, tidy) => {
    expect(cleanTyping(typed)).toBe(tidy);
  });

  it.each([
    ['?', 'help'],
    ['spend ??', 'spend help'],
    ['??? prod', 'help prod'],
    ['prod?x', 'prod?x'],
    ['prod , log', 'prod,log'],
    ['prod ,log', 'prod,log'],
    ['prod, log', 'prod,log'],
    ['prod!?;: week.', 'prod week'],
    ['prod.', 'prod'],
    ['1..2', '1..2'],
    ['project::123', 'project 123'],
    ['product : = 2', 'product 2'],
    ['#123 a #4', '123 a 4'],
    ['a#4', 'a#4'],
    ['_prod_ my__app', 'prod my-app'],
    ['Prod', 'Prod'],
    ['a  ?  b', 'a help b'],
  ])('%j is read as %j', (typed, plain) => {
    expect(simplifyText(typed)).toBe(plain);
  });

  it('stays the same when it is normalized a second time', () => {
    const signs = fc.constantFrom(...'-*_?,:;!#.<>|= ', 'a', '1', 'B', 'project', '“', '\u00a0');
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 14 }), (typed) => {
        const plain = simplifyText(typed.join(''));
        expect(simplifyText(plain)).toBe(plain);
      }),
      { numRuns: runs(300), examples: [[[...'-*-']], [[...'_?_?_']], [[...'#*#1']]] },
    );
  });
});

describe('a word that is quoted', () => {
  it.each([
    ['spend “Prod!” now', 'Prod', 'Prod!'],
    ['spend <https://x.example|Prod> now', 'Prod', 'Prod'],
    [' Last\u200b  Weak ', 'Last Weak', 'Last Weak'],
    ['spend last weak?', 'last weak', 'last weak?'],
    // Only a part of what was typed as one word.
    ['prod1w', 'prod', 'prod'],
    ['“”', '', ''],
  ])('is quoted as in %j, without the quotes around it', (typed, piece, quoted) => {
    expect(originalSpelling(typed, piece)).toBe(quoted);
  });

  it('of more than twenty words is quoted in its normalized form', () => {
    const words = (count: number) => Array(count).fill('Word').join(' ');
    expect(originalSpelling(`${words(20)}!`, words(20))).toBe(`${words(20)}!`);
    expect(originalSpelling(`${words(21)}!`, words(21))).toBe(words(21));
  });
});
