import { NotAllowed } from '../domain/failure/index.ts';
import { permissionsOf, type Right, requireRight } from '../workspace/permissions.ts';
import type { Workspace, Workspaces } from '../workspace/workspaces.ts';
import type { Origin } from './origin.ts';
import type { Admission } from './request.ts';
import type { UserDirectory } from './users.ts';
import type { WebClient } from './web-client.ts';

export interface AdmitOptions {
  /** Slack lets a group's members be asked for some twenty times a minute: less than somebody types. */
  readonly isTyping?: boolean;
  /** The workspace's record, where this request has read it already. */
  readonly workspace?: Workspace | undefined;
}

/**
 * Lets in who has the right, or throws NotAllowed. Whatever came in, a click as well as a command, comes by here.
 * @param right where words decide, a function that reads them: called only for people who may ask at all
 * @returns undefined for a request that came before: it has its answer, so nothing more is done or said
 */
export type Admit = (
  client: WebClient,
  origin: Origin,
  right: Right | (() => Right),
  options?: AdmitOptions,
) => Promise<Admission | undefined>;

/** Asking is allowed by what Slack said a minute ago; changing something is not. */
const needsFresh = (right: Right): boolean => right === 'member' || right === 'manage';

/** Slack and Redis are asked side by side: a warm request waits for one round trip. */
export function createAdmit({
  people,
  workspaces,
}: {
  people: UserDirectory;
  workspaces: Workspaces;
}): Admit {
  return async (client, origin, right, { isTyping = false, workspace: known } = {}) => {
    const { teamId, userId } = origin;
    if (teamId === '' || userId === '') throw new NotAllowed('stranger');
    const reads = Promise.all([
      people.find(client, origin, typeof right !== 'function' && needsFresh(right)),
      known ?? workspaces.read(teamId),
    ]);
    // Whether it came before is known no later than the record: what fails with a replay concerns nobody.
    reads.catch(() => undefined);
    if ((await origin.isFirst) === false) return undefined;
    const [remembered, workspace] = await reads;
    // Damaged settings count as the defaults, which allow the least: owners and admins can still open the form that replaces them.
    const { settings } = workspace;
    if (typeof right === 'function') requireRight('ask', permissionsOf(remembered.role, settings, false));
    const wanted = typeof right === 'function' ? right() : right;
    const fresh = needsFresh(wanted);
    const profile =
      typeof right === 'function' && fresh ? await people.find(client, origin, fresh) : remembered;
    const user = await people.admit(client, profile, settings, fresh && !isTyping);
    requireRight(wanted, user);
    return {
      user,
      workspace,
      userGroups: () => people.userGroups(client, teamId),
      isIn: (groups) => people.isIn(client, origin, groups),
      roleOf: (other) => people.roleOf(client, teamId, other),
    };
  };
}
