import { describe, expect, it, onTestFinished } from 'vitest';
import { type BillingService, startBilling } from '../../sandbox/billing.ts';
import { ADMIN, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { MAX_CONNECTIONS } from '../../src/workspace/credentials/credential-records.ts';
import { botOfEachTest, CHANNEL, DAY, goodToken, SATURDAY as NOW } from '../support/bot.ts';
import { save, schedule } from '../support/delivery.ts';
import { directOf, type Fields, TEAM } from '../support/people.ts';
import { addProject, storedProject } from '../support/projects.ts';
import { dumpRedis, workspaceKeys } from '../support/redis.ts';
import { answerWith, holdAnswers } from '../support/service-replies.ts';

const bot = botOfEachTest(undefined, async () => ({ identityUrl: 'https://identity.example.com/v3' }));
const modalText = (person?: string) => bot.modalText(person);
const openForm = (command: string, person?: string) => bot.openForm(command, person);

/** Fills in and submits the form, and waits for the result. The window stays open. */
async function submit(fields: Record<string, string> = {}, name = '') {
  await openForm(`/billing connect ${name}`);
  await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123', ...fields });
  await bot.slack.waitFor(() => /onnected|the maximum/.test(modalText()), 15_000);
  return modalText();
}

async function register(name: string, fields: Record<string, string> = {}) {
  const said = await submit(fields, name);
  await bot.closeForm();
  return said;
}

const shown = () => bot.view();
const tokenOf = (role: string) => bot.billing.tokens.find(({ label }) => label === role)!.value;
const putProject = (alias: string, connection: string) =>
  bot.store({ [`project:${alias}`]: storedProject({ alias, id: '123', connection }) });

const connectionIn = (name: string) => bot.stored(`connection:${name}`);
/** The actions in the audit, newest first. */
const auditLines = async () => (await bot.audit()).map((entry) => entry.replace(/^\S+ /, ''));

/** The workspace's record in Redis. */
const told = () => bot.redis.client.hgetall(recordKey(TEAM));

const dump = () => dumpRedis(bot.redis.client);

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
  it('tests the token, then shows the first balance and the next step', async () => {
    bot.billing.setMode('slow');
    await openForm('/billing connect');
    expect(modalText()).toContain('Access management → Access tokens → Create token');
    expect(modalText()).toContain('Cloud servers → your project → project card');
    const token = goodToken(bot.billing);
    await bot.slack.submit(OWNER, { token, project: '123', role: 'accountant', lifetime: '30-days' });
    expect(modalText()).toContain('Testing the token');
    await bot.slack.waitFor(() => modalText().includes('Connected'), 10_000);
    expect(modalText()).toMatch(
      /^Connected ✓ Project 123 has [\d,.]+ left, about \d+ days\.\nPost it every morning\n/,
    );
    bot.billing.setMode('healthy');
    await bot.pressInForm('Post it every morning');
    await bot.slack.waitFor(() => modalText().includes('Schedule'));
    expect(shown()).toContain('123:1');
    expect(await everywhere()).not.toContain(token);
    expect(await dump()).toContain('v1.test.');
  });

  it.each([
    ['777', 'no product has data for project 777. Check the ID', '/billing projects add on main'],
    ['123', 'Project 123 has data for several products. Cloud ', '/billing projects add 123 on main'],
    ['8002', 'Project 8002 is 5.00 overdrawn.', '/billing schedule 8002 cloud'],
  ])('offers a single next step if the token was tested with project %s', async (project, said, next) => {
    bot.billing.setBalance('8002', '{"balance":-5,"bonuses":0}');
    if (project === '123')
      bot.billing.respond(({ query }, ordinary) => ordinary(query.replace(/productId: \d/, 'productId: 1')));
    expect(await submit({ project })).toContain(said);
    const blocks: { elements?: { value?: string }[] }[] = JSON.parse(shown()).blocks;
    expect(blocks.flatMap(({ elements = [] }) => elements.map(({ value }) => value))).toEqual([next]);
  });

  it('offers to name a project, with the new connection already selected', async () => {
    await register('main');
    expect(await submit({ name: 'eu' })).toContain('The default connection is still main.');
    await bot.pressInForm('Name a project…');
    await bot.slack.waitFor(() => modalText().includes('Project ID'));
    expect(shown()).toContain('"initial_value":"123"');
    await bot.slack.submit(OWNER, { alias: 'prod' });
    await bot.slack.waitFor(() => modalText().includes('Saved'));
    expect((await told())['project:prod']).toContain('"connection":"eu"');
  });

  it('lets Tally send a scheduled post that was waiting for a connection', async () => {
    const waiting = schedule({
      since: NOW - 48 * 3_600_000,
      projects: [{ id: '123', product: 1 }],
      channel: CHANNEL,
      owner: OWNER,
    });
    await save(bot.redis.client, 'T0SANDBOX1', waiting);
    await bot.connect();
    const posted = await bot.slack.waitFor(() =>
      bot.slack.messages(OWNER, CHANNEL).find(({ text }) => text.includes('Project 123')),
    );
    expect(posted.text).toContain('Late: was due 09:00');
  });

  it.each<[Record<string, string>, RegExp]>([
    [{ baseUrl: 'http://10.0.0.1', token: 'two words', project: '0123' }, /10\.0\.0\.1/],
    [{ name: 'two words' }, /2 to 32/],
    [{ name: '-eu' }, /2 to 32/],
    [{ name: 'ümlaut' }, /2 to 32/],
  ])('shows an error next to each wrong field, without a request to billing: %o', async (fields, said) => {
    await openForm('/billing connect');
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123', ...fields });
    const { errors } = bot.slack.modal(OWNER)!;
    expect(Object.keys(errors)).toEqual(expect.arrayContaining(Object.keys(fields)));
    expect(JSON.stringify(errors)).toMatch(said);
    expect(bot.billing.requests).toEqual([]);
    expect(await told()).toEqual({});
  });

  it('keeps the old token if the new one is rejected', async () => {
    await bot.connect();
    const before = await told();
    expect(await submit({ token: 'sandbox-token-nobody-knows' })).toContain(
      'The current token stays in use.',
    );
    expect(await told()).toEqual(before);
    expect(shown()).not.toContain('nobody-knows');
    expect(shown()).toContain('"initial_value":"123"');
    expect(await bot.read('/balance 123')).toContain('left');
  });

  it('sends the result as a direct message if the form has been closed', async () => {
    bot.billing.setMode('slow');
    await openForm('/billing connect');
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123' });
    await bot.closeForm();
    const told = () => bot.answers(OWNER, directOf(OWNER)).at(-1)?.visibleText;
    await expect.poll(told).toContain('Connected');
  });

  it.each([
    ['refused', 'rejected the access token'],
    ['failing', 'returned an error (HTTP 500)'],
    ['truncated', 'it was cut off'],
  ])('stores nothing when billing fails: %s', async (mode, sentence) => {
    answerWith(bot.billing, mode);
    expect(await submit()).toContain('Not connected');
    expect(modalText()).toContain(sentence);
    expect(modalText()).toContain('Nothing was saved.');
    if (mode === 'refused') expect(modalText()).not.toContain('A Tally manager');
    expect(await workspaceKeys(bot.redis.client)).toEqual([]);
  });

  it('saves all fields of the form, by default under the name main', async () => {
    await submit({
      authUrl: 'https://identity.example.com/v3/auth/tokens',
      type: 'for-a-user',
      role: 'accountant',
      lifetime: '60-days',
      account: 'Acme & <!channel>',
    });
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
      expiresAt: NOW + 60 * DAY,
    });
    expect(await auditLines()).toEqual(['added the connection main']);
  });

  it('fills in the identity service’s address from the environment, and checks a typed address', async () => {
    await openForm('/billing connect');
    expect(shown()).toContain('https://identity.example.com/v3');
    for (const [authUrl, error] of [
      ['http://169.254.169.254/v3', '169.254.169.254'],
      ['https://identity.example.com', 'doesn’t end with /v3'],
    ] as const) {
      await bot.slack.submit(OWNER, { authUrl, token: goodToken(bot.billing), project: '123' });
      expect(bot.errors()).toEqual({
        authUrl: expect.stringContaining(error),
      });
    }
  });

  it.each([
    ['`TOKEN`', false],
    ['“TOKEN”', false],
    ["TOKEN'", true],
    ['`TOKEN', true],
  ])('removes only paired quotes around a token: %s', async (shape, isRefused) => {
    await openForm('/billing connect');
    await bot.slack.submit(OWNER, { token: shape.replace('TOKEN', goodToken(bot.billing)), project: '123' });
    await bot.slack.waitFor(() => /Connected|rejected/.test(modalText()));
    expect(modalText().includes('rejected')).toBe(isRefused);
  });
});

describe('the form of a connection', () => {
  it('stores and shows only those details of a token that somebody entered', async () => {
    await submit({}, 'quick');
    const record = await connectionIn('quick');
    for (const field of ['role', 'lifetime', 'type', 'account', 'expiresAt'])
      expect(record).not.toHaveProperty(field);
    const said = [modalText(), await bot.read('/billing status')].join('\n');
    expect(said).toContain('expiry unknown. Set it to get reminders');
    expect(said).not.toMatch(/Read-only|For oneself|90 days|no expiry|next two weeks/);
    expect(await bot.read('/billing status', MEMBER)).not.toContain('expir');
  });

  it.each([
    'gAAAAABnX3k2m9Qv7bT0pLsRw8YdZ1cE5fGhJkMnBvCxQwErTyUi',
    'xoxb-123456789012-abcdefABCDEF',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ])('refuses an account that looks like a secret, and stores it nowhere: %s', async (account) => {
    await openForm('/billing connect');
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123', account });
    expect(bot.errors()).toEqual({ account: expect.stringContaining('looks like a token') });
    expect(await dump()).not.toContain(account);
  });

  it('deletes the role, type and lifetime of a replaced token', async () => {
    const entered = { lifetime: '1-year', role: 'administrator', type: 'for-a-user', account: 'Acme' };
    await register('main', entered);
    await register('main', { token: tokenOf('Accountant') });
    const record = await connectionIn('main');
    expect(record).toMatchObject({ account: 'Acme', test: { project: '123' } });
    for (const field of ['role', 'lifetime', 'type', 'expiresAt']) expect(record).not.toHaveProperty(field);
  });

  it('keeps the chosen values after a failed test of the token', async () => {
    const chosen = { role: 'engineer', type: 'for-a-user', lifetime: '30-days' };
    expect(await submit({ token: 'sandbox-token-nobody-knows', ...chosen })).toContain('Nothing was saved.');
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing) });
    await bot.slack.waitFor(() => modalText().includes('Connected'));
    expect(await connectionIn('main')).toMatchObject(chosen);
  });

  it('asks before it replaces a connection that changed while the form was open', async () => {
    await register('main');
    await openForm('/billing connect');
    await openForm('/billing connect main', ADMIN);
    const administrator = tokenOf('Administrator');
    await bot.slack.submit(ADMIN, { token: administrator, project: '123' });
    await bot.slack.waitFor(() => modalText(ADMIN).includes('Connected'));
    const asked = bot.billing.requests.length;
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123' });
    await bot.slack.waitFor(() => modalText().includes('Someone'));
    expect(modalText()).toContain(
      'Someone else just changed this. Press Test and save again to do it anyway.',
    );
    expect(bot.billing.requests).toHaveLength(asked);
    expect((await connectionIn('main')).registeredBy).toBe(ADMIN);
    await bot.slack.submit(OWNER, { token: goodToken(bot.billing), project: '123' });
    await bot.slack.waitFor(() => modalText().includes('Connected'));
  });

  it('keeps typed values, except the token, after a click on More…', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing connect quick');
    await bot.slack.waitFor(() => bot.modal());
    const typed = (value: string) => ({ value: { type: 'plain_text_input', value } });
    const state = { token: typed('half-a-token'), project: typed('456') };
    const viewId = bot.slack.modal(OWNER)!.id;
    await bot.slack.act(OWNER, { viewId }, { action_id: 'connect-form:more' }, state);
    await bot.slack.waitFor(() => modalText().includes('Token role'));
    for (const kept of ['456', 'quick']) expect(shown()).toContain(`"initial_value":"${kept}"`);
    expect(shown()).not.toContain('half-a-token');
  });
});

it('a token is not replaced by a person who stops being a manager while Tally tests the new token', async () => {
  await bot.connect();
  await bot.store({ settings: { managers: [MEMBER] } });
  await openForm('/billing connect', MEMBER);
  const { fingerprint } = (await connectionIn('main'))!;
  const { asked, release } = holdAnswers(bot.billing);
  await bot.slack.submit(MEMBER, { token: tokenOf('Administrator'), project: '123' });
  await asked;
  await bot.store({ settings: { managers: [] } });
  release();
  await bot.slack.waitFor(() =>
    /Only Tally managers|changed while Tally was answering/.test(modalText(MEMBER)),
  );
  expect(await connectionIn('main')).toMatchObject({ fingerprint });
});

describe('the expiry of a token', () => {
  const openExpiry = async (label: string, person = OWNER) => {
    const page = await bot.ask('/billing status', person);
    await (label === 'Set expiry…'
      ? bot.press(page, label, person)
      : bot.choose(page, 'rerun:connection-main', label, person));
    await bot.slack.waitFor(() => modalText(person).includes('Token expiry'));
  };
  const saidAfter = async (fields: Fields) => {
    await bot.slack.submit(OWNER, fields);
    await bot.slack.waitFor(() => !/Saving…|Expires on/.test(modalText()));
    const said = modalText();
    await bot.closeForm();
    return said;
  };

  it('can be changed without entering the token, and then appears in the reminders', async () => {
    await register('main');
    const before = await connectionIn('main');
    bot.clock.now += 8 * DAY;
    const reminders = () => bot.slack.messages(OWNER, directOf(OWNER)).map(({ text }) => text);
    for (const [label, expires, said] of [
      ['Set expiry…', '2026-12-11', 'expires Fri 11 Dec 2026'],
      ['Change expiry…', '2026-12-12', 'expires Sat 12 Dec 2026'],
    ] as const) {
      await openExpiry(label);
      expect(await saidAfter({ expires })).toContain(said);
      await bot.slack.waitFor(() => reminders().some((text) => text.includes(said)), 15_000);
    }
    await openExpiry('Change expiry…');
    expect(await saidAfter({ never: ['never'] })).toContain('no expiry');
    expect(await connectionIn('main')).toEqual({ ...before, lifetime: 'none' });
    expect((await auditLines())[0]).toBe('changed the expiry of the connection main');
  });

  it('must be either a day or “never”, not both', async () => {
    await register('main');
    await openExpiry('Set expiry…');
    await bot.slack.submit(OWNER, {});
    expect(bot.errors().expires).toContain('Choose a day');
    await bot.slack.submit(OWNER, { expires: '2027-01-01', never: ['never'] });
    expect(bot.errors().expires).toContain('not both');
  });

  it('is not saved if the token was replaced while the form was open', async () => {
    await register('main');
    await register('finance');
    await openExpiry('Set expiry…', ADMIN);
    await register('finance', { token: bot.billing.tokens[0]!.value });
    await register('main', { token: bot.billing.tokens[0]!.value });
    await bot.slack.submit(ADMIN, { expires: '2026-12-01' });
    await bot.slack.waitFor(() => modalText(ADMIN).includes('Someone else just changed this.'));
    for (const name of ['main', 'finance']) expect(await connectionIn(name)).not.toHaveProperty('expiresAt');
  });
});

describe('the connections of a workspace', () => {
  const administrator = () => tokenOf('Administrator');

  it('are saved under lower-case names, and may have the same token', async () => {
    await register('');
    expect(await register('', { name: 'EU-Finance' })).toContain('The default connection is still main.');
    expect(Object.keys(await told()).sort()).toEqual(['connection:eu-finance', 'connection:main']);
    const [main, other] = [await connectionIn('main'), await connectionIn('eu-finance')];
    expect(other.fingerprint).toBe(main.fingerprint);
    expect(other.sealed).not.toBe(main.sealed);
    expect(await auditLines()).toEqual(['added the connection eu-finance', 'added the connection main']);
  });

  it('can be edited by name, in a form that doesn’t show the token', async () => {
    await register('main', { account: 'Acme' });
    await register('finance', { account: 'Globex', role: 'accountant', token: administrator() });
    await openForm('/billing connect finance');
    const view = shown();
    expect(view).toContain('"initial_value":"finance"');
    expect(view).toContain('Globex');
    expect(view).not.toContain(administrator());
    expect(modalText()).toContain('Replaces the token of finance. Tally tests the new one first.');
    await bot.closeForm();
    await openForm('/billing connect');
    expect(modalText()).toContain('Your connections: finance, main.');
    expect(shown()).toContain('Acme');
  });

  it('send each token only to the address it was registered for', async () => {
    const second = await startBilling({ now: () => bot.clock.now });
    onTestFinished(() => second.close());
    const seen = (host: BillingService) => [...new Set(host.requests.map(({ token }) => token))];
    const theirs = { baseUrl: second.url, token: administrator() };
    await register('main');
    await register('eu', theirs);

    for (const connection of ['eu', 'main'])
      await addProject(bot, { alias: `on-${connection}`, id: '123', connection });
    const asked = async (name: string) => {
      const counts = [bot.billing.requests.length, second.requests.length] as const;
      await bot.ask(`/spend on-${name} yesterday`);
      return [bot.billing.requests.length > counts[0], second.requests.length > counts[1]];
    };
    expect(await asked('eu')).toEqual([false, true]);
    expect(await asked('main')).toEqual([true, false]);
    await register('main', theirs);
    expect(await asked('main')).toEqual([false, true]);
    expect([seen(bot.billing), seen(second)]).toEqual([['Read-only'], ['Administrator']]);
  });

  it('must include a default connection, which projects without a name use', async () => {
    await register('eu');
    await register('us', { token: administrator() });
    await bot.ask('/balance 123');
    expect(bot.billing.requests.at(-1)!.token).toBe('Read-only');
    await bot.drop('settings');
    const answer = await bot.ask('/balance 123');
    expect(answer.visibleText).toContain('You have several connections, but no default.');
    expect(await register('us', { token: administrator() })).toContain('us is the default connection.');
    expect((await auditLines())[0]).toBe('changed the default connection to us');
    await bot.ask('/balance 123');
    expect(bot.billing.requests.at(-1)!.token).toBe('Administrator');
  });

  it('work again after a new token replaces a damaged record', async () => {
    await register('main');
    await bot.store({ 'connection:main': '{' });
    expect(await bot.read('/balance 123')).toContain('can’t read the stored access token.');
    await openForm('/billing connect');
    expect(modalText()).toContain('The stored token for main is damaged. Enter it again.');
    await bot.closeForm();
    await register('main');
    expect(await bot.read('/balance 123')).toContain('left');
  });

  it('are limited to 20', async () => {
    await bot.connect();
    const json = (await told())['connection:main']!;
    for (let n = 1; n < MAX_CONNECTIONS; n += 1) {
      await bot.store({ [`connection:c-${n}`]: json.replace('"name":"main"', `"name":"c-${n}"`) });
    }
    const asked = bot.billing.requests.length;
    expect(await register('one-more')).toContain(`You have ${MAX_CONNECTIONS} connections, the maximum.`);
    expect(bot.billing.requests).toHaveLength(asked);
    expect(await connectionIn('one-more')).toBeNull();
    expect(await register('main')).toContain('Connected');
  });

  it('serve their own projects, and a deleted connection isn’t replaced by the default one', async () => {
    await register('main');
    await register('finance', { token: administrator() });
    await putProject('prod', 'finance');
    await putProject('lost', 'gone');
    await bot.ask('/balance prod');
    expect(bot.billing.requests.at(-1)!.token).toBe('Administrator');
    const asked = bot.billing.requests.length;
    const answer = await bot.ask('/balance lost');
    expect(answer.visibleText).toContain('lost uses the connection “gone”, which no longer exists.');
    await bot.press(answer, 'Choose another…');
    await bot.slack.waitFor(() => modalText().includes('Edit a project'));
    await bot.closeForm();
    expect(await bot.read('/spend lost', MEMBER)).not.toContain('Choose another…');
    expect(bot.billing.requests).toHaveLength(asked);
  });
});

describe('/billing disconnect', () => {
  const open = async (words = '') => {
    await bot.slack.say(OWNER, CHANNEL, `/billing disconnect ${words}`);
    await bot.slack.waitFor(() => modalText().includes('Disconnect'));
  };
  const choose = async (name: string, said: string) => {
    await bot.slack.choose(OWNER, { viewId: bot.slack.modal(OWNER)!.id }, 'disconnect-form:name', name);
    await bot.slack.waitFor(() => modalText().includes(said));
  };
  const disconnect = async (fields: Record<string, string> = {}) => {
    await bot.slack.submit(OWNER, fields);
    await bot.slack.waitFor(() => !modalText().includes('Saving…'));
    const said = modalText();
    await bot.closeForm();
    return said;
  };

  it('says how many projects use the chosen connection, and deletes only that connection', async () => {
    await register('main');
    await register('finance');
    for (const alias of ['prod', 'backups']) await putProject(alias, 'finance');
    await putProject('other', 'main');
    await open();
    await choose('finance', 'You get no figures for 2 projects until you choose another connection');
    expect(await disconnect()).toContain('copy of the token for finance.');
    expect(await told()).toHaveProperty('connection:main');
    expect(await connectionIn('finance')).toBeNull();
    expect((await auditLines())[0]).toBe('disconnected finance');
  });

  it.each([
    [['main', 'finance'], 'finance becomes the default connection.', 'left'],
    [
      ['main', 'finance', 'eu'],
      'Choose the new default connection in /billing status.',
      'You have several connections, but no default',
    ],
  ])('says which connection becomes the default, if any (connections: %j)', async (names, said, answer) => {
    for (const name of names) await register(name);
    await open('main');
    expect(modalText()).toContain(said);
    expect(await disconnect()).toContain(said);
    expect((await auditLines())[0]).toBe('disconnected main');
    expect(await bot.read('/balance 123')).toContain(answer);
  });

  it('does not delete a token that was registered after the form was opened', async () => {
    await bot.connect();
    await open();
    await bot.slack.say(ADMIN, CHANNEL, '/billing connect main');
    await bot.slack.waitFor(() => bot.slack.modal(ADMIN));
    await bot.slack.submit(ADMIN, { token: bot.billing.tokens[0]!.value });
    await bot.slack.waitFor(() => modalText(ADMIN).includes('Connected'));
    expect(await disconnect()).toContain(
      'Someone else just changed this. Press Disconnect again to do it anyway.',
    );
    expect(await connectionIn('main')).not.toBeNull();
  });

  it('removes a connection whose record is damaged, and rejects an unknown connection', async () => {
    await bot.connect();
    await bot.store({ 'connection:main': '{' });
    await open();
    expect(modalText()).toContain('main · damaged');
    await disconnect();
    expect(await told()).toEqual({});
    expect(await bot.read('/billing disconnect nobody')).toContain('isn’t connected');
  });

  it('deletes the token only when the form is submitted', async () => {
    await bot.connect();
    await open();
    expect(modalText()).toContain('Nobody in this workspace can use Tally until you reconnect.');
    await bot.closeForm();
    expect(await dump()).toContain('v1.test.');
    await open();
    expect(await disconnect()).toContain('Disconnected.');
    expect(await told()).toEqual({});
    expect(await bot.read('/balance 123')).toContain('isn’t connected');
  });
});
