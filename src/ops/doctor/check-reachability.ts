/** Whether people and Slack can come in: the port, and the address that leads to it. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:net';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryParseJson } from '../../domain/try-parse.ts';
import { hostProblem, withoutBrackets } from '../../http/address.ts';
import { findingOf, type Placeholders } from './causes.ts';
import { errorCode, type Finding, okFinding, post, toPlainLine, webCode } from './finding.ts';
import { webFigures } from './redacted-addresses.ts';

export interface AddressParts {
  readonly port: number;
  readonly publicUrl?: string;
  /** Where Slack is: it reaches a private address only if it is at one itself. */
  readonly slackUrl: string;
  /** Undefined if Slack's requests don't come to that address. */
  readonly signingSecret: string | undefined;
  /** How long one request may take, in ms. */
  readonly timeout: Millis;
}

/** The bot itself may already listen there. Otherwise it is opened for a moment. Never rejects. */
export async function checkPort({ port, timeout }: AddressParts): Promise<readonly Finding[]> {
  if ((await askBot(port, 'healthz', timeout))?.ok === true) {
    const ready = await askBot(port, 'readyz', timeout);
    if (!Array.isArray(ready?.notReady)) return [okFinding('Port', `the bot runs on ${port}`)];
    const lacking = toPlainLine(ready.notReady.join(', '));
    return [findingOf('PORT', 'Port', 'readyz', { port: String(port), lacking })];
  }
  const error = await new Promise<Error | undefined>((resolve) => {
    const server = createServer();
    server.once('error', resolve).listen(port, () => server.close(() => resolve(undefined)));
  });
  if (error === undefined) return [okFinding('Port', `${port} is free`)];
  return [portFinding(error, port)];
}

function portFinding(error: unknown, port: number): Finding {
  const figures = { port: String(port), nextPort: String(port < 65_535 ? port + 1 : 3000), try: 'ss -ltnp' };
  return findingOf('PORT', 'Port', errorCode(error), figures);
}

/** @returns what to do about a port that can't be opened; undefined for any other error */
export function portAdvice(error: unknown, port: number): string | undefined {
  if ((error as NodeJS.ErrnoException).syscall !== 'listen') return undefined;
  const { check, says, todo } = portFinding(error, port);
  return `${check} ${says}. ${todo}`;
}

/** @returns undefined if what answers there is not a bot */
async function askBot(
  port: number,
  page: string,
  timeout: Millis,
): Promise<{ readonly ok?: unknown; readonly notReady?: unknown } | undefined> {
  try {
    const signal = AbortSignal.timeout(timeout);
    const response = await fetch(`http://127.0.0.1:${port}/${page}`, { signal, redirect: 'manual' });
    return (tryParseJson(await response.text()) ?? undefined) as Awaited<ReturnType<typeof askBot>>;
  } catch {
    return undefined;
  }
}

const CHECK = 'Public address';

const isLocal = (hostname: string): boolean => hostProblem(withoutBrackets(hostname)) !== undefined;
const FORM_LENGTH = 100_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/**
 * Asks for /slack/events as Slack does when it checks a certificate: Tally says yes, whoever asks. Any other server
 * doesn't know that address. Never rejects.
 */
export async function checkPublicAddress(parts: AddressParts): Promise<readonly Finding[]> {
  const { publicUrl, port, slackUrl, signingSecret, timeout } = parts;
  if (publicUrl === undefined) return [];
  const events = `${publicUrl}/slack/events`;
  const figures = {
    ...webFigures('PUBLIC_URL', publicUrl, `-d ssl_check=1 ${events}`),
    port: String(port),
  };
  const { protocol, hostname } = new URL(publicUrl);
  if (signingSecret !== undefined && isLocal(hostname) && !isLocal(new URL(slackUrl).hostname))
    return [findingOf('PUBLIC_ADDRESS', CHECK, 'local address', figures)];
  // A sandbox on this machine has no certificate.
  if (protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(hostname))
    return [findingOf('PUBLIC_ADDRESS', CHECK, 'http', figures)];
  if (signingSecret === undefined) return [];
  try {
    const response = await post(events, 'ssl_check=1', FORM, timeout);
    const { status, headers } = response;
    const target = headers.get('location');
    if (status === 200 && (await response.text()) === '')
      return [await signatureFinding(events, signingSecret, timeout, figures)];
    if (new URL(publicUrl).pathname !== '/') {
      const withoutPath = new URL(publicUrl).origin;
      return [findingOf('PUBLIC_ADDRESS', CHECK, 'path', { ...figures, withoutPath })];
    }
    return [
      target === null
        ? findingOf('PUBLIC_ADDRESS', CHECK, `HTTP ${status}`, figures)
        : findingOf('PUBLIC_ADDRESS', CHECK, 'redirect', {
            ...figures,
            target: toPlainLine(new URL(target, events).origin),
          }),
    ];
  } catch (error) {
    return [findingOf('PUBLIC_ADDRESS', CHECK, await webCode(errorCode(error), publicUrl), figures)];
  }
}

/**
 * Asks for the answer that Slack wants of a new address, with a signature as Slack makes it. The body has what proxies
 * encode in another way, and is as long as a form can be. Anybody who gets this request could only have the same words repeated.
 */
async function signatureFinding(
  events: string,
  secret: string,
  timeout: Millis,
  figures: Placeholders,
): Promise<Finding> {
  const challenge = 'doctor (a*b~c é)';
  const payload = JSON.stringify({ type: 'url_verification', challenge, form: 'x'.repeat(FORM_LENGTH) });
  const body = `payload=${encodeURIComponent(payload)}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  const signature = { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` };
  const response = await post(events, body, { ...FORM, ...signature }, timeout);
  if ((await response.text()) === JSON.stringify({ challenge }))
    return okFinding(CHECK, 'leads to a Tally with this signing secret');
  const code = response.status === 413 ? 'HTTP 413' : 'signature';
  return findingOf('PUBLIC_ADDRESS', CHECK, code, { ...figures, status: String(response.status) });
}
