import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { createKeyring } from '../../src/vault/keyring.ts';
import type { NewConnection } from '../../src/workspace/credentials/credential-records.ts';
import { formatExpiry } from '../../src/workspace/credentials/credential-records.ts';
import type { Project } from '../../src/workspace/projects/project-record.ts';
import type { ServiceOutcome } from '../../src/workspace/record/service-outcomes.ts';
import {
  findConnection,
  findProject,
  findSchedule,
  requireSettings,
} from '../../src/workspace/record/workspace.ts';
import { createWorkspaces } from '../../src/workspace/record/workspace-repository.ts';
import { createWorkspaceDeleter } from '../../src/workspace/record/workspace-store.ts';
import { DEFAULT_SETTINGS } from '../../src/workspace/settings.ts';
import { schedule } from '../support/delivery.ts';
import { aFailure } from '../support/failures.ts';
import { changeIn } from '../support/projects.ts';
import { workspaceKeys } from '../support/redis.ts';
import {
  ADDED_AT,
  MAIN as CONNECTION,
  HASH,
  outcomesOf,
  PROD,
  startWorkspaceStore,
} from '../support/workspace-store.ts';

const KEY = { id: 'k1', key: randomBytes(32) };
const TOKEN = 'fake-user-access-token-abcd';
const NOW = ADDED_AT;
const MAIN: NewConnection = {
  ...CONNECTION,
  authUrl: 'https://identity.example.com/v3',
  lifetime: '90-days',
  expiresAt: Date.UTC(2027, 1, 19),
  type: 'for-a-user',
  account: 'Acme',
  test: { project: '123', product: 1 },
  token: TOKEN,
};
const STAGING: Project = { ...PROD, alias: 'staging', id: '456', connection: 'eu', currency: 'EUR' };

const { redis, workspaces, read } = await startWorkspaceStore(KEY);

const changing = (id = 'T1') => changeIn(workspaces, id);
const zone = (name: string) => ({ ...DEFAULT_SETTINGS, zone: name });

describe('a workspace', () => {
  it('begins with days in UTC, private answers, and no connection or project', async () => {
    const record = await read();
    expect(record.settings).toEqual(DEFAULT_SETTINGS);
    expect(record.settings).toMatchObject({ zone: 'UTC', visibility: 'asker', connection: 'main' });
    expect(findConnection(record)).toBeUndefined();
    expect(record.connections.size).toBe(0);
    expect(record.defaultConnection).toBeUndefined();
    expect(record.projects).toEqual([]);
    expect(record.aliases.size).toBe(0);
    expect(record.channelDefault('C1')).toBeUndefined();
  });

  it('keeps the settings and the connection that were saved', async () => {
    await workspaces.saveSettings(await changing(), zone('America/New_York'));
    const saved = await workspaces.saveConnection(await changing(), MAIN);
    const record = await read();
    const { token, ...shown } = findConnection(record)!;
    expect(record.settings).toEqual(zone('America/New_York'));
    expect(shown).toEqual(saved);
    expect(shown).toMatchObject({ authUrl: MAIN.authUrl, account: 'Acme', test: MAIN.test });
    expect(token()).toBe(TOKEN);
  });

  it('can be deleted without affecting another workspace', async () => {
    for (const id of ['T1', 'T2']) {
      await workspaces.saveSettings(await changing(id), zone('Asia/Tokyo'));
      await workspaces.saveConnection(await changing(id), MAIN);
      await workspaces.addProject(await changing(id), PROD);
      await workspaces.setChannelDefault(await changing(id), 'C1', 'prod');
      await outcomesOf(workspaces, NOW).save(await workspaces.load(id), { connection: 'main', at: NOW });
    }
    await createWorkspaceDeleter({ redis }).workspace('T1');
    expect((await workspaceKeys(redis)).filter((key) => !key.includes('T2'))).toEqual([]);
    expect(findConnection(await workspaces.load('T2'))?.token()).toBe(TOKEN);
  });

  it.each(['Mars/Olympus', '', '+02:00', 'UTC\n'])('rejects “%s” as a time zone', async (name) => {
    await expect(async () => workspaces.saveSettings(await changing(), zone(name))).rejects.toThrow();
    expect(await redis.exists(HASH)).toBe(0);
  });
});

describe('several connections', () => {
  const named = async (name: string) =>
    workspaces.saveConnection(await changing(), { ...MAIN, name, token: `${TOKEN}-${name}` });

  it('are listed by name, each with its own token', async () => {
    for (const name of ['main', 'finance', 'eu']) await named(name);
    const record = await read();
    expect(record.connectionNames).toEqual(['eu', 'finance', 'main']);
    expect([...record.connections.values()].map(({ token }) => token())).toEqual([
      `${TOKEN}-eu`,
      `${TOKEN}-finance`,
      `${TOKEN}-main`,
    ]);
    expect(findConnection(record, 'nobody')).toBeUndefined();
  });

  it('have a default: the chosen connection, or else the only one', async () => {
    await named('finance');
    expect(findConnection(await read())?.name).toBe('finance');
    await named('eu');
    expect((await read()).defaultConnection).toBeUndefined();
    expect(findConnection(await read())).toBeUndefined();
    await workspaces.saveSettings(await changing(), { ...DEFAULT_SETTINGS, connection: 'eu' });
    expect((await read()).defaultConnection).toBe('eu');
    expect(findConnection(await read())?.name).toBe('eu');
  });
});

describe('a token', () => {
  it('is never stored unencrypted in Redis', async () => {
    await workspaces.saveConnection(await changing(), MAIN);
    expect(JSON.stringify(await redis.hgetall(HASH))).not.toContain(TOKEN);
    expect(JSON.stringify((await read()).connections)).not.toContain(TOKEN);
  });

  it('is shown by its last four characters and the start of its SHA-256 hash', async () => {
    const { lastFour, fingerprint } = await workspaces.saveConnection(await changing(), MAIN);
    expect(lastFour).toBe('abcd');
    expect(fingerprint).toBe(createHash('sha256').update(TOKEN).digest('hex').slice(0, 12));
  });

  it.each([
    ['elevenchars', '····'],
    ['twelve-chars', 'hars'],
  ])('is shown masked: %s as %s', async (token, shown) => {
    expect(await workspaces.saveConnection(await changing(), { ...MAIN, token })).toMatchObject({
      lastFour: shown,
    });
  });

  it('can be decrypted only for its own workspace', async () => {
    await workspaces.saveConnection(await changing(), MAIN);
    await redis.copy(HASH, 'tally:{T2}:record');
    const connection = findConnection(await workspaces.load('T2'));
    expect(() => connection?.token()).toThrow(aFailure('unseal-failed', 'not-authentic'));
  });

  it('can be decrypted only under the name of its connection', async () => {
    await workspaces.saveConnection(await changing(), MAIN);
    const json = (await redis.hget(HASH, 'connection:main'))!;
    await redis.hset(HASH, 'connection:eu', json);
    await redis.hset(HASH, 'connection:us', json.replace('"name":"main"', '"name":"us"'));
    const record = await read();
    const refused = (reason: string) =>
      expect.objectContaining({ data: expect.objectContaining({ reason }) });
    expect(() => findConnection(record, 'eu')).toThrow(refused('malformed'));
    expect(() => findConnection(record, 'us')?.token()).toThrow(refused('not-authentic'));
    expect(findConnection(record, 'main')?.token()).toBe(TOKEN);
  });

  it.each([
    ['billing', '"baseUrl":"https://api.example.com"', '"baseUrl":"https://api.example.org"'],
    [
      'identity',
      '"authUrl":"https://identity.example.com/v3"',
      '"authUrl":"https://identity.example.org/v3"',
    ],
    ['identity removed', '"authUrl":"https://identity.example.com/v3",', ''],
  ])('can’t be decrypted if a service’s address was changed: %s', async (_, from, to) => {
    await workspaces.saveConnection(await changing(), MAIN);
    const json = (await redis.hget(HASH, 'connection:main'))!;
    expect(json).toContain(from);
    await redis.hset(HASH, 'connection:main', json.replace(from, to));
    const connection = findConnection(await read(), 'main');
    expect(() => connection?.token()).toThrow(aFailure('unseal-failed', 'not-authentic'));
  });

  it('can be decrypted only while its encryption key is configured', async () => {
    await workspaces.saveConnection(await changing(), MAIN);
    const next = { id: 'k2', key: randomBytes(32) };
    const reading = async (...keys: (typeof KEY)[]) =>
      findConnection(await createWorkspaces({ redis, keyring: createKeyring(keys) }).load('T1'));
    expect((await reading(next, KEY))?.token()).toBe(TOKEN);
    const orphan = await reading(next);
    expect(orphan?.lastFour).toBe('abcd');
    expect(() => orphan?.token()).toThrow(aFailure('unseal-failed', 'unknown-key'));
  });
});

describe('a project', () => {
  it('is the only project with its alias, even if twenty people choose the alias at the same time', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => String(n + 1));
    const added = await Promise.all(
      ids.map(async (id) => workspaces.addProject(await changing(), { ...PROD, id })),
    );
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(findProject(await read(), 'prod')?.id).toBe(ids[added.indexOf(true)]);
  });

  it('stays the default project of its channels when it is renamed', async () => {
    await workspaces.addProject(await changing(), PROD);
    await workspaces.addProject(await changing(), STAGING);
    await workspaces.setChannelDefault(await changing(), 'C1', 'prod');
    const before = await redis.hgetall(HASH);
    expect(await workspaces.changeProject(await changing(), 'prod', { ...PROD, alias: 'staging' })).toBe(
      false,
    );
    expect(await redis.hgetall(HASH)).toEqual(before);

    expect(await workspaces.changeProject(await changing(), 'prod', { ...PROD, alias: 'live' })).toBe(true);
    const record = await read();
    expect([...record.aliases]).toEqual(['live', 'staging']);
    expect(record.channelDefault('C1')).toBe('live');
  });

  it('is no longer a channel’s default project after it is removed', async () => {
    await workspaces.addProject(await changing(), PROD);
    await workspaces.setChannelDefault(await changing(), 'C1', 'prod');
    await workspaces.setChannelDefault(await changing(), 'C2', 'prod');
    await workspaces.removeProject(await changing(), PROD);
    const gone = await read();
    expect(gone.projects).toEqual([]);
    expect(gone.channelDefault('C1')).toBeUndefined();
  });
});

describe('a rejected credential', () => {
  const CONNECTION = { kind: 'connection', name: 'main' } as const;

  it('keeps the time of its first rejection until it works again or is replaced', async () => {
    const { fingerprint: mark } = await workspaces.saveConnection(await changing(), MAIN);
    const note = (at: number) =>
      outcomesOf(workspaces, at).rejected({ workspace: 'T1', ...CONNECTION, mark });
    const rejectedAt = async () => (await read()).rejectedAt(CONNECTION);
    await note(NOW);
    await note(NOW + 1);
    expect(await rejectedAt()).toBe(NOW);
    await outcomesOf(workspaces, NOW).save(await read(), { connection: 'main', at: NOW + 2 });
    expect(await rejectedAt()).toBeUndefined();
    await note(NOW + 3);
    expect(await rejectedAt()).toBe(NOW + 3);
    await workspaces.saveConnection(await changing(), MAIN);
    expect(await rejectedAt()).toBeUndefined();
  });

  it('isn’t stored as rejected if it is no longer registered', async () => {
    const before = await workspaces.saveConnection(await changing(), MAIN);
    const { fingerprint } = await workspaces.saveConnection(await changing(), {
      ...MAIN,
      token: 'another one',
    });
    expect(fingerprint).not.toBe(before.fingerprint);
    const note = (mark: string) =>
      outcomesOf(workspaces, NOW).rejected({ workspace: 'T1', ...CONNECTION, mark });
    await note(before.fingerprint);
    await workspaces.saveConnection(await changing(), { ...MAIN, name: 'eu' });
    await workspaces.removeConnection(await changing(), 'main');
    await note(fingerprint);
    expect(Object.keys(await redis.hgetall(HASH)).sort()).toEqual(['connection:eu']);
  });
});

describe('an answer from billing', () => {
  const BALANCE = { id: '123', product: 1, balance: '10.000000000000000000001', bonuses: '-2' } as const;
  const MINUTE = 60_000;
  const HOUR = 60 * MINUTE;

  /** @returns how many writes these answers caused, one after the other */
  async function writesOf(...notes: ServiceOutcome[]): Promise<number> {
    let writes = 0;
    const writeUnaudited: typeof workspaces.writeUnaudited = (...args) =>
      workspaces.writeUnaudited(...args).finally(() => writes++);
    const outcomes = outcomesOf({ ...workspaces, writeUnaudited }, NOW);
    for (const one of notes) await outcomes.save(await read(), one);
    return writes;
  }

  it('starts the workspace’s background work if a rejected token works again', async () => {
    await workspaces.saveConnection(await changing(), MAIN);
    const mark = (await read()).connections.get('main')?.fingerprint ?? '';
    const woken: string[] = [];
    const outcomes = outcomesOf(workspaces, NOW + 1, (team) => woken.push(team));
    const answer = async (at: number) => outcomes.save(await read(), { connection: 'main', at });
    await answer(NOW);
    expect(woken).toEqual([]);
    await outcomesOf(workspaces, NOW + 1).rejected({
      workspace: 'T1',
      kind: 'connection',
      name: 'main',
      mark,
    });
    await answer(NOW + 2);
    await answer(NOW + 3);
    expect(woken).toEqual(['T1']);
  });

  it('is stored as the connection’s last use and the project’s exact balance', async () => {
    await workspaces.saveConnection(await changing(), MAIN);
    await workspaces.addProject(await changing(), PROD);
    await writesOf({ connection: 'main', at: NOW, balance: BALANCE });
    const record = await read();
    expect(record.lastUsed('main')).toBe(NOW);
    expect(record.lastUsed('eu')).toBeUndefined();
    const stored = { connection: 'main', balance: BALANCE.balance, bonuses: '-2', at: NOW };
    expect(record.lastBalance('123', 1)).toEqual(stored);
    expect(record.lastBalance('123', 2)).toBeUndefined();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['was removed', async () => workspaces.removeConnection(await changing(), 'main')],
    [
      'has another token',
      async () =>
        workspaces.saveConnection(await changing(), { ...MAIN, token: 'other', registeredAt: NOW + 1 }),
    ],
    [
      'is no longer used by the project',
      async () => {
        await workspaces.saveConnection(await changing(), { ...MAIN, name: 'eu' });
        await redis.hset(HASH, 'project:prod', JSON.stringify({ ...PROD, connection: 'eu' }));
      },
    ],
  ])('no longer counts as the project’s balance once the connection %s', async (_, change) => {
    await workspaces.saveConnection(await changing(), MAIN);
    await workspaces.addProject(await changing(), PROD);
    await writesOf({ connection: 'main', at: NOW, balance: BALANCE });
    await change();
    expect((await read()).lastBalance('123', 1)).toBeUndefined();
  });

  it('is stored at most once an hour for a connection, and once a minute for a balance', async () => {
    await workspaces.saveConnection(await changing(), MAIN);
    await workspaces.addProject(await changing(), PROD);
    const use = (at: number) => ({ connection: 'main', at });
    const balance = (at: number) => ({ ...use(at), balance: BALANCE });
    expect(await writesOf(use(NOW), use(NOW), use(NOW + HOUR - 1))).toBe(1);
    expect(await writesOf(use(NOW + HOUR))).toBe(1);
    const later = NOW + HOUR;
    expect(await writesOf(balance(later), balance(later + MINUTE - 1))).toBe(1);
    expect(await writesOf(balance(later + MINUTE))).toBe(1);
    expect((await read()).lastBalance('123', 1)?.at).toBe(later + MINUTE);
  });
});

describe('the expiry of a credential', () => {
  const UNTIL = Date.UTC(2026, 11, 3, 8);
  const DAY = 86_400_000;

  it.each([
    ['expires Thu 3 Dec 2026 (12 days)', -12 * DAY],
    ['expires Thu 3 Dec 2026 (2 days)', -2 * DAY],
    ['expires Thu 3 Dec 2026 (tomorrow)', -DAY],
    ['expires Thu 3 Dec 2026 (today)', -1],
    ['expired Thu 3 Dec 2026 (today)', 0],
    ['expired Thu 3 Dec 2026 (yesterday)', DAY],
    ['expired Thu 3 Dec 2026 (3 days ago)', 3 * DAY],
  ])('is shown relative to today: “%s”', (words, after) => {
    expect(formatExpiry({ expiresAt: UNTIL }, UNTIL + after, 'UTC')).toBe(words);
  });

  it('is counted in days of the workspace’s time zone', () => {
    expect(formatExpiry({ expiresAt: UNTIL }, UNTIL - 9 * 3_600_000, 'UTC')).toContain('(tomorrow)');
    expect(formatExpiry({ expiresAt: UNTIL }, UNTIL - 9 * 3_600_000, 'Asia/Tokyo')).toContain('(today)');
    expect(formatExpiry({ lifetime: 'none' }, NOW, 'UTC')).toBe('no expiry');
    expect(formatExpiry({}, NOW, 'UTC')).toBe('expiry unknown');
  });
});

describe('a stored record', () => {
  it('is rejected if it was copied from another field', async () => {
    await redis.hset(HASH, {
      'project:live': JSON.stringify(PROD),
      'schedule:schedul2': JSON.stringify(schedule({ id: 'schedul1' })),
    });
    const record = await read();
    expect(record.damaged).toEqual([
      { kind: 'project', id: 'live', reason: 'malformed' },
      { kind: 'schedule', id: 'schedul2', reason: 'malformed' },
    ]);
    expect(() => findProject(record, 'live')).toThrow('Tally can’t read the stored project.');
    expect(() => findSchedule(record, 'schedul2')).toThrow(aFailure('unseal-failed'));
    expect([record.projects, record.schedules]).toEqual([[], []]);
  });
});

describe('a damaged record', () => {
  const DAMAGE = [
    '',
    '{',
    'null',
    '[]',
    '{"name":"main","visibility":"all"}',
    '{"zone":"Mars/Olympus"}',
    '{"zone":7}',
  ];

  it.each(DAMAGE)('can’t be used, but leaves other records usable: “%s”', async (json) => {
    await workspaces.saveSettings(await changing(), zone('Asia/Tokyo'));
    await workspaces.saveConnection(await changing(), MAIN);
    await workspaces.saveConnection(await changing(), { ...MAIN, name: 'eu' });
    await workspaces.addProject(await changing(), PROD);
    await workspaces.addProject(await changing(), { ...PROD, alias: 'staging' });

    await redis.hset(HASH, { 'connection:main': json, 'project:prod': json });
    const damaged = await read();
    expect(() => findConnection(damaged)).toThrow(aFailure('unseal-failed'));
    expect([...damaged.connections.keys()]).toEqual(['eu']);
    expect(() => findProject(damaged, 'prod')).toThrow(aFailure('unseal-failed'));
    expect(damaged.projects.map(({ alias }) => alias)).toEqual(['staging']);
    expect(damaged.damaged).toEqual([
      { kind: 'connection', id: 'main', reason: 'malformed' },
      { kind: 'project', id: 'prod', reason: 'malformed' },
    ]);
    expect(findConnection(damaged, 'eu')?.token()).toBe(TOKEN);
    expect(findProject(damaged, 'staging')?.id).toBe('123');
    expect(damaged.connectionNames).toEqual(['eu', 'main']);
    expect([...damaged.aliases]).toEqual(['prod', 'staging']);
    expect(damaged.settings.zone).toBe('Asia/Tokyo');

    await workspaces.saveConnection(await changing(), MAIN);
    await redis.hset(HASH, 'settings', json);
    const damagedSettings = await read();
    expect(() => requireSettings(damagedSettings)).toThrow(aFailure('settings-damaged'));
    expect(damagedSettings.settings).toEqual(DEFAULT_SETTINGS);
    expect(damagedSettings.defaultConnection).toBeUndefined();
    expect(() => findConnection(damagedSettings)).toThrow(aFailure('settings-damaged'));
    expect(findConnection(damagedSettings, 'main')?.token()).toBe(TOKEN);
  });

  it('with an invalid encrypted secret is listed, but can’t be decrypted', async () => {
    await workspaces.saveConnection(await changing(), MAIN);
    const record = JSON.parse((await redis.hget(HASH, 'connection:main'))!);
    await redis.hset(HASH, 'connection:main', JSON.stringify({ ...record, sealed: TOKEN }));
    const connection = findConnection(await read());
    expect(connection?.fingerprint).toBe(record.fingerprint);
    expect(() => connection?.token()).toThrow(aFailure('unseal-failed', 'malformed'));
  });
});
