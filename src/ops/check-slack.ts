import {
  type Finding,
  failedFinding,
  okFinding,
  reasonText,
  toPlainLine,
  warningFinding,
} from './finding.ts';

const ABOUT = 'Slack';
/** Those of manifest.yml. */
export const DOCTOR_SCOPES: readonly string[] = [
  'commands',
  'chat:write',
  'im:write',
  'users:read',
  'app_mentions:read',
  'im:history',
  'channels:read',
  'groups:read',
];
/** A clock that is off by so many seconds soon will be off by more; at the second Slack's signatures are refused. */
const SKEW = { unusual: 60, refused: 300 } as const;

export interface SlackParts {
  readonly apiUrl: string;
  /** Undefined where workspaces install Tally by OAuth, each with a token of its own. */
  readonly botToken: string | undefined;
  readonly mode: { readonly kind: 'http' } | { readonly kind: 'socket'; readonly appToken: string };
  /** ms since the epoch */
  readonly clock: () => number;
  /** How long one call may take, in ms. */
  readonly patience: number;
}

interface Called {
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  /** When Slack answered by our clock, in ms. */
  readonly at: number;
}

/** Who the bot token makes us, what it may, and whether our clock agrees with Slack's. */
export async function checkSlack(parts: SlackParts): Promise<readonly Finding[]> {
  const { botToken } = parts;
  try {
    const method = botToken === undefined ? 'api.test' : 'auth.test';
    const { headers, body, at } = await call(method, botToken, parts);
    const clock = clockFinding(headers, at, parts.mode.kind === 'http');
    if (botToken === undefined)
      return [okFinding(ABOUT, 'answers; workspaces install Tally by OAuth'), ...clock];
    if (body.ok !== true) return [refused('SLACK_BOT_TOKEN', body.error, TOKEN_ADVICE), ...clock];
    const who = `the bot token is that of “${nameIn(body.user)}” in “${nameIn(body.team)}”`;
    return [okFinding(ABOUT, who), scopes(headers), ...clock];
  } catch (error) {
    return [unreachable(error)];
  }
}

/** Whether the app-level token may open a connection; none is opened, and the address Slack gives is dropped. */
export async function checkSocketMode(parts: SlackParts): Promise<readonly Finding[]> {
  if (parts.mode.kind === 'http') return [];
  try {
    const { body } = await call('apps.connections.open', parts.mode.appToken, parts);
    const advice = 'On the app’s page: Socket Mode on, and an app-level token with connections:write.';
    return [
      body.ok === true
        ? okFinding(ABOUT, 'Socket Mode may connect')
        : refused('SLACK_APP_TOKEN', body.error, advice),
    ];
  } catch (error) {
    return [unreachable(error)];
  }
}

const TOKEN_ADVICE = 'Copy the Bot User OAuth Token again from the app’s page, OAuth & Permissions.';

async function call(
  method: string,
  token: string | undefined,
  { apiUrl, clock, patience }: SlackParts,
): Promise<Called> {
  const asked = clock();
  const response = await fetch(`${apiUrl}${method}`, {
    method: 'POST',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    redirect: 'error',
    signal: AbortSignal.timeout(patience),
  });
  const at = (asked + clock()) / 2;
  const body: unknown = await response.json();
  return {
    headers: response.headers,
    body: typeof body === 'object' && body !== null ? { ...body } : {},
    at,
  };
}

function scopes(headers: Headers): Finding {
  const header = headers.get('x-oauth-scopes');
  if (header === null)
    return warningFinding(
      ABOUT,
      'does not say which scopes were granted',
      `Compare with manifest.yml: ${DOCTOR_SCOPES.join(', ')}.`,
    );
  const granted = header.split(',').map((scope) => scope.trim());
  const missing = DOCTOR_SCOPES.filter((scope) => !granted.includes(scope));
  if (missing.length === 0) return okFinding(ABOUT, `all scopes are granted: ${DOCTOR_SCOPES.join(', ')}`);
  return failedFinding(
    ABOUT,
    `the bot lacks ${missing.join(', ')}`,
    'Add that under OAuth & Permissions, as manifest.yml has it, and install the app to the workspace again.',
  );
}

function clockFinding(headers: Headers, at: number, signed: boolean): readonly Finding[] {
  const theirs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return [];
  const off = Math.round((at - theirs) / 1000);
  const seconds = Math.abs(off);
  if (seconds <= SKEW.unusual) return [okFinding('Clock', 'agrees with Slack’s')];
  const says = `is ${seconds} s ${off > 0 ? 'ahead of' : 'behind'} Slack’s`;
  const todo = `Set it by NTP: beyond ${SKEW.refused} s every request’s signature is refused, and days begin at the wrong time.`;
  return [
    seconds >= SKEW.refused && signed
      ? failedFinding('Clock', says, todo)
      : warningFinding('Clock', says, todo),
  ];
}

function refused(variable: string, error: unknown, todo: string): Finding {
  return failedFinding(ABOUT, `refuses ${variable} (${codeIn(error)})`, todo);
}

function unreachable(error: unknown): Finding {
  if (error instanceof SyntaxError)
    return failedFinding(
      ABOUT,
      'answers with something that is not JSON',
      'Does SLACK_API_URL lead to Slack, and no proxy answers?',
    );
  return failedFinding(
    ABOUT,
    `cannot be reached (${reasonText(error)})`,
    'This machine has to reach the address in SLACK_API_URL, https://slack.com/api/ by default.',
  );
}

const codeIn = (error: unknown): string =>
  typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : 'no reason given';

const nameIn = (name: unknown): string => (typeof name === 'string' ? toPlainLine(name) : '?');
