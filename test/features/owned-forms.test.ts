/** What the forms of schedules and of watches do alike. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { createDeliveryLog } from '../../src/delivery/log/delivery-log.ts';
import { createReports } from '../../src/delivery/reports/index.ts';
import type { PreviewFigures } from '../../src/delivery/watches/watch-preview.ts';
import { createSchedules } from '../../src/features/schedules/index.ts';
import { createWatchesFeature } from '../../src/features/watches/index.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { routeSubcommands } from '../../src/slack/commands/subcommands.ts';
import { createAudit } from '../../src/workspace/record/audit.ts';
import { CHANNEL, textOf } from '../support/bot.ts';
import { type ListenerBot, startListenerBot } from '../support/listener-bot.ts';
import { storedProject } from '../support/projects.ts';
import { createUserActions } from '../support/user-actions.ts';

const MINUTE = 60_000;
const TEAM = 'T0SANDBOX1';
const KEY = recordKey(TEAM);
const GENERAL = 'C0GENERAL1';

let now = Date.UTC(2026, 10, 21, 10, 15);
let tally: ListenerBot;
/** What the next previews wait for. */
let waits: Promise<void>[] = [];

/** Makes the next previews slow. @returns what ends the wait of each of them */
function holdPreviews(count: number): readonly (() => void)[] {
  const ends: (() => void)[] = [];
  waits = Array.from({ length: count }, () => new Promise<void>((resolve) => ends.push(resolve)));
  return ends;
}
const arrived = () => waits.shift();

const FIGURES: PreviewFigures = {
  today: '2026-11-21',
  connection: 'main',
  usage: { days: { '2026-11-20': '1000' }, until: '2026-11-20', zone: 'UTC', at: now },
  account: { balance: '48210', bonuses: '0', at: now },
};

beforeAll(async () => {
  tally = await startListenerBot(
    (workspaces) => {
      const changed = async () => undefined;
      const schedules = createSchedules({
        workspaces,
        scheduling: {
          changed,
          send: changed,
          async readLog(team) {
            await arrived();
            return createDeliveryLog(tally.redis.client).read(team);
          },
        },
        reports: createReports(() => now),
      });
      const watches = createWatchesFeature({
        workspaces,
        audit: { record: (...entry) => createAudit(tally.redis.client).record(...entry) },
        watching: {
          changed,
          readStates: async () => new Map(),
          respond: async () => 'gone',
          async askPreview() {
            await arrived();
            return FIGURES;
          },
        },
      });
      return {
        commands: { '/billing': routeSubcommands({ ...schedules.verbs, ...watches.verbs }) },
        actions: { ...schedules.actions, ...watches.actions },
        views: { ...schedules.views, ...watches.views },
        options: { ...schedules.options, ...watches.options },
      };
    },
    { clock: () => now },
  );
});
afterAll(() => tally.stop());

const { ask, members, messageRef, optionOf, restoreWorkspace, updatedMessage } = createUserActions(
  () => tally,
);

beforeEach(async () => {
  now += 2 * MINUTE;
  waits = [];
  await restoreWorkspace([CHANNEL, GENERAL], [OWNER, MEMBER]);
  await tally.redis.client.del(KEY);
  const project = storedProject({ alias: 'prod', id: '123' });
  await tally.redis.client.hset(KEY, { 'connection:main': '{}', 'project:prod': JSON.stringify(project) });
});

const modal = (person = OWNER) => tally.slack.modal(person);
const text = (person = OWNER) => textOf(modal(person)?.view);
const drawn = (person = OWNER) => JSON.stringify(modal(person)?.view ?? {});
const metadata = () => (modal()!.view as { private_metadata?: string }).private_metadata ?? '';
const shows = (part: string, person = OWNER) =>
  tally.slack
    .waitFor(() => drawn(person).includes(part) || text(person).includes(part))
    .catch(() => expect(text(person)).toContain(part));

async function open(command: string, person = OWNER, channel = CHANNEL): Promise<void> {
  await tally.slack.say(person, channel, `/billing ${command}`);
  await shows('"submit"', person);
  await tally.slack.waitFor(() => !text(person).includes('Asking the billing service'));
}

async function act(field: string, chosen: object, person = OWNER): Promise<void> {
  const blocks = modal(person)!.view.blocks as { block_id?: string; element?: { action_id?: string } }[];
  const { action_id = '' } = blocks.find(({ block_id }) => block_id === field)?.element ?? {};
  const place = { viewId: modal(person)!.id };
  expect(await tally.slack.act(person, place, { block_id: field, action_id, ...chosen })).toEqual({
    ok: true,
  });
}
const updates = () => tally.slack.calls.filter(({ args }) => args.view_id === modal()!.id).length;
const choose = (field: string, value: string) => act(field, { selected_option: optionOf(field, value) });

async function save(
  person = OWNER,
  fields: Record<string, string | readonly string[]> = {},
): Promise<string> {
  await tally.slack.submit(person, fields);
  await tally.slack.waitFor(() => !text(person).includes('Checking '));
  return text(person);
}
const all = async (): Promise<readonly { readonly id: string }[]> => {
  const { schedules, watches } = await tally.workspaces.read(TEAM);
  return [...schedules, ...watches];
};

async function setUp(command: string, person = OWNER): Promise<string> {
  await open(command, person);
  expect(await save(person)).toContain('Saved');
  await tally.slack.dismiss(person);
  return (await all())[0]!.id;
}

interface Example {
  readonly kind: 'schedule' | 'watch';
  readonly command: string;
  readonly list: string;
  /** A change of a field, and what the record says of it then. */
  readonly first: Record<string, string>;
  readonly second: Record<string, string>;
  readonly now: string;
  /** Two choices one after the other, each with a text that the form shows only after it. */
  readonly choices: readonly (readonly [field: string, value: string, shown: string])[];
}

const EXAMPLES: readonly Example[] = [
  {
    ...{ kind: 'schedule', command: 'schedule prod', list: 'schedules' },
    ...{ first: { time: '10:00' }, second: { time: '11:00' } },
    now: 'It’s now *Yesterday’s spend* for prod, every day at 10:00',
    choices: [
      ['cadence', 'weekly', 'Wednesday'],
      ['cadence', 'monthly', 'In shorter months'],
    ],
  },
  {
    ...{ kind: 'watch', command: 'watch prod balance 50000', list: 'watches' },
    ...{ first: { below: '1000' }, second: { below: '2000' } },
    now: 'It’s now *prod*: balance below 1.000,00 → <#C0',
    choices: [
      ['to', 'people', 'Full members of this workspace'],
      ['kind', 'spike', 'Times the usual amount'],
    ],
  },
];

describe.each(EXAMPLES)(
  'the form of a $kind',
  ({ kind, command, list, first, second, now: said, choices }) => {
    const edit = async (id: string, person = OWNER) => {
      const answer = await ask(list, person);
      await tally.slack.choose(person, messageRef(answer), `${kind}-row`, `edit ${id}`);
      await shows(`Edit ${kind}`, person);
      await tally.slack.waitFor(() => !text(person).includes('Asking the billing service'));
    };

    it('keeps the first of two edits, tells the second person what it is now, and saves theirs once they agree', async () => {
      const id = await setUp(command, MEMBER);
      for (const person of [OWNER, MEMBER]) await edit(id, person);
      expect(await save(OWNER, first)).toContain('Saved');
      const before = await all();
      const refused = await save(MEMBER, second);
      expect(refused).toContain(`Somebody else changed this ${kind} first. ${said}`);
      expect(refused).toContain('Save again to replace that.');
      expect(await all()).toEqual(before);
      expect(await save(MEMBER)).toContain('Saved');
      expect(await all()).not.toEqual(before);
    });

    it('is not in the way of its own pause, which is no edit', async () => {
      const id = await setUp(command);
      await edit(id);
      const answer = await ask(list);
      await tally.slack.choose(OWNER, messageRef(answer), `${kind}-row`, `pause ${id}`);
      await updatedMessage(answer, 'Paused.');
      expect(await save(OWNER, first)).toContain('It stays paused until someone resumes it.');
    });

    it('saves a new one when it was deleted while the form was open', async () => {
      const id = await setUp(command);
      await edit(id);
      const answer = await ask(list);
      await tally.slack.choose(OWNER, messageRef(answer), `${kind}-row`, `delete ${id}`);
      await updatedMessage(answer, 'Deleted ');
      expect(await save()).toContain(`This ${kind} was deleted. Save to create a new one.`);
      expect(await all()).toEqual([]);
      expect(await save()).toContain('Saved');
      expect((await all()).map((item) => item.id)).not.toContain(id);
    });

    it.each([
      ['first', [0, 1]],
      ['last', [1, 0]],
    ])('shows the last choice, also when an earlier redraw ends %s', async (_, order) => {
      await open(command);
      // The check of the channel follows after the form was opened.
      await tally.slack.waitFor(() => updates() > 0);
      const release = holdPreviews(2);
      for (const [at, [field, value]] of choices.entries()) {
        await choose(field, value);
        await tally.slack.waitFor(() => waits.length === 1 - at);
      }
      for (const at of order) {
        const before = updates();
        release[at]!();
        await tally.slack.waitFor(() => updates() > before);
      }
      const [, , last] = choices[1]!;
      await shows(last);
      await tally.slack.waitFor(() => !text().includes('Asking the billing service'));
      expect(text()).toContain(last);
    });

    it('says that it was saved, even if a redraw comes late', async () => {
      await open(command);
      const [release] = holdPreviews(1);
      const [field, value] = choices[0]!;
      await choose(field, value);
      await tally.slack.waitFor(() => waits.length === 0);
      expect(await save()).toContain('Saved');
      const before = tally.slack.calls.length;
      release!();
      await tally.slack.waitFor(() => tally.slack.calls.length > before);
      expect(text()).toContain('Saved');
      await tally.slack.dismiss(OWNER);
    });

    it('is opened for nobody by a state that it did not make', async () => {
      await open(command);
      const values = {
        projects: { value: { selected_options: [{ value: '123:1' }] } },
        channel: { value: { selected_conversation: CHANNEL } },
      };
      const states = ['', 'null', '[]', '{"before":7}', '{"hidden":{"to":"people","people":"U1,,"}}'];
      for (const private_metadata of states) {
        const view = {
          id: modal()!.id,
          type: 'modal',
          callback_id: kind,
          private_metadata,
          state: { values },
        };
        const payload = {
          type: 'view_submission',
          team: { id: TEAM },
          user: { id: OWNER, team_id: TEAM },
          view,
        };
        const { status, body } = await tally.interact(payload);
        expect([status, body]).toEqual([200, expect.stringContaining('"errors"')]);
      }
      expect(await all()).toEqual([]);
    });

    it('says once what is wrong with the channel', async () => {
      members(GENERAL).splice(0, 99, 'bot', MEMBER);
      await open(command, MEMBER, GENERAL);
      members(GENERAL).splice(0, 99, 'bot');
      const refused = await save(MEMBER);
      expect(refused.split('You aren’t in that channel')).toHaveLength(2);
      expect(refused).toContain('Nothing was saved.');
    });

    it('lets an owner who left the channel resume it, as nothing is chosen there', async () => {
      const id = await setUp(command, MEMBER);
      let answer = await ask(list, MEMBER);
      await tally.slack.choose(MEMBER, messageRef(answer), `${kind}-row`, `pause ${id}`);
      await updatedMessage(answer, 'Paused.', MEMBER);
      members(CHANNEL).splice(0, 99, 'bot', OWNER);
      answer = await ask(list, MEMBER, 'D0MEMBER01');
      await tally.slack.choose(MEMBER, messageRef(answer, 'D0MEMBER01'), `${kind}-row`, `resume ${id}`);
      await updatedMessage(answer, 'Resumed.', MEMBER, 'D0MEMBER01');
    });
  },
);

describe('what the form hides for a while', () => {
  it('is kept: an amount that was typed, and the channel', async () => {
    await open('watch prod balance 50000');
    await choose('kind', 'runway');
    await shows('Fewer than');
    await choose('to', 'people');
    await shows('Full members of this workspace');
    await choose('kind', 'balance');
    await shows('Without bonuses');
    expect(drawn()).toContain('"initial_value":"50000"');
    await choose('to', 'channel');
    await shows(`"initial_conversation":"${CHANNEL}"`);
  });

  it('is kept: corrections and waiting, which a balance does not have', async () => {
    await open('schedule prod');
    await choose('report', 'balance');
    await shows(`"initial_option":{"text":{"type":"plain_text","text":"Balance"`);
    await choose('report', 'yesterday');
    await shows(`"initial_option":{"text":{"type":"plain_text","text":"Yesterday’s spend"`);
    expect(await save()).toContain('Saved');
    expect((await all())[0]).toMatchObject({ report: 'yesterday', correctsFrom: 5, waitHours: 3 });
  });

  it('is not kept where it was not understood, as it may be a secret', async () => {
    await open('watch prod');
    const secret = 'xoxb-1234567890-secret';
    await act('below', { type: 'plain_text_input', value: secret });
    await shows('Type an amount');
    await choose('kind', 'runway');
    await shows('Fewer than');
    expect(metadata()).not.toContain('xoxb');
    expect(metadata().length).toBeLessThan(1_000);
  });
});

it('says at the top of the form that something further down needs a change', async () => {
  await open('watch prod balance 5');
  await tally.slack.submit(OWNER, { channel: 'D0OWNER001' });
  expect(modal()!.errors).toEqual({
    projects: 'Something under “Send alerts to” needs a change. Scroll down to see it.',
    channel: 'Choose a channel, not a direct message.',
  });
});

it('has views that Slack accepts', () => expect(tally.slack.complaints).toEqual([]));
