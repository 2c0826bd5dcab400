import { describe, expect, it } from 'vitest';
import * as failures from '../../src/domain/failure/index.ts';
import { type Failure, InvalidWord } from '../../src/domain/failure/index.ts';

const QUESTION = {
  project: '123',
  product: { id: 1, name: 'Cloud platform' },
  days: '14–20 Nov',
} as const;
const cause = { cause: new Error('the reason') };

/** Anew for each test: each failure in each of its forms, and what its sentence has to name. */
const failuresOfAll = (): readonly (readonly [failure: Failure, ...names: string[]])[] => [
  [new InvalidWord('yesterdya', 'has a typo', 'Type yesterday.'), '“yesterdya” has a typo. Type yesterday.'],
  [new failures.TextTooLong(), '1,000'],
  [new failures.SecretPasted(), 'token'],
  [new failures.PeriodJustBegan('today'), '“today”'],
  [new failures.ProjectMissing('projects edit'), 'project'],
  [new failures.NotConnected(), 'not connected'],
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
  ...(
    [
      [new failures.ServiceFailed('billing', 502), 'last error: HTTP 502)'],
      [new failures.TimedOut('billing', 9_000), 'last error: no whole answer within 9 seconds)'],
      [new failures.ServiceUnreachable('billing', 'bill.example', 'ECONNRESET'), 'last error: ECONNRESET)'],
    ] as const
  ).map(
    ([last, named]) =>
      [new failures.ServicePaused('billing', 'bill.example', last), 'bill.example', named] as const,
  ),
  [new failures.QueueFull('billing'), 'for the billing service'],
  [new failures.InvalidResponse('billing', 'no JSON', { status: 204, ...cause }), 'no JSON'],
  [new failures.ResponseTooLarge('billing', 5 * 1024 * 1024), 'more than 5 MB'],
  [new failures.RedirectRefused('billing', 302, 'https://other.example/'), '302'],
  [new failures.AddressRefused('127.0.0.1', 'is private'), '127.0.0.1: it is private'],
  [new failures.SlackFailed('users.info', 'ratelimited', { retryAfter: 2 }), 'rate limit'],
  ...['request_error', 'http_error', 'failed', 'ECONNRESET'].map(
    (code) => [new failures.SlackFailed('users.info', code), `did not answer users.info (${code})`] as const,
  ),
  ...['fatal_error', 'E', 'aECONNRESET', 'ECONNRESET_'].map(
    (code) =>
      [new failures.SlackFailed('users.info', code), `returned an error for users.info (${code})`] as const,
  ),
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
  [new failures.AccessMissing('123', 'prod'), 'prod'],
  [new failures.TooManyTokens(5, 10, 60_000), '5 tokens in 10 minutes'],
  [new failures.TokenTooLong(9_000), '9000'],
  [new failures.TokenNotRevoked('Slack is down.', 'until 10:00', cause)],
];

describe('a failure', () => {
  it('says what happened in whole sentences, and names what it is about', () => {
    for (const [failure, ...names] of failuresOfAll()) {
      const { message } = failure;
      expect(message).toMatch(/^(?:[A-Z]|“|prod ).{10,}[.?]$/u);
      expect(message).not.toMatch(/undefined|null|\[object|\s{2}/);
      for (const name of names) expect(message).toContain(name);
      expect(failures.isFailure(failure)).toBe(true);
    }
  });

  it('is of the kind that its class is called', () => {
    for (const [failure] of failuresOfAll()) {
      const { name, kind } = failure;
      expect(name).toBe(failure.constructor.name);
      expect(kind).toBe(name.replace(/(?<=.)[A-Z]/g, '-$&').toLowerCase());
    }
  });

  it('of every class is among these', () => {
    const classes = Object.values(failures).filter(
      (one) => typeof one === 'function' && one.prototype instanceof Error,
    );
    expect(new Set(failuresOfAll().map(([failure]) => failure.constructor))).toEqual(new Set(classes));
  });

  it('has a sentence of its own for each reason', () => {
    const said = failuresOfAll().map(([failure]) => `${failure.kind} ${failure.message}`);
    expect(said.filter((one, at) => said.indexOf(one) !== at)).toEqual([
      // A kind that nobody knows, and none, are a record.
      ...['unseal-failed', 'unseal-failed'].map((kind) => `${kind} Tally can’t read the stored record.`),
    ]);
  });

  it('keeps its cause, for the log alone', () => {
    const withCause = failuresOfAll().filter(([failure]) => failure.cause === cause.cause);
    expect(withCause.map(([{ kind }]) => kind)).toEqual([
      ...[
        'outcome-unclear',
        'service-unreachable',
        'invalid-response',
        'store-unavailable',
        'token-not-revoked',
      ],
    ]);
    for (const [failure] of withCause) expect(failure.message).not.toContain('the reason');
  });

  it('of Slack says after how long to come again, and whether something may have been done', () => {
    expect(new failures.SlackFailed('a', 'ratelimited', { retryAfter: 0 })).toMatchObject({
      ...{ retryAfter: 0, unclear: false },
    });
    expect(new failures.SlackFailed('a', 'b', { unclear: true })).toMatchObject({ unclear: true });
    expect(new failures.SlackFailed('a', 'b')).not.toHaveProperty('retryAfter', expect.anything());
  });

  it('tells whether anything may have been saved, and whether all is as it was', () => {
    const outcomes = [
      new failures.StoreUnavailable({}, true),
      new failures.StoreUnavailable(),
      new failures.EditConflict(''),
      new failures.NotConnected(),
    ].map((failure) => [failures.mayHaveBeenSaved(failure), failures.changedNothing(failure)]);
    expect(outcomes).toEqual([
      [true, false],
      [false, true],
      [false, false],
      [false, true],
    ]);
    expect(failures.isFailure(new Error('other'))).toBe(false);
  });
});

describe('a refused word', () => {
  const SECRET = 'gAAAAABk1234567890abcdefXYZ';

  it('is quoted, at its beginning or where the sentence wants it', () => {
    expect(new InvalidWord('a', 'is wrong', 'Type b.').fact).toBe('“a” is wrong.');
    expect(new InvalidWord('a', 'You named {word}', '')).toMatchObject({
      ...{ fact: 'You named “a”.', message: 'You named “a”.', word: 'a', readings: [] },
    });
    expect(new InvalidWord('$&', 'You named {word}', '').fact).toBe('You named “$&”.');
  });

  it('is not repeated where it may be a secret, nor is anything offered that holds it', () => {
    const refused = new InvalidWord(SECRET, 'is wrong', 'Type b.', `${SECRET} today`);
    expect(refused.fact).toBe('One word (not repeated, as it may be a secret) is wrong.');
    expect(refused).toMatchObject({ word: '…', suggestion: undefined, readings: [] });
    const within = new InvalidWord(SECRET, 'You named {word}', '').fact;
    expect(within).toBe('You named one word (not repeated, as it may be a secret).');
    expect(new InvalidWord(SECRET, 'is wrong', '', [`${SECRET} a`, 'b'])).toMatchObject({
      ...{ suggestion: 'b', readings: [] },
    });
  });

  it('is always or never repeated where that is known', () => {
    const always = new InvalidWord(SECRET, 'is wrong', '', SECRET, 'always');
    expect(always).toMatchObject({ word: SECRET, suggestion: SECRET });
    const never = new InvalidWord('a', 'is wrong', '', 'b', 'never');
    expect(never).toMatchObject({ word: '…', suggestion: undefined });
  });

  it('offers one text, or the readings of an ambiguous one', () => {
    expect(new InvalidWord('a', 'is wrong', '', 'b')).toMatchObject({ suggestion: 'b', readings: [] });
    expect(new InvalidWord('a', 'is wrong', '', ['b'])).toMatchObject({ suggestion: 'b', readings: [] });
    expect(new InvalidWord('a', 'is wrong', '', ['b', 'c'])).toMatchObject({
      ...{ suggestion: undefined, readings: ['b', 'c'] },
    });
    expect(new InvalidWord('a', 'is wrong', '', [])).toMatchObject({ suggestion: undefined, readings: [] });
  });

  it('can be withheld later, with what it offered', () => {
    const refused = new InvalidWord('a', 'is wrong', 'Type b.', 'b', 'judged', 'projects edit').withheld();
    expect(refused).toMatchObject({
      ...{ word: '…', suggestion: undefined, projectFor: 'projects edit' },
      message: 'One word (not repeated, as it may be a secret) is wrong. Type b.',
    });
  });
});

it('a text of more than a thousand characters is refused', () => {
  expect(() => failures.requireShortText('a'.repeat(1_000))).not.toThrow();
  expect(() => failures.requireShortText('a'.repeat(1_001))).toThrow(failures.TextTooLong);
});
