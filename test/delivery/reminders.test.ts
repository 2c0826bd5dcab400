import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/domain/failure/index.ts';
import { createFakeBilling } from '../support/fake-billing.ts';
import { directMessage } from '../support/minimal-slack.ts';
import { WATCH } from '../support/workspace-store.ts';
import { startDelivery, TEAM } from './start-delivery.ts';

const ANNA = 'U0ANNA0001';
const BOSS = 'U0BOSS0001';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BEGIN = Date.parse('2026-11-01T12:00:00Z');
const EXPIRES = Date.parse('2026-12-01T15:00:00Z');

let isRejected: boolean;
const fakeBilling = createFakeBilling(
  () => ({ amounts: () => new Map(), balance: () => 10 }),
  () => delivery.now,
);
fakeBilling.failure = ({ token }) =>
  isRejected && token === 'token 1' ? new Failure('token-rejected', { service: 'billing' }) : undefined;
const delivery = await startDelivery(BEGIN, () => ({ billing: fakeBilling.client }));
const { slack, load, run, save, until } = delivery;

beforeEach(async () => {
  isRejected = false;
  slack.admins.add(ANNA);
  await save({ settings: { managers: [BOSS] } });
});

const connect = (token: string, expiresAt?: number, registeredAt = BEGIN) =>
  save({
    connections: [
      {
        token,
        lifetime: '30-days',
        registeredBy: ANNA,
        registeredAt,
        ...(expiresAt !== undefined && { expiresAt }),
      },
    ],
  });
const sentTo = (person: string) => slack.posts.filter(({ channel }) => channel === directMessage(person));
const texts = (person: string) => sentTo(person).map(({ text }) => text);

describe('the expiry of a token', () => {
  it('is announced 14, 3 and 1 days ahead to managers and the person who registered the token', async () => {
    await connect('token 1', EXPIRES);
    const times: string[] = [];
    slack.fault = ({ method }) => {
      if (method === 'chat.postMessage') times.push(new Date(delivery.now).toISOString().slice(5, 13));
      return undefined;
    };
    await until(EXPIRES + 20 * DAY);
    const expected = ['(14 days)', '(3 days)', '(tomorrow)'].map(
      (when) => `The access token for connection main expires Tue 1 Dec 2026 ${when}`,
    );
    expect(texts(ANNA)).toEqual(expected);
    expect(texts(BOSS)).toEqual(expected);
    expect(new Set(times)).toEqual(new Set(['11-17T09', '11-28T09', '11-30T09']));
    expect(sentTo(ANNA)[0]?.blocks).toContain('Replace token…');
    expect(slack.posts.map(({ blocks }) => blocks).join()).not.toContain('token 1');
  });

  it('isn’t announced once the token is replaced', async () => {
    await connect('token 1', EXPIRES);
    await until(Date.parse('2026-11-20T00:00:00Z'));
    expect(sentTo(ANNA)).toHaveLength(1);
    await connect('token 2', EXPIRES + 30 * DAY, delivery.now);
    await until(EXPIRES);
    expect(sentTo(ANNA)).toHaveLength(1);
    await until(EXPIRES + 31 * DAY);
    expect(sentTo(ANNA)).toHaveLength(4);
  });

  it('is announced later if Tally was down on the reminder days', async () => {
    await connect('token 1', EXPIRES);
    delivery.now = EXPIRES + HOUR;
    await run();
    await run();
    expect(texts(ANNA)).toEqual(['The access token for connection main expired Tue 1 Dec 2026 (today)']);
  });

  it('isn’t announced 14 days ahead if the token lasts less than 14 days', async () => {
    await connect('token 1', BEGIN + 10 * DAY);
    await until(BEGIN + 5 * DAY);
    expect(slack.posts).toEqual([]);
    await until(BEGIN + 8 * DAY);
    expect(sentTo(ANNA)).toHaveLength(1);
  });
});

describe('the expiry of a token that a former manager registered', () => {
  const ADMINS = ['U0AMARA001', 'U0OLIVIA01'];
  const announced = (person: string) => texts(person).map((text) => /\((.+)\)/.exec(text)?.[1]);

  beforeEach(async () => {
    slack.admins.clear();
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
  ])('is announced to an admin if every manager %s', async (_, profile) => {
    await save({ settings: { managers: [BOSS] } });
    await connect('token 1', EXPIRES);
    for (const person of [ANNA, BOSS]) if (profile !== 'unknown') slack.people.set(person, profile as object);
    const isGone = (args: URLSearchParams) =>
      [ANNA, BOSS].includes(args.get('user') ?? args.get('users') ?? '');
    slack.fault = ({ method, args }) =>
      profile === 'unknown' && ['users.info', 'conversations.open'].includes(method) && isGone(args)
        ? 'user_not_found'
        : undefined;
    await until(EXPIRES + DAY);
    expect(announced(ADMINS[0]!)).toEqual(['14 days', '3 days', 'tomorrow']);
    expect(sentTo(ADMINS[0]!).every(({ blocks }) => blocks.includes('Replace token…'))).toBe(true);
    for (const person of ['U0MEMBER01', 'U0FORMER01', 'U0OTHER001']) expect(sentTo(person)).toEqual([]);
  });

  it('is announced to the former manager, with the advice to ask a manager', async () => {
    await save({ settings: {} });
    await connect('token 1', EXPIRES);
    await until(EXPIRES - 13 * DAY);
    expect(sentTo(ANNA)[0]?.blocks).toContain('Ask a Tally manager to replace it.');
  });

  it('is announced to a remaining manager, and not to admins', async () => {
    slack.people.set(ANNA, { deleted: true });
    await connect('token 1', EXPIRES);
    await until(EXPIRES);
    expect(announced(BOSS)).toEqual(['14 days', '3 days', 'tomorrow']);
    for (const admin of ADMINS) expect(sentTo(admin)).toEqual([]);
  });
});

it('the expiry of an application access is announced with a button to replace the access', async () => {
  await save({ accesses: [{ registeredBy: ANNA, registeredAt: BEGIN, expiresAt: EXPIRES }] });
  await until(EXPIRES);
  expect(texts(ANNA)[0]).toBe('The application access for project 123 expires Tue 1 Dec 2026 (14 days)');
  expect(sentTo(ANNA)[0]?.blocks).toContain('access-form');
  expect(texts(ANNA)).toHaveLength(3);
});

describe('the rejection of a token', () => {
  it('is announced immediately, and only once', async () => {
    await connect('token 1', EXPIRES);
    await save({ watches: [WATCH] });
    isRejected = true;
    await until(BEGIN + 9 * HOUR);
    expect(texts(ANNA)).toEqual(['The billing service rejected the access token for connection main']);
    expect(texts(BOSS)).toHaveLength(1);
    const { fingerprint = '' } = (await load()).connections.get('main') ?? {};
    await delivery.parts.saveRejection({
      workspace: TEAM,
      kind: 'connection',
      name: 'main',
      mark: fingerprint,
    });
    delivery.now = EXPIRES - 3 * DAY;
    await run();
    expect(sentTo(ANNA)).toHaveLength(1);
  });

  it('is announced for the registered token, but not for a token that was only tested in a form', async () => {
    await connect('token 1');
    const note = (mark: string) =>
      delivery.parts.saveRejection({ workspace: TEAM, kind: 'connection', name: 'main', mark });
    await note('another00000');
    await run();
    expect(slack.posts).toEqual([]);
    await note((await load()).connections.get('main')?.fingerprint ?? '');
    await run();
    expect(sentTo(ANNA)).toHaveLength(1);
  });
});

it.each([
  ['a new expiry date', { expiresAt: EXPIRES + DAY }, 2],
  ['no expiry date', {}, 1],
])(
  'a token’s new expiry date is announced, but the removal of the date is not: %s',
  async (_, after, count) => {
    const byHand = { token: 'token 1', registeredBy: ANNA, registeredAt: BEGIN };
    await save({ connections: [{ ...byHand, expiresAt: EXPIRES }] });
    await until(EXPIRES - 13 * DAY - HOUR);
    expect(sentTo(ANNA)).toHaveLength(1);
    await save({ connections: [{ ...byHand, ...after }] });
    await until(EXPIRES - 12 * DAY);
    expect(sentTo(ANNA)).toHaveLength(count);
  },
);

describe('a reminder that is already in Slack', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    [
      'works again',
      async () => {
        isRejected = false;
        await delivery.remove('rejected:connection:main');
      },
      'The access token for connection main works again',
    ],
    [
      'was replaced',
      () => connect('token 2', EXPIRES + 90 * DAY, delivery.now),
      'The access token for connection main was replaced',
    ],
    [
      'was removed',
      () => delivery.remove('connection:main'),
      'The access token for connection main was removed',
    ],
  ])('says that the token %s, and no longer offers an action', async (_, mend, text) => {
    await connect('token 1');
    await save({ watches: [WATCH] });
    isRejected = true;
    await run();
    expect(sentTo(ANNA)).toMatchObject([{ edits: 0 }]);
    await mend();
    await delivery.until(delivery.now + 3 * HOUR);
    expect(sentTo(ANNA)).toMatchObject([{ text, edits: 1 }]);
    expect(sentTo(ANNA)[0]?.blocks).not.toContain('Replace token…');
    expect(sentTo(BOSS)[0]).toMatchObject({ text, edits: 1 });
  });
});
