import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import { DAY, type Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { guardRead } from '../../redis/guard.ts';
import { openStepsKey, shardOf, shardsOf } from '../../redis/keys.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { tryParseRecord } from '../record/parse-record.ts';

/** One run of a workflow's step, as Slack sent it. */
export interface StepExecution {
  readonly workspace: SlackId;
  readonly id: string;
  /** When it arrived, in ms. */
  readonly at: Millis;
  readonly step: string;
  readonly app: string;
  /** Outside text: people may have put a secret into it. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** An execution whose process did not end it. */
export interface LeftStep extends Pick<StepExecution, 'workspace' | 'id' | 'at'> {
  /** @throws UnsealFailed */
  readonly open: () => StepExecution;
}

/** `claimed` until then, in ms, by the process that works on it; `sealed`, because its inputs may hold a secret. */
const stored = z.object({ at: z.int(), claimed: z.int(), sealed: z.string() });

/** How long a process has for a step: longer than the retries of billing and Slack's rate limit together take, in ms. */
const STEP_CLAIM: Millis = 90_000;
/** How long an open step is kept; if no process has ended it in that time, none will. */
const LIFETIME = DAY;

const KEEP = `
if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;
const CLAIM = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

/**
 * The steps of workflows from their acknowledgement to their end: Slack sends an acknowledged step to nobody else, so another
 * process ends those of one that died.
 *
 * @throws StoreUnavailable from each method
 */
export type OpenSteps = ReturnType<typeof createOpenSteps>;

export function createOpenSteps(redis: RedisConnection, keyring: Keyring) {
  const keyFor = (workspace: SlackId) => openStepsKey(shardOf(redis, workspace));
  const fieldOf = ({ workspace, id }: Pick<StepExecution, 'workspace' | 'id'>) => `${workspace} ${id}`;
  const ownerOf = (workspace: SlackId, id: string) => ({ workspace, kind: 'workflow-step', id });
  const run = (script: string, workspace: SlackId, ...args: readonly (string | number)[]) =>
    guardRead(() => redis.eval(script, 1, keyFor(workspace), ...args));

  /** Takes over a step whose claim is over. @returns undefined if another process did, or has it still */
  const claim = async (field: string, value: string, now: Millis): Promise<LeftStep | undefined> => {
    const [workspace = '', id = ''] = field.split(' ');
    const record = tryParseRecord(stored, value);
    if (record !== undefined && record.claimed > now) return undefined;
    const { at, sealed } = record ?? { at: now, sealed: '' };
    const next = JSON.stringify({ at, claimed: now + STEP_CLAIM, sealed });
    if ((await run(CLAIM, workspace, field, value, next)) !== 1) return undefined;
    const open = (): StepExecution => JSON.parse(keyring.open(sealed, ownerOf(workspace, id)));
    return { workspace, id, at, open };
  };

  return {
    /** Stores a step before Slack gets its acknowledgement. @returns false if it is stored already */
    async keep(execution: StepExecution): Promise<boolean> {
      const { workspace, id, at } = execution;
      const sealed = keyring.seal(JSON.stringify(execution), ownerOf(workspace, id));
      const value = JSON.stringify({ at, claimed: at + STEP_CLAIM, sealed });
      return (await run(KEEP, workspace, fieldOf(execution), value, LIFETIME)) === 1;
    },
    async drop(execution: Pick<StepExecution, 'workspace' | 'id'>): Promise<void> {
      await guardRead(() => redis.hdel(keyFor(execution.workspace), fieldOf(execution)));
    },
    /** @returns steps whose process ended; each goes to one caller only */
    async takeOver(now: Millis): Promise<readonly LeftStep[]> {
      const all = await Promise.all(
        shardsOf(redis).map((shard) => guardRead(() => redis.hgetall(openStepsKey(shard)))),
      );
      const claims = all.flatMap(Object.entries).map(([field, value]) => claim(field, value, now));
      return (await Promise.all(claims)).filter((step) => step !== undefined);
    },
    /** Deletes what is kept for a workspace that uninstalled. */
    async forget(workspace: SlackId): Promise<void> {
      const fields = Object.keys(await guardRead(() => redis.hgetall(keyFor(workspace))));
      const own = fields.filter((field) => field.startsWith(`${workspace} `));
      if (own.length > 0) await guardRead(() => redis.hdel(keyFor(workspace), ...own));
    },
  };
}
