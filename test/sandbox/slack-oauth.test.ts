import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GUEST, ORBIT_MEMBER, ORBIT_OWNER, OWNER, type Slack } from '../../sandbox/slack/index.ts';
import { callApi, MANIFEST, openSlack } from './bolt-bot.ts';

const CLIENT = { client_id: '1.2', client_secret: 'a-client-secret-for-tests-only' };
const BACK = 'http://127.0.0.1:9/slack/oauth_redirect';
const ORBIT = 'T0SANDBOX2';
const ORBIT_GENERAL = 'C0ORBITGEN';
const HOUR = 3_600_000;

let slack: Slack;
let now = Date.now();
const open = async (rotation = false) => {
  slack = await openSlack({
    oauth: { clientId: CLIENT.client_id, clientSecret: CLIENT.client_secret, rotation },
    manifest: {
      ...MANIFEST,
      settings: { event_subscriptions: { bot_events: ['app_uninstalled', 'tokens_revoked'] } },
    },
    now: () => now,
    eventRetries: [],
  });
};

const address = (query: Record<string, string> = {}) =>
  `${slack.url}/oauth/v2/authorize?${new URLSearchParams({
    client_id: CLIENT.client_id,
    redirect_uri: BACK,
    scope: 'commands,chat:write',
    state: 'a-state',
    ...query,
  })}`;

async function answer(who: string, said = 'allow'): Promise<URL> {
  const body = new URLSearchParams({ who, answer: said });
  const { headers } = await fetch(address(), { method: 'POST', body, redirect: 'manual' });
  return new URL(headers.get('location') ?? 'nowhere:');
}

const access = (args: Record<string, unknown>) =>
  callApi(slack, 'oauth.v2.access', { ...CLIENT, ...args }, '');
const codeFor = async (who: string) => (await answer(who)).searchParams.get('code')!;
const install = async (who: string) => access({ code: await codeFor(who), redirect_uri: BACK });
const tested = (token: unknown) => callApi(slack, 'auth.test', {}, String(token));

describe('the consent page', () => {
  beforeEach(() => open());
  afterEach(() => slack.close());

  it('shows both workspaces with the people who can install, and the scopes', async () => {
    const page = await (await fetch(address())).text();
    for (const shown of ['Sandbox', 'Olivia Okafor', 'Orbit', 'Noor Haddad', 'chat:write'])
      expect(page).toContain(shown);
    expect(page).not.toContain('Priya Raman');
  });

  it('redirects with a code and the state, or with an error', async () => {
    const yes = await answer(`${ORBIT}/${ORBIT_OWNER}`);
    expect(yes.href).toMatch(/^http:\/\/127\.0\.0\.1:9\/slack\/oauth_redirect\?code=[^&]+&state=a-state$/);
    const no = await answer(`${ORBIT}/${ORBIT_OWNER}`, 'cancel');
    expect(Object.fromEntries(no.searchParams)).toEqual({ error: 'access_denied', state: 'a-state' });
  });

  it.each([
    [{ client_id: '9.9' }, 'invalid_client_id'],
    [{ redirect_uri: 'https://evil.example/' }, 'bad_redirect_uri'],
    [{ redirect_uri: 'http://127.0.0.1.evil.example/' }, 'bad_redirect_uri'],
    [{ scope: 'admin' }, 'invalid_scope'],
    [{ scope: '' }, 'no_scopes'],
  ])('refuses %o, and sends nobody anywhere', async (query, problem) => {
    for (const method of ['GET', 'POST']) {
      const response = await fetch(address(query), { method, redirect: 'manual' });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(problem);
    }
  });

  it('rejects a person of another workspace, and a guest', async () => {
    for (const who of [`${ORBIT}/${OWNER}`, `T0SANDBOX1/${GUEST}`, ORBIT, '']) {
      const body = new URLSearchParams({ who, answer: 'allow' });
      expect((await fetch(address(), { method: 'POST', body, redirect: 'manual' })).status).toBe(400);
    }
  });

  it('rejects posts from other origins', async () => {
    const headers = { origin: 'https://evil.example' };
    expect((await fetch(address(), { method: 'POST', headers })).status).toBe(403);
  });
});

describe('the URL that opens an app', () => {
  beforeEach(() => open());
  afterEach(() => slack.close());

  it('leads to the DM of the person who installed it, or of the first person', async () => {
    const opened = async () => {
      const { headers } = await fetch(`${slack.url}/app_redirect?app=A0TALLYAPP&team=${ORBIT}`, {
        redirect: 'manual',
      });
      return headers.get('location');
    };
    expect(await opened()).toBe(`/?as=${ORBIT_OWNER}&channel=D0ORBIT001`);
    await install(`${ORBIT}/${ORBIT_MEMBER}`);
    expect(await opened()).toBe(`/?as=${ORBIT_MEMBER}&channel=D0ORBIT002`);
  });
});

describe('a code', () => {
  beforeEach(() => open());
  afterEach(() => slack.close());

  it('is exchanged for a token of the workspace that allowed it', async () => {
    const orbit = await install(`${ORBIT}/${ORBIT_OWNER}`);
    const sandbox = await install(`T0SANDBOX1/${OWNER}`);
    expect(orbit).toMatchObject({
      ok: true,
      token_type: 'bot',
      scope: 'commands,chat:write',
      team: { id: ORBIT, name: 'Orbit' },
      authed_user: { id: ORBIT_OWNER },
      is_enterprise_install: false,
    });
    expect(orbit).not.toHaveProperty('refresh_token');
    expect(await tested(orbit.access_token)).toMatchObject({ team_id: ORBIT, team: 'Orbit' });
    expect(await tested(sandbox.access_token)).toMatchObject({ team_id: 'T0SANDBOX1', team: 'Sandbox' });
  });

  it('is valid once, for ten minutes, with its redirect URI', async () => {
    const code = await codeFor(`${ORBIT}/${ORBIT_OWNER}`);
    expect(await access({ code, redirect_uri: 'http://127.0.0.1:9/else' })).toMatchObject({
      error: 'bad_redirect_uri',
    });
    expect(await access({ code })).toMatchObject({ ok: true });
    expect(await access({ code })).toMatchObject({ ok: false, error: 'code_already_used' });
    expect(await access({ code: 'guessed' })).toMatchObject({ error: 'invalid_code' });
    const late = await codeFor(`${ORBIT}/${ORBIT_OWNER}`);
    now += 11 * 60_000;
    expect(await access({ code: late })).toMatchObject({ error: 'code_expired' });
  });

  it('needs the client secret, in a form or a header', async () => {
    const code = await codeFor(`${ORBIT}/${ORBIT_OWNER}`);
    expect(await access({ code, client_id: '9.9' })).toMatchObject({ error: 'invalid_client_id' });
    expect(await access({ code, client_secret: 'guessed' })).toMatchObject({ error: 'bad_client_secret' });
    const basic = Buffer.from(`${CLIENT.client_id}:${CLIENT.client_secret}`).toString('base64');
    const response = await fetch(`${slack.url}/api/oauth.v2.access`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ code }),
    });
    expect(await response.json()).toMatchObject({ ok: true, team: { id: ORBIT } });
  });

  it('of a second installation returns the same token', async () => {
    const first = await install(`${ORBIT}/${ORBIT_OWNER}`);
    const again = await install(`${ORBIT}/${ORBIT_OWNER}`);
    expect(again.access_token).toBe(first.access_token);
  });
});

describe('rotation', () => {
  beforeEach(() => open(true));
  afterEach(() => slack.close());

  it('expires a token after twelve hours and renews it with a single-use refresh token', async () => {
    const { access_token, refresh_token, expires_in } = await install(`${ORBIT}/${ORBIT_OWNER}`);
    expect(expires_in).toBe(43_200);
    const refresh = { grant_type: 'refresh_token', refresh_token };
    const renewed = await access(refresh);
    expect(renewed).toMatchObject({ ok: true, team: { id: ORBIT }, expires_in: 43_200 });
    expect(renewed.access_token).not.toBe(access_token);
    expect(await access(refresh)).toMatchObject({ error: 'invalid_refresh_token' });
    expect(await tested(access_token)).toMatchObject({ ok: true });
    now += 13 * HOUR;
    expect(await tested(access_token)).toMatchObject({ ok: false, error: 'token_expired' });
  });
});

describe('two workspaces', () => {
  beforeEach(() => open());
  afterEach(() => slack.close());

  it('have their own people, channels and messages', async () => {
    const { access_token } = await install(`${ORBIT}/${ORBIT_OWNER}`);
    expect(slack.snapshot(ORBIT_MEMBER)).toMatchObject({
      workspace: { id: ORBIT, name: 'Orbit' },
      workspaces: [{ id: 'T0SANDBOX1' }, { id: ORBIT, as: ORBIT_OWNER }],
    });
    const say = (channel: string) =>
      callApi(slack, 'chat.postMessage', { channel, text: 'hello' }, String(access_token));
    expect(await say(ORBIT_GENERAL)).toMatchObject({ ok: true, message: { team: ORBIT } });
    expect(await say('C0GENERAL1')).toMatchObject({ ok: false, error: 'channel_not_found' });
    const users = await callApi(slack, 'users.info', { user: OWNER }, String(access_token));
    expect(users).toMatchObject({ ok: false, error: 'user_not_found' });
  });

  it('have no commands of an app that they did not install, and send it no events', async () => {
    await slack.say(ORBIT_OWNER, ORBIT_GENERAL, '/spend 1');
    const heard = slack.messages(ORBIT_OWNER, ORBIT_GENERAL).map(({ text }) => text);
    expect(heard).toEqual(['/spend is not a valid command.']);
    expect(slack.traffic.entries.filter(({ direction }) => direction === 'slack→bot')).toEqual([]);
  });

  it('lose the app when it is uninstalled: its token is revoked and it gets the events', async () => {
    const { access_token } = await install(`${ORBIT}/${ORBIT_OWNER}`);
    const other = await install(`T0SANDBOX1/${OWNER}`);
    expect(await slack.uninstall(ORBIT_OWNER)).toEqual({ ok: true });
    expect(await tested(access_token)).toMatchObject({ error: 'invalid_auth' });
    expect(await tested(other.access_token)).toMatchObject({ ok: true });
    const told = slack.traffic.entries.filter(({ title }) => title.startsWith('event '));
    expect(told.map(({ title }) => title).sort()).toEqual(['event app_uninstalled', 'event tokens_revoked']);
    for (const { request } of told) expect(request).toContain(ORBIT);
  });

  it('let the app uninstall itself', async () => {
    const { access_token } = await install(`${ORBIT}/${ORBIT_OWNER}`);
    const gone = await callApi(slack, 'apps.uninstall', CLIENT, String(access_token));
    expect(gone).toMatchObject({ ok: true });
    expect(await tested(access_token)).toMatchObject({ error: 'invalid_auth' });
  });

  it('show no secret in the traffic', async () => {
    const { access_token } = await install(`${ORBIT}/${ORBIT_OWNER}`);
    const shown = JSON.stringify(slack.traffic.entries);
    for (const secret of [String(access_token), CLIENT.client_secret]) expect(shown).not.toContain(secret);
  });
});
