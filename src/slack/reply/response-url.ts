import { Agent } from 'undici';
import * as z from 'zod';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import { tryParseJson } from '../../domain/try-parse.ts';
import { decodeLeniently, exchange, parseRetryAfter } from '../../http/exchange.ts';
import type { CommandNames } from '../command-prefix.ts';
import { escapeMessageText, type Message } from '../kit/blocks.ts';
import { isUnclearStatus, reportApiCall, wasNeverSent } from '../web-client.ts';
import { sendOrSimplify } from './message-calls.ts';

/** How a message goes out through a `response_url`. */
export interface ResponseOptions {
  /** Visible to everyone in the channel; private by default. */
  readonly everyone?: boolean;
  /** Replaces the message whose button was clicked. */
  readonly replace?: boolean;
}

/** Replaces Bolt's `respond()`, which has no timeout and hides Slack's reason. */
export interface ResponseUrlClient {
  /**
   * Posts to a `response_url`. If Slack refuses the blocks, posts again without chart and table.
   * @throws slack-failed, `unclear` when the message may have arrived
   */
  post(url: string, message: Message, options?: ResponseOptions): Promise<void>;
  close(): Promise<void>;
}

/** The longest body that is read, in bytes: Slack answers `ok`. */
const MAX_RESPONSE = 65_536;

/** @param names gives commands the names that Slack knows them by */
export function createResponseUrlClient(
  timeout = 5000,
  names?: Pick<CommandNames, 'inTexts'>,
): ResponseUrlClient {
  // Without a limit each request at the same time would open its own connection.
  const agent = new Agent({ connect: { timeout }, connections: 32, maxResponseSize: MAX_RESPONSE });

  /** @throws slack-failed with Slack's reason for refusing it */
  async function send(url: string, message: Message, { everyone, replace }: ResponseOptions): Promise<void> {
    // The TypeError of a malformed URL would quote it, and it is a secret.
    if (!URL.canParse(url)) throw failed({ code: 'invalid_url' });
    const payload = {
      response_type: everyone ? 'in_channel' : 'ephemeral',
      replace_original: replace ?? false,
      delete_original: false,
      ...escapeMessageText(message),
    };
    const { statusCode, headers, ...response } = await exchange(agent, {
      method: 'POST',
      url: new URL(url),
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(names?.inTexts(payload) ?? payload),
      timeout,
    }).catch((cause: unknown) => {
      throw failed({ code: codeOf(cause), unclear: !wasNeverSent(cause) }, cause);
    });
    const isOk = statusCode < 300;
    const reason = reasonIn(decodeLeniently(response), isOk ? REFUSED : ANY_CODE);
    if (statusCode === 429) throw failed({ code: 'ratelimited', retryAfter: parseRetryAfter(headers) });
    if (!isOk || reason !== undefined)
      throw failed({
        code: reason ?? `HTTP ${statusCode}`,
        unclear: reason === undefined && isUnclearStatus(statusCode),
      });
  }

  const attempt = async (...call: Parameters<typeof send>): Promise<void> => {
    const began = performance.now();
    let outcome = 'ok';
    try {
      await send(...call);
    } catch (error) {
      outcome = isFailure(error, 'slack-failed') ? error.data.code : 'failed';
      throw error;
    } finally {
      reportApiCall({ method: 'response_url', outcome, took: performance.now() - began });
    }
  };

  return {
    post: (url, message, options = {}) => sendOrSimplify(message, (shown) => attempt(url, shown, options)),
    close: () => agent.close(),
  };
}

interface Reason {
  readonly code: string;
  readonly retryAfter?: number | undefined;
  readonly unclear?: boolean;
}

const failed = (reason: Reason, cause?: unknown): Failure =>
  new Failure('slack-failed', { method: 'response_url', ...reason }, { cause });

/** Bodies that mean a rejection although the status is 200; others, such as `received`, don't. */
const REFUSED = /^(?:invalid_\w+|no_text|expired_url|used_url|(?:channel|user)_\w+|action_\w+|rollup_error)$/;
const ANY_CODE = /^[a-z_]+$/;
const refusal = z.object({ ok: z.literal(false), error: z.string().default('refused') });

/** Slack answers `ok` as text, `{"ok":false,"error":"…"}` as JSON or the bare code as text. */
const reasonIn = (answer: string, code: RegExp): string | undefined =>
  refusal.safeParse(tryParseJson(answer)).data?.error ?? (code.test(answer) ? answer : undefined);

function codeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'failed';
}
