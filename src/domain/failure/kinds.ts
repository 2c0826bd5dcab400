/**
 * Every kind of failure, with its data and its sentence. `slack/error-messages/` says what to do next. Failures are
 * logged, shown and stored, so they contain neither secrets nor response bodies.
 */
import * as z from 'zod';
import { PRODUCT_IDS, PRODUCTS } from '../billing-products.ts';
import type { SlackId } from '../slack-id.ts';
import { type Day, formatRequestedDays, type Millis } from '../time/calendar.ts';

export interface Kind<Data = object> {
  /** @param today the reader's date, whose year the sentence leaves out */
  says(data: Data, today?: Day): string;
  readonly schema: z.ZodType<Record<string, unknown>>;
  readonly summary?: string;
  /** Who can end the failure; absent for failures of Tally itself, or of Slack. */
  readonly fixedBy?: 'asker' | 'manager' | 'time';
}

type Traits = Pick<Kind, 'summary' | 'fixedBy'>;

/** @param shape the data's fields. People's words and host names must not be stored: use `unstored` or `ofRequest`. */
const kind = <Shape extends z.ZodRawShape>(shape: Shape, traits: Traits = {}) => ({
  says: (says: (data: z.output<z.ZodObject<Shape>>, today?: Day) => string) =>
    ({ ...traits, schema: z.object(shape), says }) as Kind<Readonly<z.input<z.ZodObject<Shape>>>>,
});

/** Data that isn't stored, because the sentence works without it. `extra` data is optional in a new failure, too. */
const unstored = <T>() => z.transform(() => undefined).optional() as z.ZodType<T | undefined, T>;
const extra = <T>() => unstored<T | undefined>().optional();

/** Data that the sentence needs but that isn't stored: for failures that are only shown to the person who asked. */
const ofRequest = <T>() =>
  z.custom<T>((value) => value !== undefined).transform(() => undefined) as unknown as z.ZodType<T, T>;

const BY_ASKER: Traits = { fixedBy: 'asker' };
const BY_MANAGER: Traits = { fixedBy: 'manager' };
const NO_TRAITS: Traits = {};
const NOT_CONNECTED: Traits = { ...BY_MANAGER, summary: 'not connected' };

const plain = (sentence: string, traits?: Traits) => kind({}, traits).says(() => sentence);

const reasons = <Reason extends string>(traits: Traits, says: Readonly<Record<Reason, string>>) =>
  kind({ reason: z.enum(Object.keys(says) as Reason[]) }, traits).says(({ reason }) => says[reason]);

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
/** Seconds, from the Retry-After header. */
const retryAfter = extra<number>();

export type BillingQuestion = Readonly<z.input<typeof question>>;
const question = z.object({
  project: string,
  /** The project's alias. */
  name: extra<string>(),
  product: z.literal(PRODUCT_IDS),
  days: z.object({ first: z.iso.date(), last: z.iso.date(), today: extra<Day>() }).optional(),
});
const projectAndDays = ({ project, name, days }: BillingQuestion, today: Day | undefined): string =>
  `${name ?? `project ${project}`}${days === undefined ? '' : `, ${formatRequestedDays({ ...days, today: days.today ?? today })}`}`;

/** Unknown hosts and hosts with a private address fail alike; otherwise, people could find out private names. */
export const NO_PUBLIC_ADDRESS = 'no public address';
/** The `what` of an `invalid-response` for which a retry may succeed. */
export const BROKEN_OFF = 'it was cut off';

/** Codes of Slack's SDK or the operating system for a call without a response. */
const SILENT = /^(?:request_error|http_error|failed|E[A-Z]+)$/;

const RECORDS: ReadonlyMap<string | undefined, string> = new Map([
  ['billing-token', 'access token'],
  ['application-access', 'application access'],
  ['slack-installation', 'record of its installation'],
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
  'invalid-word': kind({ sentence: text }, BY_ASKER).says(({ sentence }) => sentence),
  'text-too-long': kind({ most: z.int() }, BY_ASKER).says(
    ({ most }) => `That’s too long. Tally reads up to ${most.toLocaleString('en-US')} characters.`,
  ),
  'secret-pasted': plain(
    'That looks like a token or a password. Tally didn’t store, log or repeat it.',
    BY_ASKER,
  ),
  'period-just-began': kind({ phrase: text }, BY_ASKER).says(
    ({ phrase }) => `“${phrase}” has only just begun, so there’s nothing to show yet.`,
  ),
  /** `projectFor`: a command's text that lacks only its project, such as `projects edit`. */
  'project-missing': kind({ projectFor: extra<string>() }, BY_ASKER).says(() => 'Which project?'),
  'not-connected': plain('Tally isn’t connected to a billing service yet.', NOT_CONNECTED),
  'connection-missing': kind(
    { connection: name, project: z.object({ label: string, alias: name }).optional() },
    NOT_CONNECTED,
  ).says(({ connection, project }) => {
    if (connection !== undefined && project !== undefined)
      return `${project.label} uses the connection “${connection}”, which no longer exists.`;
    if (connection !== undefined) return `There’s no connection named ${connection}.`;
    const needed = project?.alias ? `, and none is set for ${project.alias}` : '';
    return `You have several connections, but no default${needed}.`;
  }),
  /** `people`: who may do it. `owned`: what somebody else owns, and the refused action's text, `pause abcd1234`. */
  'not-allowed': kind(
    {
      reason: z.enum(['guest', 'external', 'not-member', 'not-owner', 'not-manager', 'channel']),
      people: extra<readonly SlackId[]>(),
      limited: extra<{ readonly label: string; readonly channels: readonly SlackId[] }>(),
      owned: extra<{ readonly plural: 'schedules' | 'watches'; readonly text: string }>(),
    },
    { summary: 'not allowed here', fixedBy: 'manager' },
  ).says(({ reason }) => NOT_ALLOWED[reason]),
  'rights-changed': plain('Permissions changed while Tally was answering.', BY_ASKER),
  'not-issuer': kind({ label: text }, BY_MANAGER).says(({ label }) => `You can’t get tokens for ${label}.`),
  throttled: kind({ whose: z.enum(['person', 'workspace']), wait }, BY_ASKER).says(
    ({ whose }) => `Too many requests from ${whose === 'person' ? 'you' : 'your workspace'}.`,
  ),

  'token-rejected': kind({ service }, { summary: 'token rejected', fixedBy: 'manager' }).says(
    ({ service }) => `${NAMES[service]} rejected the access token (HTTP 401).`,
  ),
  forbidden: kind({ service }, { summary: 'access refused', fixedBy: 'manager' }).says(
    ({ service }) => `${NAMES[service]} says the access token doesn’t have permission for this (HTTP 403).`,
  ),
  /** Billing sent an empty list. The project, product or period may be wrong. */
  'no-data': kind({ question }, { summary: 'no data', fixedBy: 'asker' }).says(
    ({ question }, today) =>
      `No ${PRODUCTS[question.product].name} data for ${projectAndDays(question, today)}.`,
  ),
  /** GraphQL errors without data. `messages` is untrusted text. */
  'query-rejected': kind(
    { question, status, messages: unstored<readonly string[]>() },
    { summary: 'query rejected', fixedBy: 'time' },
  ).says(
    ({ question }, today) =>
      `The billing service rejected the query for ${PRODUCTS[question.product].name}, ${projectAndDays(question, today)}.`,
  ),
  'rate-limited': kind({ service, retryAfter }, { summary: 'rate limited', fixedBy: 'time' }).says(
    ({ service }) => `${NAMES[service]} asked Tally to slow down (HTTP 429).`,
  ),
  'timed-out': kind({ service, after: z.number() }, { fixedBy: 'time' }).says(
    ({ service, after }) => `${NAMES[service]} didn’t answer within ${Math.round(after / 1000)} seconds.`,
  ),
  /** `isClosed`: the connection broke off, so the service may have received the request. */
  'service-unreachable': kind({ service, code: string, host, isClosed }, { fixedBy: 'time' }).says(
    ({ service, isClosed }) =>
      `${NAMES[service]} ${isClosed ? 'closed the connection' : 'couldn’t be reached'}.`,
  ),
  'service-failed': kind({ service, status }, { summary: 'service error', fixedBy: 'time' }).says(
    ({ service, status }) => `${NAMES[service]} returned an error (HTTP ${status}).`,
  ),
  'queue-full': kind({ service }).says(
    ({ service }) => `Too many requests are waiting for ${NAMES[service].replace('The', 'the')}.`,
  ),
  /** `what`: what is wrong with the response. `status`: the HTTP status, if unexpected. */
  'invalid-response': kind(
    { service, what: string, status: extra<number>() },
    { summary: 'unreadable answer', fixedBy: 'time' },
  ).says(({ service, what }) => `${NAMES[service]} sent a response that Tally can’t read: ${what}.`),
  'response-too-large': kind(
    { service, most: string },
    { summary: 'answer too large', fixedBy: 'time' },
  ).says(({ service, most }) => `${NAMES[service]} sent more than ${most}, too much for Tally to read.`),
  /** `target`: the Location header's origin and path. */
  'redirect-refused': kind({ service, status, target }, { summary: 'redirected', fixedBy: 'time' }).says(
    ({ service, status }) =>
      `${NAMES[service]} redirects to another address (HTTP ${status}). To protect the token, Tally doesn’t follow.`,
  ),
  'address-refused': kind({ why: string, host }, { summary: 'address refused', fixedBy: 'time' }).says(
    ({ host = 'the service’s address', why }) => `Tally doesn’t connect to ${host}: it ${why}.`,
  ),

  'access-refused': kind({ status: z.literal([401, 403]) }).says(
    ({ status }) => `The identity service rejected the application access (HTTP ${status}).`,
  ),
  /** The ID of the application access is wrong, or the access was deleted. */
  'access-not-found': plain('The identity service doesn’t recognize that application access (HTTP 404).'),
  /** The project of the application access is disabled or deleted. */
  'project-disabled': plain('The identity service won’t issue a token for that project (HTTP 404).'),
  'wrong-identity-url': kind({ host, status }).says(
    ({ status }) => `No identity service answers at this address (HTTP ${status}).`,
  ),
  'outcome-unclear': kind({ host }).says(
    () => 'The identity service may have issued a token, but its answer was lost.',
  ),
  'access-missing': kind({ project: text, label: text }, BY_MANAGER).says(
    ({ label }) => `${label} has no application access, so Tally can’t issue an OS_TOKEN.`,
  ),
  'token-not-shown': kind({ label: text, why: extra<string>(), isRevoked: ofRequest<boolean>() }).says(
    ({ label }) => `Tally got a token for ${label}, but couldn’t show it.`,
  ),

  /** `unclear`: Slack gave no response, so the call may have worked. */
  'slack-failed': kind({ method: string, code: string, retryAfter, unclear: extra<boolean>() }).says(
    ({ code }) =>
      code === 'ratelimited'
        ? 'Slack asked Tally to slow down (rate limit).'
        : `Slack ${SILENT.test(code) ? 'didn’t answer' : 'returned an error'} (${code}).`,
  ),
  'not-installed': reasons(BY_MANAGER, {
    unknown: 'Tally isn’t installed in this workspace.',
    expired: 'Slack no longer accepts Tally’s token for this workspace.',
  }),
  'cannot-post': reasons(NO_TRAITS, {
    'not-there': 'Tally isn’t in that channel, so it can’t post there.',
    archived: 'That channel is archived.',
    restricted: 'Tally isn’t allowed to post in that channel.',
  }),
  /** About messages that Tally sends on its own, such as scheduled posts. */
  'not-sent': reasons(NO_TRAITS, {
    'post-unconfirmed': 'Slack didn’t confirm the post.',
    'message-unconfirmed': 'Slack didn’t confirm the message, so it may have arrived.',
    'person-left': 'This person is no longer a full member of the workspace.',
    'person-not-manager':
      'This project is limited to certain channels. Elsewhere, only Tally managers get messages about it.',
    'own-error': 'Something went wrong in Tally. Your operator can find details in its log.',
  }),

  /** An encrypted record can't be opened. `keyId`: the key that would open the record. */
  'unseal-failed': kind(
    { reason: z.enum(['unknown-key', 'not-authentic', 'malformed']), what: name, keyId: extra<string>() },
    { summary: 'damaged record' },
  ).says(({ what }) => `Tally can’t read the stored ${RECORDS.get(what) ?? 'record'}.`),
  'settings-damaged': plain('This workspace’s settings are damaged.'),
  'edit-conflict': kind({ now: text }, BY_ASKER).says(({ now }) =>
    `Someone else just changed this. ${now}`.trim(),
  ),
  'store-unavailable': kind({ isOverwritten: z.boolean().optional() }).says(({ isOverwritten = false }) =>
    isOverwritten
      ? 'Another program overwrote Tally’s data for this workspace. Ask your operator to run “tally doctor”.'
      : 'Tally can’t reach its database right now.',
  ),
};
