import type { Rights, Standing } from '../workspace/rights.ts';
import { rightsOf } from '../workspace/rights.ts';
import type { Settings } from '../workspace/settings.ts';
import { callSlack, type WebClient } from './web.ts';

interface Profile {
  readonly workspace: string;
  readonly person: string;
  readonly standing: Standing;
  /** BCP 47, for numbers. */
  readonly locale: string;
  /** The person's own IANA zone, as Slack knows it. */
  readonly zone: string | undefined;
}

/** Who asks, and what that person may do. */
export type Asker = Profile & Rights;

export interface People {
  /** Who this is, to Slack. Remembered for `TTL`; `fresh` asks again. @throws SlackFailed */
  find(client: WebClient, workspace: string, person: string, fresh?: boolean): Promise<Profile>;
  /** With what the workspace's settings allow; user groups are looked up only where they decide. @throws SlackFailed */
  admit(client: WebClient, profile: Profile, settings: Settings, fresh?: boolean): Promise<Asker>;
}

/** A person who just lost the admin's role keeps asking as before for at most this long; managing asks afresh. */
const TTL = 60_000;
const MOST = 5000;

export function createPeople(clock: () => number): People {
  const profiles = remembering<Profile>(clock);
  const groups = remembering<readonly string[]>(clock);

  const isNamed = async (
    client: WebClient,
    { workspace, person }: Profile,
    settings: Settings,
    fresh: boolean,
  ) => {
    if (settings.managers.includes(person)) return true;
    const members = await Promise.all(
      settings.managerGroups.map((group) =>
        groups(`${workspace}/${group}`, fresh, () => membersOf(client, group)),
      ),
    );
    return members.some((ids) => ids.includes(person));
  };

  return {
    find: (client, workspace, person, fresh = false) =>
      profiles(`${workspace}/${person}`, fresh, () => profileOf(client, workspace, person)),
    async admit(client, profile, settings, fresh = false) {
      const named = profile.standing === 'member' && (await isNamed(client, profile, settings, fresh));
      return { ...profile, ...rightsOf(profile.standing, settings, named) };
    },
  };
}

/** Remembers what was asked for `TTL`, failures excepted; two who ask at once ask once. */
function remembering<T>(clock: () => number) {
  const known = new Map<string, { readonly until: number; readonly value: Promise<T> }>();
  return (key: string, fresh: boolean, ask: () => Promise<T>): Promise<T> => {
    const hit = known.get(key);
    if (!fresh && hit !== undefined && hit.until > clock()) return hit.value;
    const value = ask();
    if (known.size >= MOST) known.clear();
    known.set(key, { until: clock() + TTL, value });
    value.catch(() => known.delete(key));
    return value;
  };
}

async function membersOf(client: WebClient, usergroup: string): Promise<readonly string[]> {
  const { users = [] } = await callSlack('usergroups.users.list', () =>
    client.usergroups.users.list({ usergroup }),
  );
  return users;
}

async function profileOf(client: WebClient, workspace: string, person: string): Promise<Profile> {
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
    ? 'admin'
    : 'member';
}
