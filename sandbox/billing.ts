/**
 * A fake billing service: the contract's GraphQL interface over simulated usage. It rejects what the contract
 * doesn't allow.
 */
import { LosslessNumber, parse, stringify } from 'lossless-json';
import { parseQuery, type Query, type Subscription } from './billing/contract.ts';
import { PROJECTS, type ProductId } from './billing/projects.ts';
import { createUsageHistory } from './billing/usage-history.ts';
import {
  commonModes,
  htmlReply,
  jsonReply,
  parseObject,
  type ServiceOptions,
  type ServiceReply,
  type ServiceRequest,
  startService,
} from './fake-service.ts';

export interface BillingRequest extends Pick<ServiceRequest, 'at' | 'pause'> {
  token: string;
  /** The GraphQL document, or the whole body if it has none. */
  query: string;
}

export type BillingService = Awaited<ReturnType<typeof startBilling>>;

const EXPIRED = 'Expired';
const TOKENS = ['Administrator', 'Read-only', 'Accountant', 'Engineer', EXPIRED].map((label) => ({
  label,
  value: `sandbox-user-token-${label.toLowerCase()}-not-a-secret`,
}));

const BURN_FACTOR = 50;
const DAY = 86_400_000;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Parsed JSON that replaces a project's figures. Numbers keep all their digits. */
interface Override {
  product: ProductId;
  items?: unknown;
  balance?: unknown;
}

export async function startBilling(options: ServiceOptions = {}) {
  const { now = Date.now } = options;
  const history = createUsageHistory(now());
  const overrides = new Map<string, Override>();
  let yesterday: 'late' | 'corrected' | undefined;
  const showing = (what: typeof yesterday) => (isChosen: boolean) => {
    yesterday = isChosen ? what : undefined;
  };

  const override = (id: string, product: ProductId | undefined, what: Partial<Override>): void => {
    const before = overrides.get(id) ?? { product: productOf(id) ?? 1 };
    overrides.set(id, { ...before, ...what, ...(product && { product }) });
  };
  const decimal = (digits: string) => new LosslessNumber(digits);
  const itemsOf = ({ id, from, to }: Subscription & { from: string; to: string }) => {
    const [first, end] = [instant(from), instant(to)];
    if (first === undefined || end === undefined || first > end || end > now() || !productOf(id)) return null;
    const last = new Date(now() - DAY).toISOString().slice(0, 10);
    return history
      .charges(id, first, end)
      .filter(({ day }) => yesterday !== 'late' || day !== last)
      .map(({ day, amount, bonuses }) => {
        const isCorrected = yesterday === 'corrected' && day === last;
        const totalAmount = decimal(isCorrected ? (Number(amount) * 1.2).toFixed(2) : amount);
        return { day, totalAmount, totalBonuses: decimal(bonuses) };
      });
  };
  const answer = (query: Query): unknown => {
    const { id, product } = query;
    const given = overrides.get(id);
    if ((given?.product ?? productOf(id)) !== product) return null;
    if (query.field === 'reportSubscriptionConsuming') {
      const items = given?.items ?? itemsOf(query);
      return items === null ? null : { items };
    }
    if (given?.balance !== undefined) return given.balance;
    if (!productOf(id)) return null;
    const { balance, bonuses } = history.balance(id, now());
    return { balance: decimal(balance), bonuses: decimal(bonuses) };
  };

  const service = await startService<BillingRequest>({
    ...options,
    describe: toBillingRequest,
    async ordinary(asked, query) {
      const request = toBillingRequest(asked);
      const refused = rejectRequest(asked, request);
      if (refused) return refused;
      const asks = parseQuery(query ?? request.query);
      if (!asks)
        return jsonReply(400, { errors: [{ message: 'Only the two documented queries are allowed.' }] });
      return jsonReply(200, stringify({ data: { bill: { [asks.field]: answer(asks) } } }) ?? '');
    },
    modes: {
      ...commonModes(options.slowFor),
      refused: {
        label: 'Token rejected',
        hint: 'Rejects every token (401).',
        respond: () => jsonReply(401, { message: 'Unauthorized' }),
      },
      failing: {
        label: 'Server error',
        hint: 'Fails with an internal error (500).',
        respond: () => jsonReply(500, { message: 'Internal server error' }),
      },
      html: {
        label: 'A web page',
        hint: 'Returns 200 with HTML, like a login page or a proxy.',
        respond: () => htmlReply(200, 'Please sign in'),
      },
      'no-data': {
        label: 'No data',
        hint: 'Answers with null instead of data.',
        respond: ({ query }) => {
          const asks = parseQuery(query);
          return asks && jsonReply(200, { data: { bill: { [asks.field]: null } } });
        },
      },
      'late-day': {
        label: 'Yesterday is late',
        hint: 'Hasn’t reported yesterday yet. A daily post waits for it.',
        onChange: showing('late'),
      },
      'corrected-day': {
        label: 'Yesterday corrected',
        hint: 'Reports 20 % more for yesterday. Posts about it are corrected.',
        onChange: showing('corrected'),
      },
      burning: {
        label: 'Burning money',
        hint: `From now on, everything costs ${BURN_FACTOR} times as much.`,
        onChange: (isChosen) => history.setBurn(isChosen ? BURN_FACTOR : 1, now()),
      },
    },
  });
  return {
    ...service,
    tokens: TOKENS,
    projects: PROJECTS.map(({ id, product, name }) => ({ id, product, name })),
    /** @param json one object, `{"balance":…,"bonuses":…}`, or `null`; its digits are served as written */
    setBalance: (id: string, json: string, product?: ProductId) =>
      override(id, product, { balance: parse(json) }),
    /** @param json a list of `{"day":…,"totalAmount":…,"totalBonuses":…}` that is served for every period */
    setItems: (id: string, json: string, product?: ProductId) =>
      override(id, product, { items: parse(json) }),
  };
}

const productOf = (id: string): ProductId | undefined =>
  PROJECTS.find((project) => project.id === id)?.product;

function instant(text: string): number | undefined {
  const at = Date.parse(text);
  return TIMESTAMP.test(text) && !Number.isNaN(at) && new Date(at).toISOString() === text ? at : undefined;
}

function toBillingRequest({ at, headers, body, pause }: ServiceRequest): BillingRequest {
  const value = headers['x-user-token'];
  const known = TOKENS.find((token) => token.value === value)?.label ?? 'unknown';
  const { query } = parseObject(body);
  const token = value === undefined ? 'none' : known;
  return { at, pause, token, query: typeof query === 'string' ? query : body };
}

function rejectRequest(asked: ServiceRequest, { token }: BillingRequest): ServiceReply | undefined {
  const problem = (status: number, message: string) => jsonReply(status, { errors: [{ message }] });
  if (asked.path !== '/bill/graphql') return problem(404, 'Not found');
  if (asked.method !== 'POST') return problem(405, 'Only POST is allowed');
  const bearer = asked.headers.authorization !== undefined;
  if (bearer || ['none', 'unknown', EXPIRED].includes(token)) return problem(401, 'Unauthorized');
  if (!/^application\/json\b/i.test(asked.headers['content-type'] ?? ''))
    return problem(415, 'The body must be application/json');
  const fields = Object.keys(parseObject(asked.body)).join();
  return fields === 'query'
    ? undefined
    : problem(400, `The body must have only the field “query”, but has: ${fields}.`);
}
