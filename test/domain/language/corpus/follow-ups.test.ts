import { describe, expect, it } from 'vitest';
import { judge, readExpectations } from './expectation.ts';
import { outcomeOfFollowUp } from './outcome.ts';

describe('what people ask on in a thread', () => {
  it.each(readExpectations('follow-ups.md'))('$text', async (expected) => {
    const [answered = '', text = ''] = expected.text.split(' | ');
    const outcome = await outcomeOfFollowUp(answered, text);
    expect({ expected, outcome, verdict: judge(expected, outcome) }).toMatchObject({
      verdict: expect.stringMatching(/^(?:right|offered well)$/),
    });
  });
});
