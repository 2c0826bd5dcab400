/** A minimal Slack with several workspaces and organizations: OAuth, tokens and signed requests. */
import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer } from 'ws';

export const CLIENT = { id: '111.222', secret: 'client-secret-for-tests-0123456789' };
export const SIGNING_SECRET = '0123456789abcdef0123456789abcdef';
export const INSTALLER = 'U0INSTALL1';

export interface Team {
  readonly id: string;
  readonly name: string;
  readonly enterprise?: string;
  readonly whole?: boolean;
  /** Lifetime of a token in seconds; turns token rotation on. */
  readonly expires?: number;
}

interface Call {
  readonly method: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The workspace or organization that the token belongs to. */
  readonly of: string | undefined;
  readonly token: string | undefined;
}

interface Reply {
  readonly url: string;
  readonly body: { readonly text?: string; readonly blocks?: unknown };
}

export async function startOAuthSlack() {
  const calls: Call[] = [];
  const replies: Reply[] = [];
  const codes = new Map<string, Team>();
  const tokens = new Map<string, Team>();
  const refreshTokens = new Map<string, Team>();
  const secrets: string[] = [CLIENT.secret, SIGNING_SECRET];
  const refusals = new Map<string, string>();
  const limits = new Map<string, number>();
  let delay = 0;

  const secret = (prefix: string): string => {
    const made = `${prefix}${randomBytes(12).toString('hex')}`;
    secrets.push(made);
    return made;
  };

  const issue = (team: Team) => {
    const token = secret(team.expires === undefined ? 'xoxb-' : 'xoxe.xoxb-1-');
    tokens.set(token, team);
    if (team.expires === undefined) return { access_token: token };
    const refresh = secret('xoxe-1-');
    refreshTokens.set(refresh, team);
    return { access_token: token, refresh_token: refresh, expires_in: team.expires };
  };

  const access = (fields: Call['fields']) => {
    if (fields.client_id !== CLIENT.id || fields.client_secret !== CLIENT.secret)
      return { ok: false, error: 'bad_client_secret' };
    if (fields.grant_type === 'refresh_token') {
      const team = refreshTokens.get(fields.refresh_token ?? '');
      if (team === undefined) return { ok: false, error: 'invalid_refresh_token' };
      refreshTokens.delete(fields.refresh_token ?? '');
      return { ok: true, token_type: 'bot', ...issue(team) };
    }
    const team = codes.get(fields.code ?? '');
    codes.delete(fields.code ?? '');
    if (team === undefined) return { ok: false, error: 'invalid_code' };
    return {
      ok: true,
      app_id: 'A0TALLY001',
      token_type: 'bot',
      bot_user_id: 'U0BOT00001',
      authed_user: { id: INSTALLER },
      scope: 'commands,chat:write,im:write,users:read',
      is_enterprise_install: team.whole ?? false,
      team: team.whole ? null : { id: team.id, name: team.name },
      enterprise: team.enterprise === undefined ? null : { id: team.enterprise, name: `${team.name} Org` },
      ...issue(team),
    };
  };

  const answer = ({ method, fields, of }: Call): object => {
    const refusal = refusals.get(method);
    if (refusal !== undefined) return { ok: false, error: refusal };
    if (method === 'oauth.v2.access') return access(fields);
    if (method === 'apps.connections.open') return { ok: true, url: url.replace('http', 'ws') };
    if (of === undefined) return { ok: false, error: 'invalid_auth' };
    if (method === 'auth.test')
      return { ok: true, url: 'https://x.slack.com/', bot_id: 'B0TALLY001', user_id: 'U0BOT00001' };
    if (method === 'users.info')
      return {
        ok: true,
        user: {
          id: fields.user,
          team_id: fields.team_id ?? of,
          is_admin: true,
          is_owner: true,
          locale: 'en-US',
          tz: 'UTC',
        },
      };
    return { ok: true, ts: '1.1', view: { id: 'V1' } };
  };

  const server = createServer(async (req, res) => {
    const { pathname } = new URL(req.url ?? '', 'http://x');
    const body = await bodyOf(req);
    if (pathname.startsWith('/reply/')) {
      replies.push({ url: pathname, body: JSON.parse(body) });
      return void res.end('ok');
    }
    const fields = Object.fromEntries(new URLSearchParams(body));
    const token = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1];
    const team = tokens.get(token ?? '');
    const of = team?.whole ? team.enterprise : team?.id;
    const call = { method: pathname.replace('/api/', ''), fields, of, token };
    calls.push(call);
    if (call.method === 'oauth.v2.access') await sleep(delay);
    const limit = limits.get(call.method);
    if (limit !== undefined) res.writeHead(429, { 'retry-after': String(limit) });
    else res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify(answer(call)));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.send(JSON.stringify({ type: 'hello' })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    calls,
    replies,
    secrets,
    called: (method: string) => calls.filter((call) => call.method === method),
    /** Makes this method fail with this error from now on; without an error it works again. */
    refuse(method: string, error?: string) {
      if (error === undefined) refusals.delete(method);
      else refusals.set(method, error);
    },
    limit(method: string, seconds: number) {
      limits.set(method, seconds);
    },
    /** How long issuing a token takes, in ms. */
    delay(ms: number) {
      delay = ms;
    },
    allow(team: Team): string {
      const code = secret('code-');
      codes.set(code, team);
      return code;
    },
    grant: (token: string, team: Team) => void tokens.set(token, team),
    revoke(id: string) {
      for (const [token, team] of tokens) if (team.id === id || team.enterprise === id) tokens.delete(token);
    },
    replyAddress: (name: string) => `${url}/reply/${name}`,
    async send(bot: string, body: string, type = 'application/json') {
      const at = Math.floor(Date.now() / 1000);
      const signature = createHmac('sha256', SIGNING_SECRET).update(`v0:${at}:${body}`).digest('hex');
      return fetch(`${bot}/slack/events`, {
        method: 'POST',
        headers: {
          'content-type': type,
          'x-slack-request-timestamp': String(at),
          'x-slack-signature': `v0=${signature}`,
        },
        body,
      });
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
