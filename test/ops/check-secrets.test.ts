import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { logSecretProblems, tryKeys } from '../../src/ops/check-secrets.ts';
import { createLog } from '../../src/ops/log.ts';
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

/** @returns the lines that a bot with our key logs when it starts */
async function linesOf(signingSecret = 'fedcba9876543210fedcba9876543210'): Promise<string[]> {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  await logSecretProblems(log, signingSecret, store.client, createKeyring([OURS]));
  return lines;
}

it('says nothing where all is well, and where nothing is stored', async () => {
  expect(await linesOf()).toEqual([]);
  await seal('T1', OURS);
  expect(await linesOf()).toEqual([]);
});

it('says in one line that the keys open nothing of what is stored, and which is missing', async () => {
  await seal('T1', LOST);
  await seal('T2', LOST);
  expect(await linesOf()).toEqual([expect.stringMatching(/"level":"error".*2 of 2 .* lacks “2025”/)]);
  await seal('T3', OURS);
  expect(await linesOf()).toEqual([]);
});

it('says so, too, where another key has the name of the one that sealed it', async () => {
  await seal('T1', { ...LOST, id: OURS.id });
  expect(await linesOf()).toEqual([
    expect.stringMatching(/“2026” .* isn’t the key .*nothing is lost|nothing is lost.*“2026”/),
  ]);
});

it('names in one line the records that can’t be read, and how to be rid of them', async () => {
  await seal('T1', OURS);
  const key = recordKey('T1');
  await store.client.hset(key, { 'schedule:aaaaaaaa': '{', 'project:prod': 'no JSON', settings: '[]' });
  await seal('T2', OURS);
  await store.client.hset(recordKey('T2'), 'watch:bbbbbbbb', '{');
  const { opened, problem } = await tryKeys(store.client, createKeyring([OURS]), 10);
  expect(opened).toBe(2);
  expect(problem?.says).toMatch(/^4 records can’t be read and aren’t used: /);
  for (const field of ['schedule:aaaaaaaa', 'project:prod', 'settings'])
    expect(problem?.says).toContain(`${key} ${field}`);
  const [first = '', second] = problem?.todo.split('HDEL ').slice(1).toSorted() ?? [];
  for (const part of [key, 'schedule:aaaaaaaa', 'project:prod', 'settings']) expect(first).toContain(part);
  expect(second).toMatch(/^tally:\{T2\}:record watch:bbbbbbbb/);
});

it('says in one line that a signing secret can’t be one, and doesn’t show it', async () => {
  const lines = await linesOf('a-short-one');
  expect(lines).toEqual([expect.stringContaining('SLACK_SIGNING_SECRET has 11 characters')]);
  expect(lines[0]).not.toContain('a-short-one');
});
