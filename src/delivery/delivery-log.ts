/** A workspace's delivery log stores every message that Tally sends on its own, and the state of each watch. */
import * as z from 'zod';
import { storedFailureSchema } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { DAY, HOUR, type Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { deliveryLogKey } from '../redis/keys.ts';
import { guardRedis } from '../redis/outages.ts';
import { tryParseRecord } from '../workspace/record/record-schemas.ts';
import { writeHash } from '../workspace/record/workspace-store.ts';

export interface DeliveryLog {
  load(workspace: SlackId): Promise<DeliveryLogSnapshot>;
  /** @returns false, with nothing written, if a field differs from its `before` */
  write(workspace: SlackId, fields: readonly FieldWrite[]): Promise<boolean>;
}

export interface DeliveryLogSnapshot {
  /** The Redis hash as stored: field → JSON. */
  readonly fields: Readonly<Record<string, string>>;
  readonly messages: readonly OutboxMessage[];
  /** Leaves out messages whose `about` is damaged. */
  messagesOf<About>(kind: MessageFormat<About>): readonly OutboxMessage<About>[];
}

export interface FieldWrite {
  readonly name: string;
  /** The field's JSON as it was read; undefined if there was none. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Another process changed the delivery log after this one read it. The next run reads it again. */
export class OvertakenError extends Error {
  constructor() {
    super('Another process changed the same record.');
  }
}

/** A message's key begins with its kind: `post/…`. */
export const MESSAGE_KINDS = ['post', 'alert', 'reminder', 'notice'] as const;
export type MessageKindName = (typeof MESSAGE_KINDS)[number];

const schema = z.object({
  to: z.string(),
  /** The message's subject, whose schema depends on the kind of message. The text isn't stored. */
  about: z.unknown(),
  /** `due`: not sent yet. `sending`: Slack may have the message. `posted`: Slack has it. `failed`: Tally gave up. */
  state: z.enum(['due', 'sending', 'posted', 'failed']),
  at: z.int(),
  tries: z.int().default(0),
  /** When to send the message, or to update it once it is posted. */
  next: z.int().exactOptional(),
  /** The Slack channel that the message is in. A person gets it in the direct messages with Tally. */
  channel: z.string().exactOptional(),
  ts: z.string().exactOptional(),
  /** Tally sent the message twice, because it couldn't tell whether Slack had the first. The text mentions this. */
  isAgain: z.boolean().exactOptional(),
  cause: storedFailureSchema.exactOptional(),
  /** The recipients who couldn't get the message, and why the first of them couldn't. */
  insteadOf: z.object({ tried: z.array(z.string()).readonly(), cause: storedFailureSchema }).exactOptional(),
});
type StoredMessage = Readonly<z.infer<typeof schema>>;

export interface MessageFormat<About> {
  readonly name: MessageKindName;
  readonly about: z.ZodType<About>;
}

export interface OutboxMessage<About = unknown> extends StoredMessage {
  /** `post/abcd1234/2026-11-20`: the message's field in the log, and its metadata in Slack. */
  readonly key: string;
  readonly about: About;
  /** The message as stored in the log; undefined if it isn't stored yet. */
  readonly json: string | undefined;
}

export function parseMessage(key: string, json: string): OutboxMessage | undefined {
  if (!MESSAGE_KINDS.some((kind) => key.startsWith(`${kind}/`))) return undefined;
  // A damaged message may be in Slack already, so it counts as failed.
  const stored = tryParseRecord(schema, json) ?? { to: '', about: {}, state: 'failed', at: 0, tries: 0 };
  return { ...stored, key, json };
}

const serialize = ({ key: _, json: __, ...stored }: OutboxMessage): string => JSON.stringify(stored);

export const putMessage = (message: OutboxMessage) => ({
  name: message.key,
  before: message.json,
  after: serialize(message),
});
export const dropMessage = ({ key, json }: OutboxMessage) => ({ name: key, before: json, after: undefined });

export const newMessage = <About>(
  key: string,
  to: SlackId,
  about: About,
  at: Millis,
): OutboxMessage<About> => ({ key, to, about, at, state: 'due', tries: 0, json: undefined });

/** An interrupted call to Slack may still take effect for this long. */
export const SLACK_SETTLE: Millis = 20_000;

/** When to send or update a message; undefined for never. */
export function nextAttemptAt({ state, at, next }: OutboxMessage, now: Millis): Millis | undefined {
  // A longer wait means that the clock was set back. The message is due now.
  const planned = next !== undefined && next - now > MAX_DELAY ? 0 : next;
  if (state === 'due') return planned ?? 0;
  if (state === 'sending') return Math.max(planned ?? 0, at + SLACK_SETTLE);
  return state === 'posted' ? planned : undefined;
}
const MAX_DELAY: Millis = 100 * HOUR;

export const messageKindOf = ({ key }: Pick<OutboxMessage, 'key'>): MessageKindName =>
  key.slice(0, key.indexOf('/')) as MessageKindName;

/** Longer than any schedule waits between two posts. */
const LOG_LIFETIME = 100 * DAY;

export const createDeliveryLog = (redis: RedisConnection): DeliveryLog => ({
  load: async (workspace) => snapshotOf(await guardRedis(() => redis.hgetall(deliveryLogKey(workspace)))),
  write(workspace, fields) {
    const seen = Object.fromEntries(fields.map(({ name, before }) => [name, before]));
    const set = Object.fromEntries(
      fields.flatMap(({ name, after }) => (after === undefined ? [] : [[name, after]])),
    );
    const remove = fields.flatMap(({ name, after }) => (after === undefined ? [name] : []));
    return writeHash(redis, workspace, { seen, set, remove }, deliveryLogKey, LOG_LIFETIME);
  },
});

export function snapshotOf(fields: Readonly<Record<string, string>>): DeliveryLogSnapshot {
  const messages = Object.entries(fields).flatMap(([key, json]) => parseMessage(key, json) ?? []);
  const byKind = new Map<MessageKindName, readonly OutboxMessage[]>();
  return {
    fields,
    messages,
    messagesOf<About>({ name, about }: MessageFormat<About>) {
      const known = byKind.get(name);
      if (known !== undefined) return known as readonly OutboxMessage<About>[];
      const found = messages.flatMap((message) => {
        const { data, success } = messageKindOf(message) === name ? about.safeParse(message.about) : {};
        return success ? [{ ...message, about: data as About }] : [];
      });
      byKind.set(name, found);
      return found;
    },
  };
}
