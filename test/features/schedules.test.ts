import { describe, expect, it } from 'vitest';
import { ADMIN, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import type { LastDelivery } from '../../src/delivery/posts/post-record.ts';
import { catchInvalidWord } from '../../src/domain/failure/index.ts';
import { parseScheduleText } from '../../src/features/schedules/parse-schedule-command.ts';
import { deliveryLogKey, recordKey } from '../../src/redis/keys.ts';
import { MINUTE, option, startAutomationBot } from '../support/automation-bot.ts';
import { type Answer, botOfFile, CHANNEL } from '../support/bot.ts';
import { lastPost } from '../support/delivery.ts';
import { storedCause } from '../support/failures.ts';
import { directOf, FINANCE, GENERAL, SHARED, sentBy, TEAM } from '../support/people.ts';
import { addProjects } from '../support/projects.ts';
import { contextWith } from '../support/read-words.ts';

const KEY = recordKey(TEAM);
const bot = await startAutomationBot();
const { around, add, ask, audit, brings, change, chooseInForm: choose, forgedClick, members } = bot;
const { modalSays, modalText, save, suggested, updated, view } = bot;

const stored = () => bot.stored('schedule');
const openForm = (words = 'schedule prod', person = OWNER, channel = CHANNEL) =>
  bot.openForm(words, person, channel);
const setUp = (words = 'prod', person = OWNER, channel = CHANNEL) =>
  bot.setUp('schedule', words, person, channel);
const row = (answer: Answer, action: string, id: string, person = OWNER) =>
  bot.row('schedule', answer, action, id, person);

const setLastPost = (
  id: string,
  given: Partial<LastDelivery>,
  { redis } = bot as Pick<typeof bot, 'redis'>,
) => redis.client.hset(deliveryLogKey(TEAM), lastPost(id, given));

/** Shows the fields under More. */
async function unfold(person = OWNER): Promise<void> {
  await bot.pressInForm('More…', person);
  await modalSays('Time zone', person);
}

describe('the words of a schedule command', () => {
  const read = (text: string) =>
    parseScheduleText(text, contextWith(new Set(['prod', 'archive', 'web-shop'])));

  it.each<[string, object]>([
    ['', {}],
    ['prod', { alias: 'prod' }],
    ['prod daily 09:00', { alias: 'prod', cadence: { kind: 'daily' }, time: '09:00' }],
    [
      'prod last-week weekly mon 8:30',
      { alias: 'prod', report: 'last-week', cadence: { kind: 'weekly', weekday: 1 }, time: '08:30' },
    ],
    ['9 am every Friday prod', { alias: 'prod', cadence: { kind: 'weekly', weekday: 5 }, time: '09:00' }],
    ['12 am prod', { alias: 'prod', time: '00:00' }],
    [
      'at 17.30 weekdays balance prod',
      { alias: 'prod', report: 'balance', cadence: { kind: 'weekdays' }, time: '17:30' },
    ],
    [
      '123 2 monthly 31 mtd',
      { project: '123', product: 2, report: 'month-to-date', cadence: { kind: 'monthly', day: 31 } },
    ],
    ['prod monthly on the last day', { alias: 'prod', cadence: { kind: 'monthly', day: 'last' } }],
    [
      'monthly last week prod',
      { alias: 'prod', report: 'last-week', cadence: { kind: 'monthly', day: 'last' } },
    ],
    [
      'prod last-month monthly 1',
      { alias: 'prod', report: 'month-to-date', cadence: { kind: 'monthly', day: 1 } },
    ],
    ['daily 9', { cadence: { kind: 'daily' }, time: '09:00' }],
    ['500 daily 9', { project: '500', cadence: { kind: 'daily' }, time: '09:00' }],
    ['weekdays at 8 prod', { alias: 'prod', cadence: { kind: 'weekdays' }, time: '08:00' }],
    ['prod at 17', { alias: 'prod', time: '17:00' }],
    ['weekly fri 7 500', { project: '500', cadence: { kind: 'weekly', weekday: 5 }, time: '07:00' }],
    ['monthly 1 9 prod', { alias: 'prod', cadence: { kind: 'monthly', day: 1 }, time: '09:00' }],
    ['every month on the 5th prod', { alias: 'prod', cadence: { kind: 'monthly', day: 5 } }],
    ['500 mon-fri 8:00', { project: '500', cadence: { kind: 'weekdays' }, time: '08:00' }],
    ['daily 500', { project: '500', cadence: { kind: 'daily' } }],
    [
      'prod, archive weekly',
      { several: [{ alias: 'prod' }, { alias: 'archive' }], cadence: { kind: 'weekly', weekday: 1 } },
    ],
    ['daily 9 10:30', { project: '9', cadence: { kind: 'daily' }, time: '10:30' }],
  ])('are understood: “%s”', (text, expected) => expect(read(text)).toEqual(expected));

  it.each([
    ['prod 25:00', '“25:00” isn’t a time of day'],
    ['prod 13 pm', '“13 pm” isn’t a time of day'],
    ['prod 9:00 10:00', 'I don’t recognize “10:00”'],
    ['prod archive', 'You named two projects without a comma'],
    ['prod daily weekly', 'You gave two schedules, “daily” and “weekly”.'],
    ['prod monthly 32', '“monthly 32” isn’t a day of the month'],
    ['prod last-month', '“last-month” only goes with monthly 1'],
    ['prod banana', 'I don’t recognize “banana”'],
    ['prod wait 2 days', 'I don’t recognize “wait”'],
    ['prod yesterday including today', 'doesn’t work with Fri 20 Nov 2026, which is over'],
    ['prod at 25', '“at 25” isn’t a time of day'],
    ['500 hourly', 'I don’t recognize “hourly”. Use daily, weekdays, weekly or monthly'],
    ['500 tuesday 9:30', '“tuesday” can’t be posted on a schedule'],
    ['every 2 weeks 500', '“every” doesn’t belong there'],
    ['fortnightly 500 balance', 'I don’t recognize “fortnightly”'],
    ['500 mondays and fridays', '“mondays”'],
    ['500 daily hourly', 'I don’t recognize “hourly”'],
  ])('are refused with a reason: “%s”', (text, sentence) => expect(() => read(text)).toThrow(sentence));

  it('get the suggestion “monthly 1” if they say “last-month”, but not if they also say “daily”', () => {
    const offered = (text: string) => catchInvalidWord(() => read(text));
    expect(offered('prod last-month 9:00')).toMatchObject({
      offered: ['schedule prod last-month monthly 1 9:00'],
    });
    expect(offered('prod last-month monthly')).toMatchObject({
      offered: ['schedule prod last-month monthly 1'],
    });
    expect(offered('prod last-month daily')).toMatchObject({ offered: [] });
  });
});

describe('the form of a schedule', () => {
  it('is filled in with the typed words, the channel and the person’s time zone', async () => {
    const text = await openForm('schedule prod last-week weekly fri 8:30', MEMBER);
    const drawn = view(MEMBER);
    expect(drawn).toContain('"initial_time":"08:30"');
    expect(drawn).toContain(`"initial_conversation":"${CHANNEL}"`);
    expect(drawn).toContain('"value":"123:1:prod"');
    expect(text).toContain('Europe/Berlin');
    for (const day of ['Fri 27 Nov 2026', 'Fri 4 Dec 2026', 'Fri 11 Dec 2026'])
      expect(text).toContain(`${day}, 08:30`);
  });

  it('shows the fields for the chosen frequency, and the times of the next posts', async () => {
    const first = await openForm();
    expect(first).not.toMatch(/^On$/m);
    await choose('cadence', 'weekly');
    expect(await modalSays('Wednesday')).toContain('Mon 23 Nov 2026, 09:00\n');
    await choose('cadence', 'monthly');
    expect(await modalSays('Shorter months')).toContain('Mon 30 Nov 2026, 09:00');
    await change('time', { selected_time: '02:30' });
    await modalSays('Mon 30 Nov 2026, 02:30');
    await unfold();
    await change('zone', { selected_option: option('Pacific/Auckland') });
    await modalSays('(Pacific/Auckland)');
    await choose('report', 'balance');
    await bot.slack.waitFor(() => !modalText().includes('If billing hasn’t reported the day yet'));
  });

  it('names the days that the first post covers', async () => {
    expect(await openForm('schedule prod mtd monthly last')).toContain('The first post covers 1–29 Nov');
    await choose('day', '1');
    await modalSays('The first post covers 1–30 Nov');
  });

  it('offers only projects that the chosen channel may see', async () => {
    await add('secret', '999', { channels: [GENERAL] });
    await openForm('schedule');
    const found = () => suggested('schedule-form:projects', '999');
    expect(await found()).toEqual([]);
    await change('channel', { selected_conversation: GENERAL });
    await bot.slack.waitFor(() => view().includes(`"initial_conversation":"${GENERAL}"`));
    expect((await found())[0]).toBe('999:1:secret');
    await change('projects', { selected_options: [option('999:1')] });
    await bot.slack.waitFor(() => view().includes('999:1'));
    await bot.closeForm(OWNER);

    await openForm('schedule 999');
    await modalSays('secret can’t be shown in that channel');
    expect(await save()).toContain('secret can’t be shown in that channel');
    expect(await stored()).toEqual([]);
  });
});

describe('saving the form of a schedule', () => {
  it('stores the schedule, and announces nothing in the channel', async () => {
    const before = around.planned;
    const said = bot.slack.messages(OWNER, CHANNEL).length;
    await openForm('schedule prod weekdays 09:00', MEMBER);
    await unfold(MEMBER);
    const text = await save({ waits: '6' }, MEMBER);
    expect(text).toContain('Saved: *Yesterday’s spend* for prod');
    const [schedule] = await stored();
    expect(schedule).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{8}$/),
      report: 'yesterday',
      projects: [{ id: '123', product: 1, alias: 'prod' }],
      timing: { cadence: { kind: 'weekdays' }, time: '09:00', zone: 'Europe/Berlin' },
      channel: CHANNEL,
      waitHours: 6,
      owner: MEMBER,
      createdBy: MEMBER,
      createdAt: around.now,
      since: around.now,
    });
    expect(bot.slack.messages(OWNER, CHANNEL)).toHaveLength(said);
    expect(around.planned).toBe(before + 1);
    expect((await audit())[0]).toBe(`${MEMBER} created a schedule:`);
  });

  it('fails if another schedule has the same projects, report, times and channel', async () => {
    await setUp('prod,dev daily 09:00');
    await openForm('schedule dev,prod daily 9');
    await unfold();
    expect(await save({ waits: '0' })).toContain('This schedule already exists');
    expect(await stored()).toHaveLength(1);
    expect(await save({ time: '10:00' })).toContain('Saved');
  });

  it('makes Tally join a public channel', async () => {
    bot.slack.workspace.conversation(GENERAL)!.members = members(GENERAL).filter((one) => one !== 'bot');
    await openForm('schedule prod', MEMBER, GENERAL);
    await modalSays('Tally isn’t in that channel yet', MEMBER);
    expect(members(GENERAL)).not.toContain('bot');
    expect(await save({}, MEMBER)).toContain('Saved');
    expect(members(GENERAL)).toContain('bot');
  });

  it('fails for archived channels, and for channels that the person or Tally is not in', async () => {
    const refused = async (channel: string, sentence: string, person = MEMBER) => {
      await openForm('schedule prod', person, CHANNEL);
      await change('channel', { selected_conversation: channel }, person);
      await modalSays(sentence, person);
      expect(await save({}, person)).toContain(sentence);
      expect(await stored()).toEqual([]);
      await bot.closeForm(person);
    };
    bot.slack.workspace.conversation(GENERAL)!.archived = true;
    await refused(GENERAL, 'archived');
    delete bot.slack.workspace.conversation(GENERAL)!.archived;
    await refused(FINANCE, '/invite @Tally');
    members(FINANCE).push('bot');
    await refused(FINANCE, '/invite @Tally', ADMIN);
    bot.slack.workspace.conversation(GENERAL)!.members = [OWNER, 'bot'];
    await refused(GENERAL, 'You aren’t in that channel');
  });
});

describe('a test post', () => {
  const send = (person = OWNER) => bot.pressInForm('Send a test to me', person);

  it('shows the report that is chosen in the form, without saving a schedule', async () => {
    await openForm('schedule prod balance');
    await send();
    await modalSays('Sent a test to you. Nothing is saved yet.');
    expect(around.sent).toEqual([
      { schedule: expect.objectContaining({ report: 'balance', channel: CHANNEL }), why: 'test', by: OWNER },
    ]);
    expect(await stored()).toEqual([]);
  });

  it('is not sent if the person may not choose the channel in the form', async () => {
    await openForm('schedule prod', ADMIN);
    members(FINANCE).push('bot');
    await change('channel', { selected_conversation: FINANCE }, ADMIN);
    await modalSays('/invite @Tally', ADMIN);
    const asked = () => bot.slack.calls.filter(({ method }) => method === 'conversations.info').length;
    const before = asked();
    await send(ADMIN);
    await bot.slack.waitFor(() => asked() > before);
    await modalSays('/invite @Tally', ADMIN);
    expect(around.sent).toEqual([]);
  });
});

describe('the list of schedules', () => {
  it('shows the time of the next post in the schedule’s time zone', async () => {
    await setUp('prod daily 09:00', MEMBER);
    const { visibleText } = await ask('schedules', MEMBER);
    expect(visibleText).toContain(`*Yesterday’s spend* for prod → <#${CHANNEL}>`);
    expect(visibleText).toContain(`Every day at 09:00 (Europe/Berlin) · owner <@${MEMBER}>`);
    expect(visibleText).toMatch(/next \w+ \d+ \w+ \d{4}, 09:00 · /);
    expect(visibleText).toContain('nothing posted yet');
  });

  it('shows the result of the last post', async () => {
    const { id } = await setUp('prod daily 09:00');
    const shows = async (given: Partial<LastDelivery>) => {
      await setLastPost(id, { due: around.now, ...given });
      return (await ask('schedules')).visibleText;
    };
    expect(await shows({ result: 'posted' })).toContain('last posted: <!date^');
    expect(await shows({ result: 'posted-late' })).toContain('last posted late: <!date^');
    expect(await shows({ result: 'failed', cause: storedCause('<!channel>') })).toContain(
      ' · There’s no connection named &lt;!channel&gt;.',
    );
    const paused = await shows({
      result: 'paused',
      cause: { kind: 'cannot-post', data: { reason: 'archived' } },
    });
    expect(paused).toMatch(
      /\*paused\*: That channel is archived\. · resumes by itself when that’s fixed · last tried: <!date\^/,
    );
    expect(await shows({ result: 'trying', cause: storedCause('eu'), next: around.now + MINUTE })).toMatch(
      /\*not posted yet\*, tried: .+ · There’s no connection named eu\. Next try: <!date\^/,
    );
  });

  it('opens a form with a schedule’s current values, which can be changed', async () => {
    const schedule = await setUp('prod weekly fri 8:30', MEMBER);
    const list = await ask('schedules', MEMBER);
    await row(list, 'edit', schedule.id, MEMBER);
    await modalSays('Edit schedule', MEMBER);
    expect(view(MEMBER)).toContain('"initial_time":"08:30"');
    expect(await save({ time: '08:45' }, MEMBER)).toContain('Saved');
    const [after] = await stored();
    expect(after?.timing).toEqual({ ...schedule.timing, time: '08:45' });
    expect(after?.id).toBe(schedule.id);
    expect((await audit())[0]).toBe(`${MEMBER} changed a schedule:`);
  });

  it('has a menu item for retrying a paused post', async () => {
    const { id } = await setUp('prod daily 09:00');
    await setLastPost(id, { due: around.now, result: 'paused', cause: storedCause('eu') });
    const list = await ask('schedules');
    expect(JSON.stringify(list.blocks)).toContain('"Try again"');
    await row(list, 'retry', id);
    await updated(list, 'Tally is trying again.');
  });

  it('treats a double click as one click when a post is sent or a schedule is deleted', async () => {
    const { id } = await setUp();
    const list = await ask('schedules');
    const clickTwice = (action: string) => Promise.all([row(list, action, id), row(list, action, id)]);
    await clickTwice('now');
    await updated(list, 'The next post goes out as scheduled');
    await row(list, 'delete', id);
    await updated(list, 'This can’t be undone.');
    const press = () => bot.press(list, 'Delete');
    await Promise.all([press(), press()]);
    await updated(list, 'Deleted *Yesterday’s spend* for prod');
    await ask('schedules');
    expect(around.sent).toHaveLength(1);
    const texts = bot.slack.messages(OWNER, CHANNEL).map(({ blocks }) => JSON.stringify(blocks));
    expect(texts.filter((text) => text.includes('Someone else changed this first'))).toEqual([]);
  });

  it('doesn’t resume a schedule whose channel is archived', async () => {
    const { id } = await setUp('prod', OWNER, GENERAL);
    const list = await ask('schedules');
    await row(list, 'pause', id);
    await updated(list, 'Paused. Nothing');
    bot.slack.workspace.conversation(GENERAL)!.archived = true;
    await row(list, 'resume', id);
    await updated(list, 'The schedule is still paused.');
    expect((await stored())[0]?.paused).toMatchObject({ by: OWNER });
  });
});

describe('a person without rights to a schedule', () => {
  it('can’t change the schedule or send its posts, even with forged values', async () => {
    await setUp('prod', OWNER, CHANNEL);
    const [{ id } = { id: '' }] = await stored();
    const before = await bot.redis.client.hgetall(KEY);
    const refused = 'Only the owner';
    for (const action of ['retry', 'now'])
      expect(await forgedClick(MEMBER, 'schedule-row', `${action} ${id}`)).toContain(refused);
    expect(await forgedClick(GUEST, 'schedule-row', `now ${id}`, GENERAL)).toContain('Guests can’t use');
    const value = (one: object) => ({ x: one });
    const values = {
      projects: value({ selected_options: [option('123:1')] }),
      report: value({ selected_option: option('yesterday') }),
      cadence: value({ selected_option: option('daily') }),
      time: value({ selected_time: '09:00' }),
      zone: value({ selected_option: option('UTC') }),
      waits: value({ selected_option: option('3') }),
      channel: value({ selected_conversation: CHANNEL }),
    };
    const private_metadata = JSON.stringify({ id, seen: '', place: CHANNEL });
    const form = { id: 'V1', type: 'modal', callback_id: 'schedule', private_metadata, state: { values } };
    const submission = () => bot.interact({ type: 'view_submission', ...sentBy(MEMBER), view: form });
    await brings(refused, submission, MEMBER, directOf(MEMBER));
    expect(await bot.redis.client.hgetall(KEY)).toEqual(before);
    expect(around.sent).toEqual([]);
  });

  it('doesn’t learn a limited project’s name by entering the project’s ID', async () => {
    await add('secret', '999', { channels: [GENERAL] });
    expect((await ask('schedule 999', MEMBER, SHARED)).visibleText).toMatch(/^Project 999 is limited to /);
    await openForm('schedule prod', MEMBER, SHARED);
    await change('projects', { selected_options: [option('999:1')] }, MEMBER);
    expect(await modalSays('Project 999 can’t be shown in that channel', MEMBER)).not.toContain('secret');
    members(FINANCE).push('bot');
    bot.slack.workspace.conversation(FINANCE)!.members = [OWNER, 'bot'];
    await add('secret', '999', { channels: [FINANCE] });
    await change('channel', { selected_conversation: FINANCE }, MEMBER);
    expect(await modalSays('Tally can’t see that channel', MEMBER)).not.toContain('secret');
  });
});

describe('Tally', async () => {
  const bot = await botOfFile({ now: Date.now });
  await bot.connect();
  await addProjects(bot, { prod: '123' });

  it.each([
    ['/spend prod yesterday', 'Yesterday’s spend', '123:1:prod'],
    ['/spend 789 last-week storage', 'Last week’s spend', '789:2'],
    ['/spend prod mtd', 'This month’s spend so far', '123:1:prod'],
    ['/balance prod', 'Balance', '123:1:prod'],
  ])(
    'fills in the schedule form with the project and report of the answer to %s',
    async (command, report, value) => {
      const answer = await bot.ask(command);
      await bot.choose(answer, 'rerun:more', 'Schedule this…');
      await bot.slack.waitFor(() => bot.modal());
      expect(bot.view()).toContain(`"initial_option":{"text":{"type":"plain_text","text":"${report}"`);
      expect(bot.view()).toContain(`"value":"${value}"`);
    },
  );

  it('shows in /billing status and on the Home tab that a schedule can’t post', async () => {
    await bot.openForm('/billing schedule prod daily 09:00');
    expect(await bot.save()).toContain('Saved:');
    await bot.closeForm();
    expect(await bot.home()).not.toContain('Yesterday’s spend');
    const status = async (person = OWNER, channel = CHANNEL) =>
      await bot.read('/billing status', person, channel);
    expect(await status()).toContain('*Schedules* · 1 running');
    expect(await status()).toMatch(/ · next .+ · nothing posted yet\nEvery day at 09:00 .+ · owner </);
    const fields = await bot.redis.client.hkeys(KEY);
    const { since: at, id } = await bot.stored(fields.find((one) => one.startsWith('schedule:')) ?? '');
    await setLastPost(id, { due: at, result: 'trying', cause: storedCause('eu'), next: at }, bot);
    expect(await status()).toContain('1 running · *1 not posted yet*');
    expect(await status()).toContain('There’s no connection named eu. Next try:');
    const cause = { kind: 'cannot-post', data: { reason: 'archived' } };
    await setLastPost(id, { due: at, result: 'paused', cause }, bot);
    const paused = 'That channel is archived. · resumes by itself';
    await expect.poll(() => bot.home()).toContain(paused);
    expect(await status(MEMBER)).toContain('0 running · *1 paused by Tally*');
    expect(await status(MEMBER)).toContain(paused);
    expect(await status(MEMBER, GENERAL)).not.toContain('*Schedules*');
  });
});

it('Slack accepts every message and form about schedules', () => {
  expect(bot.slack.complaints).toEqual([]);
  expect(bot.log()).not.toContain('"outcome":"unknown"');
  expect(bot.log()).not.toContain('nothing listens to');
});
