/** Lists, pages and their buttons, for people who may no longer ask about the project of what they own or get. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { type Bot, CHANNEL, startBot, textOf, toAnswer } from '../support/bot.ts';
import { lastPost, schedule } from '../support/delivery.ts';
import { addConnection } from '../support/projects.ts';

const START = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const [GENERAL, FINANCE, DIRECT] = ['C0GENERAL1', 'C0FINANCE1', 'D0MEMBER01'];
const of = (name: string) => `tally:{T0SANDBOX1}:${name}`;
/** The names, the ID, figures and thresholds. */
const SECRETS = /payroll|zz-other|777|48[.,]151|50[.,]000/;

let now = START;
let bot: Bot;
beforeAll(async () => {
  bot = await startBot({ now: () => now });
  await addConnection(bot);
});
afterAll(() => bot.stop());

const set = (field: string, value: object) =>
  bot.redis.client.hset(of('record'), field, JSON.stringify(value));
const project = (alias: string, channels: readonly string[]) =>
  set(`project:${alias}`, {
    ...{ alias, id: '777', product: 1, channels, owner: OWNER, addedBy: OWNER, addedAt: 0 },
  });
const watch = (id: string, owner: string, target: object) =>
  set(`watch:${id}`, {
    ...{
      id,
      owner,
      ...target,
      projects: [{ id: '777', product: 1 }],
      rule: { kind: 'balance', below: '50000' },
    },
    ...{ createdBy: owner, createdAt: START, since: START },
  });

/** MEMBER owns two watches and a schedule, and gets the alerts of another watch. */
beforeEach(async () => {
  now += 2 * 60_000;
  await bot.redis.client.hdel(of('record'), 'project:zz-other');
  await project('payroll', []);
  await set('settings', {});
  await watch('watch001', MEMBER, { channel: CHANNEL });
  await watch('watch002', MEMBER, { people: [MEMBER] });
  await watch('watch003', ADMIN, { people: [MEMBER, ADMIN] });
  const alerted = [{ episode: 'e', level: 'threshold' }];
  const state = JSON.stringify({ since: START, alerted, alerts: [] });
  for (const id of ['watch001', 'watch002', 'watch003'])
    await bot.redis.client.hset(of('delivery-log'), `watch/${id}`, state);
  const account = { balance: '48151.62', bonuses: '0', at: now };
  const cause = { kind: 'no-data', data: { question: { project: '777', product: 1 } } };
  const { fingerprint } = JSON.parse((await bot.redis.client.hget(of('record'), 'connection:main')) ?? '{}');
  const figures = JSON.stringify({ source: `main ${fingerprint}`, account, problem: cause });
  await bot.redis.client.hset(of('delivery-log'), 'figures/777:1', figures);
  const projects = [{ id: '777', product: 1 as const }];
  await set('schedule:schedul1', schedule({ projects, owner: MEMBER, channel: CHANNEL, since: now }));
  await bot.redis.client.hset(
    of('delivery-log'),
    lastPost('schedul1', { due: START, result: 'failed', cause }),
  );
});

async function home(): Promise<string> {
  const drawn = () =>
    bot.slack.calls.filter(({ method, args }) => method === 'views.publish' && args.user_id === MEMBER)
      .length;
  const before = drawn();
  await bot.slack.openHome(MEMBER);
  await bot.slack.waitFor(() => drawn() > before);
  return textOf(bot.slack.home(MEMBER)?.view.blocks);
}
/** The answer alone: what Tally posts by itself may arrive at the same time. */
const asked = (command: string, channel: string) => async () => {
  const answers = () => bot.slack.messages(MEMBER, channel).filter(({ ephemeral }) => ephemeral);
  const before = answers().length;
  await bot.slack.say(MEMBER, channel, command);
  return toAnswer(await bot.slack.waitFor(() => answers()[before], 15_000)).visibleText;
};

const LISTS: Record<string, () => Promise<string>> = {
  'watches, in the channel of one': asked('/billing watches', CHANNEL),
  'watches, elsewhere': asked('/billing watches', GENERAL),
  'watches, in direct messages': asked('/billing watches', DIRECT),
  'schedules, in their channel': asked('/billing schedules', CHANNEL),
  'schedules, elsewhere': asked('/billing schedules', GENERAL),
  'status, in their channel': asked('/billing status', CHANNEL),
  'status, in direct messages': asked('/billing status', DIRECT),
  Home: home,
};

const WAYS: Record<string, { begin?(): Promise<unknown>; end(): Promise<unknown> }> = {
  'is limited to another channel': { end: () => project('payroll', [FINANCE]) },
  'is limited by another name': { end: () => project('zz-other', [FINANCE]) },
  'is limited, and they manage no more': {
    async begin() {
      await project('payroll', [FINANCE]);
      await set('settings', { managers: [MEMBER] });
    },
    end: () => set('settings', { managers: [OWNER] }),
  },
};

describe.each(Object.entries(WAYS))('a project that %s', (_, { begin, end }) => {
  it.each(Object.entries(LISTS))('is not shown in the list of %s', async (__, list) => {
    await begin?.();
    expect(await list()).toMatch(/payroll/);
    await end();
    now += 2 * 60_000;
    const text = await list();
    expect(text).not.toMatch(SECRETS);
    expect(text).not.toMatch(/Crossed|crossed|with a problem|No data for/);
  });

  it('leaves its owner a row to delete, which names nothing, and leaves others none', async () => {
    await begin?.();
    await end();
    now += 2 * 60_000;
    const answer = await bot.ask('/billing watches', MEMBER, DIRECT);
    expect(answer.visibleText).toMatch(/^2 watches/);
    expect(answer.visibleText).toContain('A watch on a project you can’t ask about here');
    expect(JSON.stringify(answer.blocks)).not.toContain('edit watch00');
    const place = { channel: DIRECT, ts: answer.ts };
    const shows = (part: string) =>
      bot.slack.waitFor(() =>
        bot.slack
          .messages(MEMBER, DIRECT)
          .filter(({ ts }) => ts === answer.ts)
          .map(({ blocks }) => textOf(blocks))
          .find((text) => text.includes(part)),
      );
    await bot.slack.choose(MEMBER, place, 'watch-row', 'delete watch001');
    expect(await shows('This can’t be undone.')).not.toMatch(SECRETS);
    await bot.slack.press(MEMBER, place, 'Delete');
    expect(await shows('Deleted the watch')).not.toMatch(SECRETS);
  });
});
