import { NotAllowed } from '../domain/failure.ts';
import { demand, type Right, rightsOf } from '../workspace/rights.ts';
import { DEFAULT_SETTINGS, type Settings } from '../workspace/settings.ts';
import type { WorkspaceRecord, Workspaces } from '../workspace/workspaces.ts';
import type { Origin } from './origin.ts';
import type { People } from './people.ts';
import type { Admission } from './visit.ts';
import type { WebClient } from './web.ts';

export interface AdmitOptions {
  /** Slack lets a group's members be asked for some twenty times a minute: less than somebody types. */
  readonly isTyping?: boolean;
  /** The workspace's record, where this request has read it already. */
  readonly record?: WorkspaceRecord | undefined;
}

/**
 * Lets in who has the right, or throws NotAllowed. Whatever came in, a click as well as a command, comes by here.
 * @param right where words decide, a function that reads them: called only for people who may ask at all
 */
export type Admit = (
  client: WebClient,
  origin: Origin,
  right: Right | (() => Right),
  options?: AdmitOptions,
) => Promise<Admission>;

/** Slack and Redis are asked side by side: a warm request waits for one round trip. */
export function createAdmit({ people, workspaces }: { people: People; workspaces: Workspaces }): Admit {
  return async (client, origin, right, { isTyping = false, record: known } = {}) => {
    const { workspace, person } = origin;
    if (workspace === '' || person === '') throw new NotAllowed('stranger');
    const [remembered, record] = await Promise.all([
      people.find(client, origin, right !== 'ask' && typeof right !== 'function'),
      known ?? workspaces.read(workspace),
    ]);
    const settings = settingsOf(record);
    demand('ask', rightsOf(remembered.standing, settings, false));
    const wanted = typeof right === 'function' ? right() : right;
    const fresh = wanted !== 'ask';
    const profile =
      typeof right === 'function' && fresh ? await people.find(client, origin, fresh) : remembered;
    const asker = await people.admit(client, profile, settings, fresh && !isTyping);
    demand(wanted, asker);
    return {
      asker,
      record,
      userGroups: () => people.userGroups(client, workspace),
      isIn: (groups) => people.isIn(client, origin, groups),
      standingOf: (other) => people.standingOf(client, workspace, other),
    };
  };
}

/** Damaged settings allow what none would: so the form that mends them stays open to owners and admins alone. */
export function settingsOf(record: WorkspaceRecord): Settings {
  try {
    return record.settings;
  } catch {
    return DEFAULT_SETTINGS;
  }
}
