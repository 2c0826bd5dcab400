/** The posts and watches of a run share billing's answers. */
import { expect, it } from 'vitest';
import type { BillingClient, Subscription, TimeRange } from '../../src/billing/client.ts';
import { askOnce } from '../../src/delivery/run.ts';

const ACCESS = { workspace: 'T1', connection: 'main', baseUrl: 'https://b.example.com', token: 't' };
const PROJECT: Subscription = { project: '123', product: 1 };
const SPAN: TimeRange = {
  from: 1,
  to: 2,
  zone: 'UTC',
  days: { first: '1970-01-01', last: '1970-01-01' },
};

function asking(fails = false) {
  const counted = { asked: 0 };
  const ask = async <T>(answer: T): Promise<T> => {
    counted.asked += 1;
    if (fails) throw new Error('down');
    return answer;
  };
  const billing: BillingClient = {
    balance: () => ask({ balance: { text: '1' }, bonuses: { text: '0' }, remarks: [] }),
    consumption: () => ask({ charges: [], remarks: [] }),
  };
  return Object.assign(counted, { client: askOnce(billing) });
}

it('the same question is sent to billing only once, unless workspace, address or token differ', async () => {
  const counted = asking();
  const { client } = counted;
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
  expect(counted.asked).toBe(different.length);
});

it('a question that failed is not sent to billing a second time', async () => {
  const counted = asking(true);
  for (let time = 0; time < 2; time += 1)
    await expect(counted.client.balance(ACCESS, PROJECT)).rejects.toThrow('down');
  expect(counted.asked).toBe(1);
});
