/** People who may no longer ask about a project see nothing of it in lists, pages and buttons. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { botOfFile, CHANNEL, SATURDAY } from '../support/bot.ts';
import { lastPost, schedule } from '../support/delivery.ts';
import { directOf, FINANCE, GENERAL } from '../support/people.ts';
import { addConnection } from '../support/projects.ts';

const DIRECT = directOf(MEMBER);
const of = (name: string) => `tally:{T0SANDBOX1}:${name}`;
/** Matches the project's names, ID, figures and thresholds. */
const SECRETS = /payroll|zz-other|777|48[.,]151|50[.,]000/;

let now = SATURDAY;
const bot = await botOfFile({ now: () => now });
await addConnection(bot);

const set = (field: string, value: object) => bot.store({ [field]: value });
const project = (alias: string, channels: readonly string[]) =>
  set(`project:${alias}`, {
    alias,
    id: '777',
    product: 1,
    channels,
    owner: OWNER,
    addedBy: OWNER,
    addedAt: 0,
  });
const watch = (id: string, owner: string, target: object) =>
  set(`watch:${id}`, {
    id,
    owner,
    ...target,
    projects: [{ id: '777', product: 1 }],
    rule: { kind: 'balance', below: '50000' },
    createdBy: owner,
    createdAt: SATURDAY,
    since: SATURDAY,
  });

/** MEMBER owns two watches and a schedule, and gets the alerts of another watch. */
beforeEach(async () => {
  now += 2 * 60_000;
  await bot.drop('project:zz-other');
  await project('payroll', []);
  await set('settings', {});
  await watch('watch001', MEMBER, { channel: CHANNEL });
  await watch('watch002', MEMBER, { people: [MEMBER] });
  await watch('watch003', ADMIN, { people: [MEMBER, ADMIN] });
  const alerted = [{ episode: 'e', level: 'threshold' }];
  const state = JSON.stringify({ since: SATURDAY, alerted, alerts: [] });
  for (const id of ['watch001', 'watch002', 'watch003'])
    await bot.redis.client.hset(of('delivery-log'), `watch/${id}`, state);
  const account = { balance: '48151.62', bonuses: '0', at: now };
  const cause = { kind: 'no-data', data: { question: { project: '777', product: 1 } } };
  const { fingerprint } = await bot.stored('connection:main');
  const figures = JSON.stringify({ source: `main ${fingerprint}`, account, problem: cause });
  await bot.redis.client.hset(of('delivery-log'), 'figures/777:1', figures);
  const projects = [{ id: '777', product: 1 as const }];
  await set('schedule:schedul1', schedule({ projects, owner: MEMBER, channel: CHANNEL, since: now }));
  const post = lastPost('schedul1', { due: SATURDAY, result: 'failed', cause });
  await bot.redis.client.hset(of('delivery-log'), post);
});

/** Waits for a private answer, because Tally may post something else at the same time. */
const asked = (command: string, channel: string) => async () => {
  const answers = () => bot.answers(MEMBER, channel).filter(({ ephemeral }) => ephemeral);
  const before = answers().length;
  await bot.slack.say(MEMBER, channel, command);
  return (await bot.slack.waitFor(() => answers()[before], 15_000)).visibleText;
};

const LISTS: Record<string, () => Promise<string>> = {
  '/billing watches, in the channel of a watch': asked('/billing watches', CHANNEL),
  '/billing watches, in the general channel': asked('/billing watches', GENERAL),
  '/billing watches, in a direct message': asked('/billing watches', DIRECT),
  '/billing schedules, in the schedule’s channel': asked('/billing schedules', CHANNEL),
  '/billing schedules, in the general channel': asked('/billing schedules', GENERAL),
  '/billing status, in the schedule’s channel': asked('/billing status', CHANNEL),
  '/billing status, in a direct message': asked('/billing status', DIRECT),
  'the Home tab': () => bot.home(MEMBER),
};

const WAYS: Record<string, { begin?(): Promise<unknown>; end(): Promise<unknown> }> = {
  'is limited to the finance channel': { end: () => project('payroll', [FINANCE]) },
  'has a second name that is limited to the finance channel': { end: () => project('zz-other', [FINANCE]) },
  'was shown only because the reader was a manager': {
    async begin() {
      await project('payroll', [FINANCE]);
      await set('settings', { managers: [MEMBER] });
    },
    end: () => set('settings', { managers: [OWNER] }),
  },
};

describe.each(Object.entries(WAYS))('a project that %s', (_, { begin, end }) => {
  it.each(Object.entries(LISTS))('is no longer listed for a member: %s', async (__, list) => {
    await begin?.();
    expect(await list()).toMatch(/payroll/);
    await end();
    now += 2 * 60_000;
    const text = await list();
    expect(text).not.toMatch(SECRETS);
    expect(text).not.toMatch(/threshold|with a problem|No data for/);
  });

  it('is not named in the list of watches, even to the owner of the project’s watch', async () => {
    await begin?.();
    await end();
    now += 2 * 60_000;
    const answer = await bot.ask('/billing watches', MEMBER, DIRECT);
    expect(answer.visibleText).toMatch(/^2 watches/);
    expect(answer.visibleText).toContain('A watch on a project you can’t ask about here');
    expect(JSON.stringify(answer.blocks)).not.toContain('edit watch00');
    await bot.choose(answer, 'watch-row', 'delete watch001', MEMBER);
    const confirming = await bot.updated(answer, 'This can’t be undone.', MEMBER);
    expect(confirming.visibleText).not.toMatch(SECRETS);
    await bot.press(answer, 'Delete', MEMBER);
    expect((await bot.updated(answer, 'Deleted the watch', MEMBER)).visibleText).not.toMatch(SECRETS);
  });
});
