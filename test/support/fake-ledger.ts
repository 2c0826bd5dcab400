/** A billing service in memory: what each day costs, when it is reported, and what is left. */
import type { BillingAccess, BillingClient } from '../../src/billing/client.ts';
import { NoData } from '../../src/domain/failure/index.ts';
import { PRODUCTS } from '../../src/domain/product.ts';

type Day = string;

export interface LedgerProject {
  /** Day → what it costs, as billing says at an instant (ms); absent while it is not reported. */
  amounts(at: number): ReadonlyMap<Day, number>;
  /** What is left at an instant (ms); undefined where there is no such answer. */
  balance(at: number): number | undefined;
}

export interface FakeLedger {
  readonly client: BillingClient;
  readonly asked: {
    readonly project: string;
    readonly what: 'balance' | 'consumption';
    readonly at: number;
  }[];
  /** Thrown instead of an answer. */
  failure: (access: BillingAccess, project: string, what: 'balance' | 'consumption') => Error | undefined;
}

const text = (value: number) => ({ text: value.toFixed(2) });

export function fakeLedger(projects: (id: string) => LedgerProject, clock: () => number): FakeLedger {
  const begin = (access: BillingAccess, project: string, what: 'balance' | 'consumption') => {
    ledger.asked.push({ project, what, at: clock() });
    const failure = ledger.failure(access, project, what);
    if (failure !== undefined) throw failure;
    return projects(project);
  };
  const ledger: FakeLedger = {
    asked: [],
    failure: () => undefined,
    client: {
      async balance(access, { project, product }) {
        const left = begin(access, project, 'balance').balance(clock());
        if (left === undefined) throw new NoData({ project, product: PRODUCTS[product], days: undefined });
        return { balance: text(left), bonuses: text(0), remarks: [] };
      },
      async consumption(access, { project, product }, { from, to }) {
        const amounts = begin(access, project, 'consumption').amounts(clock());
        const items = [...amounts]
          .filter(([day]) => Date.parse(`${day}T12:00Z`) >= from && Date.parse(`${day}T12:00Z`) <= to)
          .map(([day, value]) => ({ day: { text: day }, totalAmount: text(value), totalBonuses: text(0) }));
        if (items.length === 0) throw new NoData({ project, product: PRODUCTS[product], days: 'then' });
        return { items, remarks: [], asked: { from, to } };
      },
    },
  };
  return ledger;
}

/** Nothing is reported, and ten are left of each project. */
export const lowBalances = (clock: () => number): BillingClient =>
  fakeLedger(() => ({ amounts: () => new Map(), balance: () => 10 }), clock).client;
