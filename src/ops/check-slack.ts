import type { Millis } from '../domain/time/calendar.ts';
import {
  type Finding,
  failedFinding,
  okFinding,
  reasonText,
  toPlainLine,
  warningFinding,
} from './finding.ts';

const ABOUT = 'Slack';
/** Seconds. From `refused` on, every request's signature looks too old or too new. */
const CLOCK_SKEW = { warning: 60, refused: 300 } as const;

export interface SlackParts {
  readonly apiUrl: string;
  /** The bot scopes that Tally can't work without. */
  readonly scopes: readonly string[];
  /** Undefined if workspaces install Tally by OAuth: then each has its own token. */
  readonly botToken: string | undefined;
  readonly mode: { readonly kind: 'http' } | { readonly kind: 'socket'; readonly appToken: string };
  readonly clock: () => Millis;
  /** How long one call may take, in ms. */
  readonly timeout: Millis;
}

interface SlackResponse {
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  /** Our clock halfway between the request and the response, in ms. */
  readonly at: Millis;
}

/** Checks the bot token, its scopes, and our clock against Slack's. Never rejects. */
export async function checkSlack(parts: SlackParts): Promise<readonly Finding[]> {
  const { botToken } = parts;
  try {
    const method = botToken === undefined ? 'api.test' : 'auth.test';
    const { headers, body, at } = await call(method, botToken, parts);
    const clock = clockFinding(headers, at, parts.mode.kind === 'http');
    if (botToken === undefined)
      return [okFinding(ABOUT, 'answers; workspaces install Tally by OAuth'), ...clock];
    if (body.ok !== true) return [refusedFinding('SLACK_BOT_TOKEN', body.error, TOKEN_ADVICE), ...clock];
    const bot = `the bot token belongs to “${nameIn(body.user)}” in “${nameIn(body.team)}”`;
    return [okFinding(ABOUT, bot), scopesFinding(headers, parts.scopes), ...clock];
  } catch (error) {
    return [unreachableFinding(error)];
  }
}

/** Checks that the app-level token may open a connection, without opening one. Never rejects. */
export async function checkSocketMode(parts: SlackParts): Promise<readonly Finding[]> {
  if (parts.mode.kind === 'http') return [];
  try {
    const { body } = await call('apps.connections.open', parts.mode.appToken, parts);
    const advice =
      'On the app’s page, turn on Socket Mode and make an app-level token with connections:write.';
    return [
      body.ok === true
        ? okFinding(ABOUT, 'Socket Mode can connect')
        : refusedFinding('SLACK_APP_TOKEN', body.error, advice),
    ];
  } catch (error) {
    return [unreachableFinding(error)];
  }
}

const TOKEN_ADVICE = 'Copy the Bot User OAuth Token again from the app’s page, OAuth & Permissions.';

async function call(
  method: string,
  token: string | undefined,
  { apiUrl, clock, timeout }: SlackParts,
): Promise<SlackResponse> {
  const sentAt = clock();
  const response = await fetch(`${apiUrl}${method}`, {
    method: 'POST',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    redirect: 'error',
    signal: AbortSignal.timeout(timeout),
  });
  const at = (sentAt + clock()) / 2;
  const body: unknown = await response.json();
  return {
    headers: response.headers,
    body: typeof body === 'object' && body !== null ? { ...body } : {},
    at,
  };
}

function scopesFinding(headers: Headers, scopes: readonly string[]): Finding {
  const header = headers.get('x-oauth-scopes');
  if (header === null)
    return warningFinding(
      ABOUT,
      'doesn’t say which scopes the bot has',
      `Compare them with manifest.yml: ${scopes.join(', ')}.`,
    );
  const granted = header.split(',').map((scope) => scope.trim());
  const missing = scopes.filter((scope) => !granted.includes(scope));
  if (missing.length === 0) return okFinding(ABOUT, `the bot has all scopes: ${scopes.join(', ')}`);
  return failedFinding(
    ABOUT,
    `the bot lacks ${missing.join(', ')}`,
    'Add the scope under OAuth & Permissions, then reinstall the app to the workspace.',
  );
}

/** @param signed whether requests come in by HTTP, where their signature depends on the clock */
function clockFinding(headers: Headers, at: Millis, signed: boolean): readonly Finding[] {
  const slackTime = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(slackTime)) return [];
  const skew = Math.round((at - slackTime) / 1000);
  const seconds = Math.abs(skew);
  if (seconds <= CLOCK_SKEW.warning) return [okFinding('Clock', 'agrees with Slack’s')];
  const says = `is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} Slack’s`;
  const todo = `Set it by NTP. Beyond ${CLOCK_SKEW.refused} s, Tally refuses every request’s signature; days begin at the wrong time.`;
  return [
    seconds >= CLOCK_SKEW.refused && signed
      ? failedFinding('Clock', says, todo)
      : warningFinding('Clock', says, todo),
  ];
}

function refusedFinding(variable: string, error: unknown, todo: string): Finding {
  return failedFinding(ABOUT, `rejects ${variable} (${codeIn(error)})`, todo);
}

function unreachableFinding(error: unknown): Finding {
  if (error instanceof SyntaxError)
    return failedFinding(
      ABOUT,
      'answers with something that is not JSON',
      'Check that SLACK_API_URL leads to Slack and that no proxy answers in its place.',
    );
  return failedFinding(
    ABOUT,
    `can’t be reached (${reasonText(error)})`,
    'Check that this machine can reach the address in SLACK_API_URL, by default https://slack.com/api/.',
  );
}

const codeIn = (error: unknown): string =>
  typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : 'no reason given';

const nameIn = (name: unknown): string => (typeof name === 'string' ? toPlainLine(name) : '?');
