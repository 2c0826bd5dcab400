import type { SlackId } from '../domain/slack-id.ts';
import { DAY, type Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { evalInWorkspace, guardRead } from '../redis/guard.ts';
import { deliveryLogKey, FIELDS, recordKey, threadsKey, threadTimesKey } from '../redis/keys.ts';
import type { LastDelivery } from '../workspace/record/automation-records.ts';
import {
  LUA_REMEMBER,
  questionArguments,
  type ThreadPlace,
  type ThreadQuestion,
} from '../workspace/thread-store.ts';
import { type OutboxMessage, parseMessage } from './outbox/message.ts';

/** The delivery log of a workspace as it was read. */
export interface DeliveryLogSnapshot {
  /** As Redis holds them. */
  readonly fields: Readonly<Record<string, string>>;
  readonly messages: readonly OutboxMessage[];
  /** When this channel (any channel if none is given) was last posted to, in ms. */
  lastPost(channel?: SlackId): Millis | undefined;
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
  /** A field of the workspace's record with its value: nothing is written if the value has changed. */
  readonly expected?: { readonly field: string; readonly value: string | undefined };
  readonly posted?: { readonly channel: SlackId; readonly at: Millis };
  /** What follow-ups in its thread refer to from now on. */
  readonly questions?: readonly (readonly [ThreadPlace, ThreadQuestion])[] | undefined;
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

const CHANNEL = 'channel/';
const BACK_OFF = 'quiet';

/** A workspace that has left gets no log again. Questions that can't be stored, as their key is damaged, don't fail the rest. */
const WRITE = `${LUA_REMEMBER}
local write = cjson.decode(ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then return 'overtaken' end
for _, field in ipairs(write.fields) do
  if redis.call('HGET', KEYS[2], field.name) ~= (field.before or false) then return 'overtaken' end
end
local expected, last = write.expected, write.lastDelivery
if expected and redis.call('HGET', KEYS[1], expected.field) ~= (expected.value or false) then return 'changed' end
for _, field in ipairs(write.fields) do
  if field.after then redis.call('HSET', KEYS[2], field.name, field.after)
  else redis.call('HDEL', KEYS[2], field.name) end
end
if write.posted then redis.call('HSET', KEYS[2], unpack(write.posted)) end
if last and redis.call('HEXISTS', KEYS[1], last.schedule) == 1 then
  redis.call('HSET', KEYS[1], last.field, last.json)
end
redis.call('PEXPIRE', KEYS[2], ${LIFETIME})
for _, question in ipairs(write.questions) do pcall(remember, KEYS[3], KEYS[4], unpack(question)) end
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
      { expected, posted, questions = [], lastDelivery }: WriteConditions = {},
    ): Promise<'written' | 'overtaken' | 'changed'> {
      const [schedule, last] = lastDelivery ?? [];
      const write = {
        ...{ fields, expected },
        posted: posted && [CHANNEL + posted.channel, String(posted.at)],
        questions: questions.map((asked) => questionArguments(...asked, 'everybody')),
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
  let messages: readonly OutboxMessage[] | undefined;
  const entries = Object.entries(fields);
  const number = (field: string): number | undefined => {
    const value = Number(fields[field]);
    return Number.isSafeInteger(value) ? value : undefined;
  };
  return {
    fields,
    get messages() {
      messages ??= entries.flatMap(([key, json]) => parseMessage(key, json) ?? []);
      return messages;
    },
    lastPost(channel) {
      if (channel !== undefined) return number(CHANNEL + channel);
      const posted = entries.flatMap(([field]) => (field.startsWith(CHANNEL) ? (number(field) ?? 0) : []));
      return posted.length === 0 ? undefined : Math.max(...posted);
    },
    backOffUntil: number(BACK_OFF),
  };
}
