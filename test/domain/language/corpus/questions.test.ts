/** Asks the questions of questions.md and follow-ups.md. Each page's beginning explains its expectations. */
import { describe, expect, it } from 'vitest';
import { isQuick } from '../../../support/test-run.ts';
import { type Row, readRows } from './pages.ts';
import { meaningOf, type Outcome, outcomeOf } from './what-tally-reads.ts';

interface Expectation {
  readonly text: string;
  readonly kind: 'run' | 'run or offer' | 'offer' | 'may offer' | 'maybe' | 'refuse' | 'not run';
  readonly commands: readonly string[];
}

const KINDS = ['run or offer', 'offer', 'may offer', 'maybe', 'refuse', 'not run'] as const;

/** A quick run takes every third text. */
const readExpectations = (page: string): readonly Expectation[] =>
  readRows(page)
    .flatMap(expectationsOf)
    .filter((_, n) => !isQuick || n % 3 === 0);

function expectationsOf({ texts, reply }: Row): readonly Expectation[] {
  const kind = KINDS.find((name) => reply === name || reply.startsWith(`${name}: `)) ?? 'run';
  const named = reply.slice(reply.indexOf(': ') + 1).trim();
  const commands = kind === 'refuse' || kind === 'not run' ? [] : named.split(' · ');
  return texts.map((text) => ({ text, kind, commands }));
}

const tryMeaning = (command: string): string => {
  try {
    return meaningOf(command);
  } catch {
    return `unreadable ${command}`;
  }
};

function isRight({ kind, commands }: Expectation, outcome: Outcome): boolean {
  const isExpected = (command: string) => commands.map(tryMeaning).includes(tryMeaning(command));
  if ('runs' in outcome) return ['run', 'run or offer', 'maybe'].includes(kind) && isExpected(outcome.runs);
  const { offers } = outcome;
  if (offers.length === 0) return !['run', 'run or offer', 'offer'].includes(kind);
  return kind === 'not run' || (kind !== 'run' && offers.length <= 3 && offers.every(isExpected));
}

const QUESTIONS = readExpectations('questions.md');

const PAGES: readonly [asked: string, expectations: readonly Expectation[]][] = [
  ['a question', QUESTIONS],
  ['a question after an answer in a thread', readExpectations('follow-ups.md')],
];

describe.each(PAGES)('%s', (_, expectations) => {
  it.each(expectations)('becomes the expected command, buttons or refusal: $text', async (expected) => {
    const outcome = await outcomeOf(expected.text);
    const { text } = expected;
    expect(isRight(expected, outcome) ? expected : { text, ...outcome }).toEqual(expected);
  });
});

/** Words that change a question, or mean nothing in it. */
const STRAY = [
  ...['not', 'except', 'or', 'without', 'only', 'banana', 'twice', 'budgeted', 'never', 'nobody'],
  ...['least', 'Anna', 'save', 'hourly', 'frankfurt', 'should', 'next month', 'in dollars'],
  ...['some of', 'best', 'half', 'another', 'per hour'],
];

/** Questions in which one of these words is no mistake. */
const WANTED =
  /\bleast (?:the )?runway\b|\bcost least\b|\bday with the least\b|\bspend least\b|\b1st half oct\b|\blast half december\b|\bwithout today\b|\b(?:morning|thx|thanks|hi|hello|thank you 🙏) Anna\b/iu;

describe('a question with an added word that does not belong in it', () => {
  const asking = QUESTIONS.filter(
    ({ kind, commands }) => kind === 'run' && /^.(?:spend|balance)/.test(commands[0] ?? ''),
  );
  it.each(STRAY.map((stray, at) => ({ stray, at })))('is not answered: $stray', async ({ stray, at }) => {
    const mixed = asking.flatMap(({ text }, n) => {
      if (n % STRAY.length !== at) return [];
      const words = text.split(' ');
      return words.toSpliced((n * 7 + stray.length * 3) % (words.length + 1), 0, stray).join(' ');
    });
    const outcomes = mixed
      .filter((text) => !WANTED.test(text))
      .map(async (text) => [text, await outcomeOf(text)] as const);
    expect((await Promise.all(outcomes)).filter(([, outcome]) => 'runs' in outcome)).toEqual([]);
  });
});
