import { describe, expect, it } from 'vitest';
import { ADMIN, EXTERNAL, FINOPS, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { type Answer, botOfEachTest, CHANNEL, DAY, goodToken, SATURDAY, textOf } from '../support/bot.ts';
import { schedule } from '../support/delivery.ts';
import { directOf as direct, FINANCE, GENERAL, SHARED, TEAM } from '../support/people.ts';
import { addConnection, addProject } from '../support/projects.ts';

const BUTTON = 'Ask a manager';
const bot = botOfEachTest(async (bot) => {
  await addConnection(bot);
  await settings({ managers: [OWNER, ADMIN] });
});
const settings = (given: object) => bot.store({ settings: given });
const dms = (person: string): readonly Answer[] => bot.answers(person, direct(person));
const newest = (person: string, text: string) =>
  bot.slack.waitFor(() => {
    const found = dms(person).at(-1);
    return found?.visibleText.includes(text) && found;
  }, 10_000);
const press = (person: string, at: Answer, label: string) => bot.press(at, label, person);
/** Waits until the newest reply to this person in the channel has this text. */
const reply = (person: string, text: string, channel = CHANNEL) =>
  bot.slack.waitFor(() => {
    const found = bot.answers(person, channel).at(-1);
    return found?.visibleText.includes(text) && found;
  }, 10_000);
const opened = (person: string, text: string) => bot.modalSays(text, person);

async function asks(text: string, person = MEMBER, channel = CHANNEL): Promise<Answer> {
  await press(person, await bot.ask(text, person, channel), BUTTON);
  return reply(person, 'Asked', channel);
}

describe('a refusal', () => {
  it.each([
    ['the managers', { managers: [OWNER, ADMIN] }, `: <@${OWNER}>, <@${ADMIN}>, or an admin.`],
    ['the members of the managers’ user group', { managerGroups: [FINOPS] }, `: <@${ADMIN}>, or an admin.`],
    ['an owner or admin, if Tally knows no manager', {}, '.\nAsk an owner or admin of this workspace.'],
  ])('tells the person to ask %s', async (_, who, named) => {
    await settings(who);
    bot.slack.workspace.userGroups[0]!.members = [ADMIN];
    await bot.drop('connection:main');
    const refused = await bot.ask('/billing settings', MEMBER);
    bot.slack.workspace.userGroups[0]!.members = [MEMBER];
    expect(refused.visibleText).toContain(`Only Tally managers can do this${named}`);
    expect(refused.buttons).toEqual(Object.keys(who).length === 0 ? [] : [BUTTON]);
  });

  it.each([
    ['an external person asks', '/balance 123', EXTERNAL, SHARED],
    ['a guest asks for a token', '/os-token 123', GUEST, GENERAL],
    [
      'the command contains a secret',
      '/billing projects add gAAAAABnotATokenButItLooksLikeOne0123456789 1',
      MEMBER,
      CHANNEL,
    ],
    ['a manager asks', '/billing projects remove nothing', OWNER, CHANNEL],
  ])('has no button for asking a manager if %s', async (_, text, person, channel) => {
    expect((await bot.ask(text, person, channel)).buttons).not.toContain(BUTTON);
  });
});

describe('the managers', () => {
  const COMMAND = '/billing projects add prod 123';

  it('each get one message that says who asks for what, and where', async () => {
    const said = await asks(COMMAND);
    expect(said.visibleText).toBe(`Asked <@${OWNER}>, <@${ADMIN}>.`);
    expect(said.buttons).toEqual([]);
    for (const manager of [OWNER, ADMIN]) {
      const got = await newest(manager, COMMAND);
      expect(JSON.stringify(got.blocks)).toContain(`<@${MEMBER}> asks you to run`);
      expect(JSON.stringify(got.blocks)).toContain(`<#${CHANNEL}`);
      expect(got.buttons).toEqual(['Open']);
    }
  });

  it('get only one message each if a person clicks twice and two processes receive the clicks', async () => {
    const refused = await bot.ask(COMMAND, MEMBER);
    await bot.startAnotherProcess();
    await Promise.all([1, 2].map(() => press(MEMBER, refused, BUTTON)));
    await reply(MEMBER, 'Asked');
    await bot.waitUntilIdle();
    expect([dms(OWNER).length, dms(ADMIN).length]).toEqual([1, 1]);
  });

  it('are named to the person who asked, except those who didn’t get the message', async () => {
    bot.slack.failNext('chat.postMessage', { error: 'internal_error' });
    expect((await asks(COMMAND)).visibleText).toBe(`Asked <@${ADMIN}>.`);
    bot.slack.failNext('chat.postMessage', { error: 'internal_error' }, 2);
    await press(MEMBER, await bot.ask('/billing settings', MEMBER), BUTTON);
    await reply(MEMBER, 'Slack returned an error');
  });

  it('can open the filled-in form of a person’s refused command, and save it in their own name', async () => {
    await asks(COMMAND);
    await press(OWNER, await newest(OWNER, COMMAND), 'Open');
    await opened(OWNER, 'Project ID');
    expect([bot.initial('alias'), bot.initial('id')]).toEqual(['prod', '123']);
    await bot.slack.submit(OWNER, {});
    await opened(OWNER, 'Saved');
    expect(await bot.redis.client.hget(recordKey(TEAM), 'project:prod')).toContain(`"addedBy":"${OWNER}"`);
  });

  it('can run a person’s refused command in the channel where it was typed', async () => {
    await addProject(bot, { alias: 'prod', id: '123' });
    await asks('/billing default prod');
    await press(OWNER, await newest(OWNER, '/billing default prod'), 'Open');
    await newest(OWNER, `The default project of <#${CHANNEL}> is prod.`);
    expect(await bot.redis.client.hget(recordKey(TEAM), `channel:${CHANNEL}`)).toContain('prod');
  });

  it('can open the form of a project that somebody asked about in the wrong channel', async () => {
    await addProject(bot, { alias: 'prod', id: '123', channels: [FINANCE] });
    await asks('/balance prod');
    const got = await newest(OWNER, `<@${MEMBER}> can’t ask about prod in <#${CHANNEL}>.`);
    await press(OWNER, got, 'Open');
    await opened(OWNER, 'Edit a project');
    expect(dms(MEMBER)).toEqual([]);
  });

  it('can open the settings after a question from a guest, if guests may not use Tally', async () => {
    await asks('/spend 123', GUEST, GENERAL);
    const got = await newest(OWNER, `<@${GUEST}> can’t use Tally in <#${GENERAL}>: guests aren’t allowed.`);
    await press(OWNER, got, 'Open');
    await opened(OWNER, 'Guests of this workspace');
  });

  it('are told which command gives a person access to tokens', async () => {
    await addProject(bot, { alias: 'prod', id: '123' });
    const access = { project: '123', authUrl: 'http://127.0.0.1/v3', lastFour: '0001', registeredAt: 0 };
    const issuers = { people: [OWNER], groups: [] };
    await bot.store({ 'access:123': { ...access, registeredBy: OWNER, issuers, sealed: 'v1.test.x.y' } });
    await asks('/os-token prod');
    await newest(OWNER, '/billing projects access prod');
  });

  it('can no longer open anything once they lose the manager role', async () => {
    await asks(COMMAND);
    const got = await newest(ADMIN, COMMAND);
    bot.slack.workspace.person(ADMIN)!.role = 'member';
    await settings({ managers: [OWNER] });
    bot.clock.now += 2 * 60_000;
    await press(ADMIN, got, 'Open');
    await newest(ADMIN, 'Only Tally managers can do this');
    bot.slack.workspace.person(ADMIN)!.role = 'admin';
  });

  it.each(['pause', 'edit'])(
    'can %s a person’s schedule when another person asks them to',
    async (action) => {
      await addProject(bot, { alias: 'prod', id: '123' });
      const post = { channel: CHANNEL, projects: [{ id: '123', product: 1 as const }], since: SATURDAY };
      const save = (owner: string) => bot.store({ 'schedule:schedul1': schedule({ ...post, owner }) });
      await save(MEMBER);
      const shown = await bot.ask('/billing schedules', MEMBER);
      await save(OWNER);
      await bot.choose(shown, 'schedule-row', `${action} schedul1`, MEMBER);
      await press(
        MEMBER,
        await reply(MEMBER, `Only the owner or a Tally manager can do this: <@${OWNER}>, or an admin.`),
        BUTTON,
      );
      const got = await newest(ADMIN, `A schedule for prod in <#${CHANNEL}>`);
      await press(ADMIN, got, 'Open');
      if (action === 'edit') return void (await opened(ADMIN, 'Edit schedule'));
      await bot.slack.waitFor(() => dms(ADMIN).length > 1);
      expect(await bot.redis.client.hget(recordKey(TEAM), 'schedule:schedul1')).toContain('"paused"');
    },
  );

  const expire = async () => {
    const main = await bot.stored('connection:main');
    await bot.store({ 'connection:main': { ...main, expiresAt: SATURDAY + DAY } });
  };

  it('can open a form that another person wasn’t allowed to open with a button', async () => {
    await settings({ managers: [OWNER] });
    await expire();
    const page = await bot.ask('/billing status', ADMIN);
    bot.slack.workspace.person(ADMIN)!.role = 'member';
    await press(ADMIN, page, 'Replace token…');
    await press(ADMIN, await reply(ADMIN, 'Only Tally managers can do this'), BUTTON);
    await press(OWNER, await newest(OWNER, 'Replace token…'), 'Open');
    await opened(OWNER, 'Replaces the token.');
    bot.slack.workspace.person(ADMIN)!.role = 'admin';
  });

  it.each(['status', 'Home'])('can be asked on the page “%s” to replace an expiring token', async (place) => {
    await expire();
    if (place === 'status') await asks('/billing status');
    else {
      await bot.home(MEMBER);
      await bot.slack.press(MEMBER, { viewId: 'home' }, BUTTON);
      await newest(MEMBER, 'Asked');
    }
    await press(OWNER, await newest(OWNER, '/billing connect main'), 'Open');
    await opened(OWNER, 'Replaces the token.');
  });
});

describe('a forged value of the button “Ask a manager”', () => {
  const send = async (value: object | string) => {
    const refused = await bot.ask('/billing settings', MEMBER);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    await bot.slack.act(
      MEMBER,
      { channel: CHANNEL, ts: refused.ts },
      { action_id: 'ask-manager', type: 'button', value: text },
    );
    return bot.slack.waitFor(() => {
      const said = bot.slack.messages(MEMBER, CHANNEL).at(-1);
      return said && !textOf(said.blocks).includes('Only Tally managers') && textOf(said.blocks);
    }, 10_000);
  };

  it.each([
    ['no JSON', '/billing settings'],
    ['an unknown command', { line: '/nothing at all' }],
    [
      'a button that changes something',
      { click: { id: 'project-remove', value: 'prod 123', label: 'Help' } },
    ],
    ['a button that nobody has', { click: { id: 'constructor', value: '', label: 'Help' } }],
    ['a wrong place', { place: 'general', line: '/billing settings' }],
  ])('never reaches a manager: %s', async (_, value) => {
    expect(await send(value)).toBe('Ask an owner or admin of this workspace.');
    expect([...dms(OWNER), ...dms(ADMIN)]).toEqual([]);
  });

  it('is refused if it contains a secret, and is never shown as mark-up', async () => {
    expect(await send({ line: '/billing projects add <!channel>' })).toContain('Asked');
    expect(JSON.stringify((await newest(OWNER, 'asks you')).blocks)).toContain(
      '`/billing projects add &lt;!channel&gt;`',
    );
    await bot.connect();
    expect(await send({ line: `/billing ${goodToken(bot.billing)}` })).toContain('looks like a token');
  });
});
