/** Failures of the billing and identity services. */
import { PRODUCTS, type ProductId } from '../product.ts';
import { formatRequestedDays, type Millis, type RequestedDays } from '../time/calendar.ts';
import { FailureBase } from './base.ts';

/**
 * The service that a failure is about. Its `detail` has the host and the technical cause: for managers, the operator and
 * the log, as members cannot do anything with them.
 */
export type Service = 'billing' | 'identity';

const NAMES: Record<Service, string> = {
  billing: 'The billing service',
  identity: 'The identity service',
};

/** HTTP 401: the token is wrong, expired or revoked. */
export class TokenRejected extends FailureBase<'token-rejected'> {
  override readonly summary = 'token rejected';
  constructor(readonly service: Service) {
    super('token-rejected', `${NAMES[service]} rejected the access token (HTTP 401).`);
  }
}

/** HTTP 403: the token is valid but lacks the permission. */
export class Forbidden extends FailureBase<'forbidden'> {
  override readonly summary = 'access refused';
  constructor(readonly service: Service) {
    super('forbidden', `${NAMES[service]} refused this access token (HTTP 403).`);
  }
}

/** What the billing service was asked about. */
export interface BillingQuestion {
  /** 1 to 32 digits */
  readonly project: string;
  readonly product: ProductId;
  /** Undefined for a balance. */
  readonly days: RequestedDays | undefined;
}

const projectAndDays = ({ project, days }: BillingQuestion): readonly string[] => [
  `project ${project}`,
  ...(days === undefined ? [] : [formatRequestedDays(days)]),
];

/** A proper answer without data: wrong product, wrong project or wrong period; the contract does not tell which. */
export class NoData extends FailureBase<'no-data'> {
  override readonly summary = 'no data';
  constructor(readonly question: BillingQuestion) {
    const product = PRODUCTS[question.product].name;
    super('no-data', `No ${product} data for ${projectAndDays(question).join(', ')}.`);
  }
}

/** The service answered with GraphQL errors and no data. `messages` are the service's words: outside text. */
export class QueryRejected extends FailureBase<'query-rejected'> {
  override readonly summary = 'query rejected';
  constructor(
    readonly messages: readonly string[],
    readonly status: number,
    readonly question: BillingQuestion,
  ) {
    const about = [PRODUCTS[question.product].name, ...projectAndDays(question)];
    super('query-rejected', `The billing service rejected the query for ${about.join(', ')}.`);
  }
}

/** HTTP 429 that outlasted the retries. `retryAfter` in seconds, if the service said it. */
export class RateLimited extends FailureBase<'rate-limited'> {
  override readonly summary = 'rate limited';
  constructor(
    readonly service: Service,
    readonly retryAfter?: number,
  ) {
    super('rate-limited', `${NAMES[service]} is limiting Tally’s requests (HTTP 429).`);
  }
}

/** The answer was not complete within the deadline of `after` milliseconds. */
export class TimedOut extends FailureBase<'timed-out'> {
  constructor(
    readonly service: Service,
    readonly after: Millis,
  ) {
    super('timed-out', `${NAMES[service]} didn’t answer within ${Math.round(after / 1000)} seconds.`);
  }
}

/** One code for unknown names and for private addresses, so that private names cannot be discovered. */
export const NO_PUBLIC_ADDRESS = 'no public address';

/**
 * No connection, or one that broke: `code` is the system's (ECONNREFUSED, ECONNRESET, CERT_…, of a trusted host ENOTFOUND
 * too) or `NO_PUBLIC_ADDRESS`.
 */
export class ServiceUnreachable extends FailureBase<'service-unreachable'> {
  /** There was a connection: the service may have received the request. */
  readonly isClosed: boolean;
  constructor(
    readonly service: Service,
    readonly host: string,
    readonly code: string,
    options?: ErrorOptions,
  ) {
    const isClosed = CLOSED_CODES.has(code);
    const what = isClosed ? 'closed the connection' : 'couldn’t be reached';
    super('service-unreachable', `${NAMES[service]} ${what}.`, options);
    this.isClosed = isClosed;
  }

  get detail(): string {
    return `${this.host} (${this.code})`;
  }
}

const CLOSED_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE']);

/** A status that is neither success nor one of the above: 5xx after the retries, or an undocumented 4xx. */
export class ServiceFailed extends FailureBase<'service-failed'> {
  override readonly summary = 'service error';
  constructor(
    readonly service: Service,
    readonly status: number,
  ) {
    super('service-failed', `${NAMES[service]} returned an error (HTTP ${status}).`);
  }
}

/** Too many requests wait for a connection to the service, or this one waited too long. */
export class QueueFull extends FailureBase<'queue-full'> {
  constructor(readonly service: Service) {
    super('queue-full', `Too many requests are waiting for ${NAMES[service].replace('The', 'the')}.`);
  }
}

/** What an {@link InvalidResponse} is if its end is missing: not a wrong address, so asking again may help. */
export const BROKEN_OFF = 'it broke off in the middle';

/** A success status with a body that is not the contract's: `what` says how it differs, in our words. */
export class InvalidResponse extends FailureBase<'invalid-response'> {
  override readonly summary = 'unreadable answer';
  /** The HTTP status, if that was the invalid part. */
  readonly status: number | undefined;
  constructor(
    readonly service: Service,
    readonly what: string,
    { status, ...options }: ErrorOptions & { readonly status?: number } = {},
  ) {
    super('invalid-response', `${NAMES[service]} sent a response that Tally can’t read: ${what}.`, options);
    this.status = status;
  }
}

/** The answer is larger than any that was asked for: more than `limit` bytes, or items in a list. */
export class ResponseTooLarge extends FailureBase<'response-too-large'> {
  override readonly summary = 'answer too large';
  constructor(
    readonly service: Service,
    readonly limit: number,
    readonly unit: 'bytes' | 'items' = 'bytes',
  ) {
    const most =
      unit === 'bytes' ? `${Math.round(limit / 1024)} KB` : `${limit.toLocaleString('en-US')} ${unit}`;
    super('response-too-large', `${NAMES[service]} sent more than ${most}, far more than Tally asked for.`);
  }
}

/** A redirect is reported, never followed, as it would pass on the token. `target` is the Location's origin and path. */
export class RedirectRefused extends FailureBase<'redirect-refused'> {
  override readonly summary = 'redirected';
  constructor(
    readonly service: Service,
    readonly status: number,
    readonly target: string,
  ) {
    super(
      'redirect-refused',
      `${NAMES[service]} redirects (HTTP ${status}). Tally doesn’t follow, to protect the token.`,
    );
  }
}

/** The address rules refuse this base URL or what its name resolves to. `why` completes "…: it ". */
export class AddressRefused extends FailureBase<'address-refused'> {
  override readonly summary = 'address refused';
  constructor(
    readonly host: string,
    readonly why: string,
  ) {
    super('address-refused', `Tally doesn’t connect to ${host}: it ${why}.`);
  }
}
