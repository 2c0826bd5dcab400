/** What all forms have in common. */
import { beforeEach, describe, expect, it } from 'vitest';
import { fillForm, inputStateOf } from '../../sandbox/slack/forms.ts';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { botOfEachTest, CHANNEL, goodToken } from '../support/bot.ts';
import { clickOf, type Fields, sentBy, TEAM } from '../support/people.ts';
import { addProjects } from '../support/projects.ts';

const bot = botOfEachTest((bot) => bot.connect());
const record = () => bot.redis.client.hgetall(recordKey(TEAM));
/** How many audit entries have this text. */
const timesOf = async (action: string) =>
  (await bot.audit()).filter((entry) => entry.includes(` ${action} `)).length;

/** Submits the open form with these fields to all processes at the same time. */
async function sendTo(urls: readonly string[], fields: Fields = {}): Promise<void> {
  const { id, view } = bot.modal()!;
  const values = inputStateOf(view.blocks, fillForm(view.blocks, fields));
  const submission = { type: 'view_submission', ...sentBy(OWNER), view: { ...view, id, state: { values } } };
  await Promise.all(urls.map((url) => bot.interact(submission, url)));
  const ended = () => bot.log().match(/"via":"form"/g)?.length ?? 0;
  await bot.slack.waitFor(() => ended() >= begun + urls.length, 15_000);
  begun += urls.length;
}
let begun = 0;
beforeEach(() => {
  // Connecting has opened one form already.
  begun = 1;
});

interface Sent {
  readonly command: string;
  readonly fields: Fields;
  readonly prefix: string;
  readonly audited: string;
}

const NEW: Readonly<Record<string, Sent>> = {
  schedule: {
    command: '/billing schedule 123 daily 09:00',
    fields: {},
    prefix: 'schedule:',
    audited: 'created a schedule:',
  },
  watch: {
    command: '/billing watch 123 balance 50000',
    fields: {},
    prefix: 'watch:',
    audited: 'created a watch:',
  },
  project: {
    command: '/billing projects add prod 123',
    fields: {},
    prefix: 'project:',
    audited: 'added the project',
  },
};

describe.each(Object.entries(NEW))('the form for a new %s', (_, { command, fields, prefix, audited }) => {
  const made = async () => Object.keys(await record()).filter((field) => field.startsWith(prefix));
  const open = async () => {
    await bot.openForm(command);
    await bot.slack.waitFor(() => !bot.modalText().includes('Asking the billing service'));
  };

  it.each([
    ['one process', () => [bot.url, bot.url, bot.url]],
    ['two processes', () => [bot.url, bot.currentUrl()]],
  ])('takes effect only once if it is submitted several times at once to %s', async (_name, urls) => {
    await bot.startAnotherProcess();
    await open();
    await sendTo(urls(), fields);
    expect(await made()).toHaveLength(1);
    expect(await timesOf(audited)).toBe(1);
    expect(bot.modalText()).toContain('Saved');
  });

  it('takes effect only once if it is submitted again after it was saved', async () => {
    await open();
    const before = bot.modal()!.view;
    await sendTo([bot.url], fields);
    bot.modal()!.view = before;
    await sendTo([bot.url], fields);
    expect(await made()).toHaveLength(1);
    expect(await timesOf(audited)).toBe(1);
  });
});

it('a token is replaced only once if the connection’s form is submitted to two processes at once', async () => {
  await bot.startAnotherProcess();
  await bot.openForm('/billing connect');
  await sendTo([bot.url, bot.currentUrl()], { token: goodToken(bot.billing) });
  expect(await timesOf('replaced the token of the connection')).toBe(1);
  expect(bot.modalText()).toContain('Connected ✓');
});

/** The forms of existing items: the command that opens each, a changed field, and the audit's text. */
const CHANGES: Readonly<Record<string, readonly [string, Fields, string]>> = {
  'the settings': ['/billing settings', { currency: 'EUR', others: ['guests'] }, 'changed the settings:'],
  'a project': ['/billing projects edit prod', { alias: 'live', currency: 'EUR' }, 'renamed the project'],
};

describe.each(Object.entries(CHANGES))('the form that changes %s', (_, [command, fields, action]) => {
  beforeEach(async () => {
    await bot.startAnotherProcess();
    await addProjects(bot, { prod: '123' });
    await bot.openForm(command);
  });
  const once = async () => {
    expect(await timesOf(action)).toBe(1);
    expect(bot.modalText()).not.toContain('first');
  };

  it('saves the change only once if it is submitted several times at once to two processes', async () => {
    await sendTo([bot.url, bot.currentUrl(), bot.url], fields);
    await once();
    expect(bot.modalText()).toContain('Saved');
  });

  it('saves the change only once if it is submitted again after it was saved', async () => {
    const before = bot.modal()!.view;
    await sendTo([bot.url], fields);
    bot.modal()!.view = before;
    await sendTo([bot.currentUrl()], fields);
    await once();
  });
});

it('a button takes effect only once if three clicks on it reach two processes', async () => {
  await bot.startAnotherProcess();
  await addProjects(bot, { prod: '123' });
  const { ts } = await bot.ask('/billing help');
  const pressed = () => bot.log().match(/"via":"button"/g)?.length ?? 0;
  const container = { type: 'message', channel_id: CHANNEL, message_ts: ts, is_ephemeral: true };
  const click = clickOf(OWNER, { action_id: 'project-remove', value: 'prod 123' });
  const press = (url: string) => bot.interact({ ...click, container }, url);
  await Promise.all([press(bot.url), press(bot.currentUrl())]);
  await bot.slack.waitFor(() => pressed() >= 2);
  await press(bot.url);
  await bot.slack.waitFor(() => pressed() >= 3);
  expect(await timesOf('removed the project')).toBe(1);
  expect(JSON.stringify(bot.slack.messages(OWNER, CHANNEL).at(-1))).toContain('prod');
});

describe('a form’s input', () => {
  const GONE = 'isn’t a full member of this workspace. Choose someone else.';
  it.each([
    ['/billing projects add prod 123', { owner: MEMBER }],
    ['/billing settings', { managers: [MEMBER] }],
  ])('is refused if it names a person who has left the workspace: %s', async (command, fields) => {
    await bot.openForm(command);
    bot.slack.workspace.person(MEMBER)!.left = true;
    const said = await bot.save(fields);
    expect(said).toContain(`<@${MEMBER}> ${GONE}`);
    expect(Object.keys(await record())).toEqual(['connection:main']);
  });

  it('is accepted if a project keeps its owner, even if the owner has left the workspace', async () => {
    await bot.openForm('/billing projects add prod 123');
    expect(await bot.save({ owner: MEMBER })).toContain('Saved.');
    await bot.closeForm();
    bot.slack.workspace.person(MEMBER)!.left = true;
    await bot.openForm('/billing projects edit prod');
    expect(await bot.save({ currency: 'EUR' })).toContain('Saved.');
  });

  it.each([
    ['/billing projects add', { alias: 'pr\u200fod', id: '\u202a123\u202c', currency: '\u202eEUR' }],
    ['/billing settings', { currency: '\u200e' }],
    [
      '/billing connect',
      { baseUrl: '\u200fhttps://billing.example.com', name: 'ma\u200bin', account: '\u2067' },
    ],
    ['/billing watch 123 balance 5', { below: '\u200f50000' }],
  ])('is refused if it contains invisible characters: %s', async (command, fields) => {
    await bot.openForm(command);
    await bot.slack.submit(OWNER, {
      ...(command.endsWith('connect') && { token: 'x', project: '1' }),
      ...fields,
    });
    const errors = bot.errors();
    for (const field of Object.keys(fields))
      expect(errors[field], field).toBe(
        'There are invisible characters in this text. Type it, or paste it as plain text.',
      );
  });
});
