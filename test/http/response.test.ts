import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/http/exchange.ts';

const DATE = 'Sat, 21 Nov 2026 10:15:30 GMT';

describe('how long a service asks to be left alone', () => {
  it.each([
    ['seconds', { 'retry-after': '120' }, 120],
    ['a date after the answer’s own', { 'retry-after': 'Sat, 21 Nov 2026 10:16:00 GMT', date: DATE }, 30],
    ['a date before the answer’s own', { 'retry-after': 'Sat, 21 Nov 2026 10:15:00 GMT', date: DATE }, 0],
    ['the longest wait that is read', { 'retry-after': '999999999' }, 999_999_999],
    ['more than anybody waits', { 'retry-after': '1000000000' }, undefined],
    ['a date without the answer’s own', { 'retry-after': DATE }, undefined],
    ['a date in another form', { 'retry-after': '2026-11-21T10:16:00Z', date: DATE }, undefined],
    ['less than nothing', { 'retry-after': '-1' }, undefined],
    ['nothing', {}, undefined],
  ])('is read from %s', (_, headers, seconds) => {
    expect(parseRetryAfter(headers)).toBe(seconds);
  });
});
