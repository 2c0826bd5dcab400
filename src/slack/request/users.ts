import type { webApi } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import { isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis, type Zone } from '../../domain/time/calendar.ts';
import { type Permissions, permissionsOf, type Role } from '../../workspace/permissions.ts';
import type { Settings } from '../../workspace/settings.ts';
import { callSlack, type WebClient } from '../web-client.ts';
import type { Source } from './payload.ts';

interface Profile {
  readonly teamId: SlackId;
  readonly id: string;
  readonly role: Role;
  /** The tag (BCP 47) of the locale in which numbers are written. */
  readonly locale: string;
  /** The person's own IANA zone, as Slack knows it. */
  readonly zone: Zone | undefined;
}

export type User = Profile & Permissions;

export interface UserGroup {
  readonly id: string;
  /** `finops`, without the @; outside text. */
  readonly handle: string;
}

export type UserDirectory = ReturnType<typeof createUserDirectory>;

/** The people of one workspace. */
export type People = ReturnType<UserDirectory>;

/** How long a role is cached, in ms. Managers' actions look it up again. */
const TTL = MINUTE;

/** @param most how many users, and how many groups, are cached */
export function createUserDirectory(clock: () => Millis, most = 5000) {
  const users = createCache<SlackUser>(clock, most);
  const members = createCache<readonly string[]>(clock, most);
  const groups = createCache<readonly UserGroup[]>(clock, most);
  const ownerOf = ownerOfClient();

  /** The people of a workspace, asked with its client. Each of these throws slack-failed. */
  return (client: WebClient, teamId: SlackId) => {
    const infoOf = (person: SlackId, fresh: boolean): Promise<SlackUser> =>
      users(`${teamId}/${person}`, fresh, () => userOf(client, person));

    const membersIn = async (named: readonly string[], fresh: boolean): Promise<readonly string[]> => {
      const find = (group: string) =>
        members(`${teamId}/${group}`, fresh, () => membersOf(client, group, fresh));
      return (await Promise.all(named.map(find))).flat();
    };

    const find = async (
      { userId, homeTeamId = teamId }: Pick<Source, 'userId' | 'homeTeamId'>,
      fresh = false,
    ): Promise<Profile> => {
      const [user, owner] = await Promise.all([infoOf(userId, fresh), ownerOf(client)]);
      const isOurs =
        teamId === (owner.team ?? teamId) &&
        (user.enterprise_user?.enterprise_id ?? owner.organization) ===
          (owner.organization ?? user.enterprise_user?.enterprise_id);
      return {
        teamId,
        id: userId,
        role: isOurs ? roleFrom(user, userId, teamId, homeTeamId) : 'external',
        locale: user.locale ?? DEFAULT_LOCALE,
        zone: user.tz,
      };
    };

    const admit = async (profile: Profile, settings: Settings, fresh = false): Promise<User> => {
      const { managers, managerGroups } = settings;
      const { id, role } = profile;
      const named =
        role === 'member' && (managers.includes(id) || (await membersIn(managerGroups, fresh)).includes(id));
      return { ...profile, ...permissionsOf(role, settings, named) };
    };

    /** Somebody who sent nothing: `nobody` if Slack doesn't know them. */
    const findOther = (userId: SlackId, fresh: boolean): Promise<Profile> =>
      find({ userId, homeTeamId: undefined }, fresh).catch((error: unknown) => {
        if (!isFailure(error, 'slack-failed') || error.data.code !== 'user_not_found') throw error;
        return { teamId, id: userId, role: 'nobody', locale: DEFAULT_LOCALE, zone: undefined };
      });

    return {
      /** The profile and role of the user that a payload names, cached for `TTL`; `fresh` asks Slack again. */
      find,
      /**
       * Adds the permissions. User groups are looked up only when they decide. Without `fresh`, a failed look-up counts as
       * no membership, so that asking still works.
       */
      admit,
      /**
       * What a person who sent nothing may do now, `nobody` if Slack doesn't know them.
       * @param fresh asks Slack again about the user groups too, and fails when it does not answer
       */
      permissionsOf: async (person: SlackId, settings: Settings, fresh: boolean): Promise<Permissions> =>
        admit(await findOther(person, true), settings, fresh),
      isIn: async (person: SlackId, named: readonly string[]): Promise<boolean> =>
        (await membersIn(named, true)).includes(person),
      /** Who is in these groups, cached for `TTL`; nobody in one that Slack doesn't know. */
      membersOf: (named: readonly string[]) => membersIn(named, false),
      /** The role of another user, cached for `TTL`; `nobody` for an unknown one. */
      roleOf: async (person: SlackId): Promise<Role> => (await findOther(person, false)).role,
      /** The workspace's user groups, cached for `TTL`. @throws slack-failed `missing_scope` without usergroups:read */
      userGroups: (): Promise<readonly UserGroup[]> =>
        groups(teamId, false, async () => {
          const { usergroups = [] } = await callSlack('usergroups.list', () => client.usergroups.list());
          return usergroups.flatMap(({ id, handle }) =>
            id === undefined ? [] : { id, handle: handle ?? id },
          );
        }),
      /** The workspace's admins and owners. Slack can only list all users, so this is the last resort. */
      admins: () => fetchAdmins(client, teamId),
    };
  };
}

const DEFAULT_LOCALE = 'en-US';

const fetchAdmins = (client: WebClient, team_id: SlackId): Promise<readonly string[]> =>
  callSlack('users.list', async () => {
    const found: string[] = [];
    for await (const page of client.paginate('users.list', { team_id, limit: 1000 }))
      for (const user of (page as webApi.UsersListResponse).members ?? []) {
        const { id = '' } = user;
        if (roleFrom(user as SlackUser, id, team_id, team_id) === 'admin') found.push(id);
      }
    return found;
  });

/** Caches results, but not failures, for `TTL`; simultaneous look-ups share one call. */
function createCache<T extends object>(clock: () => Millis, most: number) {
  const known = new LRUCache<string, T, () => Promise<T>>({
    // `max` would allocate memory for all entries at the start.
    maxSize: most,
    sizeCalculation: () => 1,
    ttl: TTL,
    ttlResolution: 0,
    perf: { now: clock },
    fetchMethod: (_, __, { context: ask }) => ask(),
  });
  return (key: string, forceRefresh: boolean, ask: () => Promise<T>): Promise<T> =>
    known.forceFetch(key, { forceRefresh, context: ask });
}

interface TokenOwner {
  readonly team?: SlackId | undefined;
  readonly organization?: string | undefined;
}

/**
 * The workspace that a token belongs to, or the organization, looked up once: a payload of another one comes from an
 * external user, whatever it claims.
 */
function ownerOfClient() {
  const ask = async (client: WebClient): Promise<TokenOwner> => {
    const owner = await callSlack('auth.test', () => client.auth.test());
    return owner.is_enterprise_install ? { organization: owner.enterprise_id } : { team: owner.team_id };
  };
  const known = new WeakMap<WebClient, Promise<TokenOwner>>();
  return (client: WebClient): Promise<TokenOwner> => {
    const owner = known.get(client) ?? ask(client);
    known.set(client, owner);
    owner.catch(() => known.delete(client));
    return owner;
  };
}

/** @returns no members for a deleted group; for any other error no members either, unless `strict` @throws slack-failed if `strict` */
async function membersOf(client: WebClient, usergroup: SlackId, strict: boolean): Promise<readonly string[]> {
  try {
    const { users = [] } = await callSlack('usergroups.users.list', () =>
      client.usergroups.users.list({ usergroup }),
    );
    return users;
  } catch (error) {
    const isGone = isFailure(error, 'slack-failed') && error.data.code === 'no_such_subteam';
    if (strict && !isGone) throw error;
    return [];
  }
}

async function userOf(client: WebClient, person: SlackId): Promise<SlackUser> {
  const { user = {} } = await callSlack('users.info', () =>
    client.users.info({ user: person, include_locale: true }),
  );
  return user;
}

type SlackUser = NonNullable<webApi.UsersInfoResponse['user']>;

const SLACKBOT = 'USLACKBOT';

/** @param home the workspace that the payload says they belong to. `is_stranger` is false for external users who share a channel with the app; their team ID differs. */
function roleFrom(user: SlackUser, userId: SlackId, teamId: SlackId, home: SlackId): Role {
  if (user.deleted === true || user.is_bot === true || userId === SLACKBOT) return 'nobody';
  const homes = [user.team_id, user.enterprise_user?.enterprise_id, ...(user.enterprise_user?.teams ?? [])];
  const belongs = homes.includes(teamId) && homes.includes(home);
  if (user.is_stranger === true || !belongs) return 'external';
  if (user.is_restricted === true || user.is_ultra_restricted === true) return 'guest';
  return user.is_admin === true || user.is_owner === true || user.is_primary_owner === true
    ? 'admin'
    : 'member';
}
