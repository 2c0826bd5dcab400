/** How the outbox sends any kind of message. This kind has nothing but a text. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { OutboxMessage } from '../../src/delivery/delivery-log.ts';
import { newMessage, putMessage } from '../../src/delivery/delivery-log.ts';
import type { MessageKind } from '../../src/delivery/outbox/message-kind.ts';
import type { Work } from '../../src/ops/work-record.ts';
import { deliveryLogKey, keysOf, recordKey } from '../../src/redis/keys.ts';
import { section } from '../../src/slack/block-kit/blocks.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createRunner } from '../support/delivery-runner.ts';
import { directMessage, startMinimalSlack } from '../support/minimal-slack.ts';
import { fieldsOf } from '../support/records.ts';
import { testRedis } from '../support/redis.ts';

const TEAM = 'T0TEAM0001';
const CHANNEL = 'C0COSTS001';
const BEGIN = Date.parse('2026-11-20T09:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Note {
  readonly text: string;
}
const store = await testRedis();
const slack = await startMinimalSlack();
const redis = store.client;
const keyring = createKeyring([{ id: 'test', key: Buffer.alloc(32, 1) }]);
afterAll(() => Promise.all([store.close(), slack.close()]));

let now: number;
let works: Work[];
let planned: OutboxMessage<Note>[];
let kind: Partial<MessageKind<Note>>;
/** Called when a message is made. */
let atPrepare: (message: OutboxMessage<Note>) => Promise<void>;

const noteKind = (): MessageKind<Note> => ({
  name: 'notice',
  about: z.object({ text: z.string() }),
  plan: ({ snapshot }) => ({
    writes: planned
      .filter(({ key }) => !snapshot.messages.some((message) => message.key === key))
      .map(putMessage),
  }),
  async prepare(message) {
    await atPrepare(message);
    const { text } = message.about;
    return { projects: [], render: () => ({ text, blocks: [section(text)] }) };
  },
  ...kind,
});
const another = () =>
  createRunner(
    {
      redis,
      slackUrl: slack.url,
      clock: () => now,
      keyring,
      onFinished: (work) => void works.push(work),
    },
    [noteKind()],
  );
const run = async () => another().runner.run(TEAM);
const messages = async () => (await another().parts.deliveryLog.load(TEAM)).messagesOf(noteKind());
const stored = async () => (await messages())[0];
const plan = (to = CHANNEL, text = 'Hello', key = `notice/one/${to}`) => {
  planned = [...planned, newMessage(key, to, { text }, now)];
};
const outcomes = () => works.flatMap((work) => (work.kind === 'message' ? work.outcome : []));
/** Behaves like a killed process: every later call does nothing. */
const die = () => new Promise<never>(() => undefined);

beforeEach(async () => {
  await redis.flushdb();
  slack.restore();
  slack.now = () => now;
  [now, works, planned, kind] = [BEGIN, [], [], {}];
  atPrepare = async () => undefined;
  await redis.hset(
    recordKey(TEAM),
    fieldsOf({ settings: { managers: ['U0BOSS0001'] }, connections: [] }, keyring, TEAM),
  );
});

describe('a message that is due', () => {
  it('is sent only once, and is then logged as posted', async () => {
    plan();
    expect(await run()).toBeUndefined();
    await run();
    expect(slack.posts).toMatchObject([{ channel: CHANNEL, text: 'Hello', key: `notice/one/${CHANNEL}` }]);
    expect(await stored()).toMatchObject({ state: 'posted', ts: slack.posts[0]?.ts, channel: CHANNEL });
    expect(outcomes()).toEqual(['sent']);
  });

  it('is sent as a direct message if its recipient is a person', async () => {
    plan('U0OWNER001');
    await run();
    expect(slack.posts).toMatchObject([{ channel: directMessage('U0OWNER001') }]);
  });

  it('is edited, not sent again, when its next update is due', async () => {
    kind = { nextUpdate: ({ at }) => at + HOUR };
    plan();
    expect(await run()).toBe(BEGIN + HOUR);
    now += HOUR;
    kind = {};
    await run();
    expect(slack.posts).toMatchObject([{ edits: 1 }]);
    expect((await stored())?.next).toBeUndefined();
  });

  it('is not updated any more if it is about a project that its reader may no longer see', async () => {
    const managers = (...named: string[]) =>
      redis.hset(recordKey(TEAM), 'settings', JSON.stringify({ managers: named }));
    const limited = {
      alias: 'prod',
      id: '7',
      product: 1,
      channels: ['C0FINANCE1'],
      addedBy: 'U0A',
      addedAt: 0,
    };
    await redis.hset(recordKey(TEAM), 'project:prod', JSON.stringify({ ...limited, owner: 'U0A' }));
    const render = () => ({ text: `At ${now}`, blocks: [section(`At ${now}`)] });
    kind = {
      prepare: async () => ({ projects: [{ id: '7', product: 1 }], render }),
      nextUpdate: () => now + HOUR,
    };
    plan('U0OWNER001');
    await managers('U0OWNER001');
    await run();
    now += HOUR;
    await run();
    expect(slack.posts).toMatchObject([{ edits: 1, text: `At ${now}` }]);
    await managers('U0BOSS0001');
    now += HOUR;
    await run();
    expect(slack.posts).toMatchObject([{ edits: 1, text: `At ${now - HOUR}` }]);
  });

  it('is sent at least a second after the previous message to the same channel', async () => {
    plan(CHANNEL, 'One', 'notice/1/C');
    plan(CHANNEL, 'Two', 'notice/2/C');
    await run();
    const [first, second] = slack.posts;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(1_000);
  });
});

describe('a process that is killed or hangs', () => {
  it.each<[string, () => void, number]>([
    [
      'while it prepares the message',
      () => {
        atPrepare = die;
      },
      0,
    ],
    [
      'before Slack has received the message',
      () => {
        slack.fault = ({ method }) => (method === 'chat.postMessage' ? { status: 500 } : undefined);
      },
      0,
    ],
    [
      'after Slack has received the message',
      () => {
        slack.fault = ({ method }) =>
          method === 'chat.postMessage' ? { status: 502, take: true } : undefined;
      },
      1,
    ],
  ])('doesn’t lose or duplicate its message if it is killed %s', async (_, prepare, before) => {
    plan();
    prepare();
    await Promise.race([run(), new Promise((resolve) => setTimeout(resolve, 300))]);
    expect(slack.posts).toHaveLength(before);
    slack.fault = () => undefined;
    atPrepare = async () => undefined;
    for (let next = await run(); next !== undefined && now < BEGIN + HOUR; next = await run()) now = next;
    expect(slack.posts).toHaveLength(1);
    expect(await stored()).toMatchObject({ state: 'posted', ts: slack.posts[0]?.ts });
  });

  it('has its message sent again, marked as a possible duplicate, if Tally can’t search Slack', async () => {
    plan();
    slack.fault = ({ method }) =>
      method === 'chat.postMessage'
        ? { status: 502, take: true }
        : method === 'conversations.history'
          ? 'missing_scope'
          : undefined;
    await run();
    for (let tries = 0; tries < 5; tries += 1) {
      now += 10 * MINUTE;
      await run();
    }
    expect(slack.posts).toHaveLength(2);
    expect(slack.posts[1]?.blocks).toContain('This may be a duplicate');
    expect(await stored()).toMatchObject({ state: 'failed' });
  });

  it('doesn’t send a message that another process has sent in the meantime', async () => {
    plan();
    let wake = () => {};
    atPrepare = () =>
      new Promise((resolve) => {
        wake = resolve;
      });
    const hanging = run();
    await expect.poll(() => wake.name).not.toBe('wake_');
    await new Promise((resolve) => setTimeout(resolve, 100));
    atPrepare = async () => undefined;
    await run();
    wake();
    await hanging;
    expect(slack.posts).toHaveLength(1);
  });
});

describe('a message that can’t be sent', () => {
  it('is tried again often for an hour, then every hour for three days', async () => {
    plan();
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'invalid_blocks' : undefined);
    const tries: number[] = [];
    for (let next = await run(); next !== undefined; next = await run()) {
      tries.push(next - BEGIN);
      now = next;
    }
    expect(tries.slice(0, 4)).toEqual([1, 3, 7, 12].map((minutes) => minutes * MINUTE));
    expect(tries).toHaveLength(86);
    expect(tries.at(-1)).toBe(73 * HOUR);
    expect(await stored()).toMatchObject({ state: 'failed', cause: { kind: 'slack-failed' } });
  });

  it('waits, like all messages of its workspace, until Slack’s rate limit ends', async () => {
    plan(CHANNEL, 'One', 'notice/1/C');
    slack.fault = ({ method }) => (method === 'chat.postMessage' ? { retryAfter: 90 } : undefined);
    await run();
    plan('C0OTHER001', 'Two', 'notice/2/C');
    expect(await run()).toBe(BEGIN + 90_000);
    slack.fault = () => undefined;
    now = BEGIN + 90_000;
    await run();
    expect(slack.posts).toHaveLength(2);
    expect((await messages()).map(({ tries }) => tries)).toEqual([0, 0]);
  });

  it('goes to the next responsible person if its recipient can’t get messages', async () => {
    plan('U0OWNER001');
    slack.fault = ({ args }) => (args.get('users') === 'U0OWNER001' ? 'user_disabled' : undefined);
    await run();
    expect(slack.posts).toMatchObject([{ channel: directMessage('U0BOSS0001') }]);
    expect(slack.posts[0]?.blocks).toContain('This was meant for <@U0OWNER001>.');
  });

  it.each([
    ['is a guest now', { is_restricted: true }],
    ['has left', { deleted: true }],
  ])('goes to the next responsible person if its recipient %s', async (_, profile) => {
    slack.people.set('U0OWNER001', profile);
    plan('U0OWNER001');
    await run();
    expect(slack.posts).toMatchObject([{ channel: directMessage('U0BOSS0001') }]);
  });

  it('is recorded as failed if nobody can receive the message', async () => {
    for (const person of ['U0OWNER001', 'U0BOSS0001']) slack.people.set(person, { deleted: true });
    plan('U0OWNER001');
    await run();
    expect(slack.posts).toEqual([]);
    expect(await stored()).toMatchObject({ state: 'failed', cause: { kind: 'not-sent' } });
  });

  it('is skipped if its stored record is damaged', async () => {
    plan();
    await redis.hset(deliveryLogKey(TEAM), `notice/one/${CHANNEL}`, '{"state":');
    await run();
    expect(slack.posts).toEqual([]);
  });
});

it('nothing is sent or stored for a workspace that has just been removed', async () => {
  plan();
  atPrepare = async () => void (await redis.unlink(...keysOf(TEAM)));
  await run();
  expect(slack.posts).toEqual([]);
  expect(await redis.keys('*')).toEqual([]);
});
