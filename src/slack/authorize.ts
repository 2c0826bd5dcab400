import { NotAllowed } from '../domain/failure/index.ts';
import { permissionsOf, type Right, requireRight } from '../workspace/permissions.ts';
import type { Workspace, Workspaces } from '../workspace/workspaces.ts';
import { channelsOf } from './channels.ts';
import type { AuthorizedUser } from './request.ts';
import type { RequestSource } from './request-source.ts';
import type { UserDirectory } from './users.ts';
import type { WebClient } from './web-client.ts';

export interface AuthorizeOptions {
  /** Accepts cached user groups, because Slack allows only about twenty look-ups a minute. */
  readonly isTyping?: boolean;
  /** The workspace's record, where this request has read it already. */
  readonly workspace?: Workspace | undefined;
}

/**
 * Checks the right of the user who sent a payload: a command, click, form, suggestion or event.
 * @param right a function if it depends on the command's words; called only for users who can use Tally
 * @returns undefined for a replayed request, which was answered before and gets no second answer
 * @throws NotAllowed, SlackFailed, StoreUnavailable, and what `right` throws
 */
export type Authorize = (
  client: WebClient,
  source: RequestSource,
  right: Right | (() => Right),
  options?: AuthorizeOptions,
) => Promise<AuthorizedUser | undefined>;

/** Asking accepts a role that Slack confirmed within the last minute; changing something does not. */
const needsFreshRole = (right: Right): boolean => right === 'member' || right === 'manage';

/** Asks Slack and Redis in parallel, so that a request with a cached user waits for one round trip. */
export function createAuthorize({
  users,
  workspaces,
}: {
  readonly users: UserDirectory;
  readonly workspaces: Workspaces;
}): Authorize {
  return async (client, source, right, { isTyping = false, workspace: known } = {}) => {
    const { teamId, userId } = source;
    if (teamId === '' || userId === '') throw new NotAllowed('external');
    const isRightOpen = typeof right === 'function';
    const lookups = Promise.all([
      users.find(client, source, !isRightOpen && needsFreshRole(right)),
      known ?? workspaces.read(teamId),
    ]);
    // A replay is dropped before its lookups are awaited, so their errors must not count as unhandled.
    lookups.catch(() => undefined);
    if ((await source.isFirst) === false) return undefined;
    const [cachedProfile, workspace] = await lookups;
    const { settings } = workspace;
    if (isRightOpen) requireRight('ask', permissionsOf(cachedProfile.role, settings, false));
    const required = isRightOpen ? right() : right;
    const isFresh = needsFreshRole(required);
    const profile = isRightOpen && isFresh ? await users.find(client, source, true) : cachedProfile;
    const user = await users.admit(client, profile, settings, isFresh && !isTyping);
    requireRight(required, user);
    return {
      user,
      workspace,
      slack: {
        channels: channelsOf(client),
        userGroups: () => users.userGroups(client, teamId),
        isInGroups: (groups) => users.isIn(client, source, groups),
        roleOf: (otherId) => users.roleOf(client, teamId, otherId),
      },
    };
  };
}
