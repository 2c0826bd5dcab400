/** What a table of the corpus says of a text, and how what became of the text is judged by it. */
import { readFileSync } from 'node:fs';
import { meaningOf } from './meaning.ts';
import type { Outcome } from './outcome.ts';

type Kind = 'run' | 'run or offer' | 'offer' | 'may offer' | 'maybe' | 'refuse' | 'not run';

export interface Expectation {
  readonly text: string;
  readonly kind: Kind;
  /** Any of them. */
  readonly commands: readonly string[];
}

export type Verdict = 'right' | 'wrong' | 'offered well' | 'offered badly' | 'unanswered';

const KINDS: readonly Kind[] = ['run or offer', 'offer', 'may offer', 'maybe', 'refuse', 'not run'];

function expectationOf(line: string): Expectation {
  const [text = '', expected = ''] = line.split(' → ');
  const kind = KINDS.find((name) => expected === name || expected.startsWith(`${name}: `)) ?? 'run';
  const named = expected.slice(expected.indexOf(': ') + 1).trim();
  const commands = kind === 'refuse' || kind === 'not run' ? [] : named.split(' · ');
  return { text: text.replaceAll('⏎', '\n'), kind, commands };
}

/** The lines `text → expected` of a page in this folder. */
export const readExpectations = (page: string): readonly Expectation[] =>
  readFileSync(new URL(page, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.includes(' → '))
    .map(expectationOf);

/** Also of a button that its command would refuse. */
const tryMeaning = (command: string): string => {
  try {
    return meaningOf(command);
  } catch {
    return `unreadable ${command}`;
  }
};

function judgeOffers({ kind, commands }: Expectation, offers: readonly string[]): Verdict {
  if (offers.length === 0)
    return kind === 'run' || kind === 'run or offer' || kind === 'offer' ? 'unanswered' : 'right';
  if (kind === 'run') return 'unanswered';
  if (kind === 'not run') return 'right';
  const meant = commands.map(tryMeaning);
  return offers.length <= 3 && offers.every((offer) => meant.includes(tryMeaning(offer)))
    ? 'offered well'
    : 'offered badly';
}

export function judge(expected: Expectation, outcome: Outcome): Verdict {
  if ('offers' in outcome) return judgeOffers(expected, outcome.offers);
  const { kind, commands } = expected;
  const mayRun = kind === 'run' || kind === 'run or offer' || kind === 'maybe';
  return mayRun && commands.map(tryMeaning).includes(tryMeaning(outcome.runs)) ? 'right' : 'wrong';
}
