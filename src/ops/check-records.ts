import { commandText } from '../domain/commands.ts';
import { UnsealFailed } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { recordKey } from '../redis/keys.ts';
import type { Keyring } from '../vault/keyring.ts';
import { reseal } from '../vault/reseal.ts';
import { sealOwnerOfField } from '../workspace/credentials/sealed-fields.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-index.ts';
import { type Finding, failedFinding, okFinding } from './finding.ts';

const ABOUT = 'Sealed records';
const MAX_WORKSPACES = 1_000;

type Outcome = 'opens' | UnsealFailed['reason'];

/**
 * Opens every sealed record of up to 1,000 workspaces.
 *
 * @returns no finding when Redis is unreachable: the check of Redis reports that
 */
export async function checkRecords(
  ready: Promise<RedisConnection>,
  keyring: Keyring,
): Promise<readonly Finding[]> {
  const redis = await ready.catch(() => undefined);
  if (redis === undefined) return [];
  const { workspaces, isComplete } = await listWorkspaces(redis);
  const outcomes: Outcome[] = [];
  for (const workspace of workspaces) {
    const fields = Object.entries(await redis.hgetall(recordKey(workspace)));
    outcomes.push(...fields.flatMap(([field, value]) => outcomeOf(keyring, workspace, field, value) ?? []));
  }
  return findingsOf(outcomes, isComplete);
}

function findingsOf(outcomes: readonly Outcome[], isComplete: boolean): readonly Finding[] {
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  const total = outcomes.length;
  const withoutKey = count('unknown-key');
  const damaged = count('malformed') + count('not-authentic');
  return [
    ...(withoutKey > 0
      ? [
          failedFinding(
            ABOUT,
            `${withoutKey} of ${total} need a key that is not in ENCRYPTION_KEYS`,
            `Add that key after the newest one. If it is lost, register those tokens again with ${commandText('/billing connect')}, or install Tally again.`,
          ),
        ]
      : []),
    ...(damaged > 0
      ? [
          failedFinding(
            ABOUT,
            `${damaged} of ${total} are damaged or moved, or their key was replaced under the same name`,
            'Give a replaced key a new name. Register or install again what is damaged; npm run tally -- reseal lists it.',
          ),
        ]
      : []),
    ...(count('opens') === total
      ? [okFinding(ABOUT, `all ${total} open${isComplete ? '' : ' (only a part was checked)'}`)]
      : []),
  ];
}

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
function outcomeOf(keyring: Keyring, workspace: SlackId, field: string, value: string): Outcome | undefined {
  try {
    const owner = sealOwnerOfField(workspace, field, value);
    if (owner === undefined) return undefined;
    reseal(keyring, owner, value);
    return 'opens';
  } catch (error) {
    if (error instanceof UnsealFailed) return error.reason;
    throw error;
  }
}
