/** Every failure in each of its forms, for tests that go through all of them. */
import { expect } from 'vitest';
import {
  Failure,
  type FailureKind,
  type FailureOf,
  InvalidWord,
  type StoredFailure,
  toStoredFailure,
} from '../../src/domain/failure/index.ts';

const QUESTION = {
  project: '123',
  product: 1,
  days: { first: '2026-11-14', last: '2026-11-20', today: '2026-11-21' },
} as const;
/** A failure as a record holds it. Its sentence is `There’s no connection named …`, with this name. */
export const storedCause = (named: string): StoredFailure =>
  toStoredFailure(new Failure('connection-missing', { connection: named }));

const NOT_SENT: readonly FailureOf<'not-sent'>['data']['reason'][] = [
  ...(['post-unconfirmed', 'message-unconfirmed', 'person-left', 'person-not-manager', 'own-error'] as const),
];

const cause = { cause: new Error('the reason') };

type Named = readonly [failure: Failure, ...names: string[]];
const of = <K extends Exclude<FailureKind, 'invalid-word'>>(
  kind: K,
  data?: FailureOf<K>['data'],
  names: string | readonly string[] = [],
  options?: ErrorOptions,
): Named => [Reflect.construct(Failure, [kind, data, options]), ...[names].flat()];

const PROD = { label: 'prod', alias: 'prod' };
const DAYLESS = { ...QUESTION, days: undefined };

/** Each failure, with the words that its sentence must contain. */
export const failuresOfAll = (): readonly Named[] => [
  [new InvalidWord('yesterdya', 'has a typo', 'Type yesterday.'), '“yesterdya” has a typo. Type yesterday.'],
  of('text-too-long', { most: 500 }, '500'),
  of('secret-pasted', undefined, 'token'),
  of('period-just-began', { phrase: 'today' }, '“today”'),
  of('project-missing', { projectFor: 'projects edit' }, 'project'),
  of('not-connected', undefined, 'isn’t connected'),
  of('connection-missing', undefined, 'default'),
  of('connection-missing', { project: PROD }, ['default', 'prod']),
  of('connection-missing', { connection: 'finance' }, 'finance'),
  of('connection-missing', { connection: 'finance', project: PROD }, ['“finance”', 'prod']),
  of('access-refused', { status: 403 }, '403'),
  of('access-not-found', undefined, '404'),
  of('project-disabled', undefined, '404'),
  of('wrong-identity-url', { host: 'auth.example', status: 200 }, '200'),
  of('outcome-unclear', { host: 'auth.example' }, [], cause),
  of('throttled', { whose: 'person', wait: 2_000 }, 'Too many requests from you'),
  of('throttled', { whose: 'workspace', wait: 2_000 }, 'Too many requests from your workspace'),
  ...(['guest', 'external', 'not-member', 'not-manager', 'not-owner', 'channel'] as const).map((reason) =>
    of('not-allowed', { reason }),
  ),
  of('not-issuer', { label: 'prod' }, 'prod'),
  of('token-rejected', { service: 'identity' }, ['The identity service', '401']),
  of('forbidden', { service: 'billing' }, ['The billing service', '403']),
  of('no-data', { question: QUESTION }, 'No Cloud platform data for project 123, 14–20 Nov.'),
  of('no-data', { question: DAYLESS }, 'No Cloud platform data for project 123.'),
  of(
    'query-rejected',
    { messages: ['no'], status: 400, question: QUESTION },
    'Cloud platform, project 123, 14–20 Nov.',
  ),
  of('query-rejected', { messages: ['no'], status: 400, question: DAYLESS }, 'platform, project 123.'),
  of('rate-limited', { service: 'billing', retryAfter: 3 }, ['The billing service', '429']),
  of('timed-out', { service: 'billing', after: 9_600 }, 'within 10 seconds'),
  of(
    'service-unreachable',
    { service: 'billing', host: 'bill.example', code: 'ECONNRESET', isClosed: true },
    'closed the connection',
    cause,
  ),
  of('service-failed', { service: 'billing', status: 502 }, '502'),
  of('queue-full', { service: 'billing' }, 'for the billing service'),
  of('invalid-response', { service: 'billing', what: 'no JSON', status: 204 }, 'no JSON'),
  of('response-too-large', { service: 'billing', most: '512 KB' }, 'more than 512 KB'),
  of('redirect-refused', { service: 'billing', status: 302, target: 'https://other.example/' }, '302'),
  of('address-refused', { host: '127.0.0.1', why: 'is private' }, '127.0.0.1: it is private'),
  of('slack-failed', { method: 'users.info', code: 'ratelimited', retryAfter: 2 }, 'rate limit'),
  ...['request_error', 'http_error', 'failed', 'ECONNRESET'].map((code) =>
    of('slack-failed', { method: 'users.info', code }, `didn’t answer (${code})`),
  ),
  ...['fatal_error', 'E', 'aECONNRESET', 'ECONNRESET_'].map((code) =>
    of('slack-failed', { method: 'users.info', code }, `returned an error (${code})`),
  ),
  ...NOT_SENT.map((reason) => of('not-sent', { reason })),
  of('not-installed', { reason: 'unknown' }, 'isn’t installed'),
  of('not-installed', { reason: 'expired' }, 'token'),
  of('cannot-post', { reason: 'not-there' }),
  of('cannot-post', { reason: 'archived' }, 'archived'),
  of('cannot-post', { reason: 'restricted' }),
  ...(
    [
      ['billing-token', 'access token'],
      ['application-access', 'application access'],
      ['slack-installation', 'record of its installation'],
      ['project', 'project'],
      ['record', 'record'],
      ['toString', 'record'],
    ] as const
  ).map(([what, named]) =>
    of('unseal-failed', { reason: 'malformed', keyId: 'k1', what }, `stored ${named}.`),
  ),
  of('unseal-failed', { reason: 'unknown-key' }, 'stored record.'),
  of('settings-damaged', undefined, 'settings'),
  of('rights-changed', undefined, 'changed while'),
  of('edit-conflict', { now: 'It is paused now.' }, 'It is paused now.'),
  of('store-unavailable', undefined, 'database', cause),
  of('store-unavailable', { isOverwritten: true }, 'tally doctor'),
  of('access-missing', { project: '123', label: 'prod' }, 'prod'),
  of('token-not-shown', { label: 'prod', why: 'Slack is down.', isRevoked: true }, 'prod', cause),
  of('token-not-shown', { label: 'web', isRevoked: false }, 'web'),
];

export const aFailure = (kind: FailureKind, reason?: string) =>
  expect.objectContaining({ kind, ...(reason && { data: expect.objectContaining({ reason }) }) });
