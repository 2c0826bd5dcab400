/** What Tally 1.0.0 wrote, as a backup of it: two workspaces with schedules, posts, watches and their alerts. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseLogEntry } from '../../src/delivery/log/delivery-log-entry.ts';
import { parseReminderState } from '../../src/delivery/reminders/reminder-plan.ts';
import { parseWatchState } from '../../src/delivery/watches/sent-alerts.ts';
import { createSubjectTexts } from '../../src/features/audit/subjects.ts';
import { readBackup } from '../../src/ops/backup.ts';
import { copyWorkspaces } from '../../src/ops/copy-workspaces.ts';
import { deliveryLogKey, recordKey } from '../../src/redis/keys.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createAudit } from '../../src/workspace/record/audit.ts';
import { createWorkspaceParser } from '../../src/workspace/record/parse-workspace.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const FILE = join(import.meta.dirname, 'tally-1.0.0.backup');
const KEY = { id: 'main', key: Buffer.from('xwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=', 'base64') };
const TEAM = 'T0SANDBOX1';
const CHANNEL = 'C0COSTS001';

describe('records of 1.0.0', () => {
  let redis: TestRedis;
  let log: Readonly<Record<string, string>>;
  const load = async () =>
    createWorkspaceParser(createKeyring([KEY]))(TEAM, await redis.client.hgetall(recordKey(TEAM)));
  beforeAll(async () => {
    redis = await testRedis();
    expect(await copyWorkspaces(readBackup(createReadStream(FILE)), redis.client, () => undefined)).toBe(
      true,
    );
    log = await redis.client.hgetall(deliveryLogKey(TEAM));
  });
  afterAll(() => redis.close());

  it('are all read: schedules and watches go on', async () => {
    const { damaged, schedules, watches, connections, accesses } = await load();
    expect(damaged).toEqual([]);
    expect([schedules.length, connections.size, accesses.size]).toEqual([2, 1, 1]);
    const projects = [{ id: '123', product: 1, alias: 'prod' }];
    expect(watches.map(({ rule, projects, channel }) => [rule.kind, projects, channel])).toEqual([
      ['balance', projects, CHANNEL],
      ['runway', projects, CHANNEL],
      ['budget', projects, CHANNEL],
    ]);
  });

  it('say what was alerted, so that nothing is alerted again', async () => {
    const { watches } = await load();
    const states = watches.map(({ id }) => parseWatchState(log[`watch/${id}`]));
    expect(states.map((state) => state?.alerted.map(({ level }) => level))).toEqual([
      ['threshold'],
      ['threshold'],
      ['50'],
    ]);
  });

  it('say what was posted, and where', () => {
    const entries = Object.keys(log).filter((name) => /^\w{8}\/\d{4}-\d{2}-\d{2}$/.test(name));
    expect(entries.map((name) => parseLogEntry(log[name] ?? ''))).toMatchObject([
      { state: 'posted', channel: CHANNEL, ts: expect.stringMatching(/^\d+\.\d+$/), due: expect.any(Number) },
    ]);
  });

  it('leave a post that is tried again to be tried again', () => {
    const tried = { state: 'trying', due: 2, at: 3, began: 1, tries: 4, next: 5, waits: true };
    const { state, ...others } = parseLogEntry(JSON.stringify(tried));
    expect([state, others]).toEqual([
      'due',
      { due: 2, at: 3, began: 1, tries: 4, next: 5, awaitsFigures: true },
    ]);
  });

  it('say of what people were reminded', () => {
    const state = { credential: 'abc/1', told: ['14'], messages: [] };
    expect(parseReminderState(JSON.stringify(state))).toEqual({
      credential: 'abc/1',
      reminded: ['14'],
      messages: [],
    });
  });

  it('name in the audit what each change was about', async () => {
    const textOf = createSubjectTexts({}, await load());
    const entries = (await createAudit(redis.client).page(TEAM, 100)).entries;
    const texts = entries.map((entry) => [entry.action, textOf(entry)]);
    expect(texts).toContainEqual(['connection registered', 'main']);
    expect(texts.filter(([, text]) => text === '')).toEqual([]);
  });
});
