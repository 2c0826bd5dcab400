import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/slack/install/manifest.ts';
import { createStateStore } from '../../src/slack/install/oauth-install.ts';
import {
  CLIENT,
  epochSeconds,
  INSTALLER,
  type OAuthBot,
  PUBLIC_URL,
  STATE_SECRET,
  startOAuthBot,
  type Team,
} from '../support/oauth-bot.ts';
import { waitUntil } from '../support/wait-until.ts';

const NORTH: Team = { id: 'T0NORTH001', name: 'North' };
const SOUTH: Team = { id: 'T0SOUTH001', name: 'South' };
const HOUR = 3600;

let bot: OAuthBot;
afterEach(() => bot.stop());

async function started(options: Parameters<typeof startOAuthBot>[0] = {}): Promise<OAuthBot> {
  bot = await startOAuthBot(options);
  return bot;
}

const recordOf = ({ id }: { id: string }) => bot.redis.client.hgetall(`tally:{${id}}:record`);
const refreshes = () =>
  bot.slack.called('oauth.v2.access').filter(({ fields }) => fields.grant_type === 'refresh_token');
const asked = (method: string, of: string) => bot.slack.called(method).filter((call) => call.of === of);

describe('the install page', () => {
  it('leads to Slack with exactly the scopes in the manifest', async () => {
    await started();
    const { address } = await bot.openInstallPage();
    const manifest = JSON.parse(await readFile('manifest.json', 'utf8'));
    const { bot: needed, bot_optional: optional } = manifest.oauth_config.scopes;
    expect(SCOPES.filter((one) => !one.optional).map(({ scope }) => scope)).toEqual(needed);
    expect(SCOPES.filter((one) => one.optional).map(({ scope }) => scope)).toEqual(optional);
    expect(`${address.origin}${address.pathname}`).toBe(`${bot.slack.url}/oauth/v2/authorize`);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      client_id: CLIENT.id,
      scope: [...needed, ...optional].join(','),
      redirect_uri: `${PUBLIC_URL}/slack/oauth_redirect`,
    });
  });

  it.each(['install', 'oauth_redirect'])('runs no script and isn’t cached: /slack/%s', async (path) => {
    await started();
    const { headers } = await fetch(`${bot.urls[0]}/slack/${path}`, { redirect: 'manual' });
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    if (path === 'install')
      expect(headers.get('set-cookie')).toMatch(/; Secure; HttpOnly; Path=\/; Max-Age=600$/);
  });

  it('is also served in Socket Mode', async () => {
    await started({ env: { SLACK_APP_TOKEN: 'xapp-for-tests', SLACK_SIGNING_SECRET: '' } });
    expect((await fetch(`${bot.urls[0]}/readyz`)).status).toBe(200);
    expect((await bot.install(NORTH)).status).toBe(200);
  });
});

describe('an installation', () => {
  it('sends instructions to the person who installed Tally, and is recorded in the audit log', async () => {
    await started();
    await bot.install(NORTH);
    await waitUntil(() => asked('chat.postMessage', NORTH.id).length > 0);
    const { fields } = asked('chat.postMessage', NORTH.id)[0]!;
    expect(fields.channel).toBe(INSTALLER);
    for (const word of ['/billing connect', '/balance 123', '/spend 123', '"action_id":"connect"'])
      expect(fields.blocks).toContain(word);
    await waitUntil(async () => (await bot.redis.client.exists(`tally:{${NORTH.id}}:audit`)) === 1);
    const [[, entry]] = (await bot.redis.client.xrange(`tally:{${NORTH.id}}:audit`, '-', '+')) as [
      [string, string[]],
    ];
    expect(entry).toEqual(expect.arrayContaining(['installed Tally', INSTALLER]));
  });

  it('leaves no readable secret in Redis, in the log or on the page', async () => {
    await started();
    const { page } = await bot.install({ ...NORTH, expires: HOUR });
    await bot.command(NORTH, '/billing help');
    expect(refreshes()).toHaveLength(1);
    await bot.install({ ...SOUTH });
    bot.slack.refuse('oauth.v2.access', 'invalid_code');
    await bot.install(SOUTH);
    const records = await Promise.all([NORTH, SOUTH].map(recordOf));
    const all = [page, bot.log(), JSON.stringify(records), (await bot.keys()).join()].join();
    expect(bot.slack.secrets.length).toBeGreaterThan(8);
    for (const secret of [...bot.slack.secrets, STATE_SECRET]) expect(all).not.toContain(secret);
    expect(records.map(({ installation = '' }) => installation.split('.')[0])).toEqual(['v1', 'v1']);
  });
});

describe('the redirect from Slack', () => {
  const nothingInstalled = async () =>
    expect((await bot.keys()).filter((key) => !key.startsWith('tally:state:'))).toEqual([]);

  it('installs Tally only once, even if it is followed again', async () => {
    await started();
    const { state, cookie } = await bot.openInstallPage();
    expect((await bot.followRedirect({ code: bot.slack.allow(NORTH), state }, cookie)).status).toBe(200);
    const again = await bot.followRedirect({ code: bot.slack.allow(SOUTH), state }, cookie);
    expect(again).toEqual({ status: 400, page: expect.stringContaining('This link was used before') });
    expect(bot.slack.called('oauth.v2.access')).toHaveLength(1);
    expect(await recordOf(SOUTH)).toEqual({});
  });

  it('installs Tally only once even if it arrives twice at the same time', async () => {
    await started();
    const { state, cookie } = await bot.openInstallPage();
    const both = await Promise.all(
      [NORTH, SOUTH].map((team) => bot.followRedirect({ code: bot.slack.allow(team), state }, cookie)),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it.each([
    ['without the cookie', (state: string) => ({ state, cookie: '' })],
    [
      'with the cookie of another browser',
      (state: string, cookie: string) => ({ state, cookie: `${cookie.split('=')[0]}=another` }),
    ],
    ['without a state', (_: string, cookie: string) => ({ state: '', cookie })],
    ['with a state that was made up', () => ({ state: 'a.b.c', cookie: 'tally-install=a.b.c' })],
    [
      'with a wrong signature of the state',
      (state: string, cookie: string) => {
        const forged = `${state.slice(0, -6)}${state.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`;
        return { state: forged, cookie: `${cookie.split('=')[0]}=${forged}` };
      },
    ],
  ])('is refused without a call to Slack if it comes %s', async (_, change) => {
    await started();
    const { state, cookie } = await bot.openInstallPage();
    const changed = change(state, cookie);
    const { status } = await bot.followRedirect(
      { code: bot.slack.allow(NORTH), state: changed.state },
      changed.cookie,
    );
    expect(status).toBe(400);
    expect(bot.slack.called('oauth.v2.access')).toEqual([]);
    await nothingInstalled();
  });

  it('is refused after ten minutes', async () => {
    await started();
    const store = createStateStore({ spend: async () => true }, STATE_SECRET);
    const state = await store.generateStateParam({ scopes: [] }, new Date((epochSeconds() - 601) * 1000));
    const cookie = `tally-install=${state}`;
    expect((await bot.followRedirect({ code: bot.slack.allow(NORTH), state }, cookie)).status).toBe(400);
    await nothingInstalled();
  });

  it('installs nothing if the person declined', async () => {
    await started();
    const { state, cookie } = await bot.openInstallPage();
    expect(await bot.followRedirect({ error: 'access_denied', state }, cookie)).toEqual({
      status: 400,
      page: 'Tally wasn’t installed. It was cancelled in Slack. To try again, open /slack/install here.',
    });
    await nothingInstalled();
  });

  it('installs nothing if Slack refuses or rate-limits Tally’s call', async () => {
    await started();
    bot.slack.refuse('oauth.v2.access', 'bad_redirect_uri');
    expect((await bot.install(NORTH)).status).toBe(500);
    bot.slack.limit('oauth.v2.access', 3_600);
    expect((await bot.install(NORTH)).status).toBe(500);
    await nothingInstalled();
  });
});

describe('two workspaces', () => {
  it('are each answered through their own token and connection', async () => {
    await started();
    await bot.install(NORTH);
    await bot.install(SOUTH);
    await bot.connect(NORTH, 'Read-only');
    await bot.connect(SOUTH, 'Accountant');
    expect((await bot.command(NORTH, '/balance 123')).reply).toContain('left');
    expect(bot.billing.requests.at(-1)?.token).toBe('Read-only');
    expect((await bot.command(SOUTH, '/balance 123')).reply).toContain('left');
    expect(bot.billing.requests.at(-1)?.token).toBe('Accountant');
    for (const { id } of [NORTH, SOUTH]) expect(asked('users.info', id).length).toBeGreaterThan(0);
    expect(bot.slack.calls.filter(({ token, of }) => token !== undefined && of === undefined)).toEqual([]);
  });

  it('don’t share a connection', async () => {
    await started();
    await bot.install(NORTH);
    await bot.install(SOUTH);
    await bot.connect(NORTH, 'Read-only');
    expect((await bot.command(SOUTH, '/balance 123')).reply).toContain('isn’t connected');
  });

  it('are told apart if a member of one workspace clicks in the other workspace’s modal', async () => {
    await started();
    for (const team of [NORTH, SOUTH]) await bot.install(team);
    const view = { id: 'V1', type: 'modal', app_installed_team_id: NORTH.id, private_metadata: '' };
    const actions = [{ type: 'button', action_id: 'connect', block_id: 'b', value: '' }];
    await bot.interact(SOUTH, { type: 'block_actions', view, actions });
    await waitUntil(() => asked('chat.postMessage', NORTH.id).length > 1);
    expect(JSON.stringify(asked('chat.postMessage', NORTH.id).at(-1))).toContain(
      'Tally only answers members',
    );
    expect(asked('users.info', SOUTH.id)).toEqual([]);
  });
});

describe('a workspace without a usable installation', () => {
  it('is told where to install Tally', async () => {
    await started();
    const { status, reply } = await bot.command(NORTH, '/balance 123');
    expect(status).toBe(200);
    expect(reply).toContain('"response_type":"ephemeral"');
    expect(reply).toContain(`${PUBLIC_URL}/slack/install`);
  });

  it('is refused if its installation record was copied from another workspace', async () => {
    await started();
    await bot.install(NORTH);
    const { installation = '' } = await recordOf(NORTH);
    await bot.redis.client.hset(`tally:{${SOUTH.id}}:record`, { installation });
    const { reply } = await bot.command(SOUTH, '/balance 123');
    expect(reply).toContain('Tally can’t open this with its keys');
    expect(bot.log()).toContain('"reason":"not-authentic"');
    expect(asked('users.info', NORTH.id)).toEqual([]);
  });
});

describe('a Slack token with an expiry date', () => {
  const SOON: Team = { ...NORTH, expires: HOUR };

  it('is renewed only once if two processes need it at the same time', async () => {
    await started({ processes: 2 });
    await bot.install(SOON);
    bot.slack.delay(150);
    const answers = await Promise.all([0, 1, 0, 1].map((at) => bot.command(SOON, '/billing help', at)));
    for (const { reply } of answers) expect(reply).toContain('isn’t connected');
    expect(refreshes()).toHaveLength(1);
  });

  it('stays in use if it hasn’t expired and Slack refuses to renew it', async () => {
    await started();
    await bot.install(SOON);
    bot.slack.refuse('oauth.v2.access', 'invalid_refresh_token');
    for (let i = 0; i < 3; i += 1)
      expect((await bot.command(SOON, '/billing help')).reply).toContain('isn’t connected');
    expect(refreshes()).toHaveLength(1);
  });

  it('leads to an error message if it has expired and can’t be renewed', async () => {
    await started();
    await bot.install({ ...NORTH, expires: -1 });
    bot.slack.refuse('oauth.v2.access', 'invalid_refresh_token');
    const { reply } = await bot.command(NORTH, '/balance 123');
    expect(reply).toContain('Slack no longer accepts Tally’s token for this workspace.');
  });

  it('isn’t stored if its renewal ends after Tally was uninstalled', async () => {
    await started();
    await bot.install(SOON);
    bot.slack.delay(300);
    const asking = bot.command(SOON, '/billing help');
    await waitUntil(() => refreshes().length > 0);
    await bot.event({ team_id: SOON.id, event: { type: 'app_uninstalled' } });
    expect((await asking).reply).toContain('/slack/install');
    await bot.stopBot();
    expect((await bot.keys()).filter((key) => key.includes(SOON.id))).toEqual([]);
  });
});
