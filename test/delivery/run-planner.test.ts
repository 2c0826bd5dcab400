import { beforeEach, expect, it } from 'vitest';
import { wakeUpTime } from '../../src/delivery/run-planner.ts';
import { indexKey, membersKey, recordKey } from '../../src/redis/keys.ts';
import { createDeletion } from '../../src/workspace/record/deletion.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-index.ts';
import { finding, save, schedule } from '../support/delivery.ts';
import { recordFields } from '../support/redis.ts';
import { startDelivery, TEAM } from '../support/start-delivery.ts';
import { waitUntil } from '../support/wait-until.ts';

const HOUR = 3_600_000;

let ahead: number;
const delivery = await startDelivery(0, () => ({ clock: () => Date.now() + ahead }));
const { redis, slack } = delivery;

beforeEach(() => {
  ahead = 0;
  slack.now = () => Date.now() + ahead;
});

/** Due a minute ago, and each day again. */
const due = () => ({
  cadence: { kind: 'daily' as const },
  time: new Date(Date.now() - 60_000).toISOString().slice(11, 16),
  zone: 'UTC',
});
const given = (since = Date.now() - 2 * HOUR) => save(redis, TEAM, schedule({ timing: due(), since }));
/** The workspaces that will be woken. */
const planned = async () =>
  (await redis.zrange('{tally-0}:deliver:delayed', '0', '-1')).map((job) => job.split('.')[0]);
const posted = async (count: number) => {
  while (slack.posts.length < count) await new Promise((resolve) => setTimeout(resolve, 10));
};

it('posts at its start what fell due before, and plans the next wake-up', async () => {
  await given();
  delivery.parts.planner.start();
  await posted(1);
  await waitUntil(async () => (await planned()).join() === TEAM);
});

it('posts what is due when it wakes, although nothing has changed since', async () => {
  await given(Date.now());
  await delivery.parts.planner.changed(TEAM);
  ahead = 25 * HOUR;
  await delivery.restart();
  delivery.parts.planner.start();
  await posted(1);
});

it('wakes at once for a schedule that was changed and is due', async () => {
  delivery.parts.planner.start();
  await given();
  await delivery.parts.planner.changed(TEAM);
  await posted(1);
});

it('plans again from a record that another process changed while it was read', async () => {
  await redis.hset(recordKey(TEAM), 'settings', '{}');
  const index = createWorkspaceIndex(redis);
  let isChanged = false;
  await delivery.restart({
    index: {
      ...index,
      async moveCheck(entry, at) {
        if (!isChanged) {
          isChanged = true;
          await given(Date.now());
          await index.touch(TEAM);
        }
        return index.moveCheck(entry, at);
      },
    },
  });
  await delivery.parts.planner.changed(TEAM);
  expect(await planned()).toEqual([TEAM]);
});

it('removes the wake-ups of a workspace whose record is gone', async () => {
  await given(Date.now());
  await delivery.parts.planner.changed(TEAM);
  await redis.del(`tally:{${TEAM}}:record`);
  ahead = 48 * HOUR;
  await delivery.parts.planner.repair();
  expect(await redis.zrange(indexKey(0), '0', '-1')).toEqual([]);
  expect(await planned()).toEqual([]);
});

it('finds a run that was lost, and reads no workspace before its check is due', async () => {
  await given(Date.now());
  await delivery.parts.planner.changed(TEAM);
  const lose = async () => {
    const lost = await redis.keys('{tally-0}:*');
    await redis.unlink(...lost);
  };
  await lose();
  await delivery.parts.planner.repair();
  expect(await planned()).toEqual([]);
  ahead = 48 * HOUR;
  await delivery.parts.planner.repair();
  expect(await planned()).toEqual([TEAM]);
});

it('leaves a check behind if its process ends before the wake-up is planned', async () => {
  await given(Date.now());
  await delivery.parts.close();
  await expect(delivery.parts.planner.changed(TEAM)).rejects.toThrow();
  expect(await planned()).toEqual([]);
  ahead = 10 * 60_000;
  await delivery.restart();
  await delivery.parts.planner.repair();
  expect(await planned()).toEqual([TEAM]);
});

it('finds the lost runs of more workspaces than it reads at a time', async () => {
  const teams = Array.from({ length: 201 }, (_, n) => `T0TEAM${n}`);
  const saved = schedule({ timing: due(), since: Date.now() });
  await Promise.all(teams.map((team) => save(redis, team, saved)));
  await Promise.all(teams.map((team) => createWorkspaceIndex(redis).touch(team)));
  ahead = HOUR;
  await delivery.parts.planner.repair();
  expect((await planned()).sort()).toEqual([...teams].sort());
});

it('derives everything again when the rules of time zones have changed', async () => {
  await given(Date.now());
  await delivery.parts.planner.changed(TEAM);
  await delivery.parts.planner.repair();
  await redis.set('tally:{tally-0}:zones', 'of another year');
  expect(await createWorkspaceIndex(redis).due(0, Date.now(), 10)).toEqual([]);
  await redis.del('tally:{tally-0}:check-lock');
  await createWorkspaceIndex(redis).claimChecks(0, 'a process', 1_000);
  expect(await createWorkspaceIndex(redis).due(0, Date.now(), 10)).toMatchObject([{ workspace: TEAM }]);
});

it('wakes a workspace by the clocks of its schedule’s zone, also when they change', async () => {
  ahead = Date.parse('2027-03-27T12:00:00Z') - Date.now();
  const rome = { ...due(), time: '09:00', zone: 'Europe/Rome' };
  await save(redis, TEAM, schedule({ timing: rome, since: Date.now() + ahead }));
  await delivery.parts.planner.changed(TEAM);
  const [job = ''] = await redis.zrange('{tally-0}:deliver:delayed', '0', '-1');
  expect(job).toBe(`${TEAM}.${wakeUpTime(TEAM, { nextDue: Date.parse('2027-03-28T07:00:00Z') }, 0)}`);
});

it('plans no further wake-up after one that finds no schedule any more', async () => {
  await given(Date.now());
  await delivery.parts.planner.changed(TEAM);
  await redis.hset(recordKey(TEAM), 'settings', '{}');
  await redis.hdel(recordKey(TEAM), 'schedule:schedul1');
  await delivery.parts.planner.changed(TEAM);
  expect(await planned()).toEqual([TEAM]);
  delivery.parts.planner.start();
  const [job = ''] = await redis.zrange('{tally-0}:deliver:delayed', '0', '-1');
  await redis.zadd('{tally-0}:deliver:delayed', 0, job);
  await delivery.parts.scheduler.runAt('T0OTHER001', Date.now() + HOUR);
  await waitUntil(async () => (await planned()).join() === 'T0OTHER001');
});

it('wakes nobody for a schedule that somebody paused', async () => {
  await save(
    redis,
    TEAM,
    schedule({
      timing: due(),
      since: Date.now() - 2 * HOUR,
      paused: { why: 'person', at: 0, by: 'U0OWNER001' },
    }),
  );
  await delivery.parts.planner.changed(TEAM);
  expect(await planned()).toEqual([]);
  expect(await redis.keys(`*${TEAM}*`)).toEqual([`tally:{${TEAM}}:record`]);
});

it('leaves nothing that names a workspace which leaves while its posts are delivered', async () => {
  let gone = false;
  await delivery.restart({
    async report() {
      await createDeletion({ redis: redis, others: delivery.parts.scheduler.forget }).workspace(TEAM);
      gone = true;
      return finding('100');
    },
  });
  await given();
  delivery.parts.planner.start();
  while (!gone) await new Promise((resolve) => setTimeout(resolve, 10));
  const named = async () => {
    const keys = (await redis.keys('*')).join(' ');
    const events = JSON.stringify(await redis.xrange('{tally-0}:deliver:events', '-', '+'));
    const jobs = await redis.zrange('{tally-0}:deliver:delayed', '0', '-1');
    return `${keys} ${events} ${jobs}`.includes(TEAM);
  };
  // The run ends some moments later, well before it would be woken again.
  for (let left = 300; left > 0 && (await named()); left -= 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await named()).toBe(false);
  expect(slack.posts).toEqual([]);
});

it.each([
  ['is deleted', {}, [], []],
  ['stays if the workspace belongs to it', {}, [TEAM], ['served']],
  ['stays beside anything else', { settings: '{}' }, [], ['served', 'settings']],
])('the note of an organization that has left %s', async (_, fields, members, left) => {
  await redis.hset(recordKey(TEAM), { served: 'E0GRID0001', ...fields });
  if (members.length > 0) await redis.sadd(membersKey('E0GRID0001'), ...members);
  await delivery.parts.planner.changed(TEAM);
  expect(Object.keys(await recordFields(redis, recordKey(TEAM))).sort()).toEqual(left);
  expect(await createWorkspaceIndex(redis).due(0, Number.MAX_SAFE_INTEGER, 10)).toHaveLength(
    left.length === 0 ? 0 : 1,
  );
});
