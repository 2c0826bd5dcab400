/** Each failure in each of its forms, made anew: what tests of all of them go through. */

import * as failures from '../../src/domain/failure/index.ts';
import { type Failure, InvalidWord } from '../../src/domain/failure/index.ts';
import { rate } from '../../src/domain/rate-limits.ts';
import { type StoredFailure, storeFailure } from '../../src/workspace/record/stored-failure.ts';

const QUESTION = {
  project: '123',
  product: 1,
  days: { first: '2026-11-14', last: '2026-11-20', today: '2026-11-21' },
} as const;
/** As a record has it; its sentence names this: `There is no connection named …`. */
export const storedCause = (named: string): StoredFailure =>
  storeFailure(new failures.ConnectionMissing(named));

const cause = { cause: new Error('the reason') };

/** Anew for each test: each failure in each of its forms, and what its sentence has to name. */
export const failuresOfAll = (): readonly (readonly [failure: Failure, ...names: string[]])[] => [
  [new InvalidWord('yesterdya', 'has a typo', 'Type yesterday.'), '“yesterdya” has a typo. Type yesterday.'],
  [new failures.TextTooLong(), '1,000'],
  [new failures.SecretPasted(), 'token'],
  [new failures.PeriodJustBegan('today'), '“today”'],
  [new failures.ProjectMissing('projects edit'), 'project'],
  [new failures.NotConnected(), 'isn’t connected'],
  [new failures.ConnectionMissing(), 'default'],
  [new failures.ConnectionMissing(undefined, { label: 'prod', alias: 'prod' }), 'default', 'prod'],
  [new failures.ConnectionMissing('finance'), 'finance'],
  [new failures.ConnectionMissing('finance', { label: 'prod', alias: 'prod' }), '“finance”', 'prod'],
  [new failures.AccessRefused(403), '403'],
  [new failures.AccessNotFound(), '404'],
  [new failures.ProjectDisabled(), '404'],
  [new failures.WrongIdentityUrl('auth.example', 200, 'https://auth.example/v3'), 'auth.example', '200'],
  [new failures.OutcomeUnclear('auth.example', cause), 'auth.example'],
  [new failures.Throttled('person', 'asking too fast', 2_000), 'You’re asking too fast'],
  [new failures.Throttled('workspace', 'asking too fast', 2_000), 'Your workspace is asking too fast'],
  ...(['guest', 'external', 'not-member', 'not-manager', 'not-owner', 'channel'] as const).map(
    (reason) => [new failures.NotAllowed(reason)] as const,
  ),
  [new failures.NotIssuer('prod'), 'prod'],
  [new failures.TokenRejected('identity'), 'The identity service', '401'],
  [new failures.Forbidden('billing'), 'The billing service', '403'],
  [new failures.NoData(QUESTION), 'No Cloud platform data for project 123, 14–20 Nov.'],
  [new failures.NoData({ ...QUESTION, days: undefined }), 'No Cloud platform data for project 123.'],
  [new failures.QueryRejected(['no'], 400, QUESTION), 'Cloud platform, project 123, 14–20 Nov.'],
  [new failures.QueryRejected(['no'], 400, { ...QUESTION, days: undefined }), 'platform, project 123.'],
  [new failures.RateLimited('billing', 3), 'The billing service', '429'],
  [new failures.TimedOut('billing', 9_600), 'within 10 seconds'],
  [
    new failures.ServiceUnreachable('billing', 'bill.example', 'ECONNRESET', cause),
    'bill.example',
    'ECONNRESET',
  ],
  [new failures.ServiceFailed('billing', 502), '502'],
  [new failures.QueueFull('billing'), 'for the billing service'],
  [new failures.InvalidResponse('billing', 'no JSON', { status: 204, ...cause }), 'no JSON'],
  [new failures.ResponseTooLarge('billing', 512 * 1024), 'more than 512 KB'],
  [new failures.RedirectRefused('billing', 302, 'https://other.example/'), '302'],
  [new failures.AddressRefused('127.0.0.1', 'is private'), '127.0.0.1: it is private'],
  [new failures.SlackFailed('users.info', 'ratelimited', { retryAfter: 2 }), 'rate limit'],
  ...['request_error', 'http_error', 'failed', 'ECONNRESET'].map(
    (code) => [new failures.SlackFailed('users.info', code), `didn’t answer users.info (${code})`] as const,
  ),
  ...['fatal_error', 'E', 'aECONNRESET', 'ECONNRESET_'].map(
    (code) =>
      [new failures.SlackFailed('users.info', code), `returned an error for users.info (${code})`] as const,
  ),
  ...failures.NOT_SENT_REASONS.map((why) => [new failures.NotSent(why)] as const),
  [new failures.NotInstalled('unknown'), 'isn’t installed'],
  [new failures.NotInstalled('expired'), 'token'],
  [new failures.CannotPost('not-there')],
  [new failures.CannotPost('archived'), 'archived'],
  [new failures.CannotPost('restricted')],
  ...(
    [
      ['billing-token', 'access token'],
      ['application-access', 'application access'],
      ['slack-installation', 'installation of Tally'],
      ['project', 'project'],
      ['record', 'record'],
      ['toString', 'record'],
    ] as const
  ).map(([kind, named]) => [new failures.UnsealFailed('malformed', 'k1', kind), `stored ${named}.`] as const),
  [new failures.UnsealFailed('unknown-key'), 'stored record.'],
  [new failures.SettingsDamaged(), 'settings'],
  [new failures.EditConflict('It is paused now.'), 'It is paused now.'],
  [new failures.StoreUnavailable(cause, true), 'database'],
  [new failures.WriteRefused(), 'database'],
  [new failures.AccessMissing('123', 'prod'), 'prod'],
  [new failures.TooManyTokens(rate(5, 600), 60_000), '5 tokens in 10 minutes'],
  ...(['revoked', 'not-revoked', 'unclear'] as const).map(
    (state, at) =>
      [
        new failures.TokenNotShown(
          `p${at}`,
          'Slack is down.',
          { state, until: '10:00', audit: 'maybe' },
          at === 0 ? cause : {},
        ),
        `p${at}`,
      ] as const,
  ),
];
