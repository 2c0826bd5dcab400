/** Each failure in each of its forms, made anew: what tests of all of them go through. */

import { expect } from 'vitest';
import {
  Failure,
  type FailureKind,
  type FailureOf,
  InvalidWord,
  type StoredFailure,
  storeFailure,
} from '../../src/domain/failure/index.ts';

const QUESTION = {
  project: '123',
  product: 1,
  days: { first: '2026-11-14', last: '2026-11-20', today: '2026-11-21' },
} as const;
/** As a record has it; its sentence names this: `There is no connection named …`. */
export const storedCause = (named: string): StoredFailure =>
  storeFailure(new Failure('connection-missing', { connection: named }));

const NOT_SENT: readonly FailureOf<'not-sent'>['data']['reason'][] = [
  ...(['channel-archived', 'not-in-channel', 'channel-restricted', 'slack-token-rejected'] as const),
  ...(['post-unconfirmed', 'message-unconfirmed', 'own-error'] as const),
  ...(['person-left', 'person-not-manager', 'channel-limited'] as const),
];

const cause = { cause: new Error('the reason') };

/** Anew for each test: each failure in each of its forms, and what its sentence has to name. */
export const failuresOfAll = (): readonly (readonly [failure: Failure, ...names: string[]])[] => [
  [new InvalidWord('yesterdya', 'has a typo', 'Type yesterday.'), '“yesterdya” has a typo. Type yesterday.'],
  [new Failure('text-too-long', { most: 1_000 }), '1,000'],
  [new Failure('secret-pasted'), 'token'],
  [new Failure('period-just-began', { phrase: 'today' }), '“today”'],
  [new Failure('project-missing', { projectFor: 'projects edit' }), 'project'],
  [new Failure('not-connected'), 'isn’t connected'],
  [new Failure('connection-missing'), 'default'],
  [new Failure('connection-missing', { project: { label: 'prod', alias: 'prod' } }), 'default', 'prod'],
  [new Failure('connection-missing', { connection: 'finance' }), 'finance'],
  [
    new Failure('connection-missing', {
      connection: 'finance',
      project: { label: 'prod', alias: 'prod' },
    }),
    '“finance”',
    'prod',
  ],
  [new Failure('access-refused', { status: 403 }), '403'],
  [new Failure('access-not-found'), '404'],
  [new Failure('project-disabled'), '404'],
  [
    new Failure('wrong-identity-url', {
      host: 'auth.example',
      status: 200,
      suggestion: 'https://auth.example/v3',
    }),
    '200',
  ],
  [new Failure('outcome-unclear', { host: 'auth.example' }, cause)],
  [
    new Failure('throttled', { whose: 'person', doing: 'asking too fast', wait: 2_000 }),
    'You’re asking too fast',
  ],
  [
    new Failure('throttled', { whose: 'workspace', doing: 'asking too fast', wait: 2_000 }),
    'Your workspace is asking too fast',
  ],
  ...(['guest', 'external', 'not-member', 'not-manager', 'not-owner', 'channel'] as const).map(
    (reason) => [new Failure('not-allowed', { reason })] as const,
  ),
  [new Failure('not-issuer', { label: 'prod' }), 'prod'],
  [new Failure('token-rejected', { service: 'identity' }), 'The identity service', '401'],
  [new Failure('forbidden', { service: 'billing' }), 'The billing service', '403'],
  [new Failure('no-data', { question: QUESTION }), 'No Cloud platform data for project 123, 14–20 Nov.'],
  [
    new Failure('no-data', { question: { ...QUESTION, days: undefined } }),
    'No Cloud platform data for project 123.',
  ],
  [
    new Failure('query-rejected', { messages: ['no'], status: 400, question: QUESTION }),
    'Cloud platform, project 123, 14–20 Nov.',
  ],
  [
    new Failure('query-rejected', {
      messages: ['no'],
      status: 400,
      question: { ...QUESTION, days: undefined },
    }),
    'platform, project 123.',
  ],
  [new Failure('rate-limited', { service: 'billing', retryAfter: 3 }), 'The billing service', '429'],
  [new Failure('timed-out', { service: 'billing', after: 9_600 }), 'within 10 seconds'],
  [
    new Failure(
      'service-unreachable',
      { service: 'billing', host: 'bill.example', code: 'ECONNRESET', isClosed: true },
      cause,
    ),
    'closed the connection',
  ],
  [new Failure('service-failed', { service: 'billing', status: 502 }), '502'],
  [new Failure('queue-full', { service: 'billing' }), 'for the billing service'],
  [new Failure('invalid-response', { service: 'billing', what: 'no JSON', status: 204 }), 'no JSON'],
  [new Failure('response-too-large', { service: 'billing', most: '512 KB' }), 'more than 512 KB'],
  [
    new Failure('redirect-refused', {
      service: 'billing',
      status: 302,
      target: 'https://other.example/',
    }),
    '302',
  ],
  [new Failure('address-refused', { host: '127.0.0.1', why: 'is private' }), '127.0.0.1: it is private'],
  [new Failure('slack-failed', { method: 'users.info', code: 'ratelimited', retryAfter: 2 }), 'rate limit'],
  ...['request_error', 'http_error', 'failed', 'ECONNRESET'].map(
    (code) =>
      [
        new Failure('slack-failed', { method: 'users.info', code }),
        `didn’t answer users.info (${code})`,
      ] as const,
  ),
  ...['fatal_error', 'E', 'aECONNRESET', 'ECONNRESET_'].map(
    (code) =>
      [
        new Failure('slack-failed', { method: 'users.info', code }),
        `returned an error for users.info (${code})`,
      ] as const,
  ),
  ...NOT_SENT.map((reason) => [new Failure('not-sent', { reason })] as const),
  [new Failure('not-installed', { reason: 'unknown' }), 'isn’t installed'],
  [new Failure('not-installed', { reason: 'expired' }), 'token'],
  [new Failure('cannot-post', { reason: 'not-there' })],
  [new Failure('cannot-post', { reason: 'archived' }), 'archived'],
  [new Failure('cannot-post', { reason: 'restricted' })],
  ...(
    [
      ['billing-token', 'access token'],
      ['application-access', 'application access'],
      ['slack-installation', 'installation of Tally'],
      ['project', 'project'],
      ['record', 'record'],
      ['toString', 'record'],
    ] as const
  ).map(
    ([kind, named]) =>
      [
        new Failure('unseal-failed', { reason: 'malformed', keyId: 'k1', what: kind }),
        `stored ${named}.`,
      ] as const,
  ),
  [new Failure('unseal-failed', { reason: 'unknown-key' }), 'stored record.'],
  [new Failure('settings-damaged'), 'settings'],
  [new Failure('rights-changed'), 'changed while'],
  [new Failure('edit-conflict', { now: 'It is paused now.' }), 'It is paused now.'],
  [new Failure('store-unavailable', { write: 'unsure' }, cause), 'database'],
  [new Failure('store-unavailable', { isOverwritten: true }), 'tally doctor'],
  [new Failure('store-unavailable', { write: 'refused' }), 'database'],
  [new Failure('access-missing', { project: '123', label: 'prod' }), 'prod'],
  [new Failure('token-not-shown', { label: 'prod', why: 'Slack is down.', isRevoked: true }, cause), 'prod'],
  [new Failure('token-not-shown', { label: 'web', isRevoked: false }), 'web'],
];

/** A failure of this kind, and perhaps with this reason, as a test expects it. */
export const aFailure = (kind: FailureKind, reason?: string) =>
  expect.objectContaining({ kind, ...(reason && { data: expect.objectContaining({ reason }) }) });
