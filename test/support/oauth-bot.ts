/** The whole bot with OAuth, in one or more processes, and a person with a browser. */
import { randomBytes } from 'node:crypto';
import { startBilling } from '../../sandbox/billing.ts';
import { startSlack } from '../../sandbox/slack/index.ts';
import type { Team as SandboxTeam } from '../../sandbox/slack/people.ts';
import type { Workspace } from '../../sandbox/slack/workspace.ts';
import { createTally } from '../../src/app.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/ops/log.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { createManifest } from '../../src/slack/install/manifest.ts';
import { stampOf } from '../../src/workspace/record/audited-change.ts';
import { CHANNEL, UNLIMITED, uniqueClick } from './people.ts';
import { testRedis, workspaceKeys } from './redis.ts';
import { waitUntil } from './wait-until.ts';

export const PUBLIC_URL = 'https://tally.example.com';
export const STATE_SECRET = 'state-secret-for-tests-0123456789';

export type OAuthBot = Awaited<ReturnType<typeof startOAuthBot>>;

export async function startOAuthBot(options: { processes?: number; env?: NodeJS.ProcessEnv } = {}) {
  const [slack, billing, redis] = await Promise.all([
    startOAuthSlack(options.env?.SLACK_APP_TOKEN),
    startBilling({ slowFor: 700 }),
    testRedis(),
  ]);
  const lines: string[] = [];
  const config = parseConfig({
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_CLIENT_ID: CLIENT.id,
    SLACK_CLIENT_SECRET: CLIENT.secret,
    SLACK_STATE_SECRET: STATE_SECRET,
    PUBLIC_URL,
    SLACK_API_URL: `${slack.url}/api/`,
    REDIS_URL: redis.url,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    TRUSTED_API_HOSTS: '127.0.0.1',
    BILLING_BASE_URL: billing.url,
    ...options.env,
  });
  const log = createLog('trace', { write: (line) => void lines.push(line) });
  const processes = Array.from({ length: options.processes ?? 1 }, () =>
    createTally({ ...config, http: { ...config.http, port: 0 } }, log, Date.now, {
      limits: UNLIMITED,
    }),
  );
  const urls = await Promise.all(processes.map(async (tally) => `http://127.0.0.1:${await tally.start()}`));
  let stopped: Promise<unknown> | undefined;
  let asked = 0;

  const bot = {
    slack,
    billing,
    redis,
    urls: urls as readonly string[],
    log: () => lines.join(''),
    /** @returns the URL of Slack's page, its state, and the cookie */
    async openInstallPage(url = urls[0]) {
      const response = await fetch(`${url}/slack/install`, { redirect: 'manual' });
      const address = new URL(response.headers.get('location')!);
      const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0]!;
      return { address, state: address.searchParams.get('state') ?? '', cookie };
    },
    async followRedirect(query: Record<string, string>, cookie = '') {
      const response = await fetch(`${urls[0]}/slack/oauth_redirect?${new URLSearchParams(query)}`, {
        headers: { cookie },
        redirect: 'manual',
      });
      return { status: response.status, page: await response.text() };
    },
    async install(team: Team) {
      const { state, cookie } = await bot.openInstallPage();
      return bot.followRedirect({ code: slack.allow(team), state }, cookie);
    },
    /** @returns the status of the bot's acknowledgement, and the reply */
    async command(team: Team, text: string, at = 0) {
      asked += 1;
      const name = `reply-${asked}`;
      const trigger = slack.trigger();
      slack.know(team);
      const [command = '', ...words] = text.split(' ');
      const form = new URLSearchParams({
        command,
        text: words.join(' '),
        team_id: team.id,
        ...(team.enterprise !== undefined && { enterprise_id: team.enterprise }),
        is_enterprise_install: String(team.whole ?? false),
        user_id: INSTALLER,
        channel_id: 'C0COSTS001',
        trigger_id: trigger,
        response_url: slack.replyAddress(name),
      });
      const response = await slack.send(urls[at]!, form.toString(), 'application/x-www-form-urlencoded');
      const opened = () => slack.called('views.open').some(({ fields }) => fields.trigger_id === trigger);
      const replied = () => slack.replies.find((reply) => reply.url.endsWith(`/${name}`));
      await waitUntil(() => replied() !== undefined || opened());
      return { status: response.status, reply: JSON.stringify(replied()?.body ?? '') };
    },
    /** @returns the bot's acknowledgement */
    async interact(team: Team, payload: object) {
      slack.know(team);
      const body = new URLSearchParams({
        payload: JSON.stringify({
          team: team.whole ? null : { id: team.id },
          ...(team.enterprise !== undefined && { enterprise: { id: team.enterprise } }),
          is_enterprise_install: team.whole ?? false,
          user: { id: INSTALLER, team_id: team.id },
          ...payload,
          ...uniqueClick(),
        }),
      });
      const response = await slack.send(urls[0]!, body.toString(), 'application/x-www-form-urlencoded');
      return { status: response.status, body: await response.text() };
    },
    /**
     * Registers the token with this label through the form, and waits for its test.
     * @param app_installed_team_id the team that installed the app, as Slack writes it into the form
     */
    async connect(team: Team, label: string, app_installed_team_id?: string) {
      const { value: token } = billing.tokens.find((token) => token.label === label)!;
      const fields = {
        name: 'main',
        baseUrl: billing.url,
        token,
        project: '123',
        type: 'for-oneself',
        role: 'read-only',
        lifetime: 'none',
      };
      const values = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, { value: { type: 'plain_text_input', value } }]),
      );
      const record = { fields: await redis.client.hgetall(recordKey(app_installed_team_id ?? team.id)) };
      const view = {
        id: slack.openForm(team),
        type: 'modal',
        callback_id: 'connect',
        // As if the form had been opened a moment before.
        private_metadata: JSON.stringify({ id: 'main', seen: stampOf(record, 'connection:main') }),
        state: { values },
        ...(app_installed_team_id !== undefined && { app_installed_team_id }),
      };
      const before = slack.called('views.update').length;
      await bot.interact(team, { type: 'view_submission', view });
      await waitUntil(() => slack.called('views.update').length > before);
    },
    event: async (body: object, url = urls[0]!) =>
      (await slack.send(url, JSON.stringify({ type: 'event_callback', event_time: epochSeconds(), ...body })))
        .status,
    keys: () => workspaceKeys(redis.client),
    async stopBot() {
      stopped ??= Promise.all(processes.map((tally) => tally.stop()));
      await stopped;
    },
    async stop() {
      await bot.stopBot();
      await Promise.all([slack.close(), billing.close(), redis.close()]);
    },
  };
  return bot;
}

export const epochSeconds = (): number => Math.floor(Date.now() / 1000);

export const CLIENT = { id: '111.222', secret: 'client-secret-for-tests-0123456789' };
export const SIGNING_SECRET = '0123456789abcdef0123456789abcdef';
export const INSTALLER = 'U0INSTALL1';

export type Team = Readonly<Omit<SandboxTeam, 'domain'>>;

interface Call {
  readonly method: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The workspace or organization that the token belongs to. */
  readonly of: string | undefined;
  readonly token: string | undefined;
}

/** The sandbox's Slack with any workspaces and organizations. @param appToken for Socket Mode */
async function startOAuthSlack(appToken?: string) {
  const slack = await startSlack({
    mode: appToken ? 'socket' : 'http',
    botUrl: () => '',
    signingSecret: SIGNING_SECRET,
    botToken: '',
    oauth: { clientId: CLIENT.id, clientSecret: CLIENT.secret },
    ...(appToken && { appToken }),
    manifest: createManifest({ url: 'https://tally.example.com' }),
  });
  const { core, calls } = slack;
  const oauth = core.oauth!;
  const workspaces = new Map<string, Workspace>();
  const replyNames = new Map<string, string>();
  const workspaceOf = (team: Team): Workspace => {
    const key = JSON.stringify(team);
    const known = workspaces.get(key) ?? slack.addWorkspace(seedOf(team));
    workspaces.set(key, known);
    return known;
  };
  const ownerOf = (token: string | undefined): string | undefined => {
    const team = token === undefined ? undefined : oauth.workspaceOf(token)?.team;
    return team?.whole ? team.enterprise : team?.id;
  };
  const toCall = ({ method, args, token }: (typeof calls)[number]): Call => ({
    method,
    fields: Object.fromEntries(
      Object.entries(args).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
    of: ownerOf(token),
    token,
  });

  return {
    url: slack.url,
    get calls(): readonly Call[] {
      return calls.filter(({ method }) => method !== 'response_url').map(toCall);
    },
    get replies() {
      const all = calls.filter(({ method }) => method === 'response_url');
      return all.map(({ token, args }) => ({ url: `/reply/${replyNames.get(String(token))}`, body: args }));
    },
    get secrets(): readonly string[] {
      return [CLIENT.secret, SIGNING_SECRET, ...oauth.secrets];
    },
    called: (method: string) => calls.filter((call) => call.method === method).map(toCall),
    /** Makes this method fail with this error from now on; without an error it works again. */
    refuse(method: string, error?: string) {
      if (error === undefined) core.behaviour.failures.delete(method);
      else core.behaviour.failures.set(method, { error });
    },
    limit: (method: string, retryAfter: number) =>
      core.behaviour.failures.set(method, { status: 429, retryAfter }),
    /** Makes each call take this many ms. */
    delay(ms: number) {
      core.behaviour.latency = ms;
    },
    /** Allows the installation. @returns a code that works once */
    allow: (team: Team) => oauth.allow(workspaceOf(team), INSTALLER, [...core.manifest.scopes].join(',')),
    grant: (token: string, team: Team) => oauth.accept(token, workspaceOf(team)),
    /** Revokes every token of a workspace or organization. */
    revoke: (id: string) => oauth.revoke(id),
    /** Adds a workspace that has installed nothing itself, such as another workspace of an organization. */
    know: (team: Team) => team.id.startsWith('T') && workspaceOf(team),
    trigger: () => core.triggers.issue({ person: INSTALLER }),
    /** @returns a `response_url` whose answers have this name in `replies` */
    replyAddress(name: string): string {
      const origin = { workspace: slack.workspace, person: INSTALLER, channel: CHANNEL };
      const address = core.responses.issue(origin);
      replyNames.set(address.slice(address.lastIndexOf('/') + 1), name);
      return address;
    },
    /** Opens an empty form, as if a command had done so. @returns its view ID */
    openForm(team: Team): string {
      const title = { type: 'plain_text', text: 'Form' } as const;
      return workspaceOf(team).openModal(INSTALLER, { type: 'modal', title, blocks: [] }).id;
    },
    send(bot: string, body: string, type = 'application/json') {
      const headers = { 'content-type': type, ...slack.signed(body) };
      return fetch(`${bot}/slack/events`, { method: 'POST', headers, body });
    },
    close: slack.close,
  };
}

const seedOf = (team: Team) => ({
  team: { ...team, domain: 'x' },
  people: [
    {
      id: INSTALLER,
      name: 'olivia',
      realName: 'Olivia',
      role: 'owner' as const,
      team: team.id,
      tz: 'UTC',
      locale: 'en-US',
      color: '#000',
    },
  ],
  channels: [{ id: CHANNEL, name: 'costs', kind: 'public' as const, topic: '', members: [INSTALLER, 'bot'] }],
  userGroups: [],
});
