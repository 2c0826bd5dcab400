import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { signingSecretProblem, tryKeys } from '../../src/ops/check-secrets.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createInstallationStore } from '../../src/workspace/credentials/installation-store.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const keyOf = (id: string) => ({ id, key: randomBytes(32) });
const [OURS, LOST] = [keyOf('2026'), keyOf('2025')];

let store: TestRedis;
beforeAll(async () => {
  store = await testRedis();
});
beforeEach(() => store.client.flushdb());
afterAll(() => store.close());

const seal = (workspace: string, key: typeof OURS) =>
  createInstallationStore({ redis: store.client, keyring: createKeyring([key]) }).save(
    workspace,
    'xoxb-fake',
  );

const tried = () => tryKeys(store.client, createKeyring([OURS]), 10);

it('finds nothing where all is well, and where nothing is stored', async () => {
  expect(await tried()).toEqual({ opened: 0, problem: undefined });
  await seal('T1', OURS);
  expect(await tried()).toEqual({ opened: 1, problem: undefined });
});

it('says in one line how much the keys don’t open, and which is missing', async () => {
  await seal('T1', LOST);
  await seal('T2', LOST);
  await seal('T3', OURS);
  expect((await tried()).problem?.says).toMatch(/^2 of 3 .* lacks “2025”/);
});

it('says so, too, where another key has the name of the one that sealed it', async () => {
  await seal('T1', { ...LOST, id: OURS.id });
  expect((await tried()).problem).toEqual({
    says: expect.stringMatching(/“2026” .* isn’t the key/),
    todo: expect.stringContaining('nothing is lost'),
  });
});

it('names in one line the records that can’t be read, and how to be rid of them', async () => {
  await seal('T1', OURS);
  const key = recordKey('T1');
  await store.client.hset(key, { 'schedule:aaaaaaaa': '{', 'project:prod': 'no JSON', settings: '[]' });
  await seal('T2', OURS);
  await store.client.hset(recordKey('T2'), 'watch:bbbbbbbb', '{');
  const { opened, problem } = await tried();
  expect(opened).toBe(2);
  expect(problem?.says).toMatch(/^4 records can’t be read and aren’t used: /);
  for (const field of ['schedule:aaaaaaaa', 'project:prod', 'settings'])
    expect(problem?.says).toContain(`${key} ${field}`);
  const [first = '', second] = problem?.todo.split('HDEL ').slice(1).toSorted() ?? [];
  for (const part of [key, 'schedule:aaaaaaaa', 'project:prod', 'settings']) expect(first).toContain(part);
  expect(second).toMatch(/^tally:\{T2\}:record watch:bbbbbbbb/);
});

it('says that a signing secret can’t be one, and doesn’t show it', () => {
  const { says = '' } = signingSecretProblem('a-short-one') ?? {};
  expect(says).toContain('SLACK_SIGNING_SECRET has 11 characters');
  expect(says).not.toContain('a-short-one');
  expect(signingSecretProblem('fedcba9876543210fedcba9876543210')).toBeUndefined();
});
