import { expect, it } from 'vitest';
import { remarkLead, remarksOf } from '../../src/domain/remark.ts';

it('what the service says is named with the figures it says it of, each message once', () => {
  const remarks = remarksOf(
    ['the balance', { remarks: ['a', 'both', 'a'] }],
    ['the last 7 days', { remarks: ['both', 'b'] }],
  );
  expect(remarks).toEqual([
    { about: 'the balance', messages: ['a'] },
    { about: 'the balance and the last 7 days', messages: ['both'] },
    { about: 'the last 7 days', messages: ['b'] },
  ]);
  expect(remarks.map(remarkLead)[1]).toBe(
    'The billing service reported a problem with the balance and the last 7 days:',
  );
  expect(remarksOf(['the balance', { remarks: [] }])).toEqual([]);
});
