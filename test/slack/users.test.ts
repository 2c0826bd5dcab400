import { beforeEach, describe, expect, it } from 'vitest';
import { createUserDirectory, type UserDirectory } from '../../src/slack/request/users.ts';
import type { WebClient } from '../../src/slack/web-client.ts';
import { DEFAULT_SETTINGS } from '../../src/workspace/settings.ts';
import { clientOf } from './answering-client.ts';

const MINUTE = 60_000;
const TEAM = 'T1';

let now = 1;
let people: UserDirectory;
let asked: string[];
/** What Slack knows about users. An Error is thrown. */
let users: Record<string, object | Error>;
let members: Record<string, string[] | Error>;
let installation: object;

function answer<T>(given: T | Error): Promise<T> {
  return given instanceof Error ? Promise.reject(given) : Promise.resolve(given);
}

const refusal = (error: string) => Object.assign(new Error(error), { data: { error } });

const createClient = () =>
  clientOf({
    'auth.test'() {
      asked.push('auth.test');
      return answer(installation);
    },
    'users.info'({ user, include_locale }) {
      asked.push(String(user));
      if (include_locale !== true) return { user: {} };
      const known = users[String(user)] ?? { team_id: TEAM };
      return known instanceof Error ? answer(known) : { user: known };
    },
    'usergroups.list'() {
      asked.push('usergroups.list');
      return { usergroups: [{ id: 'S1', handle: 'finops' }, { handle: 'nothing' }, { id: 'S2' }] };
    },
    'usergroups.users.list'({ usergroup }) {
      asked.push(String(usergroup));
      const known = members[String(usergroup)] ?? refusal('no_such_subteam');
      return known instanceof Error ? answer(known) : { users: known };
    },
  });

let client: WebClient;
beforeEach(() => {
  now = 1;
  asked = [];
  users = {};
  members = {};
  installation = { team_id: TEAM };
  client = createClient();
  people = createUserDirectory(() => now, 3);
});

const identity = (userId: string) => ({ userId, homeTeamId: undefined });
const find = (person: string, fresh = false) => people(client, TEAM).find(identity(person), fresh);
const times = (what: string) => asked.filter((one) => one === what).length;

describe('the profile of a person', () => {
  it('is remembered for one minute', async () => {
    await find('U1');
    now = MINUTE;
    await find('U1');
    expect(times('U1')).toBe(1);
    now = MINUTE + 2;
    await find('U1');
    expect(times('U1')).toBe(2);
  });

  it('is looked up again before a change, and then remembered', async () => {
    expect(await find('U1')).toMatchObject({ role: 'member' });
    users.U1 = { team_id: TEAM, deleted: true };
    expect(await find('U1', true)).toMatchObject({ role: 'nobody' });
    expect(await find('U1')).toMatchObject({ role: 'nobody' });
    expect(times('U1')).toBe(2);
  });

  it('is remembered separately for each workspace', async () => {
    installation = { is_enterprise_install: true, team_id: 'T5' };
    users.U1 = { team_id: TEAM, enterprise_user: { enterprise_id: 'E1', teams: [TEAM] } };
    expect(await find('U1')).toMatchObject({ role: 'member' });
    expect(await people(client, 'T2').find(identity('U1'))).toMatchObject({ role: 'external' });
  });
});

describe('a person’s role', () => {
  it.each([
    [{ is_owner: true }, 'admin'],
    [{ is_primary_owner: true }, 'admin'],
    [{ is_admin: true }, 'admin'],
    [{}, 'member'],
    [{ is_restricted: true }, 'guest'],
    [{ is_ultra_restricted: true }, 'guest'],
    [{ is_restricted: true, is_ultra_restricted: true }, 'guest'],
    [{ is_restricted: true, is_admin: true }, 'guest'],
    [{ is_stranger: true }, 'external'],
    [{ team_id: 'T9' }, 'external'],
    [{ team_id: 'T9', is_stranger: false, is_admin: true }, 'external'],
    [{ team_id: undefined }, 'external'],
    [{ team_id: 'T9', enterprise_user: { enterprise_id: 'E1', teams: ['T9', TEAM] } }, 'member'],
    [{ team_id: 'E1', enterprise_user: { enterprise_id: 'E1', teams: ['T9'] } }, 'external'],
    [{ deleted: true, is_owner: true }, 'nobody'],
    [{ is_bot: true, is_admin: true }, 'nobody'],
  ])('for the Slack user %o is “%s”', async (user, role) => {
    users.U1 = { team_id: TEAM, ...user };
    expect(await find('U1')).toMatchObject({ role });
  });

  it('is “nobody” for Slackbot, although Slack does not call it a bot', async () => {
    expect(await find('USLACKBOT')).toMatchObject({ role: 'nobody' });
  });

  it('is “external” if the payload names another home workspace', async () => {
    const roleOf = async (homeTeamId: string) =>
      (await people(client, TEAM).find({ ...identity('U1'), homeTeamId })).role;
    expect(await roleOf(TEAM)).toBe('member');
    expect(await roleOf('T9')).toBe('external');
  });

  it('can’t be determined while Slack doesn’t say which workspace Tally’s token belongs to', async () => {
    const before = installation;
    installation = refusal('internal_error');
    await expect(find('U1')).rejects.toMatchObject({ kind: 'slack-failed', data: { method: 'auth.test' } });
    installation = before;
    expect(await find('U1')).toMatchObject({ role: 'member' });
  });

  it('is “external” if the payload comes from a workspace other than that of Tally’s token', async () => {
    users.U9 = { team_id: 'T9', is_admin: true };
    const home = { userId: 'U9', homeTeamId: 'T9' };
    expect(await people(client, 'T9').find(home)).toMatchObject({ role: 'external' });
    expect(times('auth.test')).toBe(1);
  });
});

describe('a user group of managers', () => {
  const settings = { ...DEFAULT_SETTINGS, managerGroups: ['S1', 'S2'] };
  const admit = async (person: string, fresh = false) =>
    people(client, TEAM).admit(await find(person), settings, fresh);

  it('makes its members managers, and is looked up again before changes', async () => {
    members = { S1: [], S2: ['U1'] };
    expect(await admit('U1')).toMatchObject({ canAsk: true, canManage: true });
    members.S2 = [];
    expect(await admit('U1')).toMatchObject({ canManage: true });
    expect(await admit('U1', true)).toMatchObject({ canAsk: true, canManage: false });
    expect([times('S1'), times('S2')]).toEqual([2, 2]);
  });

  it('makes nobody a manager and allows no changes while Slack doesn’t list its members', async () => {
    members = { S1: refusal('missing_scope'), S2: ['U2'] };
    expect(await admit('U1')).toMatchObject({ canAsk: true, canManage: false });
    expect(await admit('U1')).toMatchObject({ canAsk: true, canManage: false });
    expect(times('S1')).toBe(1);
    await expect(admit('U1', true)).rejects.toMatchObject({ data: { code: 'missing_scope' } });
  });

  it('is ignored once it has been deleted', async () => {
    members = { S2: ['U1'] };
    expect(await admit('U1', true)).toMatchObject({ canManage: true });
  });
});
