import { expect, it } from 'vitest';
import { collectRemarks, remarkLead } from '../../src/domain/failure/index.ts';

it('a service’s message names the figures it is about, and appears once', () => {
  const remarks = collectRemarks(
    ['the balance', { remarks: ['a', 'both', 'a'] }],
    ['the last 7 days', { remarks: ['both', 'b'] }],
  );
  expect(remarks).toEqual([
    { about: 'the balance', messages: ['a', 'both'] },
    { about: 'the last 7 days', messages: ['b'] },
  ]);
  expect(remarks.map(remarkLead)[1]).toBe('The billing service reported a problem with the last 7 days:');
  expect(collectRemarks(['the balance', { remarks: [] }])).toEqual([]);
});
