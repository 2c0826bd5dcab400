/** The modes of the billing service. */
import { jsonReply } from '../fake-service.ts';
import { commonModes, type Mode, mode } from '../modes.ts';

/** What a mode can change about normal answers. */
export interface BillingStyle {
  day: 'date' | 'timestamp' | 'epoch';
  amounts: 'number' | 'string';
  /** `none`: the field is null. `empty`: it has no items or amounts. */
  data: 'some' | 'none' | 'empty';
  /** `careless`: a wrong product gets the figures of another project. */
  products: 'strict' | 'careless';
}

export const DEFAULT_BILLING_STYLE: BillingStyle = {
  day: 'date',
  amounts: 'number',
  data: 'some',
  products: 'strict',
};

const errorBody = (message: string) => JSON.stringify({ message });

/** Changes to the simulated spending and balances. */
export interface MoneyControls {
  /** Multiplies every later charge; 1 is normal. */
  setBurn(factor: number): void;
  /** Adds to every project what it costs in this many days. */
  topUp(days: number): void;
}

const BURN_FACTOR = 50;
const TOP_UP_DAYS = 30;

export function billingModes(slowFor: number, { setBurn, topUp }: MoneyControls): Mode<BillingStyle>[] {
  return [
    ...commonModes(slowFor),
    {
      mode: 'burning',
      label: 'Burning money',
      hint: `From now on everything costs ${BURN_FACTOR} times as much.`,
      enter() {
        setBurn(BURN_FACTOR);
        return (_, ordinary) => ordinary();
      },
      leave: () => setBurn(1),
    },
    {
      mode: 'topped-up',
      label: 'Money added',
      hint: `Adds what each project costs in ${TOP_UP_DAYS} days, every time you choose this.`,
      enter() {
        topUp(TOP_UP_DAYS);
        return (_, ordinary) => ordinary();
      },
    },
    mode('401', 'Token refused', 'Rejects every token (401).', () =>
      jsonReply(401, errorBody('Unauthorized')),
    ),
    mode('403', 'Forbidden', 'Accepts the token but denies access (403).', () =>
      jsonReply(403, errorBody('Forbidden')),
    ),
    mode('429', 'Too many requests', 'Always asks to retry in 20 s (429).', () =>
      jsonReply(429, errorBody('Too many requests'), { 'Retry-After': '20' }),
    ),
    {
      mode: '429-once',
      label: 'Too many requests, once each',
      hint: 'Asks to retry each query once, in 1 s (429), then answers it.',
      enter() {
        const seen = new Set<string>();
        return (asked, ordinary) => {
          if (seen.has(asked.body)) return ordinary();
          seen.add(asked.body);
          return jsonReply(429, errorBody('Too many requests'), { 'Retry-After': '1' });
        };
      },
    },
    mode('500', 'Server error', 'Fails with an internal error (500).', () =>
      jsonReply(500, errorBody('Internal server error')),
    ),
    mode('no-data', 'No data', 'Answers with null instead of data.', (_asked, ordinary) =>
      ordinary({ data: 'none' }),
    ),
    mode('empty', 'Empty lists', 'Answers without items and amounts.', (_asked, ordinary) =>
      ordinary({ data: 'empty' }),
    ),
    mode('query-rejected', 'GraphQL errors', 'Returns 200 with errors in the body.', () =>
      jsonReply(
        200,
        '{"errors":[{"message":"Subscription storage is being maintained","path":["bill"]}],"data":null}',
      ),
    ),
    mode('wrong-shape', 'Wrong schema', 'Sends JSON that does not match the contract.', () =>
      jsonReply(200, '{"data":{"invoice":{"rows":[["2026-11-20","12.00"]]}}}'),
    ),
    mode(
      'careless',
      'Ignores the product',
      'Answers a wrong product with another project’s figures.',
      (_, ordinary) => ordinary({ products: 'careless' }),
    ),
    mode('timestamps', 'Days as timestamps', 'Sends each day as midnight UTC.', (_, ordinary) =>
      ordinary({ day: 'timestamp' }),
    ),
    mode('epoch', 'Days as numbers', 'Sends each day as milliseconds since 1970.', (_, ordinary) =>
      ordinary({ day: 'epoch' }),
    ),
    mode('strings', 'Amounts as strings', 'Sends amounts in quotes.', (_, ordinary) =>
      ordinary({ amounts: 'string' }),
    ),
  ];
}
