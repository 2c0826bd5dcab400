import { expect, it } from 'vitest';
import { readExpectations } from './expectation.ts';
import { outcomeOf } from './outcome.ts';

/** Each changes what is asked, or has no meaning here; none may be dropped. */
const STRAY = [
  ...['not', 'except', 'or', 'without', 'only', 'banana', 'twice', 'budgeted', 'never', 'nobody'],
  ...['least', 'Anna', 'save', 'hourly', 'frankfurt', 'should', 'next month', 'in dollars'],
];

it.each(STRAY)('no question runs with a stray “%s” in it', (stray) => {
  const texts = readExpectations('questions.md').filter(
    ({ kind, commands }) => kind === 'run' && /^.(?:spend|balance)/.test(commands[0] ?? ''),
  );
  const ran = texts.flatMap(({ text }, n) => {
    const words = text.split(' ');
    // One place a question and word, another for each.
    const mixed = words.toSpliced((n * 7 + stray.length * 3) % (words.length + 1), 0, stray).join(' ');
    return 'runs' in outcomeOf(mixed) ? [mixed] : [];
  });
  expect(ran).toEqual([]);
});
