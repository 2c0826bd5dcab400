import { Big } from 'big.js';
import { expect, test } from 'vitest';
import { previewWatch } from '../../src/delivery/watches/watch-service.ts';
import { addDays } from '../../src/domain/time/calendar.ts';

const TODAY = '2026-11-21';
/** 100 a day, and ten times as much each ninth day. */
const days = Object.fromEntries(
  Array.from({ length: 190 }, (_, n) => [addDays(TODAY, -n - 1), n % 9 === 4 ? '1000' : '100']),
);
const figures = {
  today: TODAY,
  source: 'main',
  usage: { days, until: '2026-11-20', zone: 'UTC', at: 0 },
  account: { balance: '5000', bonuses: '0', at: 0 },
};

test('a watch’s preview names the days on which the watch would have alerted', () => {
  const preview = previewWatch({ kind: 'spike', factor: new Big(2), floor: new Big(0) }, figures);
  expect(preview).toMatchObject({ reported: 190, isCrossed: false });
  expect(preview.dates).toHaveLength(10);
  expect(preview.dates[9]).toBe('2026-11-16');
});

test('a watch’s preview computes earlier balances from the current balance and the spending since then', () => {
  const preview = previewWatch({ kind: 'balance', below: new Big(5500) }, figures);
  expect(preview).toMatchObject({ dates: ['2026-11-16'], isCrossed: true });
});

test('a watch’s preview is empty for a project without data', () => {
  const usage = { ...figures.usage, days: {} };
  const preview = previewWatch({ kind: 'budget', amount: new Big(1) }, { ...figures, usage });
  expect(preview).toMatchObject({ dates: [], isCrossed: false, isKnown: false, reported: 0 });
});
