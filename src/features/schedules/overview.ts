/** Schedules on the pages that show other things as well: Home and `/billing status`. */
import type { Block } from '../../slack/kit/atoms.ts';
import { homeRows, statusRows } from '../../slack/owned/list.ts';
import { visibleItems } from '../../slack/owned/owned-kind.ts';
import type { Request } from '../../slack/request/request.ts';
import type { LastDelivery, Schedule } from '../../workspace/owned/schedules.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { StatusPart } from '../feature.ts';
import { isRunning, isStuck } from './blocks.ts';
import type { OwnedSchedules } from './kind.ts';
import type { UpcomingSendsOf } from './upcoming-sends.ts';

/** For a person's Home: the schedules they own; for managers all of them. */
export async function scheduleHomeBlocks(kind: OwnedSchedules, request: Request): Promise<readonly Block[]> {
  const sends = await kind.load(request);
  const here = { ...request, channel: undefined };
  return homeRows(kind, byNeed(visibleItems(kind, here), request.workspace, sends), here, sends);
}

/** For `/billing status`: how many there are, then those that are stuck or failed, then the next ones. */
export async function scheduleStatus(kind: OwnedSchedules, request: Request): Promise<readonly StatusPart[]> {
  const sends = await kind.load(request);
  const all = visibleItems(kind, request);
  if (all.length === 0) return [];
  const { workspace } = request;
  const running = all.filter((schedule) => isRunning(schedule, workspace));
  const stuck = all.filter((schedule) => isStuck(schedule, workspace));
  const cameTo = (result: LastDelivery['result']) =>
    running.filter(({ id }) => workspace.lastSent(id)?.result === result);
  const [failing, trying] = [cameTo('failed'), cameTo('trying')];
  const paused = all.length - running.length - stuck.length;
  const counts = [
    `${running.length} running`,
    ...(paused > 0 ? [`${paused} paused`] : []),
    ...(stuck.length > 0 ? [`*${stuck.length} paused by Tally*`] : []),
    ...(trying.length > 0 ? [`*${trying.length} not posted yet*`] : []),
    ...(failing.length > 0 ? [`*${failing.length} failed last time*`] : []),
  ];
  const broken = stuck.length + failing.length;
  const blocks = statusRows(kind, counts, byNeed(all, workspace, sends), request, sends);
  const health = broken > 0 ? 'broken' : trying.length > 0 ? 'warning' : 'fine';
  return [{ health, problems: broken + trying.length, blocks }];
}

/** Order: paused by Tally, failed or retried, the others by their next post, paused by a person. */
function byNeed(
  schedules: readonly Schedule[],
  workspace: Workspace,
  sends: UpcomingSendsOf,
): readonly Schedule[] {
  const rankOf = (schedule: Schedule): number => {
    if (!isRunning(schedule, workspace)) return isStuck(schedule, workspace) ? 0 : 3;
    const result = workspace.lastSent(schedule.id)?.result;
    return result === 'failed' || result === 'trying' ? 1 : 2;
  };
  return schedules
    .map((schedule) => ({
      schedule,
      rank: rankOf(schedule),
      due: sends(schedule).next[0]?.at ?? Infinity,
    }))
    .toSorted((a, b) => a.rank - b.rank || a.due - b.due)
    .map(({ schedule }) => schedule);
}
