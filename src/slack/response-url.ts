import { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { SlackFailed } from '../domain/failure/index.ts';
import { parseRetryAfter } from '../http/response.ts';
import { escapeMessageText, type Message } from './kit/atoms.ts';
import { withoutRichBlocks } from './kit/simpler.ts';
import { isUnclearStatus, reportApiCall } from './web-client.ts';

/** How a message goes out through a `response_url`. */
export interface ResponseOptions {
  /** For everyone in the channel; default is for the asker alone. */
  readonly everyone?: boolean;
  /** In the place of the message that carried the button. */
  readonly replace?: boolean;
}

export interface ResponseUrlClient {
  /**
   * Posts to a `response_url`. When Slack refuses the blocks, once more without chart and table.
   * @throws SlackFailed, `unclear` where the message may have arrived
   */
  post(url: string, message: Message, options?: ResponseOptions): Promise<void>;
  close(): Promise<void>;
}

/** Bolt's own `respond()` has no time-out and hides Slack's reason, so Tally posts by itself. */
export function createResponseUrlClient(timeout = 5000): ResponseUrlClient {
  const agent = new Agent({
    headersTimeout: timeout,
    bodyTimeout: timeout,
    connect: { timeout },
    // As many answers at a time; more would each open a connection of their own.
    connections: 32,
    maxResponseSize: 65_536,
  });

  /** Resolves with Slack's reason to refuse it, '' where it took it. */
  async function send(
    url: string,
    message: Message,
    { everyone = false, replace = false }: ResponseOptions,
  ): Promise<string> {
    const payload = Buffer.from(
      JSON.stringify({
        response_type: everyone ? 'in_channel' : 'ephemeral',
        replace_original: replace,
        delete_original: false,
        ...escapeMessageText(message),
      }),
    );
    let isSent = false;
    // Read when the connection takes it: what fails before that has posted nothing.
    function* whenSent() {
      isSent = true;
      yield payload;
    }
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(payload.length),
      },
      body: Readable.from(whenSent()),
      signal: AbortSignal.timeout(timeout),
    }).catch((cause: unknown) => {
      throw new SlackFailed('response_url', codeOf(cause), { unclear: isSent });
    });
    const answer = await body.text().catch(() => '');
    const reason = reasonIn(answer);
    if (statusCode < 300) {
      const isRefusal = reason !== undefined && (answer.startsWith('{') || REFUSALS.has(reason));
      return isRefusal ? reason : '';
    }
    if (reason !== undefined && statusCode !== 429) return reason;
    throw new SlackFailed('response_url', `HTTP ${statusCode}`, {
      retryAfter: statusCode === 429 ? parseRetryAfter(headers) : undefined,
      unclear: isUnclearStatus(statusCode),
    });
  }

  const attempt = async (...given: Parameters<typeof send>): Promise<string> => {
    try {
      const refused = await send(...given);
      reportApiCall({ method: 'response_url', outcome: refused || 'ok' });
      return refused;
    } catch (error) {
      if (error instanceof SlackFailed) reportApiCall({ method: 'response_url', outcome: error.code });
      throw error;
    }
  };

  return {
    async post(url, message, options = {}) {
      const refused = await attempt(url, message, options);
      if (refused === '') return;
      const plainer = refused.startsWith('invalid_') ? withoutRichBlocks(message) : undefined;
      const again = plainer === undefined ? refused : await attempt(url, plainer, options);
      if (again !== '') throw new SlackFailed('response_url', again);
    },
    close: () => agent.close(),
  };
}

/** Bare words that are a refusal although the status is a success; any other, such as `received`, is none. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['invalid_payload', 'invalid_blocks', 'invalid_blocks_format', 'invalid_attachments', 'no_text'],
  ...['expired_url', 'used_url', 'channel_not_found', 'channel_is_archived', 'user_not_found'],
  ...['action_prohibited', 'rollup_error'],
]);

/** Slack answers `ok` as text, `{"ok":false,"error":"…"}` as JSON or the bare code as text. */
function reasonIn(answer: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(answer);
    if (typeof parsed !== 'object' || parsed === null || !('ok' in parsed) || parsed.ok !== false)
      return undefined;
    return 'error' in parsed && typeof parsed.error === 'string' ? parsed.error : 'refused';
  } catch {
    return /^[a-z_]+$/.test(answer) && answer !== 'ok' ? answer : undefined;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return 'failed';
}
