import { NotAllowed } from '../domain/failure.ts';
import { demand, type Right } from '../workspace/rights.ts';
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
 * @returns undefined for a request that came before: it has its answer, so nothing more is done or said
 */
export type Admit = (
  client: WebClient,
  origin: Origin,
  right: Right,
  options?: AdmitOptions,
) => Promise<Admission | undefined>;

/** Slack and Redis are asked side by side: a warm request waits for one round trip. */
export function createAdmit({ people, workspaces }: { people: People; workspaces: Workspaces }): Admit {
  return async (client, origin, right, { isTyping = false, record: known } = {}) => {
    const fresh = right === 'member' || right === 'manage';
    const { workspace, person } = origin;
    if (workspace === '' || person === '') throw new NotAllowed('stranger');
    const reads = Promise.all([people.find(client, origin, fresh), known ?? workspaces.read(workspace)]);
    // Whether it came before is known no later than the record: what fails with a replay concerns nobody.
    reads.catch(() => undefined);
    if ((await origin.isFirst) === false) return undefined;
    const [profile, record] = await reads;
    const asker = await people.admit(client, profile, settingsOf(record), fresh && !isTyping);
    demand(right, asker);
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
