/** What managers answered reaches the person who asked, whatever ends in between. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createKeyring } from '../../src/vault/keyring.ts';
import {
  createManagerRequests,
  type ManagerRequest,
  requestId,
} from '../../src/workspace/once/manager-requests.ts';
import { auditedChange } from '../../src/workspace/record/change.ts';
import { createDeliveryParts } from '../support/delivery.ts';
import { directMessage, type MinimalSlack, startMinimalSlack } from '../support/minimal-slack.ts';
import { storedProject } from '../support/projects.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const [ANNA, BEN] = ['U0ANNA0001', 'U0BEN00001'];
const TEAM = 'T0ANSWERS1';
const DAY = 86_400_000;
const BEGIN = Date.parse('2026-11-20T08:00:00Z');
const keyring = createKeyring([{ id: 'test', key: randomBytes(32) }]);
let now = BEGIN;
let redis: TestRedis;
let slack: MinimalSlack;
let parts: ReturnType<typeof createDeliveryParts>;

beforeAll(async () => {
  redis = await testRedis();
  slack = await startMinimalSlack();
  slack.now = () => now;
  parts = createDeliveryParts({
    ...{ redis: redis.client, redisUrl: redis.url, slackUrl: slack.url, keyring, clock: () => now },
  });
});
afterAll(async () => {
  await parts.close();
  await Promise.all([slack.close(), redis.close()]);
});
beforeEach(async () => {
  now = BEGIN;
  slack.reset();
  await redis.client.flushall();
  await redis.client.hset(`tally:{${TEAM}}:record`, 'settings', JSON.stringify({ managers: [BEN] }));
  const asked: ManagerRequest = {
    ...{ person: ANNA, isGuest: false, reason: 'manager', command: '/billing' },
    ...{ text: 'projects add prod 1', opensForm: true, at: now, state: 'open', messages: [] },
  };
  const entry = {
    at: now,
    who: ANNA,
    action: 'manager asked',
    about: { kind: 'project', alias: 'x' },
  } as const;
  await requests().open(TEAM, asked, entry);
  await requests().update(TEAM, ID, now, (found) => ({ next: { ...found, state: 'taken', by: BEN } }));
});

const ID = requestId({ person: ANNA, command: '/billing', text: 'projects add prod 1' });
const requests = () => createManagerRequests(redis.client);
const toldTo = () =>
  slack.posts
    .filter(({ channel }) => [ANNA, directMessage(ANNA)].includes(channel ?? ''))
    .map(({ text }) => text);

/** Saves a project with Ben's form, as it was opened for Anna's request. Nothing runs afterwards. */
async function saveForm(): Promise<void> {
  const workspace = await parts.workspaces.load(TEAM);
  const managerRequest = await requests().findTaken(TEAM, ID, now);
  const user = { teamId: TEAM, id: BEN };
  const change = auditedChange({ at: now, user, workspace, managerRequest }, [
    'project added',
    { kind: 'project', alias: 'prod' },
  ]);
  await parts.workspaces.addProject(change, storedProject({ alias: 'prod', id: '1' }));
}

it('tells the person of what was saved, although the process ended right after it', async () => {
  await saveForm();
  await parts.runner.run(TEAM);
  expect(toldTo()).toEqual([expect.stringContaining('did what you asked for')]);
  expect((await requests().find(TEAM, ID, now))?.state).toBe('done');
  await parts.runner.run(TEAM);
  expect(toldTo()).toHaveLength(1);
});

it('tells nothing of a change that comes after somebody said no', async () => {
  const taken = await requests().findTaken(TEAM, ID, now);
  const refused = (found: ManagerRequest) => ({ ...found, state: 'refused', answeredAt: now }) as const;
  await requests().update(TEAM, ID, now, (found) => ({ next: refused(found), isTold: true }));
  const workspace = await parts.workspaces.load(TEAM);
  const asked = { at: now, user: { teamId: TEAM, id: BEN }, workspace, managerRequest: taken };
  await parts.workspaces.saveSettings(
    auditedChange(asked, ['settings changed', { kind: 'settings', changed: ['zone'] }]),
    { zone: 'UTC' },
  );
  await parts.runner.run(TEAM);
  expect(toldTo()).toEqual([expect.stringContaining('said no')]);
});

it('forgets an answer after a day', async () => {
  await saveForm();
  await parts.runner.run(TEAM);
  now += DAY;
  await parts.runner.run(TEAM);
  const left = await redis.client.hkeys(`tally:{${TEAM}}:delivery-log`);
  expect(left.filter((field) => field.startsWith('answer/'))).toEqual([]);
});
