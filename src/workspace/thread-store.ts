import * as z from 'zod';
import type { SlashCommand } from '../domain/command-names.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { DAY, type Millis } from '../domain/time/calendar.ts';
import { tryParseJson } from '../domain/try-parse.ts';
import { evalInWorkspace, guardRead } from '../redis/commands.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { auditKey, recordKey, threadsKey, threadTimesKey } from '../redis/keys.ts';

/** The commands after whose answer people can ask a follow-up in the thread. */
export const FOLLOW_UP_COMMANDS: ReadonlySet<SlashCommand> = new Set(['/spend', '/balance']);

const schema = z.object({
  command: z.custom<SlashCommand>((value) => FOLLOW_UP_COMMANDS.has(value as SlashCommand)),
  /** The question as a command with projects, periods and products, without figures or other text that was typed. */
  text: z.string(),
  /** When the question was asked, in ms. Periods such as `last-week` are relative to this time. */
  at: z.int(),
  /** The project ID that each alias in the question had at that time. */
  ids: z.record(z.string(), z.string()),
});

/** A question about figures that was asked in a thread. */
export type ThreadQuestion = Readonly<z.infer<typeof schema>>;

/** A thread, or a message that can start one. */
export interface ThreadPlace {
  readonly workspace: SlackId;
  readonly channel: SlackId;
  /** `ts` of its first message; '' for a new direct message, which has no history. */
  readonly thread: string;
  /** The person who asks; absent for messages that Tally sends to everyone on its own. */
  readonly person?: SlackId;
  /** Whether the message is a reply in an existing thread. */
  readonly isReply?: boolean;
}

/** Who saw the answer: `everybody`, or the `person` who asked; `failed` if there was only an error, for that person. */
export type ThreadOutcome = 'everybody' | 'person' | 'failed';

/** The last questions of each thread, for follow-ups. Each method is one round trip. @throws store-unavailable */
export type ThreadStore = ReturnType<typeof createThreadStore>;

export const THREAD_LIFETIME = 30 * DAY;
/** The most questions kept per workspace. The oldest are deleted. */
const MOST_QUESTIONS = 2_000;

/** Lua: stores a question and deletes expired ones. If nothing is written for long, Redis deletes the keys. */
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

const fieldOf = ({ channel, thread, person }: ThreadPlace, outcome: ThreadOutcome): string =>
  JSON.stringify([channel, thread, ...(outcome === 'everybody' ? [] : [person, outcome])]);

export function createThreadStore(redis: RedisConnection) {
  return {
    /** Stores a question, unless the workspace was removed. */
    async remember(place: ThreadPlace, question: ThreadQuestion, outcome: ThreadOutcome): Promise<void> {
      const { workspace } = place;
      const keys = [threadsKey, threadTimesKey, recordKey, auditKey];
      const args = [fieldOf(place, outcome), JSON.stringify(question), question.at];
      await evalInWorkspace(redis, workspace, REMEMBER, keys, ...args);
    },
    /**
     * What a person's follow-up can refer to: `answered`, the last question whose answer the person saw; `failed`, the
     * person's last question, if it failed after that. @param at now
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

/** @returns undefined if there is no question, or if it is too old or was stored by a newer Tally version */
function parseQuestion(value: string | null | undefined, now: Millis): ThreadQuestion | undefined {
  const { data } = schema.safeParse(tryParseJson(value ?? ''));
  return data !== undefined && data.at > now - THREAD_LIFETIME ? data : undefined;
}
