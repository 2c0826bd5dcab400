import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { EXTERNAL, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import type { WatchState } from '../../src/delivery/watches/watch-service.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { parseWatchText } from '../../src/features/watches/parse-watch-command.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { MINUTE, option, previewFigures, startAutomationBot } from '../support/automation-bot.ts';
import { type Answer, BOT_TOKEN, botOfFile, CHANNEL, DAY, textOf } from '../support/bot.ts';
import { clickOf, directOf, FINANCE, sentBy, TEAM } from '../support/people.ts';
import { addProjects } from '../support/projects.ts';
import { contextWith } from '../support/read-words.ts';

const OWNERS_DM = directOf(OWNER);
const MEMBERS_DM = directOf(MEMBER);
const KEY = recordKey(TEAM);

const bot = await startAutomationBot();
const { around, add, ask, audit, chooseInForm: choose, forgedClick, members, modal } = bot;
const { modalSays, modalText, save, updated, view } = bot;

/** Figures of days that all cost the same, for as long as a preview looks back. */
const STEADY = previewFigures(() => '1000', '48210');

const stored = () => bot.stored('watch');
const openForm = (words = 'watch prod balance 50000', person = OWNER, channel = CHANNEL) =>
  bot.openForm(words, person, channel);
const setUp = (words = 'prod balance 50000', person = OWNER, channel = CHANNEL) =>
  bot.setUp('watch', words, person, channel);
const row = (answer: Answer, action: string, id: string, person = OWNER) =>
  bot.row('watch', answer, action, id, person);

const state = (given: Partial<WatchState> = {}): WatchState => ({
  ...{
    checkedAt: around.now,
    nextCheckAt: around.now + 60 * MINUTE,
    measurement: undefined,
    isCrossed: false,
  },
  ...{ problem: undefined, isPaused: false, undelivered: undefined, ...given },
});

describe('the words after /billing watch', () => {
  const read = (text: string) => parseWatchText(text, contextWith(new Set(['prod', 'staging'])));

  it.each<[string, object]>([
    ['', {}],
    ['prod balance 50000', { alias: 'prod', kind: 'balance', below: '50000' }],
    ['balance below 50,000 prod', { alias: 'prod', kind: 'balance', below: '50,000' }],
    ['prod balance 50 000', { alias: 'prod', kind: 'balance', below: '50 000' }],
    ['prod balance €50k', { alias: 'prod', kind: 'balance', below: '€50k' }],
    ['prod balance -5', { alias: 'prod', kind: 'balance', below: '-5' }],
    [`prod balance ${'1'.repeat(70)}`, { alias: 'prod', kind: 'balance', below: '1'.repeat(60) }],
    ['123 storage balance 0', { project: '123', product: 2, kind: 'balance', below: '0' }],
    ['123 2 balance 4', { project: '123', product: 2, kind: 'balance', below: '4' }],
    ['balance 50000 123', { project: '123', kind: 'balance', below: '50000' }],
    ['50000', { project: '50000' }],
    ['runway 14 prod', { alias: 'prod', kind: 'runway', days: '14' }],
    ['prod runway under 2 weeks', { alias: 'prod', kind: 'runway', days: '2 weeks' }],
    ['14 days runway prod', { alias: 'prod', kind: 'runway', days: '14 days' }],
    ['budget 500000 a month prod', { alias: 'prod', kind: 'budget', amount: '500000' }],
    ['prod spike 2x over 1000', { alias: 'prod', kind: 'spike', factor: '2x', floor: '1000' }],
    ['over 1 000 spike ×2 prod', { alias: 'prod', kind: 'spike', factor: '×2', floor: '1 000' }],
    ['prod spike 2 over 1000', { alias: 'prod', kind: 'spike', factor: '2', floor: '1000' }],
    ['2× spike prod', { alias: 'prod', kind: 'spike', factor: '2×' }],
  ])('are understood: “%s”', (text, expected) => expect(read(text)).toEqual(expected));

  it.each<[string, string, string?]>([
    ['prod fnord 12', 'I don’t recognize “fnord”'],
    ['prod 50000', 'You named two projects without a comma'],
    ['prod blance 50000', 'I don’t recognize “blance”', 'watch prod balance 50000'],
    ['prodd balance 5', 'I don’t recognize “prodd”', 'watch prod balance 5'],
    ['prod balance lots', 'I don’t recognize “lots”'],
    ['prod monthly budget 500000', '“monthly” isn’t a period'],
    ['prod balance above 500', 'I don’t recognize “above”'],
    ['prod runway over 14', '“over” doesn’t belong there'],
    ['prod budget 500 a day', '“a day” doesn’t say which days'],
    ['without prod balance 5', 'Tally can’t do “without prod”'],
    ['prod balance 5 runway 3', '“runway” is a second rule'],
    ['prod balance 5 last-week', '“last-week” is a period'],
    ['prod balance 5 3 oct 2026', '“3 oct 2026” is a period'],
    ['prod,staging balance 5', 'You named several projects'],
    ['foo bar', 'I don’t recognize “foo”'],
  ])('are refused with a reason: “%s”', (text, sentence, offered) => {
    const refusal = { message: expect.stringContaining(sentence), offered: offered ? [offered] : [] };
    expect(() => read(text)).toThrow(expect.objectContaining(refusal));
    for (const one of refusal.offered) expect(read(one.replace(/^watch ?/, ''))).toBeDefined();
  });
});

describe('the form of a watch', () => {
  it('is filled with the typed values, and shows when the watch would have alerted', async () => {
    around.figures = STEADY;
    const text = await openForm('watch balance 50,000 prod');
    expect(view()).toContain('"value":"123:1:prod"');
    expect(view()).toContain('"initial_value":"50,000"');
    expect(view()).toContain(`"initial_conversation":"${CHANNEL}"`);
    expect(text).toContain('It would have alerted once in the last 90 days: 19 Nov.');
    expect(text).toContain('It would alert now.');
    expect(text).toContain('ignoring top-ups');
    expect(around.asked).toEqual([{ project: '123', kind: 'balance' }]);
  });

  it.each([
    ['budget 25000', /^20,000\.00 this month, 80\.0 %\n48,210\.00 left · about 48 days/m],
    ['spike 2x', /^1,000\.00 on Fri 20 Nov, usually 1,000\.00\n48,210\.00 left · /m],
  ])(
    'shows the figure that the rule “%s” watches, and the balance below that figure',
    async (rule, lines) => {
      around.figures = STEADY;
      expect((await openForm(`watch prod ${rule}`)).replaceAll('*', '')).toMatch(lines);
    },
  );

  it('names the most recent days on which the watch would have alerted', async () => {
    around.figures = previewFigures((ago) => (ago % 9 === 2 ? '9000' : '1000'), '48210');
    expect(await openForm('watch prod spike 2x')).toContain(
      '10 times in the last 90 days, most recently: 17 Sep, 26 Sep, 5 Oct, 14 Oct, 23 Oct, 1 Nov, 10 Nov, 19 Nov.',
    );
  });

  it('starts with the channel’s default project or, in a direct message, with the person to alert', async () => {
    await bot.redis.client.hset(KEY, `channel:${CHANNEL}`, 'dev');
    await openForm('watch');
    expect(view()).toContain('"value":"456:2:dev"');
    await bot.closeForm(OWNER);
    await openForm('watch prod budget 500000', OWNER, OWNERS_DM);
    expect(view()).toContain(`"initial_users":["${OWNER}"]`);
    expect(modalText()).toContain('50, 80 and 100 %');
  });

  it.each([
    ['balance 5e4', '5e4', 'Type an amount of zero or more, such as 50000'],
    ['balance 1.234', '1.234', 'Type 1234 or 1.2340.'],
    ['budget 0', '0', 'Type an amount above zero.'],
    ['runway 14.5', '14.5', 'Type 1 to 3,650 days.'],
    ['spike 1x', '1x', 'Type a factor above 1'],
  ])('says what is wrong with the typed threshold: %s', async (words, typed, sentence) => {
    expect(await openForm(`watch prod ${words}`)).toContain(sentence);
    expect(view()).toContain(`"initial_value":"${typed}"`);
  });

  it('can be saved while billing fails, and says why there is no preview', async () => {
    around.figures = new Failure('service-unreachable', {
      service: 'billing',
      host: 'billing.example',
      code: 'ECONNREFUSED',
      isClosed: false,
    });
    expect(await openForm()).toContain('couldn’t be reached');
    expect(await save()).toContain('Saved');
  });

  it('shows a message if the project has no data', async () => {
    around.figures = new Failure('no-data', { question: { project: '123', product: 1, days: undefined } });
    expect(await openForm()).toContain('No Cloud platform data for project 123.');
  });
});

describe('a watch that is set up in the form', () => {
  it.each([
    ['a guest', GUEST],
    ['somebody from another organization', EXTERNAL],
  ])('cannot alert %s', async (_, person) => {
    await openForm('watch prod balance 50000', OWNER, OWNERS_DM);
    const text = await save({ people: [OWNER, person] });
    expect(text).toContain(`Remove <@${person}>`);
    expect(await stored()).toEqual([]);
  });

  it('is not saved twice with the same project, threshold and channel', async () => {
    await setUp();
    await openForm('watch prod balance 50000', OWNER, CHANNEL);
    expect(await save({})).toContain('This watch already exists');
    expect(await stored()).toHaveLength(1);
    expect(await save({ below: '40000' })).toContain('Saved');
  });

  it('cannot alert a channel where its project isn’t allowed', async () => {
    await add('secret', '789', { channels: [FINANCE] });
    await openForm('watch secret balance 5', OWNER, CHANNEL);
    expect(await save()).toContain(
      'secret can’t be shown in that channel. Choose another project or channel.',
    );
    await choose('to', 'people');
    await modalSays('Full members of this workspace.');
    expect(await save({ people: [MEMBER] })).toContain('limited to certain channels');
    expect(await stored()).toEqual([]);
    expect(await save({ people: [OWNER] })).toContain('Saved');
  });

  describe('with forged values', () => {
    const selected = (value: string) => ({ value: { selected_option: option(value) } });
    /** Submits the open form with these values in place of its own. */
    async function send(values: object, person: string, action_id = 'watch-form:preview') {
      const opened = await openForm('watch prod balance 50000', person, MEMBERS_DM);
      expect(opened).toContain('48.210,00');
      around.asked = [];
      const id = modal(person)!.id;
      const { private_metadata, callback_id } = modal(person)!.view;
      const before = bot.slack.calls.length;
      const state = {
        ...{ projects: selected('789:1'), kind: selected('balance') },
        below: { value: { type: 'plain_text_input', value: '90000' } },
        ...values,
      };
      const view = { id, type: 'modal', callback_id, private_metadata, state: { values: state } };
      const actions = [{ type: 'button', block_id: 'b', action_id, value: 'below 90000' }];
      const container = { type: 'view', view_id: id };
      await bot.interact({ type: 'block_actions', ...sentBy(person), view, actions, container });
      const drawn = await bot.slack.waitFor(() => {
        const calls = bot.slack.calls.slice(before).filter(({ method }) => method === 'views.update');
        const texts = calls.map(({ args }) => textOf((args.view as { blocks: object[] }).blocks));
        return texts.length > 0 && !texts.at(-1)?.includes('Asking the billing') && texts;
      });
      await bot.closeForm(person);
      return drawn.join('\n');
    }
    const to = (channel: string) => ({
      to: selected('channel'),
      channel: { value: { selected_conversation: channel } },
    });

    it.each([
      ['a channel that the user is not in', to(FINANCE), 'can’t see that channel'],
      ['a channel that may not see the project', to(CHANNEL), 'Project 789 can’t be shown in that channel.'],
      ['the user alone', { to: selected('people'), people: { value: { selected_users: [MEMBER] } } }, ''],
      ['a manager', { to: selected('people'), people: { value: { selected_users: [OWNER] } } }, ''],
    ])('gets no preview of a restricted project if it would alert %s', async (_, target, problem) => {
      await add('secret', '789', { channels: [FINANCE] });
      members(FINANCE).splice(0, 99, 'bot', OWNER);
      for (const action of ['watch-form:preview', 'watch-form:channel']) {
        const drawn = await send(target, MEMBER, action);
        expect(around.asked).toEqual([]);
        expect(drawn).not.toMatch(/48[.,]210|secret/);
        expect(drawn).toContain(problem);
      }
    });

    it('is refused for a restricted project, and the refusal doesn’t name the project', async () => {
      await openForm('watch prod balance 50000', MEMBER, MEMBERS_DM);
      await add('secret', '789', { channels: [FINANCE], currency: 'ZWL' });
      await choose('to', 'people', MEMBER);
      await modalSays('Full members of this workspace.', MEMBER);
      around.asked = [];
      const said = await save({ projects: '789:1', people: [OWNER] }, MEMBER);
      expect(said).not.toMatch(/secret|ZWL|48[.,]210/);
      expect(await stored()).toEqual([]);
      expect(around.asked.filter((one) => one.project === '789')).toEqual([]);
      expect(bot.messageTexts(OWNERS_DM, OWNER).join()).not.toContain('secret');
      await bot.closeForm(MEMBER);
    });

    it('gets a preview of a restricted project if the user is in the project’s channel', async () => {
      await add('secret', '789', { channels: [FINANCE] });
      members(FINANCE).splice(0, 99, 'bot', MEMBER);
      expect(await send(to(FINANCE), MEMBER)).toContain('48.210');
      expect(around.asked).toEqual([{ project: '789', kind: 'balance' }]);
    });
  });

  it('starts over if its threshold is changed, but not if it is saved unchanged', async () => {
    const watch = await setUp();
    around.now += MINUTE;
    const list = await ask('watches');
    await row(list, 'edit', watch.id);
    await modalSays('Edit watch');
    expect(await save({ below: '50000' })).toContain('Saved');
    expect((await stored())[0]?.since).toBe(watch.since);
    await bot.closeForm(OWNER);
    await row(await ask('watches'), 'edit', watch.id);
    await modalSays('Edit watch');
    expect(await save({ below: '60000' })).toContain('Saved');
    expect((await stored())[0]).toMatchObject({
      id: watch.id,
      since: around.now,
      createdAt: watch.createdAt,
    });
    expect(await audit()).toContain(`${OWNER} changed a watch:`);
  });
});

describe('the list of watches', () => {
  it('shows the last value, threshold, times of checks and owner of a watch', async () => {
    const { id } = await setUp('prod balance 50000', MEMBER);
    const measurement = { kind: 'balance', balance: new Big('48210') } as const;
    around.states.set(id, state({ isCrossed: true, measurement }));
    const { visibleText } = await ask('watches', MEMBER);
    expect(visibleText).toContain('1 watch');
    expect(visibleText).toContain(`*prod*: balance below 50.000,00 → <#${CHANNEL}>`);
    expect(visibleText).toContain(':warning: *Past the threshold* · now 48.210,00');
    expect(visibleText).toMatch(/checked: <!date.+ · next: <!date.+ · owner <@U0MEMBER01>/);
    around.states.set(id, state({ problem: 'The <service> timed out.' }));
    expect((await ask('watches', MEMBER)).visibleText).toContain(
      '*not checked:* The &lt;service&gt; timed out.',
    );
    around.states.set(id, state({ problem: 'The <token> was rejected.', isPaused: true }));
    expect((await ask('watches', MEMBER)).visibleText).toContain(
      '*paused:* The &lt;token&gt; was rejected. · resumes by itself when that’s fixed',
    );
  });

  it('shows the expected cost of the month if the budget isn’t spent yet', async () => {
    const { id } = await setUp('prod budget 20000', MEMBER);
    const month = { month: '2026-11', spent: new Big(829), reported: 2, of: 30, forecast: new Big(21_757) };
    around.states.set(id, state({ isCrossed: true, measurement: { kind: 'budget', months: [month] } }));
    const { visibleText } = await ask('watches', MEMBER);
    expect(visibleText).toContain(':warning: *Expected 21.760 of 20.000,00* · now 829,00 this month');
  });

  it('shows until when a watch is snoozed, and ends the snooze if the watch is paused and resumed', async () => {
    const { id } = await setUp(undefined, MEMBER);
    await bot.interact(clickOf(MEMBER, { action_id: 'watch-more', value: `month ${id} e1` }, CHANNEL));
    await expect.poll(async () => (await stored())[0]?.snoozedUntil).toBe(Date.UTC(2026, 11, 1));
    const list = await ask('watches', MEMBER);
    expect(list.visibleText).toContain('*snoozed* until: ');
    await row(list, 'pause', id, MEMBER);
    await updated(list, 'Paused.', MEMBER);
    await row(list, 'resume', id, MEMBER);
    await updated(list, 'Resumed.', MEMBER);
    expect((await stored())[0]?.snoozedUntil).toBeUndefined();
  });

  it('shows members the watches that alert them, and lets them change only their own', async () => {
    await openForm('watch prod balance 2', OWNER, OWNERS_DM);
    await save({ people: [OWNER, MEMBER] });
    await bot.closeForm(OWNER);
    await openForm('watch prod balance 3', OWNER, OWNERS_DM);
    await save({ people: [OWNER] });
    await bot.closeForm(OWNER);
    const { visibleText } = await ask('watches', MEMBER);
    expect(visibleText).toMatch(/^1 watch\n[\s\S]*below 2,00/);
    const before = await stored();
    for (const choice of ['day', 'threshold'])
      expect(await forgedClick(MEMBER, 'watch-more', `${choice} ${before[0]!.id}`)).toContain(
        'Only the owner',
      );
    expect(await stored()).toEqual(before);
  });
});

/** Posts a message from the bot with one button. @returns its `ts` */
async function postButton(action_id: string, value: string): Promise<string> {
  const text = { type: 'plain_text', text: 'Press' };
  const blocks = [{ type: 'actions', elements: [{ type: 'button', action_id, value, text }] }];
  const answer = await fetch(`${bot.slack.url}/api/chat.postMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${BOT_TOKEN}` },
    body: JSON.stringify({ channel: CHANNEL, text: 'An alert', blocks }),
  });
  return ((await answer.json()) as { ts: string }).ts;
}

describe('an alert', () => {
  /** Expects no answer, because the alert itself shows what was done. */
  const clickAlert = async (person: string, action_id: string, value: string, channel = CHANNEL) => {
    const [answered, said] = [around.responses.length, bot.messageTexts(channel, person).length];
    await bot.interact(clickOf(person, { action_id, value }, channel));
    await bot.slack.waitFor(() => around.responses.length > answered);
    expect(bot.messageTexts(channel, person)).toHaveLength(said);
  };

  it('lets the watch’s owner open the form of the watch', async () => {
    const { id } = await setUp();
    const ts = await postButton('watch-more', `threshold ${id}`);
    await bot.slack.press(OWNER, { channel: CHANNEL, ts }, 'watch-more');
    await modalSays('Edit watch');
    expect(await save({ below: '60000' })).toContain('balance below 60,000.00');
  });

  it('can be acknowledged by anyone who may ask about the project in the channel', async () => {
    const { id } = await setUp('prod balance 50000', OWNER);
    await clickAlert(MEMBER, 'watch-acknowledge', `${id} e1`);
    const response = { acknowledged: { at: around.now, by: MEMBER } };
    expect(around.responses).toEqual([{ watch: id, alert: 'e1', response }]);
    expect((await audit())[0]).toBe(`${MEMBER} acknowledged an alert:`);
    around.outcome = 'repeated';
    await clickAlert(MEMBER, 'watch-acknowledge', `${id} e1`);
    around.outcome = 'gone';
    expect(await forgedClick(MEMBER, 'watch-acknowledge', `${id} e9`)).toContain('too old');
    expect(await forgedClick(MEMBER, 'watch-acknowledge', 'nothing e1')).toContain('This watch was deleted.');
    expect(await audit()).toHaveLength(2);
  });

  it('cannot be acknowledged in a channel where its project isn’t allowed', async () => {
    await add('secret', '789', { channels: [FINANCE] });
    members(FINANCE).push('bot', MEMBER);
    const { id } = await setUp('secret balance 50000', OWNER, FINANCE);
    expect(await forgedClick(MEMBER, 'watch-acknowledge', `${id} e1`, CHANNEL)).toContain(
      'can’t ask about this project here',
    );
    expect(around.responses).toEqual([]);
    await clickAlert(MEMBER, 'watch-acknowledge', `${id} e1`, FINANCE);
  });

  it.each([
    ['day', DAY],
    ['week', 7 * DAY],
  ])('lets the owner snooze its watch for a %s', async (choice, length) => {
    const { id } = await setUp('prod balance 50000', MEMBER);
    await clickAlert(MEMBER, 'watch-more', `${choice} ${id} e1`);
    const response = { snoozed: { at: around.now, by: MEMBER, until: around.now + length } };
    expect(around.responses).toEqual([{ watch: id, alert: 'e1', response }]);
    expect((await stored())[0]?.snoozedUntil).toBe(around.now + length);
    expect((await audit())[0]).toBe(`${MEMBER} snoozed a watch:`);
  });
});

describe('a watch', async () => {
  const bot = await botOfFile({ now: Date.now });
  await bot.connect();
  await addProjects(bot, { prod: '123' });
  bot.billing.setBalance('123', '{"balance":48210,"bonuses":0}');

  const alert = (part = ' left, below ') =>
    bot.slack.waitFor(() => bot.answers().findLast(({ visibleText }) => visibleText.includes(part)), 20_000);

  it('can be set up from an answer, with the project and the kind of watch filled in', async () => {
    for (const [command, kind, value] of [
      ['/spend prod yesterday', 'The runway is under a number of days', '123:1:prod'],
      ['/spend 789 storage', 'The runway is under a number of days', '789:2'],
      ['/balance prod', 'The balance is below an amount', '123:1:prod'],
    ] as const) {
      const answer = await bot.ask(command);
      // If the menu is full, a button does this instead.
      await (answer.buttons.includes('Watch…')
        ? bot.press(answer, 'Watch…')
        : bot.choose(answer, 'rerun:more', 'Watch…'));
      await bot.slack.waitFor(() => bot.modal());
      expect(bot.view()).toContain(`"initial_option":{"text":{"type":"plain_text","text":"${kind}"`);
      expect(bot.view()).toContain(`"value":"${value}"`);
      await bot.closeForm();
    }
    expect(await bot.home()).toContain('Watch…');
  });

  it.each([
    ['watch-acknowledge', 'alert001 e1-threshold-0', 'acknowledged an alert:', [OWNER, MEMBER]],
    ['watch-more', 'day alert001 e1-threshold-0', 'snoozed a watch:', [OWNER, OWNER]],
  ])(
    'reacts only once to several clicks on the button “%s”, even if two processes receive them',
    async (action_id, value, did, people) => {
      const watch = {
        ...{ id: 'alert001', projects: [{ id: '123', product: 1 }], rule: { kind: 'balance', below: '1' } },
        ...{ channel: CHANNEL, owner: OWNER, createdBy: OWNER, createdAt: 0, since: 0 },
        paused: { at: 0, by: OWNER },
      };
      const alerted = {
        ...{ episode: 'e1', level: 'threshold', at: 0, source: 'main', title: ' has 1.00 left', why: '' },
        ...{ covers: '', state: 'open' },
      };
      await bot.store({ 'watch:alert001': watch });
      const found = { since: 0, alerted: [{ episode: 'e1', level: 'threshold' }], alerts: [alerted] };
      await bot.redis.client.hset(`tally:{${TEAM}}:delivery-log`, 'watch/alert001', JSON.stringify(found));
      await bot.startAnotherProcess();
      const container = { type: 'message', channel_id: CHANNEL, message_ts: '1.2' };
      const press = (url: string, person: string) =>
        bot.interact({ ...clickOf(person, { action_id, value }), container }, url);
      const pressed = () => bot.log().match(/"via":"button"/g)?.length ?? 0;
      const before = pressed();
      await Promise.all(
        people.flatMap((person) => [press(bot.url, person), press(bot.currentUrl(), person)]),
      );
      await bot.slack.waitFor(() => pressed() >= before + 4);
      expect((await bot.audit()).filter((entry) => entry.includes(did))).toHaveLength(1);
      await bot.drop('watch:alert001');
    },
  );

  it('alerts its channel, where people can acknowledge the alert and snooze the watch', async () => {
    await bot.openForm('/billing watch prod balance 50000');
    await bot.modalSays('It would alert now');
    await bot.save();
    await bot.closeForm();
    const sent = await alert();
    expect(sent.visibleText).toContain('prod has 48,210.00 left, below 50,000.00');
    const days = await bot.next(() => bot.press(sent, 'See the days', MEMBER), MEMBER);
    expect(days).toMatchObject({ ephemeral: true, text: expect.stringContaining(' so far') });
    await bot.press(sent, 'Acknowledge', MEMBER);
    expect((await alert(`Acknowledged by <@${MEMBER}>`)).buttons).not.toContain('Acknowledge');

    const crossed =
      /^\*prod\*: balance below 50,000\.00 .+ · :warning: \*Past the threshold\* · now 48,210\.00\n/;
    await expect.poll(() => bot.home()).toMatch(crossed);
    expect(await bot.home(MEMBER)).not.toContain('*Past the threshold*');
    expect(await bot.read('/billing status')).toContain('*Watches* · 1 running · *1 past the threshold*');

    await bot.choose(sent, 'watch-more', 'Snooze for 7 days');
    await alert(`Snoozed by <@${OWNER}> until: `);
    expect(await bot.read('/billing watches', MEMBER)).toContain('*snoozed* until: ');
    const list = await bot.next(() => bot.choose(sent, 'watch-more', 'Manage', MEMBER), MEMBER);
    expect(list.visibleText).toContain('1 watch');
  });
});
