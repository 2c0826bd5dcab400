import { LogLevel } from '@slack/bolt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure, InvalidWord } from '../../src/domain/failure/index.ts';
import { boltLogger, createLog } from '../../src/ops/log.ts';
import { anyText } from '../support/any-text.ts';
import { runs } from '../support/test-run.ts';

function recording() {
  const lines: string[] = [];
  return { log: createLog('trace', { write: (line) => void lines.push(line) }), lines };
}

function lineOf(write: (log: ReturnType<typeof createLog>) => void) {
  const { log, lines } = recording();
  write(log);
  expect(lines).toHaveLength(1);
  return { text: lines[0]!, json: JSON.parse(lines[0]!) };
}

const SECRET = 'plainly-fake-0123456789';

describe('a log line', () => {
  it('is JSON with an ISO time and the name of its level', () => {
    const { json } = lineOf((log) => log.warn({ workspace: 'T1' }, 'slow'));
    expect(json).toMatchObject({ level: 'warn', workspace: 'T1', msg: 'slow' });
    expect(new Date(json.time).toISOString()).toBe(json.time);
  });

  it.each([
    'xoxb-1-plainly-fake-0123456789',
    'xoxp-plainly-fake-0123456789',
    'xoxe.xoxb-1-plainly-fake-0123456789',
    'xapp-1-plainly-fake-0123456789',
    'gAAAAABplainly-fake-0123456789==',
    'X-User-Token: plainly-fake-0123456789',
    "'x-user-token': 'plainly-fake-0123456789'",
    '{"X-User-Token":"plainly-fake-0123456789"}',
    '["X-User-Token","plainly-fake-0123456789"]',
    'X-Subject-Token: plainly-fake-0123456789',
    'Authorization: Bearer plainly-fake-0123456789',
    'sent Bearer plainly-fake-0123456789',
    'client_secret=plainly-fake-0123456789&code=1',
    'redis://:plainly-fake-0123456789@redis.example.com:6379',
    'https://hooks.slack.com/commands/T1/2/plainly-fake-0123456789',
  ])('has %s masked, wherever the text appears', (secret) => {
    const places: ((log: ReturnType<typeof createLog>) => void)[] = [
      (log) => log.info(`before ${secret}`),
      (log) => log.info('before %s', secret),
      (log) => log.info({ deep: { list: [secret] } }, 'x'),
      (log) => log.child({ bound: secret }).info('x'),
      (log) => log.error(new Error(secret)),
      (log) =>
        log.error({ err: new Error('outside', { cause: new Error('inside', { cause: secret }) }) }, 'x'),
      (log) => log.error({ body: JSON.stringify({ inner: secret }) }, 'x'),
    ];
    for (const place of places) {
      const { text } = lineOf(place);
      expect(text).not.toContain(SECRET);
      expect(text).toContain('[masked]');
    }
  });

  it.each('token X-User-Token authorization clientSecret client_secret password private_metadata'.split(' '))(
    'has the field %s masked, whatever its text',
    (name) => {
      fc.assert(
        fc.property(anyText(), (value) => {
          const { json } = lineOf((log) =>
            log.info({ deep: { [name]: `${SECRET}${value}` }, after: 'stays' }, 'x'),
          );
          expect(json).toMatchObject({ deep: { [name]: '[masked]' }, after: 'stays', msg: 'x' });
        }),
      );
    },
  );

  it('is valid JSON, whatever is logged', () => {
    const names = fc.constantFrom('token', 'authorization', 'cookie', 'x', 'X-User-Token: a', 'gAAAA');
    const parts = [
      ...'Authorization token= xoxb-1 :// : @ ,'.split(' '),
      ': ',
      '"',
      '\\',
      '\n',
      'Bearer ',
      "'",
    ];
    const texts = fc.oneof(
      anyText(),
      fc.array(fc.constantFrom(...parts)).map((chosen) => chosen.join('')),
    );
    const values = fc.oneof(
      texts,
      fc.integer(),
      fc.constant(null),
      fc.array(texts),
      fc.dictionary(names, texts),
    );
    fc.assert(
      fc.property(fc.dictionary(names, values), texts, (fields, message) => {
        const { json } = lineOf((log) => log.info({ fields, nested: JSON.stringify(fields) }, message));
        expect(json.level).toBe('info');
        expect(Object.keys(json.fields)).toHaveLength(Object.keys(fields).length);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('leaves a field readable if the field before it has a value such as “os-token”', () => {
    const { json } = lineOf((log) =>
      log.info({ where: 'os-token', kind: 'not-issuer', after: 'stays' }, 'x'),
    );
    expect(json).toMatchObject({ where: 'os-token', kind: 'not-issuer', after: 'stays' });
    const inner = JSON.stringify({ where: 'os-token', kind: 'not-issuer', token: SECRET });
    expect(lineOf((log) => log.info({ inner }, 'x')).json.inner).toBe(
      JSON.stringify({ where: 'os-token', kind: 'not-issuer', token: '[masked]' }),
    );
  });

  it('keeps ordinary words unmasked', () => {
    const words = { url: 'https://api.example.com:443/a@b', msg: 'token rejected, 3 cookies left' };
    expect(lineOf((log) => log.info({ url: words.url }, words.msg)).json).toMatchObject(words);
  });
});

describe('an error in the log', () => {
  it('shows only its name, kind, message, code, cause and stack', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), {
      code: 'ECONNREFUSED',
      config: { body: 'a body' },
    });
    const { json, text } = lineOf((log) =>
      log.error({ err: new Failure('store-unavailable', {}, { cause }) }, 'x'),
    );
    expect(json.err).toEqual({
      name: 'Failure',
      kind: 'store-unavailable',
      cause: { name: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED', stack: cause.stack },
    });
    expect(text).not.toContain('a body');
  });

  const question = { project: '123456', product: 1, days: undefined } as const;
  it.each<[Error, object]>([
    [
      new Failure('service-failed', { service: 'billing', status: 502 }),
      { name: 'Failure', kind: 'service-failed', service: 'billing', status: 502 },
    ],
    [
      new Failure('slack-failed', { method: 'chat.postMessage', code: 'ratelimited' }),
      { name: 'Failure', kind: 'slack-failed', method: 'chat.postMessage', code: 'ratelimited' },
    ],
    [
      Object.assign(new Failure('timed-out', { service: 'billing', after: 10_000 }), {
        host: 'billing.example.com',
      }),
      { name: 'Failure', kind: 'timed-out', service: 'billing', host: 'billing.example.com' },
    ],
    [new Failure('no-data', { question }), { name: 'Failure', kind: 'no-data' }],
    [new InvalidWord('hunter2', 'is wrong', ''), { name: 'Failure', kind: 'invalid-word' }],
  ])('shows what an operator needs and nothing that a person typed: %s', (err, said) => {
    expect(lineOf((log) => log.error({ err }, 'x')).json.err).toEqual(said);
  });

  it('is cut off where its causes repeat', () => {
    const error = new Error('round');
    error.cause = error;
    expect(lineOf((log) => log.error(error)).json.err.cause.cause.message).toBe('round');
  });

  it.each([
    ['thrown text', { name: 'string', message: 'thrown text' }],
    [{ body: 'a body' }, { name: 'object', message: '' }],
  ])('may be any value: %j', (err, said) => {
    expect(lineOf((log) => log.error({ err }, 'x')).json.err).toEqual(said);
  });
});

it('Slack’s SDK writes to Tally’s log without debug lines or request bodies', () => {
  const { log, lines } = recording();
  const logger = boltLogger(log);
  logger.setLevel(LogLevel.DEBUG);
  logger.debug('a whole body');
  logger.warn('careful', 'now');
  const data = { body: 'a body' };
  const error = Object.assign(new Error('An API error occurred'), { code: 'slack_error', data });
  logger.error('failed', error, data);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', from: 'slack-sdk', msg: 'careful now' },
    {
      level: 'error',
      msg: 'failed',
      err: { name: 'Error', code: 'slack_error', message: 'An API error occurred' },
    },
  ]);
  expect(lines.join('')).not.toContain('body');
});
