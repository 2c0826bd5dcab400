import { createHash } from 'node:crypto';
import type { BillingAccess, BillingClient } from '../billing/client.ts';

/** Many schedules want the same figures at the same moment, in ms. */
const KEPT = 60_000;
const MOST = 200;

type Answers = Map<string, { readonly until: number; readonly answer: Promise<unknown> }>;

/**
 * Billing, asked each question once: for all runs of a process for a minute, and within one run once altogether,
 * failures included, so that a service that is down is not asked by every schedule in turn. People's own questions go
 * first.
 *
 * @returns one for each run
 */
export function createBillingCache(billing: BillingClient, clock: () => number): () => BillingClient {
  const shared: Answers = new Map();

  function recent<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const now = clock();
    const known = shared.get(key);
    if (known !== undefined && known.until > now && known.until <= now + KEPT)
      return known.answer as Promise<T>;
    for (const [old, { until }] of shared) if (until <= now || shared.size >= MOST) shared.delete(old);
    const answer = ask();
    shared.set(key, { until: now + KEPT, answer });
    answer.catch(() => shared.delete(key));
    return answer;
  }

  return () => {
    const own = new Map<string, Promise<unknown>>();
    const once = <T>(access: BillingAccess, question: readonly unknown[], ask: () => Promise<T>) => {
      // Hashed, because the token is a part of it.
      const { workspace, connection, baseUrl, token } = access;
      const all = JSON.stringify([workspace, connection, baseUrl, token, ...question]);
      const key = createHash('sha256').update(all).digest('base64');
      const known = own.get(key) as Promise<T> | undefined;
      const answer = known ?? recent(key, ask);
      own.set(key, answer);
      return answer;
    };
    return {
      balance: (access, { project, product }) =>
        once(access, ['balance', project, product], () =>
          billing.balance(access, { project, product }, 'background'),
        ),
      consumption: (access, { project, product }, span) =>
        once(access, ['consumption', project, product, span.from, span.to], () =>
          billing.consumption(access, { project, product }, span, 'background'),
        ),
    };
  };
}
