import { describe, expect, it } from 'vitest';
import { judge, readExpectations } from './expectation.ts';
import { outcomeOf } from './outcome.ts';

describe('a question as people type it', () => {
  it.each(readExpectations('questions.md'))('$text', (expected) => {
    const outcome = outcomeOf(expected.text);
    expect({ expected, outcome, verdict: judge(expected, outcome) }).toMatchObject({
      verdict: expect.stringMatching(/^(?:right|offered well)$/),
    });
  });
});
