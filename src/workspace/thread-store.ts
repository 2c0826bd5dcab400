import * as z from 'zod';
import type { SlashCommand } from '../domain/command-names.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { DAY, type Millis } from '../domain/time/calendar.ts';
import { tryParseJson } from '../domain/try-parse.ts';
import { evalInWorkspace, guardRead } from '../redis/commands.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { auditKey, recordKey, threadsKey, threadTimesKey } from '../redis/keys.ts';

/** The commands that follow-ups can refer to. */
export const FOLLOW_UP_COMMANDS: ReadonlySet<SlashCommand> = new Set(['/spend', '/balance']);

const schema = z.object({
  command: z.custom<SlashCommand>((value) => FOLLOW_UP_COMMANDS.has(value as SlashCommand)),
  /** The question in canonical words: names or IDs of projects, periods, products. No figures, nothing else that was typed. */
  text: z.string(),
  /** When it was asked, in ms: its days are those that its period meant then. */
  at: z.int(),
  /** The ID that each alias in the text had then. */
  ids: z.record(z.string(), z.string()),
});

/** A question about figures that was asked in a thread. */
export type ThreadQuestion = Readonly<z.infer<typeof schema>>;

/** A thread, or one that an answer may begin. */
export interface ThreadPlace {
  readonly workspace: SlackId;
  readonly channel: SlackId;
  /** `ts` of the thread's first message; '' for a new message in a direct message, which remembers nothing. */
  readonly thread: string;
  /** Who asks there; absent for what Tally sends by itself, to everybody. */
  readonly person?: SlackId;
  /** Whether something was said there before. */
  readonly isReply?: boolean;
}

/** Who saw the answer: everybody in the thread, or this person; or that it failed, which only this person saw. */
export type ThreadOutcome = 'everybody' | 'person' | 'failed';

/**
 * The last questions in each thread, so that the next one can leave out what they had. Each method is one round trip.
 * @throws store-unavailable from each
 */
export type ThreadStore = ReturnType<typeof createThreadStore>;

export const THREAD_LIFETIME = 30 * DAY;
/** The most threads that are remembered for a workspace; the oldest are dropped first. */
const MOST_QUESTIONS = 2_000;

/**
 * Remembers a question in `threadsKey` and `threadTimesKey`, as `questionArguments` gives it. Each has its own age: the
 * next write deletes what is too old, and the keys expire without a write.
 */
export const LUA_REMEMBER = `
local function remember(questions, times, field, question, at)
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
end`;

const REMEMBER = `${LUA_REMEMBER}
if redis.call('EXISTS', KEYS[3], KEYS[4]) == 0 then return 0 end
remember(KEYS[1], KEYS[2], unpack(ARGV))
return 1`;

export const questionArguments = (place: ThreadPlace, question: ThreadQuestion, outcome: ThreadOutcome) => [
  fieldOf(place, outcome),
  JSON.stringify(question),
  String(question.at),
];

const fieldOf = ({ channel, thread, person }: ThreadPlace, outcome: ThreadOutcome): string =>
  JSON.stringify([channel, thread, ...(outcome === 'everybody' ? [] : [person, outcome])]);

export function createThreadStore(redis: RedisConnection) {
  return {
    /** Does nothing for a workspace that left. */
    async remember(place: ThreadPlace, question: ThreadQuestion, outcome: ThreadOutcome): Promise<void> {
      const { workspace } = place;
      const keys = [threadsKey, threadTimesKey, recordKey, auditKey];
      const args = questionArguments(place, question, outcome);
      await evalInWorkspace(redis, workspace, REMEMBER, keys, ...args);
    },
    /**
     * What this person may refer to: `answered` is the last one with an answer that this person saw, `failed` the last one
     * of this person, if it failed after that. @param at now, in ms
     */
    async recall(place: ThreadPlace, at: Millis) {
      const outcomes: readonly ThreadOutcome[] = ['everybody', 'person', 'failed'];
      const fields = outcomes.map((outcome) => fieldOf(place, outcome));
      const values = await guardRead(() => redis.hmget(threadsKey(place.workspace), ...fields));
      const [toAll, toPerson, failed] = values.map((value) => parseQuestion(value, at));
      const answered = (toAll?.at ?? 0) > (toPerson?.at ?? 0) ? toAll : toPerson;
      return { answered, failed: (failed?.at ?? 0) > (answered?.at ?? 0) ? failed : undefined };
    },
  };
}

/** @returns undefined for none, one that is too old, and one of a later version of Tally */
function parseQuestion(value: string | null | undefined, now: Millis): ThreadQuestion | undefined {
  const { data } = schema.safeParse(tryParseJson(value ?? ''));
  return data !== undefined && data.at > now - THREAD_LIFETIME ? data : undefined;
}
