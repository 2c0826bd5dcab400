/** Watches on the pages that show other things as well: Home and `/billing status`. */
import type { Block } from '../../slack/kit/atoms.ts';
import { homeRows, itemRow, statusRows } from '../../slack/owned/list.ts';
import { visibleItems } from '../../slack/owned/owned-kind.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import type { StatusPart } from '../feature.ts';
import { isStopped } from './blocks.ts';
import type { OwnedWatches, StateOf } from './kind.ts';

/** Tally could not check it, or could not send its alert. */
function hasProblem(watch: Watch, stateOf: StateOf): boolean {
  const { problem, undelivered } = stateOf(watch) ?? {};
  return problem !== undefined || undelivered !== undefined;
}

const isCrossed = (watch: Watch, stateOf: StateOf): boolean =>
  watch.paused === undefined && (stateOf(watch)?.isCrossed ?? false);

/** Those that need attention first. */
function byNeed(kind: OwnedWatches, viewer: Request, stateOf: StateOf): readonly Watch[] {
  const rank = (watch: Watch): number => {
    if (watch.paused !== undefined) return 3;
    if (isStopped(watch, viewer.workspace) || hasProblem(watch, stateOf)) return 1;
    return isCrossed(watch, stateOf) ? 0 : 2;
  };
  return visibleItems(kind, viewer).toSorted((a, b) => rank(a) - rank(b));
}

/** For the top of a person's Home: watches that have crossed their threshold. */
export async function crossedBlocks(kind: OwnedWatches, request: Request): Promise<readonly Block[]> {
  const viewer = { ...request, channel: undefined };
  const details = await kind.load(viewer);
  const crossed = byNeed(kind, viewer, details).filter((watch) => isCrossed(watch, details));
  return crossed.slice(0, MOST_CROSSED).map((watch) => itemRow(kind, watch, { viewer, details }));
}

/** The others are in the list below. */
const MOST_CROSSED = 3;

/** For a person's Home: their watches and those that alert them; for managers all of them. */
export async function watchHomeBlocks(kind: OwnedWatches, request: Request): Promise<readonly Block[]> {
  const viewer = { ...request, channel: undefined };
  const stateOf = await kind.load(viewer);
  const all = byNeed(kind, viewer, stateOf);
  const crossed = all.filter((watch) => isCrossed(watch, stateOf));
  const calm = all.filter((watch) => !isCrossed(watch, stateOf));
  return homeRows(kind, [...crossed.slice(MOST_CROSSED), ...calm], viewer, stateOf);
}

/** For `/billing status`: how many there are, and those that cannot do their work. */
export async function watchStatus(kind: OwnedWatches, request: Request): Promise<readonly StatusPart[]> {
  const stateOf = await kind.load(request);
  const all = byNeed(kind, request, stateOf);
  if (all.length === 0) return [];
  const active = all.filter(({ paused }) => paused === undefined);
  const stopped = active.filter((watch) => isStopped(watch, request.workspace));
  const running = active.filter((watch) => !stopped.includes(watch));
  const stuck = [...stopped, ...running.filter((watch) => hasProblem(watch, stateOf))];
  const crossed = running.filter((watch) => isCrossed(watch, stateOf));
  const paused = all.length - active.length;
  const counts = [
    `${running.length} running`,
    ...(paused > 0 ? [`${paused} paused`] : []),
    ...(crossed.length > 0 ? [`*${crossed.length} crossed*`] : []),
    ...(stopped.length > 0 ? [`*${stopped.length} paused by Tally*`] : []),
    ...(stuck.length > stopped.length ? [`*${stuck.length - stopped.length} with a problem*`] : []),
  ];
  const blocks = statusRows(kind, counts, stuck, request, stateOf);
  return [{ health: stuck.length > 0 ? 'broken' : 'fine', problems: stuck.length, blocks }];
}
