import { lookup } from 'node:dns/promises';
import type { Millis } from '../../domain/time/calendar.ts';
import { identifyPeer } from '../../redis/diagnose-connection.ts';
import { withTimeout } from '../../runtime/timers.ts';
import { redact } from '../mask.ts';

/** What a check found. Bad: Tally would not start or not answer. Warning: it works now, and will fail one day. */
export interface Finding {
  readonly verdict: 'good' | 'warning' | 'bad';
  /** What was checked. */
  readonly check: string;
  readonly says: string;
  /** The operator's next step; absent when there is nothing to do. */
  readonly todo?: string;
  /** The error's code as Redis, Node, HTTP or Slack call it, or the name of the cause in `causes.ts`. */
  readonly code?: string;
}

export const okFinding = (check: string, says: string): Finding => ({ verdict: 'good', check, says });

/** @returns each finding once, where several checks or servers found the same */
export function distinctFindings(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

/** Codes of libraries, as the system would call them. */
const SAME_CODES: Readonly<Record<string, string>> = {
  TimeoutError: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_SOCKET: 'closed',
  ParserError: 'protocol error',
};

/** @returns an error's code or name, never its message: that may quote what was sent */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code.startsWith('HPE_') ? 'not HTTP' : (SAME_CODES[code] ?? code);
  if (cause instanceof Error) return errorCode(cause);
  if (/timed out|timeout/i.test(error.message)) return 'timeout';
  // The only answer for which fetch gives an error, without a word.
  if (error.message === '') return 'HTTP 407';
  return error.name === 'Error' ? 'no reason given' : (SAME_CODES[error.name] ?? error.name);
}

/** How long a name server may take, in ms. */
const LOOKUP_TIMEOUT = 1_000;

/** @returns `EAI_AGAIN` where a connection timed out because nothing answered for the host's name, else the code */
export async function networkCode(
  code: string,
  host: string,
  look: (host: string) => Promise<unknown> = lookup,
): Promise<string> {
  if (code !== 'timeout' && code !== 'ETIMEDOUT') return code;
  const answer = look(host).then(
    () => code,
    () => 'EAI_AGAIN',
  );
  return withTimeout(LOOKUP_TIMEOUT, answer, () => 'EAI_AGAIN');
}

/** What a second look shows that tells more than a connection that ended or gave nothing. */
const TELLING = /^(?:TLS|ERR_SSL_.*)$/;
const HANGS_UP: ReadonlySet<string> = new Set(['closed', 'ECONNRESET', 'EPIPE']);

/**
 * @param url that was asked
 * @returns `TLS` where only https is spoken, the code with which a handshake is refused, `closed` where the peer hangs up; else as
 *   `networkCode`
 */
export async function webCode(code: string, url: string): Promise<string> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const known = await networkCode(code, host);
  if (known !== 'timeout' && !HANGS_UP.has(known)) return known;
  const isPlain = protocol === 'http:';
  const peer = await identifyPeer({ host, port: Number(port) || (isPlain ? 80 : 443) }, !isPlain);
  if (TELLING.test(peer) && (isPlain || peer !== 'TLS')) return peer;
  // fetch connects again and again where the peer hangs up, until its time is over.
  return HANGS_UP.has(peer) && known === 'timeout' ? 'closed' : known;
}

/** Follows no redirect. @param ms how long it may take */
export const post = (
  url: string,
  body: string | URLSearchParams | null,
  headers: Readonly<Record<string, string>>,
  ms: Millis,
): Promise<Response> =>
  fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(ms) });

/** Outside text for a terminal. @returns at most 200 characters, without control and format characters */
export function toPlainLine(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '').slice(0, 200);
}

/** A check that takes longer, or fails itself, says so in its place. @param ms how long it may take. Never rejects. */
export function boundCheck(
  check: string,
  findings: Promise<readonly Finding[]>,
  ms: Millis,
): Promise<readonly Finding[]> {
  const bad = (says: string, todo: string, code?: string): readonly Finding[] => [
    { verdict: 'bad', check, says, todo, ...(code && { code }) },
  ];
  const settled = findings.catch((error: unknown) =>
    bad(`the check failed (${errorCode(error)})`, 'Run the doctor again. If it keeps happening, report it.'),
  );
  const late = 'Check that this machine can reach it and that no firewall drops the packets.';
  return withTimeout(ms, settled, () => bad(`no answer within ${ms / 1000} s`, late, 'timeout'));
}

const LABELS: Readonly<Record<Finding['verdict'], string>> = { good: 'good', warning: 'warning', bad: 'BAD' };

/** @returns a line for each finding, with its next step below; secrets are masked as in log lines */
export function formatFindings(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ verdict, check, says, todo }) => [
    `${LABELS[verdict].padEnd(7)}  ${check.padEnd(width)}  ${says}`,
    ...(todo === undefined ? [] : [`${' '.repeat(width + 11)}${todo}`]),
  ]);
  return lines.map(redact).join('\n');
}

/** @returns a JSON array; secrets are masked as in log lines */
export const serializeFindings = (findings: readonly Finding[]): string =>
  redact(JSON.stringify(findings, null, 2));
