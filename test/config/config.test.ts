import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, parseConfig } from '../../src/config/config.ts';
import { anyText } from '../support/any-text.ts';

const KEY = Buffer.from([...Array(32).keys()]).toString('base64');
const HTTP = {
  SLACK_BOT_TOKEN: 'xoxb-not-a-real-token',
  SLACK_SIGNING_SECRET: '0123456789abcdef0123456789abcdef',
  REDIS_URL: 'redis://127.0.0.1:6379',
  ENCRYPTION_KEYS: `k1:${KEY}`,
};

const OAUTH = {
  ...HTTP,
  SLACK_BOT_TOKEN: undefined,
  SLACK_CLIENT_ID: '111.222',
  SLACK_CLIENT_SECRET: 'not-a-real-client-secret',
  SLACK_STATE_SECRET: 'not-a-real-state-secret',
  PUBLIC_URL: 'https://tally.example.com/',
};

function refusal(env: NodeJS.ProcessEnv): ConfigError {
  try {
    parseConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('The configuration was taken.');
}

function problemOf(changes: NodeJS.ProcessEnv) {
  const { problems } = refusal({ ...HTTP, ...changes });
  expect(problems).toHaveLength(1);
  return problems[0]!;
}

describe('the bot’s environment', () => {
  it('needs only four variables; all others are optional', () => {
    expect(parseConfig(HTTP)).toEqual({
      slack: {
        mode: { kind: 'http' },
        credentials: { kind: 'token', botToken: 'xoxb-not-a-real-token' },
        signingSecret: '0123456789abcdef0123456789abcdef',
        apiUrl: 'https://slack.com/api/',
      },
      http: { port: 3000 },
      redisUrl: 'redis://127.0.0.1:6379',
      keys: [{ id: 'k1', key: Buffer.from([...Array(32).keys()]) }],
      billing: {},
      identity: {},
      trustedHosts: [],
      log: { level: 'info' },
    });
  });

  it('may set optional variables', () => {
    const config = parseConfig({
      ...HTTP,
      SLACK_API_URL: 'http://127.0.0.1:4000/api',
      PORT: '8080',
      PUBLIC_URL: 'https://tally.example.com/',
      BILLING_BASE_URL: 'https://api.example.com/',
      IDENTITY_AUTH_URL: 'https://identity.example.com/v3/',
      TRUSTED_API_HOSTS: 'billing.internal:8443',
      LOG_LEVEL: 'WARN',
    });
    expect(config).toMatchObject({
      slack: { apiUrl: 'http://127.0.0.1:4000/api/' },
      http: { port: 8080 },
      billing: { baseUrl: 'https://api.example.com' },
      identity: { authUrl: 'https://identity.example.com/v3' },
      trustedHosts: [{ host: 'billing.internal', port: 8443 }],
      log: { level: 'warn' },
    });
  });

  it('needs no signing secret if an app-level token turns on Socket Mode', () => {
    const { slack } = parseConfig({
      ...HTTP,
      SLACK_SIGNING_SECRET: '',
      SLACK_APP_TOKEN: 'xapp-not-a-real-token',
    });
    expect(slack).toMatchObject({
      mode: { kind: 'socket', appToken: 'xapp-not-a-real-token' },
      signingSecret: '',
    });
  });

  it('may have spaces and quotes around values, and empty values', () => {
    const config = parseConfig({ ...HTTP, PORT: ' "3001" ', LOG_LEVEL: "''", BILLING_BASE_URL: '   ' });
    expect(config.http.port).toBe(3001);
    expect(config.log.level).toBe('info');
    expect(config.billing).toEqual({});
  });

  it('is refused with a list of everything that is missing or wrong', () => {
    const error = refusal({});
    expect(error.problems.map(({ name }) => name).sort()).toEqual([
      'ENCRYPTION_KEYS',
      'REDIS_URL',
      'SLACK_BOT_TOKEN',
      'SLACK_SIGNING_SECRET',
    ]);
    for (const { name, works } of error.problems)
      expect(error.message).toContain(`${name} is not set. ${works}`);
    expect(error.message).toContain('npm run sandbox');
    expect(error.message).toContain('openssl rand -base64 32');
    const mixed = refusal({ ...HTTP, PORT: 'x', REDIS_URL: '' });
    expect(mixed.problems.map(({ name }) => name)).toEqual(['PORT', 'REDIS_URL']);
  });

  it('may have the three OAuth variables and the public URL instead of a bot token', () => {
    const { slack } = parseConfig(OAUTH);
    expect(slack.credentials).toEqual({
      kind: 'oauth',
      clientId: '111.222',
      clientSecret: 'not-a-real-client-secret',
      stateSecret: 'not-a-real-state-secret',
      publicUrl: 'https://tally.example.com',
    });
  });

  it.each(['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET', 'PUBLIC_URL'])(
    'cannot turn on OAuth without %s',
    (name) => {
      const { problems } = refusal({ ...OAUTH, [name]: undefined });
      expect(problems).toMatchObject([{ name, what: 'is not set' }]);
      expect(problems[0]?.works).toContain('Installing by OAuth needs');
    },
  );

  it('cannot have both a bot token and the OAuth variables', () => {
    const { problems } = refusal({ ...OAUTH, SLACK_BOT_TOKEN: HTTP.SLACK_BOT_TOKEN });
    expect(problems).toEqual([
      {
        name: 'SLACK_BOT_TOKEN',
        what: 'is set together with SLACK_CLIENT_ID, SLACK_CLIENT_SECRET, SLACK_STATE_SECRET',
        works: 'A bot token serves one workspace, OAuth serves many. Keep one and unset the other.',
      },
    ]);
  });

  it.each(['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'])(
    'cannot have a Slack token or a space in %s, and the error does not show the value',
    (name) => {
      for (const value of ['xoxb-not-a-real-token', 'two words']) {
        const error = refusal({ ...OAUTH, [name]: value });
        expect(error.problems.map((problem) => problem.name)).toEqual([name]);
        expect(error.message).not.toContain(value);
      }
    },
  );

  it.each([
    ['SLACK_BOT_TOKEN', 'xoxp-a-users-token', 'xoxb-'],
    ['SLACK_BOT_TOKEN', 'xoxb-', 'xoxb-'],
    ['SLACK_APP_TOKEN', 'xoxb-not-a-real-token', 'xapp-'],
    ['SLACK_SIGNING_SECRET', 'xoxb-not-a-real-token', '32 characters'],
    ['SLACK_API_URL', 'http://slack.example.com/api/', 'https://slack.com/api/'],
    ['SLACK_API_URL', 'http://127.0.0.1.example.com/api/', 'https://slack.com/api/'],
    ['SLACK_API_URL', 'slack.com/api', 'https://slack.com/api/'],
    ['PORT', '0', '1 to 65535'],
    ['PORT', '65536', '1 to 65535'],
    ['PORT', '3000.5', '1 to 65535'],
    ['PORT', '0x10', '1 to 65535'],
    ['PUBLIC_URL', 'tally.example.com', 'https://'],
    ['PUBLIC_URL', 'ftp://tally.example.com', 'https://'],
    ['PUBLIC_URL', 'https://tally.example.com.', 'https://'],
    ['BILLING_BASE_URL', 'https://name:pass@api.example.com', 'https://api.example.com'],
    ['IDENTITY_AUTH_URL', 'identity.example.com', '/v3'],
    ['IDENTITY_AUTH_URL', 'https://api.example.com/v3?x=1', 'https://api.example.com'],
    ['REDIS_URL', '127.0.0.1:6379', 'redis://'],
    ['LOG_LEVEL', 'loud', 'info'],
    ['TRUSTED_API_HOSTS', 'https://api.example.com', 'without https://'],
    ['TRUSTED_API_HOSTS', 'api.example.com:0', 'host:port'],
    ['TRUSTED_API_HOSTS', 'api.example.com:65536', 'host:port'],
    ['TRUSTED_API_HOSTS', '[fd00::5:8443', 'host:port'],
    ['TRUSTED_API_HOSTS', '*.internal', 'host:port'],
  ])('cannot have %s=%s, and the error says what works', (name, value, works) => {
    const problem = problemOf({ [name]: value });
    expect(problem.name).toBe(name);
    expect(`${problem.what} ${problem.works}`).toContain(works);
  });

  it.each(['localhost', '127.0.0.9', '[::1]'])('may use plain http for the Slack API on %s', (host) => {
    expect(parseConfig({ ...HTTP, SLACK_API_URL: `http://${host}:1/api` }).slack.apiUrl).toBe(
      `http://${host}:1/api/`,
    );
  });

  it('may name trusted hosts with ports, in capital letters, and as short IP addresses', () => {
    const { trustedHosts } = parseConfig({
      ...HTTP,
      TRUSTED_API_HOSTS: 'LocalHost, 127.1:80 ,[FD00:0::5]:8443,::1,[::1],',
    });
    expect(trustedHosts).toEqual([
      { host: 'localhost' },
      { host: '127.0.0.1', port: 80 },
      { host: 'fd00::5', port: 8443 },
      { host: '::1' },
      { host: '::1' },
    ]);
  });

  it('is refused with an error that never shows the wrong value', () => {
    const secret = 'zq-Secret-7f3a9b';
    for (const name of [
      ...Object.keys(HTTP),
      'SLACK_APP_TOKEN',
      'SLACK_API_URL',
      'PORT',
      'PUBLIC_URL',
      'LOG_LEVEL',
    ]) {
      const env = { ...HTTP, [name]: `${secret}\t${secret}` };
      expect(refusal(env).message).not.toContain(secret);
    }
    expect(refusal({ ...HTTP, TRUSTED_API_HOSTS: `${secret}/x` }).message).not.toContain(secret);
    expect(refusal({ ...HTTP, ENCRYPTION_KEYS: `${secret}:${secret}` }).message).not.toContain(secret);
  });
});

describe('ENCRYPTION_KEYS', () => {
  it('may use standard or URL-safe base64, and keeps the order of its keys', () => {
    const bytes = Buffer.alloc(32, 0xfb).fill(0xff, 20);
    const text = `new:${bytes.toString('base64url')}, old:${bytes.toString('base64')}`;
    const { keys } = parseConfig({ ...HTTP, ENCRYPTION_KEYS: text });
    expect(keys).toEqual([
      { id: 'new', key: bytes },
      { id: 'old', key: bytes },
    ]);
  });

  it('is refused if a key is too short, and the error says how many bytes the key has', () => {
    const short = `k1:${KEY},k2:${Buffer.alloc(16).toString('base64')}`;
    const problem = problemOf({ ENCRYPTION_KEYS: short });
    expect(problem.what).toContain('key 2 has 16 bytes instead of 32');
    expect(problem.works).toContain('openssl rand -base64 32');
  });

  it.each([
    ['a key without a name', KEY],
    ['an empty name', `:${KEY}`],
    ['a name with a space', `my key:${KEY}`],
    ['a name of 33 letters', `${'k'.repeat(33)}:${KEY}`],
    ['a key that is not base64', `k1:${'!'.repeat(44)}`],
    ['a superfluous comma', `k1:${KEY},`],
    ['two keys with the same name', `k1:${KEY},k1:${KEY}`],
  ])('is refused if it contains %s', (_, text) =>
    expect(problemOf({ ENCRYPTION_KEYS: text }).name).toBe('ENCRYPTION_KEYS'),
  );

  it('accepts any 32 bytes as a key, under any valid name', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,32}$/);
    const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
    const keys = fc.uniqueArray(fc.record({ id, key }), { selector: (entry) => entry.id, minLength: 1 });
    fc.assert(
      fc.property(keys, (entries) => {
        const text = entries.map((entry) => `${entry.id}:${entry.key.toString('base64')}`).join(',');
        expect(parseConfig({ ...HTTP, ENCRYPTION_KEYS: text }).keys).toEqual(entries);
      }),
    );
  });
});

it('the parser of the environment never crashes, whatever text a variable contains', () => {
  const names = [
    ...Object.keys(HTTP),
    'PORT',
    'SLACK_API_URL',
    'TRUSTED_API_HOSTS',
    'PUBLIC_URL',
    'LOG_LEVEL',
  ];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), anyText()), (changes) => {
      try {
        parseConfig({ ...HTTP, ...changes });
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
      }
    }),
  );
});
