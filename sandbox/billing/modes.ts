/** The moods of the billing service. */
import { jsonReply } from '../fake-service.ts';
import { commonModes, type Mode, mode } from '../modes.ts';

/** What a mode can change about ordinary answers. */
export interface BillingStyle {
  day: 'date' | 'timestamp' | 'epoch';
  amounts: 'number' | 'string';
  /** `none`: the field is null. `empty`: it is there with nothing in it. */
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

/** What happens to the money besides the ordinary charges. */
export interface MoneyControls {
  /** From now on everything costs so many times as much; 1 is as usual. */
  setBurn(factor: number): void;
  /** Adds money to every project: what it costs in so many days. */
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
      hint: `From now on everything costs ${BURN_FACTOR} times as much. What was spent stays spent.`,
      enter() {
        setBurn(BURN_FACTOR);
        return (_, ordinary) => ordinary();
      },
      leave: () => setBurn(1),
    },
    {
      mode: 'topped-up',
      label: 'Money added',
      hint: `Adds to every project what it costs in ${TOP_UP_DAYS} days, each time it is chosen.`,
      enter() {
        topUp(TOP_UP_DAYS);
        return (_, ordinary) => ordinary();
      },
    },
    mode('401', 'Token refused', 'Rejects every token (401).', () =>
      jsonReply(401, errorBody('Unauthorized')),
    ),
    mode('403', 'Forbidden', 'Knows the token and does not let it read (403).', () =>
      jsonReply(403, errorBody('Forbidden')),
    ),
    mode('429', 'Too many requests', 'Always asks to come back in 20 s (429).', () =>
      jsonReply(429, errorBody('Too many requests'), { 'Retry-After': '20' }),
    ),
    {
      mode: '429-once',
      label: 'Too many requests, once',
      hint: 'Asks to come back in 1 s the first time it hears a question, then answers it.',
      enter() {
        const heard = new Set<string>();
        return (asked, ordinary) => {
          if (heard.has(asked.body)) return ordinary();
          heard.add(asked.body);
          return jsonReply(429, errorBody('Too many requests'), { 'Retry-After': '1' });
        };
      },
    },
    mode('500', 'Broken', 'Fails inside (500).', () => jsonReply(500, errorBody('Internal server error'))),
    mode('no-data', 'No data', 'Answers properly, with nothing in it.', (_asked, ordinary) =>
      ordinary({ data: 'none' }),
    ),
    mode('empty', 'Empty lists', 'Answers with no items and no amounts.', (_asked, ordinary) =>
      ordinary({ data: 'empty' }),
    ),
    mode('query-rejected', 'GraphQL errors', 'Says 200 and refuses in the body.', () =>
      jsonReply(
        200,
        '{"errors":[{"message":"Subscription storage is being maintained","path":["bill"]}],"data":null}',
      ),
    ),
    mode('wrong-shape', 'Another shape', 'Sends JSON that is not in the contract.', () =>
      jsonReply(200, '{"data":{"invoice":{"rows":[["2026-11-20","12.00"]]}}}'),
    ),
    mode(
      'careless',
      'Careless about products',
      'Answers for a wrong product with another project’s figures.',
      (_, ordinary) => ordinary({ products: 'careless' }),
    ),
    mode('timestamps', 'Days as timestamps', 'Sends day as midnight UTC with a time.', (_, ordinary) =>
      ordinary({ day: 'timestamp' }),
    ),
    mode('epoch', 'Days as numbers', 'Sends day as milliseconds since 1970.', (_, ordinary) =>
      ordinary({ day: 'epoch' }),
    ),
    mode('strings', 'Amounts as text', 'Sends amounts in quotes.', (_, ordinary) =>
      ordinary({ amounts: 'string' }),
    ),
  ];
}
