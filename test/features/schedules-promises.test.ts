/** Compares the posts that forms, confirmations and lists announce with those that are sent. */
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { OWNER } from '../../sandbox/slack/index.ts';
import { createDeliveryLog, newMessage } from '../../src/delivery/delivery-log.ts';
import { planDates, splitDueTimes } from '../../src/delivery/posts/post-dates.ts';
import {
  dateOf,
  isHandled,
  lastHandled,
  type PostEntry,
  postKey,
  postsOf,
} from '../../src/delivery/posts/post-record.ts';
import type { Cadence } from '../../src/domain/time/cadence.ts';
import { createSchedulesFeature } from '../../src/features/schedules/index.ts';
import { planEdit } from '../../src/features/schedules/schedule-form.ts';
import { routeSubcommands } from '../../src/slack/commands/subcommands.ts';
import type { Schedule } from '../../src/workspace/record/automation-records.ts';
import { CHANNEL } from '../support/bot.ts';
import { schedule as example } from '../support/delivery.ts';
import { startListenerBot } from '../support/listener-bot.ts';
import { dueTimesBetween, nextDueTimes } from '../support/next-due-times.ts';
import { TEAM, UNLIMITED } from '../support/people.ts';
import { runs } from '../support/test-run.ts';

const KEY = `tally:{${TEAM}}:record`;
const LOG_KEY = `tally:{${TEAM}}:delivery-log`;
const at = (text: string): number => Date.parse(text);
const SECOND = 1_000;
const HOUR = 3_600_000;

/** Friday */
const NINE = at('2026-11-20T09:00:00Z');
let now = NINE;
const tally = await startListenerBot(
  (workspaces) => {
    const scheduling = {
      loadLog: (workspace: string) => createDeliveryLog(tally.redis.client).load(workspace),
      send: async () => 'posted' as const,
      retry: async () => undefined,
    };
    const { verbs = {}, ...handlers } = createSchedulesFeature({
      workspaces,
      scheduling,
      changed: async () => undefined,
      limits: UNLIMITED,
    });
    return { ...handlers, commands: { '/billing': routeSubcommands(verbs) } };
  },
  { clock: () => now },
);
afterAll(() => tally.stop());
beforeEach(async () => {
  await tally.closeForm();
  await tally.redis.client.del(KEY, LOG_KEY);
  // A schedule without a connection is shown as paused.
  await tally.redis.client.hset(KEY, 'connection:main', '{}');
  now = NINE - HOUR;
});

const { modalSays } = tally;
const stored = async () => (await tally.workspaces.load(TEAM)).schedules[0] as Schedule;

async function openForm(text: string): Promise<string> {
  await tally.slack.say(OWNER, CHANNEL, `/billing ${text}`);
  return modalSays('Next three posts');
}
const option = (value: string) => ({ text: { type: 'plain_text', text: value }, value });
const change = (block: string, chosen: object, action = block) =>
  tally.slack.act(
    OWNER,
    { viewId: tally.slack.modal(OWNER)!.id },
    { block_id: block, action_id: `schedule-form:${action}`, ...chosen },
  );
/** Shows the fields under More. */
async function unfold(): Promise<void> {
  await tally.pressInForm('More…');
  await modalSays('Time zone');
}

async function save(fields: Record<string, string> = {}): Promise<string> {
  await tally.slack.submit(OWNER, fields);
  return modalSays('Saved:');
}

async function setUp(text = 'schedule 123 daily 09:00'): Promise<Schedule> {
  await openForm(text);
  await save();
  await tally.closeForm();
  return stored();
}

const list = () => tally.ask('/billing schedules');

async function openEdit(): Promise<string> {
  const { id } = await stored();
  await tally.choose(await list(), 'schedule-row', `edit ${id}`);
  return modalSays('Edit schedule');
}

/** Adds a post's entry to the delivery log. */
async function noted({ id }: Schedule, date: string, due: number, state = 'posted'): Promise<void> {
  const message = { state, to: CHANNEL, about: { due }, at: due };
  await tally.redis.client.hset(LOG_KEY, postKey(id, date), JSON.stringify(message));
}

it('the form of a schedule lists no date for which a post has already been sent', async () => {
  const schedule = await setUp();
  now = NINE + HOUR;
  await noted(schedule, '2026-11-20', NINE);
  await openEdit();
  await change('time', { selected_time: '17:00' });
  const form = await modalSays('Sat 21 Nov 2026, 17:00');
  expect(form).not.toContain('Fri 20 Nov 2026, 17:00');
});

describe('a post that is due while its schedule is edited', () => {
  it('is not lost if the edit keeps the time', async () => {
    const { since } = await setUp();
    now = NINE + 5 * SECOND;
    await openEdit();
    await unfold();
    await save({ waits: '6' });
    expect(await stored()).toMatchObject({ waitHours: 6, since });
    await tally.closeForm();
    expect((await list()).visibleText).toContain('next Sat 21 Nov 2026, 09:00');
  });

  it('is not lost if the edit makes the time earlier or later', async () => {
    await setUp();
    now = NINE + 5 * SECOND;
    await openEdit();
    await save({ time: '08:30' });
    expect((await stored()).since).toBe(at('2026-11-20T00:00:00Z') - 1);
    await tally.closeForm();
    await openEdit();
    await change('time', { selected_time: '17:00' });
    await modalSays('Fri 20 Nov 2026, 17:00');
  });
});

it('a schedule’s form warns if a weekly post comes before the week ends in the workspace’s time zone', async () => {
  await openForm('schedule 123 weekly mon 9:00');
  await unfold();
  await change('zone', { selected_option: option('Australia/Sydney') });
  const text = await modalSays('The first post misses 16–22 Nov 2026: ');
  expect(text).toContain('The first post covers 9–15 Nov 2026 (UTC).');
  expect(text).toContain('at 09:00 in Australia/');
  expect(text).toContain('Sun 22 Nov isn’t over yet in UTC, this workspace’s reporting time zone.');
  await change('zone', { selected_option: option('UTC') });
  expect(await modalSays('covers 16–22 Nov 2026')).not.toContain('misses');
});

it('Slack accepts every form and message about an edited schedule', () =>
  expect(tally.slack.complaints).toEqual([]));

describe('the list of next posts', () => {
  const zones = [
    'UTC',
    'Pacific/Auckland',
    'America/Los_Angeles',
    'Pacific/Kiritimati',
    'Australia/Lord_Howe',
  ];
  const cadences: Cadence[] = [
    { kind: 'daily' },
    { kind: 'weekdays' },
    { kind: 'weekly', weekday: 5 },
    { kind: 'monthly', day: 31 },
  ];
  const timings = fc.record({
    cadence: fc.constantFrom(...cadences),
    time: fc
      .integer({ min: 0, max: 47 })
      .map((half) => `${String(half >> 1).padStart(2, '0')}:${half % 2 ? '30' : '00'}`),
    zone: fc.constantFrom(...zones),
  });
  const messageOf = (date: string, due: number, state: 'posted' | 'due'): PostEntry => ({
    ...newMessage(postKey(example().id, date), CHANNEL, { due }, due),
    state,
    json: '{}',
  });
  const logOf = (messages: readonly PostEntry[]) => ({
    fields: {},
    messages,
    messagesOf: () => messages as never,
  });
  /** Delivers planned posts at the start and at each due time. Drops a begun date that is no longer planned. */
  function deliver(one: Schedule, messages: readonly PostEntry[], from: number, until: number) {
    let done = messages;
    for (const look of [from, ...dueTimesBetween(one.timing, from, until).map((due) => due.at)]) {
      const { due } = planDates(one, postsOf(one.id, logOf(done)), look);
      const posted = due === undefined ? [] : [messageOf(due.date, due.at, 'posted')];
      done = [...done.filter(isHandled), ...posted];
    }
    return done;
  }
  const postedIn = (messages: readonly PostEntry[]) =>
    messages.filter(({ state }) => state === 'posted').map(dateOf);

  it('names exactly the dates on which posts are sent after the schedule is edited', () => {
    fc.assert(
      fc.property(
        timings,
        timings,
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: -60, max: 12 * 60 }),
        fc.boolean(),
        fc.boolean(),
        (first, second, which, minutes, isLate, isTried) => {
          const made = { ...example(), timing: first, since: NINE };
          const due = nextDueTimes(first, NINE, which + 1).at(-1)!.at;
          const edited = Math.max(NINE, due + minutes * 60_000);
          // The last due post may not be sent yet.
          const before = deliver(made, [], NINE, isLate ? Math.max(NINE, due - SECOND) : edited);
          const owed = splitDueTimes(made, lastHandled(made.id, logOf(before)), edited).overdue;
          const tried = owed.slice(-1).map(({ date, at }) => messageOf(date, at, 'due'));
          const lines = [...before, ...(isTried ? tried : [])];
          const { since, overdue, next } = planEdit(made.id, second, made, logOf(lines), edited);
          const after = { ...made, timing: second, since };
          const until = next.at(-1)!.at;
          const come = postedIn(deliver(after, lines, edited, until)).slice(postedIn(lines).length);
          const latest = overdue.slice(-1).map(({ date }) => date);
          expect(come).toEqual([...latest, ...next.map(({ date }) => date)]);
        },
      ),
      {
        numRuns: runs(400),
        // The edit drops a date that is being retried, and adds an earlier local date.
        examples: [
          [
            { cadence: { kind: 'daily' }, time: '00:00', zone: 'UTC' },
            { cadence: { kind: 'weekdays' }, time: '16:30', zone: 'America/Los_Angeles' },
            ...([0, 0, true, true] as const),
          ],
        ],
      },
    );
  });
});
