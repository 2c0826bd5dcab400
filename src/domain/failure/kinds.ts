/**
 * Every kind of failure, with its data and its sentence. What to do next is in `slack/error-messages/`; the compiler
 * requires it for every kind. Failures are logged, shown and stored, so they contain no secrets and no response bodies.
 */
import * as z from 'zod';
import { PRODUCT_IDS, PRODUCTS } from '../product.ts';
import type { SlackId } from '../slack-id.ts';
import { type Day, formatRequestedDays, type Millis } from '../time/calendar.ts';

export interface Kind<Data = object> {
  /** Says what happened. @param today the reader's date, for a stored failure: days in its year lack the year */
  says(data: Data, today?: Day): string;
  /** Parses stored data; drops `unstored` fields. */
  readonly schema: z.ZodType<Record<string, unknown>>;
  /** What happened in two or three words, for a table's cell. */
  readonly summary?: string;
  /** What to check or change to fix a failure of a project's request; absent if it isn't about a project. */
  readonly remedy?: 'project' | 'token' | 'address' | 'patience';
}

type Traits = Pick<Kind, 'summary' | 'remedy'>;

/** @param shape the data; secrets, names of people or hosts, and people's texts are `unstored` or `ofRequest` */
const kind = <Shape extends z.ZodRawShape>(shape: Shape, traits: Traits = {}) => ({
  says: (says: (data: z.output<z.ZodObject<Shape>>, today?: Day) => string) =>
    ({ ...traits, schema: z.object(shape), says }) as Kind<Readonly<z.input<z.ZodObject<Shape>>>>,
});

/** `unstored`: data that isn't stored, as the sentence works without it. `extra`: the same, and may be absent. */
const unstored = <T>() => z.transform(() => undefined).optional() as z.ZodType<T | undefined, T>;
const extra = <T>() => unstored<T | undefined>().optional();

/** Data that isn't stored although the sentence needs it: only for failures shown at once to the person who asked. */
const ofRequest = <T>() =>
  z.custom<T>((value) => value !== undefined).transform(() => undefined) as unknown as z.ZodType<T, T>;

/** A kind with a fixed sentence. */
const plain = (sentence: string, traits?: Traits) => kind({}, traits).says(() => sentence);

/** A kind with one sentence per reason. */
const reasons = <Reason extends string>(sentences: Readonly<Record<Reason, string>>) =>
  kind({ reason: z.enum(Object.keys(sentences) as Reason[]) }).says(({ reason }) => sentences[reason]);

export type Service = keyof typeof NAMES;
const NAMES = { billing: 'The billing service', identity: 'The identity service' };
const service = z.enum(['billing', 'identity']);
const string = z.string();
const name = string.optional();
const status = z.int();
const isClosed = z.boolean();
const target = unstored<string>();
const host = unstored<string>();
const text = ofRequest<string>();
const wait = ofRequest<Millis>();
/** How many seconds to wait, from the Retry-After header. */
const retryAfter = extra<number>();

export type BillingQuestion = Readonly<z.input<typeof question>>;
const question = z.object({
  /** 1 to 32 digits */
  project: string,
  product: z.literal(PRODUCT_IDS),
  /** The days asked about; absent if the question is about a balance. */
  days: z.object({ first: z.iso.date(), last: z.iso.date(), today: extra<Day>() }).optional(),
});
const projectAndDays = ({ project, days }: BillingQuestion, today: Day | undefined): string =>
  `project ${project}${days === undefined ? '' : `, ${formatRequestedDays({ ...days, today: days.today ?? today })}`}`;

/** The code both for unknown host names and for private addresses, so that nobody can find out private names. */
export const NO_PUBLIC_ADDRESS = 'no public address';
/** The `what` of an `invalid-response` that was cut off, where a retry may help. */
export const BROKEN_OFF = 'it was cut off';

/** Error codes for “no response at all”, from Slack's SDK or the system. */
const SILENT = /^(?:request_error|http_error|failed|E[A-Z]+)$/;

/** Each kind of encrypted record, and its name in messages. */
const RECORDS: ReadonlyMap<string | undefined, string> = new Map([
  ['billing-token', 'access token'],
  ['application-access', 'application access'],
  ['slack-installation', 'installation of Tally'],
  ['project', 'project'],
]);

const NOT_ALLOWED = {
  guest: 'Guests can’t use Tally in this workspace.',
  external: 'Tally only answers members of the workspace that installed it.',
  'not-member': 'Only full members of this workspace can set up schedules and watches.',
  'not-owner': 'Only the owner or a Tally manager can do this.',
  'not-manager': 'Only Tally managers can do this.',
  channel: 'This project is limited to certain channels.',
};

export const KINDS = {
  // Problems with the command, or with the rights of the person who asks.
  'invalid-word': kind({ sentence: text }).says(({ sentence }) => sentence),
  'text-too-long': kind({ most: z.int() }).says(
    ({ most }) => `That’s too long. Tally reads up to ${most.toLocaleString('en-US')} characters.`,
  ),
  'secret-pasted': plain('That looks like a token or a password. Tally didn’t store, log or repeat it.'),
  'period-just-began': kind({ phrase: text }).says(
    ({ phrase }) => `“${phrase}” has only just begun, so there’s nothing to show yet.`,
  ),
  /** `projectFor`: the command's text before the project, if a project is all it needs: `projects edit`. */
  'project-missing': kind({ projectFor: extra<string>() }).says(() => 'Which project?'),
  'not-connected': plain('Tally isn’t connected to a billing service yet.', { summary: 'not connected' }),
  'connection-missing': kind(
    { connection: name, project: z.object({ label: string, alias: name }).optional() },
    { summary: 'not connected' },
  ).says(({ connection, project }) => {
    if (connection !== undefined && project !== undefined)
      return `${project.label} uses the connection “${connection}”, which no longer exists.`;
    if (connection !== undefined) return `There is no connection named ${connection}.`;
    const needed = project && ` ${project.label} doesn’t name one.`;
    return `You have several connections, but no default.${needed ?? ''}`;
  }),
  /** `managers`: who is allowed, for `not-manager`. `owned`: what others own, and the action: `pause abcd1234`. */
  'not-allowed': kind(
    {
      reason: z.enum(['guest', 'external', 'not-member', 'not-owner', 'not-manager', 'channel']),
      managers: extra<readonly SlackId[]>(),
      owned: extra<{ readonly plural: 'schedules' | 'watches'; readonly text: string }>(),
    },
    { summary: 'not allowed here' },
  ).says(({ reason }) => NOT_ALLOWED[reason]),
  'rights-changed': plain('Permissions changed while Tally was answering.'),
  'not-issuer': kind({ label: text }).says(({ label }) => `You can’t get tokens for ${label}.`),
  throttled: kind({ whose: z.enum(['person', 'workspace']), wait }).says(
    ({ whose }) => `Too many requests from ${whose === 'person' ? 'you' : 'your workspace'}.`,
  ),

  // Responses of the services.
  'token-rejected': kind({ service }, { summary: 'token rejected', remedy: 'token' }).says(
    ({ service }) => `${NAMES[service]} rejected the access token (HTTP 401).`,
  ),
  forbidden: kind({ service }, { summary: 'access refused', remedy: 'token' }).says(
    ({ service }) => `${NAMES[service]} refused the access token (HTTP 403).`,
  ),
  /** A valid answer without data. The product, project or period may be wrong; the contract doesn't tell which. */
  'no-data': kind({ question }, { summary: 'no data', remedy: 'project' }).says(
    ({ question }, today) =>
      `No ${PRODUCTS[question.product].name} data for ${projectAndDays(question, today)}.`,
  ),
  /** The answer has GraphQL errors and no data. `messages` is untrusted text. */
  'query-rejected': kind(
    { question, status, messages: unstored<readonly string[]>() },
    { summary: 'query rejected', remedy: 'patience' },
  ).says(
    ({ question }, today) =>
      `The billing service rejected the query for ${PRODUCTS[question.product].name}, ${projectAndDays(question, today)}.`,
  ),
  'rate-limited': kind({ service, retryAfter }, { summary: 'rate limited', remedy: 'patience' }).says(
    ({ service }) => `${NAMES[service]} asked Tally to slow down (HTTP 429).`,
  ),
  'timed-out': kind({ service, after: z.number() }, { remedy: 'patience' }).says(
    ({ service, after }) => `${NAMES[service]} didn’t answer within ${Math.round(after / 1000)} seconds.`,
  ),
  /** `code`: the operating system's, or `NO_PUBLIC_ADDRESS`. `isClosed`: the service may have received the request. */
  'service-unreachable': kind({ service, code: string, host, isClosed }, { remedy: 'address' }).says(
    ({ service, isClosed }) =>
      `${NAMES[service]} ${isClosed ? 'closed the connection' : 'couldn’t be reached'}.`,
  ),
  'service-failed': kind({ service, status }, { summary: 'service error', remedy: 'patience' }).says(
    ({ service, status }) => `${NAMES[service]} returned an error (HTTP ${status}).`,
  ),
  'queue-full': kind({ service }).says(
    ({ service }) => `Too many requests are waiting for ${NAMES[service].replace('The', 'the')}.`,
  ),
  /** `what`: how the response breaks the contract. `status`: its HTTP status, if that was unexpected. */
  'invalid-response': kind(
    { service, what: string, status: extra<number>() },
    { summary: 'unreadable answer', remedy: 'address' },
  ).says(({ service, what }) => `${NAMES[service]} sent a response that Tally can’t read: ${what}.`),
  'response-too-large': kind(
    { service, most: string },
    { summary: 'answer too large', remedy: 'patience' },
  ).says(({ service, most }) => `${NAMES[service]} sent more than ${most}, far too much for this question.`),
  /** Tally follows no redirect, which would pass on the token. `target`: origin and path of the Location header. */
  'redirect-refused': kind({ service, status, target }, { summary: 'redirected', remedy: 'address' }).says(
    ({ service, status }) =>
      `${NAMES[service]} redirects (HTTP ${status}). Tally doesn’t follow, to protect the token.`,
  ),
  /** Tally's address rules refuse the base URL or the IP address of its host. `why` follows "it" in the sentence. */
  'address-refused': kind({ why: string, host }, { summary: 'address refused', remedy: 'address' }).says(
    ({ host = 'the service’s address', why }) => `Tally doesn’t connect to ${host}: it ${why}.`,
  ),

  // The identity service alone, and the tokens that it issues.
  'access-refused': kind({ status: z.literal([401, 403]) }).says(
    ({ status }) => `The identity service refused the application access (HTTP ${status}).`,
  ),
  /** A 404 that names an application credential: the ID is wrong, or the access was deleted. */
  'access-not-found': plain('The identity service doesn’t recognize that application access (HTTP 404).'),
  /** Any other 404 from the identity API: the project of an application access is disabled or deleted. */
  'project-disabled': plain('The identity service won’t issue a token for that project (HTTP 404).'),
  /** The address isn't an identity API's. `suggestion`: an address that may work. */
  'wrong-identity-url': kind({ host, status, suggestion: extra<string>() }).says(
    ({ status }) => `The address isn’t an identity service (HTTP ${status}).`,
  ),
  'outcome-unclear': kind({ host }).says(
    () => 'The identity service may have issued a token, but its answer was lost.',
  ),
  'access-missing': kind({ project: text, label: text }).says(
    ({ label }) => `${label} has no application access, so Tally can’t issue an OS_TOKEN.`,
  ),
  /** `why`: a sentence about why the token couldn't be shown. */
  'token-not-shown': kind({ label: text, why: extra<string>(), isRevoked: ofRequest<boolean>() }).says(
    ({ label }) => `Tally got a token for ${label}, but couldn’t show it.`,
  ),

  // Errors of Slack.
  /** `unclear`: Slack gave no response, so the call may have worked. */
  'slack-failed': kind({ method: string, code: string, retryAfter, unclear: extra<boolean>() }).says(
    ({ method, code }) =>
      code === 'ratelimited'
        ? 'Slack asked Tally to slow down (rate limit).'
        : `Slack ${SILENT.test(code) ? 'didn’t answer' : 'returned an error for'} ${method} (${code}).`,
  ),
  'not-installed': reasons({
    unknown: 'Tally isn’t installed in this workspace.',
    expired: 'Slack no longer accepts Tally’s token for this workspace.',
  }),
  'cannot-post': reasons({
    'not-there': 'Tally isn’t in that channel, so it can’t post there.',
    archived: 'That channel is archived.',
    restricted: 'Tally isn’t allowed to post in that channel.',
  }),
  /** A message that Tally sends by itself, such as a scheduled post, wasn't sent. */
  'not-sent': reasons({
    'channel-archived': 'The channel is archived.',
    'not-in-channel': 'Tally isn’t in the channel.',
    'channel-restricted': 'Tally isn’t allowed to post in the channel.',
    'slack-token-rejected': 'Slack rejected Tally’s token.',
    'post-unconfirmed': 'Slack didn’t confirm the post.',
    'message-unconfirmed': 'Slack didn’t confirm the message, so it may have arrived.',
    'person-left': 'This person is no longer a full member of the workspace.',
    'person-not-manager':
      'The project is limited to certain channels, and this person isn’t a Tally manager.',
    'channel-limited': 'The project is limited to other channels.',
    'own-error': 'Something went wrong in Tally. Details are in its log.',
  }),

  // Records in Redis.
  /** An encrypted record can't be opened. `keyId`: the key it needs, for operators; `what`: the kind of record. */
  'unseal-failed': kind(
    { reason: z.enum(['unknown-key', 'not-authentic', 'malformed']), what: name, keyId: extra<string>() },
    { summary: 'damaged record' },
  ).says(({ what }) => `Tally can’t read the stored ${RECORDS.get(what) ?? 'record'}.`),
  'settings-damaged': plain('This workspace’s settings are damaged.'),
  'edit-conflict': kind({ now: text }).says(({ now }) => `Someone else changed this first. ${now}`.trim()),
  /** `write`: `refused` if nothing was changed; `unsure` if Redis's answer was lost, so data may have been changed. */
  'store-unavailable': kind({
    write: z.enum(['refused', 'unsure']).optional(),
    isOverwritten: z.boolean().optional(),
  }).says(({ isOverwritten = false }) =>
    isOverwritten
      ? 'Another program changed Tally’s data for this workspace. Ask your operator to run “tally doctor”.'
      : 'Tally can’t reach its database right now.',
  ),
};
