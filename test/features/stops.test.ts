/** What a change of connections and projects stops: said before and after it, and by every list from then on. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { stoppedWatches } from '../../src/features/watches/watch-wording.ts';
import { recordKey } from '../../src/redis/keys.ts';
import type { Schedule } from '../../src/workspace/owned/schedule-record.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { type Bot, CHANNEL, startBot, toAnswer } from '../support/bot.ts';
import { changeIn } from '../support/change.ts';
import { save, schedule } from '../support/delivery.ts';
import { createFormActions } from '../support/forms.ts';
import { addProject } from '../support/projects.ts';
import { requestOf } from '../support/records.ts';

const GENERAL = 'C0GENERAL1';
const PROD = { id: '123', product: 1 } as const;
const WEB = { id: '456', product: 1 } as const;
let bot: Bot;

beforeEach(async () => {
  bot = await startBot();
  await bot.connect();
  await addProject(bot, { alias: 'prod', id: '123' });
  await addProject(bot, { alias: 'web', id: '456', connection: 'main' });
});
afterEach(() => bot.stop());

const plan = (id: string, parts: Partial<Schedule>): Promise<void> =>
  save(bot.redis.client, TEAM, schedule({ id, owner: OWNER, channel: CHANNEL, since: Date.now(), ...parts }));

async function watch(id: string, project: object, target: object, rule: object): Promise<void> {
  const record = {
    id,
    projects: [project],
    rule,
    ...target,
    owner: OWNER,
    createdBy: OWNER,
    createdAt: 0,
    since: Date.now(),
  };
  await bot.redis.client.hset(recordKey(TEAM), `watch:${id}`, JSON.stringify(record));
}

async function addAccess(project: string, people: readonly string[]): Promise<void> {
  const workspaces = createWorkspaces({ redis: bot.redis.client, keyring: bot.keyring });
  await workspaces.saveAccess(await changeIn(workspaces, TEAM), {
    ...{ project, authUrl: 'https://identity.example.com/v3', id: 'access-0001', secret: 's3cr3t' },
    ...{ issuers: { people, groups: [] }, registeredBy: OWNER, registeredAt: 0 },
  });
}

const ask = async (command: string) => (await bot.ask(command)).visibleText;

async function press(command: string, label: string, part: string): Promise<readonly [string, string]> {
  const question = await bot.ask(command);
  await bot.slack.press(OWNER, { channel: CHANNEL, ts: question.ts }, label);
  const answer = await bot.slack.waitFor(() => {
    const found = bot.slack.messages(OWNER, CHANNEL).find(({ ts }) => ts === question.ts);
    return found !== undefined && toAnswer(found).visibleText.includes(part) && toAnswer(found);
  });
  return [question.visibleText, answer.visibleText];
}

const { modalText, openForm } = createFormActions(() => bot);

async function submit(fields: Record<string, string | readonly string[]>): Promise<string> {
  await bot.slack.submit(OWNER, fields);
  await bot.slack.waitFor(() => modalText() !== '' && !/Saving…|Testing:/.test(modalText()));
  return modalText();
}

describe('disconnecting', () => {
  beforeEach(async () => {
    await plan('s0000001', { projects: [PROD], report: 'yesterday' });
    await plan('s0000002', { projects: [WEB], report: 'balance', channel: GENERAL });
    await plan('s0000003', { projects: [WEB], paused: { why: 'person', at: 0, by: OWNER } });
    await watch('w0000001', PROD, { channel: CHANNEL }, { kind: 'balance', below: '50000' });
    await watch('w0000002', WEB, { people: [OWNER] }, { kind: 'runway', days: 14 });
  });

  it('says what it stops by name and number, before and after, and that no more of it is due', async () => {
    const [question, answer] = await press('/billing disconnect', 'Disconnect', 'Disconnected.');
    for (const text of [question, answer]) {
      expect(text).toMatch(/2 scheduled posts and 2 watches:/);
      expect(text).toContain('*Yesterday’s spend* for prod');
      expect(text).toContain('*Balance* for web');
      expect(text).toContain('*prod*: balance below 50,000.00');
      expect(text).toContain('*web*: runway under 14 days');
    }
    for (const text of [await ask('/billing status'), await ask('/billing schedules')])
      expect(text.match(/paused: its connection to the billing service is missing/g)?.length).toBeGreaterThan(
        1,
      );
    expect(await ask('/billing schedules')).not.toContain('next ');
    expect(await ask('/billing status')).toContain('0 running · 1 paused · *2 paused by Tally*');
    expect(await ask('/billing status')).toContain('0 running · *2 paused by Tally*');
    expect(await ask('/billing watches')).toContain(
      'paused: its connection to the billing service is missing',
    );
  });

  it('names only what loses its connection when another one becomes the default', async () => {
    const { visibleText: before } = await bot.ask('/billing status');
    expect(before).toContain('2 running · 1 paused');
    const json = JSON.parse((await bot.redis.client.hget(recordKey(TEAM), 'connection:main')) ?? '');
    await bot.redis.client.hset(
      recordKey(TEAM),
      'connection:second',
      JSON.stringify({ ...json, name: 'second' }),
    );
    const question = await ask('/billing disconnect main');
    expect(question).toContain('This stops 1 scheduled post and 1 watch:');
    expect(question).toContain('*Balance* for web');
    expect(question).not.toContain('*Yesterday’s spend* for prod');
  });
});

describe('limiting a project to channels', () => {
  beforeEach(async () => {
    await plan('s0000001', { projects: [PROD], report: 'yesterday', channel: CHANNEL });
    await plan('s0000002', { projects: [PROD], report: 'balance', channel: GENERAL });
    await plan('s0000003', { projects: [PROD, WEB], report: 'last-week', channel: CHANNEL });
    await watch('w0000001', PROD, { channel: CHANNEL }, { kind: 'balance', below: '50000' });
    await watch('w0000002', PROD, { channel: GENERAL }, { kind: 'runway', days: 14 });
    await watch('w0000003', PROD, { people: [MEMBER] }, { kind: 'budget', amount: '700' });
  });

  it('says in the form what it stops, saves nothing before it is confirmed, and says it again afterwards', async () => {
    await openForm('/billing projects edit prod');
    const warning = await submit({ channels: [GENERAL] });
    const stops = (text: string) => {
      expect(text).toContain('1 scheduled post and 2 watches:');
      expect(text).toContain('*Yesterday’s spend* for prod');
      expect(text).toContain('*prod*: balance below 50,000.00');
      expect(text).toContain(
        `*prod*: budget of 700.00 a month → <@${MEMBER}> (Tally managers still get its alerts)`,
      );
      expect(text).toContain('*Last week’s spend* for prod, web');
      expect(text).toContain('continues without prod');
      expect(text).not.toContain('runway under 14 days');
    };
    stops(warning);
    expect(warning).toContain('Nothing is saved yet.');
    expect(await bot.redis.client.hget(recordKey(TEAM), 'project:prod')).toContain('"channels":[]');
    const saved = await submit({});
    expect(saved).toContain('Saved.');
    stops(saved);
    await bot.slack.dismiss(OWNER);
    expect(await ask('/billing schedules')).toContain('paused: the project is limited to other channels');
    expect(await ask('/billing status')).toContain('2 running · *1 paused by Tally*');
  });

  it('asks again when the channels are changed after the warning, and not when nothing stops', async () => {
    await openForm('/billing projects edit prod');
    await submit({ channels: [GENERAL] });
    const other = await submit({ channels: [CHANNEL] });
    expect(other).toContain('Nothing is saved yet.');
    expect(other).toContain('*Balance* for prod');
    expect(await submit({ channels: [] })).toContain('Saved.');
    await bot.slack.dismiss(OWNER);
  });
});

describe('removing a project', () => {
  it('says what stops because the project had its own connection, before and after, and Undo brings it back', async () => {
    await bot.redis.client.hset(recordKey(TEAM), 'settings', JSON.stringify({ connection: 'gone' }));
    const json = JSON.parse((await bot.redis.client.hget(recordKey(TEAM), 'connection:main')) ?? '');
    await bot.redis.client.hset(
      recordKey(TEAM),
      'connection:second',
      JSON.stringify({ ...json, name: 'second' }),
    );
    await plan('s0000001', { projects: [WEB], report: 'balance' });
    await plan('s0000002', { projects: [{ ...WEB, product: 2 }], report: 'yesterday' });
    const [question, answer] = await press('/billing projects remove web', 'Remove', 'Removed web.');
    for (const text of [question, answer]) {
      expect(text).toContain('1 scheduled post:');
      expect(text).toContain('*Balance* for web');
      expect(text).not.toContain('Yesterday');
    }
    expect(answer).toContain('Undo');
  });
});

describe('the people who may get tokens', () => {
  it('lists who loses that before it is saved, and says so again afterwards', async () => {
    await addAccess('123', [OWNER, MEMBER]);
    await openForm('/billing projects access prod');
    const warning = await submit({ people: [MEMBER] });
    expect(warning).toContain(`Continues with less:*\n• Tokens for prod: not for <@${OWNER}>`);
    expect(warning).toContain('Nothing is saved yet.');
    const stored = () => bot.redis.client.hget(recordKey(TEAM), 'access:123');
    expect(await stored()).toContain(OWNER);
    const saved = await submit({});
    expect(saved).toContain('Saved.');
    expect(saved).toContain(`Tokens for prod: not for <@${OWNER}>`);
    expect(JSON.parse((await stored()) ?? '').issuers).toEqual({ people: [MEMBER], groups: [] });
    await bot.slack.dismiss(OWNER);
  });
});

describe('settings', () => {
  const saveSettings = async (fields: Record<string, string | readonly string[]>): Promise<string> => {
    await openForm('/billing settings');
    return submit(fields);
  };
  const settings = (values: object) =>
    bot.redis.client.hset(recordKey(TEAM), 'settings', JSON.stringify({ connection: 'main', ...values }));
  const limitProd = async (channels: readonly string[]) => {
    const project = JSON.parse((await bot.redis.client.hget(recordKey(TEAM), 'project:prod')) ?? '');
    await bot.redis.client.hset(recordKey(TEAM), 'project:prod', JSON.stringify({ ...project, channels }));
  };

  it('that remove a manager list the watches whose alerts stop, and are saved once confirmed', async () => {
    await limitProd([CHANNEL]);
    await settings({ managers: [MEMBER] });
    await watch('w0000001', PROD, { people: [MEMBER] }, { kind: 'budget', amount: '700' });
    const warning = await saveSettings({ managers: [] });
    expect(warning).toContain('This stops 1 watch:');
    expect(warning).toContain('It resumes by itself once it can run again.');
    expect(warning).toContain(`*prod*: budget of 700.00 a month → <@${MEMBER}>`);
    expect(warning).toContain('Nothing is saved yet.');
    expect(await bot.redis.client.hget(recordKey(TEAM), 'settings')).toContain(MEMBER);
    const saved = await submit({});
    expect(saved).toContain('Saved.');
    expect(saved).toContain('Stopped 1 watch:');
    expect(await bot.redis.client.hget(recordKey(TEAM), 'settings')).not.toContain(MEMBER);
    await bot.slack.dismiss(OWNER);
  });

  it('are saved at once if a removed person still manages by role', async () => {
    await limitProd([CHANNEL]);
    await settings({ managers: [ADMIN] });
    await watch('w0000001', PROD, { people: [ADMIN] }, { kind: 'budget', amount: '700' });
    expect(await saveSettings({ managers: [] })).toContain('Saved.');
    await bot.slack.dismiss(OWNER);
  });

  it('count the people who are named as managers while Slack doesn’t answer', async () => {
    await limitProd([CHANNEL]);
    await settings({ managers: [MEMBER] });
    await watch('w0000001', PROD, { people: [MEMBER] }, { kind: 'budget', amount: '700' });
    const workspace = await createWorkspaces({ redis: bot.redis.client, keyring: bot.keyring }).load(TEAM);
    const after = { ...workspace, settings: { ...workspace.settings, managers: [] } };
    const permissionsOf = () => Promise.reject(new Error('Slack is away'));
    const reader = requestOf({ workspace, slack: { permissionsOf } });
    expect(await stoppedWatches(workspace, after, reader)).toMatchObject({ count: '1 watch' });
  });

  it('that turn guests off list the guests who lose their tokens, by project', async () => {
    await settings({ guests: true });
    await addAccess('123', [GUEST]);
    await addAccess('456', [OWNER, GUEST]);
    const warning = await saveSettings({ others: [] });
    expect(warning).toContain(`This stops 1 application access:*\n• Tokens for prod: not for <@${GUEST}>`);
    expect(warning).toContain(`Continues with less:*\n• Tokens for web: not for <@${GUEST}>`);
    expect(warning).toContain('Nothing is saved yet.');
    expect(await submit({})).toContain('Guests can no longer ask.');
    await bot.slack.dismiss(OWNER);
  });

  it('that stop nothing are saved at once', async () => {
    await plan('s0000001', { projects: [PROD], report: 'yesterday' });
    expect(await saveSettings({ currency: 'EUR' })).toContain('Saved.');
    await bot.slack.dismiss(OWNER);
  });
});
