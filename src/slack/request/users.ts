/** The people of a workspace as Slack knows them: role, locale, time zone, user groups, managers. */
import type { webApi } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import { isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis, type Zone } from '../../domain/time/calendar.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { type Permissions, permissionsOf, type Role } from '../../workspace/roles-and-rights.ts';
import type { Settings } from '../../workspace/settings.ts';
import { callSlack, type WebClient } from '../web-client.ts';
import type { Source } from './payload.ts';

interface Profile {
  readonly teamId: SlackId;
  readonly id: string;
  readonly role: Role;
  readonly locale: string;
  readonly zone: Zone | undefined;
}

export type User = Profile & Permissions;

export interface UserGroup {
  readonly id: string;
  /** The group's name without the @, such as `finops`. Untrusted. */
  readonly handle: string;
}

export type UserDirectory = (client: WebClient, teamId: SlackId) => UserLookup;

/** Roles and groups stay in the cache for this long. Before Tally changes data, it asks Slack again. */
const TTL = MINUTE;

export function createUserDirectory(clock: () => Millis, most = 5000): UserDirectory {
  const caches: Caches = {
    users: createCache(clock, most),
    members: createCache(clock, most),
    groups: createCache(clock, most),
    owners: new WeakMap(),
  };
  return (client, teamId) => new UserLookup(client, teamId, caches);
}

interface Caches {
  readonly users: Cache<SlackUser>;
  readonly members: Cache<readonly string[]>;
  readonly groups: Cache<readonly UserGroup[]>;
  readonly owners: WeakMap<WebClient, Promise<TokenOwner>>;
}

type Cache<T> = (key: string, fresh: boolean, ask: () => Promise<T>) => Promise<T>;

/** Failures aren't cached. Simultaneous look-ups of a key share a call. */
function createCache<T extends object>(clock: () => Millis, max: number): Cache<T> {
  const known = new LRUCache<string, T, () => Promise<T>>({
    max,
    ttl: TTL,
    ttlResolution: 0,
    perf: { now: clock },
    fetchMethod: (_, __, { context: ask }) => ask(),
  });
  return (key, forceRefresh, ask) => known.forceFetch(key, { forceRefresh, context: ask });
}

const MOST_NAMED = 5;

/** Tally looks up more managers than it names, because some may have left. */
const MOST_LOOKED_UP = 15;

export class UserLookup {
  constructor(
    private readonly client: WebClient,
    private readonly teamId: SlackId,
    private readonly caches: Caches,
  ) {}

  /** @param fresh asks Slack even if the user is in the cache */
  async find(
    { userId, homeTeamId = this.teamId }: Pick<Source, 'userId' | 'homeTeamId'>,
    fresh = false,
  ): Promise<Profile> {
    const { client, teamId, caches } = this;
    const [user, owner] = await Promise.all([
      caches.users(`${teamId}/${userId}`, fresh, () => fetchUser(client, userId)),
      ownerOf(client, caches.owners),
    ]);
    const organization = user.enterprise_user?.enterprise_id;
    const isOurs =
      teamId === (owner.team ?? teamId) &&
      (organization ?? owner.organization) === (owner.organization ?? organization);
    const role = isOurs ? roleFrom(user, userId, teamId, homeTeamId) : 'external';
    return { teamId, id: userId, role, locale: user.locale ?? DEFAULT_LOCALE, zone: user.tz };
  }

  /** Looks up groups only for a full member. Unless `fresh`, a failed look-up counts as “not a manager”. */
  async admit(profile: Profile, settings: Settings, fresh = false): Promise<User> {
    const { id, role } = profile;
    const { managers, managerGroups } = settings;
    const isNamed =
      role === 'member' &&
      (managers.includes(id) || (await this.membersOf(managerGroups, fresh)).includes(id));
    return { ...profile, ...permissionsOf(role, settings, isNamed) };
  }

  async #findOther(userId: SlackId, fresh: boolean): Promise<Profile> {
    try {
      return await this.find({ userId, homeTeamId: undefined }, fresh);
    } catch (error) {
      if (!isFailure(error, 'slack-failed') || error.data.code !== 'user_not_found') throw error;
      return { teamId: this.teamId, id: userId, role: 'nobody', locale: DEFAULT_LOCALE, zone: undefined };
    }
  }

  /** @param fresh asks Slack for groups anew, and throws if Slack fails */
  async permissionsOf(person: SlackId, settings: Settings, fresh: boolean): Promise<Permissions> {
    return this.admit(await this.#findOther(person, true), settings, fresh);
  }

  async roleOf(person: SlackId): Promise<Role> {
    return (await this.#findOther(person, false)).role;
  }

  /** Groups unknown to Slack have no members. @param fresh asks Slack anew, and throws if Slack fails */
  async membersOf(groups: readonly string[], fresh = false): Promise<readonly string[]> {
    const { client, teamId, caches } = this;
    const find = (group: string) =>
      caches.members(`${teamId}/${group}`, fresh, () => fetchMembers(client, group, fresh));
    return (await Promise.all(groups.map(find))).flat();
  }

  /** @throws slack-failed with `missing_scope` if the optional scope usergroups:read was declined */
  userGroups(): Promise<readonly UserGroup[]> {
    return this.caches.groups(this.teamId, false, async () => {
      const { usergroups = [] } = await callSlack('usergroups.list', () => this.client.usergroups.list());
      return usergroups.flatMap(({ id, handle }) => (id === undefined ? [] : { id, handle: handle ?? id }));
    });
  }

  /** Slack can't list admins alone, only all users, so this look-up is a last resort. */
  admins(): Promise<readonly string[]> {
    const { client, teamId: team_id } = this;
    return callSlack('users.list', async () => {
      const found: string[] = [];
      for await (const page of client.paginate('users.list', { team_id, limit: 1000 }))
        for (const user of (page as webApi.UsersListResponse).members ?? []) {
          const { id = '' } = user;
          if (roleFrom(user as SlackUser, id, team_id, team_id) === 'admin') found.push(id);
        }
      return found;
    });
  }

  /** Managers from the settings, else admins who registered connections, else, if `listsAdmins`, all admins. */
  async managers({ settings, connections }: Workspace, listsAdmins: boolean): Promise<readonly SlackId[]> {
    const named = [...settings.managers, ...(await this.membersOf(settings.managerGroups))];
    const registered = [...connections.values()].map(({ registeredBy }) => registeredBy);
    for (const find of [() => named, () => registered, () => (listsAdmins ? this.admins() : [])]) {
      const found = [...new Set(await find())].slice(0, MOST_LOOKED_UP);
      const roles = await Promise.all(found.map((person) => this.roleOf(person).catch(() => 'nobody')));
      const isManager = (person: SlackId, role = '') =>
        role === 'admin' || (role === 'member' && named.includes(person));
      const managers = found.filter((person, at) => isManager(person, roles[at]));
      if (managers.length > 0) return managers.slice(0, MOST_NAMED);
    }
    return [];
  }
}

const DEFAULT_LOCALE = 'en-US';

interface TokenOwner {
  readonly team?: SlackId | undefined;
  readonly organization?: string | undefined;
}

/** A payload that names a workspace or organization other than the token's owner is from an external user. */
function ownerOf(client: WebClient, known: Caches['owners']): Promise<TokenOwner> {
  const ask = async (): Promise<TokenOwner> => {
    const owner = await callSlack('auth.test', () => client.auth.test());
    return owner.is_enterprise_install ? { organization: owner.enterprise_id } : { team: owner.team_id };
  };
  const owner = known.get(client) ?? ask();
  known.set(client, owner);
  owner.catch(() => known.delete(client));
  return owner;
}

/** @returns [] for a deleted group and, unless `strict`, after any other error */
async function fetchMembers(
  client: WebClient,
  usergroup: SlackId,
  strict: boolean,
): Promise<readonly string[]> {
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

async function fetchUser(client: WebClient, person: SlackId): Promise<SlackUser> {
  const { user = {} } = await callSlack('users.info', () =>
    client.users.info({ user: person, include_locale: true }),
  );
  return user;
}

type SlackUser = NonNullable<webApi.UsersInfoResponse['user']>;

const SLACKBOT = 'USLACKBOT';

/** @param home the payload's home workspace, which differs for an external person in a shared channel */
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
