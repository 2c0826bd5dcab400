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
  /** BCP 47 locale for numbers. */
  readonly locale: string;
  /** The user's time zone from their Slack profile. */
  readonly zone: Zone | undefined;
}

export type User = Profile & Permissions;

export interface UserGroup {
  readonly id: string;
  /** `finops`, without the @; untrusted text. */
  readonly handle: string;
}

export type UserDirectory = ReturnType<typeof createUserDirectory>;

export type People = ReturnType<UserDirectory>;

/** How long a role is cached. Management actions bypass the cache. */
const TTL = MINUTE;

/** @param most maximum cached users, and groups */
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

    /** A user who sent nothing; `nobody` if unknown to Slack. */
    const findOther = (userId: SlackId, fresh: boolean): Promise<Profile> =>
      find({ userId, homeTeamId: undefined }, fresh).catch((error: unknown) => {
        if (!isFailure(error, 'slack-failed') || error.data.code !== 'user_not_found') throw error;
        return { teamId, id: userId, role: 'nobody', locale: DEFAULT_LOCALE, zone: undefined };
      });

    return {
      /** The profile and role of the user that a payload names, cached for `TTL`; `fresh` asks Slack again. */
      find,
      /**
       * Adds permissions. User groups are looked up only if they decide. Unless `fresh`, a failed look-up counts as
       * “not a member”, so asking still works.
       */
      admit,
      /**
       * Current permissions of someone who sent nothing. @param fresh bypass the group cache, and throw if Slack fails
       */
      permissionsOf: async (person: SlackId, settings: Settings, fresh: boolean): Promise<Permissions> =>
        admit(await findOther(person, true), settings, fresh),
      isIn: async (person: SlackId, named: readonly string[]): Promise<boolean> =>
        (await membersIn(named, true)).includes(person),
      /** Members of these groups, cached; none if Slack doesn't know the group. */
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
      /** Slack can only list all users, so use this as a last resort. */
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

/** Caches results but not failures; parallel look-ups share one call. */
function createCache<T extends object>(clock: () => Millis, most: number) {
  const known = new LRUCache<string, T, () => Promise<T>>({
    // LRUCache allocates `max` entries upfront; `maxSize` doesn't.
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
 * The workspace or organization of a token, looked up once. A payload that names another one comes from an external
 * user.
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

/** @returns [] for a deleted group, and for other errors unless `strict` */
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

/**
 * @param home workspace according to the payload. An external user in a channel with Tally has `is_stranger: false`;
 * only their team ID differs.
 */
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
