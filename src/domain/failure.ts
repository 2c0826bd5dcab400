/**
 * Everything that can go wrong on the way from a command to its answer, one class a concern.
 * A class carries data; its constructor writes the sentence that says what happened. What to do about
 * it, and the button, is said in one place: `slack/failure-reply.ts`, an exhaustive switch over `kind`.
 *
 * Nothing secret and no body of a response ever goes into a failure: it is logged and shown.
 */

/** Which of the services a failure speaks of. */
export type Service = 'billing' | 'identity';

const NAMES: Record<Service, string> = { billing: 'The billing service', identity: 'The identity service' };

abstract class Base<K extends string> extends Error {
  readonly kind: K;
  constructor(kind: K, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.kind = kind;
    this.name = new.target.name;
  }
}

/** HTTP 401: the token is wrong, lapsed or withdrawn. */
export class TokenRejected extends Base<'token-rejected'> {
  constructor(readonly service: Service) {
    super('token-rejected', `${NAMES[service]} rejected the access token (HTTP 401).`);
  }
}

/** HTTP 403: the token is known and may not. */
export class Forbidden extends Base<'forbidden'> {
  constructor(readonly service: Service) {
    super('forbidden', `${NAMES[service]} does not let this access token read that (HTTP 403).`);
  }
}

/** A proper answer without data: wrong product, wrong project or wrong period; the contract does not tell which. */
export class NoData extends Base<'no-data'> {
  constructor(
    readonly project: string,
    readonly productName: string,
    readonly productId: 1 | 2 | 3,
  ) {
    super('no-data', `Project ${project} gave no data as ${productName} (${productId}).`);
  }
}

/** The service answered with GraphQL errors and no data. `messages` are the service's words: outside text. */
export class GraphqlErrors extends Base<'graphql-errors'> {
  constructor(
    readonly messages: readonly string[],
    readonly status: number,
  ) {
    super('graphql-errors', 'The billing service refused the question.');
  }
}

/** HTTP 429 that outlasted the retries. `retryAfter` in seconds, when the service said it. */
export class RateLimited extends Base<'rate-limited'> {
  constructor(
    readonly service: Service,
    readonly retryAfter?: number,
  ) {
    super('rate-limited', `${NAMES[service]} is being asked too often (HTTP 429).`);
  }
}

/** No whole answer within the deadline, `after` milliseconds. */
export class TimedOut extends Base<'timed-out'> {
  constructor(
    readonly service: Service,
    readonly after: number,
  ) {
    super('timed-out', `${NAMES[service]} did not answer within ${Math.round(after / 1000)} seconds.`);
  }
}

/** No connection, or one that broke: `code` is the system's (ECONNREFUSED, ECONNRESET, ENOTFOUND, CERT_…). */
export class Unreachable extends Base<'unreachable'> {
  constructor(
    readonly service: Service,
    readonly host: string,
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super('unreachable', `${NAMES[service]} at ${host} could not be reached (${code}).`, options);
  }
}

/** A status that is neither success nor one of the above: 5xx after the retries, or an undocumented 4xx. */
export class ServiceFailed extends Base<'service-failed'> {
  constructor(
    readonly service: Service,
    readonly status: number,
  ) {
    super('service-failed', `${NAMES[service]} answered with an error (HTTP ${status}).`);
  }
}

/** What counts as a service being down. */
export type Outage = ServiceFailed | TimedOut | Unreachable;

/** The breaker is open: the host failed so often in a row that it is left alone for a moment. */
export class ServicePaused extends Base<'service-paused'> {
  constructor(
    readonly service: Service,
    readonly host: string,
    last: Outage,
  ) {
    super(
      'service-paused',
      `${NAMES[service]} at ${host} failed many times in a row (last: ${inShort(last)}), so Tally leaves it alone for a few seconds.`,
      { cause: last },
    );
  }
}

function inShort(outage: Outage): string {
  switch (outage.kind) {
    case 'service-failed':
      return `HTTP ${outage.status}`;
    case 'timed-out':
      return `no whole answer within ${outage.after / 1000} seconds`;
    case 'unreachable':
      return outage.code;
  }
}

/** A success status with a body that is not the contract's: `what` says how it differs, in our words. */
export class Nonsense extends Base<'nonsense'> {
  /** The HTTP status, where that alone was nonsense already. */
  readonly status: number | undefined;
  constructor(
    readonly service: Service,
    readonly what: string,
    { status, ...options }: ErrorOptions & { readonly status?: number } = {},
  ) {
    super('nonsense', `${NAMES[service]} sent an answer that Tally cannot read: ${what}.`, options);
    this.status = status;
  }
}

/** The body passed the size limit, `limit` bytes. */
export class TooLarge extends Base<'too-large'> {
  constructor(
    readonly service: Service,
    readonly limit: number,
  ) {
    super(
      'too-large',
      `${NAMES[service]} sent more than ${Math.round(limit / 1024 / 1024)} MB; Tally stopped reading.`,
    );
  }
}

/** A redirect is reported, never followed: the token would go with it. `target` is the Location's origin and path. */
export class Redirected extends Base<'redirected'> {
  constructor(
    readonly service: Service,
    readonly status: number,
    readonly target: string,
  ) {
    super(
      'redirected',
      `${NAMES[service]} redirects elsewhere (HTTP ${status}). Tally does not follow, because the token would go along.`,
    );
  }
}

/** The identity service refused an application access (401), or what it asked for (403). It does not tell why. */
export class AccessRefused extends Base<'access-refused'> {
  constructor(readonly status: 401 | 403) {
    super('access-refused', `The identity service refused the application access (HTTP ${status}).`);
  }
}

/** HTTP 404 that names an application credential: the ID is wrong, or the access was deleted. */
export class AccessUnknown extends Base<'access-unknown'> {
  constructor() {
    super('access-unknown', 'The identity service does not know that application access (HTTP 404).');
  }
}

/** Another 404 of the identity API itself: the project of an application access is disabled or gone. */
export class ProjectDisabled extends Base<'project-disabled'> {
  constructor() {
    super(
      'project-disabled',
      'The identity service issues no token for the project of that access (HTTP 404).',
    );
  }
}

/** Something answers at the address, and it is not the identity API. `suggestion` is an address that may be. */
export class WrongAddress extends Base<'wrong-address'> {
  constructor(
    readonly host: string,
    readonly status: number,
    readonly suggestion?: string,
  ) {
    super('wrong-address', `That address at ${host} is not that of an identity service (HTTP ${status}).`);
  }
}

/** A token was asked for and no answer came, so it may have been issued: to nobody, as its value was in the answer. */
export class OutcomeUnclear extends Base<'outcome-unclear'> {
  constructor(
    readonly host: string,
    options?: ErrorOptions,
  ) {
    super(
      'outcome-unclear',
      `The identity service at ${host} was asked for a token and its answer never came.`,
      options,
    );
  }
}

/** The address rules refuse this base URL or what its name resolves to. `why` completes "…: it ". */
export class AddressRefused extends Base<'address-refused'> {
  constructor(
    readonly host: string,
    readonly why: string,
  ) {
    super('address-refused', `Tally does not connect to ${host}: it ${why}.`);
  }
}

/** A word that cannot be taken. `suggestion` is the whole text corrected, ready to run again. */
export class WordRefused extends Base<'word-refused'> {
  constructor(
    readonly word: string,
    readonly why: string,
    readonly works: string,
    readonly suggestion?: string,
  ) {
    super('word-refused', `“${word}” ${why}. ${works}`);
  }
}

/** Something in the command looks like a secret. It is not carried here, so that it can't be repeated. */
export class SecretPasted extends Base<'secret-pasted'> {
  constructor() {
    super('secret-pasted', 'That looks like a token or a password. Tally did not store, log or repeat it.');
  }
}

/** A period without length yet: `today` at the first millisecond of the day. */
export class JustBegun extends Base<'just-begun'> {
  constructor(readonly phrase: string) {
    super('just-begun', `“${phrase}” has only just begun: there is nothing to ask about yet.`);
  }
}

/** The command needs a project and none was named. */
export class ProjectMissing extends Base<'project-missing'> {
  constructor() {
    super('project-missing', 'Which project?');
  }
}

/** Nobody has registered a token in this workspace yet. */
export class NotConnected extends Base<'not-connected'> {
  constructor() {
    super('not-connected', 'Tally is not connected to a billing service yet.');
  }
}

/** The connection that a project names is gone; without a name: several are there and none is the default. */
export class ConnectionMissing extends Base<'connection-missing'> {
  constructor(readonly connection?: string) {
    super(
      'connection-missing',
      connection === undefined
        ? 'There are several connections, and none of them is the default.'
        : `There is no connection named ${connection}.`,
    );
  }
}

/** The rights do not allow it. */
export class NotAllowed extends Base<'not-allowed'> {
  constructor(
    readonly reason: 'guest' | 'stranger' | 'not-member' | 'not-manager' | 'not-owner' | 'channel',
  ) {
    super(
      'not-allowed',
      {
        guest: 'Guests of this workspace cannot ask Tally.',
        stranger: 'Tally answers members of the workspace that installed it.',
        'not-member': 'Only full members of this workspace can set up what Tally posts.',
        'not-owner': 'Only its owner, and those who manage Tally, can do that.',
        'not-manager': 'Only owners and admins of this workspace, and people they named, can do that.',
        channel: 'This project can only be asked about in certain channels.',
      }[reason],
    );
  }
}

/** No application access is registered for the project, so nothing can be issued for it. */
export class AccessMissing extends Base<'access-missing'> {
  /** @param project its ID; @param label how it is called */
  constructor(
    readonly project: string,
    readonly label: string,
  ) {
    super(
      'access-missing',
      `No application access is registered for ${label}, so no OS_TOKEN can be issued.`,
    );
  }
}

/** Tokens are issued to those alone who were named for the project, whatever else they may do. */
export class NotIssuer extends Base<'not-issuer'> {
  constructor(readonly label: string) {
    super('not-issuer', `You are not among those who may have tokens issued for ${label}.`);
  }
}

/** More tokens in a short time than one person gets. `wait` in ms until the next one. */
export class TokensTooMany extends Base<'tokens-too-many'> {
  constructor(
    readonly most: number,
    readonly minutes: number,
    readonly wait: number,
  ) {
    super('tokens-too-many', `${most} tokens in ${minutes} minutes is the most for one person.`);
  }
}

/** A token that Slack would not show in one piece, `length` characters. */
export class TokenTooLong extends Base<'token-too-long'> {
  constructor(readonly length: number) {
    super(
      'token-too-long',
      `The identity service issued a token of ${length} characters, more than Slack shows in one piece.`,
    );
  }
}
/** What may stand in the store, each with what people call it. */
const STORED = {
  'billing-token': 'access token',
  'application-access': 'application access',
  'slack-installation': 'installation of Tally',
  project: 'project',
  record: 'record',
} as const;
type Stored = keyof typeof STORED;

/** A sealed record cannot be opened: unknown key id, tampered with, or moved from elsewhere. Never guessed at. */
export class SealBroken extends Base<'seal-broken'> {
  readonly what: Stored;

  /**
   * @param keyId the name of an unknown key, for operators
   * @param kind of whatever it is
   */
  constructor(
    readonly reason: 'unknown-key' | 'not-authentic' | 'malformed',
    readonly keyId?: string,
    kind: string = 'record',
  ) {
    const what = Object.hasOwn(STORED, kind) ? (kind as Stored) : 'record';
    super('seal-broken', `The stored ${STORED[what]} cannot be ${what === 'project' ? 'read' : 'opened'}.`);
    this.what = what;
  }
}

/** The stored settings cannot be read: days guessed at would be wrong sums, and rights guessed at would be wrong too. */
export class SettingsDamaged extends Base<'settings-damaged'> {
  constructor() {
    super('settings-damaged', 'The stored settings of this workspace are damaged.');
  }
}

/** Somebody else changed the same thing between the look and the change. @param now in a sentence what is there now */
export class ChangedMeanwhile extends Base<'changed-meanwhile'> {
  constructor(readonly now: string) {
    super('changed-meanwhile', `Somebody else was quicker. ${now}`);
  }
}

/** Redis does not answer. @param unsure whether something may have been changed all the same: its answer was lost */
export class StoreUnreachable extends Base<'store-unreachable'> {
  constructor(
    options?: ErrorOptions,
    readonly unsure: boolean = false,
  ) {
    super('store-unreachable', 'Tally cannot reach its own store right now.', options);
  }
}

/**
 * Slack's Web API does not answer or refuses: `code` is Slack's (`missing_scope`, `ratelimited`, …) or the system's.
 * `retryAfter` in seconds, where Slack said 429.
 */
export class SlackFailed extends Base<'slack-failed'> {
  readonly retryAfter?: number;
  constructor(
    readonly method: string,
    readonly code: string,
    { retryAfter, ...options }: ErrorOptions & { readonly retryAfter?: number | undefined } = {},
  ) {
    super('slack-failed', `Slack did not answer ${method} (${code}).`, options);
    if (retryAfter !== undefined) this.retryAfter = retryAfter;
  }
}

/** Slack's requests come, and there is no installation to answer them with, or Slack took its token back. */
export class NotInstalled extends Base<'not-installed'> {
  constructor(readonly reason: 'unknown' | 'lapsed') {
    super(
      'not-installed',
      {
        unknown: 'Tally does not know that it is installed in this workspace.',
        lapsed: 'Slack no longer accepts Tally’s access to this workspace.',
      }[reason],
    );
  }
}

/** Slack does not let Tally post in a channel. */
export class CannotPost extends Base<'cannot-post'> {
  constructor(readonly reason: 'not-there' | 'archived' | 'restricted') {
    super(
      'cannot-post',
      {
        'not-there': 'Tally is not in that channel, so it cannot answer there.',
        archived: 'That channel is archived, so nobody can answer there.',
        restricted: 'That channel lets only some people post, so Tally cannot answer there.',
      }[reason],
    );
  }
}

export type Failure =
  | TokenRejected
  | Forbidden
  | NoData
  | GraphqlErrors
  | RateLimited
  | TimedOut
  | Unreachable
  | ServiceFailed
  | ServicePaused
  | Nonsense
  | TooLarge
  | Redirected
  | AccessRefused
  | AccessUnknown
  | ProjectDisabled
  | WrongAddress
  | OutcomeUnclear
  | AddressRefused
  | WordRefused
  | SecretPasted
  | JustBegun
  | ProjectMissing
  | NotConnected
  | ConnectionMissing
  | NotAllowed
  | AccessMissing
  | NotIssuer
  | TokensTooMany
  | TokenTooLong
  | SealBroken
  | SettingsDamaged
  | ChangedMeanwhile
  | StoreUnreachable
  | SlackFailed
  | NotInstalled
  | CannotPost;

export function isFailure(error: unknown): error is Failure {
  return error instanceof Base;
}
