import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type BillingService, startBilling } from '../../sandbox/billing.ts';
import { ADMIN, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { MAX_CONNECTIONS } from '../../src/workspace/credentials/connection-record.ts';
import { auditEntries } from '../support/audit.ts';
import {
  BOT_TOKEN,
  type Bot,
  CHANNEL,
  goodToken,
  SIGNING_SECRET,
  startBot,
  textOf,
  toAnswer,
} from '../support/bot.ts';
import { save, schedule } from '../support/delivery.ts';
import { createFormActions } from '../support/forms.ts';
import { isGlobalKey, recordFields } from '../support/redis.ts';
import { answerWith } from '../support/service-replies.ts';
import { uniqueClick } from '../support/unique-click.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
let bot: Bot;
let now: number;

beforeEach(async () => {
  now = NOW;
  bot = await startBot({ now: () => now });
});
afterEach(() => bot.stop());

const { modalText, openForm, pressInForm } = createFormActions(() => bot);

/** Fills and submits the form, and waits for the result. */
async function register(name: string, fields: Record<string, string> = {}) {
  await openForm(`/billing connect ${name}`);
  await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123', ...fields });
  await bot.slack.waitFor(() => modalText().includes('onnected'));
  const said = modalText();
  await bot.slack.dismiss(OWNER);
  return said;
}

const connectionIn = async (name: string) => JSON.parse((await told())[`connection:${name}`] ?? 'null');
const auditLines = async () => (await auditEntries(bot)).map(({ action, about }) => `${action}: ${about}`);

const lastOf = (person = OWNER) =>
  toAnswer(bot.slack.messages(person, CHANNEL).findLast(({ from }) => from !== person)!);

/** The workspace's record in Redis. */
const told = () => recordFields(bot.redis.client, 'tally:{T0SANDBOX1}:record');

/** All of Redis, as text. */
async function dump(): Promise<string> {
  const { client } = bot.redis;
  const keys = (await client.keys('*')).filter((key) => !isGlobalKey(key));
  const contentOf = async (key: string) => {
    const type = await client.type(key);
    if (type === 'hash') return client.hgetall(key);
    if (type === 'stream') return client.xrange(key, '-', '+');
    if (type === 'zset') return client.zrange(key, '0', '-1');
    if (type === 'set') return client.smembers(key);
    return client.get(key);
  };
  return JSON.stringify(await Promise.all(keys.map(async (key) => [key, await contentOf(key)])));
}

/** Everything that the bot has sent or stored: logs, Slack calls, messages, views, Redis. */
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
  it('opens a form that says where in the console to find each field', async () => {
    await openForm('/billing connect');
    expect(modalText()).toContain('Access management → Access tokens → Create token');
    expect(modalText()).toContain('Cloud servers → your project → project card');
  });

  it('says at once that it is checking, then the result, and seals the token', async () => {
    bot.billing.setMode('slow');
    await openForm('/billing connect');
    const token = goodToken(bot.billing);
    await bot.slack.submit(OWNER, { token, project: '123', role: 'accountant', lifetime: '30-days' });
    expect(modalText()).toContain('Testing the token');
    await bot.slack.waitFor(() => modalText().includes('Connected'), 10_000);
    expect(modalText()).toMatch(/Project 123 · [\d,.]+ left\nProduct: Cloud platform, the only one/);
    expect(modalText()).toContain(`token ending ${token.slice(-4)}`);
    expect(modalText()).toContain('expires Mon 21 Dec 2026 (30 days)');
    expect(await everywhere()).not.toContain(token);
    expect(await dump()).toContain('v1.test.');
  });

  it('continues a scheduled post that waited for a token at once', async () => {
    const waiting = schedule({
      since: NOW - 48 * 3_600_000,
      projects: [{ id: '123', product: 1 }],
      channel: CHANNEL,
      owner: OWNER,
      paused: { why: 'not-connected', at: NOW - 3_600_000, basis: ' -' },
    });
    await save(bot.redis.client, 'T0SANDBOX1', waiting);
    await bot.connect();
    const posted = await bot.slack.waitFor(() =>
      bot.slack.messages(OWNER, CHANNEL).find(({ text }) => text.includes('Project 123')),
    );
    expect(posted.text).toContain('Late: was due Sat 21 Nov 2026, 09:00 (Europe/Rome)');
    expect(toAnswer(posted).visibleText).toContain('Missed earlier:');
    expect(JSON.parse((await told())['schedule:schedul1'] ?? '{}').paused).toBeUndefined();
    expect(await auditLines()).toContainEqual(
      expect.stringContaining(`schedule resumed: schedul1: Yesterday’s spend for project 123 in ${CHANNEL}`),
    );
  });

  it('rejects invalid fields one by one, before any request', async () => {
    await openForm('/billing connect');
    await bot.slack.submit(OWNER, { baseUrl: 'http://10.0.0.1', token: 'two words', project: '0123' });
    const { errors } = bot.slack.modal(OWNER)!;
    expect(Object.keys(errors).sort()).toEqual(['baseUrl', 'project', 'token']);
    expect(errors.baseUrl).toContain('10.0.0.1');
    expect(bot.billing.requests).toEqual([]);
  });

  it('keeps the old token when the new one is rejected, and reopens the form without the token', async () => {
    await bot.connect();
    const before = await told();
    await openForm('/billing connect');
    await bot.slack.submit(OWNER, { token: 'sandbox-token-nobody-knows', project: '123' });
    await bot.slack.waitFor(() => modalText().includes('Not connected'));
    expect(modalText()).toContain('The current token stays in use.');
    expect(await told()).toEqual(before);
    await pressInForm('Back to the form');
    await bot.slack.waitFor(() => modalText().includes('User access token'));
    expect(JSON.stringify(bot.slack.modal(OWNER)!.view)).not.toContain('nobody-knows');
    expect(JSON.stringify(bot.slack.modal(OWNER)!.view)).toContain('"initial_value":"123"');
    expect((await bot.ask('/balance 123')).visibleText).toContain('left');
  });

  it('accepts a token that the service accepts although the test project has no data, and says so', async () => {
    await openForm('/billing connect');
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '777' });
    await bot.slack.waitFor(() => modalText().includes('Connected'));
    expect(modalText()).toContain('No data for project 777');
    expect(modalText()).not.toContain('every morning');
  });

  it('sends the result as a direct message when the form was closed', async () => {
    bot.billing.setMode('slow');
    await openForm('/billing connect');
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123' });
    await bot.slack.dismiss(OWNER);
    const direct = OWNER.replace(/^U/, 'D');
    const told = await bot.slack.waitFor(() => bot.slack.messages(OWNER, direct).at(-1), 10_000);
    expect(toAnswer(told).visibleText).toContain('Connected');
  });

  it.each([
    ['401', 'rejected the access token'],
    ['403', 'refused this access token (HTTP 403)'],
    ['429', 'is limiting Tally’s requests (HTTP 429)'],
    ['500', 'returned an error (HTTP 500)'],
    ['html', 'can’t read: HTML instead of JSON'],
    ['truncated', 'it broke off in the middle'],
    ['redirect', 'redirects (HTTP 302)'],
    ['query-rejected', 'rejected the query for Cloud platform, project 123'],
    ['reset', 'The billing service closed the connection.'],
  ])('stores nothing when billing answers with %s', async (mode, sentence) => {
    answerWith(bot.billing, mode);
    await openForm('/billing connect');
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123' });
    await bot.slack.waitFor(() => modalText().includes('Not connected'), 15_000);
    expect(modalText()).toContain(sentence);
    expect(modalText()).toContain('Nothing was saved.');
    if (/^40[13]$/.test(mode)) expect(modalText()).not.toContain('A Tally manager');
    expect(await dump()).toBe('[]');
  });

  it.each([MEMBER, GUEST])(
    'is not for %s, neither as a command nor as a button nor as a form',
    async (person) => {
      const answer = await bot.ask('/billing connect', person, 'C0GENERAL1');
      expect(answer.visibleText).toContain(
        person === GUEST ? 'Guests can’t use Tally in this workspace.' : 'Only Tally managers can do this',
      );
      expect(bot.slack.modal(person)).toBeUndefined();

      const forged = (payload: object) =>
        fetch(
          `${bot.url}/slack/events`,
          post(`payload=${encodeURIComponent(JSON.stringify({ ...payload, ...uniqueClick() }))}`),
        );
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
              name: value('main'),
              type: chosen('for-oneself'),
              baseUrl: value(bot.billing.url),
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

  it('names the first connection main, and saves everything in the form', async () => {
    await openForm('/billing connect');
    expect(JSON.stringify(bot.slack.modal(OWNER)!.view)).toContain('"initial_value":"main"');
    await bot.slack.submit(OWNER, {
      token: goodToken(bot.billing),
      authUrl: 'https://identity.example.com/v3/auth/tokens',
      type: 'for-a-user',
      role: 'accountant',
      lifetime: '60-days',
      account: 'Acme & <!channel>',
      project: '123',
    });
    await bot.slack.waitFor(() => modalText().includes('Connected'));
    expect(await connectionIn('main')).toMatchObject({
      name: 'main',
      authUrl: 'https://identity.example.com/v3',
      type: 'for-a-user',
      account: 'Acme & <!channel>',
      role: 'accountant',
      lifetime: '60-days',
      test: { project: '123', product: 1 },
      registeredBy: OWNER,
      registeredAt: NOW,
      expiresAt: NOW + 60 * 86_400_000,
    });
    expect(await auditLines()).toEqual(['connection registered: main']);
  });

  it('fills in the identity service’s URL from the environment, and checks it like the other', async () => {
    await bot.stop();
    bot = await startBot({ now: () => NOW, identityUrl: 'https://identity.example.com/v3' });
    await openForm('/billing connect');
    expect(JSON.stringify(bot.slack.modal(OWNER)!.view)).toContain('https://identity.example.com/v3');
    await bot.slack.submit(OWNER, {
      authUrl: 'http://169.254.169.254/v3',
      token: goodToken(bot.billing),
      project: '123',
    });
    expect(Object.keys(bot.slack.modal(OWNER)!.errors)).toEqual(['token', 'authUrl']);
  });

  it('says what is wrong with the identity service’s URL', async () => {
    await openForm('/billing connect');
    await bot.slack.submit(OWNER, {
      authUrl: 'https://identity.example.com',
      token: goodToken(bot.billing),
      project: '123',
    });
    expect(bot.slack.modal(OWNER)!.errors).toEqual({
      token: 'Something under “More” needs a change. Scroll down to see it.',
      authUrl: expect.stringContaining('Try https://identity.example.com/v3'),
    });
  });

  it.each([
    ['`%`', false],
    ['“%”', false],
    ["%'", true],
    ['`%', true],
  ])('removes only paired quotes around a token: %s', async (shape, isRefused) => {
    await openForm('/billing connect');
    await bot.slack.submit(OWNER, { token: shape.replace('%', goodToken(bot.billing)), project: '123' });
    await bot.slack.waitFor(() => /Connected|rejected/.test(modalText()));
    expect(modalText().includes('rejected')).toBe(isRefused);
  });

  it.each(['x', 'two words', '-eu', 'eu_west', 'a'.repeat(33), 'ümlaut'])(
    'does not take “%s” for a name in the form',
    async (name) => {
      await openForm('/billing connect');
      const sent = await bot.slack.submit(OWNER, { name, token: goodToken(bot.billing), project: '123' });
      expect(JSON.stringify([sent, bot.slack.modal(OWNER)!.errors])).toMatch(/2 to 32|no more than 32/);
      expect(await told()).toEqual({});
    },
  );

  it('rejects an invalid name after the verb', async () => {
    expect((await bot.ask('/billing connect no/name')).visibleText).toContain(
      'isn’t a valid connection name',
    );
    expect(bot.slack.modal(OWNER)).toBeUndefined();
  });

  const post = (body: string): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...bot.slack.signed(body) },
    body,
  });
});

describe('the form', () => {
  const shown = () => JSON.stringify(bot.slack.modal(OWNER)!.view);

  it('states nothing about the token that the person did not enter', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing connect quick');
    await bot.slack.waitFor(() => bot.slack.modal(OWNER));
    expect(modalText()).toContain('Lifetime of the token');
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123' });
    await bot.slack.waitFor(() => modalText().includes('Connected'));
    expect(modalText()).toContain('Say when the token expires, and Tally reminds you before.');
    const record = await connectionIn('quick');
    for (const field of ['role', 'lifetime', 'type', 'account', 'expiresAt'])
      expect(record).not.toHaveProperty(field);
    const said = [modalText(), (await bot.ask('/billing status details')).visibleText].join('\n');
    expect(said).toContain('expiry unknown — set it to be reminded');
    expect(said).not.toMatch(/Read-only|For oneself|90 days|no expiry|next two weeks/);
    const member = (await bot.ask('/billing status', MEMBER)).visibleText;
    expect(member).toContain('*Connections* · 1 working');
    expect(member).not.toContain('next two weeks');
  });

  it('forgets what was entered about the replaced token', async () => {
    await register('main', {
      lifetime: '1-year',
      role: 'administrator',
      type: 'for-a-user',
      account: 'Acme',
    });
    await register('main', { token: bot.billing.tokens.find(({ label }) => label === 'Accountant')!.value });
    const record = await connectionIn('main');
    expect(record).toMatchObject({ account: 'Acme', test: { project: '123' } });
    for (const field of ['role', 'lifetime', 'type', 'expiresAt']) expect(record).not.toHaveProperty(field);
  });

  it('keeps what was chosen when the test fails and the form opens again', async () => {
    await openForm('/billing connect');
    const chosen = { role: 'engineer', type: 'for-a-user', lifetime: '30-days' };
    await bot.slack.submit(OWNER, { token: 'sandbox-token-nobody-knows', project: '123', ...chosen });
    await bot.slack.waitFor(() => modalText().includes('Not connected'));
    expect(modalText()).toContain('Nothing was saved.');
    await pressInForm('Back to the form');
    await bot.slack.waitFor(() => modalText().includes('User access token'));
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing) });
    await bot.slack.waitFor(() => modalText().includes('Connected'));
    expect(await connectionIn('main')).toMatchObject(chosen);
  });

  it('replaces no connection that somebody else changed since it was opened', async () => {
    await register('main');
    await bot.slack.say(OWNER, CHANNEL, '/billing connect');
    await bot.slack.waitFor(() => bot.slack.modal(OWNER));
    await bot.slack.say(ADMIN, CHANNEL, '/billing connect main');
    await bot.slack.waitFor(() => bot.slack.modal(ADMIN));
    const administrator = bot.billing.tokens.find(({ label }) => label === 'Administrator')!.value;
    await bot.slack.submit(ADMIN, { token: administrator, project: '123' });
    await bot.slack.waitFor(() => modalText(ADMIN).includes('Connected'));
    const asked = bot.billing.requests.length;
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123' });
    await bot.slack.waitFor(() => modalText().includes('Not connected'));
    expect(modalText()).toContain('The connection main was changed.');
    expect(bot.billing.requests).toHaveLength(asked);
    expect((await connectionIn('main')).registeredBy).toBe(ADMIN);
    await pressInForm('Back to the form');
    await bot.slack.waitFor(() => modalText().includes(`token ending ${administrator.slice(-4)}`));
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123' });
    await bot.slack.waitFor(() => modalText().includes('Connected'));
  });

  it('keeps what was typed when More… shows the rest, but never the token', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing connect quick');
    await bot.slack.waitFor(() => bot.slack.modal(OWNER));
    const viewId = bot.slack.modal(OWNER)!.id;
    const typed = (value: string) => ({ value: { type: 'plain_text_input', value } });
    const state = { token: typed('half-a-token'), project: typed('456') };
    await bot.slack.act(OWNER, { viewId }, { action_id: 'connect-more' }, state);
    await bot.slack.waitFor(() => modalText().includes('Role of the token'));
    expect(shown()).toContain('"initial_value":"456"');
    expect(shown()).toContain('"initial_value":"quick"');
    expect(shown()).not.toContain('half-a-token');
    await bot.slack.dismiss(OWNER);
  });
});

describe('the expiry of a token', () => {
  const openExpiry = async (label: string, person = OWNER) => {
    const { ts } = await bot.ask('/billing status details', person);
    await bot.slack.press(person, { channel: CHANNEL, ts }, label);
    await bot.slack.waitFor(() => modalText(person).includes('Token expiry'));
  };
  const saidAfter = async (fields: Record<string, string | readonly string[]>) => {
    await bot.slack.submit(OWNER, fields);
    await bot.slack.waitFor(() => !/Saving…|Expires on/.test(modalText()));
    const said = modalText();
    await bot.slack.dismiss(OWNER);
    return said;
  };

  it('is set and changed later without the token, and people are reminded of the last one', async () => {
    await register('main');
    const before = await connectionIn('main');
    now += 8 * 86_400_000;
    await openExpiry('Set expiry…');
    expect(modalText()).toContain('expiry unknown');
    expect(await saidAfter({ expires: '2026-12-11' })).toContain('expires Fri 11 Dec 2026 (12 days)');
    const direct = OWNER.replace(/^U/, 'D');
    const reminders = () => bot.slack.messages(OWNER, direct).map(({ text }) => text);
    await bot.slack.waitFor(
      () => reminders().some((text) => text.includes('expires Fri 11 Dec 2026')),
      15_000,
    );
    await openExpiry('Change expiry…');
    expect(await saidAfter({ expires: '2026-12-12' })).toContain('expires Sat 12 Dec 2026 (13 days)');
    await bot.slack.waitFor(
      () => reminders().some((text) => text.includes('expires Sat 12 Dec 2026')),
      15_000,
    );
    await openExpiry('Change expiry…');
    expect(await saidAfter({ never: ['never'] })).toContain('no expiry');
    const { lifetime, ...after } = await connectionIn('main');
    expect(lifetime).toBe('none');
    expect(after).toEqual(before);
    expect((await auditLines())[0]).toBe('expiry changed: connection main');
    expect((await bot.ask('/balance 123')).visibleText).toContain('left');
  });

  it('needs a day or “never”, and not both', async () => {
    await register('main');
    await openExpiry('Set expiry…');
    await bot.slack.submit(OWNER, {});
    expect(bot.slack.modal(OWNER)!.errors.expires).toContain('Choose a day');
    await bot.slack.submit(OWNER, { expires: '2027-01-01', never: ['never'] });
    expect(bot.slack.modal(OWNER)!.errors.expires).toContain('not both');
  });

  it('is not set for a token that replaced the one in the form', async () => {
    await register('main');
    await register('finance');
    await openExpiry('Set expiry…', ADMIN);
    await register('finance', { token: bot.billing.tokens[0]!.value });
    await register('main', { token: bot.billing.tokens[0]!.value });
    await bot.slack.submit(ADMIN, { expires: '2026-12-01' });
    await bot.slack.waitFor(() => modalText(ADMIN).includes('Someone else changed this first.'));
    for (const name of ['main', 'finance']) expect(await connectionIn(name)).not.toHaveProperty('expiresAt');
  });
});

describe('several connections', () => {
  const administrator = () => bot.billing.tokens.find(({ label }) => label === 'Administrator')!.value;

  it('are registered by name, in lower case, even with the same token', async () => {
    await register('');
    expect(await register('', { name: 'EU-Finance' })).toContain('The default connection is still main.');
    expect(Object.keys(await told()).sort()).toEqual(['connection:eu-finance', 'connection:main']);
    const [main, other] = [await connectionIn('main'), await connectionIn('eu-finance')];
    expect(other.fingerprint).toBe(main.fingerprint);
    expect(other.sealed).not.toBe(main.sealed);
    expect(await auditLines()).toEqual(['connection registered: eu-finance', 'connection registered: main']);
  });

  it('open the form of the named one, filled in without its token', async () => {
    await register('main', { account: 'Acme' });
    await register('finance', { account: 'Globex', role: 'accountant', token: administrator() });
    await openForm('/billing connect finance');
    const view = JSON.stringify(bot.slack.modal(OWNER)!.view);
    expect(view).toContain('"initial_value":"finance"');
    expect(view).toContain('Globex');
    expect(view).not.toContain(administrator());
    expect(modalText()).toContain('finance uses http://127.0.0.1');
    await bot.slack.dismiss(OWNER);
    await openForm('/billing connect');
    expect(modalText()).toContain('You have: finance, main.');
    expect(JSON.stringify(bot.slack.modal(OWNER)!.view)).toContain('Acme');
  });

  it('are replaced one at a time; the others, and a rejected one, stay unchanged', async () => {
    await register('main');
    await register('finance');
    const before = await told();
    const refused = await register('finance', { token: 'sandbox-token-nobody-knows' });
    expect(refused).toContain('The current token stays in use.');
    expect(await told()).toEqual(before);

    await register('finance', { token: administrator() });
    expect((await connectionIn('finance')).fingerprint).not.toBe((await connectionIn('main')).fingerprint);
    expect((await told())['connection:main']).toBe(before['connection:main']);
    expect((await auditLines())[0]).toBe('connection replaced: finance');
  });

  it('send each token to its own host alone, also after one of them moved to the other', async () => {
    const second = await startBilling({ now: () => now });
    onTestFinished(() => second.close());
    const seen = (host: BillingService) => [...new Set(host.requests.map(({ token }) => token))];
    const theirs = { baseUrl: second.url, token: administrator() };
    await register('main');
    await register('eu', theirs);

    const test = async (name: string) => {
      const { ts, blocks } = await bot.ask('/billing status details');
      const row = blocks.find(({ elements }) =>
        (elements as { action_id?: string; value?: string }[] | undefined)?.some(
          (one) => one.action_id === 'connection-test' && one.value === name,
        ),
      );
      const counts = [bot.billing.requests.length, second.requests.length] as const;
      await bot.slack.act(
        OWNER,
        { channel: CHANNEL, ts },
        { block_id: row!.block_id as string, action_id: 'connection-test' },
      );
      await bot.slack.waitFor(() => lastOf().visibleText.includes('The test passed'));
      return [bot.billing.requests.length - counts[0], second.requests.length - counts[1]];
    };
    expect(await test('eu')).toEqual([0, 1]);
    expect(await test('main')).toEqual([1, 0]);
    await register('main', theirs);
    expect(await test('main')).toEqual([0, 1]);
    expect([seen(bot.billing), seen(second)]).toEqual([['Read-only'], ['Administrator']]);
  });

  it('ask with the default one, also when that is the only one and not called main', async () => {
    await register('', { name: 'finance' });
    await register('eu', { token: administrator() });
    await bot.ask('/balance 123');
    expect(bot.billing.requests.at(-1)!.token).toBe('Read-only');
    expect(JSON.parse((await told()).settings ?? '{}').connection).toBe('finance');
  });

  it('ask only by name while there is no default, until one is registered', async () => {
    await register('eu');
    await register('us');
    await bot.redis.client.hdel('tally:{T0SANDBOX1}:record', 'settings');
    const answer = await bot.ask('/balance 123');
    expect(answer.visibleText).toContain('There are several connections, and none of them is the default.');
    expect(await register('us', { token: administrator() })).toContain('us is the default connection.');
    expect((await auditLines())[0]).toBe('default connection changed: us');
    await bot.ask('/balance 123');
    expect(bot.billing.requests.at(-1)!.token).toBe('Administrator');
  });

  it('are repaired by registering again when a record is damaged', async () => {
    await register('main');
    await bot.redis.client.hset('tally:{T0SANDBOX1}:record', 'connection:main', '{');
    expect((await bot.ask('/balance 123')).visibleText).toContain('can’t read the stored access token.');
    await openForm('/billing connect');
    expect(modalText()).toContain(
      'The record of main is damaged and not used. Enter its token again to repair it.',
    );
    await bot.slack.dismiss(OWNER);
    await register('main');
    expect((await bot.ask('/balance 123')).visibleText).toContain('left');
  });

  it('are limited to what a record can hold', async () => {
    await bot.connect();
    const json = (await told())['connection:main']!;
    for (let n = 1; n < MAX_CONNECTIONS; n += 1) {
      const named = json.replace('"name":"main"', `"name":"c-${n}"`);
      await bot.redis.client.hset('tally:{T0SANDBOX1}:record', `connection:c-${n}`, named);
    }
    const asked = bot.billing.requests.length;
    expect(await register('one-more')).toContain(`the limit is ${MAX_CONNECTIONS}`);
    expect(bot.billing.requests).toHaveLength(asked);
    expect(await connectionIn('one-more')).toBeNull();
    expect(await register('main')).toContain('Connected');
  });

  it('answer for the projects that use them, and fail for a deleted one', async () => {
    await register('main');
    await register('finance', { token: administrator() });
    const project = (alias: string, connection: string) =>
      bot.redis.client.hset(
        'tally:{T0SANDBOX1}:record',
        `project:${alias}`,
        JSON.stringify({
          ...{ alias, id: '123', product: 1, connection, channels: [] },
          ...{ owner: OWNER, addedBy: OWNER, addedAt: NOW },
        }),
      );
    await project('prod', 'finance');
    await project('lost', 'gone');
    await bot.ask('/balance prod');
    expect(bot.billing.requests.at(-1)!.token).toBe('Administrator');
    const asked = bot.billing.requests.length;
    for (const command of ['/balance lost', '/spend lost']) {
      const answer = await bot.ask(command);
      expect(answer.visibleText).toContain('The connection “gone”, which lost uses, no longer exists.');
      await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, 'Choose another…');
      await bot.slack.waitFor(() => textOf(bot.slack.modal(OWNER)?.view).includes('Edit a project'));
      await bot.slack.dismiss(OWNER);
      const { visibleText } = await bot.ask(command, MEMBER);
      expect(visibleText).toContain('The connection “gone”, which lost uses, no longer exists.');
      expect(visibleText).not.toContain('Choose another…');
    }
    expect(bot.billing.requests).toHaveLength(asked);
  });
});

describe('/billing disconnect', () => {
  const answerTo = async (label: string, ts: string) => {
    const before = lastOf().visibleText;
    await bot.slack.press(OWNER, { channel: CHANNEL, ts }, label);
    await bot.slack.waitFor(() => lastOf().visibleText !== before);
    return lastOf();
  };
  const chosen = async (id: string, value: string, ts: string) => {
    const before = lastOf().visibleText;
    await bot.slack.choose(OWNER, { channel: CHANNEL, ts }, id, value);
    await bot.slack.waitFor(() => lastOf().visibleText !== before);
    return lastOf();
  };

  it('offers a choice when there are several, and deletes only the chosen one', async () => {
    await register('main');
    await register('finance');
    const which = await bot.ask('/billing disconnect');
    expect(which.visibleText).toContain('Disconnect which connection?');
    const confirm = await chosen('disconnect-ask', 'finance', which.ts);
    expect(confirm.visibleText).toContain('Disconnect finance?');
    expect((await answerTo('Disconnect', confirm.ts)).visibleText).toContain(
      'copy of the token for finance.',
    );
    expect(Object.keys(await told())).toEqual(['connection:main']);
    expect((await auditLines())[0]).toBe('connection removed: finance');
  });

  it('says which one becomes the default when one is left', async () => {
    await register('main');
    await register('finance');
    const confirm = await bot.ask('/billing disconnect main');
    expect(confirm.visibleText).toContain('finance becomes the default');
    expect((await answerTo('Disconnect', confirm.ts)).visibleText).toContain(
      'The default connection is now finance.',
    );
    expect(JSON.parse((await told()).settings!).connection).toBe('finance');
    expect((await auditLines()).slice(0, 2)).toEqual([
      'connection removed: main',
      'default connection changed: finance',
    ]);
    expect((await bot.ask('/balance 123')).visibleText).toContain('left');
  });

  it('asks which one becomes the default when several are left', async () => {
    for (const name of ['main', 'finance', 'eu']) await register(name);
    const heir = await bot.ask('/billing disconnect main');
    expect(heir.visibleText).toContain('Choose the new default.');
    const confirm = await chosen('disconnect-heir', 'eu', heir.ts);
    expect(confirm.visibleText).toContain('eu becomes the default');
    await answerTo('Disconnect', confirm.ts);
    expect(JSON.parse((await told()).settings!).connection).toBe('eu');
    expect(await connectionIn('main')).toBeNull();
  });

  it('warns about the projects that use the connection', async () => {
    await register('main');
    await register('finance');
    for (const [alias, connection] of [
      ['prod', 'finance'],
      ['backups', 'finance'],
      ['other', 'main'],
    ]) {
      const project = { alias, id: '123', product: 1, connection, channels: [] };
      await bot.redis.client.hset(
        'tally:{T0SANDBOX1}:record',
        `project:${alias}`,
        JSON.stringify({ ...project, owner: OWNER, addedBy: OWNER, addedAt: NOW }),
      );
    }
    const { visibleText } = await bot.ask('/billing disconnect finance');
    expect(visibleText).toContain('These projects use finance');
    expect(visibleText).toContain('These projects use finance: backups, prod.');
  });

  it('does not delete a token that was registered after the question', async () => {
    await bot.connect();
    const question = await bot.ask('/billing disconnect');
    await register('main', { token: bot.billing.tokens[0]!.value });
    expect((await answerTo('Disconnect', question.ts)).visibleText).toContain('Someone replaced the token');
    expect(await connectionIn('main')).not.toBeNull();
  });

  it('removes a damaged record; a button for an unknown connection does nothing', async () => {
    await bot.connect();
    await bot.redis.client.hset('tally:{T0SANDBOX1}:record', 'connection:main', '{');
    const question = await bot.ask('/billing disconnect');
    expect(question.visibleText).toContain('main · the record is damaged');
    await answerTo('Disconnect', question.ts);
    expect(await told()).toEqual({});
    expect((await bot.ask('/billing disconnect nobody')).visibleText).toContain('isn’t connected');
  });

  it('asks for confirmation, then deletes the sealed token', async () => {
    await bot.connect();
    const answer = await bot.ask('/billing disconnect');
    expect(answer.visibleText).toContain('Disconnect Tally from the billing service?');
    expect(await dump()).toContain('v1.test.');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, 'Disconnect');
    await bot.slack.waitFor(() => textOf(bot.slack.messages(OWNER, CHANNEL)).includes('Disconnected.'));
    expect(await told()).toEqual({});
    expect((await bot.ask('/balance 123')).visibleText).toContain('isn’t connected');
  });

  it('changes nothing when the person cancels', async () => {
    await bot.connect();
    const answer = await bot.ask('/billing disconnect');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, 'keep');
    await bot.slack.waitFor(() =>
      textOf(bot.slack.messages(OWNER, CHANNEL)).includes('Nothing was changed.'),
    );
    expect((await bot.ask('/balance 123')).visibleText).toContain('left');
  });
});

describe('/billing settings', () => {
  it('finds a zone by what is typed, shows its date, and uses it for days', async () => {
    await bot.connect();
    await openForm('/billing settings');
    expect(modalText()).toContain('Today there: Saturday 21 November 2026, 10:15 (UTC)');
    const place = { viewId: bot.slack.modal(OWNER)!.id };
    const found = await bot.slack.suggest(OWNER, place, 'settings-zone', 'new york');
    expect(JSON.stringify(found)).toContain('America/New_York');
    expect(JSON.stringify(found)).toContain('Saturday 21 November 2026, 05:15');
    await bot.slack.choose(OWNER, place, 'settings-zone', 'America/New_York');
    await bot.slack.waitFor(() => modalText().includes('05:15 (UTC-05:00)'));
    await bot.slack.submit(OWNER, { zone: 'America/New_York' });
    await bot.slack.waitFor(() => modalText().includes('Saved.'));
    await bot.slack.dismiss(OWNER);
    const before = bot.billing.requests.length;
    expect((await bot.ask('/spend 123 yesterday')).visibleText).toContain('Fri 20 Nov America/New_York');
    expect(bot.billing.requests.slice(before).map(({ query }) => query)).toContainEqual(
      expect.stringContaining('periodFrom: "2026-11-20T05:00:00.000Z", periodTo: "2026-11-21T04:59:59.999Z"'),
    );
  });
});

describe('/billing', () => {
  it('shows help, and suggests the nearest verb for an unknown one', async () => {
    expect((await bot.ask('/billing')).visibleText).toContain('Tally isn’t connected');
    const answer = await bot.ask('/billing conect');
    expect(answer.visibleText).toContain('Unknown command “conect”. Did you mean this?');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: answer.ts }, '/billing connect');
    await bot.slack.waitFor(() => bot.slack.modal(OWNER));
  });

  it.each([
    ['Qonnekt NOW', 'Qonnekt'],
    ['“Foo_Bar”', 'Foo_Bar'],
    ['frobnicate! now', 'frobnicate!'],
    ['Z'.repeat(50), `${'Z'.repeat(39)}…`],
  ])('quotes an unknown verb as it was typed: %s', async (text, quoted) => {
    const answer = await bot.ask(`/billing ${text}`);
    expect(answer.visibleText).toContain(`Unknown command “${quoted}”.`);
    // A list of every command would name what the person can't do.
    expect(answer.visibleText).toMatch(/\[?All commands/);
    expect(answer.visibleText).not.toContain('disconnect');
  });

  it('does not repeat or log a token that was typed after a verb', async () => {
    const answer = await bot.ask('/billing connect sandboxToken0123456789abcdef');
    expect(answer.visibleText).toContain('looks like a token');
    expect(await everywhere()).not.toContain('sandboxToken0123456789abcdef');
  });
});

describe('what is secret', () => {
  it('leaks nowhere in a day of use: the bot token, the signing secret, the access token', async () => {
    await bot.connect();
    await bot.ask('/balance 123');
    await bot.ask('/spend 123 mtd');
    const [administrator, , accountant] = bot.billing.tokens.map(({ value }) => value);
    await register('finance', { token: administrator!, account: 'Acme' });
    await register('finance', { token: accountant! });
    await register('finance', { token: 'sandbox-token-nobody-knows' });
    const status = await bot.ask('/billing status details');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: status.ts }, 'Test now');
    await bot.slack.waitFor(() => lastOf().visibleText.includes('The test passed'));
    await bot.ask('/billing audit');
    const all = await everywhere();
    const secrets = [goodToken(bot.billing), administrator, accountant, 'sandbox-token-nobody-knows'];
    for (const secret of [...secrets, BOT_TOKEN, SIGNING_SECRET]) expect(all).not.toContain(secret);
    expect(await dump()).toContain('connection replaced');
  });
});
