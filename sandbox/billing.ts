/**
 * A fake billing service: the contract's GraphQL interface over simulated usage. It rejects what the contract
 * does not allow, and has a mode for everything that can go wrong.
 */
import { stringify } from 'lossless-json';
import { createAnswers } from './billing/answers.ts';
import { type BillingStyle, billingModes, DEFAULT_BILLING_STYLE } from './billing/modes.ts';
import { PROJECTS, type ProductId, type Project } from './billing/projects.ts';
import { executeQuery } from './billing/schema.ts';
import {
  jsonReply,
  maskHeaders,
  parseJson,
  type ServiceAnswer,
  type ServiceOptions,
  type ServiceReply,
  type ServiceRequest,
  startService,
} from './fake-service.ts';
import { createModeSwitch } from './modes.ts';
import type { Switch } from './protocol.ts';

interface BillingRequest {
  at: number;
  /** Without the values of authorization headers. */
  headers: Record<string, string>;
  /** The label of the token in the request, `unknown`, or `none`. */
  token: string;
  /** The GraphQL document; the whole body when it has none. */
  query: string;
}

/** Replaces the whole answer, authorization included, unless it returns undefined. */
type Responder = (request: BillingRequest) => ServiceAnswer | undefined | Promise<ServiceAnswer | undefined>;

export interface BillingOptions extends ServiceOptions {
  respond?: Responder;
}

export interface BillingService {
  /** The base URL, without `/bill/graphql`. */
  url: string;
  mode(): string;
  setMode(mode: string): void;
  modes: Switch['modes'];
  tokens: { label: string; value: string }[];
  projects: Project[];
  requests: readonly BillingRequest[];
  /** Raw JSON of one object, `{"balance":…,"bonuses":…}`, or `null`; digits are served as written. */
  setBalance(projectId: string, json: string, product?: ProductId): void;
  /** Raw JSON of a list of `{"day":…,"totalAmount":…,"totalBonuses":…}`, served for every period. */
  setItems(projectId: string, json: string, product?: ProductId): void;
  respond(responder: Responder | undefined): void;
  close(): Promise<void>;
}

const EXPIRED = 'Expired';
const TOKENS = ['Administrator', 'Read-only', 'Accountant', 'Engineer', EXPIRED].map((label) => ({
  label,
  value: `sandbox-user-token-${label.toLowerCase()}-not-a-secret`,
}));

export async function startBilling(options: BillingOptions = {}): Promise<BillingService> {
  const now = options.now ?? Date.now;
  const answers = createAnswers(now);
  const requests: BillingRequest[] = [];
  const { behaviour, ...modeSwitch } = createModeSwitch(
    'billing',
    billingModes(options.slowFor ?? 4_000, answers.money),
  );
  let respond = options.respond;

  async function answer(asked: ServiceRequest): Promise<ServiceAnswer> {
    const request = toBillingRequest(asked);
    requests.push(request);
    const overridden = await respond?.(request);
    if (overridden) return overridden;
    return behaviour()(asked, (style) =>
      normalAnswer(asked, request, { ...DEFAULT_BILLING_STYLE, ...style }),
    );
  }

  async function normalAnswer(
    asked: ServiceRequest,
    request: BillingRequest,
    style: BillingStyle,
  ): Promise<ServiceReply> {
    const refused = rejectRequest(asked, request);
    if (refused) return refused;
    const bodyProblem = problemOfBody(asked.body);
    if (bodyProblem) return problem(400, bodyProblem);
    const { status, body } = await executeQuery(request.query, answers.source(style));
    return jsonReply(status, stringify(body) ?? '');
  }

  const server = await startService({
    direction: 'bot→billing',
    port: options.port ?? 0,
    now,
    answer,
    onExchange: options.onExchange,
  });
  return {
    ...server,
    ...modeSwitch,
    tokens: TOKENS,
    projects: PROJECTS.map(({ id, product, name }) => ({ id, product, name })),
    requests,
    setBalance: answers.setBalance,
    setItems: answers.setItems,
    respond(responder) {
      respond = responder;
    },
  };
}

function toBillingRequest({ at, headers, body }: ServiceRequest): BillingRequest {
  const value = headers['x-user-token'];
  const known = TOKENS.find((token) => token.value === value)?.label ?? 'unknown';
  const { query } = objectIn(body);
  return {
    at,
    headers: maskHeaders(headers),
    token: value === undefined ? 'none' : known,
    query: typeof query === 'string' ? query : body,
  };
}

function rejectRequest(asked: ServiceRequest, { token }: BillingRequest): ServiceReply | undefined {
  if (asked.path !== '/bill/graphql') return problem(404, 'Not found');
  if (asked.method !== 'POST') return problem(405, 'Only POST is allowed', { Allow: 'POST' });
  const bearer = asked.headers.authorization !== undefined;
  if (bearer || ['none', 'unknown', EXPIRED].includes(token)) return problem(401, 'Unauthorized');
  const isJson = /^application\/json\b/i.test(asked.headers['content-type'] ?? '');
  return isJson ? undefined : problem(415, 'The body must be application/json');
}

/** The contract's body has one field, `query`. */
function problemOfBody(body: string): string | undefined {
  const keys = Object.keys(objectIn(body));
  if (!keys.includes('query')) return 'The body has no query.';
  const others = keys.filter((key) => key !== 'query');
  return others.length > 0 ? `The body has unknown fields: ${others.join(', ')}.` : undefined;
}

function objectIn(body: string): Record<string, unknown> {
  const value = parseJson(body);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function problem(status: number, message: string, headers: Record<string, string> = {}): ServiceReply {
  return jsonReply(status, JSON.stringify({ errors: [{ message }] }), headers);
}
