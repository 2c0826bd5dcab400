/** Tally's own pauses of a schedule: whether one is over, what it rests on, and when the schedule is retried. */
import { isFailure } from '../../domain/failure/index.ts';
import { type PauseReason, resumesByItself, type Schedule } from '../../workspace/owned/schedule-record.ts';
import { findNamed } from '../../workspace/projects/chosen-project.ts';
import { isShownTo } from '../../workspace/projects/project-visibility.ts';
import type { AuditAction } from '../../workspace/record/audit.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { DeliveryContext } from '../delivery-run.ts';
import type { DeliveryLogSnapshot } from '../log/delivery-log.ts';
import type { DatedLogEntry } from '../log/delivery-log-entry.ts';

/** `probing`: Tally paused it and probes from time to time whether it works again. */
export type RunState = 'runs' | 'paused' | 'probing' | 'resumes';

export function runStateOf(
  schedule: Schedule,
  lines: readonly DatedLogEntry[],
  workspace: Workspace,
): RunState {
  const { paused } = schedule;
  if (paused === undefined) return 'runs';
  if (!resumesByItself(paused.why)) return 'paused';
  if (paused.basis !== undefined && pauseBasis(paused.why, schedule, workspace) !== paused.basis)
    return 'resumes';
  const isOut = lines.some(
    ({ entry: { state, at } }) => ['posted', 'skipped'].includes(state) && at > paused.at,
  );
  return isOut ? 'resumes' : 'probing';
}

/** When what a paused schedule needs last worked, in ms; the schedule is then retried at once. */
export function lastSuccess(schedule: Schedule, workspace: Workspace, snapshot: DeliveryLogSnapshot): number {
  const byHand = workspace.lastSent(schedule.id)?.byHand ?? 0;
  switch (schedule.paused?.why) {
    case 'token-rejected':
      return Math.max(
        byHand,
        ...connectionsOf(schedule, workspace).map((name) => workspace.lastUsed(name) ?? 0),
      );
    case 'app-removed':
      return Math.max(byHand, snapshot.lastPost() ?? 0);
    default:
      return Math.max(byHand, snapshot.lastPost(schedule.channel) ?? 0);
  }
}

/** What a pause depends on, as text: once it differs, the schedule resumes. Undefined when it depends on no record. */
function pauseBasis(why: PauseReason, schedule: Schedule, workspace: Workspace): string | undefined {
  if (why === 'token-rejected' || why === 'not-connected') return fingerprintsOf(schedule, workspace);
  if (why !== 'project-limited') return undefined;
  const scope = { channel: schedule.channel, isUnlimited: false };
  return schedule.projects.every((project) => isShownTo(project, workspace, scope)) ? 'open' : 'limited';
}

/** Names of the connections that the projects are asked by, in their order; '' for none. */
export function connectionsOf({ projects }: Pick<Schedule, 'projects'>, workspace: Workspace): string[] {
  return projects.map(
    (project) => findNamed(project, workspace)?.connection ?? workspace.defaultConnection ?? '',
  );
}

/** `main 0123456789ab, storage -`: the connections of its projects, with the fingerprints of their tokens. */
function fingerprintsOf(schedule: Schedule, workspace: Workspace): string {
  const fingerprintOf = (name: string) => workspace.connections.get(name)?.fingerprint ?? '-';
  return [...new Set(connectionsOf(schedule, workspace))]
    .map((name) => `${name} ${fingerprintOf(name)}`)
    .join(', ');
}

export async function pauseSchedule(
  schedule: Schedule,
  why: PauseReason,
  context: DeliveryContext,
): Promise<void> {
  const basis = pauseBasis(why, schedule, context.workspace);
  const paused = { why, at: context.clock(), ...(basis !== undefined && { basis }) };
  await saveSchedule({ ...schedule, paused }, 'schedule paused', context);
}

export const resumePausedSchedule = ({ paused: _, ...schedule }: Schedule, context: DeliveryContext) =>
  saveSchedule(schedule, 'schedule resumed', context);

/** The audit trail's name for Tally itself. */
const TALLY = 'tally';

/** If the schedule was changed since it was read, the change wins and the next pass reads it. */
async function saveSchedule(
  schedule: Schedule,
  action: AuditAction,
  { workspace, workspaces, clock }: DeliveryContext,
): Promise<void> {
  const about = { kind: 'schedule', item: workspaces.schedules.serialize(schedule) } as const;
  const entries = [{ at: clock(), who: TALLY, action, about }];
  try {
    await workspaces.schedules.save({ workspace, entries }, schedule);
  } catch (error) {
    if (!isFailure(error, 'edit-conflict')) throw error;
  }
}
