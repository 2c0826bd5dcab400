/** Posts, replaces and deletes messages, through the Web API or a response URL. */
import * as z from 'zod';
import { Failure, type FailureOf, isFailure } from '../../domain/failure/index.ts';
import { isDirectMessage, type SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryParseJson } from '../../domain/try-parse.ts';
import { type Block, escapeMessageText, type Message, preformatted, section } from '../block-kit/blocks.ts';
import { barsText } from '../block-kit/charts.ts';
import { callSlack, isUnclearStatus, measureCall, type WebClient, wasNeverSent } from '../web-client.ts';

interface PostDestination {
  readonly channel: SlackId;
  readonly thread?: string | undefined;
}

export interface PostedTo {
  readonly channel: SlackId;
  readonly ts: string;
}

/** Slack stores the metadata with a message. Tally can later find the message by its metadata. */
export interface MessageMetadata {
  readonly event_type: string;
  readonly event_payload: Readonly<Record<string, string>>;
}

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

/** @param metadata the posted message's metadata, because an update without metadata removes it */
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

export async function openDirectMessage(client: WebClient, person: SlackId): Promise<string> {
  const { channel } = await callSlack('conversations.open', () =>
    client.conversations.open({ users: person }),
  );
  return channel?.id ?? person;
}

export async function deleteMessage(client: WebClient, { channel, ts }: PostedTo): Promise<void> {
  await callSlack('chat.delete', () => client.chat.delete({ channel, ts }));
}

/** In a direct message, posts an ordinary message, which can be edited. @returns undefined elsewhere */
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

const CANNOT_POST: ReadonlyMap<string, FailureOf<'cannot-post'>['data']['reason']> = new Map([
  ['not_in_channel', 'not-there'],
  ['channel_not_found', 'not-there'],
  ['user_not_in_channel', 'not-there'],
  ['is_archived', 'archived'],
  ['restricted_action', 'restricted'],
  ['restricted_action_read_only_channel', 'restricted'],
  ['restricted_action_thread_only_channel', 'restricted'],
]);

/** Blocks are passed as JSON, because the SDK would copy blocks in any other form for its debug log. */
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

/** If Slack rejects the message's blocks, sends the message again without its chart and table. */
const sendOrSimplify = <T>(message: Message, attempt: (shown: Message) => Promise<T>): Promise<T> =>
  attempt(message).catch((error: unknown) => {
    const simpler = isRefusal(error) ? withoutRichBlocks(message) : undefined;
    if (simpler === undefined) throw error;
    return attempt(simpler);
  });

/** A `response_url` reports rejected blocks as `invalid_payload`. */
const REFUSED_BLOCKS = /^invalid_(?:blocks|attachments|payload)/;

const isRefusal = (error: unknown): boolean =>
  isFailure(error, 'slack-failed') && REFUSED_BLOCKS.test(error.data.code);

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

export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const align = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(align).join('  ').trimEnd()).join('\n');
}

interface ResponseOptions {
  readonly everyone?: boolean;
  readonly replace?: boolean;
}

/** Bolt's `respond()` has no timeout and hides Slack's error, so Tally posts to response URLs itself. */
export interface ResponseUrlClient {
  /** @throws slack-failed; its `unclear` is true if the message may have arrived */
  post(url: string, message: Message, options?: ResponseOptions): Promise<void>;
}

export function createResponseUrlClient(timeout: Millis = 5000): ResponseUrlClient {
  async function send(url: string, message: Message, { everyone, replace = false }: ResponseOptions) {
    // A response URL is a secret, and the error for a malformed URL would quote it.
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
  return {
    post: (url, message, options = {}) =>
      sendOrSimplify(message, (shown) => measureCall('response_url', () => send(url, shown, options))),
  };
}

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

/** Slack sends an error code such as `used_url` as the whole body, even with status 200. */
const CODE = /^[a-z]+(?:_[a-z]+)+$/;
const refusal = z.object({ ok: z.literal(false), error: z.string().default('refused') });

const reasonIn = (answer: string): string | undefined =>
  refusal.safeParse(tryParseJson(answer)).data?.error ?? (CODE.test(answer) ? answer : undefined);
