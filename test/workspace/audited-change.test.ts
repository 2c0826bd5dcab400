import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';

import { connectRedis, waitUntilReady } from '../../src/redis/connect.ts';
import { createKeyring, reseal } from '../../src/vault/keyring.ts';
import { sealOwnerOfField } from '../../src/workspace/credentials/credential-records.ts';
import { createInstallationStore } from '../../src/workspace/credentials/installation-store.ts';
import { createAudit } from '../../src/workspace/record/audit.ts';
import { auditedChange, type WorkspaceChange } from '../../src/workspace/record/audited-change.ts';
import { findConnection, findProject } from '../../src/workspace/record/workspace.ts';
import { createWorkspaces } from '../../src/workspace/record/workspace-repository.ts';
import { type AuditEntry, createWorkspaceDeleter } from '../../src/workspace/record/workspace-store.ts';
import { createEventDedup } from '../../src/workspace/replay-protection.ts';
import { schedule } from '../support/delivery.ts';
import { aFailure } from '../support/failures.ts';
import { changeIn } from '../support/projects.ts';
import { workspaceKeys } from '../support/redis.ts';
import { startRedisProxy } from '../support/redis-proxy.ts';
import {
  ACCESS,
  ADDED_AT,
  HASH,
  MAIN,
  PROD,
  startWorkspaceStore,
  WATCH,
} from '../support/workspace-store.ts';

const NOW = ADDED_AT;
const OLD = { id: 'old', key: randomBytes(32) };
const NEW = { id: 'new', key: randomBytes(32) };
const ENTRY: AuditEntry = { at: NOW, who: 'U1', action: 'changed the settings:', about: 'zone' };

const { store, redis, workspaces, read } = await startWorkspaceStore(OLD);

const change = () => changeIn(workspaces, 'T1', ENTRY);
const entries = async () => (await createAudit(redis).page('T1', 10)).entries;
const FIRST = 'Someone else just changed this.';

/** Every method that saves, each on a record that it can change. */
const SAVING: Record<string, (change: WorkspaceChange) => Promise<unknown>> = {
  'a changed setting': (by) => workspaces.saveSettings(by, { zone: 'Asia/Tokyo' }),
  'a new connection': (by) => workspaces.saveConnection(by, { ...MAIN, name: 'eu' }, 'eu'),
  'a replaced connection': (by) => workspaces.saveConnection(by, { ...MAIN, token: 'another-fake-token' }),
  'a removed connection': (by) => workspaces.removeConnection(by, 'main'),
  'another default connection': (by) => workspaces.chooseDefault(by, 'second'),
  'a new project': (by) => workspaces.addProject(by, { ...PROD, alias: 'staging' }),
  'a changed project': (by) => workspaces.changeProject(by, 'prod', { ...PROD, product: 2 }),
  'a renamed project': (by) => workspaces.changeProject(by, 'prod', { ...PROD, alias: 'live' }),
  'a removed project': (by) => workspaces.removeProject(by, PROD),
  'a channel default': (by) => workspaces.setChannelDefault(by, 'C2', 'prod'),
  'a removed channel default': (by) => workspaces.setChannelDefault(by, 'C1', undefined),
  'a removed damaged project': (by) => workspaces.dropDamagedProject(by, 'damaged'),
  'a new access': (by) => workspaces.saveAccess(by, { ...ACCESS, project: '456' }),
  'a replaced access': (by) => workspaces.saveAccess(by, { ...ACCESS, registeredAt: NOW + 1 }),
  'a removed access': (by) => workspaces.removeAccess(by, '123'),
  'a new schedule': (by) => workspaces.schedules.save(by, schedule({ id: 'schedul9' })),
  'a changed schedule': (by) => workspaces.schedules.save(by, schedule({ channel: 'C9' })),
  'a removed schedule': (by) => workspaces.schedules.remove(by, 'schedul1'),
  'a new watch': (by) => workspaces.watches.save(by, { ...WATCH, id: 'watchid9' }),
  'a changed watch': (by) => workspaces.watches.save(by, { ...WATCH, owner: 'U2' }),
  'a removed watch': (by) => workspaces.watches.remove(by, 'watchid1'),
};

/** One item of everything that can be changed. */
async function saveAll(): Promise<void> {
  const quiet = () => changeIn(workspaces, 'T1');
  for (const name of ['main', 'second']) await workspaces.saveConnection(await quiet(), { ...MAIN, name });
  await workspaces.addProject(await quiet(), PROD);
  await workspaces.setChannelDefault(await quiet(), 'C1', 'prod');
  await workspaces.saveAccess(await quiet(), ACCESS);
  await workspaces.schedules.save(await quiet(), schedule({ id: 'schedul1' }));
  await workspaces.watches.save(await quiet(), { ...WATCH, id: 'watchid1' });
  await redis.hset(HASH, { 'project:damaged': '{' });
}

it('an audited change names its workspace, person, time, actions and objects', async () => {
  const workspace = await read();
  const request = { at: NOW, user: { id: 'U7' }, workspace };
  expect(auditedChange(request, ['added the project', 'prod'], ['changed the settings:', 'zone'])).toEqual({
    workspace,
    entries: [
      { at: NOW, who: 'U7', action: 'added the project', about: 'prod' },
      { at: NOW, who: 'U7', action: 'changed the settings:', about: 'zone' },
    ],
  });
});

describe('a change and its audit entry', () => {
  beforeEach(saveAll);

  it.each(Object.keys(SAVING))('are written together: %s', async (name) => {
    const before = await redis.hgetall(HASH);
    await SAVING[name]!(await change());
    expect(await redis.hgetall(HASH)).not.toEqual(before);
    expect(await entries()).toEqual([ENTRY]);
  });

  it.each(Object.keys(SAVING))('are both refused if the entry can’t be written: %s', async (name) => {
    const by = await change();
    const before = await redis.hgetall(HASH);
    // Redis refuses new entries in a stream whose last ID is the highest possible.
    await redis.xadd('tally:{T1}:audit', '18446744073709551615-18446744073709551615', 'who', 'U1');
    await expect(SAVING[name]!(by)).rejects.toThrow();
    expect(await redis.hgetall(HASH)).toEqual(before);
  });

  it('are saved once if Redis’s answer is lost and the person saves again', async () => {
    const by = await change();
    const proxy = await startRedisProxy(store.url);
    const interrupted = connectRedis(proxy.url);
    await waitUntilReady(interrupted, 2_000);
    const others = createWorkspaces({ redis: interrupted, keyring: createKeyring([OLD]) });
    proxy.loseAnswerTo('Asia/Tokyo');
    const lost = others.saveSettings(by, { zone: 'Asia/Tokyo' });
    await expect(lost).rejects.toMatchObject({ kind: 'store-unavailable' });
    interrupted.disconnect();
    await proxy.stop();
    await workspaces.saveSettings(by, { zone: 'Asia/Tokyo' });
    expect([(await read()).settings.zone, await entries()]).toEqual(['Asia/Tokyo', [ENTRY]]);
  });

  it('are refused while the settings are damaged, unless the change replaces the settings', async () => {
    await redis.hset(HASH, 'settings', '{');
    const by = await change();
    await expect(workspaces.chooseDefault(by, 'second')).rejects.toMatchObject({ kind: 'settings-damaged' });
    expect(await redis.hget(HASH, 'settings')).toBe('{');
    expect(await entries()).toEqual([]);
    await workspaces.saveSettings(by, { zone: 'Asia/Tokyo' });
    expect((await read()).settings.zone).toBe('Asia/Tokyo');
  });
});

describe('requests during an uninstall', () => {
  beforeEach(saveAll);
  const nothing = async () => expect(await workspaceKeys(redis)).toEqual([]);

  it.each(Object.keys(SAVING))('leave no key in Redis if they end after the uninstall: %s', async (name) => {
    const by = await change();
    await createWorkspaceDeleter({ redis }).workspace('T1');
    await expect(SAVING[name]!(by)).rejects.toMatchObject({
      kind: expect.stringMatching(/^(not-installed|edit-conflict)$/),
    });
    await nothing();
  });

  it.each(Object.keys(SAVING))(
    'leave no key in Redis, whether they or the uninstall end first: %s',
    async (name) => {
      const by = await change();
      await Promise.allSettled([
        SAVING[name]!(by),
        createWorkspaceDeleter({ redis }).workspace('T1'),
        SAVING[name]!(by),
      ]);
      await nothing();
    },
  );

  it('leave no key of an installation, audit entry, event or membership in Redis', async () => {
    const installed = createInstallationStore({ redis, keyring: createKeyring([OLD]) });
    await installed.save('T1', 'an installation');
    await createWorkspaceDeleter({ redis: redis, others: async () => undefined }).workspace('T1');
    await expect(createAudit(redis).record('T1', ENTRY)).rejects.toThrow(aFailure('not-installed'));
    expect(await createEventDedup(redis).first('T1', 'Ev1')).toBe(true);
    expect(await installed.lock('T1')).toBe(false);
    expect(await installed.replace('T1', 'an installation', 'another')).toBe(false);
    await workspaces.writeUnaudited('T1', { set: { 'used:main': '1' } });
    await installed.join('T1', 'T2');
    await nothing();
  });

  it('leave no key in Redis if they are the first requests of a workspace without Tally', async () => {
    await redis.flushdb();
    const asked: string[] = [];
    const left = createWorkspaces({
      redis,
      keyring: createKeyring([OLD]),
      async isInstalled(id) {
        asked.push(...(await redis.keys('*')), id);
        return false;
      },
    });
    await expect(left.saveConnection(await change(), MAIN)).rejects.toMatchObject({ kind: 'not-installed' });
    expect(asked).toEqual(expect.arrayContaining(['tally:{T1}:record', 'T1']));
    await nothing();
  });
});

describe('two people who change the same thing at once', () => {
  /** Both looked before either saved. */
  const both = async (
    first: (by: WorkspaceChange) => Promise<unknown>,
    second: (by: WorkspaceChange) => Promise<unknown>,
  ): Promise<PromiseSettledResult<unknown>> => {
    const [one, other] = [await change(), await change()];
    await first(one);
    const [late] = await Promise.allSettled([second(other)]);
    return late!;
  };
  const told = (late: PromiseSettledResult<unknown>) =>
    late.status === 'rejected' ? (late.reason as Error).message : 'done';
  const rename = (alias: string) => (by: WorkspaceChange) =>
    workspaces.changeProject(by, 'prod', { ...PROD, alias });

  beforeEach(async () => {
    await workspaces.addProject(await changeIn(workspaces, 'T1'), PROD);
  });

  it('can’t both rename a project: the slower person gets an error', async () => {
    expect(told(await both(rename('live'), rename('main-site')))).toBe(FIRST);
    expect([...(await read()).aliases]).toEqual(['live']);
    expect(await entries()).toHaveLength(1);
  });

  it('can’t bring back a removed project by editing it', async () => {
    await workspaces.saveSettings(await changeIn(workspaces, 'T1'), { zone: 'Asia/Tokyo' });
    const late = await both(
      (by) => workspaces.removeProject(by, PROD),
      (by) => workspaces.changeProject(by, 'prod', { ...PROD, product: 2 }),
    );
    expect(told(late)).toBe(FIRST);
    expect((await read()).projects).toEqual([]);
  });

  it('can’t edit a project and also remove it: the slower person’s removal fails', async () => {
    const late = await both(
      (by) => workspaces.changeProject(by, 'prod', { ...PROD, id: '777' }),
      (by) => workspaces.removeProject(by, PROD),
    );
    expect(told(late)).toBe(FIRST);
    expect(findProject(await read(), 'prod')?.id).toBe('777');
  });

  it('can’t make a renamed project a channel’s default under its old name', async () => {
    const late = await both(rename('live'), (by) => workspaces.setChannelDefault(by, 'C1', 'prod'));
    expect(told(late)).toBe(FIRST);
    expect((await read()).channelDefault('C1')).toBeUndefined();
  });

  it('can’t overwrite settings that the other person saved first', async () => {
    const late = await both(
      (by) => workspaces.saveSettings(by, { zone: 'Asia/Tokyo' }),
      (by) => workspaces.saveSettings(by, { zone: 'Europe/Paris', guests: true }),
    );
    expect(told(late)).toBe(FIRST);
    expect((await read()).settings).toMatchObject({ zone: 'Asia/Tokyo', guests: false });
  });

  it('can’t overwrite a token that the other person saved first', async () => {
    await workspaces.saveConnection(await changeIn(workspaces, 'T1'), MAIN);
    const late = await both(
      (by) => workspaces.saveConnection(by, { ...MAIN, token: 'the-quicker-fake-token' }),
      (by) => workspaces.saveConnection(by, { ...MAIN, token: 'the-slower-fake-token' }),
    );
    expect(told(late)).toBe(FIRST);
    expect(findConnection(await read(), 'main')?.token()).toBe('the-quicker-fake-token');
  });

  it.each([
    ['a replaced access', 'a removed access'],
    ['a removed access', 'a replaced access'],
    ['a changed schedule', 'a removed schedule'],
    ['a removed schedule', 'a changed schedule'],
    ['a changed watch', 'a removed watch'],
    ['a removed watch', 'a changed watch'],
    ['a removed channel default', 'a removed project'],
  ])('end up with only the first change: %s, then %s', async (quick, slow) => {
    await redis.flushdb();
    await saveAll();
    const late = await both(SAVING[quick]!, SAVING[slow]!);
    expect(told(late)).toBe(FIRST);
    expect(await entries()).toHaveLength(1);
  });

  it.each([
    ...[
      'another default connection',
      'a changed setting',
      'a removed channel default',
      'a channel default',
      'a removed access',
    ],
    ...['a removed damaged project', 'a changed watch'],
  ])('cause one change and one audit entry if both want the same change: %s', async (name) => {
    await redis.flushdb();
    await saveAll();
    const change = SAVING[name]!;
    expect(told(await both(change, change))).toBe('done');
    const before = await redis.hgetall(HASH);
    await change(await changeIn(workspaces, 'T1', ENTRY));
    expect(await redis.hgetall(HASH)).toEqual(before);
    expect(await entries()).toHaveLength(1);
  });

  it('can replace a token that Tally has just encrypted again with a new key', async () => {
    await workspaces.saveConnection(await changeIn(workspaces, 'T1'), MAIN);
    const by = await change();
    const json = (await redis.hget(HASH, 'connection:main'))!;
    const owner = sealOwnerOfField('T1', 'connection:main', json)!;
    await redis.hset(HASH, 'connection:main', reseal(createKeyring([NEW, OLD]), owner, json)!);
    await workspaces.saveConnection(by, { ...MAIN, token: 'another-fake-token-wxyz' });
    expect(findConnection(await read(), 'main')?.token()).toBe('another-fake-token-wxyz');
  });
});
