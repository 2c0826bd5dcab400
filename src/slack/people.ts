import { NotAllowed } from '../domain/failure.ts';
import { callSlack, type WebClient } from './web.ts';

/** What a person may do. Stranger: a member of another organisation, or nobody any more. */
export type Standing = 'manager' | 'member' | 'guest' | 'stranger';

/** What a handler demands of who asks. */
export type Right = 'ask' | 'manage';

export interface Asker {
  readonly workspace: string;
  readonly person: string;
  readonly standing: Standing;
  /** BCP 47, for numbers. */
  readonly locale: string;
  /** The person's own IANA zone, as Slack knows it. */
  readonly zone: string | undefined;
}

export interface People {
  /** Who this is. Remembered for `TTL`; `fresh` asks Slack again. Throws SlackFailed. */
  find(client: WebClient, workspace: string, person: string, fresh?: boolean): Promise<Asker>;
}

/** A person who just lost the admin's role keeps asking as before for at most this long; managing asks afresh. */
const TTL = 60_000;
const MOST = 5000;

export function createPeople(clock: () => number): People {
  const known = new Map<string, { readonly until: number; readonly asker: Promise<Asker> }>();

  return {
    find(client, workspace, person, fresh = false) {
      const key = `${workspace}/${person}`;
      const hit = known.get(key);
      if (!fresh && hit !== undefined && hit.until > clock()) return hit.asker;
      const asker = ask(client, workspace, person);
      if (known.size >= MOST) known.clear();
      known.set(key, { until: clock() + TTL, asker });
      asker.catch(() => known.delete(key));
      return asker;
    },
  };
}

async function ask(client: WebClient, workspace: string, person: string): Promise<Asker> {
  const { user = {} } = await callSlack('users.info', () =>
    client.users.info({ user: person, include_locale: true }),
  );
  return {
    workspace,
    person,
    standing: standingOf(user, workspace),
    locale: user.locale ?? 'en-US',
    zone: user.tz,
  };
}

interface SlackUser {
  readonly deleted?: boolean;
  readonly team_id?: string;
  readonly is_stranger?: boolean;
  readonly is_admin?: boolean;
  readonly is_owner?: boolean;
  readonly is_primary_owner?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly enterprise_user?: { readonly teams?: readonly string[] };
}

function standingOf(user: SlackUser, workspace: string): Standing {
  const elsewhere =
    user.team_id !== undefined &&
    user.team_id !== workspace &&
    !user.enterprise_user?.teams?.includes(workspace);
  if (user.deleted === true || user.is_stranger === true || elsewhere) return 'stranger';
  if (user.is_restricted === true || user.is_ultra_restricted === true) return 'guest';
  return user.is_admin === true || user.is_owner === true || user.is_primary_owner === true
    ? 'manager'
    : 'member';
}

/** Throws NotAllowed unless `asker` has the right. */
export function demand(right: Right, asker: Asker): void {
  if (asker.standing === 'guest' || asker.standing === 'stranger') throw new NotAllowed(asker.standing);
  if (right === 'manage' && asker.standing !== 'manager') throw new NotAllowed('not-manager');
}
