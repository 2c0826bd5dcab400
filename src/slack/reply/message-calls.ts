import { Failure, type FailureOf, isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { type Block, escapeMessageText, type Message, preformatted, section } from '../kit/blocks.ts';
import { barsText } from '../kit/charts.ts';
import { isDirectMessage } from '../request/payload.ts';
import { callSlack, type WebClient } from '../web-client.ts';

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

/** Posts a message that everybody there sees. @throws cannot-post, slack-failed */
export async function postMessage(
  client: WebClient,
  target: PostTarget,
  message: Message,
  { metadata, isBroadcast }: PostOptions = {},
): Promise<PostedTo> {
  const { channel = target.channel, ts = '' } = await send('chat.postMessage', message, (content) =>
    client.chat.postMessage({
      channel: target.channel,
      ...inThread(target),
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
 * @param metadata what it was posted with, if anything
 * @throws cannot-post, slack-failed
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

/** The conversation of Tally and one person. @returns its ID @throws slack-failed */
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

/**
 * Posts an ephemeral message where the question was.
 * @returns where it is, if it is an ordinary one: in a direct message nobody else reads it
 * @throws cannot-post, slack-failed
 */
export async function postEphemeral(
  client: WebClient,
  person: SlackId,
  target: PostTarget,
  message: Message,
): Promise<PostedTo | undefined> {
  if (isDirectMessage(target.channel)) return postMessage(client, target, message);
  await send('chat.postEphemeral', message, (content) =>
    client.chat.postEphemeral({ channel: target.channel, user: person, ...inThread(target), ...content }),
  );
  return undefined;
}

const inThread = ({ thread }: PostTarget) => (thread === undefined ? {} : { thread_ts: thread });

/** Slack's codes for a channel in which Tally, or the person, is not or may not write. */
const CANNOT_POST: ReadonlyMap<string, FailureOf<'cannot-post'>['data']['reason']> = new Map([
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

async function send<T>(method: string, message: Message, call: (content: Content) => Promise<T>): Promise<T> {
  try {
    return await sendOrSimplify(message, (given) => {
      const { text, blocks } = escapeMessageText(given);
      return callSlack(method, () => call({ text, blocks: JSON.stringify(blocks) as never }));
    });
  } catch (error) {
    const reason = isFailure(error, 'slack-failed') ? CANNOT_POST.get(error.data.code) : undefined;
    throw reason === undefined ? error : new Failure('cannot-post', { reason });
  }
}

/** When Slack refuses the blocks, sends once more without chart and table. */
export const sendOrSimplify = <T>(message: Message, attempt: (given: Message) => Promise<T>): Promise<T> =>
  attempt(message).catch((error: unknown) => {
    const simpler = isRefusal(error) ? withoutRichBlocks(message) : undefined;
    if (simpler === undefined) throw error;
    return attempt(simpler);
  });

/** A `response_url` may also say that the payload is invalid. */
const REFUSED_BLOCKS = /^invalid_(?:blocks|attachments|payload)/;

const isRefusal = (error: unknown): boolean =>
  isFailure(error, 'slack-failed') && REFUSED_BLOCKS.test(error.data.code);

/**
 * The same message without the blocks that Slack may refuse because they are new or not allowed: a chart becomes bars in a
 * line, a table monospaced text, whether it is folded away or not. Undefined when there is nothing to simplify.
 */
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
