/** The last questions of each thread, for follow-ups. */
import * as z from 'zod';
import { canFollowUp, type SlashCommand } from '../domain/command-names.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { DAY, type Millis } from '../domain/time/calendar.ts';
import { tryParseJson } from '../domain/try-parse.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { auditKey, recordKey, threadsKey, threadTimesKey } from '../redis/keys.ts';
import { evalInWorkspace, guardRedis } from '../redis/outages.ts';

const schema = z.object({
  command: z.custom<SlashCommand>((value) => canFollowUp(value as SlashCommand)),
  /** A command with projects, periods and products, without figures or other words that the person typed. */
  text: z.string(),
  /** Periods such as `last-week` are relative to this time. */
  at: z.int(),
  /** The project ID that each alias in the question had at that time. */
  ids: z.record(z.string(), z.string()),
});

export type ThreadQuestion = Readonly<z.infer<typeof schema>>;

export type AskedQuestion = Omit<ThreadQuestion, 'at'>;

/** A thread, or a message that can start one. */
export interface ThreadPlace {
  readonly workspace: SlackId;
  readonly channel: SlackId;
  /** The `ts` of the thread's first message; '' for a new direct message, which has no history. */
  readonly thread: string;
  /** The answer's only reader; absent if everyone sees it. */
  readonly person?: SlackId | undefined;
  readonly isReply?: boolean;
}

/** @throws store-unavailable from every method */
export interface ThreadStore {
  remember(place: ThreadPlace, question: ThreadQuestion): Promise<void>;
  /** @returns the last question whose answer the person saw */
  recall(place: ThreadPlace, at: Millis): Promise<ThreadQuestion | undefined>;
}

export const THREAD_LIFETIME = 30 * DAY;
const MOST_QUESTIONS = 2_000;

/** Lua: stores a question, deletes expired questions, and lets the keys expire if nothing more is written. */
const REMEMBER = `
if redis.call('EXISTS', KEYS[3], KEYS[4]) == 0 then return 0 end
local questions, times, field, question, at = KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3]
redis.call('HSET', questions, field, question)
redis.call('ZADD', times, at, field)
local old = redis.call('ZRANGEBYSCORE', times, '-inf', at - ${THREAD_LIFETIME})
for _, first in ipairs(redis.call('ZRANGE', times, 0, ${-1 - MOST_QUESTIONS})) do old[#old + 1] = first end
for _, each in ipairs(old) do
  redis.call('HDEL', questions, each)
  redis.call('ZREM', times, each)
end
redis.call('PEXPIRE', questions, ${THREAD_LIFETIME})
redis.call('PEXPIRE', times, ${THREAD_LIFETIME})
return 1`;

const fieldOf = ({ channel, thread, person }: ThreadPlace): string =>
  JSON.stringify([channel, thread, ...(person === undefined ? [] : [person])]);

export const createThreadStore = (redis: RedisConnection): ThreadStore => ({
  async remember(place, question) {
    const keys = [threadsKey, threadTimesKey, recordKey, auditKey];
    const args = [fieldOf(place), JSON.stringify(question), question.at];
    await evalInWorkspace(redis, place.workspace, REMEMBER, keys, ...args);
  },
  async recall(place, at) {
    const fields = [fieldOf({ ...place, person: undefined }), fieldOf(place)];
    const values = await guardRedis(() => redis.hmget(threadsKey(place.workspace), ...fields));
    const [toAll, toPerson] = values.map((value) => parseQuestion(value, at));
    return (toAll?.at ?? 0) > (toPerson?.at ?? 0) ? toAll : toPerson;
  },
});

/** @returns undefined if there is no question, if it is too old, or if a newer version of Tally stored it */
function parseQuestion(value: string | null | undefined, now: Millis): ThreadQuestion | undefined {
  const { data } = schema.safeParse(tryParseJson(value ?? ''));
  return data !== undefined && data.at > now - THREAD_LIFETIME ? data : undefined;
}
