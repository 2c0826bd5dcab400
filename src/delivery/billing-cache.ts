import { type BillingAccess, type BillingClient, questionKey } from '../billing/client.ts';
import { MINUTE, type Millis } from '../domain/time/calendar.ts';

/** Many schedules ask for the same figures at the same moment: answers are kept this long, in ms. */
const KEEP: Millis = MINUTE;
const MAX_ANSWERS = 200;

/**
 * A billing client that asks each question once: within a minute for all runs of this process, and at most once within a
 * run, failures included, so that not every schedule waits for a service that is down. People's questions go first.
 *
 * @returns creates the client of one run
 */
export function createBillingCache(billing: BillingClient, clock: () => Millis): () => BillingClient {
  const shared = new Map<string, { readonly until: Millis; readonly answer: Promise<unknown> }>();

  function recent<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const now = clock();
    const known = shared.get(key);
    if (known !== undefined && known.until > now && known.until <= now + KEEP)
      return known.answer as Promise<T>;
    for (const [old, { until }] of shared) if (until <= now || shared.size >= MAX_ANSWERS) shared.delete(old);
    const answer = ask();
    shared.set(key, { until: now + KEEP, answer });
    answer.catch(() => shared.delete(key));
    return answer;
  }

  return () => {
    const own = new Map<string, Promise<unknown>>();
    const once = <T>(access: BillingAccess, question: readonly unknown[], ask: () => Promise<T>) => {
      const key = questionKey(access, question);
      const answer = (own.get(key) as Promise<T> | undefined) ?? recent(key, ask);
      own.set(key, answer);
      return answer;
    };
    return {
      balance: (access, { project, product }) =>
        once(access, ['balance', project, product], () =>
          billing.balance(access, { project, product }, 'background'),
        ),
      consumption: (access, { project, product }, span) =>
        once(access, ['consumption', project, product, span.from, span.to, span.zone], () =>
          billing.consumption(access, { project, product }, span, 'background'),
        ),
    };
  };
}
