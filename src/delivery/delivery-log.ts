/** A workspace's delivery log: a record for every message that Tally sends on its own, and the state of each watch. */
import * as z from 'zod';
import { storedFailure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { DAY, HOUR, type Millis } from '../domain/time/calendar.ts';
import { evalInWorkspace, guardRead } from '../redis/commands.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { deliveryLogKey, recordKey } from '../redis/keys.ts';
import { tryParseRecord } from '../workspace/record/parse-record.ts';

/** The kinds of messages. A message's key begins with its kind: `post/…`. */
export const MESSAGE_KINDS = ['post', 'alert', 'reminder', 'notice'] as const;
export type MessageKindName = (typeof MESSAGE_KINDS)[number];

const schema = z.object({
  /** The Slack ID of the channel or person that gets the message. */
  to: z.string(),
  /** What the message is about, in a form of its own for each kind; never the rendered text. */
  about: z.unknown(),
  /** `due`: not sent yet. `sending`: begun, so Slack may have it. `posted`: sent. `failed`: Tally gave up. */
  state: z.enum(['due', 'sending', 'posted', 'failed']),
  /** When the message entered its state: became due, began to be sent, was posted or given up. */
  at: z.int(),
  /** How many attempts to send it have failed. */
  tries: z.int().default(0),
  /** When to send it, to try again, or (once posted) to update it in Slack. */
  next: z.int().exactOptional(),
  /** The Slack channel where the message is or may be; for a person, the direct message with Tally. */
  channel: z.string().exactOptional(),
  ts: z.string().exactOptional(),
  /** The message was sent twice, because Tally couldn't tell whether the first arrived. Its text says so. */
  isAgain: z.boolean().exactOptional(),
  /** Why the last attempt failed. */
  cause: storedFailure.exactOptional(),
  /** The recipients who couldn't get the message, so that it went to another, and why the first couldn't. */
  insteadOf: z.object({ tried: z.array(z.string()).readonly(), cause: storedFailure }).exactOptional(),
});
type StoredMessage = Readonly<z.infer<typeof schema>>;

export interface MessageFormat<About> {
  readonly name: MessageKindName;
  readonly about: z.ZodType<About>;
}

export interface OutboxMessage<About = unknown> extends StoredMessage {
  /** `post/abcd1234/2026-11-20`: the message's field in the log, by which it is also found in Slack. */
  readonly key: string;
  readonly about: About;
  /** The message's JSON as stored in the log; undefined if it isn't stored yet. */
  readonly json: string | undefined;
}

/** @returns undefined if this field of the log isn't a message */
export function parseMessage(key: string, json: string): OutboxMessage | undefined {
  if (!MESSAGE_KINDS.some((kind) => key.startsWith(`${kind}/`))) return undefined;
  // A damaged message counts as failed, so that nothing is sent twice.
  const stored = tryParseRecord(schema, json) ?? { to: '', about: {}, state: 'failed', at: 0, tries: 0 };
  return { ...stored, key, json };
}

const serialize = ({ key: _, json: __, ...stored }: OutboxMessage): string => JSON.stringify(stored);

/** Writes a message to the log, unless the log has changed since the message was read. */
export const putMessage = (message: OutboxMessage) => ({
  name: message.key,
  before: message.json,
  after: serialize(message),
});
export const dropMessage = ({ key, json }: OutboxMessage) => ({ name: key, before: json, after: undefined });

/** Makes a message that isn't stored in the log yet. */
export const newMessage = <About>(
  key: string,
  to: SlackId,
  about: About,
  at: Millis,
): OutboxMessage<About> => ({ key, to, about, at, state: 'due', tries: 0, json: undefined });

/** How long after it began a Slack call has surely ended, even if the process that made it was killed. */
export const SLACK_SETTLE: Millis = 20_000;
/** The longest that Tally waits when Slack's Retry-After asks it to. */
export const MAX_RETRY_DELAY: Millis = HOUR;

/** When to send or update a message, according to its record; undefined for never. */
export function dueTime({ state, at, next }: OutboxMessage, now: Millis): Millis | undefined {
  // A wait longer than any planned one means that the clock was set back: the message is due now.
  const planned = next !== undefined && next - now > MAX_DELAY ? 0 : next;
  if (state === 'due') return planned ?? 0;
  if (state === 'sending') return Math.max(planned ?? 0, at + SLACK_SETTLE);
  return state === 'posted' ? planned : undefined;
}
const MAX_DELAY: Millis = 100 * HOUR;

export const messageKindOf = ({ key }: Pick<OutboxMessage, 'key'>): MessageKindName =>
  key.slice(0, key.indexOf('/')) as MessageKindName;

/** A workspace's delivery log as it was read. */
export interface DeliveryLogSnapshot {
  /** The raw hash from Redis: field → JSON. */
  readonly fields: Readonly<Record<string, string>>;
  readonly messages: readonly OutboxMessage[];
  /** The messages of one kind, without those whose data is damaged. */
  messagesOf<About>(kind: MessageFormat<About>): readonly OutboxMessage<About>[];
}

/** A change of one field of the log, a message or a watch's state, made only if nobody else has changed it. */
export interface FieldWrite {
  readonly name: string;
  /** The field's JSON as it was read; undefined if there was none. If it has changed since, nothing is written. */
  readonly before: string | undefined;
  /** The field's new JSON; undefined deletes the field. */
  readonly after: string | undefined;
}

/** Another process wrote these fields first, and may have done this work. The next run reads what it wrote. */
export class OvertakenError extends Error {
  constructor() {
    super('Another process changed the same record.');
  }
}

/**
 * All messages that Tally sends on its own, and watch states: one hash per workspace. A field that changed after it was
 * read isn't written, so a hung or parallel process can't overwrite it. @throws store-unavailable from every method
 */
export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

/** An unused log expires after this time, which is longer than any schedule's interval. */
const LIFETIME = 100 * DAY;

/** A Redis script that writes fields if none has changed. It writes nothing for a workspace that was removed. */
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
    /** @returns false, with nothing written, if a field differs from its `before` or the workspace was removed */
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
