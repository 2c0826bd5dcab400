/** Failures as Redis keeps them: their kind and data. The sentence is made when one is read, for its reader. */
import * as z from 'zod';
import type { Failure, FailureKind, FailureOf } from '../../domain/failure/index.ts';
import * as failures from '../../domain/failure/index.ts';
import type { Day } from '../../domain/time/calendar.ts';
import { product } from './parse-record.ts';

/** Kinds and data of other versions, which this version does not know, are kept and worded plainly. */
export const storedFailure = z.looseObject({
  kind: z.string(),
  /** The post may be in the channel although it failed. */
  mayBePosted: z.boolean().exactOptional(),
});
export type StoredFailure = Readonly<z.infer<typeof storedFailure>>;

interface Form<F extends Failure> {
  /** What is stored of it: nothing secret, no host, and nothing that a person or a service wrote. */
  store(failure: F): object;
  /** @param today the reader's @returns undefined if the data is not its kind's */
  restore(stored: StoredFailure, today: Day | undefined): F | undefined;
}

/** @param shape the failure's own fields that are stored */
function form<Shape extends z.ZodRawShape, F extends Failure & z.infer<z.ZodObject<Shape>>>(
  shape: Shape,
  restore: (data: z.infer<z.ZodObject<Shape>>, today: Day | undefined) => F,
): Form<F> {
  const schema = z.object(shape);
  return {
    store: (failure) => schema.parse(failure),
    restore(stored, today) {
      const { data } = schema.safeParse(stored);
      return data && restore(data, today);
    },
  };
}

/** A failure that can be made again from its stored fields. @param shape the constructor's arguments, in order */
const madeOf = <Shape extends z.ZodRawShape, F extends Failure & z.infer<z.ZodObject<Shape>>>(
  Made: new (...args: never[]) => F,
  shape: Shape,
): Form<F> => form(shape, (data) => new Made(...(Object.values(data) as never[])));

const withoutData = <F extends Failure>(restore: () => F): Form<F> => ({ store: () => ({}), restore });

const service = { service: z.enum(['billing', 'identity']) };
const question = {
  question: z.object({
    project: z.string(),
    product,
    days: z.object({ first: z.iso.date(), last: z.iso.date() }).optional(),
  }),
};
type StoredQuestion = z.infer<z.ZodObject<typeof question>>['question'];

const askedBy = ({ days, ...about }: StoredQuestion, today: Day | undefined) => ({
  ...about,
  days: days && { ...days, today },
});

/** Kinds that only a person’s own request meets. */
type NeverStored =
  | (failures.IdentityFailure | failures.EditConflict | failures.StoreUnavailable)['kind']
  | Exclude<
      failures.CommandFailure,
      failures.NotConnected | failures.ConnectionMissing | failures.NotAllowed
    >['kind'];

const FORMS: { readonly [K in Exclude<FailureKind, NeverStored>]: Form<FailureOf<K>> } = {
  'token-rejected': madeOf(failures.TokenRejected, service),
  forbidden: madeOf(failures.Forbidden, service),
  'no-data': form(question, (data, today) => new failures.NoData(askedBy(data.question, today))),
  'query-rejected': form(
    { ...question, status: z.int() },
    (data, today) => new failures.QueryRejected([], data.status, askedBy(data.question, today)),
  ),
  'rate-limited': madeOf(failures.RateLimited, service),
  'timed-out': madeOf(failures.TimedOut, { ...service, after: z.number() }),
  'service-unreachable': form(
    { ...service, code: z.string() },
    (data) => new failures.ServiceUnreachable(data.service, '', data.code),
  ),
  'service-failed': madeOf(failures.ServiceFailed, { ...service, status: z.int() }),
  'queue-full': madeOf(failures.QueueFull, service),
  'invalid-response': madeOf(failures.InvalidResponse, { ...service, what: z.string() }),
  'response-too-large': form(
    { ...service, limit: z.int(), unit: z.enum(['bytes', 'items']) },
    (data) => new failures.ResponseTooLarge(data.service, data.limit, data.unit),
  ),
  'redirect-refused': form(
    { ...service, status: z.int() },
    (data) => new failures.RedirectRefused(data.service, data.status, ''),
  ),
  'address-refused': form(
    { why: z.string() },
    (data) => new failures.AddressRefused('the service’s address', data.why),
  ),
  'not-connected': withoutData(() => new failures.NotConnected()),
  'connection-missing': form(
    {
      connection: z.string().optional(),
      project: z.object({ label: z.string(), alias: z.string().optional() }).optional(),
    },
    ({ connection, project }) =>
      new failures.ConnectionMissing(connection, project && { alias: undefined, ...project }),
  ),
  'not-allowed': form(
    { reason: z.enum(['guest', 'external', 'not-member', 'not-manager', 'not-owner', 'channel']) },
    (data) => new failures.NotAllowed(data.reason),
  ),
  'unseal-failed': form(
    {
      reason: z.enum(['unknown-key', 'not-authentic', 'malformed']),
      what: z.enum(['billing-token', 'application-access', 'slack-installation', 'project', 'record']),
    },
    (data) => new failures.UnsealFailed(data.reason, undefined, data.what),
  ),
  'settings-damaged': withoutData(() => new failures.SettingsDamaged()),
  'slack-failed': madeOf(failures.SlackFailed, { method: z.string(), code: z.string() }),
  'not-installed': madeOf(failures.NotInstalled, { reason: z.enum(['unknown', 'expired']) }),
  'cannot-post': madeOf(failures.CannotPost, { reason: z.enum(['not-there', 'archived', 'restricted']) }),
  'not-sent': madeOf(failures.NotSent, { why: z.enum(failures.NOT_SENT_REASONS) }),
};

/** Undefined for a kind that only another version knows. */
const formOf = (kind: string): Form<Failure> | undefined =>
  Object.hasOwn(FORMS, kind) ? FORMS[kind as keyof typeof FORMS] : undefined;

/** The same failure always makes the same text, so that writes can be compared. */
export const storeFailure = (failure: Failure): StoredFailure => ({
  kind: failure.kind,
  ...formOf(failure.kind)?.store(failure),
});

const UNKNOWN = 'It didn’t work, for a reason that this version of Tally doesn’t know.';
const MAY_BE_POSTED = 'The post may be in the channel: check before you send it again.';

/** What happened, in a sentence. @param today the reader's: days of its year are named without the year */
export function wordFailure(stored: StoredFailure, today?: Day): string {
  const sentence = formOf(stored.kind)?.restore(stored, today)?.message ?? UNKNOWN;
  return stored.mayBePosted === true ? `${sentence} ${MAY_BE_POSTED}` : sentence;
}
