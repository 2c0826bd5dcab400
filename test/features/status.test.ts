import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { problemsOfBlocks } from '../../sandbox/slack/blocks.ts';
import { MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { MAX_CONNECTIONS, type NewConnection } from '../../src/workspace/credentials/credential-records.ts';
import { createWorkspaces, type Workspaces } from '../../src/workspace/record/workspace-repository.ts';
import { DEFAULT_SETTINGS } from '../../src/workspace/settings.ts';
import { botOfEachTest, DAY, goodToken, SATURDAY as NOW } from '../support/bot.ts';
import { FINANCE, TEAM } from '../support/people.ts';
import { addProject, addProjects, changeIn } from '../support/projects.ts';
import { outcomesOf } from '../support/workspace-store.ts';

let workspaces: Workspaces;
const bot = botOfEachTest(async ({ redis, keyring }) => {
  workspaces = createWorkspaces({ redis: redis.client, keyring });
});

const connection = (name: string, more: Partial<NewConnection> = {}): NewConnection => ({
  name,
  baseUrl: bot.billing.url,
  token: goodToken(bot.billing),
  role: 'read-only',
  lifetime: '90-days',
  type: 'for-oneself',
  test: { project: '123', product: 1 },
  registeredBy: OWNER,
  registeredAt: NOW - 60 * DAY,
  expiresAt: NOW + 30 * DAY,
  ...more,
});
const saved = async (one: NewConnection) => workspaces.saveConnection(await changeIn(workspaces, TEAM), one);
const save = (name: string, more?: Partial<NewConnection>) => saved(connection(name, more));

/** The text of the page for this person. */
const status = async (person = OWNER) => await bot.read('/billing status', person);

describe('/billing status', () => {
  it('has a button for the connection form if there is no connection yet', async () => {
    const forOwner = await bot.ask('/billing status');
    expect(forOwner.visibleText).toContain('isn’t connected to a billing service yet');
    await bot.press(forOwner, 'Connect…');
    await bot.slack.waitFor(() => bot.modal());
    const forMember = await bot.ask('/billing status', MEMBER);
    expect(forMember.visibleText).toContain('An owner or admin of this workspace can connect it.');
    expect(forMember.buttons).toEqual(['Ask a manager']);
  });

  it('tells managers who registered each token and when it expires', async () => {
    const { fingerprint, lastFour } = await save('main', {
      account: 'Acme <!channel>',
      authUrl: 'https://identity.example.com/v3',
      expiresAt: NOW + 12 * DAY,
    });
    const visibleText = await status();
    expect(visibleText).toContain('Read-only · For oneself · account Acme &lt;!channel&gt;');
    expect(visibleText).toContain(`added by <@${OWNER}> on Tue 22 Sep 2026`);
    expect(visibleText).toMatch(
      /^\*Billing connection\* · \*its token expires Thu 3 Dec 2026 \(12 days\)\*\nnot used yet · /m,
    );
    const usual = [fingerprint, lastFour, new URL(bot.billing.url).host, 'identity.example.com', 'main'];
    for (const one of usual) expect(visibleText).not.toContain(one);
    await save('finance');
    const several = await status();
    expect(several).toMatch(/^\*main\* · default · \*its token expires/m);
    expect(several).toContain(new URL(bot.billing.url).host);
    expect(several).toContain(`token ending ${lastFour}`);
  });

  it.each([
    [{ expiresAt: NOW - 3 * DAY }, 'expired Wed 18 Nov 2026 (3 days ago)'],
    [{ expiresAt: NOW + 15 * DAY }, 'expires Sun 6 Dec 2026 (15 days)'],
    [{ lifetime: 'none' as const }, 'no expiry'],
  ])('describes the expiry of a token (%o) as “%s”', async (more, words) => {
    const { expiresAt: _, ...rest } = connection('main');
    await workspaces.saveConnection(await changeIn(workspaces, TEAM), { ...rest, ...more });
    expect(await status()).toContain(words);
  });

  it('tells members only which connections have a token that expires soon or has expired', async () => {
    const { fingerprint, lastFour } = await save('main', { account: 'Acme' });
    expect(await status(MEMBER)).toBe('No problems');
    await save('finance', { expiresAt: NOW + 3 * DAY });
    await save('old', { expiresAt: NOW - DAY });
    const { visibleText, buttons } = await bot.ask('/billing status', MEMBER);
    expect(visibleText).not.toContain('*main*');
    expect(visibleText).toMatch(/^\*finance\* · its token expires Tue 24 Nov 2026 \(3 days\)$/m);
    expect(visibleText).toMatch(/^\*old\* · its token expired Fri 20 Nov 2026 \(yesterday\)/m);
    for (const hidden of [fingerprint, lastFour, '127.0.0.1', 'Acme', OWNER])
      expect(visibleText).not.toContain(hidden);
    expect(buttons).toEqual(['Ask a manager', 'Ask a manager']);
  });

  it('shows that the billing service rejected a token, until somebody replaces the token', async () => {
    await save('main', { token: 'a-token-that-was-revoked-in-the-console' });
    await bot.ask('/balance 123');
    const visibleText = await status();
    expect(visibleText).toContain('*The service rejected its token.* It may have expired or been revoked.');
    expect(await status(MEMBER)).toMatch(
      /^\*Billing connection\* · its token was rejected: a Tally manager can replace it$/m,
    );
    await save('main');
    expect(await status()).not.toContain('rejected');
  });

  it('reports that the identity service rejected an application’s credentials', async () => {
    await workspaces.saveAccess(await changeIn(workspaces, TEAM), {
      project: '123',
      authUrl: 'https://identity.example.com/v3',
      id: 'an-access-id',
      secret: 'a-secret',
      issuers: { people: [], groups: [] },
      registeredBy: OWNER,
      registeredAt: NOW - DAY,
    });
    await save('main');
    const healthOf = async () => {
      const visibleText = await status();
      return [visibleText.split('\n')[0], visibleText.includes('rejected by the identity service')];
    };
    const access = { kind: 'access', name: '123' } as const;
    expect(await healthOf()).toEqual(['No problems', false]);
    await outcomesOf(workspaces, NOW).rejected({ workspace: TEAM, ...access, mark: 's-id' });
    expect(await healthOf()).toEqual(['1 problem', true]);
    await workspaces.clearRejection(TEAM, access);
    expect(await healthOf()).toEqual(['No problems', false]);
  });

  it('reports a missing default connection and damaged settings', async () => {
    await save('eu');
    await save('us');
    expect(await status()).toContain('Choose a default connection');
    await bot.store({ settings: '{' });
    const visibleText = await status();
    expect(visibleText).toContain('This workspace’s settings are damaged');
    expect(visibleText).toContain('*us*');
  });

  it('lists all damaged records in one line, which only managers see', async () => {
    for (const field of ['watch:aaaaaaaa', 'schedule:bbbbbbbb', 'project:prod'])
      await bot.store({ [field]: '{' });
    const [seen, member] = [await bot.ask('/billing status'), await bot.ask('/billing status', MEMBER)];
    expect(seen.visibleText).toMatch(
      /^2 problems\nRecords\nDamaged: (?=.*the watch aaaaaaaa)(?=.*the schedule bbbbbbbb)(?=.*the project prod)/,
    );
    expect(seen.visibleText).toContain('nobody can ask about projects by ID');
    expect(member.visibleText).not.toContain('amaged');
  });

  it('stays within Slack’s limits with many connections and projects', async () => {
    for (let n = 0; n < MAX_CONNECTIONS; n += 1)
      await save(`c-${n}`.padEnd(32, 'x'), {
        account: '<&>'.repeat(33),
        authUrl: `https://${'i'.repeat(60)}.example`,
      });
    for (let n = 0; n < 30; n += 1)
      await addProject(bot, { alias: `p${n}`, id: String(200 + n), connection: 'y'.repeat(32) });
    for (const person of [OWNER, MEMBER]) {
      const { blocks } = await bot.ask('/billing status', person);
      expect(problemsOfBlocks(blocks, 'message')).toEqual([]);
      expect(blocks.length).toBeLessThanOrEqual(50);
    }
  });
});

describe('the status page', () => {
  it('counts the problems, and lists the most urgent connection first', async () => {
    await save('a-fine');
    await save('b-soon', { expiresAt: NOW + 3 * DAY });
    await save('c-over', { expiresAt: NOW - DAY });
    await workspaces.chooseDefault(await changeIn(workspaces, TEAM), 'a-fine');
    const visibleText = await status();
    expect(visibleText).toMatch(/^2 problems\nConnections\n\*c-over\*/);
    const places = ['*c-over*', '*b-soon*', '*a-fine*'].map((name) => visibleText.indexOf(name));
    expect(places).toEqual(places.toSorted((x, y) => x - y));
  });
});

describe('a project whose connection is missing', () => {
  beforeEach(async () => {
    await save('main');
    await addProjects(bot, {
      prod: { id: '123', connection: 'finance' },
      sound: { id: '124', connection: 'main' },
    });
  });

  it('is shown with the connection’s name, and managers can choose another connection', async () => {
    const visibleText = await status();
    expect(visibleText).toContain('prod uses the connection “finance”, which no longer exists.');
    expect(visibleText).toContain('Choose another…');
    expect(visibleText).not.toContain('sound');
    const plain = await bot.ask('/billing status', MEMBER);
    expect(plain.visibleText).toContain('prod uses the connection “finance”, which no longer exists.');
    await save('finance');
    expect(await status(MEMBER)).not.toContain('no longer exists');
  });

  it('is not named to members in a channel where the project may not be shown', async () => {
    await addProject(bot, { alias: 'payroll', id: '125', connection: 'hr', channels: [FINANCE] });
    const visibleText = await status(MEMBER);
    expect(visibleText).not.toMatch(/payroll|\bhr\b/);
    expect(await status()).toContain('payroll uses the connection “hr”');
  });
});

describe('the default connection', () => {
  it('can be chosen on the status page, and is used from then on', async () => {
    await save('main');
    await save('finance', { token: bot.billing.tokens[0]!.value });
    await workspaces.saveSettings(await changeIn(workspaces, TEAM), {
      ...DEFAULT_SETTINGS,
      zone: 'Asia/Tokyo',
    });
    const page = await bot.ask('/billing status');
    await bot.choose(page, 'rerun:connection-finance', '/billing status default finance');
    const after = await bot.updated(page, '*finance* · default · ');
    expect(after.visibleText).toMatch(/^\*finance\* · default · /m);
    expect((await workspaces.load(TEAM)).settings).toMatchObject({
      zone: 'Asia/Tokyo',
      connection: 'finance',
    });
    expect((await bot.audit())[0]).toBe(`${OWNER} changed the default connection to finance`);
    await bot.ask('/balance 123');
    expect(bot.billing.requests.at(-1)!.token).toBe('Administrator');
  });
});

it('the status page shows a note if not everything fits in one message', async () => {
  for (let at = 1; at <= 30; at += 1) await save(`account-${at}`, { expiresAt: NOW + DAY });
  const { visibleText, blocks } = await bot.ask('/billing status');
  expect(blocks.length).toBeLessThanOrEqual(50);
  expect(visibleText).toContain('Not everything fits');
});

describe('an encrypted record that can’t be decrypted', () => {
  /** Somebody with access to Redis can move records, but a sealed value only opens where it was sealed. */
  const move = async (from: string, to: string) => bot.store({ [to]: await bot.stored(from) });

  const PUT_BACK = 'Your operator has to put the old key back; nothing is lost.';
  const keyIsGone = async () => {
    for (const command of ['/billing status', '/balance 123']) {
      const { visibleText } = await bot.ask(command);
      expect(visibleText).toContain(PUT_BACK);
      expect(visibleText).not.toMatch(/damaged|Replace the token|Replace token…\s*$/);
    }
  };

  const refusedEverywhere = async () => {
    expect(await bot.read('/balance 123')).toMatch(
      /Tally can’t (open this with its keys|read the stored access token)/,
    );
    const visibleText = await status();
    expect(visibleText).toMatch(/\*(?:Doesn’t work|Damaged)\.\*/);
    expect(await status(MEMBER)).toContain('doesn’t work: a Tally manager can fix it');
    expect(bot.billing.requests).toEqual([]);
  };

  it('is refused and reported if somebody copied it from another connection', async () => {
    await save('other');
    await move('connection:other', 'connection:main');
    await refusedEverywhere();
    await bot.store({ 'connection:main': { ...(await bot.stored('connection:other')), name: 'main' } });
    await refusedEverywhere();
  });

  it.each([
    ['the encryption key is missing', 'lost'],
    ['the encryption key was replaced by another key with the same ID', 'test'],
  ])('is reported if %s', async (_, id) => {
    const keyring = createKeyring([{ id, key: randomBytes(32) }]);
    const other = createWorkspaces({ redis: bot.redis.client, keyring });
    await other.saveConnection(await changeIn(other, TEAM), connection('main'));
    await keyIsGone();
  });
});

describe('the credentials of an application', () => {
  it('are listed for managers, and reported as broken if they can’t be decrypted', async () => {
    const access = {
      project: '123',
      authUrl: 'https://identity.example.com/v3',
      id: '5a9db0c0000000000000000000000abcd',
      secret: 'a-secret-for-tests-only',
      issuers: { people: [OWNER], groups: [] },
      registeredBy: OWNER,
      registeredAt: NOW,
    };
    await workspaces.saveAccess(await changeIn(workspaces, TEAM), access);
    const unconnected = await status();
    expect(unconnected).toContain('isn’t connected to a billing service yet');
    expect(unconnected).toContain('*Project 123* · OS_TOKEN access ending abcd');
    await save('main');
    expect(await status()).toContain('*Project 123* · OS_TOKEN access ending abcd');
    expect(await status(MEMBER)).not.toContain('abcd');
    await bot.store({
      'access:123': { ...(await bot.stored('access:123')), authUrl: 'https://identity.example.org/v3' },
    });
    expect(await status()).toContain('*Project 123* · OS_TOKEN Tally can’t open this with its keys.');
  });
});

it('the status page shows when a connection was last used', async () => {
  await save('main');
  await bot.ask('/spend 123');
  await expect.poll(async () => (await workspaces.load(TEAM)).lastUsed('main')).toBe(NOW);
  expect(await status()).toMatch(/last used: <!date\^\d+\^/);
});
