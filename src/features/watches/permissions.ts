import { NotAllowed } from '../../domain/failure/index.ts';
import { canEditOwned, isFullMember } from '../../slack/ownership.ts';
import { askLocation, type Request } from '../../slack/request.ts';
import { canAskAbout } from '../../workspace/resolve-project.ts';
import type { Watch } from '../../workspace/watches.ts';
import { findWatch } from '../../workspace/workspace.ts';

/** Who sees a list of watches, and where. */
export type WatchViewer = Pick<Request, 'user' | 'workspace' | 'channel' | 'audience'>;

/** Whether what a watch is about may be shown to the user here. An owner who may not ask sees only that it is there. */
export const canReadWatch = ({ project }: Pick<Watch, 'project'>, viewer: WatchViewer): boolean =>
  canAskAbout(project, viewer.workspace, askLocation(viewer));

/** The user's own watches, those that alert them or this channel; all of them for managers. Oldest first. */
export const watchesVisibleTo = (request: WatchViewer): readonly Watch[] =>
  isFullMember(request)
    ? request.workspace.watches.filter(
        (one) => canEditOwned(one, request) || (isForViewer(one, request) && canReadWatch(one, request)),
      )
    : [];

const isForViewer = ({ target }: Watch, { user, channel }: WatchViewer): boolean =>
  'people' in target ? target.people.includes(user.id) : target.channel === channel;

export const channelOfWatch = ({ target }: Watch): string | undefined =>
  'channel' in target ? target.channel : undefined;

/** The watch that a button names; undefined once it is deleted. @throws NotAllowed for others than its owner and managers */
export function requireOwnedWatch(id: string, request: Request): Watch | undefined {
  const watch = findWatch(request.workspace, id);
  if (watch !== undefined && !canEditOwned(watch, request)) throw new NotAllowed('not-owner');
  return watch;
}
