import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type IdentityService, startIdentity } from '../../sandbox/identity.ts';
import { ADMIN, EXTERNAL, FINOPS, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { LAYOUT } from '../../src/redis/layout.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { auditEntries } from '../support/audit.ts';
import { type Answer, type Bot, CHANNEL, goodToken, startBot, textOf, toAnswer } from '../support/bot.ts';
import { changeIn } from '../support/change.ts';
import { schedule } from '../support/delivery.ts';
import { createFormActions } from '../support/forms.ts';
import { addConnection, addProject } from '../support/projects.ts';
import { answerWith } from '../support/service-replies.ts';
import { waitUntil } from '../support/wait-until.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const HOUR = 3_600_000;
const [GENERAL, SHARED] = ['C0GENERAL1', 'C0SHARED01'];
const HASH = 'tally:{T0SANDBOX1}:record';
const REQUESTS = 'tally:{T0SANDBOX1}:manager-requests';
const BUTTON = 'Ask a manager';
const choice = (value: string) => ({ text: { type: 'plain_text' as const, text: value }, value });
const [CHECKED, PICKED] = [choice('yes'), choice('/spend prod')];
let now = NOW;
let identity: IdentityService;
let bot: Bot;
const { initial, modalText, pressInForm } = createFormActions(() => bot);

beforeEach(async () => {
  now = NOW;
  identity = await startIdentity({ now: () => now, slowFor: 300 });
  bot = await startBot({ now: () => now, identityUrl: identity.authUrl });
  await settings({ managers: [OWNER, ADMIN] });
});
afterEach(async () => {
  await bot.stop();
  await identity.close();
});

const settings = (given: object) => bot.redis.client.hset(HASH, 'settings', JSON.stringify(given));
const direct = (person: string) => person.replace(/^U/, 'D');
const dms = (person: string): readonly Answer[] =>
  bot.slack
    .messages(person, direct(person))
    .filter(({ from }) => from !== person)
    .map(toAnswer);
const newest = (person: string, text: string) =>
  bot.slack.waitFor(() => {
    const found = dms(person).at(-1);
    return found?.visibleText.includes(text) && found;
  }, 10_000);
const press = (person: string, at: Pick<Answer, 'ts'>, label: string, channel = direct(person)) =>
  bot.slack.press(person, { channel, ts: at.ts }, label);
const buttonsOf = ({ blocks }: Pick<Answer, 'blocks'>): string[] =>
  blocks
    .filter(({ type }) => type === 'actions')
    .flatMap(({ elements }) =>
      (elements as { text?: { text: string } }[]).map(({ text }) => text?.text ?? ''),
    );
const auditLines = async () =>
  (await auditEntries(bot)).map(({ who, action, about }) => `${who} ${action}: ${about}`);
/** The newest reply to this person in the channel, once it says so. */
const reply = (person: string, text: string, channel = CHANNEL) =>
  bot.slack.waitFor(() => {
    const found = bot.slack
      .messages(person, channel)
      .filter(({ from }) => from !== person)
      .at(-1);
    return found !== undefined && textOf(found.blocks).includes(text) && toAnswer(found);
  }, 10_000);

async function asks(text: string, person = MEMBER, channel = CHANNEL): Promise<Answer> {
  const refused = await bot.ask(text, person, channel);
  expect(buttonsOf(refused)).toContain(BUTTON);
  await press(person, refused, BUTTON, channel);
  return reply(person, 'Asked', channel);
}

const limitProd = () => addProject(bot, { alias: 'prod', id: '123', channels: ['C0FINANCE1'] });

/** Of the only request. */
const state = async () =>
  /"state":"(\w+)"/.exec(Object.values(await bot.redis.client.hgetall(REQUESTS))[0] ?? '')?.[1];

/** An access that only the owner is named for. */
async function addAccess(): Promise<void> {
  const { id, secret } = identity.accesses.good;
  const workspaces = createWorkspaces({ redis: bot.redis.client, keyring: bot.keyring });
  await workspaces.saveAccess(await changeIn(workspaces, 'T0SANDBOX1'), {
    ...{ project: '123', authUrl: identity.authUrl, id, secret, registeredBy: OWNER, registeredAt: now },
    issuers: { people: [OWNER], groups: [] },
  });
}

describe('a refusal', () => {
  it('names the managers and offers to ask them', async () => {
    const refused = await bot.ask('/billing projects add prod 123', MEMBER);
    expect(refused.visibleText).toContain(`Only Tally managers can do this: <@${OWNER}>, <@${ADMIN}>.`);
    expect(buttonsOf(refused)).toEqual([BUTTON]);
  });

  it('names the people of a group that manages', async () => {
    bot.slack.workspace.userGroups[0]!.members = [ADMIN];
    await settings({ managerGroups: [FINOPS] });
    const refused = await bot.ask('/billing settings', MEMBER);
    expect(refused.visibleText).toContain(`Only Tally managers can do this: <@${ADMIN}>.`);
    expect(buttonsOf(refused)).toEqual([BUTTON]);
    bot.slack.workspace.userGroups[0]!.members = [MEMBER];
  });

  it('says whom to ask if no manager can be named', async () => {
    await settings({});
    const refused = await bot.ask('/billing settings', MEMBER);
    expect(refused.visibleText).toBe(
      'Only Tally managers can do this.\nAsk an owner or admin of this workspace.',
    );
  });

  it.each([
    ['what only managers may see', '/billing audit', MEMBER, CHANNEL],
    ['what an external person asks', '/balance 123', EXTERNAL, SHARED],
    ['a guest’s token', '/os-token 123', GUEST, GENERAL],
    ['a guest’s settings', '/billing settings', GUEST, GENERAL],
    ['a secret', '/billing projects add gAAAAABnotATokenButItLooksLikeOne0123456789 1', MEMBER, CHANNEL],
    ['a manager', '/billing projects remove nothing', OWNER, CHANNEL],
  ])('has no button for %s', async (_, text, person, channel) => {
    expect(buttonsOf(await bot.ask(text, person, channel))).not.toContain(BUTTON);
  });

  it.each([
    ['a project that is limited elsewhere', '/balance prod', MEMBER, CHANNEL],
    ['a token that names others', '/os-token prod', MEMBER, CHANNEL],
    ['a guest’s question', '/spend 123', GUEST, GENERAL],
    ['a workspace without a connection', '/balance 456', MEMBER, CHANNEL],
    ['a project without an access', '/os-token 456', MEMBER, CHANNEL],
  ])('has one for %s', async (_, text, person, channel) => {
    await (text.startsWith('/os') ? addProject(bot, { alias: 'prod', id: '123' }) : limitProd());
    await addAccess();
    expect(buttonsOf(await bot.ask(text, person, channel))).toContain(BUTTON);
  });

  it('has a button for a guest who may ask questions, but not schedule', async () => {
    await settings({ guests: true, managers: [OWNER] });
    await asks('/billing schedule 123', GUEST, GENERAL);
    const got = await newest(OWNER, 'Only full members can set this up.');
    expect(got.visibleText).toContain('/billing schedule 123');
    expect(buttonsOf(got)).toEqual(['Do it', 'No']);
  });

  describe('to do something with a schedule that belongs to somebody else by now', () => {
    /** The member's menu still has it, when its owner has changed. */
    async function refused(action: string): Promise<Answer> {
      await addConnection(bot);
      await addProject(bot, { alias: 'prod', id: '123' });
      const post = { channel: CHANNEL, projects: [{ id: '123', product: 1 as const }], since: now };
      const save = (owner: string) =>
        bot.redis.client.hset(HASH, 'schedule:schedul1', JSON.stringify(schedule({ ...post, owner })));
      await save(MEMBER);
      const shown = await bot.ask('/billing schedules', MEMBER);
      await save(OWNER);
      await bot.slack.choose(
        MEMBER,
        { channel: CHANNEL, ts: shown.ts },
        'schedule-row',
        `${action} schedul1`,
      );
      const message = await reply(MEMBER, 'Only its owner or a Tally manager can do this.');
      await press(MEMBER, message, BUTTON, CHANNEL);
      const got = await newest(ADMIN, 'It belongs to someone else.');
      expect(got.visibleText).toContain('Yesterday’s spend for prod');
      return got;
    }

    it('lets a manager do that very thing with one press', async () => {
      await press(ADMIN, await refused('pause'), 'Do it');
      await newest(MEMBER, `<@${ADMIN}> did what you asked for: \`/billing schedules pause schedul1\`.`);
      expect(await bot.redis.client.hget(HASH, 'schedule:schedul1')).toContain('"why":"person"');
    });

    it('opens the form for a manager when it is an edit, and is done once that is saved', async () => {
      await press(ADMIN, await refused('edit'), 'Do it');
      await bot.slack.waitFor(() => textOf(bot.slack.modal(ADMIN)?.view).includes('Edit schedule'));
      await newest(MEMBER, `<@${ADMIN}> is on it`);
      await bot.slack.submit(ADMIN, { time: '10:00' });
      await newest(MEMBER, `<@${ADMIN}> did what you asked for`);
      expect(await bot.redis.client.hget(HASH, 'schedule:schedul1')).toContain('"time":"10:00"');
    });
  });
});

describe('what only managers do', () => {
  const COMMAND = '/billing projects add prod 123';

  it('reaches each manager with who, what and where', async () => {
    const said = await asks(COMMAND);
    expect(said.visibleText).toContain(`Asked <@${OWNER}> and <@${ADMIN}>.`);
    for (const manager of [OWNER, ADMIN]) {
      const got = await newest(manager, COMMAND);
      expect(JSON.stringify(got.blocks)).toContain(`"user_id":"${MEMBER}"`);
      expect(JSON.stringify(got.blocks)).toContain(`"channel_id":"${CHANNEL}"`);
      expect(buttonsOf(got)).toEqual(['Do it', 'No']);
    }
    expect(await auditLines()).toEqual([`${MEMBER} manager asked: ${COMMAND} in ${CHANNEL}`]);
  });

  it('is asked for once, however often somebody presses', async () => {
    await asks(COMMAND);
    const again = await bot.ask(COMMAND, MEMBER);
    await press(MEMBER, again, BUTTON, CHANNEL);
    const said = await reply(MEMBER, 'You already asked');
    expect(said.visibleText).toContain(`You already asked; <@${OWNER}> and <@${ADMIN}> have it.`);
    expect(dms(OWNER)).toHaveLength(1);
  });

  it('is limited to a few things a day', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) await asks(`/billing projects add ${name} 123`);
    const sixth = await bot.ask('/billing projects add a6 123', MEMBER);
    await press(MEMBER, sixth, BUTTON, CHANNEL);
    await reply(MEMBER, 'Managers already have several requests');
    expect(dms(OWNER)).toHaveLength(5);
  });

  it('opens the form with the manager’s rights and the words as they were typed', async () => {
    await addConnection(bot);
    await asks(COMMAND);
    await press(OWNER, await newest(OWNER, COMMAND), 'Do it');
    await bot.slack.waitFor(() => bot.slack.modal(OWNER));
    const view = JSON.stringify(bot.slack.modal(OWNER)?.view);
    expect(view).toContain('"initial_value":"prod"');
    expect(view).toContain('"initial_value":"123"');
    await newest(MEMBER, `<@${OWNER}> is on it: \`${COMMAND}\`.`);
    const other = await newest(ADMIN, `<@${OWNER}> has been on it since`);
    expect(buttonsOf(other)).toEqual(['Do it', 'No']);
  });

  it('is done, and the person told, when a manager saves the form, whoever had opened it before', async () => {
    await addConnection(bot);
    await asks(COMMAND);
    await press(OWNER, await newest(OWNER, COMMAND), 'Do it');
    await bot.slack.waitFor(() => bot.slack.modal(OWNER));
    await press(ADMIN, await newest(ADMIN, `<@${OWNER}> has been on it since`), 'Do it');
    await bot.slack.waitFor(() => bot.slack.modal(ADMIN));
    expect(JSON.stringify(bot.slack.modal(ADMIN)?.view)).not.toContain('gAAAA');
    await bot.slack.submit(ADMIN, { alias: 'prod', id: 'no number' });
    await bot.slack.waitFor(() => bot.slack.modal(ADMIN)?.errors !== undefined);
    expect(await state()).toBe('taken');
    await bot.slack.submit(ADMIN, { alias: 'prod', id: '123' });
    await newest(MEMBER, `<@${ADMIN}> did what you asked for: \`${COMMAND}\`.`);
    await newest(OWNER, `Done by <@${ADMIN}>`);
    expect(await state()).toBe('done');
    expect((await auditLines()).slice(0, 2).sort()).toEqual([
      expect.stringContaining(`${ADMIN} project added: prod`),
      `${ADMIN} request done: ${COMMAND} in ${CHANNEL} for ${MEMBER}`,
    ]);
  });

  it('is marked as done by hand if the command asks something first', async () => {
    await addConnection(bot);
    await addProject(bot, { alias: 'prod', id: '123' });
    await asks('/billing projects remove prod');
    await press(OWNER, await newest(OWNER, '/billing projects remove prod'), 'Do it');
    const other = await newest(ADMIN, `<@${OWNER}> has been on it since`);
    expect(buttonsOf(other)).toEqual(['Mark as done', 'No']);
    await press(ADMIN, other, 'Mark as done');
    await newest(MEMBER, `<@${ADMIN}> did what you asked for`);
  });

  it('tells the person later when Slack does not take the answer at first', async () => {
    await asks(COMMAND);
    const got = await newest(ADMIN, COMMAND);
    bot.slack.failNext('chat.postMessage', { status: 429, retryAfter: 1 });
    await press(ADMIN, got, 'No');
    await newest(OWNER, `Refused by <@${ADMIN}>`);
    await newest(MEMBER, `<@${ADMIN}> said no to \`${COMMAND}\`.`);
  }, 30_000);

  it('is done at once if there is no form', async () => {
    await addConnection(bot);
    await addProject(bot, { alias: 'prod', id: '123' });
    await asks('/billing default prod');
    await press(OWNER, await newest(OWNER, '/billing default prod'), 'Do it');
    await newest(MEMBER, `<@${OWNER}> did what you asked for`);
    await newest(ADMIN, `Done by <@${OWNER}>`);
    expect(await bot.redis.client.hget(HASH, `channel:${CHANNEL}`)).toContain('prod');
    expect((await auditLines()).slice(0, 3)).toEqual([
      `${OWNER} request done: /billing default prod in ${CHANNEL} for ${MEMBER}`,
      expect.stringContaining(`${OWNER} channel default changed`),
      `${OWNER} request taken: /billing default prod in ${CHANNEL} for ${MEMBER}`,
    ]);
    const told = await newest(OWNER, `The default project of <#${CHANNEL}> is prod.`);
    await press(OWNER, told, 'Remove default');
    await newest(OWNER, `Removed the default project of <#${CHANNEL}>.`);
    expect(await bot.redis.client.hget(HASH, `channel:${CHANNEL}`)).toBeNull();
  });

  it('stays open when the manager’s attempt fails', async () => {
    await addConnection(bot);
    await asks('/billing default nothing');
    const got = await newest(OWNER, '/billing default nothing');
    await press(OWNER, got, 'Do it');
    await bot.slack.waitFor(() => dms(OWNER).length > 1);
    expect(buttonsOf(dms(ADMIN).at(-1)!)).toEqual(['Do it', 'No']);
    expect(dms(MEMBER)).toEqual([]);
  });

  it('has one effect when two managers press at once', async () => {
    await asks(COMMAND);
    const [one, two] = [await newest(OWNER, COMMAND), await newest(ADMIN, COMMAND)];
    await Promise.all([press(OWNER, one, 'No'), press(ADMIN, two, 'No')]);
    await newest(OWNER, 'Refused by');
    await newest(ADMIN, 'Refused by');
    await bot.slack.waitFor(() => dms(MEMBER).length > 0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(dms(MEMBER)).toHaveLength(1);
    expect((await auditLines()).filter((line) => line.includes('request refused'))).toHaveLength(1);
  });

  it('tells the person about a No, and can’t be asked again that day', async () => {
    await asks(COMMAND);
    await press(ADMIN, await newest(ADMIN, COMMAND), 'No');
    await newest(MEMBER, `<@${ADMIN}> said no to \`${COMMAND}\`.`);
    await newest(OWNER, `Refused by <@${ADMIN}>`);
    const again = await bot.ask(COMMAND, MEMBER);
    await press(MEMBER, again, BUTTON, CHANNEL);
    await reply(MEMBER, `You already asked, and <@${ADMIN}> said no.`);
    now += 24 * HOUR;
    await asks(COMMAND);
  });

  it('doesn’t say that nothing was changed when the managers have it, and the rest can’t be saved', async () => {
    const refused = await bot.ask(COMMAND, MEMBER);
    // An upgrade between the two writes. The managers get it in between.
    bot.slack.behaviour.latency = 300;
    const pressed = press(MEMBER, refused, BUTTON, CHANNEL);
    await waitUntil(async () => (await state()) === 'open');
    await bot.redis.client.hset(HASH, 'layout', String(LAYOUT + 1));
    await pressed;
    const said = await reply(MEMBER, 'Tally can’t reach its database');
    expect(said.visibleText).toContain('Your change may have been saved.');
    expect(said.visibleText).not.toContain('Nothing was changed');
  });

  it('says when it has expired', async () => {
    await asks(COMMAND);
    const got = await newest(OWNER, COMMAND);
    now += 24 * HOUR;
    await press(OWNER, got, 'Do it');
    await newest(OWNER, 'This request has expired. Nothing was changed.');
    expect(dms(MEMBER)).toEqual([]);
  });

  it('does nothing for a person who no longer manages, and sends them nothing', async () => {
    await asks(COMMAND);
    const got = await newest(ADMIN, COMMAND);
    bot.slack.workspace.person(ADMIN)!.role = 'member';
    await settings({ managers: [OWNER] });
    now += 2 * 60_000;
    await press(ADMIN, got, 'Do it');
    await newest(ADMIN, 'Only Tally managers can do this');
    await settings({ managers: [GUEST, OWNER] });
    await asks('/billing settings');
    expect(dms(GUEST)).toEqual([]);
    bot.slack.workspace.person(ADMIN)!.role = 'admin';
  });
});

describe('a question that is allowed once', () => {
  beforeEach(async () => {
    await addConnection(bot);
    bot.billing.setBalance('123', '{"balance":4242,"bonuses":0}');
  });

  it('is answered once, to the person alone, and says what is given away', async () => {
    await limitProd();
    await asks('/balance prod');
    const got = await newest(OWNER, '/balance prod');
    expect(got.visibleText).toContain('prod is limited to <#C0FINANCE1>.');
    expect(got.visibleText).toContain('one answer about prod (project 123, Cloud platform) to them alone');
    expect(buttonsOf(got)).toEqual(['Allow once', 'No']);
    await press(OWNER, got, 'Allow once');
    const told = await newest(MEMBER, `<@${OWNER}> allowed \`/balance prod\` once.`);
    await newest(ADMIN, `Allowed by <@${OWNER}>`);
    await press(MEMBER, told, 'Show the answer');
    await newest(MEMBER, '4.242');
    await bot.slack.waitFor(() => dms(MEMBER)[0]!.visibleText === 'You’ve used what was allowed once.');
    expect((await bot.ask('/balance prod', MEMBER)).visibleText).toContain(
      'can’t ask about this project here',
    );
    expect((await auditLines())[0]).toBe(`${MEMBER} allowance used: /balance prod in ${CHANNEL}`);
    await newest(OWNER, '· used');
  });

  it('holds for the project that the manager saw, even if the name has moved to another one', async () => {
    await limitProd();
    await asks('/balance prod');
    await press(OWNER, await newest(OWNER, '/balance prod'), 'Allow once');
    const told = await newest(MEMBER, 'once.');
    const prod = JSON.parse((await bot.redis.client.hget(HASH, 'project:prod'))!);
    await bot.redis.client.hset(HASH, 'project:prod', JSON.stringify({ ...prod, id: '999' }));
    await press(MEMBER, told, 'Show the answer');
    await newest(MEMBER, 'You can’t ask about this project here.');
  });

  it('is of no use to anybody else, nor after an hour, nor once its manager no longer manages', async () => {
    await limitProd();
    await asks('/balance prod');
    await press(ADMIN, await newest(ADMIN, '/balance prod'), 'Allow once');
    const told = await newest(MEMBER, 'once.');
    bot.slack.workspace.person(ADMIN)!.role = 'member';
    await settings({ managers: [OWNER] });
    now += 2 * 60_000;
    await press(MEMBER, told, 'Show the answer');
    await newest(MEMBER, 'This was already used, or its hour has passed.');
    bot.slack.workspace.person(ADMIN)!.role = 'admin';
  });

  it('expires after an hour', async () => {
    await limitProd();
    await asks('/balance prod');
    await press(OWNER, await newest(OWNER, '/balance prod'), 'Allow once');
    const told = await newest(MEMBER, 'once.');
    now += HOUR;
    await press(MEMBER, told, 'Show the answer');
    await newest(MEMBER, 'This was already used, or its hour has passed.');
    await asks('/balance prod');
  });

  it('can be used again if no answer was shown', async () => {
    await limitProd();
    await asks('/balance prod');
    await press(OWNER, await newest(OWNER, '/balance prod'), 'Allow once');
    const told = await newest(MEMBER, 'once.');
    answerWith(bot.billing, '403');
    await press(MEMBER, told, 'Show the answer');
    await newest(MEMBER, 'A Tally manager can replace it.');
    bot.billing.setMode('healthy');
    await waitUntil(async () => (await state()) === 'allowed');
    // Pressed at once, it would be a double click.
    await delay(1_000);
    await press(MEMBER, told, 'Show the answer');
    await newest(MEMBER, '4.242');
    expect(await state()).toBe('used');
  }, 30_000);

  it('can be a guest’s, which the manager reads first', async () => {
    await asks('/balance 123', GUEST, GENERAL);
    const got = await newest(OWNER, '/balance 123');
    expect(got.visibleText).toContain(`<@${GUEST}> is a guest, and guests can’t use Tally here.`);
    await press(OWNER, got, 'Allow once');
    await press(GUEST, await newest(GUEST, 'once.'), 'Show the answer');
    await newest(GUEST, '4,242');
    expect((await bot.ask('/balance 123', GUEST, GENERAL)).visibleText).toContain('Guests can’t use Tally');
  });

  it('doesn’t tell a guest which names exist', async () => {
    const said = await asks('/balance payroll', GUEST, GENERAL);
    expect(said.visibleText).toContain('Asked');
    const got = await newest(OWNER, '/balance payroll');
    expect(got.visibleText).toContain('Tally can’t tell which project this is about');
    expect(buttonsOf(got)).toEqual(['No']);
  });
});

describe('a button or a form that only managers may use', () => {
  beforeEach(async () => {
    await settings({ managers: [OWNER] });
    await bot.connect();
    await addProject(bot, { alias: 'prod', id: '123' });
  });
  const becomes = (role: 'admin' | 'member') => {
    bot.slack.workspace.person(ADMIN)!.role = role;
  };
  afterEach(() => becomes('admin'));

  it.each([
    ['Test now', '/billing status test main', 'The test passed'],
    ['Replace token…', '/billing connect main', undefined],
    ['Change expiry…', '/billing connect main expiry', undefined],
    ['Disconnect…', '/billing disconnect main', 'Disconnect Tally from the billing service?'],
  ])('offers to ask where “%s” is refused, and Do it does that', async (label, asked, done) => {
    const page = await bot.ask('/billing status details', ADMIN);
    becomes('member');
    await press(ADMIN, page, label, CHANNEL);
    await press(ADMIN, await reply(ADMIN, 'Only Tally managers can do this'), BUTTON, CHANNEL);
    const got = await newest(OWNER, asked);
    expect(JSON.stringify(got.blocks)).toContain(ADMIN);
    expect(JSON.stringify(got.blocks)).toContain(CHANNEL);
    await press(OWNER, got, 'Do it');
    if (done === undefined) await bot.slack.waitFor(() => modalText(OWNER).includes('main'), 10_000);
    else await newest(OWNER, done);
  });

  it('replaces the submitted form by the button, and **Do it** opens that form for the manager', async () => {
    await bot.slack.say(ADMIN, CHANNEL, '/billing projects edit prod');
    await bot.slack.waitFor(() => modalText(ADMIN).includes('Project ID'));
    becomes('member');
    await bot.slack.submit(ADMIN, { alias: 'live' });
    await bot.slack.waitFor(() => modalText(ADMIN).includes(BUTTON));
    await pressInForm(BUTTON, ADMIN);
    await bot.slack.waitFor(() => modalText(ADMIN).includes(`Asked <@${OWNER}>`));
    const got = await newest(OWNER, '/billing projects edit prod');
    expect(JSON.stringify(got.blocks)).toContain(`"channel_id":"${CHANNEL}"`);
    await press(OWNER, got, 'Do it');
    await bot.slack.waitFor(() => modalText(OWNER).includes('Project ID'));
    expect(initial('alias')).toBe('live');
    await bot.slack.submit(OWNER, {});
    await newest(ADMIN, 'did what you asked for: `/billing projects edit prod live 123 cloud`');
    expect(await bot.redis.client.hget(HASH, 'project:live')).toContain('"id":"123"');
  });

  /** Presses **Ask a manager** in the form that was refused. */
  async function asksFromForm(): Promise<void> {
    await bot.slack.waitFor(() => modalText(ADMIN).includes(BUTTON));
    await pressInForm(BUTTON, ADMIN);
    await bot.slack.waitFor(() => modalText(ADMIN).includes(`Asked <@${OWNER}>`));
  }

  it('fills in what was chosen in settings, and only that', async () => {
    await bot.slack.say(ADMIN, CHANNEL, '/billing settings');
    await bot.slack.waitFor(() => modalText(ADMIN).includes('Reporting time zone'));
    becomes('member');
    await bot.slack.submit(ADMIN, { currency: 'EUR', managers: [OWNER, MEMBER], others: ['guests'] });
    await asksFromForm();
    const got = await newest(OWNER, '/billing settings currency EUR managers');
    expect(JSON.stringify(got.blocks)).toContain(`"user_id":"${MEMBER}"`);
    await settings({ managers: [OWNER], zone: 'Europe/Berlin' });
    await press(OWNER, got, 'Do it');
    await bot.slack.waitFor(() => modalText(OWNER).includes('Reporting time zone'));
    expect(initial('currency')).toBe('EUR');
    await bot.slack.submit(OWNER, {});
    await newest(ADMIN, 'did what you asked for');
    expect(JSON.parse((await bot.redis.client.hget(HASH, 'settings'))!)).toMatchObject({
      ...{
        currency: 'EUR',
        managers: [OWNER, MEMBER],
        guests: true,
        externals: false,
        zone: 'Europe/Berlin',
      },
    });
  });

  it('fills in a zone, whose name has an underscore', async () => {
    await bot.slack.say(ADMIN, CHANNEL, '/billing settings');
    await bot.slack.waitFor(() => modalText(ADMIN).includes('Reporting time zone'));
    becomes('member');
    await bot.slack.submit(ADMIN, { zone: 'America/New_York' });
    await asksFromForm();
    await press(OWNER, await newest(OWNER, '/billing settings zone America/New_York'), 'Do it');
    await bot.slack.waitFor(() => modalText(OWNER).includes('Reporting time zone'));
    expect(initial('zone')).toMatchObject({ value: 'America/New_York' });
  });

  it('fills in every project that was typed after Connect', async () => {
    await bot.slack.say(ADMIN, CHANNEL, '/billing connect second');
    await bot.slack.waitFor(() => modalText(ADMIN).includes('Access token'));
    await bot.slack.submit(ADMIN, { token: goodToken(bot.billing), project: '456' });
    await bot.slack.waitFor(() => modalText(ADMIN).includes('Connected'), 10_000);
    becomes('member');
    await bot.slack.submit(ADMIN, { 'alias-456': 'staging', 'more-0': '789 archive storage' });
    await asksFromForm();
    const asked = '/billing projects add 456 staging cloud, 789 archive storage on second';
    const got = await newest(OWNER, asked);
    expect(JSON.stringify(got.blocks)).toContain(`"channel_id":"${CHANNEL}"`);
    await press(OWNER, got, 'Do it');
    await bot.slack.waitFor(() => modalText(OWNER).includes('Connection: second'));
    expect(initial('more-0')).toBe('456 staging cloud, 789 archive storage');
    await bot.slack.submit(OWNER, {});
    await newest(ADMIN, 'did what you asked for');
    for (const alias of ['staging', 'archive'])
      expect(await bot.redis.client.hget(HASH, `project:${alias}`)).toContain('"connection":"second"');
  });

  it('offers to add a project with its ID and product when Undo is refused', async () => {
    const question = await bot.ask('/billing projects remove prod', ADMIN);
    await press(ADMIN, question, 'Remove', CHANNEL);
    const removed = await reply(ADMIN, 'Removed prod.');
    becomes('member');
    await press(ADMIN, removed, 'Undo', CHANNEL);
    await press(ADMIN, await reply(ADMIN, 'Only Tally managers can do this'), BUTTON, CHANNEL);
    await newest(OWNER, '/billing projects add prod 123 cloud');
  });

  it('offers the channel’s default when a choice was to be remembered', async () => {
    const picker = await bot.ask('/spend', ADMIN);
    becomes('member');
    const values = { remember: { remember: { type: 'checkboxes', selected_options: [CHECKED] } } };
    const picked = { action_id: 'pick:project', type: 'static_select', selected_option: PICKED };
    await bot.slack.act(ADMIN, { channel: CHANNEL, ts: picker.ts }, picked, values);
    await press(ADMIN, await reply(ADMIN, 'Only Tally managers can do this'), BUTTON, CHANNEL);
    await press(OWNER, await newest(OWNER, '/billing default prod'), 'Do it');
    await newest(ADMIN, 'did what you asked for');
    expect((await bot.ask('/billing default', OWNER)).visibleText).toContain('is prod.');
  });

  it.each(['status', 'Home'])('offers to replace a rejected or expiring token on %s', async (place) => {
    const main = JSON.parse((await bot.redis.client.hget(HASH, 'connection:main'))!);
    const expiring = { ...main, expiresAt: NOW + 24 * HOUR };
    await bot.redis.client.hset(HASH, 'connection:main', JSON.stringify(expiring));
    if (place === 'status') await asks('/billing status');
    else {
      await bot.slack.openHome(MEMBER);
      const home = await bot.slack.waitFor(() => bot.slack.home(MEMBER));
      await bot.slack.press(MEMBER, { viewId: home.id }, BUTTON);
      await newest(MEMBER, 'Asked');
    }
    await press(OWNER, await newest(OWNER, '/billing connect main'), 'Do it');
    await bot.slack.waitFor(() => modalText(OWNER).includes('main uses'), 10_000);
  });
});

describe('a token that is allowed once', () => {
  it('is issued once to a person who is not named', async () => {
    await addProject(bot, { alias: 'prod', id: '123' });
    await addAccess();
    await asks('/os-token prod');
    const got = await newest(OWNER, '/os-token prod');
    expect(got.visibleText).toContain('A token can do everything that the project’s access can.');
    await press(OWNER, got, 'Allow once');
    await press(MEMBER, await newest(MEMBER, 'once.'), 'Get the token…');
    await bot.slack.waitFor(() => textOf(bot.slack.modal(MEMBER)?.view).includes('gAAAAA'), 10_000);
    expect(textOf(bot.slack.modal(MEMBER)?.view)).toContain('Issue another');
    await pressInForm('Issue another', MEMBER);
    await bot.slack.waitFor(() =>
      textOf(bot.slack.modal(MEMBER)?.view).includes('You can’t get tokens for prod.'),
    );
    expect(await auditLines()).toContainEqual(expect.stringContaining(`${MEMBER} token issued: prod`));
  });
});
