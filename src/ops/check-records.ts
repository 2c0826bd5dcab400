import { commandText } from '../domain/commands.ts';
import { UnsealFailed } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { recordKey } from '../redis/keys.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-index.ts';
import { type Finding, failedFinding, okFinding } from './finding.ts';

const ABOUT = 'Sealed records';
const MAX_WORKSPACES = 1_000;

/**
 * Opens what is sealed in a field and discards it.
 *
 * @returns whether the field holds something sealed
 * @throws UnsealFailed when it does not open
 */
export type SealCheck = (workspace: SlackId, field: string, value: string) => boolean;

type Outcome = 'opens' | UnsealFailed['reason'];

/**
 * Opens every sealed record of up to 1,000 workspaces.
 *
 * @returns no finding when Redis is unreachable: the check of Redis reports that
 */
export async function checkRecords(
  ready: Promise<RedisConnection>,
  opens: SealCheck,
): Promise<readonly Finding[]> {
  const redis = await ready.catch(() => undefined);
  if (redis === undefined) return [];
  const { workspaces, isComplete } = await listWorkspaces(redis);
  const outcomes: Outcome[] = [];
  for (const workspace of workspaces) {
    const fields = Object.entries(await redis.hgetall(recordKey(workspace)));
    outcomes.push(
      ...fields.flatMap(([field, value]) => outcomeOf(() => opens(workspace, field, value)) ?? []),
    );
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

function outcomeOf(opens: () => boolean): Outcome | undefined {
  try {
    return opens() ? 'opens' : undefined;
  } catch (error) {
    if (error instanceof UnsealFailed) return error.reason;
    throw error;
  }
}
