import { pluralize } from '../domain/language/text.ts';
import { guardRead, isCluster, type RedisConnection } from '../redis/connect.ts';
import { createDeletion } from '../workspace/record/deletion.ts';
import { isUntouched, readCopy, writeCopy } from '../workspace/record/workspace-copy.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-index.ts';

export interface CopyParts {
  /** Only read. */
  readonly from: RedisConnection;
  readonly to: RedisConnection;
  /** Prints a line of progress. */
  readonly printLine: (line: string) => void;
}

type Outcome = 'copied' | 'same' | 'deleted' | 'changed in both';

const PROGRESS_INTERVAL = 1_000;
const MAX_EXAMPLES = 20;

/**
 * Copies every workspace to another Redis. A second run copies what changed since, so the first, long one can be made while
 * bots run on the old Redis, and the last, short one when they are stopped. What bots changed on the new one is never
 * overwritten.
 *
 * @returns whether both hold the same, or newer, now
 * @throws StoreUnavailable
 */
export async function copyWorkspaces({ from, to, printLine }: CopyParts): Promise<boolean> {
  const isRunning = await hasBots(to);
  if (isRunning === undefined)
    printLine('Redis doesn’t allow CLIENT LIST. Make sure that no bot runs on the new one.');
  if (isRunning) {
    printLine(
      'A bot already runs on the new Redis: a copy could bring back what was deleted there. Stop it first.',
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
  for await (const id of createWorkspaceIndex(from).list()) {
    seen.add(id);
    count(await copyWorkspace(from, to, id), id);
    if (seen.size % PROGRESS_INTERVAL === 0) printLine(`${seen.size} workspaces so far`);
  }
  for await (const id of createWorkspaceIndex(to).list())
    if (!seen.has(id)) {
      const outcome = await dropIfLeft(to, id);
      if (outcome !== undefined) count(outcome, id);
    }
  const of = (outcome: Outcome): number => counts.get(outcome) ?? 0;
  printLine(
    `${pluralize(of('copied'), 'workspace')} copied, ${of('same')} the same already, ${of('deleted')} deleted because they left.`,
  );
  if (await hasBots(from))
    printLine(
      'Bots still run on the old Redis. Stop them, and run this again before you start them on the new one.',
    );
  for (const id of conflicts) printLine(`${id} changed in both: the new Redis keeps its own.`);
  return conflicts.length === 0;
}

async function copyWorkspace(from: RedisConnection, to: RedisConnection, id: string): Promise<Outcome> {
  const [source, target] = [await readCopy(from, id), await readCopy(to, id)];
  if (source.digest === target.digest) return 'same';
  if (target.digest !== '' && !(await isUntouched(to, id, target.digest)))
    return (await isUntouched(to, id, source.digest)) ? 'same' : 'changed in both';
  if (source.digest === '') return (await dropIfLeft(to, id)) ?? 'same';
  await createWorkspaceIndex(to).touch(id);
  await writeCopy(to, id, source);
  return 'copied';
}

/** Where a workspace has left the old Redis since it was copied. Workspaces that only the new one knows stay. */
async function dropIfLeft(to: RedisConnection, id: string): Promise<Outcome | undefined> {
  const { digest } = await readCopy(to, id);
  if (!(await isUntouched(to, id, digest))) return undefined;
  await createDeletion({ redis: to }).workspace(id);
  return 'deleted';
}

/** BullMQ names each connection that waits for jobs after the prefix of its keys. */
const BOT = / name=\{tally-\d+\}:/;

/** Whether bots are connected to a Redis; undefined when Redis doesn't tell. @throws StoreUnavailable */
export async function hasBots(redis: RedisConnection): Promise<boolean | undefined> {
  const servers = isCluster(redis) ? redis.nodes('master') : [redis];
  try {
    const lists = await Promise.all(servers.map((server) => server.client('LIST')));
    return lists.some((list) => BOT.test(String(list)));
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return undefined;
    return guardRead(() => Promise.reject(error));
  }
}
