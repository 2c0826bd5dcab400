/** Answers of billing that the runs of one process share. */
import { expect, it } from 'vitest';
import type { BillingClient, Subscription, TimeRange } from '../../src/billing/client.ts';
import { createBillingCache } from '../../src/delivery/run.ts';

const ACCESS = { workspace: 'T1', connection: 'main', baseUrl: 'https://b.example.com', token: 't' };
const PROJECT: Subscription = { project: '123', product: 1 };
const SPAN: TimeRange = {
  ...{ from: 1, to: 2, zone: 'UTC' },
  days: { first: '1970-01-01', last: '1970-01-01' },
};

function cached(fails = false) {
  const cache = { now: Date.parse('2026-11-20T12:30:00Z'), asked: 0 };
  const ask = async <T>(answer: T): Promise<T> => {
    cache.asked += 1;
    if (fails) throw new Error('down');
    return answer;
  };
  const billing: BillingClient = {
    balance: () => ask({ balance: { text: '1' }, bonuses: { text: '0' }, remarks: [] }),
    consumption: () => ask({ charges: [], remarks: [] }),
  };
  return Object.assign(cache, { run: createBillingCache(billing, () => cache.now) });
}

it('are kept for a minute for all runs, and for a run as long as it lasts', async () => {
  const cache = cached();
  const first = cache.run();
  const askedAfter = async (ms: number, client = cache.run()) => {
    cache.now += ms;
    await client.balance(ACCESS, PROJECT);
    return cache.asked;
  };
  expect([await askedAfter(0, first), await askedAfter(59_999), await askedAfter(1)]).toEqual([1, 1, 2]);
  expect([await askedAfter(0, first), await askedAfter(-3_600_000)]).toEqual([2, 3]);
});

it('are not shared with another question, token or workspace', async () => {
  const cache = cached();
  const client = cache.run();
  const different = [
    () => client.balance(ACCESS, PROJECT),
    () => client.balance(ACCESS, { ...PROJECT, project: '124' }),
    () => client.balance(ACCESS, { ...PROJECT, product: 2 }),
    ...(['workspace', 'connection', 'baseUrl', 'token'] as const).map(
      (part) => () => client.balance({ ...ACCESS, [part]: 'x' }, PROJECT),
    ),
    () => client.consumption(ACCESS, PROJECT, SPAN),
    () => client.consumption(ACCESS, PROJECT, { ...SPAN, from: 0 }),
    () => client.consumption(ACCESS, PROJECT, { ...SPAN, to: 3 }),
    () => client.consumption(ACCESS, { ...PROJECT, product: 2 }, SPAN),
  ];
  for (const ask of [...different, ...different]) await ask();
  expect(cache.asked).toBe(different.length);
});

it('that failed are asked for again by the next run, not by the same', async () => {
  const cache = cached(true);
  const first = cache.run();
  for (const client of [first, first, cache.run()])
    await expect(client.balance(ACCESS, PROJECT)).rejects.toThrow('down');
  expect(cache.asked).toBe(2);
});
