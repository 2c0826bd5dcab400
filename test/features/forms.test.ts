/** What all forms have in common, whatever they are about. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillForm, inputStateOf } from '../../sandbox/slack/forms.ts';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { auditEntries } from '../support/audit.ts';
import { type Bot, CHANNEL, goodToken, startBot } from '../support/bot.ts';
import { createFormActions } from '../support/forms.ts';
import { uniqueClick } from '../support/people.ts';
import { addProject } from '../support/projects.ts';
import { recordFields } from '../support/redis.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const TEAM = 'T0SANDBOX1';
const HASH = `tally:{${TEAM}}:record`;
let bot: Bot;

beforeEach(async () => {
  bot = await startBot({ now: () => NOW });
  await bot.connect();
});
afterEach(() => bot.stop());

const { modalText, openForm } = createFormActions(() => bot);
const record = () => recordFields(bot.redis.client, HASH);
const actions = async () => (await auditEntries(bot)).map(({ action }) => action);

/** Sends the open form as it would be sent with these fields, once to each process, at the same time. */
async function sendTo(urls: readonly string[], fields: Parameters<typeof fillForm>[1] = {}): Promise<void> {
  const { id, view } = bot.slack.modal(OWNER)!;
  const values = inputStateOf(view.blocks, fillForm(view.blocks, fields));
  const sent = urls.map(async (url) => {
    const payload = {
      ...{ type: 'view_submission', team: { id: TEAM }, user: { id: OWNER, team_id: TEAM } },
      view: { ...view, id, state: { values } },
      ...uniqueClick(),
    };
    const body = `payload=${encodeURIComponent(JSON.stringify(payload))}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...bot.slack.signed(body) };
    const { status } = await fetch(`${url}/slack/events`, { method: 'POST', body, headers });
    expect(status).toBe(200);
  });
  await Promise.all(sent);
  const ended = () => bot.log().match(/"via":"form"/g)?.length ?? 0;
  await bot.slack.waitFor(() => ended() >= begun + urls.length, 15_000);
  begun += urls.length;
}
let begun = 0;
beforeEach(() => {
  // The form that connected.
  begun = 1;
});

interface Sent {
  readonly command: string;
  readonly fields: Parameters<typeof fillForm>[1];
  readonly prefix: string;
  readonly audited: string;
}

const NEW: Readonly<Record<string, Sent>> = {
  schedule: {
    ...{ command: '/billing schedule 123 daily 09:00', fields: {} },
    ...{ prefix: 'schedule:', audited: 'created a schedule:' },
  },
  watch: {
    ...{ command: '/billing watch 123 balance 50000', fields: {} },
    ...{ prefix: 'watch:', audited: 'created a watch:' },
  },
  project: {
    ...{ command: '/billing projects add prod 123', fields: {} },
    ...{ prefix: 'project:', audited: 'added the project' },
  },
};

describe.each(Object.entries(NEW))('the form of a new %s', (_, { command, fields, prefix, audited }) => {
  const made = async () => Object.keys(await record()).filter((field) => field.startsWith(prefix));
  const open = async () => {
    await openForm(command);
    await bot.slack.waitFor(() => !modalText().includes('Asking the billing service'));
  };

  it.each([
    ['one process', () => [bot.url, bot.url, bot.url]],
    ['two processes', () => [bot.url, bot.currentUrl()]],
  ])('makes one, however often it is sent to %s at once', async (_name, urls) => {
    await bot.startAnotherProcess();
    await open();
    await sendTo(urls(), fields);
    expect(await made()).toHaveLength(1);
    expect((await actions()).filter((action) => action === audited)).toHaveLength(1);
    expect(modalText()).toContain('Saved');
  });

  it('makes one, also when it is sent again after it was saved', async () => {
    await open();
    const before = bot.slack.modal(OWNER)!.view;
    await sendTo([bot.url], fields);
    bot.slack.modal(OWNER)!.view = before;
    await sendTo([bot.url], fields);
    expect(await made()).toHaveLength(1);
    expect((await actions()).filter((action) => action === audited)).toHaveLength(1);
    expect(modalText()).toContain('Saved');
  });
});

it('a form that replaces a token does it once, however often it is sent at once', async () => {
  await bot.startAnotherProcess();
  await openForm('/billing connect');
  await sendTo([bot.url, bot.currentUrl()], { token: goodToken(bot.billing) });
  expect(
    (await actions()).filter((action) => action === 'replaced the token of the connection'),
  ).toHaveLength(1);
  expect(modalText()).toContain('Connected ✓');
});

/** What an existing thing's form is opened and sent with, and what the audit says once. */
const CHANGES: Readonly<Record<string, readonly [string, Parameters<typeof fillForm>[1], string]>> = {
  settings: ['/billing settings', { currency: 'EUR', others: ['guests'] }, 'changed the settings:'],
  project: ['/billing projects edit prod', { alias: 'live', currency: 'EUR' }, 'renamed the project'],
};

describe.each(Object.entries(CHANGES))('the form of %s that are there', (_, [command, fields, action]) => {
  beforeEach(async () => {
    await bot.startAnotherProcess();
    await addProject(bot, { alias: 'prod', id: '123' });
    await openForm(command);
  });
  const once = async () => {
    expect((await actions()).filter((did) => did === action)).toHaveLength(1);
    expect(modalText()).toContain('Saved');
    expect(modalText()).not.toContain('first');
  };

  it('saves once, however often and to however many processes it is sent', async () => {
    await sendTo([bot.url, bot.currentUrl(), bot.url], fields);
    await once();
  });

  it('saves once, also when it is sent again after it was saved', async () => {
    const before = bot.slack.modal(OWNER)!.view;
    await sendTo([bot.url], fields);
    bot.slack.modal(OWNER)!.view = before;
    await sendTo([bot.currentUrl()], fields);
    await once();
  });
});

it('a button that is pressed three times, in two processes, counts once', async () => {
  await bot.startAnotherProcess();
  await addProject(bot, { alias: 'prod', id: '123' });
  const { ts } = await bot.ask('/billing help');
  const pressed = () => bot.log().match(/"via":"button"/g)?.length ?? 0;
  const press = async (url: string) => {
    const payload = {
      ...{ type: 'block_actions', team: { id: TEAM }, user: { id: OWNER, team_id: TEAM } },
      ...{ channel: { id: CHANNEL }, trigger_id: 'x' },
      container: { type: 'message', channel_id: CHANNEL, message_ts: ts, is_ephemeral: true },
      actions: [
        {
          ...{ type: 'button', block_id: 'b', action_id: 'project-remove', value: 'prod 123' },
          ...uniqueClick(),
        },
      ],
    };
    const body = `payload=${encodeURIComponent(JSON.stringify(payload))}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...bot.slack.signed(body) };
    await fetch(`${url}/slack/events`, { method: 'POST', body, headers });
  };
  await Promise.all([press(bot.url), press(bot.currentUrl())]);
  await bot.slack.waitFor(() => pressed() >= 2);
  await press(bot.url);
  await bot.slack.waitFor(() => pressed() >= 3);
  expect((await actions()).filter((did) => did === 'removed the project')).toHaveLength(1);
  expect(JSON.stringify(bot.slack.messages(OWNER, CHANNEL).at(-1))).toContain('prod');
});

describe('what a form takes from outside', () => {
  const GONE = 'isn’t a full member of this workspace. Choose someone else.';
  const sent = async (fields: Parameters<typeof fillForm>[1]) => {
    await bot.slack.submit(OWNER, fields);
    await bot.slack.waitFor(() => !modalText().includes('Saving…'));
    return modalText();
  };

  it.each([
    ['/billing projects add prod 123', { owner: MEMBER }],
    ['/billing settings', { managers: [MEMBER] }],
  ])('names a person who is gone by now: %s', async (command, fields) => {
    await openForm(command);
    bot.slack.workspace.person(MEMBER)!.left = true;
    const said = await sent(fields);
    expect(said).toContain(`<@${MEMBER}> ${GONE}`);
    expect(said).toContain('Nothing was saved.');
    expect(Object.keys(await record())).toEqual(['connection:main']);
  });

  it('keeps an owner who has left since', async () => {
    await openForm('/billing projects add prod 123');
    expect(await sent({ owner: MEMBER })).toContain('Saved.');
    await bot.slack.dismiss(OWNER);
    bot.slack.workspace.person(MEMBER)!.left = true;
    await openForm('/billing projects edit prod');
    expect(await sent({ currency: 'EUR' })).toContain('Saved.');
  });

  it.each([
    ['/billing projects add', { alias: 'pr\u200fod', id: '\u202a123\u202c', currency: '\u202eEUR' }],
    ['/billing settings', { currency: '\u200e' }],
    [
      '/billing connect',
      { baseUrl: '\u200fhttps://billing.example.com', name: 'ma\u200bin', account: '\u2067' },
    ],
    ['/billing watch 123 balance 5', { below: '\u200f50000' }],
  ])('says that a pasted text has marks that nobody sees: %s', async (command, fields) => {
    await openForm(command);
    await bot.slack.submit(OWNER, {
      ...(command.endsWith('connect') && { token: 'x', project: '1' }),
      ...fields,
    });
    const { errors } = bot.slack.modal(OWNER)!;
    for (const field of Object.keys(fields))
      expect(errors[field], field).toBe(
        'There are invisible characters in this text. Type it, or paste it as plain text.',
      );
  });
});

it('a button without a value is answered, with blocks that Slack takes', async () => {
  const lines = () => bot.log().match(/"via":"button"/g)?.length ?? 0;
  for (const name of Object.keys(bot.registry.listeners().actions)) {
    const before = lines();
    const payload = {
      ...{ type: 'block_actions', team: { id: TEAM }, user: { id: OWNER, team_id: TEAM } },
      ...{ channel: { id: CHANNEL }, trigger_id: 'x', container: { type: 'message', channel_id: CHANNEL } },
      actions: [{ type: 'button', block_id: 'b', action_id: name, value: '', ...uniqueClick() }],
    };
    const body = `payload=${encodeURIComponent(JSON.stringify(payload))}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...bot.slack.signed(body) };
    await fetch(`${bot.url}/slack/events`, { method: 'POST', body, headers });
    await bot.slack.waitFor(() => lines() > before);
  }
  expect(bot.slack.complaints).toEqual([]);
  expect(bot.log()).not.toContain('"outcome":"unknown"');
});
