import { Agent } from 'undici';
import { CannotPost, SlackFailed } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { decodeLeniently, exchange, parseRetryAfter } from '../../http/exchange.ts';
import type { CommandNames } from '../command-names.ts';
import { escapeMessageText, type Message } from '../kit/blocks.ts';
import { sendOrSimplify } from '../kit/rich-blocks.ts';
import { isDirectMessage } from '../request/source.ts';
import { callSlack, isUnclearStatus, reportApiCall, type WebClient, type WebMethod } from '../web-client.ts';

/** A place to post to: a channel or a person's id, and the thread in it. */
export interface PostTarget {
  readonly channel: SlackId;
  /** `ts` of the message that began it. */
  readonly thread: string | undefined;
}

/** Where a message is, by Slack's IDs. */
export interface PostedTo {
  readonly channel: SlackId;
  readonly ts: string;
}

/** Message metadata by which Tally finds the message again. */
export interface MessageMetadata {
  readonly event_type: string;
  readonly event_payload: Readonly<Record<string, string>>;
}

interface PostOptions {
  readonly metadata?: MessageMetadata;
  /** Shows an answer in a thread in the channel too. */
  readonly isBroadcast?: boolean | undefined;
}

/** For everybody there. @throws CannotPost, SlackFailed */
export async function postMessage(
  client: WebClient,
  target: PostTarget,
  message: Message,
  { metadata, isBroadcast }: PostOptions = {},
): Promise<PostedTo> {
  const { channel = target.channel, ts = '' } = await send('chat.postMessage', message, (content) =>
    client.chat.postMessage({
      ...addressOf(target),
      ...(metadata && { metadata }),
      // Slack's types take `true` only beside a thread that is always there.
      ...(isBroadcast !== undefined && { reply_broadcast: isBroadcast as false }),
      ...content,
    }),
  );
  return { channel, ts };
}

/**
 * Puts another message in the place of one that Tally posted.
 *
 * @param metadata the one that it was posted with, if any
 * @throws CannotPost, SlackFailed
 */
export async function replaceMessage(
  client: WebClient,
  { channel, ts }: PostedTo,
  message: Message,
  metadata?: MessageMetadata,
): Promise<void> {
  await send('chat.update', message, (content) =>
    client.chat.update({ channel, ts, ...(metadata && { metadata }), ...content }),
  );
}

/** The conversation of Tally and one person. @returns its ID @throws SlackFailed */
export async function openDirectMessage(client: WebClient, person: SlackId): Promise<string> {
  const { channel } = await callSlack('conversations.open', () =>
    client.conversations.open({ users: person }),
  );
  return channel?.id ?? person;
}

/** @throws SlackFailed */
export async function deleteMessage(client: WebClient, { channel, ts }: PostedTo): Promise<void> {
  await callSlack('chat.delete', () => client.chat.delete({ channel, ts }));
}

/**
 * Posts an ephemeral message where the question was.
 * @returns where it is, if it is an ordinary one: in a direct message nobody else reads it
 * @throws CannotPost, SlackFailed
 */
export async function postEphemeral(
  client: WebClient,
  person: SlackId,
  target: PostTarget,
  message: Message,
): Promise<PostedTo | undefined> {
  if (isDirectMessage(target.channel)) return postMessage(client, target, message);
  await send('chat.postEphemeral', message, (content) =>
    client.chat.postEphemeral({ ...addressOf(target), user: person, ...content }),
  );
  return undefined;
}

const addressOf = ({ channel, thread }: PostTarget) => ({
  channel,
  ...(thread !== undefined && { thread_ts: thread }),
});

/** Slack's codes for a channel in which Tally, or the person, is not or may not write. */
const CANNOT_POST: ReadonlyMap<string, CannotPost['reason']> = new Map([
  ['not_in_channel', 'not-there'],
  ['channel_not_found', 'not-there'],
  ['user_not_in_channel', 'not-there'],
  ['is_archived', 'archived'],
  ['restricted_action', 'restricted'],
  ['restricted_action_read_only_channel', 'restricted'],
  ['restricted_action_thread_only_channel', 'restricted'],
]);

/** Blocks as the text that the SDK would make of them, after it has copied them for a log that nobody reads. */
type Content = { text: string; blocks: never };

async function send<T>(
  method: WebMethod,
  message: Message,
  call: (content: Content) => Promise<T>,
): Promise<T> {
  try {
    return await sendOrSimplify(message, (given) => {
      const { text, blocks } = escapeMessageText(given);
      return callSlack(method, () => call({ text, blocks: JSON.stringify(blocks) as never }));
    });
  } catch (error) {
    const reason = error instanceof SlackFailed ? CANNOT_POST.get(error.code) : undefined;
    throw reason === undefined ? error : new CannotPost(reason);
  }
}

/** How a message goes out through a `response_url`. */
export interface ResponseOptions {
  /** Visible to everyone in the channel; private by default. */
  readonly everyone?: boolean;
  /** Replaces the message whose button was clicked. */
  readonly replace?: boolean;
  /** Of the workspace, for Tally's own name there. */
  readonly client?: WebClient;
}

const UNNAMED = { inJson: async (payload: object): Promise<string> => JSON.stringify(payload) };

export type ResponseUrlClient = ReturnType<typeof createResponseUrlClient>;

/** The longest body that is read, in bytes: Slack answers `ok`. */
const MAX_RESPONSE = 65_536;

/**
 * Replaces Bolt's `respond()`, which has no timeout and hides Slack's reason.
 * @param names gives commands the names that Slack knows them by
 */
export function createResponseUrlClient(timeout = 5000, names: Pick<CommandNames, 'inJson'> = UNNAMED) {
  const agent = new Agent({
    connect: { timeout },
    // Requests on one connection at a time; each further one would open its own connection.
    connections: 32,
    maxResponseSize: MAX_RESPONSE,
  });

  /** @throws SlackFailed with Slack's reason for refusing it */
  async function send(
    url: string,
    message: Message,
    { everyone = false, replace = false, client }: ResponseOptions,
  ): Promise<void> {
    // The TypeError of a malformed URL would quote it, and it is a secret.
    if (!URL.canParse(url)) throw new SlackFailed('response_url', 'invalid_url');
    const payload = {
      response_type: everyone ? 'in_channel' : 'ephemeral',
      replace_original: replace,
      delete_original: false,
      ...escapeMessageText(message),
    };
    const body = await names.inJson(payload, client);
    let isSent = false;
    const { statusCode, headers, ...response } = await exchange(agent, {
      method: 'POST',
      url: new URL(url),
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body,
      maxBytes: MAX_RESPONSE,
      timeout,
      onSending: () => {
        isSent = true;
      },
    }).catch((cause: unknown) => {
      throw new SlackFailed('response_url', codeOf(cause), { unclear: isSent, cause });
    });
    const answer = decodeLeniently(response);
    const reason = reasonIn(answer);
    const isAccepted =
      statusCode < 300 && (reason === undefined || !(answer.startsWith('{') || REFUSALS.has(reason)));
    if (isAccepted) return;
    if (reason !== undefined && statusCode !== 429) throw new SlackFailed('response_url', reason);
    throw new SlackFailed('response_url', `HTTP ${statusCode}`, {
      retryAfter: statusCode === 429 ? parseRetryAfter(headers) : undefined,
      unclear: isUnclearStatus(statusCode),
    });
  }

  const attempt = async (...given: Parameters<typeof send>): Promise<void> => {
    const began = performance.now();
    let outcome = 'ok';
    try {
      await send(...given);
    } catch (error) {
      outcome = error instanceof SlackFailed ? error.code : 'failed';
      throw error;
    } finally {
      reportApiCall({ method: 'response_url', outcome, took: performance.now() - began });
    }
  };

  return {
    /**
     * Posts to a `response_url`. If Slack refuses the blocks, posts again without chart and table.
     * @throws SlackFailed, `unclear` when the message may have arrived
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
