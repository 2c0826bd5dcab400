import { Big } from 'big.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { UnsealFailed } from '../../src/domain/failure/index.ts';
import { tryParse } from '../../src/domain/try-parse.ts';
import { describeToken } from '../../src/workspace/credentials/connection-record.ts';
import { expiresSoon } from '../../src/workspace/credentials/expiry.ts';
import { sealOwnerOf, sealOwnerOfField } from '../../src/workspace/credentials/sealed-fields.ts';
import {
  PAUSE_REASONS,
  parseLastDelivery,
  resumesByItself,
} from '../../src/workspace/owned/schedule-record.ts';
import type { StoredAnswer } from '../../src/workspace/record/stored-outcomes.ts';
import {
  damagedIds,
  findAccess,
  findConnection,
  findSchedule,
  findWatch,
  isDamaged,
} from '../../src/workspace/record/workspace.ts';
import {
  createAnswerCollector,
  createAnswerStore,
  storedBalance,
} from '../../src/workspace/service-outcomes.ts';
import { DEFAULT_SETTINGS, invalidSettings, parseSettings } from '../../src/workspace/settings.ts';
import { changeIn } from '../support/change.ts';
import { schedule } from '../support/delivery.ts';
import { recordFields } from '../support/redis.ts';
import { ACCESS, ADDED_AT, HASH, MAIN, PROD, startWorkspaceStore } from '../support/workspace-store.ts';

const NOW = ADDED_AT;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const { redis, workspaces, read } = await startWorkspaceStore();

const by = () => changeIn(workspaces, 'T1');
const readable = (raw: string) => ({ value: new Big(raw), raw });

describe('the balance that is stored after an answer', () => {
  const PROJECT = { alias: 'prod', project: '123', product: 1 } as const;
  const BALANCES = { balance: readable('10.50'), bonuses: readable('2') };
  const forecast = { total: new Big('1e3') };

  it('is what the service sent, of a project with an alias', () => {
    expect(storedBalance(PROJECT, BALANCES)).toEqual({
      id: '123',
      product: 1,
      balance: '10.50',
      bonuses: '2',
    });
    expect(storedBalance({ ...PROJECT, alias: undefined }, BALANCES)).toBeUndefined();
    expect(storedBalance(PROJECT, { ...BALANCES, balance: { unreadable: 'x' } })).toBeUndefined();
    expect(storedBalance(PROJECT, { ...BALANCES, bonuses: { unreadable: 'x' } })).not.toHaveProperty(
      'bonuses',
    );
  });

  it('has its runway and its forecast where those are known', () => {
    const stored = (given: object) => storedBalance(PROJECT, { ...BALANCES, ...given });
    expect(stored({ runway: { kind: 'estimate', days: 7 } })?.days).toBe(7);
    expect(stored({ runway: { kind: 'no-spend', days: 7 } })?.days).toBeUndefined();
    expect(stored({ runway: 'Billing is down.' })).not.toHaveProperty('days');
    expect(stored({ forecast, today: '2026-11-20' })?.forecast).toEqual({ total: '1000', month: '2026-11' });
    expect(stored({ forecast })).not.toHaveProperty('forecast');
    expect(stored({ today: '2026-11-20' })).not.toHaveProperty('forecast');
  });

  it('is stored once for each connection and project', () => {
    const notes = createAnswerCollector(() => NOW);
    const balance = { id: '123', product: 1, balance: '1' } as const;
    notes.add('main');
    notes.add('main', balance);
    notes.add('main', { ...balance, balance: '2' });
    notes.add('main', { ...balance, product: 2 });
    notes.add('main', { ...balance, id: '7' });
    notes.add('eu', balance);
    expect(notes.all()).toEqual([
      { connection: 'main', at: NOW },
      { connection: 'main', at: NOW, balance: { ...balance, balance: '2' } },
      { connection: 'main', at: NOW, balance: { ...balance, product: 2 } },
      { connection: 'main', at: NOW, balance: { ...balance, id: '7' } },
      { connection: 'eu', at: NOW, balance },
    ]);
  });
});

describe('a note of an answer', () => {
  /** What was written for these notes, one after the other. */
  async function written(...answers: StoredAnswer[]): Promise<StoredAnswer[]> {
    const all: StoredAnswer[] = [];
    const saveAnswer = async (id: string, answer: StoredAnswer) => {
      all.push(answer);
      await workspaces.saveAnswer(id, answer);
    };
    const answerStore = createAnswerStore({ saveAnswer }, () => undefined);
    for (const answer of answers) await answerStore.save(await read(), answer);
    return all;
  }
  const use = (at: number): StoredAnswer => ({ connection: 'main', at });
  beforeEach(async () => {
    await workspaces.saveConnection(await by(), MAIN);
  });

  it('is written at once after a rejection, and once', async () => {
    await written(use(NOW));
    const { fingerprint } = (await read()).connections.get('main')!;
    await workspaces.saveRejection(
      'T1',
      { kind: 'connection', name: 'main' },
      { mark: fingerprint, at: NOW + 1 },
    );
    expect(await written(use(NOW + 2), use(NOW + 3))).toEqual([use(NOW + 2)]);
  });

  it('is written at once if a schedule has been waiting for the token', async () => {
    const paused = (why: 'token-rejected' | 'not-connected', at: number) => schedule({ paused: { why, at } });
    await written(use(NOW));
    for (const [one, count] of [
      [paused('token-rejected', NOW - 1), 0],
      [paused('not-connected', NOW), 0],
      [paused('token-rejected', NOW), 1],
    ] as const) {
      await workspaces.schedules.save(await by(), one);
      expect(await written(use(NOW + 5))).toHaveLength(count);
    }
  });

  it('keeps the earlier forecast of the month if the answer has none', async () => {
    const balance = { id: '123', product: 1, balance: '1' } as const;
    const forecast = { total: '9', month: '2026-11' };
    const later = { ...use(NOW + HOUR), balance };
    const [first, second] = await written({ ...use(NOW), balance: { ...balance, forecast } }, later);
    expect(first?.balance?.forecast).toEqual(forecast);
    expect(second).toEqual({ ...later, balance: { ...balance, forecast } });
    expect((await read()).lastBalance('123', 1)).toEqual({ balance: '1', forecast, at: NOW + HOUR });
    const other = {
      ...use(NOW + 2 * HOUR),
      balance: { ...balance, forecast: { total: '8', month: '2026-12' } },
    };
    expect(await written(other)).toEqual([other]);
    const unknown = { ...use(NOW + 3 * HOUR), balance: { ...balance, id: '7' } };
    expect(await written(unknown)).toEqual([unknown]);
  });
});

describe('a rejected application access', () => {
  const NAME = { kind: 'access', name: '123' } as const;

  it('is remembered until it is registered again or works', async () => {
    await workspaces.saveAccess(await by(), ACCESS);
    expect(await workspaces.saveRejection('T1', NAME, { mark: 'wxyz', at: NOW })).toBe(false);
    expect(await workspaces.saveRejection('T1', { ...NAME, name: '7' }, { mark: 'abcd', at: NOW })).toBe(
      false,
    );
    expect(await workspaces.saveRejection('T1', NAME, { mark: 'abcd', at: NOW })).toBe(true);
    expect((await read()).rejectedAt(NAME)).toBe(NOW);
    expect((await read()).rejectedAt({ kind: 'connection', name: '123' })).toBeUndefined();
    await workspaces.clearRejection('T1', NAME);
    expect((await read()).rejectedAt(NAME)).toBeUndefined();
    await workspaces.saveRejection('T1', NAME, { mark: 'abcd', at: NOW - 1 });
    expect((await read()).rejectedAt(NAME)).toBeUndefined();
    await workspaces.clearRejection('T1', NAME);
    await workspaces.saveRejection('T1', NAME, { mark: 'abcd', at: NOW + 1 });
    await workspaces.saveAccess(await by(), ACCESS);
    expect(Object.keys(await recordFields(redis, HASH))).toEqual(['access:123']);
    await workspaces.saveRejection('T1', NAME, { mark: 'abcd', at: NOW + 1 });
    await workspaces.removeAccess(await by(), '123');
    expect(Object.keys(await recordFields(redis, HASH))).toEqual([]);
  });

  it('is forgotten when its connection is removed', async () => {
    await workspaces.saveConnection(await by(), { ...MAIN, name: 'eu' });
    const { fingerprint: mark } = await workspaces.saveConnection(await by(), MAIN);
    await workspaces.saveRejection('T1', { kind: 'connection', name: 'main' }, { mark, at: NOW });
    await redis.hset(HASH, 'rejected:connection:eu', '{');
    expect((await read()).rejectedAt({ kind: 'connection', name: 'eu' })).toBeUndefined();
    await workspaces.removeConnection(await by(), 'main');
    expect(Object.keys(await recordFields(redis, HASH)).sort()).toEqual([
      'connection:eu',
      'rejected:connection:eu',
    ]);
  });

  it('leaves no note of an access that was removed', async () => {
    const access = await workspaces.saveAccess(await by(), ACCESS);
    await workspaces.saveAccess(await by(), { ...ACCESS, project: '7' });
    await workspaces.removeAccess(await by(), '123');
    await workspaces.saveRevocable('T1', access, true);
    expect(Object.keys(await recordFields(redis, HASH))).toEqual(['access:7']);
  });
});

describe('a record that is read', () => {
  it('has schedules and watches in the order they were created, those of one moment by their IDs', async () => {
    const created = [
      ['bbbbbbb1', 2],
      ['aaaaaaa1', 3],
      ['ccccccc1', 1],
      ['ccccccc2', 2],
      ['aaaaaaa2', 2],
    ] as const;
    for (const [id, createdAt] of created) {
      await workspaces.schedules.save(await by(), schedule({ id, createdAt }));
      await workspaces.watches.save(await by(), {
        ...{ id, createdAt, projects: [{ id: '123', product: 1 }], rule: { kind: 'runway', days: 7 } },
        ...{ channel: 'C1', owner: 'U1', createdBy: 'U1', since: 0 },
      });
    }
    const expected = ['ccccccc1', 'aaaaaaa2', 'bbbbbbb1', 'ccccccc2', 'aaaaaaa1'];
    const { schedules, watches, scheduleIds, watchIds } = await read();
    expect(schedules.map(({ id }) => id)).toEqual(expected);
    expect(watches.map(({ id }) => id)).toEqual(expected);
    expect([scheduleIds, watchIds]).toEqual([expected.toSorted(), expected.toSorted()]);
  });

  it('lists who has read that tokens are shown to one person only', async () => {
    await workspaces.saveConnection(await by(), MAIN);
    await workspaces.saveTokenNoticeSeen('T1', 'U1', NOW);
    const record = await read();
    expect([record.hasSeenTokenNotice('U1'), record.hasSeenTokenNotice('U2')]).toEqual([true, false]);
    await workspaces.saveTokenNoticeSeen('T2', 'U1', NOW);
    expect(await redis.exists('tally:{T2}:record')).toBe(0);
  });

  it('lists what is damaged by kind and name only', async () => {
    const { fingerprint: _ } = await workspaces.saveConnection(await by(), MAIN);
    await workspaces.saveAccess(await by(), ACCESS);
    await workspaces.addProject(await by(), PROD);
    for (const id of ['schedul1', 'schedul2']) await workspaces.schedules.save(await by(), schedule({ id }));
    await redis.hset(HASH, {
      'project:123': '{',
      'watch:schedul1': '{',
      'schedule:schedul3': '{',
      'access:9': '{',
      'connection:x1': '{',
    });
    const record = await read();
    expect(damagedIds(record, 'project')).toEqual(['123']);
    expect([
      isDamaged(record, 'project'),
      isDamaged(record, 'project', '123'),
      isDamaged(record, 'project', 'prod'),
    ]).toEqual([true, true, false]);
    expect(isDamaged(record, 'settings')).toBe(false);
    expect(findAccess(record, '123')?.project).toBe('123');
    expect([findAccess(record, '8'), findWatch(record, 'schedul2'), findConnection(record, 'eu')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([findSchedule(record, 'schedul1')?.id, findSchedule(record, 'schedul2')?.id]).toEqual([
      'schedul1',
      'schedul2',
    ]);
    for (const find of [
      () => findAccess(record, '9'),
      () => findWatch(record, 'schedul1'),
      () => findSchedule(record, 'schedul3'),
      () => findConnection(record, 'x1'),
    ])
      expect(find).toThrow(UnsealFailed);
    expect(findConnection(record)?.name).toBe('main');
    expect(findConnection({ ...record, defaultConnection: undefined })).toBeUndefined();
  });
});

describe('a token', () => {
  it('expires soon from 14 days before, counted in days of the zone', () => {
    const at = Date.UTC(2026, 10, 20, 23);
    const soon = (expiresAt: number, zone = 'UTC') => expiresSoon({ expiresAt }, at, zone);
    expect([soon(at + 15 * DAY), soon(at + 14 * DAY), soon(at - DAY)]).toEqual([false, true, true]);
    expect(soon(at + 14 * DAY + 2 * HOUR)).toBe(false);
    expect(soon(at + 14 * DAY + 2 * HOUR, 'Europe/Rome')).toBe(true);
    expect(expiresSoon({}, at, 'UTC')).toBe(false);
    expect(describeToken({ lastFour: 'abcd', fingerprint: '0123' })).toBe(
      'token ending abcd · fingerprint 0123',
    );
    expect(describeToken({ lastFour: '····', fingerprint: '0123' })).toBe('token ending  · fingerprint 0123');
  });
});

describe('a sealed field', () => {
  it('opens only beside the addresses that its secret may be sent to', () => {
    const record = { baseUrl: 'https://b', authUrl: 'https://a', name: 'x' };
    expect(sealOwnerOf('billing-token', 'T1', 'main', record).audience).toEqual(['https://b', 'https://a']);
    expect(sealOwnerOf('application-access', 'T1', '7', record).audience).toEqual(['https://a']);
    expect(sealOwnerOf('application-access', 'T1', '7').audience).toEqual(['']);
    expect(sealOwnerOf('slack-installation', 'T1', 'installation', record).audience).toEqual([]);
    expect(sealOwnerOfField('T1', 'connection:main', JSON.stringify(record))).toEqual(
      sealOwnerOf('billing-token', 'T1', 'main', record),
    );
    expect(sealOwnerOfField('T1', 'installation', 'sealed')).toEqual(
      sealOwnerOf('slack-installation', 'T1', 'installation'),
    );
    for (const field of ['settings', 'project:prod', 'xaccess:7', 'installation2', 'connection:'])
      expect(sealOwnerOfField('T1', field, '{}')).toBeUndefined();
    expect(() => sealOwnerOfField('T1', 'access:7', '{')).toThrow(
      expect.objectContaining({ reason: 'malformed' }),
    );
  });

  it('reads as missing when it can’t be opened; any other error is thrown', () => {
    const failing = (error: Error) => () => {
      throw error;
    };
    expect(tryParse(() => 7, UnsealFailed)).toBe(7);
    expect(tryParse(failing(new UnsealFailed('malformed')), UnsealFailed)).toBeUndefined();
    expect(() => tryParse(failing(new TypeError('x')), UnsealFailed)).toThrow(TypeError);
  });
});

describe('settings', () => {
  it('that are invalid are named, each once', () => {
    expect(
      invalidSettings({ zone: 'Mars/Olympus', locale: 'x'.repeat(36), managers: ['x', 'y'], guests: true }),
    ).toEqual([...['zone', 'locale', 'managers']]);
    expect(invalidSettings({ zone: 'Europe/Rome' })).toEqual([]);
    expect(parseSettings('{')).toBeUndefined();
    expect(parseSettings(undefined)).toBe(DEFAULT_SETTINGS);
  });

  it('that say nothing new are not written again', async () => {
    await workspaces.saveSettings(await by(), { zone: 'Asia/Tokyo' });
    const before = await redis.hget(HASH, 'settings');
    await redis.hset(HASH, 'settings', `${before} `);
    await workspaces.saveSettings(await by(), { zone: 'Asia/Tokyo' });
    expect(await redis.hget(HASH, 'settings')).toBe(`${before} `);
  });
});

describe('a schedule', () => {
  it('resumes by itself unless a person paused it', () => {
    expect(PAUSE_REASONS.filter((why) => !resumesByItself(why))).toEqual(['person']);
  });

  it.each([undefined, '', '{', 'null', '{"result":"posted"}'])(
    'says nothing of a last delivery that cannot be read: %s',
    (json) => {
      expect(parseLastDelivery(json)).toBeUndefined();
    },
  );
});
