/** A workspace's delivery log: a record for every message that Tally sends on its own, and the state of each watch. */
import * as z from 'zod';
import { storedFailure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { DAY, HOUR, type Millis } from '../domain/time/calendar.ts';
import { evalInWorkspace, guardRead } from '../redis/commands.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { deliveryLogKey, recordKey } from '../redis/keys.ts';
import { tryParseRecord } from '../workspace/record/parse-record.ts';

/** First part of a message's key. */
export const MESSAGE_KINDS = ['post', 'alert', 'reminder', 'notice'] as const;
export type MessageKindName = (typeof MESSAGE_KINDS)[number];

const schema = z.object({
  /** Slack ID of a channel or a person. */
  to: z.string(),
  /** Content data; each kind has its own schema. */
  about: z.unknown(),
  /** `due`: not sent. `sending`: claimed, Slack may have it. `posted`: sent. `failed`: given up. */
  state: z.enum(['due', 'sending', 'posted', 'failed']),
  /** When it became due, was claimed, or ended. */
  at: z.int(),
  /** Failed attempts. */
  tries: z.int().default(0),
  /** When to send it, to retry, or (once posted) to update it. */
  next: z.int().exactOptional(),
  /** Where Slack has it, or may have it: for a person, the direct message. */
  channel: z.string().exactOptional(),
  ts: z.string().exactOptional(),
  /** Sent twice because nobody could tell whether the first arrived; the message says so. */
  isAgain: z.boolean().exactOptional(),
  /** Why it failed last. */
  cause: storedFailure.exactOptional(),
  /** Recipients who couldn't get it, and why the first couldn't. */
  insteadOf: z.object({ tried: z.array(z.string()).readonly(), cause: storedFailure }).exactOptional(),
});
type StoredMessage = Readonly<z.infer<typeof schema>>;

export interface MessageFormat<About> {
  readonly name: MessageKindName;
  readonly about: z.ZodType<About>;
}

export interface OutboxMessage<About = unknown> extends StoredMessage {
  /** `post/abcd1234/2026-11-20`: its field in the log, and how it is found in Slack. */
  readonly key: string;
  readonly about: About;
  /** The stored JSON; undefined if not stored yet. */
  readonly json: string | undefined;
}

/** @returns undefined if the field isn't a message */
export function parseMessage(key: string, json: string): OutboxMessage | undefined {
  if (!MESSAGE_KINDS.some((kind) => key.startsWith(`${kind}/`))) return undefined;
  // A damaged one counts as failed, so that nothing is sent twice.
  const stored = tryParseRecord(schema, json) ?? { to: '', about: {}, state: 'failed', at: 0, tries: 0 };
  return { ...stored, key, json };
}

const serialize = ({ key: _, json: __, ...stored }: OutboxMessage): string => JSON.stringify(stored);

/** Writes a message to the log if it is still as read. */
export const putMessage = (message: OutboxMessage) => ({
  ...{ name: message.key, before: message.json, after: serialize(message) },
});
export const dropMessage = ({ key, json }: OutboxMessage) => ({ name: key, before: json, after: undefined });

/** A message that isn't stored yet. */
export const newMessage = <About>(
  key: string,
  to: SlackId,
  about: About,
  at: Millis,
): OutboxMessage<About> => ({
  ...{ key, to, about, at },
  state: 'due',
  tries: 0,
  json: undefined,
});

/** After this, a killed process's Slack call has ended. */
export const SLACK_SETTLE: Millis = 20_000;
/** Upper limit for Slack's Retry-After. */
export const MAX_RETRY_DELAY: Millis = HOUR;

/** When to send or update it, according to its record; undefined for never. */
export function dueTime({ state, at, next }: OutboxMessage, now: Millis): Millis | undefined {
  // Longer than any planned wait: the clock was set back, so it is due now.
  const planned = next !== undefined && next - now > MAX_DELAY ? 0 : next;
  if (state === 'due') return planned ?? 0;
  if (state === 'sending') return Math.max(planned ?? 0, at + SLACK_SETTLE);
  return state === 'posted' ? planned : undefined;
}
const MAX_DELAY: Millis = 100 * HOUR;

export const messageKindOf = ({ key }: Pick<OutboxMessage, 'key'>): MessageKindName =>
  key.slice(0, key.indexOf('/')) as MessageKindName;

/** A workspace's delivery log, as read. */
export interface DeliveryLogSnapshot {
  /** The raw hash from Redis. */
  readonly fields: Readonly<Record<string, string>>;
  readonly messages: readonly OutboxMessage[];
  /** Messages of one kind, without damaged ones. */
  messagesOf<About>(kind: MessageFormat<About>): readonly OutboxMessage<About>[];
}

/** A compare-and-set of one field: a message, or a watch's state. */
export interface FieldWrite {
  readonly name: string;
  /** The JSON as read; undefined if absent. If it has changed, nothing is written. */
  readonly before: string | undefined;
  /** The new JSON; undefined deletes. */
  readonly after: string | undefined;
}

/** Another process wrote the same fields first, and may have done this work. The next run starts from the current state. */
export class OvertakenError extends Error {
  constructor() {
    super('Another process changed the same record.');
  }
}

/**
 * All messages that Tally sends on its own, and watch states: one hash per workspace. Every write checks what it read, so
 * that a hung or parallel process can't overwrite newer data. @throws store-unavailable from every method
 */
export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

/** Expires this long after its last use: longer than any schedule's interval. */
const LIFETIME = 100 * DAY;

/** Writes nothing for a workspace that was removed. */
const WRITE = `
local fields = cjson.decode(ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for _, field in ipairs(fields) do
  if redis.call('HGET', KEYS[2], field.name) ~= (field.before or false) then return 0 end
end
for _, field in ipairs(fields) do
  if field.after then redis.call('HSET', KEYS[2], field.name, field.after)
  else redis.call('HDEL', KEYS[2], field.name) end
end
redis.call('PEXPIRE', KEYS[2], ${LIFETIME})
return 1`;

export function createDeliveryLog(redis: RedisConnection) {
  return {
    async load(workspace: SlackId): Promise<DeliveryLogSnapshot> {
      return snapshotOf(await guardRead(() => redis.hgetall(deliveryLogKey(workspace))));
    },
    /** @returns false, with nothing written, if a field differs from its `before` or the workspace has left */
    async write(workspace: SlackId, fields: readonly FieldWrite[]): Promise<boolean> {
      const keys = [recordKey, deliveryLogKey];
      return (await evalInWorkspace(redis, workspace, WRITE, keys, JSON.stringify(fields))) === 1;
    },
  };
}

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
