import { Big } from 'big.js';
import { factsOf } from '../../src/delivery/watches/alert-facts.ts';
import type { FiguresEvent } from '../../src/delivery/watches/sent-alerts.ts';

/** An event of an alert about a balance below 50. @param at in ms @param digits the balance */
export const balanceEvent = (kind: FiguresEvent['kind'], at: number, digits: string): FiguresEvent => ({
  ...{ kind, at, level: 'threshold' },
  facts: factsOf({
    ...{ rule: { kind: 'balance', below: new Big(50) }, episode: 'e' },
    measurement: { kind: 'balance', balance: new Big(digits) },
  }),
});
