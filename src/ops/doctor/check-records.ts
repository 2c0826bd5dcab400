import { NewerRecords, StoreUnavailable, UnsealFailed } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { storeErrorKind } from '../../redis/errors.ts';
import { findNewerLayout, readRecord } from '../../redis/layout.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { findKey, reseal } from '../../vault/reseal.ts';
import { sealOwnerOfField } from '../../workspace/credentials/sealed-fields.ts';
import { createWorkspaceIndex } from '../../workspace/record/workspace-index.ts';
import { newerRecordsFinding } from '../newer-records.ts';
import { findingOf } from './causes.ts';
import { type Finding, okFinding } from './finding.ts';

const CHECK = 'Sealed records';
const MAX_WORKSPACES = 1_000;

/** Why a record doesn't open: the code, the name of its key, and of the key that opens it all the same. */
interface Shut {
  readonly code: string;
  readonly id: string;
  readonly other: string;
}

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
  let total = 0;
  const shut: Shut[] = [];
  try {
    const newer = await findNewerLayout(redis);
    if (newer !== undefined) return [newerRecordsFinding(newer)];
    const { workspaces, isComplete } = await listWorkspaces(redis);
    for (const workspace of workspaces) {
      for (const [field, value] of Object.entries(await readRecord(redis, workspace))) {
        const outcome = open(keyring, workspace, field, value);
        if (outcome !== undefined) total += 1;
        if (typeof outcome === 'object') shut.push(outcome);
      }
    }
    if (shut.length === 0)
      return [okFinding(CHECK, `all ${total} open${isComplete ? '' : ' (only a part was checked)'}`)];
  } catch (error) {
    if (error instanceof NewerRecords) return [newerRecordsFinding()];
    if (isOfRedis(error)) return [];
    throw error;
  }
  const ids = keyIds.map((id) => `${id}:…`).join(',');
  const kinds = new Map(shut.map((each) => [JSON.stringify(each), each]));
  return [...kinds].map(([kind, { code, id, other }]) => {
    const count = shut.filter((each) => JSON.stringify(each) === kind).length;
    return findingOf('RECORDS', CHECK, code, {
      ...{ count: String(count), total: String(total) },
      ...{ id, other, ids },
    });
  });
}

/** Whether it is about Redis, not about a record. */
const isOfRedis = (error: unknown): boolean =>
  error instanceof StoreUnavailable ||
  storeErrorKind(error) !== undefined ||
  (error instanceof Error && error.name === 'ReplyError');

async function listWorkspaces(
  redis: RedisConnection,
): Promise<{ workspaces: readonly SlackId[]; isComplete: boolean }> {
  const workspaces: string[] = [];
  for await (const workspace of createWorkspaceIndex(redis).list()) {
    if (workspaces.length === MAX_WORKSPACES) return { workspaces, isComplete: false };
    workspaces.push(workspace);
  }
  return { workspaces, isComplete: true };
}

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
