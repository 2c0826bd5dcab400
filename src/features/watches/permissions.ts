import { NotAllowed } from '../../domain/failure/index.ts';
import { canEditOwned, isFullMember } from '../../slack/ownership.ts';
import type { Request } from '../../slack/request.ts';
import { limitedProjects } from '../../workspace/chosen-project.ts';
import type { Watch } from '../../workspace/watches.ts';
import { findWatch } from '../../workspace/workspace.ts';

type Viewer = Pick<Request, 'user' | 'workspace' | 'channel'>;

/** The user's own watches, those that alert them or this channel; all of them for managers. Oldest first. */
export const watchesVisibleTo = (request: Viewer): readonly Watch[] =>
  isFullMember(request)
    ? request.workspace.watches.filter(
        (one) => canEditOwned(one, request) || alertsPerson(one, request) || isOfThisChannel(one, request),
      )
    : [];

export const alertsPerson = ({ target }: Watch, { user }: Pick<Viewer, 'user'>): boolean =>
  'people' in target && target.people.includes(user.id);

const isOfThisChannel = ({ target, project }: Watch, { channel, workspace }: Viewer): boolean =>
  'channel' in target &&
  target.channel === channel &&
  limitedProjects(target.channel, [project], workspace).length === 0;

export const channelOfWatch = ({ target }: Watch): string | undefined =>
  'channel' in target ? target.channel : undefined;

/** The watch that a button names; undefined once it is deleted. @throws NotAllowed for others than its owner and managers */
export function requireOwnedWatch(id: string, request: Request): Watch | undefined {
  const watch = findWatch(request.workspace, id);
  if (watch !== undefined && !canEditOwned(watch, request)) throw new NotAllowed('not-owner');
  return watch;
}
