/** A project's figures: its simulated usage, unless a test has overridden it. */
import { LosslessNumber, parse } from 'lossless-json';
import type { BillingStyle, MoneyControls } from './modes.ts';
import { PROJECTS, type ProductId } from './projects.ts';
import type { Filter, Source, Subscription } from './schema.ts';
import { createUsageHistory, type UsageHistory } from './usage-history.ts';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Parsed JSON that replaces a project's figures, with all digits kept. */
interface Override {
  product: ProductId;
  items?: unknown;
  balance?: unknown;
}

export interface Answers {
  source(style: BillingStyle): Source;
  setBalance(projectId: string, json: string, product?: ProductId): void;
  setItems(projectId: string, json: string, product?: ProductId): void;
  readonly money: MoneyControls;
}

export function createAnswers(now: () => number): Answers {
  const history = createUsageHistory(now());
  const overrides = new Map<string, Override>();

  function override(id: string, product: ProductId | undefined, what: Partial<Override>): void {
    const before = overrides.get(id) ?? { product: productOf(id) ?? 1 };
    overrides.set(id, { ...before, ...what, ...(product && { product }) });
  }

  /** Returns the project whose figures are served. A wrong product has none; in `careless` mode it gets another project's. */
  function projectServed(
    { externalSubscriptionId: id, productId }: Subscription,
    style: BillingStyle,
  ): string | undefined {
    const product = overrides.get(id)?.product ?? productOf(id);
    if (style.data === 'none' || product === undefined) return undefined;
    if (product === productId) return id;
    return style.products === 'careless'
      ? PROJECTS.find((each) => each.product === productId)?.id
      : undefined;
  }

  return {
    money: {
      setBurn: (factor) => history.setBurn(factor, now()),
      topUp: (days) => history.topUp(days, now()),
    },
    setBalance: (id, json, product) => override(id, product, { balance: parse(json) }),
    setItems: (id, json, product) => override(id, product, { items: parse(json) }),
    source: (style) => ({
      balance(subscription) {
        const id = projectServed(subscription, style);
        if (id === undefined) return null;
        if (style.data === 'empty') return { balance: null, bonuses: null };
        const balance = overrides.get(id)?.balance;
        return balance === undefined ? historyBalance(history, id, now(), style) : balance;
      },
      report(filter) {
        const id = projectServed(filter, style);
        if (id === undefined) return null;
        if (style.data === 'empty') return { items: [] };
        const items = overrides.get(id)?.items;
        return items === undefined ? historyReport(history, id, filter, now(), style) : { items };
      },
    }),
  };
}

function productOf(id: string): ProductId | undefined {
  return PROJECTS.find((project) => project.id === id)?.product;
}

function historyBalance(history: UsageHistory, id: string, at: number, style: BillingStyle): unknown {
  if (!productOf(id)) return null;
  const { balance, bonuses } = history.balance(id, at);
  return { balance: amount(balance, style), bonuses: amount(bonuses, style) };
}

function historyReport(
  history: UsageHistory,
  id: string,
  period: Filter,
  at: number,
  style: BillingStyle,
): unknown {
  const from = instant(period.periodFrom);
  const to = instant(period.periodTo);
  const incorrect = from === undefined || to === undefined || from > to || to > at;
  if (incorrect || !productOf(id)) return null;
  return {
    items: history.charges(id, from, to).map((charge) => ({
      day: day(charge.day, style),
      totalAmount: amount(charge.amount, style),
      totalBonuses: amount(charge.bonuses, style),
    })),
  };
}

/** Returns undefined unless the text is a valid date and time in exactly the contract's format. */
function instant(text: string): number | undefined {
  const at = Date.parse(text);
  return TIMESTAMP.test(text) && !Number.isNaN(at) && new Date(at).toISOString() === text ? at : undefined;
}

function amount(digits: string, style: BillingStyle): unknown {
  return style.amounts === 'string' ? digits : new LosslessNumber(digits);
}

function day(date: string, style: BillingStyle): unknown {
  if (style.day === 'date') return date;
  return style.day === 'epoch' ? Date.parse(date) : `${date}T00:00:00.000Z`;
}
