import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { type IdentityService, startIdentity } from '../../sandbox/identity.ts';
import { ADMIN, FINOPS, GUEST, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { auditKey, recordKey } from '../../src/redis/keys.ts';
import { serve } from '../http/service.ts';
import { labelsOf } from '../support/answer.ts';
import { botOfEachTest, CHANNEL, SATURDAY as NOW, textOf } from '../support/bot.ts';
import { directOf as direct, FINANCE, type Fields, GENERAL, sentBy, TEAM } from '../support/people.ts';
import { addProject, storedProject } from '../support/projects.ts';
import { dumpRedis, workspaceKeys } from '../support/redis.ts';
import { answerWith, holdAnswers } from '../support/service-replies.ts';

const identity = {} as IdentityService;
/** Every token that the identity service has issued. */
let issued: string[];

const bot = botOfEachTest(
  async (bot) => {
    issued = [];
    await addProject(bot, { alias: 'prod', id: '123' });
  },
  async () => {
    Object.assign(identity, await startIdentity({ now: () => bot.clock.now, slowFor: 300 }));
    return { identityUrl: identity.authUrl };
  },
);
afterEach(() => identity.close());

type AccessName = keyof IdentityService['accesses'];
const view = (person = OWNER) => bot.modal(person)?.view;
const shows = (text: string, person = OWNER) => bot.modalSays(text, person);
const modalText = (person?: string) => bot.modalText(person);
const press = (label: string, person?: string) => bot.pressInForm(label, person);
/** The actions in the audit, newest first. */
const auditLines = async () => (await bot.audit()).map((entry) => entry.replace(/^\S+ /, ''));
const record = () => bot.redis.client.hgetall(recordKey(TEAM));
const buttonsOf = (person = OWNER) => labelsOf(view(person)?.blocks);
/** Opens the form of a project’s access. */
const openAccess = async (person = OWNER, project = 'prod') => {
  await bot.slack.say(person, CHANNEL, `/billing projects access ${project}`);
  await shows('Secret key', person);
};

interface Naming {
  readonly people?: readonly string[];
  readonly groups?: readonly string[];
}

async function fillIn(name: AccessName, fields: Fields = {}) {
  const { id, secret } = identity.accesses[name];
  await bot.slack.submit(OWNER, { access_id: id, secret, ...fields });
}

const setIssuers = async (people: readonly string[]) =>
  bot.store({ 'access:123': { ...(await bot.stored('access:123')), issuers: { people, groups: [] } } });

async function register(name: AccessName = 'good', { people = [OWNER, MEMBER], groups }: Naming = {}) {
  await openAccess();
  await fillIn(name, { people, ...(groups && { groups }) });
  await bot.slack.waitFor(() =>
    /ot saved|not be saved|can issue|Enter ID and secret again/.test(modalText()),
  );
  if (modalText().includes('Enter ID and secret again')) await fillIn(name);
  await bot.slack.waitFor(() => /ot saved|not be saved|can issue/.test(modalText()));
  const said = modalText();
  await bot.closeForm();
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

const dump = () => dumpRedis(bot.redis.client);

/** Counts the calls to Slack that contain this text, by method. */
function sent(text: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const call of bot.slack.calls)
    if (JSON.stringify(call).includes(text)) found[call.method] = (found[call.method] ?? 0) + 1;
  return found;
}

describe('an application access', () => {
  it('is tested by issuing and revoking a token, and is then stored encrypted', async () => {
    const said = await register('good', { people: [MEMBER] });
    expect(said).toContain('prod can issue OS_TOKENs');
    expect(said).toContain('The test passed: the service issued a token and revoked it.');
    expect(said).toContain('access ending 0001, expiry unknown');
    expect(said).toContain('Project prod · role member · acts as sandbox');
    expect(identity.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
    expect(await auditLines()).toEqual(['registered the application access of prod (project 123)']);
    const { id, secret } = identity.accesses.good;
    for (const hidden of [id, secret])
      expect([await dump(), bot.log(), JSON.stringify(bot.slack.calls)].join()).not.toContain(hidden);
    expect(await dump()).toContain('v1.test.');
  });

  it('has a form that is filled in with the configured URL and the person who opens it', async () => {
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access 123');
    await shows('Secret key');
    expect(JSON.stringify(view())).toContain(identity.authUrl);
    expect(JSON.stringify(view())).toContain(`"initial_users":["${OWNER}"]`);
  });

  it('leads to a warning if it is unrestricted', async () => {
    expect(await register('unrestricted')).toContain('*This application access is unrestricted.*');
  });

  it('is not saved if the service rejects it, and the old access stays', async () => {
    await register('good', { people: [MEMBER] });
    const before = await record();
    for (const [name, sentence] of [
      ['expired', 'rejected the application access (HTTP 401)'],
      ['disabled', 'won’t issue a token for that project (HTTP 404)'],
    ] as const) {
      expect(await register(name)).toContain(sentence);
      expect(await record()).toEqual(before);
    }
  });

  it('needs its ID and secret again for a new address, but not for a new list of people', async () => {
    await register('good', { people: [OWNER] });
    const form = async (fields: Fields) => {
      await openAccess();
      const said = await bot.save(fields);
      await bot.closeForm();
      return said;
    };
    const asked = identity.requests.length;
    expect(await form({ people: [MEMBER] })).toContain('Saved.');
    const other = identity.authUrl.replace('/v3', '/elsewhere/v3');
    expect(await form({ people: [OWNER], authUrl: other })).toContain(
      'For a new address, enter the ID and the secret too.',
    );
    expect(identity.requests.length).toBe(asked);
    expect((await auditLines())[0]).toBe('changed who can get OS_TOKENs for prod (project 123)');
    await issue(MEMBER);
  });

  it('has an expiry date only if a person entered one', async () => {
    await openAccess();
    await fillIn('good', { people: [OWNER], expires: '2027-02-03' });
    await shows('can issue OS_TOKENs');
    expect(modalText()).toContain('access ending 0001, expires Wed 3 Feb 2027 (74 days)');
    await bot.closeForm();
    expect(await register('good', { people: [OWNER] })).toContain('access ending 0001, expiry unknown');
    expect(await bot.read('/billing status')).toMatch(/^\*prod\* · OS_TOKEN .*expiry unknown\nSet expiry…$/m);
    const asked = identity.requests.length;
    const { sealed } = JSON.parse((await record())['access:123']!);
    for (const [fields, says] of [
      [{ expires: '2027-03-01' }, 'expires Mon 1 Mar 2027 (100 days)'],
      [{}, 'No changes to save.'],
      [{ never: ['never'] }, 'no expiry'],
    ] as const) {
      await openAccess();
      await bot.slack.submit(OWNER, fields);
      await shows(says);
      await bot.closeForm();
    }
    expect(JSON.parse((await record())['access:123']!)).toMatchObject({ sealed, lifetime: 'none' });
    expect(identity.requests).toHaveLength(asked);
    expect((await auditLines()).slice(0, 2)).toEqual(
      Array(2).fill('changed the expiry of prod (project 123)'),
    );
    await issue(OWNER);
  });

  it('is not saved if another person changed it while the form was open', async () => {
    await register('good', { people: [OWNER] });
    await openAccess();
    await openAccess(ADMIN);
    await bot.slack.submit(ADMIN, { people: [OWNER, ADMIN] });
    await shows('Saved.', ADMIN);
    const before = await record();
    await bot.slack.submit(OWNER, { people: [OWNER, MEMBER], expires: '2027-03-01' });
    await shows('Someone else just changed this. Press Test and save again to do it anyway.');
    expect(await record()).toEqual(before);
  });

  it('is tested and saved only once if its form is submitted to two processes at once', async () => {
    await openAccess();
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
    const send = (url: string) => forged(OWNER, payload, url, 'application-access');
    await Promise.all([first, bot.url, first, bot.url].map(send));
    await shows('can issue OS_TOKENs');
    expect(identity.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
    expect(await auditLines()).toEqual(['registered the application access of prod (project 123)']);
  });

  it('is refused, with advice where to find the right URL, if part of its URL is missing', async () => {
    await openAccess();
    await fillIn('good', { authUrl: identity.url });
    expect(bot.errors().authUrl).toContain('doesn’t end with /v3. Copy it from the console');
    const wrong = identity.authUrl.replace('/v3', '/identity/v3');
    await fillIn('good', { authUrl: wrong });
    await shows('Not saved');
    expect(modalText()).toContain('Nothing was saved.');
    await shows('Secret key');
    expect(JSON.stringify(view())).toContain(wrong);
  });

  it('that was rejected leaves no trace of its ID and secret in Slack, the log or Redis', async () => {
    const { id, secret } = identity.accesses.good;
    for (const [access_id, given] of [
      [id, 'a-secret-that-is-wrong'],
      [secret, 'a-secret-that-is-wrong'],
    ] as const) {
      await openAccess();
      await bot.slack.submit(OWNER, { access_id, secret: given });
      await shows('Not saved');
      await shows('Secret key');
      await bot.closeForm();
    }
    await bot.slack.waitFor(() => /"route":"application-access".*"outcome":"access-refused"/.test(bot.log()));
    for (const hidden of [id, secret, 'a-secret-that-is-wrong'])
      expect([JSON.stringify(bot.slack.calls), bot.log(), await dump()].join()).not.toContain(hidden);
  });

  it('is refused without a request if its ID and secret are obviously swapped', async () => {
    await openAccess();
    const { id, secret } = identity.accesses.good;
    await bot.slack.submit(OWNER, { access_id: secret, secret: id });
    expect(bot.errors().access_id).toContain('look swapped');
    expect(identity.requests).toEqual([]);
  });

  it('must list at least one person who can get tokens', async () => {
    await openAccess();
    await fillIn('good', { people: [] });
    expect(bot.errors().people).toContain('at least one');
  });

  it('still works after its project is renamed, and can be removed with a button', async () => {
    await register();
    await bot.slack.say(OWNER, CHANNEL, '/billing projects rename prod');
    await shows('Edit a project');
    await bot.slack.submit(OWNER, { alias: 'live' });
    await shows('is now named live');
    await bot.closeForm();
    await bot.slack.say(OWNER, direct(OWNER), '/os-token live');
    await shown();
    await bot.closeForm();
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access live');
    await shows('Remove this access');
    await press('Remove this access');
    await shows('Removed the access for');
    expect(await record()).not.toHaveProperty('access:123');
    expect((await auditLines())[0]).toBe('removed the application access of live (project 123)');
  });

  it('can be registered only by managers', async () => {
    expect(await bot.read('/billing projects access prod', MEMBER)).toContain(
      'Only Tally managers can do this',
    );
    expect(view(MEMBER)).toBeUndefined();
  });
});

describe('/os-token', () => {
  it('shows a token, its project, its expiry and shell commands that export the token', async () => {
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
    expect(modalText()).toContain(`Expires: <!date^${(NOW + 3_600_000 - 123) / 1000}^`);
    expect(modalText()).toContain('Project prod · role member');
    expect(buttonsOf()).toEqual(['Revoke now']);
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
  });

  it('warns if the token comes from an unrestricted application access', async () => {
    await register('unrestricted');
    await issue();
    expect(modalText()).toContain('*This application access is unrestricted.*');
  });

  it.each([
    ['no-zone', 'Expires: <!date^'],
    ['no-expiry', 'The service doesn’t say when it expires.'],
    ['bare', 'The service doesn’t say when it expires.'],
  ])('shows the token even if the service’s answer is incomplete: %s', async (mode, sentence) => {
    await register();
    answerWith(identity, mode);
    await issue();
    expect(modalText()).toContain(sentence);
  });

  it.each([
    ['refused', 'rejected the application access (HTTP 401)', []],
    ['404', 'doesn’t recognize that application access (HTTP 404)', []],
    ['400', 'HTTP 400', ['Try again', 'Open projects']],
    ['429', 'asked Tally to slow down (HTTP 429)', ['Try again']],
    [
      'no-token',
      'sent a response that Tally can’t read: it has no X-Subject-Token',
      ['Try again', 'Open projects'],
    ],
  ])('says what is wrong if the identity service’s answer is “%s”', async (mode, sentence, buttons) => {
    await register();
    answerWith(identity, mode);
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows(sentence);
    expect(buttonsOf()).toEqual(buttons);
    await bot.slack.waitFor(() => /"route":"\/os-token".*"outcome":"(?!ok)/.test(bot.log()));
  });

  it('makes /billing status report a rejected application access until the access works again', async () => {
    await register();
    const isRejected = async () =>
      (await bot.read('/billing status')).includes('rejected by the identity service');
    bot.clock.now += 1_000;
    identity.setMode('refused');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('HTTP 401');
    await bot.closeForm();
    expect(await isRejected()).toBe(true);
    identity.setMode('healthy');
    await issue();
    expect(await isRejected()).toBe(false);
  });

  it('issues only one token if four clicks on Try again reach two processes', async () => {
    await register();
    answerWith(identity, '429');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('HTTP 429');
    identity.setMode('healthy');
    const { id, hash } = bot.slack.modal(OWNER)!;
    const asked = identity.requests.length;
    const first = bot.url;
    await bot.startAnotherProcess();
    const pressed = {
      ...click('rerun:again', '/os-token prod'),
      view: { id, type: 'modal', hash },
    };
    await Promise.all(
      [first, bot.url, first, bot.url].map((url) => forged(OWNER, pressed, url, '/os-token')),
    );
    await shown();
    expect(identity.requests).toHaveLength(asked + 1);
  });

  it('revokes a token without showing it if the audit entry can’t be written', async () => {
    await register();
    await issue();
    await bot.closeForm();
    expect((await auditLines())[0]).toBe('got an OS_TOKEN for prod (project 123)');
    await bot.redis.client.del(auditKey(TEAM));
    await bot.redis.client.set(auditKey(TEAM), 'no stream');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('Another program overwrote Tally’s data for this workspace.');
    expect(modalText()).toContain('Tally revoked the token it couldn’t show.');
    expect(pieces()).toEqual([]);
    expect(identity.requests.at(-1)?.method).toBe('DELETE');
  });

  it.each([
    ['healthy', 'Tally revoked the token it couldn’t show.'],
    ['no-revocation', 'Nobody has seen the token, but Tally couldn’t revoke it.'],
  ])(
    'tries to revoke a token that arrives after the window was closed (service: %s)',
    async (mode, sentence) => {
      await register();
      identity.setMode('slow');
      await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
      await shows('Issuing');
      await bot.closeForm();
      await bot.slack.waitFor(() => identity.requests.length === 3);
      answerWith(identity, mode);
      await bot.slack.waitFor(() =>
        bot.answers(OWNER, direct(OWNER)).some(({ visibleText }) => visibleText.includes(sentence)),
      );
      expect(identity.requests.some(({ method }, at) => at > 2 && method === 'DELETE')).toBe(true);
    },
  );

  it.each<[string, () => Promise<unknown>]>([
    ['the person is taken off the list', () => setIssuers([OWNER])],
    ['the application access is removed', () => bot.drop('access:123')],
    [
      'the project is limited to another channel',
      () => bot.store({ 'project:prod': storedProject({ alias: 'prod', id: '123', channels: [FINANCE] }) }),
    ],
  ])('shows no token, but revokes it, if %s before the service answers', async (_, change) => {
    await register();
    const { asked, release } = holdAnswers(identity);
    await bot.slack.say(MEMBER, direct(MEMBER), '/os-token prod');
    await asked;
    await change();
    release();
    await shows('Tally revoked the token it couldn’t show.', MEMBER);
    expect(pieces(MEMBER)).toEqual([]);
    expect(identity.requests.at(-1)?.method).toBe('DELETE');
  });

  it('revokes the token if Slack refuses to show it', async () => {
    await register();
    identity.setMode('slow');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('Issuing');
    bot.slack.failNext('views.update', { status: 429, retryAfter: 60 });
    await shows('Tally got a token for prod, but couldn’t show it.');
    expect(modalText()).toContain('Tally revoked the token it couldn’t show.');
    expect(pieces()).toEqual([]);
  });

  it('says that a token may have been issued if the service’s answer is lost', async () => {
    await register();
    const asked = identity.requests.length;
    answerWith(identity, 'reset');
    await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
    await shows('may have issued a token, but its answer was lost');
    expect(identity.requests.length).toBe(asked + 1);
    expect(modalText()).toContain('If a token was issued, nobody has seen it');
  });

  it('gives a token only to people on the project’s list, not to every manager', async () => {
    await register('good', { people: [ADMIN] });
    const said = await bot.ask('/os-token prod', OWNER);
    expect(said.visibleText).toContain('You can’t get tokens for prod.');
    expect(said.visibleText).toContain(
      'Managers can’t get tokens unless they’re added. Add yourself with /billing projects access.',
    );
    expect(await bot.read('/os-token prod', MEMBER)).toContain(
      'A Tally manager can add you with /billing projects access.',
    );
    expect(view()).toBeUndefined();
    await issue(ADMIN);
  });

  it('checks for each token whether the person is still in a listed user group', async () => {
    await register('good', { people: [OWNER], groups: [FINOPS] });
    await issue(MEMBER);
    await bot.closeForm(MEMBER);
    bot.slack.workspace.userGroups.find(({ id }) => id === FINOPS)!.members.length = 0;
    await bot.slack.say(MEMBER, direct(MEMBER), '/os-token prod');
    await shows('You can’t get tokens for prod.', MEMBER);
    await bot.slack.say(ADMIN, direct(ADMIN), '/os-token prod');
    await shows('You can’t get tokens for prod.', ADMIN);
  });

  it('gives no token to a guest on the project’s list if guests cannot use Tally', async () => {
    await register('good', { people: [GUEST] });
    const said = await bot.ask('/os-token prod', GUEST, GENERAL);
    expect(said.visibleText).toContain('Guests can’t use Tally in this workspace.');
  });

  it('issues a token after “Try again” if people may ask about the project in the channel', async () => {
    await addProject(bot, { alias: 'web', id: '456', channels: [CHANNEL] });
    await bot.slack.say(OWNER, CHANNEL, '/billing projects access web');
    await shows('Secret key');
    await fillIn('good', { people: [MEMBER] });
    await shows('can issue');
    expect(await bot.read('/os-token web', MEMBER, GENERAL)).toContain('is limited to');
    answerWith(identity, '429');
    await bot.slack.say(MEMBER, CHANNEL, '/os-token web');
    for (const mode of ['500', 'healthy']) {
      await shows('Try again', MEMBER);
      answerWith(identity, mode);
      await press('Try again', MEMBER);
    }
    await shown(MEMBER);
  });

  it('says that the project has no application access, with a button for managers to add one', async () => {
    const said = await bot.ask('/os-token prod');
    expect(said.visibleText).toContain('prod has no application access');
    expect(said.visibleText).toContain('Add application access…');
    await bot.press(said, 'Add application access…');
    await shows('Secret key');
    expect(await bot.read('/os-token prod', MEMBER)).not.toContain('Add application access…');
  });

  it('refuses a period or a product, and answers “help” with help', async () => {
    for (const [typed, quoted] of [
      ['prod last-week', 'last-week'],
      ['Last Week prod', 'last week'],
      ['last 7 days prod', 'last 7 days'],
      ['october', 'october'],
    ]) {
      const { visibleText } = await bot.ask(`/os-token ${typed}`);
      expect(visibleText).toContain(`“${quoted}” is a period. Tokens don’t need one`);
      expect(visibleText).toContain('/os-token prod');
    }
    expect(await bot.read('/os-token prod storage')).toContain('A token covers the whole project');
    const { visibleText } = await bot.ask('/os-token nowhere');
    expect(visibleText).toContain('I don’t recognize “nowhere”.');
    expect(visibleText).not.toContain('last-7-days');
    expect(await bot.read('/os-token prof')).toContain('/os-token prod');
    expect(await bot.read('/os-token help')).toContain('/os-token [project]');
  });

  it('offers the form for an application access if somebody pastes a secret', async () => {
    const pasted = `gAAAAA${'aB3-'.repeat(12)}`;
    const said = await bot.ask(`/os-token prod ${pasted}`);
    expect(said.visibleText).toContain('That looks like a token or a password');
    expect(said.visibleText).not.toContain('Connect…');
    expect(said.visibleText).not.toContain(pasted);
    await bot.choose(said, 'rerun:project', 'prod');
    await shows('Secret key');
    expect(modalText()).toContain('issue temporary OS_TOKENs for prod');
    const { visibleText } = await bot.ask(`/os-token prod ${pasted}`, MEMBER);
    expect(visibleText).toContain('A Tally manager can add it with /billing projects access.');
    expect(visibleText).not.toContain('Choose a project');
    expect(bot.log()).not.toContain(pasted);
  });

  it('in a mention issues a token only after a click on a button', async () => {
    await register();
    const asked = identity.requests.length;
    const said = await bot.ask('@Tally os-token prod');
    expect(said.ephemeral).toBe(true);
    expect(identity.requests.length).toBe(asked);
    await bot.press(said, 'Open the form…');
    await shows('Revoke now');
  });
});

/** Sends a forged, correctly signed click or submission; resolves when it was processed. */
async function forged(person: string, payload: object, url = bot.url, route = 'os-token'): Promise<void> {
  const finished = () => bot.log().split(`"route":"${route}`).length;
  const before = finished();
  await bot.interact({ ...sentBy(person), ...payload }, url);
  await bot.slack.waitFor(() => finished() > before);
}

const click = (action_id: string, value?: string) => ({
  type: 'block_actions',
  actions: [{ type: 'button', block_id: 'b', action_id, value }],
});

const revocation = (metadata: string, id = 'V0FORGED01') => ({
  ...click('os-token-revoke'),
  view: { id, type: 'modal', private_metadata: metadata, state: { values: {} } },
});

describe('the button Revoke now', () => {
  const deletions = () => identity.requests.filter(({ method }) => method === 'DELETE').length;

  it('revokes the token even if another process issued it', async () => {
    await register();
    const token = await issue();
    await bot.startAnotherProcess();
    await press('Revoke now');
    await shows('Revoked.');
    expect(identity.isLive(token)).toBe(false);
    expect((await auditLines())[0]).toBe('revoked an OS_TOKEN of prod (project 123)');
    expect(buttonsOf()).toEqual([]);
  });

  it('does nothing if another person presses it or if its value is forged', async () => {
    await register();
    const token = await issue(MEMBER);
    const metadata = view(MEMBER)!.private_metadata!;
    expect(metadata).not.toContain(token);
    await forged(OWNER, revocation(metadata));
    for (const text of ['invalid-response', '', `${metadata.slice(0, -4)}AAAA`])
      await forged(MEMBER, revocation(text));
    expect(identity.isLive(token)).toBe(true);
    expect(deletions()).toBe(1);
  });

  it('revokes the token only once if four simultaneous clicks reach two processes', async () => {
    await register();
    await issue();
    const metadata = view()!.private_metadata!;
    const { id } = bot.slack.modal(OWNER)!;
    const before = deletions();
    const first = bot.url;
    await bot.startAnotherProcess();
    await Promise.all(
      [first, bot.url, first, bot.url].map((url) => forged(OWNER, revocation(metadata, id), url)),
    );
    await shows('Revoked.');
    expect(deletions()).toBe(before + 1);
  });

  it.each([
    ['no-revoking', 'refused to revoke the token (HTTP 401). The token may still work.'],
    ['500', 'The token may still work until it expires.'],
    ['429', 'The token may still work until it expires.'],
  ])('stays available if the service fails to revoke the token: %s', async (mode, sentence) => {
    await register();
    const token = await issue();
    answerWith(identity, mode);
    await press('Revoke now');
    await shows(sentence);
    expect((await auditLines())[0]).toMatch(/^got an OS_TOKEN for /);
    identity.setMode('healthy');
    await press('Revoke');
    await shows('Revoked.');
    expect(identity.isLive(token)).toBe(false);
  });

  it('is replaced by a note if the token was already invalid', async () => {
    await register();
    await issue();
    identity.setMode('refused');
    await press('Revoke now');
    await shows('The token had already expired or been revoked');
    expect(buttonsOf()).toEqual([]);
  });

  it.each([false, true])(
    'is not offered if the service can’t revoke tokens (Tally knows this beforehand: %s)',
    async (isKnown) => {
      if (isKnown) answerWith(identity, 'no-revocation');
      await register();
      const token = await issue();
      if (!isKnown) {
        answerWith(identity, 'no-revocation');
        await press('Revoke now');
      }
      await shows('The service can’t revoke tokens. This one works until it expires.');
      expect(identity.isLive(token)).toBe(true);
      expect(buttonsOf()).toEqual([]);
      expect(view()?.private_metadata ?? '').toBe('');
    },
  );

  it('revokes the token at the service that issued it, even if the access has since got a new address', async () => {
    const second = await startIdentity({ now: () => bot.clock.now, slowFor: 300 });
    onTestFinished(() => second.close());
    await register('good', { people: [OWNER] });
    const token = await issue();
    await openAccess(ADMIN);
    const { id, secret } = second.accesses.good;
    await bot.slack.submit(ADMIN, { access_id: id, secret, authUrl: second.authUrl, people: [OWNER] });
    await shows('can issue OS_TOKENs', ADMIN);
    const asked = [identity, second].map(({ requests }) => requests.length);
    await press('Revoke now');
    await shows('Revoked.');
    expect(identity.isLive(token)).toBe(false);
    expect([identity, second].map(({ requests }) => requests.length)).toEqual([asked[0]! + 1, asked[1]]);
  });

  it('works even for a person who has become a guest', async () => {
    await register();
    const token = await issue(MEMBER);
    bot.slack.workspace.person(MEMBER)!.role = 'guest';
    bot.clock.now += 2 * 60_000;
    expect(await bot.read('/os-token prod', MEMBER)).toContain('Guests can’t use Tally in this workspace.');
    await press('Revoke now', MEMBER);
    await shows('Revoked.', MEMBER);
    expect(identity.isLive(token)).toBe(false);
  });
});

it('Tally rejects and revokes a token that is longer than Slack can show', async () => {
  await register('good', { people: [OWNER] });
  const token = `gAAAAA${'x'.repeat(2_994)}`;
  const service = await serve(({ method }, response) => {
    response.writeHead(method === 'POST' ? 201 : 204, { 'X-Subject-Token': token }).end();
  });
  onTestFinished(() => bot.stopBot().then(service.close));
  await openAccess();
  await fillIn('good', { authUrl: `${service.url}/v3` });
  await shows('can issue');
  await bot.closeForm();
  service.requests.length = 0;
  await bot.slack.say(OWNER, direct(OWNER), '/os-token prod');
  await shows('It has 3000 characters, more than Slack can show. Tally revoked the token it couldn’t show.');
  expect(service.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
  expect((await auditLines())[0]).toMatch(/^revoked an OS_TOKEN of prod/);
  expect(JSON.stringify(bot.slack.calls)).not.toContain(token.slice(0, 500));
});

describe('lists of projects', () => {
  it('show an application access only to managers and people who can get tokens', async () => {
    await register('good', { people: [MEMBER] });
    const home = (person: string) => bot.home(person);
    expect(await home(OWNER)).not.toContain('OS_TOKEN…');
    expect(await home(MEMBER)).toContain('OS_TOKEN…');
    expect(await bot.read('/billing projects', OWNER)).toContain('OS_TOKEN: access ending 0001');
    expect(await bot.read('/billing projects', MEMBER)).toContain('OS_TOKEN: access ending 0001');
    await bot.connect();
    expect(await bot.read('/billing status', OWNER)).toContain('*prod* · OS_TOKEN access ending 0001');
    expect(await bot.read('/billing status', MEMBER)).not.toContain('0001');
    await register('good', { people: [OWNER] });
    expect(await home(MEMBER)).not.toContain('OS_TOKEN');
    expect(await bot.read('/billing projects', MEMBER)).not.toContain('OS_TOKEN');
  });

  it('offer the form for an application access in a project’s menu', async () => {
    await bot.choose(await bot.ask('/billing projects'), 'run:project', 'Application access…');
    await shows('Secret key');
  });
});

it('all data of a workspace is deleted when the workspace uninstalls Tally', async () => {
  await register();
  await issue();
  const left = async () => (await workspaceKeys(bot.redis.client)).filter((key) => key.includes(TEAM));
  expect(await left()).not.toEqual([]);
  await bot.slack.event({ type: 'app_uninstalled' });
  expect(await left()).toEqual([]);
});
