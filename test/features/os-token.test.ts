import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ACCESSES, type IdentityService, startIdentity } from '../../sandbox/identity.ts';
import { ADMIN, EXTERNAL, FINOPS, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { auditEntries } from '../support/audit.ts';
import { type Bot, CHANNEL, startBot, textOf, toAnswer } from '../support/bot.ts';
import { changeIn } from '../support/change.ts';
import { createFormActions } from '../support/forms.ts';
import { addProject } from '../support/projects.ts';
import { contentOf, type TestRedis, testRedis, workspaceKeys } from '../support/redis.ts';
import { commandsOf } from '../support/redis-commands.ts';
import { type RedisProxy, startRedisProxy } from '../support/redis-proxy.ts';
import { answerWith } from '../support/service-replies.ts';
import { uniqueClick } from '../support/unique-click.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const GENERAL = 'C0GENERAL1';
const BOT_USER = 'U0TALLYBOT';
let now = NOW;
let identity: IdentityService;
let bot: Bot;
/** Every token that the identity service has issued. */
let issued: string[];

beforeEach(async () => {
  now = NOW;
  issued = [];
  identity = await startIdentity({ now: () => now, slowFor: 300 });
  bot = await startBot({ now: () => now, identityUrl: identity.authUrl });
  await addProject(bot, { alias: 'prod', id: '123' });
});
afterEach(async () => {
  await bot.stop();
  await identity.close();
});

type AccessName = keyof IdentityService['accesses'];
const view = (person = OWNER) => bot.slack.modal(person)?.view;
const { modalText, pressInForm: press } = createFormActions(() => bot);
const shows = (text: string, person = OWNER) =>
  bot.slack.waitFor(() => modalText(person).includes(text), 10_000);
const direct = (person: string) => person.replace(/^U/, 'D');
const auditLines = async () => (await auditEntries(bot)).map(({ action, about }) => `${action} ${about}`);
const record = () => bot.redis.client.hgetall('tally:{T0SANDBOX1}:record');
const buttonsOf = (person = OWNER) =>
  ((view(person)?.blocks ?? []) as { type: string; elements?: { text: { text: string } }[] }[])
    .filter(({ type }) => type === 'actions')
    .flatMap(({ elements = [] }) => elements.map(({ text }) => text.text));

interface Naming {
  readonly people?: readonly string[];
  readonly groups?: readonly string[];
}

async function fillIn(name: AccessName, fields: Record<string, string | readonly string[]> = {}) {
  const { id, secret } = identity.accesses[name];
  await bot.slack.submit(OWNER, { access_id: id, secret, ...fields });
}

async function register(name: AccessName = 'good', { people = [OWNER, MEMBER], groups }: Naming = {}) {
  await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
  await bot.slack.waitFor(() => modalText().includes('Secret key'));
  await fillIn(name, { people, ...(groups && { groups }) });
  await bot.slack.waitFor(() =>
    /ot saved|not be saved|can issue|Enter ID and secret again/.test(modalText()),
  );
  if (modalText().includes('Enter ID and secret again')) await fillIn(name);
  await bot.slack.waitFor(() => /ot saved|not be saved|can issue/.test(modalText()));
  const said = modalText();
  await bot.slack.dismiss(OWNER);
  return said;
}

/** The texts of the preformatted blocks: the token, then the lines for a shell. */
function pieces(person = OWNER): readonly string[] {
  const blocks = (view(person)?.blocks ?? []) as { type: string; elements?: unknown }[];
  return blocks.filter(({ type }) => type === 'rich_text').map((block) => textOf(block.elements));
}

/** A direct message needs no confirmation. */
async function issue(person = OWNER, channel = direct(person)): Promise<string> {
  await bot.slack.say(person, channel, '/os-token prod');
  return shown(person);
}

async function shown(person = OWNER, ...before: readonly string[]): Promise<string> {
  await bot.slack.waitFor(() => {
    const [token] = pieces(person);
    return token?.startsWith('gAAAAA') && !before.includes(token);
  }, 10_000);
  const [token = ''] = pieces(person);
  issued.push(token);
  return token;
}

/** All of Redis, as text. */
async function dump(): Promise<string> {
  const { client } = bot.redis;
  return JSON.stringify(
    await Promise.all((await client.keys('*')).map(async (key) => [key, await contentOf(client, key)])),
  );
}

/** How often a text is in the calls to Slack, by method. */
function sent(text: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const call of bot.slack.calls)
    if (JSON.stringify(call).includes(text)) found[call.method] = (found[call.method] ?? 0) + 1;
  return found;
}

describe('an application access', () => {
  it('is tested with a token that is revoked at once, then sealed and described as far as the service allows', async () => {
    const said = await register('good', { people: [MEMBER] });
    expect(said).toContain('prod can issue OS_TOKENs');
    expect(said).toContain('The test passed: the service issued a token and revoked it.');
    expect(said).toContain('access ending 0001, expiry unknown · named Application access · restricted');
    expect(said).toContain('Project prod (sandbox-project) in Default · role member · acts as sandbox');
    expect(said).toContain(`Can get tokens: <@${MEMBER}>`);
    expect(identity.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
    expect(await auditLines()).toEqual(['registered the application access of prod (project 123)']);
    const { id, secret } = identity.accesses.good;
    for (const hidden of [id, secret])
      expect([await dump(), bot.log(), JSON.stringify(bot.slack.calls)].join()).not.toContain(hidden);
    expect(await dump()).toContain('v1.test.');
  });

  it('starts with the URL from the environment, and with the person who registers it', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access 123');
    await shows('Secret key');
    expect(JSON.stringify(view())).toContain(identity.authUrl);
    expect(JSON.stringify(view())).toContain(`"initial_users":["${OWNER}"]`);
  });

  it('warns when it is unrestricted', async () => {
    expect(await register('unrestricted')).toContain('*This access is unrestricted.*');
  });

  it('is not saved when the service rejects it, and the previous one stays', async () => {
    await register('good', { people: [MEMBER] });
    const before = await record();
    for (const [name, sentence] of [
      ['expired', 'refused the application access (HTTP 401)'],
      ['disabled', 'won’t issue a token for that project (HTTP 404)'],
    ] as const) {
      expect(await register(name)).toContain(sentence);
      expect(await record()).toEqual(before);
    }
  });

  it('can change its people without the secret, but not its URL', async () => {
    await register('good', { people: [OWNER] });
    const form = async (fields: Record<string, string | readonly string[]>) => {
      await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
      await shows('Secret key');
      await bot.slack.submit(OWNER, fields);
      await bot.slack.waitFor(() => !modalText().includes('Testing'));
      const said = modalText();
      await bot.slack.dismiss(OWNER);
      return said;
    };
    const asked = identity.requests.length;
    expect(await form({ people: [MEMBER] })).toContain(`<@${MEMBER}>`);
    const other = identity.authUrl.replace('/v3', '/elsewhere/v3');
    expect(await form({ people: [OWNER], authUrl: other })).toContain('is a new address');
    expect(identity.requests.length).toBe(asked);
    expect((await auditLines())[0]).toBe('changed who can get OS_TOKENs for prod (project 123)');
    await issue(MEMBER);
  });

  it('has an expiry only if a person entered it, at once or later without the secret', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
    await shows('Secret key');
    await fillIn('good', { people: [OWNER], expires: '2027-02-03' });
    await shows('can issue OS_TOKENs');
    expect(modalText()).toContain('access ending 0001, expires Wed 3 Feb 2027 (74 days)');
    await bot.slack.dismiss(OWNER);
    expect(await register('good', { people: [OWNER] })).toContain('access ending 0001, expiry unknown');
    expect((await bot.ask('/billing status')).visibleText).toMatch(
      /^\*prod\* · OS_TOKEN .*expiry unknown\nSet expiry…$/m,
    );
    const asked = identity.requests.length;
    const { sealed } = JSON.parse((await record())['access:123']!);
    for (const [fields, says] of [
      [{ expires: '2027-03-01' }, 'expires Mon 1 Mar 2027 (100 days)'],
      [{}, 'No changes to save.'],
      [{ never: ['never'] }, 'no expiry'],
    ] as const) {
      await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
      await shows('Secret key');
      await bot.slack.submit(OWNER, fields);
      await shows(says);
      await bot.slack.dismiss(OWNER);
    }
    expect(JSON.parse((await record())['access:123']!)).toMatchObject({ sealed, lifetime: 'none' });
    expect(identity.requests).toHaveLength(asked);
    expect((await auditLines()).slice(0, 2)).toEqual(
      Array(2).fill('changed the expiry of prod (project 123)'),
    );
    await issue(OWNER);
  });

  it('is saved only if nobody changed it since the form opened, with or without a new secret', async () => {
    await register('good', { people: [OWNER] });
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
    await shows('Secret key');
    await bot.slack.say(ADMIN, CHANNEL, '/billing projects access prod');
    await shows('Secret key', ADMIN);
    await bot.slack.submit(ADMIN, { people: [OWNER, ADMIN] });
    await shows('Saved.', ADMIN);
    const before = await record();
    await bot.slack.submit(OWNER, { people: [OWNER, MEMBER], expires: '2027-03-01' });
    await shows('Someone else changed this first. It’s now access ending 0001');
    expect(await record()).toEqual(before);
  });

  it('is tested and saved once, however often the form is sent, and to however many processes', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
    await shows('Secret key');
    const { id, view: form } = bot.slack.modal(OWNER)!;
    const { id: access, secret } = identity.accesses.good;
    const typed = (block: string, value: object) => ({ [block]: { [block]: value } });
    const state = {
      values: {
        ...typed('authUrl', { type: 'plain_text_input', value: identity.authUrl }),
        ...typed('access_id', { type: 'plain_text_input', value: access }),
        ...typed('secret', { type: 'plain_text_input', value: secret }),
        ...typed('people', { type: 'multi_users_select', selected_users: [OWNER] }),
      },
    };
    const payload = {
      type: 'view_submission',
      view: {
        id,
        type: 'modal',
        callback_id: 'application-access',
        private_metadata: form.private_metadata,
        state,
      },
    };
    const first = bot.url;
    await bot.startAnotherProcess();
    const send = (url: string) => forged(OWNER, payload, '', id, url, 'application-access');
    await Promise.all([first, bot.url, first, bot.url].map(send));
    await shows('can issue OS_TOKENs');
    expect(identity.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
    expect(await auditLines()).toEqual(['registered the application access of prod (project 123)']);
  });

  it('offers the corrected URL when part of it is missing', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
    await shows('Secret key');
    await fillIn('good', { authUrl: identity.url });
    expect(bot.slack.modal(OWNER)!.errors.authUrl).toContain(identity.authUrl);
    const wrong = identity.authUrl.replace('/v3', '/identity/v3');
    await fillIn('good', { authUrl: wrong });
    await shows('Not saved');
    expect(modalText()).toContain('Nothing was saved.');
    await shows('Secret key');
    expect(JSON.stringify(view())).toContain(wrong);
  });

  it('is filled in again without ID and secret, which may have been swapped', async () => {
    const { id, secret } = identity.accesses.good;
    for (const [access_id, given] of [
      [id, 'a-secret-that-is-wrong'],
      [secret, 'a-secret-that-is-wrong'],
    ] as const) {
      await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
      await shows('Secret key');
      await bot.slack.submit(OWNER, { access_id, secret: given });
      await shows('Not saved');
      await shows('Secret key');
      await bot.slack.dismiss(OWNER);
    }
    for (const hidden of [id, secret, 'a-secret-that-is-wrong'])
      expect([JSON.stringify(bot.slack.calls), bot.log(), await dump()].join()).not.toContain(hidden);
  });

  it('sends no request when ID and secret are obviously swapped', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
    await shows('Secret key');
    const { id, secret } = identity.accesses.good;
    await bot.slack.submit(OWNER, { access_id: secret, secret: id });
    expect(bot.slack.modal(OWNER)!.errors.access_id).toContain('look swapped');
    expect(identity.requests).toEqual([]);
  });

  it('is registered with a warning when it seems to expire soon', async () => {
    const said = await register('expiring');
    expect(said).toContain('The test token expires at 10:35 on Sat 21 Nov 2026 (UTC), in 20 minutes.');
    expect(said).toContain('the access itself expires then');
    const usual = await register('good');
    expect(usual).toContain('Expiry unknown: the service doesn’t say.');
    expect(usual).not.toContain('the access itself expires then');
  });

  it.each([
    ['502', 'may have issued a token, but its answer got lost'],
    ['lost', 'may have issued a token, but its answer got lost'],
    ['no-token', 'sent a response that Tally can’t read: it has no X-Subject-Token'],
  ])('leaves in the audit that the outcome of its test is unclear (%s)', async (mode, sentence) => {
    answerWith(identity, mode);
    expect(await register()).toContain(sentence);
    expect(await auditLines()).toEqual(['got an OS_TOKEN for prod (project 123) · test · outcome unclear']);
  });

  it('logs a rejection, without the fields', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
    await shows('Secret key');
    await fillIn('good', { secret: 'a-secret-that-is-wrong' });
    await shows('Not saved');
    await bot.slack.waitFor(() => /"route":"application-access".*"outcome":"access-refused"/.test(bot.log()));
    for (const hidden of [identity.accesses.good.id, 'a-secret-that-is-wrong'])
      expect(bot.log()).not.toContain(hidden);
  });

  it('says which of the named people cannot get tokens yet, and why', async () => {
    const none = 'Can’t get tokens yet';
    expect(await register('good', { people: [OWNER, MEMBER] })).not.toContain(none);
    const people = [MEMBER, GUEST, EXTERNAL, BOT_USER];
    const said = await register('good', { people });
    expect(said).toContain(
      `*${none}:* <@${GUEST}> (guests are turned off in /billing settings), <@${EXTERNAL}> (external), <@${BOT_USER}> (has left, or is an app)`,
    );
    const keyring = createKeyring([{ id: 'none', key: randomBytes(32) }]);
    const workspaces = createWorkspaces({ redis: bot.redis.client, keyring });
    const change = await changeIn(workspaces, 'T0SANDBOX1');
    await workspaces.saveSettings(change, { guests: true, externals: true });
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
    await shows('Secret key');
    await bot.slack.submit(OWNER, { people });
    await shows('No changes to save.');
    expect(modalText()).not.toContain(`<@${GUEST}> (`);
    expect(modalText()).toContain(`*${none}:* <@${EXTERNAL}> (external), <@${BOT_USER}>`);
  });

  it('is saved even when Slack does not return who they are', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
    await shows('Secret key');
    identity.setMode('slow');
    await fillIn('good', { people: [OWNER, GUEST] });
    await bot.slack.waitFor(() => identity.requests.length === 1);
    bot.slack.failNext('users.info', { error: 'internal_error' }, 5);
    await shows('can issue OS_TOKENs');
    expect(modalText()).toContain(`Can get tokens: <@${OWNER}>, <@${GUEST}>`);
    expect(modalText()).not.toContain('Can’t get tokens yet');
  });

  it('needs at least one person', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
    await shows('Secret key');
    await fillIn('good', { people: [] });
    expect(bot.slack.modal(OWNER)!.errors.people).toContain('at least one');
  });

  it('stays with the project when its name changes, and is deleted by a button', async () => {
    await register();
    await bot.slack.say(OWNER, CHANNEL, '/billing projects rename prod');
    await shows('Edit a project');
    await bot.slack.submit(OWNER, { alias: 'live' });
    await shows('is now named live');
    await bot.slack.dismiss(OWNER);
    await bot.slack.say(OWNER, direct(OWNER), '/os-token live');
    await shown();
    await bot.slack.dismiss(OWNER);
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access live');
    await shows('Remove this access');
    await press('Remove this access');
    await shows('Removed the access for');
    expect(await record()).not.toHaveProperty('access:123');
    expect((await auditLines())[0]).toBe('removed the application access of live (project 123)');
  });

  it('cannot be registered without the manage right', async () => {
    expect((await bot.ask('/billing projects access prod', MEMBER)).visibleText).toContain(
      'Only Tally managers can do this',
    );
    expect(view(MEMBER)).toBeUndefined();
  });
});

describe('/os-token', () => {
  it('says at once that it issues, then shows the token in one piece, the shell lines, the project and the expiry', async () => {
    await register();
    identity.setMode('slow');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('Issuing a token for prod…');
    const token = await shown();
    expect(identity.isLive(token)).toBe(true);
    expect(pieces()).toHaveLength(2);
    expect(pieces()[0]).toBe(token);
    expect(pieces()[1]).toContain(`export OS_TOKEN='${token}'`);
    expect(modalText()).toMatch(/^OS_TOKEN for prod/m);
    expect(modalText()).toContain('It expires at 11:15 on Sat 21 Nov 2026 (Europe/London), in 1 hour.');
    expect(modalText()).toContain('Project prod (sandbox-project) in Default · role member');
    expect(buttonsOf()).toEqual(['Revoke now']);
  });

  it('says which service OS_ENDPOINT belongs to', async () => {
    await register();
    await issue();
    expect(modalText()).toContain('OS_ENDPOINT is the compute endpoint:');
    await bot.slack.dismiss(OWNER);
    answerWith(identity, 'bare');
    await issue();
    expect(pieces()[1]).toContain(`OS_ENDPOINT='${identity.authUrl}'`);
    expect(modalText()).toContain(
      'The service sent no compute endpoint, so OS_ENDPOINT is the identity endpoint:',
    );
  });

  it('shows times in the reader’s zone, whatever the machine’s is', async () => {
    await register('expiring');
    await issue(MEMBER);
    expect(modalText(MEMBER)).toContain(
      'It expires at 11:35 on Sat 21 Nov 2026 (Europe/Berlin), in 20 minutes.',
    );
  });

  it('sends the token to Slack in one call, and stores it nowhere', async () => {
    await register();
    const token = await issue();
    expect(sent(token)).toEqual({ 'views.update': 1 });
    await press('Revoke now');
    await shows('Revoked.');
    const rest = [bot.log(), await dump(), JSON.stringify(bot.slack.messages(OWNER, CHANNEL))].join('\n');
    for (const text of [token, token.slice(10, 60), Buffer.from(token).toString('base64').slice(0, 80)])
      expect(rest).not.toContain(text);
    expect(sent(token)).toEqual({ 'views.update': 1 });
    expect(JSON.stringify(bot.slack.traffic.entries)).not.toContain(token);
  });

  it('is audited before it is shown, by a hash', async () => {
    await register();
    await issue();
    expect((await auditLines())[0]).toMatch(
      /^got an OS_TOKEN for prod \(project 123\) · token [0-9a-f]{12}$/,
    );
  });

  it('shows no token that could not be audited, and revokes it', async () => {
    await register();
    await bot.redis.client.del('tally:{T0SANDBOX1}:audit');
    await bot.redis.client.set('tally:{T0SANDBOX1}:audit', 'no stream');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('Another program changed Tally’s data of this workspace.');
    expect(modalText()).toContain('Tally revoked the token. This may not be in the audit.');
    expect(pieces()).toEqual([]);
    expect(identity.requests.at(-1)?.method).toBe('DELETE');
  });

  describe('that can neither be audited nor revoked', () => {
    const LIVES = 'Tally couldn’t revoke the token: it works until 11:15 on Sat 21 Nov 2026 (Europe/London).';

    beforeEach(async () => {
      await register();
      answerWith(identity, 'no-revocation');
      await bot.redis.client.del('tally:{T0SANDBOX1}:audit');
    });

    it('may stay valid, and the modal says so', async () => {
      // The workspace is deleted before the token arrives.
      identity.setMode('slow');
      await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
      await bot.slack.waitFor(() => identity.requests.length === 3);
      answerWith(identity, 'no-revocation');
      await bot.redis.client.del('tally:{T0SANDBOX1}:record');
      await shows(LIVES);
      expect(modalText()).toContain('Tally isn’t installed in this workspace.');
      expect(pieces()).toEqual([]);
      await bot.slack.waitFor(() => bot.log().includes('"outcome":"token-not-shown"'));
    });

    it('may stay valid, and the modal says so for an unexpected error too', async () => {
      // A stream that has had its last ID takes no entry.
      const last = `${2n ** 64n - 1n}`;
      await bot.redis.client.xadd('tally:{T0SANDBOX1}:audit', `${last}-${last}`, 'at', '1');
      await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
      await shows(LIVES);
      expect(pieces()).toEqual([]);
      await bot.slack.waitFor(() => bot.log().includes('exhausted the last possible ID'));
    });
  });

  it('is revoked when the modal was closed before it arrived', async () => {
    await register();
    identity.setMode('slow');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('Issuing');
    await bot.slack.dismiss(OWNER);
    identity.setMode('healthy');
    await bot.slack.waitFor(() =>
      bot.slack
        .messages(OWNER, direct(OWNER))
        .some((one) => toAnswer(one).visibleText.includes('Tally revoked the token.')),
    );
    expect(identity.requests.at(-1)?.method).toBe('DELETE');
  });

  it.each([
    ['internal_error', { error: 'internal_error' }],
    ['ratelimited', { status: 429, retryAfter: 60 }],
  ] as const)('does not wait for ever where Slack answers %s instead of showing it', async (_, failure) => {
    await register();
    identity.setMode('slow');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('Issuing');
    bot.slack.failNext('views.update', failure);
    await shows('Tally got a token for prod, but couldn’t show it.');
    expect(modalText()).toContain('Tally revoked the token.');
    expect(modalText()).toContain('/os-token prod');
    expect(pieces()).toEqual([]);
    expect(identity.requests.at(-1)?.method).toBe('DELETE');
  });

  it('waits for one short rate limit of Slack', async () => {
    await register();
    identity.setMode('slow');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('Issuing');
    bot.slack.failNext('views.update', { status: 429, retryAfter: 1 });
    await shows('Revoke now');
    await bot.slack.dismiss(OWNER);
  });

  it('says so where a token has expired by Tally’s clock', async () => {
    const { expiring } = ACCESSES;
    const { expiresIn = 0 } = expiring;
    expiring.expiresIn = -1;
    onTestFinished(() => {
      expiring.expiresIn = expiresIn;
    });
    await register('expiring');
    await issue();
    expect(modalText()).toContain('which is past by Tally’s clock.');
  });

  it('warns beside a token of an unrestricted access', async () => {
    await register('unrestricted');
    await issue();
    expect(modalText()).toContain('*This access is unrestricted.*');
  });

  it.each([
    ['no-zone', 'It expires at 11:15 on Sat 21 Nov 2026 (Europe/London), in 1 hour.'],
    ['no-expiry', 'The service doesn’t say when it expires.'],
    ['bare', 'The service doesn’t say when it expires. '],
  ])('shows the token when the service is in the mode %s', async (mode, sentence) => {
    await register();
    answerWith(identity, mode);
    await issue();
    expect(modalText()).toContain(sentence.trim());
  });

  it.each([
    ['401', 'refused the application access (HTTP 401)', ['Replace access…', 'Try again']],
    ['404', 'doesn’t know that application access (HTTP 404)', ['Replace access…', 'Try again']],
    ['403', 'refused the application access (HTTP 403)', ['Replace access…', 'Try again']],
    ['400', 'HTTP 400', ['Try again']],
    ['413', 'HTTP 413', ['Try again']],
    ['429', 'is limiting Tally’s requests (HTTP 429)', ['Try again']],
    ['no-token', 'sent a response that Tally can’t read: it has no X-Subject-Token', ['Try again']],
  ])('says what is wrong when the service answers with %s', async (mode, sentence, buttons) => {
    await register();
    answerWith(identity, mode);
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows(sentence);
    // Who reads it is one.
    expect(modalText()).not.toContain('A Tally manager can');
    expect(buttonsOf()).toEqual(buttons);
    await bot.slack.waitFor(() => /"route":"\/os-token".*"outcome":"(?!ok)/.test(bot.log()));
    identity.setMode('healthy');
    await press('Try again');
    await shown();
  });

  it('shows in the status that the access was rejected, until it issues a token again', async () => {
    await register();
    const isRejected = async () =>
      (await bot.ask('/billing status')).visibleText.includes('rejected by the identity service');
    now += 1_000;
    identity.setMode('401');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('HTTP 401');
    expect(await isRejected()).toBe(true);
    identity.setMode('healthy');
    await press('Try again');
    await shown();
    expect(await isRejected()).toBe(false);
  });

  it('does not retry when no answer came, and says that a token may exist', async () => {
    await register();
    const asked = identity.requests.length;
    answerWith(identity, 'reset');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('may have issued a token, but its answer got lost');
    expect(identity.requests.length).toBe(asked + 1);
    expect(modalText()).toContain('If there is a token, nobody has seen it');
  });

  it.each([
    ['lost', 'may have issued a token, but its answer got lost'],
    ['502', 'may have issued a token, but its answer got lost'],
    ['503', 'may have issued a token, but its answer got lost'],
    ['no-token', 'sent a response that Tally can’t read: it has no X-Subject-Token'],
  ])('leaves in the audit that a token may have been issued (%s)', async (mode, sentence) => {
    await register();
    answerWith(identity, mode);
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows(sentence);
    expect((await auditLines())[0]).toBe('got an OS_TOKEN for prod (project 123) · outcome unclear');
  });

  it('is only for the named people, not for managers and owners as such', async () => {
    await register('good', { people: [ADMIN] });
    const said = await bot.ask('/os-token prod', OWNER);
    expect(said.visibleText).toContain('You can’t get tokens for prod.');
    expect(said.visibleText).toContain(
      'Managers need to be added too. Add yourself with /billing projects access.',
    );
    expect((await bot.ask('/os-token prod', MEMBER)).visibleText).toContain(
      'A Tally manager can add you with /billing projects access.',
    );
    expect(view()).toBeUndefined();
    await issue(ADMIN);
  });

  it('looks up the members of a named group each time', async () => {
    await register('good', { people: [OWNER], groups: [FINOPS] });
    await issue(MEMBER);
    await bot.slack.dismiss(MEMBER);
    bot.slack.workspace.userGroups.find(({ id }) => id === FINOPS)!.members.length = 0;
    await bot.slack.say(MEMBER, direct(MEMBER), '/os-token prod');
    await shows('You can’t get tokens for prod.', MEMBER);
    await bot.slack.say(ADMIN, direct(ADMIN), '/os-token prod');
    await shows('You can’t get tokens for prod.', ADMIN);
  });

  it('is not for guests who cannot use Tally, even if named', async () => {
    await register('good', { people: [GUEST] });
    const said = await bot.ask('/os-token prod', GUEST, GENERAL);
    expect(said.visibleText).toContain('Guests can’t use Tally in this workspace.');
  });

  it('respects a project’s channels, in the modal too', async () => {
    await addProject(bot, { alias: 'web', id: '456', channels: [CHANNEL] });
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access web');
    await shows('Secret key');
    await fillIn('good', { people: [MEMBER] });
    await shows('can issue');
    expect((await bot.ask('/os-token web', MEMBER, GENERAL)).visibleText).toContain(
      'can’t ask about this project here',
    );
    await bot.slack.say(MEMBER, CHANNEL, '/os-token web');
    await shows('Continue', MEMBER).catch(() => undefined);
    await bot.slack.submit(MEMBER);
    const first = await shown(MEMBER);
    await press('Revoke now', MEMBER);
    await shows('Revoked.', MEMBER);
    await press('Issue another', MEMBER);
    await shown(MEMBER, first);
  });

  it('says which access is missing, with a button for people who can register it', async () => {
    const said = await bot.ask('/os-token prod');
    expect(said.visibleText).toContain('prod has no application access');
    expect(said.visibleText).toContain('Register an access…');
    await bot.slack.press(OWNER, { channel: CHANNEL, ts: said.ts }, 'Register an access…');
    await shows('Secret key');
    expect((await bot.ask('/os-token prod', MEMBER)).visibleText).not.toContain('Register an access…');
  });

  it('takes neither a period nor a product, and shows help', async () => {
    for (const [typed, quoted] of [
      ['prod last-week', 'last-week'],
      ['Last Week prod', 'last week'],
      ['last 7 days prod', 'last 7 days'],
      ['october', 'october'],
    ]) {
      const { visibleText } = await bot.ask(`/os-token ${typed}`);
      expect(visibleText).toContain(`“${quoted}” is a period, and a token has none`);
      expect(visibleText).toContain('/os-token prod');
    }
    expect((await bot.ask('/os-token prod storage')).visibleText).toContain(
      'a token covers the whole project',
    );
    const { visibleText } = await bot.ask('/os-token nowhere');
    expect(visibleText).toContain('I don’t recognize “nowhere”.');
    expect(visibleText).not.toContain('last-7-days');
    expect((await bot.ask('/os-token prof')).visibleText).toContain('/os-token prod');
    expect((await bot.ask('/os-token help')).visibleText).toContain('/os-token [project]');
    expect((await bot.ask('/os-token')).visibleText).toContain('Which project?');
  });

  it('offers the access form when a secret is pasted, not the connection form', async () => {
    const pasted = `gAAAAA${'aB3-'.repeat(12)}`;
    const said = await bot.ask(`/os-token prod ${pasted}`);
    expect(said.visibleText).toContain('That looks like a token or a password');
    expect(said.visibleText).not.toContain('Connect…');
    expect(said.visibleText).not.toContain(pasted);
    await bot.slack.choose(OWNER, { channel: CHANNEL, ts: said.ts }, 'access-form:project', 'prod');
    await shows('Secret key');
    expect(modalText()).toContain('issue temporary OS_TOKENs for prod');
    const { visibleText } = await bot.ask(`/os-token prod ${pasted}`, MEMBER);
    expect(visibleText).toContain('A Tally manager registers it with /billing projects access.');
    expect(visibleText).not.toContain('Choose a project');
    expect(bot.log()).not.toContain(pasted);
  });

  it('sends no token when only a message is possible, and says where to go', async () => {
    await register();
    const asked = identity.requests.length;
    await bot.slack.say(OWNER, CHANNEL, '@Tally os-token prod');
    const said = await bot.slack.waitFor(() =>
      bot.slack
        .messages(OWNER, CHANNEL)
        .map(toAnswer)
        .find(({ visibleText }) => visibleText.includes('never sends a token in a message')),
    );
    expect(said.ephemeral).toBe(true);
    expect(said.visibleText).toContain('type /os-token prod in a channel');
    expect(identity.requests.length).toBe(asked);
  });
});

describe('the first time in a channel', () => {
  it('asks for confirmation, once for each person', async () => {
    await register();
    const asked = identity.requests.length;
    await bot.slack.say(MEMBER, CHANNEL, '/os-token prod');
    await shows('Only you will see the token', MEMBER);
    expect(identity.requests.length).toBe(asked);
    await bot.slack.submit(MEMBER);
    const first = await shown(MEMBER);
    await bot.slack.dismiss(MEMBER);
    await bot.slack.say(MEMBER, CHANNEL, '/os-token prod');
    await shown(MEMBER, first);
  });

  it('continues for the person who was asked, and only once', async () => {
    await register();
    await bot.slack.say(MEMBER, CHANNEL, '/os-token prod');
    await shows('Only you will see the token', MEMBER);
    const { private_metadata: metadata } = view(MEMBER)!;
    await forged(OWNER, { type: 'view_submission' }, metadata!);
    expect(identity.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    await bot.slack.submit(MEMBER);
    const token = await shown(MEMBER);
    await forged(MEMBER, { type: 'view_submission' }, metadata!);
    expect(identity.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
    expect(identity.isLive(token)).toBe(true);
  });

  it('issues one token however often the form is sent, and to however many processes', async () => {
    await register();
    const first = bot.url;
    await bot.startAnotherProcess();
    await bot.slack.say(MEMBER, CHANNEL, '/os-token prod');
    await shows('Only you will see the token', MEMBER);
    const { private_metadata: metadata = '' } = view(MEMBER)!;
    const { id } = bot.slack.modal(MEMBER)!;
    const send = (url: string) => forged(MEMBER, { type: 'view_submission' }, metadata, id, url);
    await Promise.all([first, bot.url, first, bot.url].map(send));
    await shown(MEMBER);
    expect(identity.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });
});

/** Sends a forged, correctly signed click or submission; resolves when it was processed. */
async function forged(
  person: string,
  payload: object,
  metadata: string,
  id = 'V0FORGED01',
  url = bot.url,
  route = 'os-token',
): Promise<void> {
  const finished = () => bot.log().split(`"route":"${route}`).length;
  const before = finished();
  const body = `payload=${encodeURIComponent(
    JSON.stringify({
      team: { id: 'T0SANDBOX1' },
      user: { id: person, team_id: 'T0SANDBOX1' },
      trigger_id: 'x',
      view: { id, type: 'modal', callback_id: 'os-token', private_metadata: metadata, state: { values: {} } },
      ...payload,
      ...uniqueClick(),
    }),
  )}`;
  await fetch(`${url}/slack/events`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...bot.slack.signed(body) },
  });
  await bot.slack.waitFor(() => finished() > before);
}

const click = (action: string, value?: string) => ({
  type: 'block_actions',
  actions: [{ type: 'button', action_id: action, block_id: 'b', value }],
});

describe('Revoke now', () => {
  it('revokes the token, and verifies that it is no longer accepted', async () => {
    await register();
    const token = await issue();
    await press('Revoke now');
    await shows('Revoked. The service confirms that it is no longer accepted.');
    expect(identity.isLive(token)).toBe(false);
    expect((await auditLines())[0]).toMatch(
      /^revoked an OS_TOKEN of prod \(project 123\) · token [0-9a-f]{12}$/,
    );
    expect(buttonsOf()).toEqual(['Issue another']);
    await press('Issue another');
    expect(identity.isLive(await shown())).toBe(true);
  });

  it('works after a restart, and in another process', async () => {
    await register();
    const first = await issue();
    await bot.startAnotherProcess();
    await press('Revoke now');
    await shows('no longer accepted');
    await press('Issue another');
    const second = await shown();
    await bot.stopBot();
    await bot.startAnotherProcess();
    await press('Revoke now');
    await shows('no longer accepted');
    expect([first, second].map((token) => identity.isLive(token))).toEqual([false, false]);
  });

  it('does nothing for another person, a forged value, or a second click', async () => {
    await register();
    const token = await issue(MEMBER);
    const metadata = view(MEMBER)!.private_metadata!;
    expect(metadata).not.toContain(token);
    await forged(OWNER, click('os-token-revoke'), metadata);
    await forged(OWNER, click('os-token-another'), metadata);
    for (const text of ['invalid-response', '', `${metadata.slice(0, -4)}AAAA`])
      await forged(MEMBER, click('os-token-revoke'), text);
    expect(identity.isLive(token)).toBe(true);
    expect(identity.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE', 'POST']);
    await press('Revoke now', MEMBER);
    await shows('no longer accepted', MEMBER);
    await forged(MEMBER, click('os-token-revoke'), metadata);
    expect(identity.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(2);
    expect(identity.isLive(token)).toBe(false);
  });

  it('leaves nothing of a token in Redis', async () => {
    await register();
    const before = await workspaceKeys(bot.redis.client);
    await issue();
    const after = await workspaceKeys(bot.redis.client);
    expect(after.filter((key) => !before.includes(key))).toEqual(['tally:{T0SANDBOX1}:issued']);
  });

  it('is done once for four clicks at the same moment, on two processes', async () => {
    await register();
    await issue();
    const metadata = view()!.private_metadata!;
    const { id } = bot.slack.modal(OWNER)!;
    const before = identity.requests.filter(({ method }) => method === 'DELETE').length;
    const first = bot.url;
    await bot.startAnotherProcess();
    const send = (url: string) => forged(OWNER, click('os-token-revoke'), metadata, id, url);
    await Promise.all([first, bot.url, first, bot.url].map(send));
    await bot.slack.waitFor(() => modalText().includes('no longer accepted'));
    expect(identity.requests.filter(({ method }) => method === 'DELETE').length).toBe(before + 1);
  });

  it('says when the token was not valid anyway', async () => {
    await register();
    await issue();
    now += 30 * 60_000;
    identity.setMode('401');
    await press('Revoke now');
    await shows('no longer accepts the token: it had expired, or was revoked before');
  });

  it('is not reported as done when the service rejects it and still accepts the token', async () => {
    await register();
    const token = await issue();
    answerWith(identity, 'no-revoking');
    await press('Revoke now');
    await shows('refused to revoke the token (HTTP 401). It may still work until 11:15');
    expect((await auditLines())[0]).toMatch(/^got an OS_TOKEN for /);
    identity.setMode('healthy');
    await press('Revoke');
    await shows('no longer accepted');
    expect(identity.isLive(token)).toBe(false);
  });

  it('works for the person who got the token, even after they became a guest', async () => {
    await register();
    const token = await issue(MEMBER);
    bot.slack.workspace.person(MEMBER)!.role = 'guest';
    now += 2 * 60_000;
    expect((await bot.ask('/os-token prod', MEMBER)).visibleText).toContain(
      'Guests can’t use Tally in this workspace.',
    );
    await press('Revoke now', MEMBER);
    await shows('no longer accepted', MEMBER);
    expect(identity.isLive(token)).toBe(false);
  });

  it.each([
    ['500', /^revoked an OS_TOKEN of .* · outcome unclear$/, 'returned an error (HTTP 500)'],
    ['no-revoking', /^got an OS_TOKEN for /, 'refused to revoke the token'],
  ])(
    'is told of in a message where the window was closed and the service is away (%s)',
    async (mode, entry, said) => {
      await register();
      await issue();
      const { private_metadata: metadata } = view()!;
      await bot.slack.dismiss(OWNER);
      answerWith(identity, mode);
      await forged(OWNER, click('os-token-revoke'), metadata!);
      const message = await bot.slack.waitFor(() =>
        bot.slack
          .messages(OWNER, direct(OWNER))
          .map(toAnswer)
          .find(({ visibleText }) => visibleText.includes(said)),
      );
      expect(message.visibleText).toContain('until 11:15 on Sat 21 Nov 2026 (Europe/London)');
      expect((await auditLines())[0]).toMatch(entry);
    },
  );

  it('reports the token’s state even when nothing can be written', async () => {
    await register();
    const token = await issue();
    await bot.redis.client.del('tally:{T0SANDBOX1}:record', 'tally:{T0SANDBOX1}:audit');
    await press('Revoke now');
    await shows('Revoked.');
    expect(modalText()).toContain('Tally couldn’t add this to the audit.');
    expect(identity.isLive(token)).toBe(false);
  });

  it('expires with the token', async () => {
    await register();
    await issue();
    now += 61 * 60_000;
    await press('Revoke now');
    await shows('its token has expired');
    await press('Issue another');
    await shown();
  });

  it('ends after a day where the service does not say when the token expires', async () => {
    await register();
    answerWith(identity, 'no-expiry');
    await issue();
    now += 24 * 3_600_000;
    await press('Revoke now');
    await shows('its token has expired');
    expect(identity.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE', 'POST']);
  });

  it('stays available when the service cannot be reached', async () => {
    await register();
    const token = await issue();
    answerWith(identity, '500');
    await press('Revoke now');
    await shows('A token from this window may still work until 11:15 on Sat 21 Nov 2026 (Europe/London).');
    await bot.slack.waitFor(() => bot.log().includes('"outcome":"service-failed"'));
    identity.setMode('healthy');
    await press('Revoke');
    await shows('no longer accepted');
    expect(identity.isLive(token)).toBe(false);
    expect(modalText()).not.toContain('may still work');
  });

  it('audits an unclear outcome when the answer was lost, and what was found later', async () => {
    await register();
    const token = await issue();
    answerWith(identity, 'lost');
    await press('Revoke now');
    await shows('may still work');
    expect(identity.isLive(token)).toBe(false);
    expect((await auditLines())[0]).toMatch(
      /^revoked an OS_TOKEN of prod \(project 123\) · token [0-9a-f]{12} · outcome unclear$/,
    );
    identity.setMode('healthy');
    await press('Revoke');
    await shows('no longer accepts the token');
    expect((await auditLines())[0]).toMatch(/^revoked an OS_TOKEN of .* · had expired already$/);
  });

  it('audits nothing when there was certainly no revocation', async () => {
    await register();
    await issue();
    for (const [mode, sentence] of [
      ['429', 'is limiting Tally’s requests (HTTP 429)'],
      ['no-revocation', 'can’t revoke tokens'],
    ] as const) {
      answerWith(identity, mode);
      await press(mode === '429' ? 'Revoke now' : 'Revoke');
      await shows(sentence);
    }
    expect((await auditLines())[0]).toMatch(/^got an OS_TOKEN for /);
  });

  it('of a token that was not shown audits an unclear outcome, too', async () => {
    await register();
    identity.setMode('slow');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('Issuing');
    await bot.slack.dismiss(OWNER);
    await bot.slack.waitFor(() => identity.requests.length === 3);
    answerWith(identity, 'lost');
    await bot.slack.waitFor(() =>
      bot.slack
        .messages(OWNER, direct(OWNER))
        .some((one) =>
          toAnswer(one).visibleText.includes('Tally couldn’t confirm that the token is revoked: it may work'),
        ),
    );
    expect((await auditLines())[0]).toMatch(/^revoked an OS_TOKEN of .* · outcome unclear$/);
  });

  it('sends a token to the host that issued it, whatever host the access has by now', async () => {
    const second = await startIdentity({ now: () => now, slowFor: 300 });
    onTestFinished(() => second.close());
    await register('good', { people: [OWNER] });
    const first = await issue();
    await bot.slack.say(ADMIN, CHANNEL, '/billing projects access prod');
    await shows('Secret key', ADMIN);
    const { id, secret } = second.accesses.good;
    await bot.slack.submit(ADMIN, { access_id: id, secret, authUrl: second.authUrl, people: [OWNER] });
    await shows('can issue OS_TOKENs', ADMIN);
    const seen = new Map<IdentityService, number>();
    const methodsAt = (host: IdentityService) => {
      const fresh = host.requests.slice(seen.get(host) ?? 0).map(({ method }) => method);
      seen.set(host, host.requests.length);
      return fresh;
    };
    methodsAt(identity);
    methodsAt(second);

    await press('Revoke now');
    await shows('no longer accepted');
    expect([methodsAt(identity), methodsAt(second)]).toEqual([['DELETE', 'GET'], []]);
    expect(identity.isLive(first)).toBe(false);
    await press('Issue another');
    await shown(OWNER, first);
    expect([methodsAt(identity), methodsAt(second)]).toEqual([[], ['POST']]);
    await press('Revoke now');
    await shows('no longer accepted');
    expect([methodsAt(identity), methodsAt(second)]).toEqual([[], ['DELETE', 'GET']]);
  });

  it('says how long the token works where the service cannot revoke it', async () => {
    await register();
    const token = await issue();
    answerWith(identity, 'no-revocation');
    await press('Revoke now');
    await shows('The service can’t revoke tokens.');
    expect(modalText()).toContain('The token works until 11:15 on Sat 21 Nov 2026 (Europe/London).');
    expect(identity.isLive(token)).toBe(true);
  });

  it('is not offered when that is known from the registration', async () => {
    answerWith(identity, 'no-revocation');
    expect(await register()).toContain('can’t revoke tokens');
    await issue();
    expect(buttonsOf()).toEqual([]);
    expect(view()?.private_metadata ?? '').toBe('');
  });
});

describe('Issue another', () => {
  /** A window whose token was revoked. */
  async function revoked() {
    await register();
    const first = await issue();
    await press('Revoke now');
    await shows('Revoked.');
    return first;
  }

  it('is offered once the token of the window is revoked: a window has one token', async () => {
    const first = await revoked();
    await press('Issue another');
    const second = await shown(OWNER, first);
    expect(buttonsOf()).toEqual(['Revoke now']);
    expect([first, second].map((token) => identity.isLive(token))).toEqual([false, true]);
  });

  it('acts once for four clicks, on two processes', async () => {
    await revoked();
    const metadata = view()!.private_metadata!;
    const { id } = bot.slack.modal(OWNER)!;
    const before = identity.requests.length;
    const first = bot.url;
    await bot.startAnotherProcess();
    const send = (url: string) => forged(OWNER, click('os-token-another'), metadata, id, url);
    await Promise.all([first, bot.url, first, bot.url].map(send));
    await shows('Revoke now');
    expect(identity.requests.length).toBe(before + 1);
  });

  it('works hours later', async () => {
    const first = await revoked();
    now += 3 * 3_600_000;
    await press('Issue another');
    await shown(OWNER, first);
  });

  it('asks the rights of the moment', async () => {
    await register('good', { people: [MEMBER] });
    await issue(MEMBER);
    await press('Revoke now', MEMBER);
    await shows('Revoked.', MEMBER);
    await register('good', { people: [OWNER] });
    await press('Issue another', MEMBER);
    await shows('You can’t get tokens for prod.', MEMBER);
  });
});

describe('when the answer of Redis is lost', () => {
  let store: TestRedis;
  let line: RedisProxy;

  beforeEach(async () => {
    await bot.stop();
    store = await testRedis();
    line = await startRedisProxy(store.url);
    const through = await startBot({ now: () => now, identityUrl: identity.authUrl, redisUrl: line.url });
    bot = { ...through, redis: store };
    await addProject(bot, { alias: 'prod', id: '123' });
    await register();
  });
  afterEach(async () => {
    await bot.stopBot();
    await line.stop();
    await store.close();
  });

  it('a token is revoked all the same', async () => {
    const token = await issue();
    line.loseAnswerTo('tally:event:');
    await press('Revoke now');
    await shows('Revoked.');
    expect(identity.isLive(token)).toBe(false);
  });

  it('the person reads what became of a token that was issued and not shown, as it is in the audit', async () => {
    identity.setMode('slow');
    line.loseAnswerTo('got an OS_TOKEN');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('Tally got a token for prod, but couldn’t show it.');
    expect(modalText()).toContain('Tally revoked the token.');
    expect(modalText()).not.toMatch(/Nothing was|may have been saved|audit/);
    expect((await auditLines()).slice(0, 3)).toEqual([
      expect.stringMatching(/^revoked an OS_TOKEN of prod \(project 123\) · token [0-9a-f]{12}$/),
      expect.stringMatching(/^got an OS_TOKEN for .* · not shown$/),
      expect.stringMatching(/^got an OS_TOKEN for prod \(project 123\) · token [0-9a-f]{12}$/),
    ]);
  });

  it('the person isn’t told that the audit lacks a revocation which it may have', async () => {
    const token = await issue();
    line.loseAnswerTo('revoked an OS_TOKEN');
    await press('Revoke now');
    await shows('Revoked.');
    expect(identity.isLive(token)).toBe(false);
    expect(modalText()).toContain('This may not be in the audit.');
    expect(modalText()).not.toContain('couldn’t add');
    expect((await auditLines())[0]).toMatch(/^revoked an OS_TOKEN/);
  });

  it('and Redis stays away, the person reads that a token was issued, revoked, and isn’t in the audit', async () => {
    identity.setMode('slow');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await bot.slack.waitFor(() => identity.requests.length === 3);
    await line.stop();
    await shows('Tally got a token for prod, but couldn’t show it.');
    expect(modalText()).toContain('Tally revoked the token. Tally couldn’t add this to the audit.');
    expect(modalText()).not.toContain('Nothing was changed');
    await line.start();
  });

  it('the person isn’t told that the access is unchanged if it may have been saved', async () => {
    identity.setMode('slow');
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
    await shows('Secret key');
    await fillIn('good', { people: [OWNER, MEMBER] });
    await bot.slack.waitFor(() => identity.requests.length === 3);
    const before = (await auditLines()).length;
    await store.client.hdel('tally:{T0SANDBOX1}:record', 'access:123');
    await shows('Someone else changed this first. The application access was removed.');
    expect(modalText()).toContain('The test passed: the service issued a token and revoked it.');
    expect((await auditLines()).slice(0, -before)).toEqual([
      expect.stringMatching(
        /^got an OS_TOKEN for prod \(project 123\) · test · token [0-9a-f]{12} · revoked$/,
      ),
    ]);
  });
});

describe('a token of unusual length', () => {
  /** An identity service whose tokens have this many characters. */
  async function registerLong(length: number) {
    await register('good', { people: [OWNER] });
    const token = `gAAAAA${'x'.repeat(length - 6)}`;
    const asked: string[] = [];
    const service = createServer((request, response) => {
      asked.push(request.method ?? '');
      response.writeHead(request.method === 'POST' ? 201 : 204, { 'X-Subject-Token': token });
      response.end();
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      await bot.stopBot();
      await new Promise((resolve) => service.close(resolve));
    });
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access prod');
    await shows('Secret key');
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v3`;
    await fillIn('good', { authUrl: url });
    await shows('can issue');
    await bot.slack.dismiss(OWNER);
    asked.length = 0;
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    return { token, asked };
  }

  it('is shown whole, without the button, when the modal cannot hold it encrypted', async () => {
    const { token, asked } = await registerLong(2_400);
    await shows('too long to revoke from this window');
    expect(pieces()[0]).toBe(token);
    expect(buttonsOf()).toEqual([]);
    expect(view()?.private_metadata ?? '').toBe('');
    expect(asked).toEqual(['POST']);
  });

  it('is rejected with a message, and revoked, when Slack would cut it', async () => {
    const { token, asked } = await registerLong(3_000);
    await shows('It has 3000 characters, more than Slack can show. Tally revoked the token.');
    expect(asked).toEqual(['POST', 'DELETE']);
    expect((await auditLines()).slice(0, 2)).toEqual([
      expect.stringMatching(/^revoked an OS_TOKEN of prod/),
      expect.stringMatching(/^got an OS_TOKEN for prod .* · not shown$/),
    ]);
    expect(JSON.stringify(bot.slack.calls)).not.toContain(token.slice(0, 500));
  });
});

describe('five tokens in ten minutes', () => {
  it('are the limit for one person over all processes, and the message says when the next is possible', async () => {
    await register();
    for (let count = 0; count < 4; count += 1) {
      await issue();
      await bot.slack.dismiss(OWNER);
      now += 60_000;
    }
    await bot.startAnotherProcess();
    const last = await issue();
    await press('Revoke now');
    await shows('no longer accepted');
    await press('Issue another');
    await shows('You’ve reached the limit of 5 tokens in 10 minutes.');
    expect(modalText()).toContain('Try again in 6 minutes.');
    expect(buttonsOf()).toEqual(['Try again']);
    await issue(MEMBER);
    now += 6 * 60_000;
    await press('Try again');
    await shown(OWNER, last);
  });

  it('do not include what the service rejected', async () => {
    await register();
    identity.setMode('401');
    for (let count = 0; count < 6; count += 1) {
      await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
      await shows('HTTP 401');
      await bot.slack.dismiss(OWNER);
    }
    identity.setMode('healthy');
    await issue();
  });
});

describe('round trips for a token', () => {
  it('waits for Redis three times when it is typed or revoked, four times when it is issued from a modal', async () => {
    await register();
    await bot.slack.say(MEMBER, CHANNEL, '/os-token prod');
    await shows('Only you will see the token', MEMBER);
    // The check for a repeated request, SET, runs in parallel with reading the record.
    const goingOn = await commandsOf(bot.redis, async () => {
      await bot.slack.submit(MEMBER);
      await shown(MEMBER);
    });
    // Tally does not wait for one of these, which records the confirmation.
    expect(goingOn.toSorted()).toEqual(['eval', 'eval', 'eval', 'hgetall', 'set', 'set']);
    let first = '';
    const asking = await commandsOf(bot.redis, async () => {
      first = await issue();
    });
    expect(asking).toEqual(['set', 'hgetall', 'eval', 'eval']);
    const revoking = await commandsOf(bot.redis, async () => {
      await press('Revoke now');
      await shows('no longer accepted');
    });
    expect(revoking).toEqual(['set', 'hgetall', 'set', 'eval']);
    const another = await commandsOf(bot.redis, async () => {
      await press('Issue another');
      await shown(OWNER, first);
    });
    expect(another).toEqual(['set', 'hgetall', 'set', 'eval', 'eval']);
  });
});

describe('lists of projects', () => {
  it('show the access to managers and people who can issue tokens, and to nobody else', async () => {
    await register('good', { people: [MEMBER] });
    const home = async (person: string) => {
      const published = () => bot.slack.calls.filter(({ method }) => method === 'views.publish').length;
      const before = published();
      await bot.slack.openHome(person);
      await bot.slack.waitFor(() => published() > before);
      return textOf(bot.slack.home(person)?.view);
    };
    expect(await home(OWNER)).not.toContain('OS_TOKEN…');
    expect(await home(MEMBER)).toContain('OS_TOKEN…');
    expect((await bot.ask('/billing projects', OWNER)).visibleText).toContain('OS_TOKEN: access ending 0001');
    expect((await bot.ask('/billing projects', MEMBER)).visibleText).toContain(
      'OS_TOKEN: access ending 0001',
    );
    await bot.connect();
    expect((await bot.ask('/billing status', OWNER)).visibleText).toContain(
      '*prod* · OS_TOKEN access ending 0001',
    );
    expect((await bot.ask('/billing status', MEMBER)).visibleText).not.toContain('0001');
    await register('good', { people: [OWNER] });
    expect(await home(MEMBER)).not.toContain('OS_TOKEN');
    expect((await bot.ask('/billing projects', MEMBER)).visibleText).not.toContain('OS_TOKEN');
  });

  it('opens the form from a project’s row', async () => {
    const { ts } = await bot.ask('/billing projects');
    await bot.slack.choose(OWNER, { channel: CHANNEL, ts }, 'run:project', 'Application access…');
    await shows('Secret key');
  });
});

it('deletes everything when the workspace uninstalls', async () => {
  await register();
  await issue();
  const left = async () =>
    (await workspaceKeys(bot.redis.client)).filter((key) => key.includes('T0SANDBOX1'));
  expect(await left()).toEqual(expect.arrayContaining([expect.stringMatching(/:(grants|issued)$/)]));
  const body = JSON.stringify({
    ...{ type: 'event_callback', team_id: 'T0SANDBOX1', event_time: Math.floor(Date.now() / 1000) },
    event: { type: 'app_uninstalled' },
  });
  const headers = { 'content-type': 'application/json', ...bot.slack.signed(body) };
  expect((await fetch(`${bot.url}/slack/events`, { method: 'POST', body, headers })).status).toBe(200);
  expect(await left()).toEqual([]);
});
