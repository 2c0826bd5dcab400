import { randomBytes } from 'node:crypto';
import { Big } from 'big.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TokenRejected } from '../../src/domain/failure/index.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { serializeAccess } from '../../src/workspace/credentials/access-record.ts';
import { serializeConnection } from '../../src/workspace/credentials/connection-record.ts';
import { serializeWatch } from '../../src/workspace/owned/watch-record.ts';
import { createDeliveryParts } from '../support/delivery.ts';
import { createFakeBilling } from '../support/fake-billing.ts';
import { directMessage, type MinimalSlack, startMinimalSlack } from '../support/minimal-slack.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const TEAM = 'T0TEAM0001';
const ANNA = 'U0ANNA0001';
const BOSS = 'U0BOSS0001';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BEGIN = Date.parse('2026-11-01T12:00:00Z');
const EXPIRES = Date.parse('2026-12-01T15:00:00Z');

const keyring = createKeyring([{ id: 'test', key: randomBytes(32) }]);

let redis: TestRedis;
let slack: MinimalSlack;
let now: number;
let isRejected: boolean;
let parts: ReturnType<typeof createDeliveryParts>;

beforeEach(async () => {
  redis = await testRedis();
  slack = await startMinimalSlack();
  slack.now = () => now;
  now = BEGIN;
  isRejected = false;
  const fakeBilling = createFakeBilling(
    () => ({ amounts: () => new Map(), balance: () => 10 }),
    () => now,
  );
  fakeBilling.failure = ({ token }) =>
    isRejected && token === 'token 1' ? new TokenRejected('billing') : undefined;
  parts = createDeliveryParts({
    ...{
      redis: redis.client,
      redisUrl: redis.url,
      slackUrl: slack.url,
      keyring,
      billing: fakeBilling.client,
    },
    clock: () => now,
  });
  await set('settings', JSON.stringify({ managers: [BOSS] }));
});

afterEach(async () => {
  await parts.close();
  await Promise.all([slack.close(), redis.close()]);
});

const set = (field: string, value: string) => redis.client.hset(recordKey(TEAM), field, value);
const connect = (token: string, expiresAt?: number, registeredAt = BEGIN) =>
  set(
    'connection:main',
    serializeConnection(keyring, TEAM, {
      ...{ name: 'main', baseUrl: 'https://billing.example', token, role: 'read-only', lifetime: '30-days' },
      ...{ registeredBy: ANNA, registeredAt },
      ...(expiresAt !== undefined && { expiresAt }),
    }).json,
  );
const run = async () => (await parts.runner.run(TEAM)).next;
const until = async (end: number) => {
  for (let next = await run(); next !== undefined && next <= end; next = await run())
    now = Math.max(now, next);
  now = end;
  await run();
};
const sentTo = (person: string) => slack.posts.filter(({ channel }) => channel === directMessage(person));
const texts = (person: string) => sentTo(person).map(({ text }) => text);

describe('a token that expires', () => {
  it('is announced 14, 3 and 1 days before, in the morning, to the person who registered it and to managers', async () => {
    await connect('token 1', EXPIRES);
    const times: string[] = [];
    slack.fault = ({ method }) => {
      if (method === 'chat.postMessage') times.push(new Date(now).toISOString().slice(5, 13));
      return undefined;
    };
    await until(EXPIRES + 20 * DAY);
    const expected = ['(14 days)', '(3 days)', '(tomorrow)'].map(
      (when) => `The access token of connection main expires Tue 1 Dec 2026 ${when}`,
    );
    expect(texts(ANNA)).toEqual(expected);
    expect(texts(BOSS)).toEqual(expected);
    expect(new Set(times)).toEqual(new Set(['11-17T09', '11-28T09', '11-30T09']));
    expect(sentTo(ANNA)[0]?.blocks).toContain('Replace token…');
    expect(slack.posts.map(({ blocks }) => blocks).join()).not.toContain('token 1');
  });

  it('is no longer announced once it was replaced; the new token is, at its own time', async () => {
    await connect('token 1', EXPIRES);
    await until(Date.parse('2026-11-20T00:00:00Z'));
    expect(sentTo(ANNA)).toHaveLength(1);
    await connect('token 2', EXPIRES + 30 * DAY, now);
    await until(EXPIRES);
    expect(sentTo(ANNA)).toHaveLength(1);
    await until(EXPIRES + 31 * DAY);
    expect(sentTo(ANNA)).toHaveLength(4);
  });

  it('says what is true now when Tally was down on all of these days', async () => {
    await connect('token 1', EXPIRES);
    now = EXPIRES + HOUR;
    await run();
    await run();
    expect(texts(ANNA)).toEqual(['The access token of connection main expired Tue 1 Dec 2026 (today)']);
  });

  it('is not announced as many days before as it never had', async () => {
    await connect('token 1', BEGIN + 10 * DAY);
    await until(BEGIN + 5 * DAY);
    expect(slack.posts).toEqual([]);
    await until(BEGIN + 8 * DAY);
    expect(sentTo(ANNA)).toHaveLength(1);
  });
});

describe('a token of somebody who has left', () => {
  const ADMINS = ['U0AMARA001', 'U0OLIVIA01'];
  const announced = (person: string) => texts(person).map((text) => /\((.+)\)/.exec(text)?.[1]);

  beforeEach(async () => {
    for (const admin of ADMINS) slack.admins.add(admin);
    slack.people.set('U0MEMBER01', {});
    slack.people.set('U0FORMER01', { is_admin: true, deleted: true });
    slack.people.set('U0OTHER001', { is_admin: true, team_id: 'T0OTHER001' });
  });

  it.each<[string, object | 'unknown']>([
    ['was deactivated', { deleted: true }],
    ['became a guest', { is_restricted: true }],
    ['moved to another organization', { team_id: 'T0OTHER001' }],
    ['was removed', 'unknown'],
  ])('who %s: each reminder reaches the admins and owners, and each can replace it', async (_, profile) => {
    await set('settings', JSON.stringify({ managers: [BOSS] }));
    await connect('token 1', EXPIRES);
    for (const person of [ANNA, BOSS]) if (profile !== 'unknown') slack.people.set(person, profile as object);
    const isGone = (args: URLSearchParams) =>
      [ANNA, BOSS].includes(args.get('user') ?? args.get('users') ?? '');
    slack.fault = ({ method, args }) =>
      profile === 'unknown' && ['users.info', 'conversations.open'].includes(method) && isGone(args)
        ? 'user_not_found'
        : undefined;
    await until(EXPIRES + DAY);
    for (const admin of ADMINS) {
      expect(announced(admin)).toEqual(['14 days', '3 days', 'tomorrow']);
      expect(sentTo(admin).every(({ blocks }) => blocks.includes('Replace token…'))).toBe(true);
    }
    for (const person of ['U0MEMBER01', 'U0FORMER01', 'U0OTHER001']) expect(sentTo(person)).toEqual([]);
  });

  it('who left between two reminders: the later ones reach the admins', async () => {
    await set('settings', JSON.stringify({}));
    slack.admins.add(ANNA);
    await connect('token 1', EXPIRES);
    await until(EXPIRES - 10 * DAY);
    expect([announced(ANNA), announced(ADMINS[0]!)]).toEqual([['14 days'], []]);
    slack.people.set(ANNA, { deleted: true });
    await until(EXPIRES);
    for (const admin of ADMINS) expect(announced(admin)).toEqual(['3 days', 'tomorrow']);
  });

  it('who is no longer a manager: they still get it, and so do the admins', async () => {
    await set('settings', JSON.stringify({}));
    await connect('token 1', EXPIRES);
    await until(EXPIRES - 13 * DAY);
    expect([ANNA, ...ADMINS].map((person) => sentTo(person).length)).toEqual([1, 1, 1]);
  });

  it('reaches named managers alone while one is left', async () => {
    slack.people.set(ANNA, { deleted: true });
    await connect('token 1', EXPIRES);
    await until(EXPIRES);
    expect(announced(BOSS)).toEqual(['14 days', '3 days', 'tomorrow']);
    for (const admin of ADMINS) expect(sentTo(admin)).toEqual([]);
  });

  it('goes to the admins although Slack does not say at first who they are', async () => {
    await set('settings', JSON.stringify({}));
    await connect('token 1', EXPIRES);
    slack.fault = ({ method, args }) => {
      if (args.get('users') === ANNA) return 'user_disabled';
      return now < EXPIRES - 14 * DAY && method.startsWith('users.') ? 'fatal_error' : undefined;
    };
    await until(EXPIRES - 12 * DAY);
    for (const admin of ADMINS) expect(announced(admin)).toEqual(['14 days']);
  });
});

it('announces an application access, with the button that replaces it', async () => {
  const issuers = { people: [], groups: [] };
  const access = {
    project: '123',
    authUrl: 'https://identity.example/v3',
    id: 'an access id',
    secret: 'hidden',
  };
  const registered = { registeredBy: ANNA, registeredAt: BEGIN, expiresAt: EXPIRES };
  await set('access:123', serializeAccess(keyring, TEAM, { ...access, issuers, ...registered }).json);
  await until(EXPIRES);
  expect(texts(ANNA)[0]).toBe('The application access of project 123 expires Tue 1 Dec 2026 (14 days)');
  expect(sentTo(ANNA)[0]?.blocks).toContain('access-form');
  expect(texts(ANNA)).toHaveLength(3);
});

describe('a token that the service rejects', () => {
  const WATCH = {
    ...{ id: 'watch001', project: { id: '123', product: 1 as const }, target: { channel: 'C1' } },
    ...{ owner: 'U0OTHER001', createdBy: ANNA, createdAt: BEGIN, since: BEGIN },
    rule: { kind: 'balance', below: new Big(5) } as const,
  };

  it('is sent at once and only once, also to the owners of waiting watches, whichever request was rejected', async () => {
    await connect('token 1', EXPIRES);
    await set('watch:watch001', serializeWatch(WATCH));
    isRejected = true;
    await until(BEGIN + 9 * HOUR);
    expect(texts(ANNA)).toEqual(['The billing service rejected the access token of connection main']);
    expect(texts(BOSS)).toHaveLength(1);
    expect(sentTo(BOSS)[0]?.blocks).toContain('Waiting for another token: 1 watch.');
    expect(sentTo('U0OTHER001')[0]?.blocks).toContain('Only Tally managers can replace it.');
    expect(sentTo('U0OTHER001')[0]?.blocks).not.toContain('Replace token…');
    const { fingerprint = '' } = (await parts.workspaces.load(TEAM)).connections.get('main') ?? {};
    await parts.saveRejection({ workspace: TEAM, kind: 'connection', name: 'main', mark: fingerprint });
    now = EXPIRES - 3 * DAY;
    await run();
    expect(sentTo(ANNA)).toHaveLength(1);
  });

  it('is sent when a command noticed, but not for a token that was tried and never registered', async () => {
    await connect('token 1');
    const note = (mark: string) =>
      parts.saveRejection({ workspace: TEAM, kind: 'connection', name: 'main', mark });
    await note('another00000');
    await run();
    expect(slack.posts).toEqual([]);
    await note((await parts.workspaces.load(TEAM)).connections.get('main')?.fingerprint ?? '');
    await run();
    expect(sentTo(ANNA)).toHaveLength(1);
  });
});

it('sends a reminder once where Slack took it and the process died', async () => {
  await connect('token 1', EXPIRES);
  now = EXPIRES - 14 * DAY;
  slack.fault = ({ method, args }) =>
    method === 'chat.postMessage' && args.get('channel') === directMessage(ANNA)
      ? { status: 502, take: true }
      : undefined;
  await run();
  slack.fault = () => undefined;
  await until(now + HOUR);
  expect(sentTo(ANNA)).toHaveLength(1);
  expect(sentTo(BOSS)).toHaveLength(1);
});
