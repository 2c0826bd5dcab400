import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import {
  BOT_TOKEN,
  type Bot,
  CHANNEL,
  goodToken,
  readable,
  SIGNING_SECRET,
  startBot,
  textOf,
} from '../support/bot.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
let bot: Bot;

beforeEach(async () => {
  bot = await startBot({ now: () => NOW });
});
afterEach(() => bot.stop());

async function openForm(person = OWNER, command = '/billing connect') {
  await bot.slack.say(person, CHANNEL, command);
  await bot.slack.waitFor(() => bot.slack.modal(person));
}

const modalText = (person = OWNER) => textOf(bot.slack.modal(person)?.view);

/** Everything Redis holds, as text. */
async function dump(): Promise<string> {
  const keys = await bot.redis.client.keys('*');
  const all = await Promise.all(keys.map(async (key) => [key, await bot.redis.client.hgetall(key)]));
  return JSON.stringify(all);
}

/** Everything that left the bot or stays behind: logs, calls to Slack, messages, views, Redis. */
async function everywhere(): Promise<string> {
  return [
    bot.log(),
    JSON.stringify(bot.slack.calls),
    JSON.stringify(bot.slack.snapshot(OWNER)),
    JSON.stringify(bot.slack.messages(OWNER, CHANNEL)),
    await dump(),
  ].join('\n');
}

describe('/billing connect', () => {
  it('opens a form that says where in the console each thing is found', async () => {
    await openForm();
    expect(modalText()).toContain('Access management → Access tokens → Create token');
    expect(modalText()).toContain('Cloud servers → your project → project card');
  });

  it('answers at once that it is checking, then what it found, and seals the token', async () => {
    bot.billing.setMode('slow');
    await openForm();
    const token = goodToken(bot.billing);
    await bot.slack.submit(OWNER, { token, project: '123', role: 'accountant', lifetime: '30-days' });
    expect(modalText()).toContain('Checking…');
    await bot.slack.waitFor(() => modalText().includes('Connected'), 10_000);
    expect(modalText()).toMatch(/Project 123 has [\d,.]+ left as Cloud platform \(1\)\./);
    expect(modalText()).toContain(`token ····${token.slice(-4)}`);
    expect(modalText()).toContain('lapses 2026-12-21');
    expect(await everywhere()).not.toContain(token);
    expect(await dump()).toContain('v1.test.');
  });

  it('refuses what cannot be right field by field, before anything is asked', async () => {
    await openForm();
    await bot.slack.submit(OWNER, { base_url: 'http://10.0.0.1', token: 'two words', project: '0123' });
    const { errors } = bot.slack.modal(OWNER)!;
    expect(Object.keys(errors).sort()).toEqual(['base_url', 'project', 'token']);
    expect(errors.base_url).toContain('10.0.0.1');
    expect(bot.billing.requests).toEqual([]);
  });

  it('keeps the old token when the new one is refused, and brings the form back without the token', async () => {
    await bot.connect();
    const before = await dump();
    await openForm();
    await bot.slack.submit(OWNER, { token: 'sandbox-token-nobody-knows', project: '123' });
    await bot.slack.waitFor(() => modalText().includes('Not connected'));
    expect(modalText()).toContain('The one registered before stays in use.');
    expect(await dump()).toBe(before);
    await bot.slack.press(OWNER, { viewId: bot.slack.modal(OWNER)!.id }, 'Back to the form');
    await bot.slack.waitFor(() => modalText().includes('User access token'));
    expect(JSON.stringify(bot.slack.modal(OWNER)!.view)).not.toContain('nobody-knows');
    expect(JSON.stringify(bot.slack.modal(OWNER)!.view)).toContain('"initial_value":"123"');
    expect((await bot.ask('/balance 123')).reads).toContain('left');
  });

  it('takes a token that the service accepts although the test project gives nothing, and says so', async () => {
    await openForm();
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123', product: '2' });
    await bot.slack.waitFor(() => modalText().includes('Connected'));
    expect(modalText()).toContain('project 123 gave no data as Object storage (2)');
  });

  it('tells the result in a direct message when the form was closed meanwhile', async () => {
    bot.billing.setMode('slow');
    await openForm();
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123' });
    await bot.slack.dismiss(OWNER);
    const direct = OWNER.replace(/^U/, 'D');
    const told = await bot.slack.waitFor(() => bot.slack.messages(OWNER, direct).at(-1), 10_000);
    expect(readable(told).reads).toContain('Connected');
  });

  it.each([
    ['401', 'rejected the access token'],
    ['403', 'does not let this access token read that'],
    ['429', 'is being asked too often'],
    ['500', 'answered with an error (HTTP 500)'],
    ['html', 'cannot read: HTML instead of JSON'],
    ['truncated', 'JSON that breaks off'],
    ['redirect', 'redirects elsewhere'],
    ['graphql-errors', 'refused the question'],
    ['reset', 'could not be reached'],
  ])('stores nothing when billing is in the mood for %s', async (mode, sentence) => {
    bot.billing.setMode(mode);
    await openForm();
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123' });
    await bot.slack.waitFor(() => modalText().includes('Not connected'), 15_000);
    expect(modalText()).toContain(sentence);
    expect(modalText()).toContain('Nothing was stored.');
    expect(await dump()).toBe('[]');
  });

  it.each([MEMBER, GUEST])(
    'is not for %s, neither as a command nor as a button nor as a form',
    async (person) => {
      const answer = await bot.ask('/billing connect', person, 'C0GENERAL1');
      expect(answer.reads).toMatch(/Only owners and admins|Guests of this workspace/);
      expect(bot.slack.modal(person)).toBeUndefined();

      const forged = (payload: object) =>
        fetch(`${bot.url}/slack/events`, post(`payload=${encodeURIComponent(JSON.stringify(payload))}`));
      const who = { team: { id: 'T0SANDBOX1' }, user: { id: person, team_id: 'T0SANDBOX1' } };
      await forged({
        ...who,
        type: 'block_actions',
        trigger_id: 'x',
        channel: { id: 'C0GENERAL1' },
        actions: [{ type: 'button', action_id: 'connect', block_id: 'b', value: '' }],
      });
      const value = (text: string) => ({ value: { type: 'plain_text_input', value: text } });
      const chosen = (text: string) => ({
        value: { type: 'static_select', selected_option: { value: text } },
      });
      await forged({
        ...who,
        type: 'view_submission',
        view: {
          id: 'V1',
          type: 'modal',
          callback_id: 'connect',
          private_metadata: '{"standing":"manager"}',
          state: {
            values: {
              base_url: value(bot.billing.url),
              token: value(goodToken(bot.billing)),
              role: chosen('engineer'),
              lifetime: chosen('none'),
              project: value('123'),
              product: chosen('1'),
            },
          },
        },
      });
      const direct = person.replace(/^U/, 'D');
      await bot.slack.waitFor(() => bot.slack.messages(person, direct).at(-1));
      expect(bot.slack.calls.filter(({ method }) => method === 'views.open')).toEqual([]);
      expect(bot.billing.requests).toEqual([]);
      expect(await dump()).toBe('[]');
    },
  );

  const post = (body: string): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...bot.slack.signed(body) },
    body,
  });
});

describe('/billing disconnect', () => {
  it('asks first, then deletes the sealed token', async () => {
    await bot.connect();
    const answer = await bot.ask('/billing disconnect');
    expect(answer.reads).toContain('Disconnect Tally from the billing service?');
    expect(await dump()).toContain('v1.test.');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, 'Disconnect');
    await bot.slack.waitFor(() => textOf(bot.slack.messages(OWNER, CHANNEL)).includes('Disconnected.'));
    expect(await dump()).toBe('[]');
    expect((await bot.ask('/balance 123')).reads).toContain('not connected');
  });

  it('changes nothing when the person keeps it', async () => {
    await bot.connect();
    const answer = await bot.ask('/billing disconnect');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, 'keep');
    await bot.slack.waitFor(() =>
      textOf(bot.slack.messages(OWNER, CHANNEL)).includes('Nothing was changed.'),
    );
    expect((await bot.ask('/balance 123')).reads).toContain('left');
  });
});

describe('/billing settings', () => {
  it('finds a zone by what is typed, shows its date as a check, and days follow it', async () => {
    await bot.connect();
    await openForm(OWNER, '/billing settings');
    expect(modalText()).toContain('Today there: Saturday 21 November 2026, 10:15 (UTC)');
    const place = { viewId: bot.slack.modal(OWNER)!.id };
    const found = await bot.slack.suggest(OWNER, place, 'zone', 'new york');
    expect(JSON.stringify(found)).toContain('America/New_York');
    expect(JSON.stringify(found)).toContain('Saturday 21 November 2026, 05:15');
    await bot.slack.choose(OWNER, place, 'zone', 'America/New_York');
    await bot.slack.waitFor(() => modalText().includes('05:15 (UTC-05:00)'));
    await bot.slack.submit(OWNER, { zone: 'America/New_York' });
    await bot.slack.waitFor(() => modalText().includes('Saved.'));
    await bot.slack.dismiss(OWNER);
    const before = bot.billing.requests.length;
    expect((await bot.ask('/spend 123 yesterday')).reads).toContain('Fri 20 Nov 2026 America/New_York');
    expect(bot.billing.requests.slice(before).map(({ query }) => query)).toContainEqual(
      expect.stringContaining('periodFrom: "2026-11-20T05:00:00.000Z", periodTo: "2026-11-21T04:59:59.999Z"'),
    );
  });
});

describe('/billing', () => {
  it('explains itself, and suggests the nearest verb for an unknown one', async () => {
    expect((await bot.ask('/billing')).reads).toContain('/spend [project] [period] [product]');
    const answer = await bot.ask('/billing conect');
    expect(answer.reads).toContain('“conect” is nothing that /billing does.');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, '/billing connect');
    await bot.slack.waitFor(() => bot.slack.modal(OWNER));
  });

  it('does not repeat or log a token that was typed behind a verb', async () => {
    const answer = await bot.ask('/billing connect sandboxToken0123456789abcdef');
    expect(answer.reads).toContain('looks like a token');
    expect(await everywhere()).not.toContain('sandboxToken0123456789abcdef');
  });
});

describe('what is secret', () => {
  it('is nowhere after a day of use: the bot token, the signing secret, the access token', async () => {
    await bot.connect();
    await bot.ask('/balance 123');
    await bot.ask('/spend 123 mtd');
    const all = await everywhere();
    for (const secret of [goodToken(bot.billing), BOT_TOKEN, SIGNING_SECRET])
      expect(all).not.toContain(secret);
  });
});
