import { canEditOwned, isFullMember, type ListViewer, requireOwned } from '../../slack/owned/ownership.ts';
import { askLocation, type Request } from '../../slack/request/request.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { canAskAbout } from '../../workspace/projects/resolve-project.ts';
import { findWatch } from '../../workspace/record/workspace.ts';

/** Whether what a watch is about may be shown to the user here. An owner who may not ask sees only that it is there. */
export const canReadWatch = ({ project }: Pick<Watch, 'project'>, viewer: ListViewer): boolean =>
  canAskAbout(project, viewer.workspace, askLocation(viewer));

/** The user's own watches, those that alert them or this channel; all of them for managers. Oldest first. */
export const watchesVisibleTo = (request: ListViewer): readonly Watch[] =>
  isFullMember(request)
    ? request.workspace.watches.filter(
        (one) => canEditOwned(one, request) || (isForViewer(one, request) && canReadWatch(one, request)),
      )
    : [];

const isForViewer = ({ target }: Watch, { user, channel }: ListViewer): boolean =>
  'people' in target ? target.people.includes(user.id) : target.channel === channel;

export const channelOfWatch = ({ target }: Watch): string | undefined =>
  'channel' in target ? target.channel : undefined;

/** The watch that a button names; undefined once it is deleted. @throws NotAllowed for others than its owner and managers */
export const requireOwnedWatch = (id: string, request: Request): Watch | undefined =>
  requireOwned(findWatch(request.workspace, id), request);
