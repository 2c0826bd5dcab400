/** Posts, replaces and deletes messages, by the Web API or a response URL. */
import * as z from 'zod';
import { Failure, type FailureOf, isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryParseJson } from '../../domain/try-parse.ts';
import { isDirectMessage } from '../../workspace/record/parse-record.ts';
import { type Block, escapeMessageText, type Message, preformatted, section } from '../block-kit/blocks.ts';
import { barsText } from '../block-kit/charts.ts';
import { callSlack, isUnclearStatus, reportApiCall, type WebClient, wasNeverSent } from '../web-client.ts';

/** Where to post: the ID of a channel or person, and the `ts` of the thread, if any. */
interface PostDestination {
  readonly channel: SlackId;
  readonly thread?: string | undefined;
}

/** A posted message's channel and `ts`. */
export interface PostedTo {
  readonly channel: SlackId;
  readonly ts: string;
}

/** Slack's message metadata, by which Tally finds a message that it posted. */
export interface MessageMetadata {
  readonly event_type: string;
  readonly event_payload: Readonly<Record<string, string>>;
}

/** Posts a message that everybody in the channel sees. @throws cannot-post, slack-failed */
export async function postMessage(
  client: WebClient,
  target: PostDestination,
  message: Message,
  { metadata }: { readonly metadata?: MessageMetadata } = {},
): Promise<PostedTo> {
  const { channel = target.channel, ts = '' } = await send('chat.postMessage', message, (content) =>
    client.chat.postMessage({
      channel: target.channel,
      ...inThread(target),
      ...(metadata && { metadata }),
      ...content,
    }),
  );
  return { channel, ts };
}

/** Replaces a message that Tally posted. @param metadata the metadata that the message was posted with */
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

/** Opens the direct message with a person. @returns its channel ID */
export async function openDirectMessage(client: WebClient, person: SlackId): Promise<string> {
  const { channel } = await callSlack('conversations.open', () =>
    client.conversations.open({ users: person }),
  );
  return channel?.id ?? person;
}

/** @throws slack-failed */
export async function deleteMessage(client: WebClient, { channel, ts }: PostedTo): Promise<void> {
  await callSlack('chat.delete', () => client.chat.delete({ channel, ts }));
}

/** Sends a message that only this person sees. @returns its place, if it is an ordinary one in a direct message */
export async function postEphemeral(
  client: WebClient,
  person: SlackId,
  target: PostDestination,
  message: Message,
): Promise<PostedTo | undefined> {
  if (isDirectMessage(target.channel)) return postMessage(client, target, message);
  await send('chat.postEphemeral', message, (content) =>
    client.chat.postEphemeral({ channel: target.channel, user: person, ...inThread(target), ...content }),
  );
  return undefined;
}

const inThread = ({ thread }: PostDestination) => (thread === undefined ? {} : { thread_ts: thread });

/** Slack's error codes if Tally, or the person, isn't in the channel or can't write there. */
const CANNOT_POST: ReadonlyMap<string, FailureOf<'cannot-post'>['data']['reason']> = new Map([
  ['not_in_channel', 'not-there'],
  ['channel_not_found', 'not-there'],
  ['user_not_in_channel', 'not-there'],
  ['is_archived', 'archived'],
  ['restricted_action', 'restricted'],
  ['restricted_action_read_only_channel', 'restricted'],
  ['restricted_action_thread_only_channel', 'restricted'],
]);

/** Blocks already serialized to JSON. The SDK would serialize them too, but first copies them for its debug log. */
type Content = { text: string; blocks: never };

async function send<T>(method: string, message: Message, call: (content: Content) => Promise<T>): Promise<T> {
  try {
    return await sendOrSimplify(message, (shown) => {
      const { text, blocks } = escapeMessageText(shown);
      return callSlack(method, () => call({ text, blocks: JSON.stringify(blocks) as never }));
    });
  } catch (error) {
    const reason = isFailure(error, 'slack-failed') ? CANNOT_POST.get(error.data.code) : undefined;
    throw reason === undefined ? error : new Failure('cannot-post', { reason });
  }
}

/** Sends a message. If Slack rejects its blocks, sends it again without chart and table. */
const sendOrSimplify = <T>(message: Message, attempt: (shown: Message) => Promise<T>): Promise<T> =>
  attempt(message).catch((error: unknown) => {
    const simpler = isRefusal(error) ? withoutRichBlocks(message) : undefined;
    if (simpler === undefined) throw error;
    return attempt(simpler);
  });

/** Slack's error codes for rejected blocks. For a `response_url`, the code can be `invalid_payload`. */
const REFUSED_BLOCKS = /^invalid_(?:blocks|attachments|payload)/;

const isRefusal = (error: unknown): boolean =>
  isFailure(error, 'slack-failed') && REFUSED_BLOCKS.test(error.data.code);

/** The message with charts as text bars and tables as monospaced text. Undefined if it has no charts or tables. */
export function withoutRichBlocks(message: Message): Message | undefined {
  if (!message.blocks.some(isRich)) return undefined;
  return { text: message.text, blocks: message.blocks.flatMap(simplify) };
}

const isRich = ({ type }: Block): boolean =>
  type === 'data_visualization' || type === 'container' || type === 'table';

function simplify(block: Block): Block[] {
  if (block.type === 'data_visualization') return [section(barsText(block))];
  if (block.type === 'container') return (block.child_blocks as Block[]).flatMap(simplify);
  if (block.type === 'table')
    return [
      preformatted(
        alignColumns(block.rows.map((row) => row.map((cell) => ('text' in cell ? String(cell.text) : '')))),
      ),
    ];
  return [block];
}

/** A table as monospaced text, the first column aligned left, the others right. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const align = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(align).join('  ').trimEnd()).join('\n');
}

interface ResponseOptions {
  /** Whether everyone in the channel sees the message; by default only the user does. */
  readonly everyone?: boolean;
  /** Whether the message replaces the message whose button was clicked. */
  readonly replace?: boolean;
}

/** Posts to a `response_url`. Used instead of Bolt's `respond()`, which has no timeout and hides Slack's error. */
export interface ResponseUrlClient {
  /** @throws slack-failed, with `unclear` if the message may have arrived */
  post(url: string, message: Message, options?: ResponseOptions): Promise<void>;
}

export function createResponseUrlClient(timeout: Millis = 5000): ResponseUrlClient {
  /** @throws slack-failed with the reason for which Slack refused the message */
  async function send(url: string, message: Message, { everyone, replace = false }: ResponseOptions) {
    // The response URL is a secret, and the TypeError for a malformed one would quote it.
    if (!URL.canParse(url)) throw failed({ code: 'invalid_url' });
    const payload = {
      response_type: everyone ? 'in_channel' : 'ephemeral',
      replace_original: replace,
      delete_original: false,
      ...escapeMessageText(message),
    };
    const { status, retryAfter, body } = await postJson(url, payload, timeout);
    const reason = reasonIn(body);
    if (status === 429) throw failed({ code: 'ratelimited', retryAfter });
    if (status >= 300 || reason !== undefined)
      throw failed({
        code: reason ?? `HTTP ${status}`,
        unclear: reason === undefined && isUnclearStatus(status),
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
  };
}

/** @returns `retryAfter` in s @throws slack-failed, without the path of the URL, which is a secret */
async function postJson(url: string, payload: object, timeout: Millis) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(payload),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    });
    const retryAfter = Number(response.headers.get('retry-after') ?? 1);
    return { status: response.status, retryAfter, body: await response.text() };
  } catch (error) {
    const { cause = error } = error as { cause?: unknown };
    const { name, code } = cause as { name?: string; code?: unknown };
    const known = name === 'TimeoutError' ? 'timeout' : typeof code === 'string' ? code : 'failed';
    throw failed({ code: known, unclear: !wasNeverSent(error) }, cause);
  }
}

const failed = (
  reason: Omit<FailureOf<'slack-failed'>['data'], 'method'>,
  cause?: unknown,
): FailureOf<'slack-failed'> => new Failure('slack-failed', { method: 'response_url', ...reason }, { cause });

/** An error code as the whole body, even with status 200: `used_url`. Without a `_`, as in `ok`, it isn't an error. */
const CODE = /^[a-z]+(?:_[a-z]+)+$/;
const refusal = z.object({ ok: z.literal(false), error: z.string().default('refused') });

/** The error in Slack's response, which is `ok` as text, `{"ok":false,"error":"…"}` as JSON, or a code as text. */
const reasonIn = (answer: string): string | undefined =>
  refusal.safeParse(tryParseJson(answer)).data?.error ?? (CODE.test(answer) ? answer : undefined);
