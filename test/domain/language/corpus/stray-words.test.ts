import { expect, it } from 'vitest';
import { isThorough } from '../../../support/thorough.ts';
import { readExpectations } from './expectation.ts';
import { outcomeOf } from './outcome.ts';

/** Each changes what is asked, or has no meaning here; none may be dropped. */
const STRAY = [
  ...['not', 'except', 'or', 'without', 'only', 'banana', 'twice', 'budgeted', 'never', 'nobody'],
  ...['least', 'Anna', 'save', 'hourly', 'frankfurt', 'should', 'next month', 'in dollars'],
  ...['some of', 'best', 'half', 'another', 'per hour'],
];

/** Where these are nothing stray. */
const SAID =
  /\bleast (?:the )?runway\b|\bcost least\b|\bday with the least\b|\bspend least\b|\b1st half oct\b|\blast half december\b|\bwithout today\b|\b(?:morning|thx|thanks|hi|hello|thank you 🙏) Anna\b/iu;

it.each(STRAY.map((stray, at) => ({ stray, at })))(
  'no question runs with a stray “$stray” in it',
  ({ stray, at }) => {
    const texts = readExpectations('questions.md').filter(
      ({ kind, commands }) => kind === 'run' && /^.(?:spend|balance)/.test(commands[0] ?? ''),
    );
    // Some questions with each word, others with the next.
    const step = isThorough ? 6 : 20;
    const tried = texts.filter((_, n) => n % step === at % step);
    const ran = tried.flatMap(({ text }, n) => {
      const words = text.split(' ');
      // One place a question and word, another for each.
      const mixed = words.toSpliced((n * 7 + stray.length * 3) % (words.length + 1), 0, stray).join(' ');
      // That is something to ask for.
      if (SAID.test(mixed)) return [];
      return 'runs' in outcomeOf(mixed) ? [mixed] : [];
    });
    expect(ran).toEqual([]);
  },
);
