/**
 * Runs two bots on one Redis while ENCRYPTION_KEYS is rotated as docs/redis-and-keys.md says, and also without its
 * second step.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { BOT_TOKEN, type Bot, type BotProcess, CHANNEL, SIGNING_SECRET, startBot } from '../support/bot.ts';
import { forgetWakeUps } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';

const OLD = `2026:${randomBytes(32).toString('base64')}`;
const NEW = `2027:${randomBytes(32).toString('base64')}`;
/** Newest first. */
const BOTH_OLD_SEALS = `${OLD},${NEW}`;
const BOTH_NEW_SEALS = `${NEW},${OLD}`;
const DAY = 86_400_000;

let bot: Bot;
let ahead: number;
beforeEach(async () => {
  ahead = 0;
  bot = await startBot({ encryptionKeys: OLD, now: () => Date.now() + ahead });
});
afterEach(() => bot.stop());

/** One bot is replaced after the other. */
const ROLLOUTS = [
  ['2: each knows the new key', BOTH_OLD_SEALS],
  ['3: the new one seals', BOTH_NEW_SEALS],
  ['5: the old one is gone', NEW],
] as const;

const reseal = () =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', 'src/tally.ts', 'reseal'], {
    env: {
      PATH: process.env.PATH,
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      REDIS_URL: bot.redis.url,
      ENCRYPTION_KEYS: BOTH_NEW_SEALS,
    },
  });

describe('two bots while the operator replaces the encryption key', () => {
  it('can both decrypt what either bot encrypts, at each step', async () => {
    const processes: BotProcess[] = [];
    for (const _ of [1, 2]) processes.push(await bot.startAnotherProcess());
    const tryBoth = async (step: string) => {
      for (const [writer, reader] of [processes, [...processes].reverse()]) {
        writer?.receive();
        await bot.connect();
        reader?.receive();
        expect((await bot.ask('/balance 123')).visibleText, step).toContain('left');
      }
    };
    for (const [step, keys] of ROLLOUTS) {
      if (keys === NEW) await reseal();
      for (const at of processes.keys()) {
        await processes[at]?.stop();
        processes[at] = await bot.startAnotherProcess(keys);
        if (at === 0) await tryBoth(step);
      }
    }
    await tryBoth('afterwards');
  }, 60_000);

  it('report a missing key and change nothing if one bot lacks the new key', async () => {
    const behind = await bot.startAnotherProcess();
    const newest = await bot.startAnotherProcess(BOTH_NEW_SEALS);
    await bot.connect();
    const record = `tally:{T0SANDBOX1}:record`;
    const sealed = await bot.redis.client.hget(record, 'connection:main');
    behind.receive();
    const { visibleText } = await bot.ask('/balance 123');
    expect(visibleText).toContain('put the old key back');
    expect(await bot.redis.client.hget(record, 'connection:main')).toBe(sealed);
    newest.receive();
    expect((await bot.ask('/balance 123')).visibleText).toContain('left');
  });

  it('send a due post once if one bot lacks the new key', async () => {
    await bot.connect();
    await bot.slack.say(OWNER, CHANNEL, '/billing schedule 123 daily 09:00');
    await bot.slack.waitFor(() => bot.slack.modal(OWNER));
    await bot.slack.submit(OWNER, {});
    await reseal();
    const posts = () =>
      bot.slack.messages(OWNER, CHANNEL).filter(({ ephemeral, from }) => !ephemeral && from !== OWNER).length;
    const before = posts();
    await bot.stopBot();
    const restart = async (keys: string) => {
      await forgetWakeUps(bot.redis.client);
      await bot.startAnotherProcess(keys);
    };
    ahead = 2 * DAY;
    await restart(OLD);
    const log = async () => JSON.stringify(await bot.redis.client.hgetall('tally:{T0SANDBOX1}:delivery-log'));
    await waitUntil(async () => (await log()).includes('unseal-failed'));
    expect(posts()).toBe(before);
    await bot.stopBot();
    ahead += 600_000;
    await restart(BOTH_NEW_SEALS);
    await waitUntil(async () => posts() > before);
    expect(posts()).toBe(before + 1);
  });
});
