/** Sends Slack's requests to the bot by signed HTTP. Socket Mode is in socket-mode.ts. */
import { createHmac } from 'node:crypto';
import type { TrafficLog } from './traffic.ts';

export type Kind = 'slash_commands' | 'interactive' | 'events_api';

export interface Retry {
  number: number;
  reason: 'http_timeout' | 'http_error' | 'connection_failed';
}

/** `body`: the acknowledgement's JSON, its text, or undefined when it is empty. */
export type Ack =
  | { how: 'acked'; body: unknown }
  | { how: 'refused'; status: number; noRetry: boolean }
  | { how: 'timeout' }
  | { how: 'unreachable' };

export interface Delivery {
  /** Never rejects. */
  send(kind: Kind, payload: Record<string, unknown>, retry?: Retry): Promise<Ack>;
  close(): Promise<void>;
}

export interface HttpOptions {
  botUrl: () => string;
  signingSecret: string;
  ackTimeout: number;
  now: () => number;
  traffic: TrafficLog;
}

export interface SignedRequest {
  headers: Record<string, string>;
  body: string;
}

/** Slack's `v0` signature over the raw body. */
export function sign(body: string, secret: string, at: number): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return { 'X-Slack-Request-Timestamp': timestamp, 'X-Slack-Signature': `v0=${digest}` };
}

/** Commands are sent as a form, interactions as a form with one JSON field, events as JSON. */
function encode(kind: Kind, payload: Record<string, unknown>): { type: string; body: string } {
  const form = 'application/x-www-form-urlencoded';
  if (kind === 'events_api') return { type: 'application/json', body: JSON.stringify(payload) };
  if (kind === 'interactive')
    return { type: form, body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString() };
  const fields = Object.entries(payload).map(([key, value]): [string, string] => [key, String(value)]);
  return { type: form, body: new URLSearchParams(fields).toString() };
}

/** The title of an exchange in the traffic panel. */
export function titleOf(kind: Kind, payload: Record<string, unknown>): string {
  if (kind === 'slash_commands') return `${payload.command} ${payload.text}`.trim();
  if (kind === 'interactive') return String(payload.type);
  return `event ${String((payload.event as { type?: unknown } | undefined)?.type)}`;
}

export function httpDelivery(options: HttpOptions): Delivery {
  const closing = new AbortController();
  return {
    async send(kind, payload, retry) {
      const { type, body } = encode(kind, payload);
      const headers = {
        'Content-Type': type,
        'User-Agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
        ...sign(body, options.signingSecret, options.now()),
        ...(retry && { 'X-Slack-Retry-Num': String(retry.number), 'X-Slack-Retry-Reason': retry.reason }),
      };
      const end = options.traffic.begin('slack→bot', titleOf(kind, payload), { ...headers, body: payload });
      const ack = await exchange(options, { headers, body }, closing.signal);
      end(statusOf(ack), ack.how === 'acked' ? ack.body : '');
      return ack;
    },
    async close() {
      closing.abort();
    },
  };
}

async function exchange(options: HttpOptions, request: SignedRequest, closing: AbortSignal): Promise<Ack> {
  const tooLate = AbortSignal.timeout(options.ackTimeout);
  try {
    const response = await fetch(eventsUrl(options.botUrl()), {
      method: 'POST',
      ...request,
      redirect: 'manual',
      signal: AbortSignal.any([tooLate, closing]),
    });
    const text = await response.text();
    if (response.status === 200) return { how: 'acked', body: read(text) };
    const noRetry = response.headers.get('x-slack-no-retry') === '1';
    return { how: 'refused', status: response.status, noRetry };
  } catch {
    return tooLate.aborted ? { how: 'timeout' } : { how: 'unreachable' };
  }
}

function eventsUrl(bot: string): string {
  return bot.endsWith('/slack/events') ? bot : `${bot.replace(/\/$/, '')}/slack/events`;
}

function read(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function statusOf(ack: Ack): string {
  if (ack.how === 'acked') return '200';
  return ack.how === 'refused' ? String(ack.status) : ack.how;
}
