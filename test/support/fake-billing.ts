/** An in-memory billing client. The test decides what each day costs, when it is reported, and the balance. */
import type { BillingClient, BillingCredentials } from '../../src/billing/client.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { chargesOf } from './usage.ts';

type Day = string;

export interface FakeProject {
  amounts(at: number): ReadonlyMap<Day, number>;
  balance(at: number): number | undefined;
  bonuses?(at: number): number;
}

export interface FakeBilling {
  readonly client: BillingClient;
  readonly asked: {
    readonly project: string;
    readonly what: 'balance' | 'consumption';
    readonly at: number;
  }[];
  /** @returns an error to throw in place of an answer */
  failure: (
    access: BillingCredentials,
    project: string,
    what: 'balance' | 'consumption',
  ) => Error | undefined;
}

const text = (value: number) => ({ text: value.toFixed(2) });

export function createFakeBilling(projects: (id: string) => FakeProject, clock: () => number): FakeBilling {
  const begin = (access: BillingCredentials, project: string, what: 'balance' | 'consumption') => {
    fake.asked.push({ project, what, at: clock() });
    const failure = fake.failure(access, project, what);
    if (failure !== undefined) throw failure;
    return projects(project);
  };
  const fake: FakeBilling = {
    asked: [],
    failure: () => undefined,
    client: {
      async balance(access, { project, product }) {
        const asked = begin(access, project, 'balance');
        const left = asked.balance(clock());
        if (left === undefined)
          throw new Failure('no-data', { question: { project, product, days: undefined } });
        return { balance: text(left), bonuses: text(asked.bonuses?.(clock()) ?? 0), remarks: [] };
      },
      async consumption(access, { project, product }, { from, to, days }) {
        const amounts = begin(access, project, 'consumption').amounts(clock());
        const items = [...amounts]
          .filter(([day]) => Date.parse(`${day}T12:00Z`) >= from && Date.parse(`${day}T12:00Z`) <= to)
          .map(([day, value]) => ({ day: { text: day }, totalAmount: text(value), totalBonuses: text(0) }));
        if (items.length === 0) throw new Failure('no-data', { question: { project, product, days } });
        return { charges: chargesOf(items), remarks: [] };
      },
    },
  };
  return fake;
}

/** Every project has a balance of ten and no reported days. */
export const lowBalances = (clock: () => number): BillingClient =>
  createFakeBilling(() => ({ amounts: () => new Map(), balance: () => 10 }), clock).client;
