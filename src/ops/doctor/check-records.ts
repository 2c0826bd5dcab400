import { StoreUnavailable, UnsealFailed } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { storeErrorKind } from '../../redis/errors.ts';
import { guardRead } from '../../redis/guard.ts';
import { KEY_TYPES, recordKey } from '../../redis/keys.ts';
import { OtherLayout, requireLayout } from '../../redis/layout.ts';
import { findKey, type Keyring, reseal } from '../../vault/keyring.ts';
import { sealOwnerOfField } from '../../workspace/credentials/sealed-fields.ts';
import { createWorkspaceParser } from '../../workspace/record/parse-workspace.ts';
import { createWorkspaceIndex } from '../../workspace/record/workspace-index.ts';
import { findingOf } from './causes.ts';
import { type Finding, okFinding } from './finding.ts';

const CHECK = 'Sealed records';
const MAX_WORKSPACES = 1_000;
/** How many records that can't be read are named. */
const MAX_NAMED = 5;

/** Opens sealed values, one workspace after the other, and counts those that don’t open. @param keyIds of the keyring, newest first */
export function inspectRecords(keyring: Keyring, keyIds: readonly string[]) {
  let total = 0;
  const shut = new Map<string, number>();
  return {
    /** @param fields of its record */
    add(workspace: SlackId, fields: Iterable<readonly [field: string, value: string]>): void {
      for (const [field, value] of fields) {
        const outcome = open(keyring, workspace, field, value);
        if (outcome === undefined) continue;
        total += 1;
        const kind = JSON.stringify(outcome);
        if (outcome !== 'opens') shut.set(kind, (shut.get(kind) ?? 0) + 1);
      }
    },
    total: () => total,
    /** Whether any of them opens. */
    anyOpens: () => total > [...shut.values()].reduce((sum, count) => sum + count, 0),
    /** A finding for each reason. @param place where the values are */
    findings(place: 'RECORDS' | 'BACKUP' = 'RECORDS'): readonly Finding[] {
      const ids = keyIds.map((id) => `${id}:…`).join(',');
      return [...shut].map(([kind, count]) => {
        const { code, id, other } = JSON.parse(kind) as Shut;
        const figures = { count: String(count), total: String(total), id, other, ids };
        return findingOf(place, CHECK, code, figures);
      });
    },
  };
}

/** Why a record doesn't open: the code, the name of its key, and of the key that opens it all the same. */
type Shut = Readonly<Record<'code' | 'id' | 'other', string>>;

/**
 * Opens every sealed record of up to 1,000 workspaces.
 *
 * @param keyIds of the keyring, newest first
 *
 * @returns no finding when Redis can't be read: the check of Redis reports that
 */
export async function checkRecords(
  ready: Promise<RedisConnection>,
  keyring: Keyring,
  keyIds: readonly string[],
): Promise<readonly Finding[]> {
  const redis = await ready.catch(() => undefined);
  if (redis === undefined) return [];
  const inspection = inspectRecords(keyring, keyIds);
  try {
    await requireLayout(redis);
    const { workspaces, isComplete } = await listWorkspaces(redis);
    const parse = createWorkspaceParser(keyring);
    const unreadable: string[] = [];
    const foreign: string[] = [];
    for (const workspace of workspaces) {
      const wrong = await findWrongTypes(redis, workspace);
      foreign.push(...wrong);
      if (wrong.includes(recordKey(workspace))) continue;
      const fields = await guardRead(() => redis.hgetall(recordKey(workspace)));
      inspection.add(workspace, Object.entries(fields));
      for (const { kind, id } of parse(workspace, fields).damaged)
        if (kind === 'settings') unreadable.push(`${workspace} ${kind}`);
        else if (kind !== 'connection' && kind !== 'access') unreadable.push(`${workspace} ${kind}:${id}`);
    }
    const findings = [...inspection.findings()];
    if (unreadable.length > 0)
      findings.push(findingOf('RECORDS', 'Records', 'unreadable', { records: nameSome(unreadable) }));
    if (foreign.length > 0) {
      const figures = { keys: nameSome(foreign), key: `'${foreign[0]}'` };
      findings.push(findingOf('RECORDS', 'Records', 'wrong type', figures));
    }
    if (findings.length > 0) return findings;
    const part = isComplete ? '' : ' (only a part was checked)';
    const total = inspection.total();
    const says = total === 0 ? 'none yet' : `all ${total} open`;
    return [okFinding(CHECK, `${says}${part}`)];
  } catch (error) {
    if (error instanceof OtherLayout) return [findingOf('RECORDS', 'Records', 'layout', {})];
    if (storeErrorKind(error instanceof StoreUnavailable ? error.cause : error) === 'wrong-type')
      return [findingOf('RECORDS', CHECK, 'WRONGTYPE', {})];
    if (isOfRedis(error)) return [];
    throw error;
  }
}

const nameSome = (names: readonly string[]): string => {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`;
};

/** The workspace's keys that another program has written. */
async function findWrongTypes(redis: RedisConnection, workspace: SlackId): Promise<readonly string[]> {
  const keys = [...KEY_TYPES].map(async ([keyOf, type]) => {
    const found = await guardRead(() => redis.type(keyOf(workspace)));
    return found === type || found === 'none' ? [] : [keyOf(workspace)];
  });
  return (await Promise.all(keys)).flat();
}

/** Whether it is about Redis, not about a record. */
const isOfRedis = (error: unknown): boolean =>
  error instanceof StoreUnavailable ||
  storeErrorKind(error) !== undefined ||
  (error instanceof Error && error.name === 'ReplyError');

export async function listWorkspaces(
  redis: RedisConnection,
): Promise<{ workspaces: readonly SlackId[]; isComplete: boolean }> {
  const workspaces: string[] = [];
  for await (const workspace of createWorkspaceIndex(redis).list()) {
    if (workspaces.length === MAX_WORKSPACES) return { workspaces, isComplete: false };
    workspaces.push(workspace);
  }
  return { workspaces, isComplete: true };
}

/** Whether a field holds something sealed that the keys don't open. */
export const isShut = (...parameters: Parameters<typeof open>): boolean =>
  typeof open(...parameters) === 'object';

/** @returns undefined for a field that holds nothing sealed */
function open(
  keyring: Keyring,
  workspace: SlackId,
  field: string,
  value: string,
): Shut | 'opens' | undefined {
  try {
    const owner = sealOwnerOfField(workspace, field, value);
    if (owner === undefined) return undefined;
    try {
      reseal(keyring, owner, value);
      return 'opens';
    } catch (error) {
      if (!(error instanceof UnsealFailed) || error.reason === 'malformed') throw error;
      const { id = '…', opensWith: other = '' } = findKey(keyring, owner, value);
      if (other === '') return { code: error.reason, id, other };
      if (error.reason === 'unknown-key') return { code: 'renamed', id, other };
      const [first = '', second = ''] = [id, other].sort();
      return { code: 'swapped', id: first, other: second };
    }
  } catch (error) {
    if (error instanceof UnsealFailed) return { code: error.reason, id: error.keyId ?? '…', other: '' };
    throw error;
  }
}
