import { readFile } from 'node:fs/promises';
import { Big } from 'big.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, EXTERNAL, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import type { PreviewFigures } from '../../src/delivery/watches/watch-preview.ts';
import type { AlertResponse, Watching, WatchState } from '../../src/delivery/watches/watch-service.ts';
import { NoData, ServiceUnreachable, StoreUnavailable } from '../../src/domain/failure/index.ts';
import { createWatchesFeature } from '../../src/features/watches/index.ts';
import { parseWatchText } from '../../src/features/watches/words.ts';
import { auditKey, recordKey } from '../../src/redis/keys.ts';
import { routeSubcommands } from '../../src/slack/commands/subcommands.ts';
import type { Watch } from '../../src/workspace/owned/watches.ts';
import type { Project } from '../../src/workspace/projects/projects.ts';
import { type Audit, createAudit } from '../../src/workspace/record/audit.ts';
import { BOT_TOKEN, type Bot, CHANNEL, startBot, textOf, toAnswer } from '../support/bot.ts';
import { type ListenerBot, startListenerBot } from '../support/listener-bot.ts';
import { addProject } from '../support/projects.ts';
import { workspaceKeys } from '../support/redis.ts';
import { createUserActions } from '../support/user-actions.ts';

/** Saturday */
const START = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const MINUTE = 60_000;
const DAY = 86_400_000;
const TEAM = 'T0SANDBOX1';
const KEY = recordKey(TEAM);
const FINANCE = 'C0FINANCE1';
const OWNERS_DM = 'D0OWNER001';
const MEMBERS_DM = 'D0MEMBER01';

let now = START;
let house: ListenerBot;
let asked: { project: string; kind: string }[] = [];
let figures: PreviewFigures | Error;
let states = new Map<string, WatchState>();
let responses: { watch: string; episode: string; response: AlertResponse }[] = [];
let outcome: 'recorded' | 'repeated' | 'gone' = 'recorded';
let woken = 0;
let isStoreAway = false;

/** A stub of delivery; billing and the scheduler have their own tests. */
const watching: Watching = {
  async changed() {
    woken += 1;
  },
  readStates: async () => states,
  async respond(_, watch, episode, response) {
    if (outcome === 'recorded') responses.push({ watch, episode, response });
    return outcome;
  },
  async askPreview(_, { project }, { kind }) {
    asked.push({ project, kind });
    if (figures instanceof Error) throw figures;
    return figures;
  },
};

beforeAll(async () => {
  house = await startListenerBot(
    (workspaces) => {
      const record: Audit['record'] = (...entry) => createAudit(house.redis.client).record(...entry);
      const { verbs = {}, ...listeners } = createWatchesFeature({
        workspaces: {
          ...workspaces,
          watches: {
            ...workspaces.watches,
            async save(...change) {
              if (isStoreAway) throw new StoreUnavailable();
              await workspaces.watches.save(...change);
            },
          },
        },
        ...{ watching, audit: { record } },
      });
      return { ...listeners, commands: { '/billing': routeSubcommands(verbs) } };
    },
    { clock: () => now },
  );
});
afterAll(() => house.stop());

const { ask, lastText, members, messageRef, optionOf, restoreWorkspace, updatedMessage } = createUserActions(
  () => house,
);
beforeEach(async () => {
  now += 2 * MINUTE;
  [asked, responses, states, outcome, woken] = [[], [], new Map(), 'recorded', 0];
  isStoreAway = false;
  figures = spending(() => '1000', '48210');
  await restoreWorkspace([CHANNEL, FINANCE], [OWNER, MEMBER, ADMIN]);
  await house.redis.client.del(KEY, auditKey(TEAM));
  // A watch without a connection is shown as paused.
  await house.redis.client.hset(KEY, 'connection:main', '{}');
  await add('prod', '123');
  await add('dev', '456', { product: 2 });
});

/** Items of the last 200 days. @param amount by how many days ago it was */
function spending(amount: (ago: number) => string, balance: string): PreviewFigures {
  const dayOf = (ago: number) => new Date(START - ago * DAY).toISOString().slice(0, 10);
  const days = Array.from({ length: 200 }, (_, n) => [dayOf(n + 1), amount(n + 1)]);
  return {
    today: dayOf(0),
    connection: 'main',
    usage: { days: Object.fromEntries(days), until: dayOf(1), zone: 'UTC', at: START },
    account: { balance, bonuses: '0', at: START },
  };
}

async function add(alias: string, id: string, given: Partial<Project> = {}): Promise<void> {
  const project = { alias, id, product: 1, channels: [], owner: OWNER, addedBy: OWNER, addedAt: 0, ...given };
  await house.redis.client.hset(KEY, `project:${alias}`, JSON.stringify(project));
}
const settings = (given: object) => house.redis.client.hset(KEY, 'settings', JSON.stringify(given));

const stored = async (): Promise<readonly Watch[]> => (await house.workspaces.read(TEAM)).watches;
const modal = (person = OWNER) => house.slack.modal(person);
const modalText = (person = OWNER) => textOf(modal(person)?.view);
const modalSays = async (part: string, person = OWNER) =>
  house.slack
    .waitFor(() => modalText(person).includes(part) && modalText(person))
    .catch(() => expect(modalText(person)).toContain(part) as never);
const view = (person = OWNER) => JSON.stringify(modal(person)?.view);

async function openForm(text = 'watch prod balance 50000', person = OWNER, channel = CHANNEL) {
  await house.slack.say(person, channel, `/billing ${text}`);
  await house.slack.waitFor(() => modal(person));
  await house.slack.waitFor(() => !modalText(person).includes('Asking the billing service'));
  return modalText(person);
}

const option = (value: string) => ({ text: { type: 'plain_text', text: value }, value });
async function change(field: string, chosen: object, person = OWNER): Promise<void> {
  const place = { viewId: modal(person)!.id };
  const action = { block_id: field, action_id: `watch-form:${field}`, ...chosen };
  expect(await house.slack.act(person, place, action)).toEqual({ ok: true });
}
const choose = (field: string, value: string, person = OWNER) =>
  change(field, { selected_option: optionOf(field, value, person) }, person);

type Fields = Record<string, string | readonly string[]>;
/** Submits the form; resolves with the modal's text after it was processed. */
async function save(fields: Fields = {}, person = OWNER): Promise<string> {
  await house.slack.submit(person, fields);
  await house.slack.waitFor(() => !modalText(person).includes('Checking who gets the alerts…'));
  return modalText(person);
}

async function setUp(text?: string, person = OWNER, channel = CHANNEL): Promise<Watch> {
  const before = new Set((await stored()).map(({ id }) => id));
  await openForm(text, person, channel);
  expect(await save({}, person)).toContain('Saved');
  await house.slack.dismiss(person);
  return (await stored()).find(({ id }) => !before.has(id))!;
}

const row = (answer: { ts: string }, action: string, id: string, person = OWNER, channel = CHANNEL) =>
  house.slack.choose(person, messageRef(answer, channel), 'watch-row', `${action} ${id}`);

async function audit(): Promise<string[]> {
  const rows = await createAudit(house.redis.client).list(TEAM, 20);
  return rows.map(({ who, action }) => `${who} ${action}`);
}

/** Sends a click, even on a button that this person does not see; resolves with the reply. */
async function forgedClick(person: string, action_id: string, value: string, channel = CHANNEL) {
  const before = house.messageTexts(channel, person).length;
  const payload = {
    team: { id: TEAM },
    user: { id: person, team_id: TEAM },
    trigger_id: 'x',
    type: 'block_actions',
    channel: { id: channel },
    actions: [{ type: 'button', block_id: 'b', action_id, value }],
  };
  expect((await house.interact(payload)).status).toBe(200);
  return house.slack.waitFor(() => house.messageTexts(channel, person)[before]);
}

const state = (given: Partial<WatchState> = {}): WatchState => ({
  ...{ checkedAt: now, nextCheckAt: now + 60 * MINUTE, measurement: undefined, isCrossed: false },
  ...{ problem: undefined, undelivered: undefined, alerts: [], ...given },
});

describe('what was typed', () => {
  const read = (text: string) => parseWatchText(text, new Set(['prod', 'staging']));

  it.each<[string, object]>([
    ['', {}],
    ['prod balance 50000', { alias: 'prod', kind: 'balance', below: '50000' }],
    ['balance below 50,000 prod', { alias: 'prod', kind: 'balance', below: '50000' }],
    ['prod balance 50 000', { alias: 'prod', kind: 'balance', below: '50000' }],
    ['prod balance 50.000', { alias: 'prod', kind: 'balance', below: '50000' }],
    ['prod balance 1.234,56', { alias: 'prod', kind: 'balance', below: '1234.56' }],
    ['prod balance €50k', { alias: 'prod', kind: 'balance', below: '50000' }],
    ['123 storage balance 0', { project: '123', product: 2, kind: 'balance', below: '0' }],
    ['123 2 balance 4', { project: '123', product: 2, kind: 'balance', below: '4' }],
    ['balance 50000 123', { project: '123', kind: 'balance', below: '50000' }],
    ['50000', { project: '50000' }],
    ['runway 14 prod', { alias: 'prod', kind: 'runway', days: '14' }],
    ['prod runway under 2 weeks', { alias: 'prod', kind: 'runway', days: '14' }],
    ['14 days runway prod', { alias: 'prod', kind: 'runway', days: '14' }],
    ['budget 500000 a month prod', { alias: 'prod', kind: 'budget', amount: '500000' }],
    ['prod spike 2x over 1000', { alias: 'prod', kind: 'spike', factor: '2', floor: '1000' }],
    ['over 1 000 spike ×2 prod', { alias: 'prod', kind: 'spike', factor: '2', floor: '1000' }],
    ['spike 1,5x prod', { alias: 'prod', kind: 'spike', factor: '1.5' }],
    ['2× spike prod', { alias: 'prod', kind: 'spike', factor: '2' }],
  ])('%s', (text, expected) => expect(read(text)).toEqual(expected));

  it.each<[string, string, string | readonly string[] | undefined]>([
    ['prod balance 5e4', '“5e4” isn’t an amount', undefined],
    ['prod balance -5', '“-5” is below zero', undefined],
    [`prod balance ${'1'.repeat(31)}`, 'has more than 30 digits', undefined],
    ['prod balance 1.234', 'can mean two amounts', ['watch prod balance 1234', 'watch prod balance 1.2340']],
    [
      'balance 50 123',
      'one amount, or an amount and a project',
      ['watch balance 50123', 'watch 123 balance 50'],
    ],
    ['prod budget 0', 'A budget is above zero.', undefined],
    ['prod runway 14.5', '“14.5” isn’t a number of days', undefined],
    ['prod runway 0', '“0” isn’t a number of days', undefined],
    ['prod spike 1x', '“1x” isn’t a factor above 1', undefined],
    ['prod spike 2 over 1000', '“2” isn’t a factor', 'watch prod spike 2x over 1000'],
    ['prod fnord 12', 'I don’t recognize “fnord”', undefined],
    ['prod 50000', '“50000” needs a kind before it', ['watch prod balance 50000', 'watch prod budget 50000']],
    ['prod blance 50000', 'I don’t recognize “blance”', 'watch prod balance 50000'],
    ['prodd balance 5', 'I don’t recognize “prodd”', 'watch prod balance 5'],
    ['prod balance lots', 'I don’t recognize “lots”', undefined],
    ['prod monthly budget 500000', 'I don’t recognize “monthly”', undefined],
    ['prod balance above 500', 'I don’t recognize “above”', undefined],
    ['prod runway over 14', '“over” doesn’t belong there', undefined],
    ['prod budget 500 a day', '“a day” doesn’t say which days', undefined],
    ['without prod balance 5', 'I don’t recognize “without”', undefined],
    ['prod balance 5 runway 3', '“runway” is a second kind', undefined],
    ['prod balance 5 last-week', '“last-week” is a period', undefined],
    ['prod balance 5 3 oct 2026', '“3 oct 2026” is a period', undefined],
    ['prod,staging balance 5', 'You named several projects', undefined],
    ['foo bar', 'I don’t recognize “foo”', undefined],
  ])('refuses %s, and offers only what keeps all of it', (text, sentence, offered) => {
    const refusal = { message: expect.stringContaining(sentence), offered: [offered ?? []].flat() };
    expect(() => read(text)).toThrow(expect.objectContaining(refusal));
    for (const one of refusal.offered) expect(read(one.replace(/^watch ?/, ''))).toBeDefined();
  });

  it('has a button that opens the form with what was typed', async () => {
    const refused = await ask('watch prod blance 50000');
    await house.slack.press(OWNER, messageRef(refused), '/billing watch prod balance 50000');
    expect(await modalSays('Set up a watch')).toContain('Without bonuses');
  });

  it.each(['watch help', 'watches ?', 'watch prod help'])('answers %s with watches alone', async (text) => {
    const { visibleText } = await ask(text, MEMBER);
    expect(visibleText).toContain('Watches');
    expect(visibleText).toContain('spike 2x over 1000');
  });

  it('matches docs/watches.md', async () => {
    const page = await readFile('docs/watches.md', 'utf8');
    const commands = [...page.matchAll(/^\| `\/billing watch ([^`]+)` /gm)].map(([, words = '']) => words);
    expect(commands.map((words) => read(words).kind)).toEqual(['balance', 'runway', 'budget', 'spike']);
  });
});

describe('the form', () => {
  it('is filled in with what was typed, and shows when it would have alerted', async () => {
    const text = await openForm('watch balance 50,000 prod');
    expect(view()).toContain('"value":"123:1:prod"');
    expect(view()).toContain('"initial_value":"50000"');
    expect(view()).toContain(`"initial_conversation":"${CHANNEL}"`);
    expect(text).toContain('It would have alerted once in the last 90 days: 19 Nov.');
    expect(text).toContain('It would alert at once: 48,210.00 is below 50,000.00.');
    expect(text).toContain('as if no money had been added');
    expect(asked).toEqual([{ project: '123', kind: 'balance' }]);
  });

  it('promises an alert of what is crossed already, and when it is saved says that it comes', async () => {
    const text = await openForm('watch prod balance 500000');
    expect(text).toContain('It would alert at once: 48,210.00 is below 500,000.00.');
    expect(text).not.toContain('would not have alerted');
    const saved = await save();
    expect(saved).toContain('Already crossed: 48,210.00 is below 500,000.00. The first alert is on its way.');
    expect(saved).not.toContain('would');
    await house.slack.dismiss(OWNER);
    now += MINUTE;
    const [watch] = await stored();
    const list = await ask('watches');
    await row(list, 'edit', watch!.id);
    await house.slack.waitFor(() => modalText().includes('It would alert at once'));
    expect(await save()).not.toContain('on its way');
  });

  it('says how it is now when it is saved and nothing is crossed, in the reader’s locale', async () => {
    await openForm('watch prod runway 14');
    expect(await save()).toContain('Now: 48 days.');
    await house.slack.dismiss(OWNER);
    await openForm('watch prod balance 0');
    expect(await save()).toContain('Now: 48,210.00.');
  });

  it('asks for the project when none was typed, and asks billing once it is chosen', async () => {
    await openForm('watch runway 14');
    expect(modalText()).not.toContain('last 90 days');
    expect(asked).toEqual([]);
    await change('projects', { selected_option: option('123:1') });
    expect(await modalSays('It would not have alerted in the last 90 days.')).toContain('Now: 48 days.');
    expect(asked).toEqual([{ project: '123', kind: 'runway' }]);
  });

  it('starts with the project of the channel, and with the person when there is no channel', async () => {
    await house.redis.client.hset(KEY, `channel:${CHANNEL}`, 'dev');
    await openForm('watch');
    expect(view()).toContain('"value":"456:2:dev"');
    await house.slack.dismiss(OWNER);
    await openForm('watch prod budget 500000', OWNER, OWNERS_DM);
    expect(view()).toContain(`"initial_users":["${OWNER}"]`);
    expect(modalText()).toContain('50, 80 and 100 %');
  });

  it('shows the thresholds of the chosen kind', async () => {
    await openForm('watch prod');
    await choose('kind', 'spike');
    await modalSays('Times the usual amount');
    expect(modalText()).not.toContain('Without bonuses');
    await choose('kind', 'runway');
    await modalSays('Fewer than');
  });

  it('warns about a threshold that alerts more than once a week, and fills in a quieter one', async () => {
    figures = spending((ago) => (ago % 5 === 2 ? '5000' : '1000'), '900000');
    const noisy = await openForm('watch prod spike 2x over 100');
    expect(noisy).toContain('That’s more than one alert a week.');
    expect(noisy).toContain('5× would have alerted at most once a month.');
    expect(noisy).toMatch(/It would have alerted 18 times in the last 90 days: 10 earlier, /);
    await house.slack.press(OWNER, { viewId: modal()!.id }, 'Use 5×');
    await modalSays('It would not have alerted in the last 90 days.');
    expect(view()).toContain('"initial_value":"5"');
    expect(view()).toContain('"initial_value":"100"');
    expect(await save()).toContain('above 5× usual');
  });

  it('says what is wrong with a threshold, and keeps what was typed', async () => {
    await openForm('watch prod balance 50000');
    const refusal = async (below: string) => {
      await house.slack.submit(OWNER, { below });
      return modal()!.errors;
    };
    expect(await refusal('lots')).toEqual({ below: expect.stringContaining('Type an amount') });
    expect(await refusal('-5')).toEqual({ below: expect.stringContaining('below zero') });
    expect(await refusal('1'.repeat(31))).toEqual({ below: expect.stringContaining('more than 30 digits') });
    expect(await refusal('1.234')).toEqual({ below: expect.stringContaining('1234 or 1.2340') });
    expect(await stored()).toEqual([]);
    expect(await save({ below: '1.234,56' })).toContain('balance below 1,234.56');
  });

  it('names each field of a spike that is wrong, and none that is right', async () => {
    await openForm('watch prod spike 2x over 100');
    const wrong = async (fields: Fields) => {
      await house.slack.submit(OWNER, fields);
      return Object.keys(modal()!.errors ?? {}).toSorted();
    };
    expect(await wrong({ floor: 'lots' })).toEqual(['floor']);
    expect(await wrong({ floor: '100', factor: '1' })).toEqual(['factor']);
    expect(await wrong({ floor: 'lots', factor: '1' })).toEqual(['factor', 'floor']);
    expect(await save({ floor: '100', factor: '3' })).toContain('above 3× usual, from 100.00');
  });

  it('shows a message instead of the preview when billing fails, and still saves', async () => {
    figures = new ServiceUnreachable('billing', 'billing.example', 'ECONNREFUSED');
    expect(await openForm()).toContain('could not be reached');
    expect(await save()).toContain('Saved');
  });

  it('rejects a project without data, and keeps what was typed', async () => {
    figures = new NoData({ project: '123', product: 1, days: undefined });
    expect(await openForm()).toContain('No Cloud platform data for project 123.');
    const text = await save();
    expect(text).toContain('No Cloud platform data for project 123. Check the project ID');
    expect(view()).toContain('"initial_value":"50000"');
    expect(await stored()).toEqual([]);
  });

  it('says that amounts have no currency when a budget is set without a label', async () => {
    expect(await openForm('watch prod budget 500000')).toContain('Amounts have no currency here');
    await house.slack.dismiss(OWNER);
    await settings({ currency: 'EUR' });
    expect(await openForm('watch prod budget 500000')).not.toContain('Amounts have no currency here');
    expect(await save({ amount: '400,000 EUR' })).toContain('budget of 400,000.00\u00a0EUR a month');
  });

  it('warns about an identical watch', async () => {
    await setUp();
    expect(await openForm()).toContain('A watch like this already exists');
  });
});

describe('a saved watch', () => {
  it('belongs to its creator, is announced in the channel, and is in the audit log', async () => {
    const watch = await setUp('watch prod balance 50000', MEMBER);
    expect(watch).toMatchObject({
      project: { id: '123', product: 1, alias: 'prod' },
      target: { channel: CHANNEL },
      ...{ owner: MEMBER, createdBy: MEMBER, createdAt: now, since: now },
    });
    expect(JSON.stringify(watch.rule)).toBe('{"kind":"balance","below":"50000"}');
    expect(lastText()).toContain('New watch: *prod*: balance below 50,000.00.');
    expect(lastText()).toContain(`Set up by <@${MEMBER}>.`);
    expect(woken).toBe(1);
    expect(await audit()).toEqual([`${MEMBER} watch created`]);
  });

  it.each([
    ['prod', 'ok-name'],
    ['ok-name', 'prod'],
  ])('keeps the name that was typed, %s, where %s is the same project', async (name, other) => {
    await add('ok-name', '123', { currency: 'EUR' });
    const watch = await setUp(`watch ${name} balance 50000`);
    expect(watch.project).toEqual({ id: '123', product: 1, alias: name });
    const label = name === 'prod' ? '50,000.00' : '50,000.00\u00a0EUR';
    expect(lastText()).toContain(`New watch: *${name}*: balance below ${label}.`);
    const list = await ask('watches');
    expect(list.visibleText).toContain(`*${name}*: balance below ${label}`);
    expect(list.visibleText).not.toContain(other);
  });

  it('is saved before it is announced to anyone, and says who could not be notified', async () => {
    const heard = (person: string, channel: string) => house.slack.messages(person, channel).length;
    await openForm('watch prod balance 50000', OWNER, OWNERS_DM);
    const before = heard(MEMBER, MEMBERS_DM);
    isStoreAway = true;
    for (const _ of [1, 2]) expect(await save({ people: [OWNER, MEMBER] })).toContain('Nothing was saved.');
    expect([heard(MEMBER, MEMBERS_DM), await stored()]).toEqual([before, []]);
    isStoreAway = false;
    house.slack.failNext('chat.postMessage', { error: 'is_archived' });
    const text = await save({ people: [ADMIN, MEMBER] });
    expect(text).toContain('Saved: ');
    expect(text).toContain(`Tally couldn’t announce this to <@${ADMIN}>: That channel is archived`);
    expect(heard(MEMBER, MEMBERS_DM)).toBe(before + 1);
    expect(await stored()).toHaveLength(1);
  });

  it('tells the people it alerts, except the one who saved it', async () => {
    await openForm('watch prod balance 50000', OWNER, OWNERS_DM);
    expect(await save({ people: [OWNER, MEMBER] })).toContain(`<@${OWNER}>, <@${MEMBER}>`);
    expect(lastText(MEMBERS_DM, MEMBER)).toContain('Alerts come to you here.');
    expect((await stored())[0]?.target).toEqual({ people: [OWNER, MEMBER] });
  });

  it.each([
    ['a guest', GUEST],
    ['somebody of another organisation', EXTERNAL],
  ])('does not alert %s', async (_, person) => {
    await openForm('watch prod balance 50000', OWNER, OWNERS_DM);
    const text = await save({ people: [OWNER, person] });
    expect(text).toContain(`choose someone else for <@${person}>`);
    expect(text).toContain('Nothing was saved.');
    expect(await stored()).toEqual([]);
  });

  it('does not alert where its project cannot be asked about', async () => {
    await add('secret', '789', { channels: [FINANCE] });
    await openForm('watch secret balance 5', OWNER, CHANNEL);
    expect(await save()).toContain('That channel can’t see secret. Choose another project or channel.');
    await choose('to', 'people');
    await modalSays('Full members of this workspace.');
    expect(await save({ people: [MEMBER] })).toContain('limited to certain channels');
    expect(await stored()).toEqual([]);
    expect(await save({ people: [OWNER] })).toContain('Saved');
  });

  describe('with values that the form did not offer', () => {
    const selected = (value: string) => ({ value: { selected_option: option(value) } });
    /** Sends what the open form would, with these values in the place of its own. */
    async function forge(values: object, person: string, action_id = 'watch-preview') {
      const opened = await openForm('watch prod balance 50000', person, MEMBERS_DM);
      expect(opened).toContain('48.210,00');
      asked = [];
      const id = modal(person)!.id;
      const { private_metadata, callback_id } = modal(person)!.view as unknown as Record<string, string>;
      const before = house.slack.calls.length;
      const state = {
        ...{ projects: selected('789:1'), kind: selected('balance') },
        below: { value: { type: 'plain_text_input', value: '90000' } },
        ...values,
      };
      const view = { id, type: 'modal', callback_id, private_metadata, state: { values: state } };
      const user = { id: person, team_id: TEAM };
      const actions = [{ type: 'button', block_id: 'b', action_id, value: 'below 90000' }];
      const payload = { type: 'block_actions', team: { id: TEAM }, user, trigger_id: 'x', view, actions };
      expect((await house.interact({ ...payload, container: { type: 'view', view_id: id } })).status).toBe(
        200,
      );
      const drawn = await house.slack.waitFor(() => {
        const calls = house.slack.calls.slice(before).filter(({ method }) => method === 'views.update');
        const texts = calls.map(({ args }) => textOf((args.view as { blocks: object[] }).blocks));
        return texts.length > 0 && !texts.at(-1)?.includes('Asking the billing') && texts;
      });
      await house.slack.dismiss(person);
      return drawn.join('\n');
    }
    const to = (channel: string) => ({
      to: selected('channel'),
      channel: { value: { selected_conversation: channel } },
    });

    it.each([
      ['a channel that the user is not in', to(FINANCE), 'can’t see that channel'],
      ['a channel that may not see the project', to(CHANNEL), 'That channel can’t see Project 789.'],
      ['the user alone', { to: selected('people'), people: { value: { selected_users: [MEMBER] } } }, ''],
      ['a manager', { to: selected('people'), people: { value: { selected_users: [OWNER] } } }, ''],
    ])('previews nothing of a limited project for %s', async (_, target, problem) => {
      await add('secret', '789', { channels: [FINANCE] });
      members(FINANCE).splice(0, 99, 'bot', OWNER);
      for (const action of ['watch-preview', 'watch-suggest', 'watch-form:channel']) {
        const drawn = await forge(target, MEMBER, action);
        expect(asked).toEqual([]);
        expect(drawn).not.toMatch(/48[.,]210|secret/);
        expect(drawn).toContain(problem);
      }
    });

    it('saves no watch on a limited project for somebody who may not ask about it, and names nothing', async () => {
      await openForm('watch prod balance 50000', MEMBER, MEMBERS_DM);
      await add('secret', '789', { channels: [FINANCE], currency: 'ZWL' });
      await choose('to', 'people', MEMBER);
      await modalSays('Full members of this workspace.', MEMBER);
      asked = [];
      const said = await save({ projects: '789:1', people: [OWNER] }, MEMBER);
      expect(said).not.toMatch(/secret|ZWL|48[.,]210/);
      expect(await stored()).toEqual([]);
      expect(asked.filter((one) => one.project === '789')).toEqual([]);
      expect(house.messageTexts(OWNERS_DM, OWNER).join()).not.toContain('secret');
      await house.slack.dismiss(MEMBER);
    });

    it('previews it for a channel that may see it, to somebody who is there', async () => {
      await add('secret', '789', { channels: [FINANCE] });
      members(FINANCE).splice(0, 99, 'bot', MEMBER);
      expect(await forge(to(FINANCE), MEMBER)).toContain('48.210');
      expect(asked).toEqual([{ project: '789', kind: 'balance' }]);
    });
  });

  it('does not alert in a private channel that Tally is not in', async () => {
    members(FINANCE).splice(0, 99, OWNER);
    await openForm('watch prod balance 5');
    await change('channel', { selected_conversation: FINANCE });
    await modalSays('/invite @Tally');
    expect(await save({ channel: FINANCE })).toContain('/invite @Tally');
    expect(await stored()).toEqual([]);
  });

  it('is limited to the maximum for a workspace', async () => {
    await openForm();
    const many = Array.from({ length: 500 }, (_, n) => [`watch:w${String(n).padStart(7, '0')}`, '{}']);
    await house.redis.client.hset(KEY, Object.fromEntries(many));
    expect(await save()).toContain('This workspace has 500 watches, the maximum.');
    expect((await ask('watch prod')).visibleText).toContain('This workspace has 500 watches, the maximum.');
  });

  it('counts damaged ones towards the maximum, also for Undo', async () => {
    const { id } = await setUp();
    const list = await ask('watches');
    await row(list, 'delete', id);
    const gone = await updatedMessage(list, 'Deleted the watch on prod');
    const damaged = Array.from({ length: 500 }, (_, n) => [`watch:w${String(n).padStart(7, '0')}`, '{}']);
    await house.redis.client.hset(KEY, Object.fromEntries(damaged));
    await house.slack.press(OWNER, messageRef(gone), 'Undo');
    await updatedMessage(gone, 'This workspace has 500 watches, the maximum.');
    expect(await stored()).toEqual([]);
    await house.redis.client.hdel(KEY, 'watch:w0000000');
    const again = await ask('watches');
    expect(again.visibleText).toContain('damaged');
  });

  it('comes back for its owner and for managers and for nobody else, and is evaluated again', async () => {
    const before = await setUp();
    for (const person of [OWNER, ADMIN]) {
      const list = await ask('watches');
      await row(list, 'delete', before.id);
      await updatedMessage(list, 'Deleted the watch on prod');
      expect(await forgedClick(MEMBER, 'watch-undo', before.id)).toContain('Only its owner');
      expect(await stored()).toEqual([]);
      const evaluated = woken;
      expect(await forgedClick(person, 'watch-undo', before.id)).toContain('Watch restored.');
      expect([await stored(), woken]).toEqual([[before], evaluated + 1]);
    }
  });

  it('is evaluated again after an edit of its threshold', async () => {
    const watch = await setUp();
    now += MINUTE;
    const list = await ask('watches');
    await row(list, 'edit', watch.id);
    await modalSays('Edit watch');
    expect(await save({ below: '50000' })).toContain('Saved');
    expect((await stored())[0]?.since).toBe(watch.since);
    await house.slack.dismiss(OWNER);
    await row(await ask('watches'), 'edit', watch.id);
    await modalSays('Edit watch');
    expect(await save({ below: '60000' })).toContain('Saved');
    expect((await stored())[0]).toMatchObject({ id: watch.id, since: now, createdAt: watch.createdAt });
    expect(await audit()).toContain(`${OWNER} watch changed`);
    expect(lastText()).toContain('Watch changed: *prod*: balance below 60,000.00.');
  });
});

describe('the list', () => {
  it('explains watches when there are none', async () => {
    const { visibleText } = await ask('watches');
    expect(visibleText).toContain('No watches here yet.');
    expect(visibleText).toContain('Watch…');
  });

  it('shows the last value and the threshold, the checks and the owner', async () => {
    const { id } = await setUp('watch prod balance 50000', MEMBER);
    const measurement = { kind: 'balance', balance: new Big('48210') } as const;
    states.set(id, state({ isCrossed: true, measurement }));
    const { visibleText } = await ask('watches', MEMBER);
    expect(visibleText).toContain('1 watch');
    expect(visibleText).toContain(`*prod*: balance below 50.000,00 → <#${CHANNEL}>`);
    expect(visibleText).toContain(':warning: *Crossed* · now 48.210,00');
    expect(visibleText).toMatch(/checked: <!date.+ · next: <!date.+ · owner <@U0MEMBER01>/);
    states.set(id, state({ problem: 'The <token> was rejected.' }));
    expect((await ask('watches', MEMBER)).visibleText).toContain(
      '*not checked:* The &lt;token&gt; was rejected.',
    );
  });

  it('pauses, resumes and snoozes', async () => {
    const { id } = await setUp('watch prod balance 50000', MEMBER);
    const list = await ask('watches', MEMBER);
    await row(list, 'pause', id, MEMBER);
    expect(
      (await updatedMessage(list, 'Nobody is alerted until you resume it', MEMBER)).visibleText,
    ).toContain(`*paused* by <@${MEMBER}>`);
    await row(list, 'resume', id, MEMBER);
    await updatedMessage(list, 'Resumed.', MEMBER);
    expect((await stored())[0]?.paused).toBeUndefined();
    await row(list, 'snooze', id, MEMBER);
    await updatedMessage(list, 'Snooze for how long?', MEMBER);
    await house.slack.press(MEMBER, messageRef(list), 'Until next month');
    await updatedMessage(list, 'Snoozed. Nobody is alerted until: ', MEMBER);
    expect((await stored())[0]?.snoozedUntil).toBe(Date.UTC(2026, 11, 1));
    expect((await ask('watches', MEMBER)).visibleText).toContain('*snoozed* until: ');
    await row(list, 'wake', id, MEMBER);
    await updatedMessage(list, 'No longer snoozed.', MEMBER);
    expect((await stored())[0]?.snoozedUntil).toBeUndefined();
    const auditLines = ['watch changed', 'watch snoozed', 'watch resumed', 'watch paused', 'watch created'];
    expect(await audit()).toEqual(auditLines.map((action) => `${MEMBER} ${action}`));
  });

  it('deletes, with Undo for ten minutes', async () => {
    const before = await setUp();
    const list = await ask('watches');
    await row(list, 'delete', before.id);
    const gone = await updatedMessage(list, 'Deleted the watch on prod');
    expect(await stored()).toEqual([]);
    now += 9 * MINUTE;
    await house.slack.press(OWNER, messageRef(gone), 'Undo');
    await updatedMessage(gone, 'Watch restored.');
    expect(await stored()).toEqual([before]);
    const again = await ask('watches');
    await row(again, 'delete', before.id);
    const late = await updatedMessage(again, 'Deleted the watch on prod');
    now += 10 * MINUTE;
    await house.slack.press(OWNER, messageRef(late), 'Undo');
    await updatedMessage(late, 'too late to undo this');
    expect(await stored()).toEqual([]);
    expect((await audit()).slice(0, 3)).toEqual(
      ['removed', 'restored', 'removed'].map((action) => `${OWNER} watch ${action}`),
    );
  });

  it('shows members those of the channel, their own, and those that alert them; managers all', async () => {
    const here = await setUp('watch prod balance 1', OWNER);
    await openForm('watch prod balance 2', OWNER, OWNERS_DM);
    await save({ people: [OWNER, MEMBER] });
    await house.slack.dismiss(OWNER);
    await openForm('watch prod balance 3', OWNER, OWNERS_DM);
    await save({ people: [OWNER] });
    await house.slack.dismiss(OWNER);
    const { visibleText } = await ask('watches', MEMBER);
    expect(visibleText).toContain('2 watches');
    expect(visibleText).not.toContain('below 3.00');
    expect((await ask('watches')).visibleText).toContain('3 watches');
    const list = await ask('watches', MEMBER);
    expect(JSON.stringify(list.blocks)).not.toContain('watch-row');
    expect(await forgedClick(MEMBER, 'watch-row', `delete ${here.id}`)).toContain('Only its owner');
    expect(await forgedClick(MEMBER, 'watch-row', `pause ${here.id}`)).toContain('Only its owner');
    expect(await forgedClick(MEMBER, 'watch-snooze', `day ${here.id}`)).toContain('Only its owner');
    expect(await forgedClick(MEMBER, 'watch-more', `threshold ${here.id}`)).toContain('Only its owner');
    expect(await stored()).toContainEqual(here);
  });

  it('lets only a member of the channel adopt the watch of a person who left', async () => {
    const { id } = await setUp('watch prod balance 50000', ADMIN);
    expect(await forgedClick(MEMBER, 'watch-row', `adopt ${id}`)).toContain('Only its owner');
    house.slack.workspace.person(ADMIN)!.left = true;
    now += 2 * MINUTE;
    const list = await ask('watches', MEMBER);
    await row(list, 'adopt', id, MEMBER);
    await updatedMessage(list, 'You own this watch now.', MEMBER);
    expect((await stored())[0]).toMatchObject({ owner: MEMBER, createdBy: ADMIN });
    expect((await audit())[0]).toBe(`${MEMBER} watch adopted`);
  });

  it('shows those of a project, or its budget, with the form that sets one up', async () => {
    await setUp('watch prod balance 50000');
    await setUp('watch prod budget 500000');
    await setUp('watch dev budget 700');
    const prod = await ask('watches prod');
    expect(prod.visibleText).toContain('2 watches');
    expect(prod.visibleText).not.toContain('*dev*');
    const budget = await ask('watches prod budget');
    expect(budget.visibleText).toContain('1 watch');
    expect(budget.visibleText).toContain('budget of 500,000.00');
    expect((await ask('watches budget')).visibleText).toContain('2 watches');
    const none = await ask('watches 789 budget');
    expect(none.visibleText).toContain('No budget for 789 is set up here yet.');
    const [, ...below] = none.blocks;
    expect(below).toHaveLength(1);
    expect(JSON.stringify(below)).toContain('/billing watch 789 budget');
    expect(JSON.stringify(below).match(/"type":"button"/g)).toHaveLength(1);
    expect(none.visibleText).toContain('Set a budget…');
    expect((await ask('watches prod october')).visibleText).toContain('doesn’t belong there');
  });

  it('does not find one by the name of a project that this person may not ask about', async () => {
    const { id } = await setUp('watch prod budget 500000');
    await add('prod', '123', { channels: [FINANCE] });
    const watch = (await stored()).find((other) => other.id === id)!;
    await house.redis.client.hset(KEY, `watch:${id}`, JSON.stringify({ ...watch, owner: MEMBER }));
    expect((await ask('watches', MEMBER)).visibleText).toContain('1 watch');
    expect((await ask('watches prod budget', MEMBER)).visibleText).toContain('No budget for prod');
  });

  it('has pages when there are many', async () => {
    const watch = await setUp();
    const many = Array.from({ length: 21 }, (_, n) => {
      const id = `w${String(n).padStart(7, '0')}`;
      const rule = { kind: 'balance', below: String(n + 100) };
      return [`watch:${id}`, JSON.stringify({ ...watch, id, rule, createdAt: watch.createdAt + n + 1 })];
    });
    await house.redis.client.hset(KEY, Object.fromEntries(many));
    const list = await ask('watches');
    expect(list.visibleText).toContain('22 watches');
    expect(list.visibleText).toContain('page 1 of 2');
    expect(list.visibleText).not.toContain('below 120.00');
    expect((await ask('watches page 2')).visibleText).toContain('below 120.00');
    expect(JSON.stringify((await ask('watches prod')).blocks)).toContain('watches prod page 2');
    const empty = await ask('watches prod budget page 2');
    expect(empty.visibleText).toContain('No budget for prod');
    expect((await ask('watches prod page 2')).visibleText).toContain('below 120.00');
  });

  it('shows damaged ones to managers, who can remove them', async () => {
    await house.redis.client.hset(KEY, 'watch:w0000001', '{"id":"w0000001"}');
    const list = await ask('watches');
    expect(list.visibleText).toContain('The record of a watch is damaged');
    expect((await ask('watches', MEMBER)).visibleText).not.toContain('damaged');
    await house.slack.press(OWNER, messageRef(list), 'Remove damaged watches');
    await updatedMessage(list, 'Removed what was damaged.');
    expect(await house.redis.client.hexists(KEY, 'watch:w0000001')).toBe(0);
    expect((await audit())[0]).toBe(`${OWNER} watch removed`);
  });
});

/** Posts a message from the bot with one button. @returns its `ts` */
async function postButton(action_id: string, value: string): Promise<string> {
  const text = { type: 'plain_text', text: 'Press' };
  const blocks = [{ type: 'actions', elements: [{ type: 'button', action_id, value, text }] }];
  const answer = await fetch(`${house.slack.url}/api/chat.postMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${BOT_TOKEN}` },
    body: JSON.stringify({ channel: CHANNEL, text: 'An alert', blocks }),
  });
  return ((await answer.json()) as { ts: string }).ts;
}

describe('an alert', () => {
  it('can be acknowledged by anyone who can ask about the project there', async () => {
    const { id } = await setUp('watch prod balance 50000', OWNER);
    expect(await forgedClick(MEMBER, 'watch-acknowledge', `${id} e1`)).toContain(
      'You acknowledged this alert.',
    );
    const response = { kind: 'acknowledged', at: now, by: MEMBER };
    expect(responses).toEqual([{ watch: id, episode: 'e1', response }]);
    expect((await audit())[0]).toBe(`${MEMBER} watch acknowledged`);
    outcome = 'repeated';
    expect(await forgedClick(MEMBER, 'watch-acknowledge', `${id} e1`)).toContain('acknowledged already');
    outcome = 'gone';
    expect(await forgedClick(MEMBER, 'watch-acknowledge', `${id} e9`)).toContain('too old');
    expect(await forgedClick(MEMBER, 'watch-acknowledge', 'nothing e1')).toContain('This watch was deleted.');
    expect(await audit()).toHaveLength(2);
  });

  it('cannot be acknowledged where the project cannot be asked about', async () => {
    await add('secret', '789', { channels: [FINANCE] });
    members(FINANCE).push('bot', MEMBER);
    const { id } = await setUp('watch secret balance 50000', OWNER, FINANCE);
    expect(await forgedClick(MEMBER, 'watch-acknowledge', `${id} e1`, CHANNEL)).toContain(
      'can’t ask about this project here',
    );
    expect(responses).toEqual([]);
    expect(await forgedClick(MEMBER, 'watch-acknowledge', `${id} e1`, FINANCE)).toContain('You acknowledged');
  });

  it.each([
    ['day', DAY],
    ['week', 7 * DAY],
  ])('is snoozed by its owner: %s', async (choice, length) => {
    const { id } = await setUp('watch prod balance 50000', MEMBER);
    expect(await forgedClick(MEMBER, 'watch-more', `${choice} ${id} e1`)).toContain(
      'Nobody is alerted until',
    );
    const response = { kind: 'snoozed', at: now, by: MEMBER, until: now + length };
    expect(responses).toEqual([{ watch: id, episode: 'e1', response }]);
    expect((await stored())[0]?.snoozedUntil).toBe(now + length);
    expect((await audit())[0]).toBe(`${MEMBER} watch snoozed`);
  });

  it('offers a form with a threshold that alerts at most once a month', async () => {
    figures = spending((ago) => (ago % 5 === 2 ? '5000' : '1000'), '900000');
    const { id } = await setUp('watch prod spike 2x over 100');
    const ts = await postButton('watch-more', `threshold ${id}`);
    await house.slack.press(OWNER, { channel: CHANNEL, ts }, 'watch-more');
    await modalSays('Tally filled in a threshold');
    expect(view()).toContain('"initial_value":"5"');
    expect(modalText()).toContain('It would not have alerted in the last 90 days.');
    expect(await save()).toContain('above 5× usual');
  });
});

describe('in the whole bot', () => {
  let bot: Bot;
  beforeAll(async () => {
    bot = await startBot();
    await bot.connect();
    await addProject(bot, { alias: 'prod', id: '123' });
    bot.billing.setBalance('123', '{"balance":48210,"bonuses":0}');
  });
  afterAll(() => bot.stop());

  const view = async (person = OWNER) => {
    const { view: shown } = await bot.slack.waitFor(() => bot.slack.modal(person));
    return JSON.stringify(shown);
  };
  const seen = (person = OWNER) => bot.slack.messages(person, CHANNEL).map(toAnswer);
  const alert = (part = ' left, below ') =>
    bot.slack.waitFor(() => seen().findLast(({ visibleText }) => visibleText.includes(part)), 20_000);
  const home = async (person: string) => {
    await bot.slack.openHome(person);
    return textOf(await bot.slack.waitFor(() => bot.slack.home(person)?.view.blocks));
  };

  it('an answer and Home offer a watch: the form opens with its project and kind', async () => {
    for (const [command, kind, value] of [
      ['/spend prod yesterday', 'The balance is below an amount', '123:1:prod'],
      ['/spend 789 storage', 'The balance is below an amount', '789:2'],
      ['/balance prod', 'The balance is below an amount', '123:1:prod'],
    ] as const) {
      const { ts, blocks } = await bot.ask(command);
      expect(textOf(blocks)).toContain('Watch…');
      const message = { channel: CHANNEL, ts };
      // A menu that is full without it leaves it to a button.
      await (JSON.stringify(blocks).includes('"rerun:more-0"')
        ? bot.slack.press(OWNER, message, 'rerun:more-0')
        : bot.slack.choose(OWNER, message, 'rerun:more', 'Watch…'));
      const drawn = await view();
      expect(drawn).toContain(`"initial_option":{"text":{"type":"plain_text","text":"${kind}"`);
      expect(drawn).toContain(`"value":"${value}"`);
      await bot.slack.dismiss(OWNER);
    }
    expect(await home(OWNER)).toContain('Watch…');
  });

  it('alerts the channel, is acknowledged and snoozed there, and is shown on Home and in status', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing watch prod balance 50000');
    await bot.slack.waitFor(() => textOf(bot.slack.modal(OWNER)?.view).includes('It would alert at once'));
    await bot.slack.submit(OWNER);
    await bot.slack.waitFor(() => textOf(bot.slack.modal(OWNER)?.view).includes('Saved:'));
    await bot.slack.dismiss(OWNER);
    const { ts, visibleText } = await alert();
    expect(visibleText).toContain('prod has 48,210.00 left, below 50,000.00');
    const at = { channel: CHANNEL, ts };
    await bot.slack.press(MEMBER, at, 'See the days');
    const days = await bot.slack.waitFor(() => seen(MEMBER).find(({ text }) => text.includes(' spent')));
    expect(seen(OWNER).map((one) => one.ts)).not.toContain(days.ts);
    await bot.slack.press(MEMBER, at, 'Acknowledge');
    await alert(`Acknowledged by <@${MEMBER}>`);
    expect(textOf((await alert()).blocks)).not.toMatch(/^Acknowledge$/m);

    const crossed = /^\*prod\*: balance below 50,000\.00 .+\n:warning: \*Crossed\* · now 48,210\.00\n/;
    await expect.poll(() => home(OWNER)).toMatch(crossed);
    expect(await home(MEMBER)).not.toContain('*Crossed*');
    expect((await bot.ask('/billing status')).visibleText).toContain('*Watches* · 1 running · *1 crossed*');

    await bot.slack.choose(OWNER, at, 'watch-more', 'Snooze for 7 days');
    await alert(`Snoozed by <@${OWNER}> until: `);
    expect((await bot.ask('/billing watches', MEMBER)).visibleText).toContain('*snoozed* until: ');
    await bot.slack.choose(MEMBER, at, 'watch-more', 'Manage');
    await bot.slack.waitFor(
      () => seen(MEMBER).filter(({ visibleText: said }) => said.includes('1 watch')).length > 1,
    );
  });

  it('says in status which watches cannot be checked, and that the token was rejected', async () => {
    bot.billing.setMode('401');
    await bot.slack.say(OWNER, CHANNEL, '/billing watch 456 balance 1');
    await bot.slack.waitFor(() => textOf(bot.slack.modal(OWNER)?.view).includes('rejected'));
    await bot.slack.submit(OWNER);
    await bot.slack.waitFor(() => textOf(bot.slack.modal(OWNER)?.view).includes('Saved:'));
    await bot.slack.dismiss(OWNER);
    const status = async () => (await bot.ask('/billing status')).visibleText;
    await expect.poll(status, { timeout: 15_000 }).toContain('with a problem');
    const visibleText = await status();
    expect(visibleText).toMatch(/^\d problems? to look at/);
    expect(visibleText).toContain('*Watches*');
    expect(visibleText).toContain('The service rejected its token.');
    expect(visibleText).toContain('*not checked:*');
    bot.billing.setMode('healthy');
  });

  it('deletes everything when the workspace uninstalls', async () => {
    const left = async () => (await workspaceKeys(bot.redis.client)).filter((key) => key.includes(TEAM));
    expect(await left()).toEqual(expect.arrayContaining([expect.stringContaining('watch-figures')]));
    const body = JSON.stringify({
      ...{ type: 'event_callback', team_id: TEAM, event_time: Math.floor(Date.now() / 1000) },
      event: { type: 'app_uninstalled' },
    });
    const headers = { 'content-type': 'application/json', ...bot.slack.signed(body) };
    expect((await fetch(`${bot.url}/slack/events`, { method: 'POST', body, headers })).status).toBe(200);
    await expect.poll(left).toEqual([]);
  });
});
