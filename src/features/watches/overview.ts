/** Watches on the pages that show other things as well: Home and `/billing status`. */

import { commandText } from '../../domain/commands.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { actions, type Block, button, context, header, markup } from '../../slack/kit/atoms.ts';
import { findOrphans } from '../../slack/owned/ownership.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { StatusPart } from '../feature.ts';
import { isStopped } from './blocks.ts';
import type { WatchesParts } from './draft-view.ts';
import { watchRow } from './list.ts';
import { canReadWatch, channelOfWatch, watchesVisibleTo } from './permissions.ts';

const MOST_AT_HOME = 10;

type WatchStates = Awaited<ReturnType<WatchesParts['watching']['readStates']>>;

/** Cached by record, because each request has its own, and Home shows watches twice. */
const statesOfRequest = new WeakMap<Workspace, Promise<WatchStates>>();

function readStatesOnce(watching: WatchesParts['watching'], workspace: Workspace): Promise<WatchStates> {
  if (workspace.watches.length === 0) return Promise.resolve(new Map());
  const states = statesOfRequest.get(workspace) ?? watching.readStates(workspace);
  statesOfRequest.set(workspace, states);
  return states;
}

/** The watches for a page with other content; those that need attention first. */
async function loadWatches({ watching }: WatchesParts, request: Request, channel?: SlackId) {
  const here = { ...request, channel };
  const states = await readStatesOnce(watching, request.workspace);
  const stateOf = (watch: Watch) => (canReadWatch(watch, here) ? states.get(watch.id) : undefined);
  const rank = (watch: Watch): number => {
    const state = stateOf(watch);
    if (watch.paused !== undefined) return 3;
    if (isStopped(watch, request.workspace)) return 1;
    if (state?.problem !== undefined || state?.undelivered !== undefined) return 1;
    return state?.isCrossed ? 0 : 2;
  };
  const all = watchesVisibleTo(here).toSorted((a, b) => rank(a) - rank(b));
  return { all, stateOf, viewer: here };
}

/** For the top of a person's Home: watches that have crossed their threshold. */
export async function crossedBlocks(parts: WatchesParts, request: Request): Promise<readonly Block[]> {
  const { all, stateOf, viewer } = await loadWatches(parts, request);
  const crossed = all.filter((one) => one.paused === undefined && stateOf(one)?.isCrossed);
  const none = () => false;
  return crossed.slice(0, MOST_CROSSED).map((one) => watchRow(one, { ...viewer, stateOf, isOrphan: none }));
}

/** The others are in the list below. */
const MOST_CROSSED = 3;

/** For a person's Home: their watches and those that alert them; for managers all of them. */
export async function watchHomeBlocks(parts: WatchesParts, request: Request): Promise<readonly Block[]> {
  const { all, stateOf, viewer } = await loadWatches(parts, request);
  const calm = all.filter((one) => one.paused !== undefined || !stateOf(one)?.isCrossed);
  const rest = [...all.filter((one) => !calm.includes(one)).slice(MOST_CROSSED), ...calm];
  if (rest.length === 0) return [];
  const shown = rest.slice(0, MOST_AT_HOME);
  const isOrphan = await findOrphans(shown, channelOfWatch, request);
  const more = rest.length - shown.length;
  return [
    header('Watches'),
    ...shown.map((one) => watchRow(one, { ...viewer, stateOf, isOrphan })),
    ...(more > 0 ? [context(`and ${more} more: \`${commandText('/billing watches')}\``)] : []),
  ];
}

/** For `/billing status`: how many there are, and those that cannot do their work. */
export async function watchStatus(parts: WatchesParts, request: Request): Promise<readonly StatusPart[]> {
  const { all, stateOf } = await loadWatches(parts, request, request.channel);
  if (all.length === 0) return [];
  const active = all.filter(({ paused }) => paused === undefined);
  const stopped = active.filter((one) => isStopped(one, request.workspace));
  const running = active.filter((one) => !stopped.includes(one));
  const isStuck = (watch: Watch): boolean => {
    const state = stateOf(watch);
    return state?.problem !== undefined || state?.undelivered !== undefined;
  };
  const stuck = [...stopped, ...running.filter(isStuck)];
  const crossed = running.filter((one) => stateOf(one)?.isCrossed);
  const paused = all.length - active.length;
  const counts = [
    `${running.length} running`,
    ...(paused > 0 ? [`${paused} paused`] : []),
    ...(crossed.length > 0 ? [`*${crossed.length} crossed*`] : []),
    ...(stopped.length > 0 ? [`*${stopped.length} paused by Tally*`] : []),
    ...(stuck.length > stopped.length ? [`*${stuck.length - stopped.length} with a problem*`] : []),
  ];
  const shown = stuck.slice(0, MOST_IN_STATUS);
  const viewer = { ...request, stateOf, isOrphan: () => false };
  return [
    {
      health: stuck.length > 0 ? 'broken' : 'fine',
      problems: stuck.length,
      blocks: [
        markup(`*Watches* · ${counts.join(' · ')}`),
        ...shown.map((one) => watchRow(one, viewer)),
        actions(button('watch-list', 'All watches')),
      ],
    },
  ];
}

/** The list has them all. */
const MOST_IN_STATUS = 5;
