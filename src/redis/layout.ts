import { NewerRecords } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { RedisConnection } from './connect.ts';
import { guardRead, guardWrite } from './guard.ts';
import { type KeyOf, LAYOUT_KEY, recordKey } from './keys.ts';
import { newerRecords } from './store-events.ts';

/**
 * The number of the layout of everything that Redis holds of a workspace. It rises only with a change that the version before
 * would misread or destroy; a further field or record doesn't need that. A process never writes where a newer layout was
 * written: each script compares first, and each record says which layout wrote it. Absent means 1, which 1.0.0 wrote.
 */
export const LAYOUT: number = 2;

/** The field of a record with the number of the layout that wrote it. */
export const LAYOUT_FIELD = 'layout';

/** `KEYS[#KEYS]` is the workspace's record. */
const COMPARE = `
local stamp = redis.call('HGET', KEYS[#KEYS], '${LAYOUT_FIELD}')
if stamp and tonumber(stamp) > ${LAYOUT} then return redis.error_reply('NEWERLAYOUT ' .. stamp) end`;
const STAMP = `
if stamp ~= '${LAYOUT}' and redis.call('EXISTS', KEYS[#KEYS]) == 1 then
  redis.call('HSET', KEYS[#KEYS], '${LAYOUT_FIELD}', '${LAYOUT}')
end`;
const withLayout = (script: string): string => {
  const known = scripts.get(script);
  if (known !== undefined) return known;
  const whole = `${COMPARE}\nlocal function run()\n${script}\nend\nlocal result = run()${STAMP}\nreturn result`;
  scripts.set(script, whole);
  return whole;
};
/** Each script is one text for the whole process: joining it for each call would copy it. */
const scripts = new Map<string, string>();

/** Connections to a Redis that a newer version works on: nothing of any workspace is read or written there any more. */
const outdated = new WeakSet<RedisConnection>();

/** From now on every request fails with `NewerRecords`. */
export const refuseWorkspaces = (redis: RedisConnection): void => void outdated.add(redis);

function requireCurrent(redis: RedisConnection): void {
  if (outdated.has(redis)) throw new NewerRecords();
}

type ScriptCall = readonly [
  redis: RedisConnection,
  workspace: SlackId,
  script: string,
  /** The keys of that workspace or organization, each by its ID. */
  keys: readonly KeyOf[],
  ...args: readonly (string | number)[],
];

async function evalScript(...[redis, workspace, script, keys, ...args]: ScriptCall): Promise<unknown> {
  requireCurrent(redis);
  const names = [...keys, recordKey].map((key) => key(workspace));
  return redis.eval(withLayout(script), names.length, ...names, ...args);
}

/**
 * Runs a script that writes something of a workspace: this and `commitInWorkspace` are the only ways to do so. Nothing is
 * written if a newer version has written there.
 *
 * @throws StoreUnavailable, NewerRecords
 */
export const evalInWorkspace = (...call: ScriptCall): Promise<unknown> =>
  guardRead(() => evalScript(...call));

/** The same for a change that somebody waits for. @throws StoreUnavailable, `unsure` if it may have been made although its answer was lost */
export const commitInWorkspace = (...call: ScriptCall): Promise<unknown> =>
  guardWrite(() => evalScript(...call));

/** Runs one command that writes a key of a workspace: see `evalInWorkspace`. @throws StoreUnavailable */
export const writeInWorkspace = (
  redis: RedisConnection,
  workspace: SlackId,
  command: 'HSET' | 'HDEL' | 'SREM',
  key: KeyOf,
  ...args: readonly string[]
): Promise<unknown> => evalInWorkspace(redis, workspace, COMMAND, [key], command, ...args);

const COMMAND = 'return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))';

const REPLACE = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

/**
 * Replaces a field of a workspace’s record at once, unless it has another value now: what was written since must not be overwritten.
 *
 * @returns whether it was replaced
 * @throws StoreUnavailable
 */
export const replaceField = async (
  redis: RedisConnection,
  workspace: SlackId,
  field: string,
  before: string,
  after: string,
): Promise<boolean> =>
  (await evalInWorkspace(redis, workspace, REPLACE, [recordKey], field, before, after)) === 1;

/** Deletes keys of a workspace. @throws StoreUnavailable */
export const unlinkInWorkspace = (
  redis: RedisConnection,
  workspace: SlackId,
  keys: readonly KeyOf[],
): Promise<unknown> => evalInWorkspace(redis, workspace, "return redis.call('UNLINK', unpack(KEYS))", keys);

/** The record of a workspace, without its stamp. @throws StoreUnavailable */
export async function loadRecord(
  redis: RedisConnection,
  workspace: SlackId,
): Promise<Readonly<Record<string, string>>> {
  requireCurrent(redis);
  const record = await guardRead(() => redis.hgetall(recordKey(workspace)));
  const stamp = record[LAYOUT_FIELD];
  if (stamp === undefined) return record;
  if (Number(stamp) > LAYOUT) throw newerRecords();
  const { [LAYOUT_FIELD]: _, ...fields } = record;
  return fields;
}

/** What the newest version that ever ran on a Redis left there. */
export interface LayoutMark {
  readonly layout: number;
  readonly version: string;
}

/** @returns the mark of a version that is too new for this one; undefined if there is none @throws StoreUnavailable */
export async function findNewerLayout(redis: RedisConnection): Promise<LayoutMark | undefined> {
  const mark = await guardRead(() => redis.get(LAYOUT_KEY));
  const [, layout = '1', version = ''] = /^(\d+) ([\w.+-]+)$/.exec(mark ?? '') ?? [];
  return Number(layout) > LAYOUT ? { layout: Number(layout), version } : undefined;
}

const MARK = `
local layout = tonumber(string.match(redis.call('GET', KEYS[1]) or '1', '^%d+'))
if layout < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2]) end
return 1`;

/** Marks a Redis: bots of an older layout don't start there again. @throws StoreUnavailable */
export async function markLayout(redis: RedisConnection, version: string): Promise<void> {
  await guardRead(() => redis.eval(MARK, 1, LAYOUT_KEY, LAYOUT, version));
}
