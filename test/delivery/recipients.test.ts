/** For each kind of message, each way in which its recipient can lose the right, and each moment: nothing is sent. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Big } from 'big.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MESSAGE_KINDS } from '../../src/delivery/delivery-log.ts';
import { makeReport } from '../../src/delivery/reports/make-report.ts';
import { addDays } from '../../src/domain/time/calendar.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import {
  type NewConnection,
  serializeAccess,
  serializeConnection,
} from '../../src/workspace/credentials/credential-records.ts';
import type { Project } from '../../src/workspace/projects/project-record.ts';
import { type Destination, serializeWatch } from '../../src/workspace/record/automation-records.ts';
import { createDeliveryParts, save, schedule } from '../support/delivery.ts';
import { createFakeBilling, type FakeBilling } from '../support/fake-billing.ts';
import {
  alertNameOf,
  directMessage,
  type MinimalSlack,
  startMinimalSlack,
} from '../support/minimal-slack.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { isThorough } from '../support/test-run.ts';

const [CHANNEL, ELSEWHERE] = ['C0COSTS001', 'C0FINANCE1'];
/** Anna loses her rights, Ben keeps his, and Carl registered the connection. */
const [ANNA, BEN, CARL] = ['U0ANNA0001', 'U0BEN00001', 'U0CARL0001'];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BEGIN = Date.parse('2026-11-20T08:00:00Z');
const DUE = Date.parse('2026-11-20T09:00:00Z');

const keyring = createKeyring([{ id: 'test', key: randomBytes(32) }]);
let redis: TestRedis;
let slack: MinimalSlack;
let now = BEGIN;
let balance = 100_000;
let spent = 1_000;
let billing: FakeBilling;
let parts: ReturnType<typeof createDeliveryParts>;
let team = '';
let teams = 0;

beforeAll(async () => {
  redis = await testRedis();
  slack = await startMinimalSlack();
  slack.now = () => now;
  billing = createFakeBilling(
    () => ({
      amounts: () => new Map(Array.from({ length: 120 }, (_, n) => [addDays('2026-11-25', -n), spent])),
      balance: () => balance,
    }),
    () => now,
  );
  parts = createDeliveryParts({
    redis: redis.client,
    redisUrl: redis.url,
    slackUrl: slack.url,
    keyring,
    clock: () => now,
    billing: billing.client,
    async report(question) {
      const result = await makeReport(question);
      await onFigures?.();
      return result;
    },
  });
});
afterAll(async () => {
  await parts.close();
  await Promise.all([slack.close(), redis.close()]);
});

const set = (field: string, value: object) =>
  redis.client.hset(recordKey(team), field, JSON.stringify(value));
const project = (alias: string, given: Partial<Project> = {}) =>
  set(`project:${alias}`, {
    alias,
    id: '777',
    product: 1,
    channels: [],
    owner: CARL,
    addedBy: CARL,
    addedAt: 0,
    ...given,
  });
const run = () => parts.runner.run(team);
const until = async (end: number) => {
  for (let next = await run(); next !== undefined && next <= end; next = await run())
    now = Math.max(now, next);
  now = end;
  await run();
};
const DAILY = schedule({
  projects: [{ id: '777', product: 1 }],
  since: BEGIN,
  owner: ANNA,
  timing: { cadence: { kind: 'daily' }, time: '09:00', zone: 'UTC' },
});
const scheduled = () => save(redis.client, team, DAILY);
const watched = (target: Destination) => {
  const rule = { kind: 'balance', below: new Big(50_000) } as const;
  const about = { id: 'watch001', projects: [{ id: '777', product: 1 }], rule, ...target } as const;
  const json = serializeWatch({ ...about, owner: CARL, createdBy: CARL, createdAt: BEGIN, since: BEGIN });
  return redis.client.hset(recordKey(team), 'watch:watch001', json);
};
const acknowledge = async () => {
  const alert = alertNameOf(slack.posts.at(-1), 'watch001');
  const response = { acknowledged: { at: now, by: BEN } };
  expect(await parts.watching.respond(team, 'watch001', alert, response)).toBe('recorded');
};

/** One kind of message, from its setup to its sending. */
interface Scenario {
  readonly to: 'channel' | 'person';
  /** Runs until just before the message is due. */
  prepare(): Promise<unknown>;
  /** Makes the message due, and sends it if that is possible. */
  send(): Promise<unknown>;
  /** Lets time pass for retries. */
  goOn(): Promise<unknown>;
}

const goOn = () => until(now + 2 * HOUR);
const POST: Scenario = { to: 'channel', prepare: scheduled, send: () => until(DUE + 1_000), goOn };
const fallsBelow = async () => {
  balance = 48_151;
  await until(now + 2 * HOUR);
};
const alertTo = (target: Destination): Scenario => ({
  to: target.channel ? 'channel' : 'person',
  prepare: async () => {
    await watched(target);
    await until(now + 2 * HOUR);
  },
  send: fallsBelow,
  goOn,
});
const updateOf = (target: Destination): Scenario => ({
  ...alertTo(target),
  prepare: async () => {
    await watched(target);
    await fallsBelow();
  },
  send: async () => {
    await acknowledge();
    await run();
  },
});
const byHand = () => parts.scheduling.send(team, DAILY, 'now', BEN);

/** Every kind has to be here, and every way in which its messages are sent or updated. */
const KINDS = [...MESSAGE_KINDS, 'post by hand', 'correction', 'alert update'] as const;
const SCENARIOS: Record<(typeof KINDS)[number], readonly Scenario[]> = {
  post: [POST],
  'post by hand': [
    { ...POST, send: () => byHand().catch(() => undefined), goOn: () => byHand().catch(() => undefined) },
  ],
  correction: [
    {
      ...POST,
      prepare: async () => {
        await scheduled();
        await until(DUE + HOUR);
        spent = 5_432;
      },
      send: () => until(DUE + 7 * HOUR + 1_000),
    },
  ],
  alert: [alertTo({ channel: CHANNEL }), alertTo({ people: [BEN, ANNA] })],
  'alert update': [updateOf({ channel: CHANNEL }), updateOf({ people: [BEN, ANNA] })],
  reminder: [
    {
      to: 'person',
      async prepare() {
        const access = { project: '777', authUrl: 'https://id.example/v3', id: 'abcd', secret: 'efgh' };
        const made = { registeredBy: ANNA, registeredAt: BEGIN - 60 * DAY, expiresAt: BEGIN + 14 * DAY };
        const issuers = { people: [], groups: [] };
        const { json } = serializeAccess(keyring, team, { ...access, ...made, issuers });
        await redis.client.hset(recordKey(team), 'access:777', json);
      },
      send: () => until(BEGIN + 2 * HOUR),
      goOn,
    },
  ],
  notice: [
    {
      to: 'person',
      prepare: scheduled,
      async send() {
        isArchived = true;
        await until(DUE + 1_000);
      },
      goOn,
    },
  ],
};
let isArchived = false;

/** For each way, the recipients that it concerns. Managers begin with a project that only managers see. */
const WAYS: Record<string, { of: readonly Scenario['to'][]; asManager?: 'named' | 'group'; end(): unknown }> =
  {
    'its project is limited to another channel': {
      of: ['channel', 'person'],
      end: () => project('payroll', { channels: [ELSEWHERE] }),
    },
    'its project gets a second name with a limit to another channel': {
      of: ['channel', 'person'],
      end: () => project('zz-other', { channels: [ELSEWHERE] }),
    },
    'Tally is removed from the channel': { of: ['channel'], end: () => tallyLeaves() },
    'the recipient is no longer named as a manager': {
      of: ['person'],
      asManager: 'named',
      end: () => set('settings', { managers: [BEN] }),
    },
    'the recipient leaves the user group of managers': {
      of: ['person'],
      asManager: 'group',
      end: () => slack.group.delete(ANNA),
    },
    'the recipient, a named manager, becomes a guest': {
      of: ['person'],
      asManager: 'named',
      end: () => slack.people.set(ANNA, { is_restricted: true }),
    },
    'the recipient becomes a guest in a workspace where guests may ask': {
      of: ['person'],
      async end() {
        await set('settings', { managers: [BEN], guests: true });
        slack.people.set(ANNA, { is_ultra_restricted: true });
      },
    },
    'the recipient is deactivated': { of: ['person'], end: () => slack.people.set(ANNA, { deleted: true }) },
    'the recipient moves to another organization': {
      of: ['person'],
      asManager: 'named',
      end: () => slack.people.set(ANNA, { team_id: 'T0OTHER001' }),
    },
    'the recipient is now only an admin of another organization': {
      of: ['person'],
      end: () => slack.people.set(ANNA, { is_stranger: true, is_admin: true }),
    },
  };
let isOut = false;
/** Called between the figures of a post and its sending. */
let onFigures: (() => unknown) | undefined;
function tallyLeaves() {
  isOut = true;
}

/** The right ends before the message is due, or after Slack failed to take it. */
const MOMENTS = {
  due: undefined,
  'retried after an error': { status: 500 },
  'delayed by a rate limit': { retryAfter: 3_600 },
};

/** A quick run tries one moment for each way, in turn, so that each kind of message meets each moment. */
function momentsOf(way: number): (readonly [string, Fault])[] {
  const all = Object.entries(MOMENTS);
  return isThorough ? all : [all[way % all.length]!];
}

const TARGETS: Record<Scenario['to'], readonly string[]> = {
  channel: [CHANNEL],
  person: [ANNA, directMessage(ANNA)],
};
/** Includes updates of sent messages. */
const seenBy = (to: Scenario['to']) =>
  slack.posts
    .filter(({ workspace, channel }) => workspace === team && TARGETS[to].includes(channel))
    .map(({ ts, text, blocks }) => `${ts} ${text} ${blocks}`);
/** The project's names, ID and figures. */
const SECRETS = /payroll|zz-other|777|100,000|48,151|50,000|1,000\.00|5,432/;

async function begin(asManager?: 'named' | 'group') {
  teams += 1;
  team = `T0TEAM${teams}`;
  [now, balance, spent, isArchived, isOut, onFigures] = [BEGIN, 100_000, 1_000, false, false, undefined];
  slack.reset();
  slack.people.clear();
  slack.group.clear();
  if (asManager === 'group') slack.group.add(ANNA);
  slack.fault = faultOf(undefined);
  const main: NewConnection = {
    name: 'main',
    baseUrl: 'https://billing.example',
    token: 'a good token',
    role: 'read-only',
    lifetime: 'none',
    registeredBy: CARL,
    registeredAt: 0,
  };
  await redis.client.hset(recordKey(team), 'connection:main', serializeConnection(keyring, team, main).json);
  await set('settings', {
    managers: asManager === 'named' ? [BEN, ANNA] : [BEN],
    ...(asManager === 'group' && { managerGroups: ['S0FINOPS01'] }),
  });
  await project('payroll', { channels: asManager === undefined ? [] : [ELSEWHERE] });
}

type Fault = (typeof MOMENTS)[keyof typeof MOMENTS];
const faultOf =
  (fault: Fault, to?: Scenario['to']): MinimalSlack['fault'] =>
  ({ method, args }) => {
    const channel = args.get('channel') ?? '';
    if (method !== 'chat.postMessage' && method !== 'chat.update') return undefined;
    if (channel === CHANNEL && isOut) return 'not_in_channel';
    if (channel === CHANNEL && isArchived) return 'is_archived';
    return to !== undefined && TARGETS[to].includes(channel) ? fault : undefined;
  };

const cases = KINDS.flatMap((kind) =>
  SCENARIOS[kind].map((scenario) => [`${kind} to a ${scenario.to}`, scenario] as const),
);

describe.each(cases)('a message (%s)', (_, { to, prepare, send, goOn: later }) => {
  it.each([
    ['not a manager', undefined],
    ['a named manager', 'named'],
    ['in the managers’ group', 'group'],
  ] as const)('is sent while its recipient may see the project (recipient: %s)', async (__, by) => {
    if (to === 'channel' && by !== undefined) return;
    await begin(by);
    await prepare();
    const before = seenBy(to);
    await send();
    expect(
      seenBy(to)
        .filter((one) => !before.includes(one))
        .join('\n'),
    ).toMatch(SECRETS);
  });

  const ways = Object.entries(WAYS).filter(([, { of }]) => of.includes(to));
  describe.each(ways)(
    'doesn’t show the project after its recipient lost the right: %s',
    (way, { asManager, end }) => {
      it.each(momentsOf(ways.findIndex(([name]) => name === way)))(
        'doesn’t show the project after its recipient lost the right to see it: %s',
        async (___, fault) => {
          await begin(asManager);
          await prepare();
          if (fault !== undefined) {
            slack.fault = faultOf(fault, to);
            await send();
            slack.fault = faultOf(undefined);
          }
          const before = seenBy(to);
          await end();
          if (fault === undefined) await send();
          await later();
          const shown = seenBy(to).filter((one) => !before.includes(one));
          expect(shown.join('\n')).not.toMatch(SECRETS);
          // A person who is no longer a full member gets nothing, not even a message without the project.
          if (slack.people.has(ANNA)) expect(shown).toEqual([]);
        },
      );
    },
  );
});

const POST_FORMAT = cases.filter(([kind]) => /^(post|post by hand|correction) to a channel$/.test(kind));

describe.each(POST_FORMAT)('a message (%s) that is being prepared', (_, { prepare, send }) => {
  it.each(['payroll', 'zz-other'])(
    'isn’t sent if its project is meanwhile registered as “%s” for another channel only',
    async (alias) => {
      await begin();
      await prepare();
      const before = seenBy('channel');
      onFigures = () => project(alias, { channels: [ELSEWHERE] });
      await send();
      expect(seenBy('channel').filter((one) => !before.includes(one))).toEqual([]);
    },
  );
});

describe('an alert about a project limited to other channels', () => {
  const limited = { end: () => project('zz-other', { channels: [ELSEWHERE] }) };
  const lift = () => project('zz-other');
  const targets: readonly (readonly [string, Destination])[] = [
    ['a channel', { channel: CHANNEL }],
    ['a person', { people: [ANNA] }],
  ];

  /** Slack fails when the threshold is crossed, and works again while the project is limited. */
  const crossWhileLimited = async (target: Destination) => {
    await begin();
    const to = target.channel ? 'channel' : 'person';
    const scenario = alertTo(target);
    await scenario.prepare();
    slack.fault = faultOf({ status: 500 }, to);
    await scenario.send();
    await limited.end();
    slack.fault = faultOf(undefined);
    await until(now + 5 * HOUR);
    return to;
  };

  it.each(targets)('is sent to %s once the limit is lifted, with current figures', async (_, target) => {
    const to = await crossWhileLimited(target);
    expect(seenBy(to)).toEqual([]);
    balance = 41_234;
    await lift();
    await until(now + 5 * HOUR);
    expect(seenBy(to)).toHaveLength(1);
    expect(seenBy(to)[0]).toContain('41,234');
    expect(seenBy(to)[0]).not.toContain('48,151');
  });

  it.each(targets)(
    'isn’t sent to %s if the balance recovers before the limit is lifted',
    async (_, target) => {
      const to = await crossWhileLimited(target);
      balance = 90_000;
      await until(now + 2 * HOUR);
      await lift();
      await until(now + 5 * HOUR);
      expect(seenBy(to)).toEqual([]);
    },
  );

  it('is sent to each of several people once the limit is lifted', async () => {
    await begin();
    const scenario = alertTo({ people: [ANNA, 'U0DORA0001'] });
    await scenario.prepare();
    await limited.end();
    await scenario.send();
    await until(now + 3 * HOUR);
    const receivers = () =>
      slack.posts
        .filter(({ workspace }) => workspace === team)
        .map(({ channel }) => channel)
        .sort();
    expect(receivers()).toEqual([]);
    await lift();
    await until(now + 3 * HOUR);
    expect(receivers()).toEqual([directMessage(ANNA), directMessage('U0DORA0001')]);
  });

  it('isn’t sent to anyone after the limit is lifted if a manager already got it', async () => {
    await begin();
    const scenario = alertTo({ people: [BEN, ANNA] });
    await scenario.prepare();
    await limited.end();
    await scenario.send();
    await until(now + 3 * HOUR);
    const sent = () => slack.posts.filter(({ workspace, text }) => workspace === team && /48,151/.test(text));
    expect(sent().map(({ channel }) => channel)).toEqual([directMessage(BEN)]);
    await lift();
    await until(now + 3 * HOUR);
    expect(sent()).toHaveLength(1);
  });
});

describe('Slack calls that send messages', () => {
  it('are made in only two files of the delivery code: one for automatic and one for manual messages', async () => {
    const folder = 'src/delivery';
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
    const sources = await Promise.all(
      files.map(async (name) => ({ name, text: await readFile(`${folder}/${name}`, 'utf8') })),
    );
    const senders = sources.filter(({ text }) => /chat\.\w+\(|\/message-calls\.ts'/.test(text));
    expect(senders.map(({ name }) => name).sort()).toEqual(['outbox/send.ts', 'posts/post-service.ts']);
  });
});
