/** What all forms have in common, whatever they are about. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillForm, inputStateOf } from '../../sandbox/slack/forms.ts';
import { OWNER } from '../../sandbox/slack/index.ts';
import { auditEntries } from '../support/audit.ts';
import { type Bot, goodToken, startBot } from '../support/bot.ts';
import { createFormActions } from '../support/forms.ts';
import { recordFields } from '../support/redis.ts';
import { uniqueClick } from '../support/unique-click.ts';

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
    ...{ prefix: 'schedule:', audited: 'schedule created' },
  },
  watch: {
    ...{ command: '/billing watch 123 balance 50000', fields: {} },
    ...{ prefix: 'watch:', audited: 'watch created' },
  },
  project: {
    ...{ command: '/billing projects add prod 123', fields: {} },
    ...{ prefix: 'project:', audited: 'project added' },
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
  await sendTo([bot.url, bot.currentUrl()], { token: goodToken(bot.billing), project: '123' });
  expect((await actions()).filter((action) => action === 'connection replaced')).toHaveLength(1);
  expect(modalText()).toContain('Connected ✓');
});

it('settings that are sent twice are saved once', async () => {
  await openForm('/billing settings');
  await sendTo([bot.url, bot.url], { currency: 'EUR' });
  expect((await actions()).filter((action) => action === 'settings changed')).toHaveLength(1);
  expect(modalText()).toMatch(/Saved\.|No changes to save\./);
});
