/** The delivery log of a workspace: the record of everything that Tally sends without being asked, and the states of watches. */
import * as z from 'zod';
import { storedFailure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { DAY, HOUR, type Millis } from '../domain/time/calendar.ts';
import { evalInWorkspace, guardRead } from '../redis/commands.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { deliveryLogKey, FIELDS, recordKey, threadsKey, threadTimesKey } from '../redis/keys.ts';
import type { LastDelivery } from '../workspace/record/automation-records.ts';
import { tryParseRecord } from '../workspace/record/parse-record.ts';
import {
  LUA_REMEMBER,
  questionArguments,
  type ThreadPlace,
  type ThreadQuestion,
} from '../workspace/thread-store.ts';

/** The first part of a message's key. */
export const MESSAGE_KINDS = ['post', 'alert', 'reminder', 'notice'] as const;
export type MessageKindName = (typeof MESSAGE_KINDS)[number];

const schema = z.object({
  /** Slack ID of a channel or a person. */
  to: z.string(),
  /** What it says or is about: each kind has its own schema. */
  about: z.unknown(),
  /** `due`: not sent yet. `sending`: claimed, so Slack may have it. `posted`: Slack has it. The others are final. */
  state: z.enum(['due', 'sending', 'posted', 'skipped', 'failed']),
  /** In ms: when it became due, was claimed, or ended. */
  at: z.int(),
  /** How often it has failed. */
  tries: z.int().default(0),
  /** When it is sent (again) or, once it is posted, drawn again; in ms. */
  next: z.int().exactOptional(),
  /** Where Slack has it, or may have it: for a person, the direct message. */
  channel: z.string().exactOptional(),
  ts: z.string().exactOptional(),
  /** Sent again without knowing whether the first message arrived, so the conversation may show it twice. */
  isAgain: z.boolean().exactOptional(),
  /** Why it failed last. */
  cause: storedFailure.exactOptional(),
  /** Who it was meant for before: all who could not get it, and why the first one couldn't. */
  insteadOf: z.object({ tried: z.array(z.string()).readonly(), cause: storedFailure }).exactOptional(),
});
type StoredMessage = Readonly<z.infer<typeof schema>>;

/** How the messages of a kind are named and stored. */
export interface MessageFormat<About> {
  readonly name: MessageKindName;
  readonly about: z.ZodType<About>;
}

export interface OutboxMessage<About = unknown> extends StoredMessage {
  /** `post/abcd1234/2026-11-20`: its field in the log, and how it is found in Slack. */
  readonly key: string;
  readonly about: About;
  /** As it is stored; undefined for one that is planned and not stored yet. */
  readonly json: string | undefined;
}

/** @returns undefined for a field that is no message */
export function parseMessage(key: string, json: string): OutboxMessage | undefined {
  if (!MESSAGE_KINDS.some((kind) => key.startsWith(`${kind}/`))) return undefined;
  // A damaged one counts as failed, so that nothing is sent twice.
  const stored = tryParseRecord(schema, json) ?? { to: '', about: {}, state: 'failed', at: 0, tries: 0 };
  return { ...stored, key, json };
}

const serialize = ({ key: _, json: __, ...stored }: OutboxMessage): string => JSON.stringify(stored);

/** Stores a message in the delivery log in place of what was read of it, or deletes it. */
export const putMessage = (message: OutboxMessage) => ({
  ...{ name: message.key, before: message.json, after: serialize(message) },
});
export const dropMessage = ({ key, json }: OutboxMessage) => ({ name: key, before: json, after: undefined });

/** A message that is due and not stored yet. */
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

/** By then a Slack call of a killed process has ended; in ms. */
export const SLACK_SETTLE: Millis = 20_000;
/** The longest wait for Slack, even if it asks for more; in ms. */
export const MAX_RETRY_DELAY: Millis = HOUR;

/** When its record says that it is sent or drawn again, in ms; undefined for never. */
export function dueTime({ state, at, next }: OutboxMessage, now: Millis): Millis | undefined {
  // No wait is that long: the clock has gone back since it was stored.
  const planned = next !== undefined && next - now > MAX_DELAY ? 0 : next;
  if (state === 'due') return planned ?? 0;
  if (state === 'sending') return Math.max(planned ?? 0, at + SLACK_SETTLE);
  return state === 'posted' ? planned : undefined;
}
const MAX_DELAY: Millis = 100 * HOUR;

export const messageKindOf = ({ key }: Pick<OutboxMessage, 'key'>): MessageKindName =>
  key.slice(0, key.indexOf('/')) as MessageKindName;

/** The delivery log of a workspace as it was read. */
export interface DeliveryLogSnapshot {
  /** As Redis holds them. */
  readonly fields: Readonly<Record<string, string>>;
  readonly messages: readonly OutboxMessage[];
  /** Those of a kind, with what they are about; those whose record is damaged are left out. */
  messagesOf<About>(kind: MessageFormat<About>): readonly OutboxMessage<About>[];
  /** Slack limits the rate of this workspace until then, in ms. */
  readonly backOffUntil: Millis | undefined;
}

/** A field of the log: a message by its key, or the state of a watch. */
export interface FieldWrite {
  readonly name: string;
  /** The JSON before; undefined for none. Nothing is written if Redis holds another value at that moment. */
  readonly before: string | undefined;
  /** The JSON after; undefined deletes it. */
  readonly after: string | undefined;
}

/** What is written with fields, in the same step. */
export interface WriteConditions {
  /** Fields of the workspace's record with their values: nothing is written if one has changed. */
  readonly expected?: readonly { readonly field: string; readonly value: string | undefined }[];
  /** What follow-ups in its thread refer to from now on. */
  readonly question?: readonly [ThreadPlace, ThreadQuestion] | undefined;
  /** How the last delivery of a schedule ended, if the schedule still exists. */
  readonly lastDelivery?: readonly [schedule: string, LastDelivery] | undefined;
}

/** Another process wrote first: what this one was about to do may be done already. The next run reads what is true now. */
export class OvertakenError extends Error {
  constructor() {
    super('Another process changed the same record.');
  }
}

/**
 * Every message that Tally sends by itself, and the states of watches: one hash a workspace, removed with it. Each write
 * names what it read, so that a process that hung, or ran at the same time, overwrites nothing.
 *
 * @throws store-unavailable from each method
 */
export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

/** How long the log is kept after its last use, in ms: longer than any cadence's interval. */
const LIFETIME = 100 * DAY;

const BACK_OFF = 'quiet';

/** A workspace that has left gets no log again. A question that can't be stored, as its key is damaged, doesn't fail the rest. */
const WRITE = `${LUA_REMEMBER}
local write = cjson.decode(ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then return 'overtaken' end
for _, field in ipairs(write.fields) do
  if redis.call('HGET', KEYS[2], field.name) ~= (field.before or false) then return 'overtaken' end
end
for _, each in ipairs(write.expected) do
  if redis.call('HGET', KEYS[1], each.field) ~= (each.value or false) then return 'changed' end
end
for _, field in ipairs(write.fields) do
  if field.after then redis.call('HSET', KEYS[2], field.name, field.after)
  else redis.call('HDEL', KEYS[2], field.name) end
end
local last = write.lastDelivery
if last and redis.call('HEXISTS', KEYS[1], last.schedule) == 1 then
  redis.call('HSET', KEYS[1], last.field, last.json)
end
redis.call('PEXPIRE', KEYS[2], ${LIFETIME})
if write.question then pcall(remember, KEYS[3], KEYS[4], unpack(write.question)) end
return 'written'`;

export function createDeliveryLog(redis: RedisConnection) {
  const keys = [recordKey, deliveryLogKey, threadsKey, threadTimesKey];
  return {
    async load(workspace: SlackId): Promise<DeliveryLogSnapshot> {
      return snapshotOf(await guardRead(() => redis.hgetall(deliveryLogKey(workspace))));
    },
    /**
     * @returns `overtaken` if a field differs from its `before`, or the workspace has left; `changed` if the record
     * differs from `expected`; nothing is written then
     */
    async write(
      workspace: SlackId,
      fields: readonly FieldWrite[],
      { expected = [], question, lastDelivery }: WriteConditions = {},
    ): Promise<'written' | 'overtaken' | 'changed'> {
      const [schedule, last] = lastDelivery ?? [];
      const write = {
        ...{ fields, expected },
        question: question && questionArguments(...question, 'everybody'),
        lastDelivery: last && {
          schedule: FIELDS.schedule + schedule,
          ...{ field: FIELDS.sent + schedule, json: JSON.stringify(last) },
        },
      };
      const outcome = await evalInWorkspace(redis, workspace, WRITE, keys, JSON.stringify(write));
      return outcome as 'written' | 'overtaken' | 'changed';
    },
    /** Slack takes nothing from this workspace before `until`, in ms. */
    async backOff(workspace: SlackId, until: Millis): Promise<void> {
      await guardRead(() => redis.hset(deliveryLogKey(workspace), BACK_OFF, until));
    },
  };
}

function snapshotOf(fields: Readonly<Record<string, string>>): DeliveryLogSnapshot {
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
    backOffUntil: Number(fields[BACK_OFF]) || undefined,
  };
}
