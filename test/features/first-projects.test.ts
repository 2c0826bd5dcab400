/** What follows Connect: the first figure, names for projects, and a post every morning. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, OWNER } from '../../sandbox/slack/index.ts';
import { TEAM } from '../../sandbox/slack/people.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { auditEntries } from '../support/audit.ts';
import { type Bot, CHANNEL, goodToken, startBot, textOf } from '../support/bot.ts';
import { createFormActions } from '../support/forms.ts';
import { addProject } from '../support/projects.ts';
import { answerWith } from '../support/service-replies.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
let bot: Bot;

beforeEach(async () => {
  bot = await startBot({ now: () => NOW });
});
afterEach(() => bot.stop());

const { modalText: text, openForm, pressInForm: press } = createFormActions(() => bot);
const record = () => bot.redis.client.hgetall(recordKey(TEAM));
const kept = async (kind: string) =>
  Object.entries(await record())
    .filter(([field]) => field.startsWith(`${kind}:`))
    .map(([, json]) => JSON.parse(json));
const audit = async () => (await auditEntries(bot)).map(({ action, about }) => `${action}: ${about}`);

async function connect(project = '123', channel = CHANNEL) {
  await openForm('/billing connect', OWNER, channel);
  await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project });
  await bot.slack.waitFor(() => text().includes('Connected'));
}

async function submit(fields: Record<string, string>, part: string) {
  await bot.slack.submit(OWNER, fields);
  await bot.slack.waitFor(() => text().includes(part));
}

describe('the product of the tested project', () => {
  it('is the one that answers with data, each asked once', async () => {
    await connect('789');
    expect(text()).toMatch(/Project 789 \(Object storage\) · [\d,.]+ left\nProduct: Object storage/);
    expect(bot.billing.requests).toHaveLength(3);
  });

  it('is chosen by the person if several have data', async () => {
    answerWith(bot.billing, 'careless');
    await connect();
    expect(text()).toContain('Project 123 · which product?');
    expect(text()).toContain('Several products have data for it.');
    expect(text()).not.toContain('every morning');
    await submit({ 'alias-123': 'prod' }, 'Choose one.');
    expect(await kept('project')).toEqual([]);
    await submit({ 'product-123': '2' }, 'Saved prod: project 123, Object storage.');
    expect(await kept('project')).toMatchObject([{ alias: 'prod', id: '123', product: 2 }]);
    expect(text()).toContain('every morning');
  });

  it('is unknown if none has data', async () => {
    await connect('777');
    expect(text()).toContain('No data for project 777');
    expect(text()).not.toContain('Name of project 777');
    await submit({ 'more-0': '778 lost' }, 'no product has data for project 778. Check the ID.');
    expect(await kept('project')).toEqual([]);
  });
});

describe('the names', () => {
  it('are saved for the tested project and further ones, each with its product and audited', async () => {
    await connect();
    await submit({ 'alias-123': 'prod', 'more-0': '456 staging, archive 789' }, 'Saved archive');
    const saved = (await kept('project')).toSorted((a, b) => a.alias.localeCompare(b.alias));
    expect(saved).toMatchObject([
      { alias: 'archive', id: '789', product: 2, channels: [], owner: OWNER },
      { alias: 'prod', id: '123', product: 1 },
      { alias: 'staging', id: '456', product: 1 },
    ]);
    expect((await audit()).filter((line) => line.startsWith('project added')).toSorted()).toEqual([
      'project added: archive (project 789)',
      'project added: prod (project 123)',
      'project added: staging (project 456)',
    ]);
    await bot.slack.openHome(OWNER);
    const home = await bot.slack.waitFor(() => bot.slack.home(OWNER)?.view.blocks);
    for (const alias of ['archive', 'prod', 'staging']) expect(textOf(home)).toContain(alias);
    expect(textOf(home)).not.toContain('no balance yet');
    await bot.slack.dismiss(OWNER);
    expect((await bot.ask('/balance archive')).visibleText).toContain('left');
  });

  it('are refused one by one, with what to type instead', async () => {
    await connect();
    await bot.slack.submit(OWNER, { 'alias-123': 'may', 'more-0': 'nothing' });
    const { errors } = bot.slack.modal(OWNER)!;
    expect(errors['alias-123']).toContain('already means something');
    expect(Object.values(errors).join()).toContain('123 prod, 456 staging');
    expect(await kept('project')).toEqual([]);
  });

  it('never remove the channel limit of a project that has another name', async () => {
    await bot.connect();
    await addProject(bot, { alias: 'closed', id: '456', channels: [CHANNEL] });
    await connect();
    await submit({ 'more-0': '456 opened' }, 'Project 456 is named closed.');
    expect(await kept('project')).toMatchObject([{ alias: 'closed', channels: [CHANNEL] }]);
  });
});

describe('/billing projects add with several projects', () => {
  it('opens a form with them, which saves them all and asks what it can’t know', async () => {
    await bot.connect();
    await bot.slack.say(OWNER, CHANNEL, '/billing projects add 123 prod, 456 staging, 777 lost');
    await bot.slack.waitFor(() => text().includes('Projects'));
    expect(JSON.stringify(bot.slack.modal(OWNER)!.view)).toContain('"text":"Add projects"');
    expect(text()).not.toMatch(/Connected:|Connection:/);
    await submit({}, 'Saved staging');
    expect(text()).toContain('lost wasn’t saved: no product has data for project 777.');
    await submit({ 'more-1': '789 archive' }, 'Saved archive: project 789, Object storage.');
    expect(text()).not.toContain('/balance');
    expect((await kept('project')).map(({ alias }) => alias).toSorted()).toEqual([
      ...['archive', 'prod', 'staging'],
    ]);
  });
});

it('does not take the last word of a name for a connection', async () => {
  await bot.connect();
  await bot.slack.say(OWNER, CHANNEL, '/billing projects add 123 horizon storage');
  await bot.slack.waitFor(() => text().includes('Project ID'));
  const form = JSON.stringify(bot.slack.modal(OWNER)!.view);
  expect(form).toContain('"initial_value":"horizon"');
  expect(form).toContain('Object storage (2)');
});

describe('Post it here every morning', () => {
  it('is said to another manager as somebody else’s, without Undo', async () => {
    await addProject(bot, { alias: 'prod', id: '123' });
    await connect();
    await press('Post it here every morning');
    await bot.slack.waitFor(() => text().includes('Undo'));
    await openForm('/billing connect', ADMIN);
    await bot.slack.submit(ADMIN, { token: goodToken(bot.billing), project: '123' });
    await bot.slack.waitFor(() => text(ADMIN).includes('Connected'));
    expect(text(ADMIN)).toContain(`Set up by <@${OWNER}>: *Yesterday’s spend* for prod, every day at 09:00`);
    expect(text(ADMIN)).not.toMatch(/Undo|Saved:|Post it here/);
    expect(text(ADMIN)).toContain('Choose a channel…');
  });

  it('makes one schedule, announced and audited, however often it is pressed, and Undo removes it', async () => {
    await connect();
    await Promise.all([press('Post it here every morning'), press('Post it here every morning')]);
    await bot.slack.waitFor(() => text().includes('Saved: *Yesterday’s spend* for Project 123'));
    await bot.waitUntilIdle();
    expect(await kept('schedule')).toMatchObject([
      {
        channel: CHANNEL,
        report: 'yesterday',
        owner: OWNER,
        timing: { cadence: { kind: 'daily' }, time: '09:00' },
      },
    ]);
    expect((await audit()).filter((line) => line.startsWith('schedule created'))).toHaveLength(1);
    await bot.slack.waitFor(() =>
      bot.slack.messages(OWNER, CHANNEL).some(({ text }) => text.includes('New scheduled post')),
    );
    await bot.slack.waitFor(() => text().includes('Next post: Sun 22 Nov'));
    await press('Undo');
    await bot.slack.waitFor(() => text().includes('Post it here every morning'));
    expect(await kept('schedule')).toEqual([]);
  });

  it('opens the form of a schedule if the command was typed in a direct message', async () => {
    await connect('123', OWNER.replace(/^U/, 'D'));
    expect(text()).not.toContain('Post it here every morning');
    await press('Choose a channel…');
    await bot.slack.waitFor(() => text().includes('Schedule a post'));
  });

  it('says what to do if Tally can’t post, keeps what was typed, and saves nothing', async () => {
    await connect('123', 'C0FINANCE1');
    await press('Post it here every morning');
    await bot.slack.waitFor(() => text().includes('type /invite @Tally there'));
    expect(text()).toContain('Name of project 123');
    expect(await kept('schedule')).toEqual([]);
  });

  it.each(['Choose a channel…', 'Set expiry…'])(
    'leaves the form with what was typed below the one that “%s” opens',
    async (label) => {
      await connect();
      const form = bot.slack.modal(OWNER)!;
      await press(label);
      await bot.slack.waitFor(() => bot.slack.modal(OWNER)?.previousId === form.id);
      await bot.slack.dismiss(OWNER);
      expect(bot.slack.modal(OWNER)).toBe(form);
      expect(text()).toContain('Name of project 123');
    },
  );

  it('says below what was saved in the form on top of it, and keeps its own state', async () => {
    await connect();
    expect(text()).toContain('expiry unknown');
    await press('Set expiry…');
    await bot.slack.waitFor(() => text().includes('As in the console.'));
    await submit({ expires: '2027-02-19' }, 'Saved.');
    await bot.slack.dismiss(OWNER);
    await bot.slack.waitFor(() => text().includes('expires Fri 19 Feb 2027'));
    expect(text()).not.toMatch(/expiry unknown|Set expiry/);
    await press('Choose a channel…');
    await bot.slack.waitFor(() => text().includes('Next three posts'));
    await submit({ channel: CHANNEL, cadence: 'weekdays' }, 'Saved:');
    await bot.slack.dismiss(OWNER);
    await bot.slack.waitFor(() => text().includes('Name of project 123'));
    await submit({ 'alias-123': 'prod' }, 'Saved prod: project 123');
  });

  it('lets the post that it set up be edited, and the names be saved afterwards', async () => {
    await connect();
    await press('Post it here every morning');
    await bot.slack.waitFor(() => text().includes('Saved: *Yesterday’s spend* for Project 123'));
    await press('Edit…');
    await bot.slack.waitFor(() => text().includes('Next three posts'));
    await submit({ cadence: 'weekdays' }, 'Saved:');
    await bot.slack.dismiss(OWNER);
    await submit({ 'alias-123': 'prod' }, 'Saved prod: project 123');
    expect(text()).toContain('every weekday at 09:00');
  });
});
