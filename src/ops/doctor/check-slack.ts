import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { type CheckArea, findingOf } from './causes.ts';
import { errorCode, type Finding, okFinding, post, toPlainLine, webCode } from './finding.ts';
import { webFigures } from './redacted-addresses.ts';

const CHECK = 'Slack';
/** Seconds. From `refused` on, every request's signature looks too old or too new. */
const CLOCK_SKEW = { warning: 60, refused: 300 } as const;

export interface SlackParts {
  readonly apiUrl: string;
  /** The bot scopes that Tally asks for, each with what it is for. */
  readonly scopes: readonly { readonly scope: string; readonly why: string; readonly optional?: boolean }[];
  /** Undefined if workspaces install Tally by OAuth: then each has its own token. */
  readonly botToken: string | undefined;
  /** The OAuth credentials of the app that workspaces install. */
  readonly client?: { readonly id: string; readonly secret: string };
  readonly mode: { readonly kind: 'http' } | { readonly kind: 'socket'; readonly appToken: string };
  /** The workspaces that Redis has records of; none if it can't be read. */
  readonly workspaces: Promise<readonly SlackId[]>;
  readonly clock: () => Millis;
  /** How long one call may take, in ms. */
  readonly timeout: Millis;
}

type SlackResponse = Awaited<ReturnType<typeof call>>;

/** Checks the bot token, its scopes, and our clock against Slack's. Never rejects. */
export async function checkSlack(parts: SlackParts): Promise<readonly Finding[]> {
  const { botToken, client, scopes, mode } = parts;
  try {
    // Slack looks at the app's ID and secret before the code, which is nobody's.
    const exchange = client && { client_id: client.id, client_secret: client.secret, code: 'doctor' };
    const response = await (exchange === undefined
      ? call('auth.test', botToken, parts)
      : call('oauth.v2.access', undefined, parts, new URLSearchParams(exchange)));
    const { headers, body } = response;
    // An answer that is not Slack's says nothing about Slack's clock.
    const clock = body === undefined ? [] : clockFinding(headers, response.at, mode.kind === 'http');
    if (client !== undefined && body?.error === 'invalid_code')
      return [
        okFinding(CHECK, 'answers, and accepts the app’s ID and secret; workspaces install Tally by OAuth'),
        ...clock,
      ];
    const refusal = refusalFinding('SLACK', response, parts);
    if (refusal !== undefined) return [refusal, ...clock];
    const mismatches = [...(await appFinding(body?.bot_id, parts)), ...(await teamFinding(body, parts))];
    const bot = `the bot token belongs to “${nameIn(body?.user)}” in “${nameIn(body?.team)}”`;
    return [okFinding(CHECK, bot), ...mismatches, ...scopeFindings(headers, scopes), ...clock];
  } catch (error) {
    return [await failedCall('SLACK', error, parts)];
  }
}

/** The app-level token has its app's ID in it. Slack accepts tokens of two apps, and then sends the bot nothing. */
async function appFinding(bot: unknown, parts: SlackParts): Promise<readonly Finding[]> {
  const ofAppToken = parts.mode.kind === 'socket' && /^xapp-\d+-(A[A-Z0-9]+)-/.exec(parts.mode.appToken)?.[1];
  if (!ofAppToken || typeof bot !== 'string') return [];
  const { body } = await call('bots.info', parts.botToken, parts, new URLSearchParams({ bot }));
  const ofBotToken = (body?.bot as { app_id?: unknown } | undefined)?.app_id;
  if (typeof ofBotToken !== 'string' || ofBotToken === ofAppToken) return [];
  return [findingOf('APP_TOKEN', CHECK, 'app_id', { ofAppToken, ofBotToken: toPlainLine(ofBotToken) })];
}

/** A token of staging beside the records of production. One that an organization installed serves all of its workspaces. */
async function teamFinding(body: SlackResponse['body'], parts: SlackParts): Promise<readonly Finding[]> {
  const { team, team_id: id, is_enterprise_install: isOfOrganization } = body ?? {};
  const others = (await parts.workspaces).filter((other) => other !== id);
  if (typeof id !== 'string' || isOfOrganization === true || others.length === 0) return [];
  const named = others.slice(0, 3).map(toPlainLine).join(', ');
  return [findingOf('SLACK', CHECK, 'team_id', { team: nameIn(team), id: toPlainLine(id), others: named })];
}

/** Checks that the app-level token may open a connection, without opening one. Never rejects. */
export async function checkSocketMode(parts: SlackParts): Promise<readonly Finding[]> {
  if (parts.mode.kind === 'http') return [];
  try {
    const response = await call('apps.connections.open', parts.mode.appToken, parts);
    const refusal = refusalFinding('APP_TOKEN', response, parts);
    return [refusal ?? (await socketFinding(String(response.body?.url), parts.timeout))];
  } catch (error) {
    return [await failedCall('APP_TOKEN', error, parts)];
  }
}

/** Firewalls let slack.com out and forget the host that its answer names. @param url holds a ticket: only its host may be seen */
async function socketFinding(url: string, timeout: Millis): Promise<Finding> {
  const { hostname, protocol, port } = tryParse(() => new URL(url)) ?? {};
  if (!hostname) return okFinding(CHECK, 'Socket Mode can connect');
  const host = hostname.replace(/^\[|\]$/g, '');
  const isPlain = protocol === 'ws:';
  const to = { host, port: Number(port) || (isPlain ? 80 : 443) };
  // A proxy that looks into TLS shows a certificate of its own.
  const socket = isPlain ? connect(to) : connectTls({ ...to, ...(isIP(host) === 0 && { servername: host }) });
  try {
    await once(socket, isPlain ? 'ready' : 'secureConnect', { signal: AbortSignal.timeout(timeout) });
    return okFinding(CHECK, 'Socket Mode can connect');
  } catch (error) {
    const code = errorCode(error);
    const origin = `https://${hostname}:${port || '443'}`;
    const isSlow = code === 'ABORT_ERR';
    return findingOf('SLACK', CHECK, isSlow ? 'ETIMEDOUT' : code, webFigures('SLACK_API_URL', origin));
  } finally {
    socket.destroy();
  }
}

async function failedCall(place: CheckArea, error: unknown, parts: SlackParts): Promise<Finding> {
  const figures = figuresOf(parts);
  return findingOf(place, CHECK, await webCode(errorCode(error), parts.apiUrl), figures);
}

const figuresOf = ({ apiUrl }: SlackParts) => webFigures('SLACK_API_URL', apiUrl, `${apiUrl}api.test`);

async function call(
  method: string,
  token: string | undefined,
  { apiUrl, clock, timeout }: SlackParts,
  body?: URLSearchParams,
) {
  const sentAt = clock();
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await post(`${apiUrl}${method}`, body ?? null, authorization, timeout);
  // Our clock halfway between the request and the response.
  const at: Millis = (sentAt + clock()) / 2;
  const { headers, status } = response;
  const answer: unknown = await response.json().catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  });
  const fields: Readonly<Record<string, unknown>> | undefined =
    typeof answer === 'object' && answer !== null ? { ...answer } : undefined;
  return { headers, status, at, body: fields };
}

/** @returns undefined if Slack did what it was asked */
function refusalFinding(
  place: CheckArea,
  { status, headers, body }: SlackResponse,
  parts: SlackParts,
): Finding | undefined {
  if (body?.ok === true) return undefined;
  const figures = figuresOf(parts);
  const target = status >= 300 && status < 400 ? headers.get('location') : null;
  if (target !== null)
    return findingOf(place, CHECK, 'redirect', {
      ...figures,
      target: toPlainLine(target.split('?')[0] ?? ''),
    });
  const code = codeIn(body?.error) ?? (status >= 400 ? `HTTP ${status}` : 'not JSON');
  return findingOf(place, CHECK, code, { ...figures, scopes: namesOf(parts.scopes) });
}

/** Slack lists it with every token that people, too, can have. */
const ALWAYS_GRANTED = 'identify';

/** What the bot needs and lacks, which optional scopes it does without, and what it has and never uses. */
function scopeFindings(headers: Headers, scopes: SlackParts['scopes']): readonly Finding[] {
  const needed = scopes.filter(({ optional }) => !optional);
  const header = headers.get('x-oauth-scopes');
  if (header === null) return [findingOf('SLACK', CHECK, 'x-oauth-scopes', { scopes: namesOf(needed) })];
  const granted = header.split(',').map((scope) => scope.trim());
  const lacking = scopes.filter(({ scope }) => !granted.includes(scope));
  const missing = lacking.filter(({ optional }) => !optional);
  const declined = lacking.filter(({ optional }) => optional);
  const known = new Set([...scopes.map(({ scope }) => scope), ALWAYS_GRANTED, '']);
  const surplus = granted.filter((scope) => !known.has(scope)).map(toPlainLine);
  const uses = declined.map(({ scope, why }) => `${scope} (${why})`).join(', ');
  return [
    missing.length === 0
      ? okFinding(CHECK, `the bot has all scopes that it needs: ${namesOf(needed)}`)
      : findingOf('SLACK', CHECK, 'missing_scope', { scopes: namesOf(missing) }),
    ...(declined.length === 0
      ? []
      : [okFinding(CHECK, `the bot goes without these optional scopes: ${uses}`)]),
    ...(surplus.length === 0
      ? []
      : [findingOf('SLACK', CHECK, 'surplus_scope', { scopes: surplus.join(', ') })]),
  ];
}

const namesOf = (scopes: SlackParts['scopes']): string => scopes.map(({ scope }) => scope).join(', ');

/** @param signed whether requests come in by HTTP, where their signature depends on the clock */
function clockFinding(headers: Headers, at: Millis, signed: boolean): readonly Finding[] {
  const slackTime = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(slackTime)) return [];
  const skew = Math.round((at - slackTime) / 1000);
  const seconds = Math.abs(skew);
  if (seconds <= CLOCK_SKEW.warning) return [okFinding('Clock', 'agrees with Slack’s')];
  const side = skew > 0 ? 'ahead of' : 'behind';
  const limit = String(CLOCK_SKEW.refused);
  const finding = findingOf('CLOCK', 'Clock', 'date', { seconds: String(seconds), side, limit });
  const isRefused = signed && seconds >= CLOCK_SKEW.refused;
  return [{ ...finding, verdict: isRefused ? 'bad' : 'warning' }];
}

const codeIn = (error: unknown): string | undefined =>
  typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : undefined;

const nameIn = (name: unknown): string => (typeof name === 'string' ? toPlainLine(name) : '?');
