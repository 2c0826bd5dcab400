import { Agent } from 'undici';
import { Failure, isFailure } from '../../domain/failure/index.ts';
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

export type ResponseUrlClient = ReturnType<typeof createResponseUrlClient>;

/** The longest body that is read, in bytes: Slack answers `ok`. */
const MAX_RESPONSE = 65_536;

/**
 * Replaces Bolt's `respond()`, which has no timeout and hides Slack's reason.
 * @param names gives commands the names that Slack knows them by
 */
export function createResponseUrlClient(timeout = 5000, names?: Pick<CommandNames, 'inTexts'>) {
  const agent = new Agent({
    connect: { timeout },
    // Requests on one connection at a time; each further one would open its own connection.
    connections: 32,
    maxResponseSize: MAX_RESPONSE,
  });

  /** @throws slack-failed with Slack's reason for refusing it */
  async function send(
    url: string,
    message: Message,
    { everyone = false, replace = false }: ResponseOptions,
  ): Promise<void> {
    // The TypeError of a malformed URL would quote it, and it is a secret.
    if (!URL.canParse(url))
      throw new Failure('slack-failed', { method: 'response_url', code: 'invalid_url' });
    const payload = {
      response_type: everyone ? 'in_channel' : 'ephemeral',
      replace_original: replace,
      delete_original: false,
      ...escapeMessageText(message),
    };
    const body = JSON.stringify(names?.inTexts(payload) ?? payload);
    const { statusCode, headers, ...response } = await exchange(agent, {
      method: 'POST',
      url: new URL(url),
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body,
      timeout,
    }).catch((cause: unknown) => {
      throw new Failure(
        'slack-failed',
        { method: 'response_url', code: codeOf(cause), unclear: !wasNeverSent(cause) },
        { cause },
      );
    });
    const answer = decodeLeniently(response);
    const reason = reasonIn(answer);
    const isAccepted =
      statusCode < 300 && (reason === undefined || !(answer.startsWith('{') || REFUSALS.has(reason)));
    if (isAccepted) return;
    if (statusCode === 429)
      throw new Failure('slack-failed', {
        method: 'response_url',
        code: 'ratelimited',
        retryAfter: parseRetryAfter(headers),
      });
    const unclear = reason === undefined && isUnclearStatus(statusCode);
    throw new Failure('slack-failed', {
      method: 'response_url',
      code: reason ?? `HTTP ${statusCode}`,
      unclear,
    });
  }

  const attempt = async (...given: Parameters<typeof send>): Promise<void> => {
    const began = performance.now();
    let outcome = 'ok';
    try {
      await send(...given);
    } catch (error) {
      outcome = isFailure(error, 'slack-failed') ? error.data.code : 'failed';
      throw error;
    } finally {
      reportApiCall({ method: 'response_url', outcome, took: performance.now() - began });
    }
  };

  return {
    /**
     * Posts to a `response_url`. If Slack refuses the blocks, posts again without chart and table.
     * @throws slack-failed, `unclear` when the message may have arrived
     */
    post: (url: string, message: Message, options: ResponseOptions = {}): Promise<void> =>
      sendOrSimplify(message, (given) => attempt(url, given, options)),
    close: (): Promise<void> => agent.close(),
  };
}

/** Bodies that mean a rejection although the status is 200; others, such as `received`, don't. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['invalid_payload', 'invalid_blocks', 'invalid_blocks_format', 'invalid_attachments', 'no_text'],
  ...['expired_url', 'used_url', 'channel_not_found', 'channel_is_archived', 'user_not_found'],
  ...['action_prohibited', 'rollup_error'],
]);

/** Slack answers `ok` as text, `{"ok":false,"error":"…"}` as JSON or the bare code as text. */
function reasonIn(answer: string): string | undefined {
  if (answer === 'ok') return undefined;
  try {
    const parsed: unknown = JSON.parse(answer);
    if (typeof parsed !== 'object' || parsed === null || !('ok' in parsed) || parsed.ok !== false)
      return undefined;
    return 'error' in parsed && typeof parsed.error === 'string' ? parsed.error : 'refused';
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return /^[a-z_]+$/.test(answer) ? answer : undefined;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return 'failed';
}
