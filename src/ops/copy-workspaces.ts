import { pluralize } from '../domain/language/text.ts';
import { BOT_CONNECTION, isCluster, type RedisConnection } from '../redis/connect.ts';
import { guardRead } from '../redis/guard.ts';
import { createDeletion } from '../workspace/record/deletion.ts';
import {
  digestOf,
  dumpWorkspace,
  isUntouched,
  type WorkspaceDump,
  writeDump,
} from '../workspace/record/workspace-dump.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-index.ts';

type Outcome = 'copied' | 'same' | 'deleted' | 'changed in both';

const PROGRESS_INTERVAL = 1_000;
const MAX_EXAMPLES = 20;

/** Every workspace of a Redis. @throws StoreUnavailable */
export async function* loadWorkspaces(redis: RedisConnection): AsyncGenerator<WorkspaceDump, void> {
  for await (const id of createWorkspaceIndex(redis).list()) yield dumpWorkspace(redis, id);
}

/**
 * Copies every workspace to a Redis. A second run copies what changed since, so the first, long one can be made while
 * bots run on the old Redis, and the last, short one when they are stopped. What bots changed on the new one is not
 * overwritten unless that is asked for.
 *
 * @param printLine prints a line of progress
 * @param replaces whether also what bots changed there is replaced or deleted
 * @returns whether both hold the same, or newer, now
 * @throws StoreUnavailable
 */
export async function copyWorkspaces(
  from: AsyncIterable<WorkspaceDump>,
  to: RedisConnection,
  printLine: (line: string) => void,
  replaces = false,
): Promise<boolean> {
  const isRunning = await hasBots(to);
  if (isRunning === undefined)
    printLine('Redis doesn’t allow CLIENT LIST. Make sure that no bot runs on it.');
  if (isRunning) {
    printLine(
      'A bot runs on the Redis in REDIS_URL: this could bring back what was deleted there. Stop it first.',
    );
    return false;
  }
  const counts = new Map<Outcome, number>();
  const conflicts: string[] = [];
  const seen = new Set<string>();
  const count = (outcome: Outcome, id: string): void => {
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    if (outcome === 'changed in both' && conflicts.length < MAX_EXAMPLES) conflicts.push(id);
  };
  for await (const source of from) {
    seen.add(source.id);
    count(await copyWorkspace(source, to, replaces), source.id);
    if (seen.size % PROGRESS_INTERVAL === 0) printLine(`${seen.size} workspaces so far`);
  }
  for await (const id of createWorkspaceIndex(to).list())
    if (!seen.has(id)) {
      const outcome = await dropIfLeft(to, id, replaces);
      if (outcome !== undefined) count(outcome, id);
    }
  const of = (outcome: Outcome): number => counts.get(outcome) ?? 0;
  printLine(
    `${pluralize(of('copied'), 'workspace')} copied, ${of('same')} already the same, ${of('deleted')} deleted because they’re not in the source.`,
  );
  for (const id of conflicts) printLine(`${id} changed in both: the new Redis keeps its own.`);
  return conflicts.length === 0;
}

async function copyWorkspace(
  source: WorkspaceDump,
  to: RedisConnection,
  replaces: boolean,
): Promise<Outcome> {
  const { id } = source;
  const [digest, current] = [digestOf(source), digestOf(await dumpWorkspace(to, id))];
  if (digest === current) return 'same';
  if (!replaces && current !== '' && !(await isUntouched(to, id, current)))
    return (await isUntouched(to, id, digest)) ? 'same' : 'changed in both';
  if (digest === '') return (await dropIfLeft(to, id, replaces)) ?? 'same';
  await createWorkspaceIndex(to).touch(id);
  await writeDump(to, source);
  return 'copied';
}

/** Where a workspace has left the source since it was copied. Workspaces that only the new Redis knows stay. */
async function dropIfLeft(to: RedisConnection, id: string, replaces: boolean): Promise<Outcome | undefined> {
  if (!replaces && !(await isCopy(to, id))) return undefined;
  await createDeletion({ redis: to }).workspace(id);
  return 'deleted';
}

/** Whether nothing was changed since it was copied there. @throws StoreUnavailable */
export const isCopy = async (to: RedisConnection, id: string): Promise<boolean> =>
  isUntouched(to, id, digestOf(await dumpWorkspace(to, id)));

/** Whether bots are connected to a Redis; undefined when Redis doesn't tell. @throws StoreUnavailable */
export async function hasBots(redis: RedisConnection): Promise<boolean | undefined> {
  const servers = isCluster(redis) ? redis.nodes('master') : [redis];
  try {
    const lists = await Promise.all(servers.map((server) => server.client('LIST')));
    // Another database of the same server may have a bot of its own.
    const isBot =
      ({ options: { db = 0 } }: (typeof servers)[number]) =>
      (line: string) =>
        line.includes(` name=${BOT_CONNECTION} `) && line.includes(` db=${db} `);
    return servers.some((server, at) => String(lists[at]).split('\n').some(isBot(server)));
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return undefined;
    return guardRead(() => Promise.reject(error));
  }
}
