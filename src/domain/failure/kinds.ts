/**
 * Everything that can go wrong on the way from a command to its answer: each kind with its data and the sentence that says
 * what happened. The compiler then asks what to do about it, with its button: `slack/error-messages/`.
 *
 * Nothing secret and no body of a response ever goes into a failure: it is logged, shown and stored.
 */
import * as z from 'zod';
import { pluralize } from '../language/text.ts';
import { PRODUCT_IDS, PRODUCTS } from '../product.ts';
import { formatRatePeriod, type Rate } from '../rate-limits.ts';
import type { SlackId } from '../slack-id.ts';
import { type Day, formatRequestedDays, type Millis } from '../time/calendar.ts';

/** What depends on the kind alone. */
interface Traits {
  /** The sentence in two or three words, for a cell of a table. */
  readonly summary?: string;
  /** What fixes it when billing gives no answer about a project; absent if the failure is not about the project. */
  readonly remedy?: 'project' | 'token' | 'address' | 'patience';
}

export interface Kind<Data = object> extends Traits {
  /** What happened. @param today the reader's, when it was stored: days of its year are named without the year */
  says(data: Data, today?: Day): string;
  /** Reads stored data and leaves out what is not stored. Absent for what only a person’s own request meets. */
  readonly schema?: z.ZodType<object>;
}

/** What is a host, names people, or was written by a person or a service: records do not have it. */
const unstored = <T>() =>
  z
    .custom<T>()
    .transform(forget<T>)
    .optional() as z.ZodType<T | undefined, T>;
const forget = <T>(_: T): T | undefined => undefined;

type DataIn<Shape extends z.ZodRawShape> = Readonly<z.input<z.ZodObject<Shape>>>;

/** A kind that may be stored. What it says must not need the `unstored` fields: they are missing when it is read. */
const stored = <Shape extends z.ZodRawShape>(shape: Shape, traits: Traits = {}) => ({
  says: (says: (data: z.output<z.ZodObject<Shape>>, today?: Day) => string): Kind<DataIn<Shape>> => ({
    ...traits,
    schema: z.object(shape),
    says: says as Kind<DataIn<Shape>>['says'],
  }),
});

/** A kind that only a person’s own request meets: nothing is stored of it but the kind. */
const ofRequest = <Data extends object = Record<never, never>>(
  says: string | ((data: Readonly<Data>) => string),
): Kind<Readonly<Data>> => ({ says: typeof says === 'string' ? () => says : says });

/** A kind that may be stored and has a sentence for each of its reasons. */
const reasons = <Reason extends string>(sentences: Readonly<Record<Reason, string>>) =>
  stored({ reason: z.enum(Object.keys(sentences) as Reason[]) }).says(({ reason }) => sentences[reason]);

/** The service that a failure is about. */
export type Service = keyof typeof NAMES;
const NAMES = { billing: 'The billing service', identity: 'The identity service' };
const service = z.enum(['billing', 'identity']);
const status = z.int();
const host = unstored<string>();
/** In seconds, if the service or Slack said it. */
const retryAfter = unstored<number | undefined>().optional();

/** What the billing service was asked about. */
export type BillingQuestion = Readonly<z.input<typeof question>>;
const question = z.object({
  /** 1 to 32 digits */
  project: z.string(),
  product: z.literal(PRODUCT_IDS),
  /** Absent for a balance. */
  days: z
    .object({ first: z.iso.date(), last: z.iso.date(), today: unstored<Day | undefined>().optional() })
    .optional(),
});
const productOf = ({ product }: BillingQuestion): string => PRODUCTS[product].name;
const projectAndDays = ({ project, days }: BillingQuestion, today: Day | undefined): string =>
  `project ${project}${days === undefined ? '' : `, ${formatRequestedDays({ ...days, today: days.today ?? today })}`}`;

/** One code for unknown names and for private addresses, so that private names cannot be discovered. */
export const NO_PUBLIC_ADDRESS = 'no public address';
/** What an `invalid-response` is if its end is missing: not a wrong address, so asking again may help. */
export const BROKEN_OFF = 'it broke off in the middle';

/** Codes of Slack's SDK or the system when no answer came at all. */
const SILENT = /^(?:request_error|http_error|failed|E[A-Z]+)$/;

/** The kinds of sealed records by their names in messages. */
const RECORDS: ReadonlyMap<string | undefined, string> = new Map([
  ['billing-token', 'access token'],
  ['application-access', 'application access'],
  ['slack-installation', 'installation of Tally'],
  ['project', 'project'],
]);

/** What became of a token that was issued and not shown. */
export interface UnshownToken {
  state: 'revoked' | 'not-revoked' | 'unclear';
  /** A text that says when it expires. */
  until: string;
  /** Whether it is in the audit; `maybe` when the answer to writing it was lost. */
  audit: 'yes' | 'maybe' | 'no';
}

export const KINDS = {
  // What a command names, and whether its sender may ask that now.
  /** Always an `InvalidWord`. */
  'invalid-word': ofRequest(({ sentence }: { sentence: string }) => sentence),
  'text-too-long': ofRequest(
    ({ most }: { most: number }) =>
      `That text is too long. Tally reads up to ${most.toLocaleString('en-US')} characters.`,
  ),
  /** Something in the command looks like a secret. The failure does not contain it, so that it can't be repeated. */
  'secret-pasted': ofRequest('That looks like a token or a password. Tally didn’t store, log or repeat it.'),
  /** A period without length yet: `today` at the first millisecond of the day. */
  'period-just-began': ofRequest(
    ({ phrase }: { phrase: string }) => `“${phrase}” has only just begun: there is nothing to ask about yet.`,
  ),
  /** `projectFor`: the command's text before the project, if a project is all it needs: `projects edit`. */
  'project-missing': ofRequest((_: { projectFor?: string | undefined }) => 'Which project?'),
  'not-connected': stored({}, { summary: 'not connected' }).says(
    () => 'Tally isn’t connected to a billing service yet.',
  ),
  /** The connection that `project` names is gone; without a name: several are there and none is the default. */
  'connection-missing': stored(
    {
      connection: z.string().optional(),
      project: z.object({ label: z.string(), alias: z.string().optional() }).optional(),
    },
    { summary: 'not connected' },
  ).says(({ connection: name, project }) => {
    if (name !== undefined && project !== undefined)
      return `The connection “${name}”, which ${project.label} uses, no longer exists.`;
    if (name !== undefined) return `There is no connection named ${name}.`;
    const needed = project && ` ${project.label} needs one.`;
    return `There are several connections, and none of them is the default.${needed ?? ''}`;
  }),
  /** `managers`: who may, for `not-manager`; `owned`: what is somebody else's, and what was to be done: `pause abcd1234`. */
  'not-allowed': stored(
    {
      reason: z.enum(['guest', 'external', 'not-member', 'not-owner', 'not-manager', 'channel']),
      managers: unstored<readonly SlackId[]>().optional(),
      owned: unstored<{ readonly plural: 'schedules' | 'watches'; readonly text: string }>().optional(),
    },
    { summary: 'not allowed here' },
  ).says(({ reason }) => {
    const sentences = {
      guest: 'Guests can’t use Tally in this workspace.',
      external: 'Tally only answers members of the workspace that installed it.',
      'not-member': 'Only full members of this workspace can set up schedules and watches.',
      'not-owner': 'Only its owner or a Tally manager can do this.',
      'not-manager': 'Only Tally managers can do this.',
      channel: 'This project is limited to certain channels.',
    };
    return sentences[reason];
  }),
  'not-issuer': ofRequest(({ label }: { label: string }) => `You can’t get tokens for ${label}.`),
  /** More than one person, or all of a workspace, may ask in a short time. `doing` completes "You're …". */
  throttled: ofRequest(
    ({ whose, doing }: { whose: 'person' | 'workspace'; doing: string; wait: Millis }) =>
      `${whose === 'person' ? 'You’re' : 'Your workspace is'} ${doing}.`,
  ),

  // What a service answers, or doesn't.
  'token-rejected': stored({ service }, { summary: 'token rejected', remedy: 'token' }).says(
    ({ service }) => `${NAMES[service]} rejected the access token (HTTP 401).`,
  ),
  forbidden: stored({ service }, { summary: 'access refused', remedy: 'token' }).says(
    ({ service }) => `${NAMES[service]} refused this access token (HTTP 403).`,
  ),
  /** A proper answer without data: wrong product, wrong project or wrong period; the contract does not tell which. */
  'no-data': stored({ question }, { summary: 'no data', remedy: 'project' }).says(
    ({ question }, today) => `No ${productOf(question)} data for ${projectAndDays(question, today)}.`,
  ),
  /** The service answered with GraphQL errors and no data. `messages` are the service's words: outside text. */
  'query-rejected': stored(
    { question, status, messages: unstored<readonly string[]>() },
    { summary: 'query rejected', remedy: 'project' },
  ).says(
    ({ question }, today) =>
      `The billing service rejected the query for ${productOf(question)}, ${projectAndDays(question, today)}.`,
  ),
  'rate-limited': stored({ service, retryAfter }, { summary: 'rate limited', remedy: 'patience' }).says(
    ({ service }) => `${NAMES[service]} is limiting Tally’s requests (HTTP 429).`,
  ),
  /** The answer was not complete within the deadline of `after` milliseconds. */
  'timed-out': stored({ service, after: z.number() }, { remedy: 'patience' }).says(
    ({ service, after }) => `${NAMES[service]} didn’t answer within ${Math.round(after / 1000)} seconds.`,
  ),
  /** `code` is the system's, or `NO_PUBLIC_ADDRESS`. `isClosed`: the service may have received the request. */
  'service-unreachable': stored(
    { service, code: z.string(), isClosed: z.boolean(), host },
    { remedy: 'address' },
  ).says(
    ({ service, isClosed }) =>
      `${NAMES[service]} ${isClosed ? 'closed the connection' : 'couldn’t be reached'}.`,
  ),
  /** A status that is neither success nor one of the above: 5xx after the retries, or an undocumented 4xx. */
  'service-failed': stored({ service, status }, { summary: 'service error', remedy: 'patience' }).says(
    ({ service, status }) => `${NAMES[service]} returned an error (HTTP ${status}).`,
  ),
  'queue-full': stored({ service }).says(
    ({ service }) => `Too many requests are waiting for ${NAMES[service].replace('The', 'the')}.`,
  ),
  /** `what`, in our words: how the body differs from the contract's; or a `status` that no answer should have. */
  'invalid-response': stored(
    { service, what: z.string(), status: unstored<number>().optional() },
    { summary: 'unreadable answer', remedy: 'address' },
  ).says(({ service, what }) => `${NAMES[service]} sent a response that Tally can’t read: ${what}.`),
  'response-too-large': stored(
    { service, limit: z.int(), unit: z.enum(['bytes', 'items']) },
    { summary: 'answer too large', remedy: 'patience' },
  ).says(({ service, limit, unit }) => {
    const most =
      unit === 'bytes' ? `${Math.round(limit / 1024)} KB` : `${limit.toLocaleString('en-US')} items`;
    return `${NAMES[service]} sent more than ${most}, far more than Tally asked for.`;
  }),
  /** Never followed, as it would pass on the token. `target` is the Location's origin and path. */
  'redirect-refused': stored(
    { service, status, target: unstored<string>() },
    { summary: 'redirected', remedy: 'address' },
  ).says(
    ({ service, status }) =>
      `${NAMES[service]} redirects (HTTP ${status}). Tally doesn’t follow, to protect the token.`,
  ),
  /** The address rules refuse this base URL or what its name resolves to. `why` completes "…: it ". */
  'address-refused': stored(
    { why: z.string(), host },
    { summary: 'address refused', remedy: 'address' },
  ).says(({ host = 'the service’s address', why }) => `Tally doesn’t connect to ${host}: it ${why}.`),

  // The identity service alone, and the tokens that it issues.
  /** An application access is refused (401), or what it asked for (403). The service does not tell why. */
  'access-refused': ofRequest(
    ({ status }: { status: 401 | 403 }) =>
      `The identity service refused the application access (HTTP ${status}).`,
  ),
  /** A 404 that names an application credential: the ID is wrong, or the access was deleted. */
  'access-not-found': ofRequest('The identity service doesn’t know that application access (HTTP 404).'),
  /** Another 404 of the identity API itself: the project of an application access is disabled or gone. */
  'project-disabled': ofRequest('The identity service won’t issue a token for that project (HTTP 404).'),
  /** Something answers at the address, and it is not the identity API. `suggestion` is an address that may be. */
  'wrong-identity-url': ofRequest(
    ({ status }: { host: string; status: number; suggestion?: string | undefined }) =>
      `The address isn’t an identity service (HTTP ${status}).`,
  ),
  /** The answer to a token request was lost. A token may exist, but nobody knows its value. */
  'outcome-unclear': ofRequest(
    (_: { host: string }) => 'The identity service may have issued a token, but its answer got lost.',
  ),
  'access-missing': ofRequest(
    ({ label }: { project: string; label: string }) =>
      `${label} has no application access, so Tally can’t issue an OS_TOKEN.`,
  ),
  'too-many-tokens': ofRequest(
    ({ limit: { most, per } }: { limit: Rate; wait: Millis }) =>
      `You’ve reached the limit of ${pluralize(most, 'token')} in ${formatRatePeriod(per)}.`,
  ),
  /** A token was issued, and nobody got it. `why`: a sentence about the cause, if there is one. */
  'token-not-shown': ofRequest(
    ({ label }: { label: string; why: string | undefined; token: UnshownToken }) =>
      `Tally got a token for ${label}, but couldn’t show it.`,
  ),

  // What Slack refuses.
  /**
   * `code` is Slack's (`missing_scope`, `ratelimited`, …) or the system's. `unclear` if the call went out and no answer
   * came: Slack may have done what it was asked.
   */
  'slack-failed': stored({
    ...{ method: z.string(), code: z.string(), retryAfter, unclear: unstored<boolean>().optional() },
  }).says(({ method, code }) => {
    if (code === 'ratelimited') return 'Slack asked Tally to slow down (rate limit).';
    const what = SILENT.test(code) ? 'didn’t answer' : 'returned an error for';
    return `Slack ${what} ${method} (${code}).`;
  }),
  'not-installed': reasons({
    unknown: 'Tally isn’t installed in this workspace.',
    expired: 'Slack no longer accepts Tally’s token for this workspace.',
  }),
  'cannot-post': reasons({
    'not-there': 'Tally isn’t in that channel, so it can’t post there.',
    archived: 'That channel is archived, so nobody can post there.',
    restricted: 'Only some people can post in that channel, so Tally can’t.',
  }),
  /** Something that Tally sends by itself did not go out: in sentences about a post rather than about an answer. */
  'not-sent': reasons({
    'channel-archived': 'The channel is archived.',
    'not-in-channel': 'Tally isn’t in the channel.',
    'channel-restricted': 'Tally isn’t allowed to post in the channel.',
    'slack-token-rejected': 'Slack rejected Tally’s token.',
    'post-unconfirmed': 'Slack didn’t confirm the post.',
    'message-unconfirmed': 'Slack didn’t confirm the message; it may have arrived.',
    'schedule-changed': 'The schedule was changed or paused before this was posted.',
    'person-left': 'This person is no longer a full member of the workspace.',
    'person-not-manager': 'The project is limited to certain channels, and this person doesn’t manage Tally.',
    'channel-limited': 'The project is limited to other channels.',
    'own-error': 'Tally ran into an error of its own. Its log says more.',
  }),

  // Records in Redis that can't be read or changed.
  /** A sealed record. Never guessed at. `keyId`: the key that it needs, for operators; `what`: the kind of record. */
  'unseal-failed': stored(
    {
      reason: z.enum(['unknown-key', 'not-authentic', 'malformed']),
      ...{ what: z.string().optional(), keyId: unstored<string>().optional() },
    },
    { summary: 'damaged record' },
  ).says(({ what }) => `Tally can’t read the stored ${RECORDS.get(what) ?? 'record'}.`),
  'settings-damaged': stored({}).says(() => 'This workspace’s settings are damaged.'),
  /** `now`: a sentence about its current state. */
  'edit-conflict': ofRequest(({ now }: { now: string }) => `Someone else changed this first. ${now}`),
  /** `write`: Redis refused it, so nothing was changed; or its answer was lost, so something may have been. */
  'store-unavailable': ofRequest(
    ({ isOverwritten = false }: { write?: 'refused' | 'unsure'; isOverwritten?: boolean }) =>
      isOverwritten
        ? 'Another program changed Tally’s data of this workspace. Ask Tally’s operator to run “tally doctor”.'
        : 'Tally can’t reach its database right now.',
  ),
};
