import { beforeEach, describe, expect, it } from 'vitest';
import { SlackFailed, StoreUnavailable } from '../../src/domain/failure/index.ts';
import { MINUTE } from '../../src/domain/time/calendar.ts';
import { beginRequest } from '../../src/runtime/work.ts';
import { createReplyTarget } from '../../src/slack/reply/reply.ts';
import { type Source, sourceOfPayload } from '../../src/slack/request/payload.ts';
import {
  createAuthorize,
  privateLocation,
  publicLocation,
  type Request,
} from '../../src/slack/request/request.ts';
import { createUserDirectory } from '../../src/slack/request/users.ts';
import type { WebClient } from '../../src/slack/web-client.ts';
import type { Right } from '../../src/workspace/permissions.ts';
import type { Workspace, Workspaces } from '../../src/workspace/record/workspaces.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/workspace/settings.ts';

const TEAM = 'T1';
let now = 0;
/** What Slack and the store were asked, in order. */
let asked: string[];
let user: object;
let groups: Readonly<Record<string, readonly string[] | Error>>;
let settings: Settings;
let record: Error | undefined;
/** Connections by name, as far as they say who registered them. */
let registered: [string, { registeredBy: string; registeredAt: number }][];

const client = {
  auth: { test: async () => ({ team_id: TEAM }) },
  users: {
    info: async ({ user: id }: { user: string }) => {
      asked.push(id);
      if (user instanceof Error) throw user;
      return { user: { team_id: TEAM, ...user } };
    },
  },
  usergroups: {
    list: async () => ({ usergroups: [{ id: 'S1', handle: 'finops' }] }),
    users: {
      list: async ({ usergroup }: { usergroup: string }) => {
        asked.push(usergroup);
        const found = groups[usergroup] ?? [];
        if (found instanceof Error) throw found;
        return { users: found };
      },
    },
  },
  conversations: { join: async ({ channel }: { channel: string }) => void asked.push(`join ${channel}`) },
} as unknown as WebClient;

const workspaceOf = () =>
  ({ teamId: TEAM, settings, aliases: new Set(), connections: new Map(registered) }) as unknown as Workspace;
const workspaces = {
  read: async (team: string) => {
    asked.push(team);
    if (record !== undefined) throw record;
    return workspaceOf();
  },
} as unknown as Workspaces;
let authorize: ReturnType<typeof createAuthorize>;
beforeEach(() => {
  now = 0;
  asked = [];
  user = {};
  groups = {};
  settings = DEFAULT_SETTINGS;
  record = undefined;
  registered = [];
  authorize = createAuthorize({ users: createUserDirectory(() => now), workspaces, requests: {} as never });
});

const ARRIVAL = { via: 'command', at: 5 } as const;
const SOURCE = sourceOfPayload({ team_id: TEAM, user_id: 'U1', channel_id: 'C1' }, ARRIVAL);
const targetOf = (source: Source = SOURCE, given: object = client) =>
  createReplyTarget({} as never, source, given as WebClient);
const work = () => beginRequest(SOURCE, '/spend');
const ask = (right: Right = 'ask', options: Partial<Source> = {}, source = SOURCE) =>
  authorize(targetOf({ ...source, ...options }), { right, isQuestion: true }, work());
const may = async (right: Right, options?: Partial<Source>) =>
  ask(right, options).then(
    (found) => found?.user.id ?? 'dropped',
    (error: { kind?: string; reason?: string; code?: string }) => error.reason ?? error.code ?? error.kind,
  );

describe('a refusal to a person who does not manage', () => {
  const managers = () =>
    ask('manage').then(
      () => 'allowed',
      (error: { managers?: readonly string[] }) => error.managers,
    );

  it('names the managers that the settings name, without asking Slack about them', async () => {
    settings = { ...DEFAULT_SETTINGS, managers: ['U7', 'U8'] };
    registered = [['main', { registeredBy: 'U9', registeredAt: 1 }]];
    expect(await managers()).toEqual(['U7', 'U8']);
    expect(asked).not.toContain('U7');
    expect(asked).not.toContain('U9');
  });

  it('else names the admin who registered the newest token, whose role it asks once', async () => {
    registered = [
      ['old', { registeredBy: 'U5', registeredAt: 1 }],
      ['new', { registeredBy: 'U6', registeredAt: 2 }],
    ];
    const info = async ({ user: id }: { user: string }) => {
      asked.push(id);
      return { user: { team_id: TEAM, is_admin: id === 'U6' } };
    };
    const target = targetOf(SOURCE, { ...client, users: { info } });
    const named = () =>
      authorize(target, { right: 'manage' }, work()).catch(
        (error: { managers?: readonly string[] }) => error.managers,
      );
    expect([await named(), await named()]).toEqual([['U6'], ['U6']]);
    expect(asked.filter((id) => id === 'U6')).toHaveLength(1);
    expect(asked).not.toContain('U5');
  });

  it('names nobody who is no admin any more, and nobody where no token was registered', async () => {
    expect(await managers()).toEqual([]);
    registered = [['main', { registeredBy: 'U9', registeredAt: 1 }]];
    expect(await managers()).toEqual([]);
  });
});

describe('a right', () => {
  const ROLES = {
    admin: { is_admin: true },
    member: {},
    guest: { is_restricted: true },
    external: { team_id: 'T9' },
    nobody: { deleted: true },
  } as const;

  it.each<[Right, Record<keyof typeof ROLES, string>]>([
    ['belong', { admin: 'U1', member: 'U1', guest: 'U1', external: 'external', nobody: 'external' }],
    ['ask', { admin: 'U1', member: 'U1', guest: 'guest', external: 'external', nobody: 'external' }],
    ['member', { admin: 'U1', member: 'U1', guest: 'guest', external: 'external', nobody: 'external' }],
    [
      'manage',
      { admin: 'U1', member: 'not-manager', guest: 'guest', external: 'external', nobody: 'external' },
    ],
  ])('%s is had by %j', async (right, expected) => {
    const found: Record<string, unknown> = {};
    for (const [role, given] of Object.entries(ROLES)) {
      user = given;
      now += 100_000;
      found[role] = await may(right);
    }
    expect(found).toEqual(expected);
  });

  it('goes no further for guests and people of other organisations who may ask', async () => {
    settings = { ...DEFAULT_SETTINGS, guests: true, externals: true };
    for (const given of [ROLES.guest, ROLES.external]) {
      user = given;
      now += 100_000;
      expect([await may('ask'), await may('member'), await may('manage')]).toEqual([
        ...['U1', 'not-member', 'not-manager'],
      ]);
    }
  });
});

describe('what is asked of Slack and the store', () => {
  it('is the person and the record, once a minute where somebody asks', async () => {
    await may('ask');
    await may('ask');
    await may('belong');
    expect(asked).toEqual(['U1', TEAM, TEAM, TEAM]);
  });

  it.each<Right>(['member', 'manage'])('is the person again for the right %s', async (right) => {
    user = { is_admin: true };
    await may('ask');
    await may(right);
    await may(right);
    expect(asked.filter((one) => one === 'U1')).toHaveLength(3);
  });

  it('is the managers’ groups, again for what only managers may, but not at every key that is typed', async () => {
    settings = { ...DEFAULT_SETTINGS, managerGroups: ['S1'] };
    groups = { S1: ['U1'] };
    await may('ask');
    expect(await may('manage')).toBe('U1');
    groups = { S1: [] };
    expect(await may('manage', { via: 'suggestions' })).toBe('U1');
    expect(await may('manage')).toBe('not-manager');
    expect(asked.filter((one) => one === 'S1')).toHaveLength(3);
  });

  it('is not the record where the caller has read it', async () => {
    await may('ask', { workspace: workspaceOf() });
    expect(asked).toEqual(['U1']);
  });

  it('is nothing for a payload without a workspace or a user', async () => {
    for (const source of [{ user_id: 'U1' }, { team_id: TEAM }])
      await expect(ask('ask', {}, sourceOfPayload(source, ARRIVAL))).rejects.toMatchObject({
        ...{ kind: 'not-allowed', reason: 'external' },
      });
    expect(asked).toEqual([]);
  });

  it('fails the request where it is not answered', async () => {
    record = new StoreUnavailable();
    expect(await may('ask')).toBe('store-unavailable');
    record = undefined;
    user = Object.assign(new Error('no'), { data: { error: 'fatal_error' } });
    expect(await may('manage')).toBe('fatal_error');
  });

  it('is nothing that a replay waits for, nor fails by', async () => {
    record = new StoreUnavailable();
    const replay = sourceOfPayload(
      { team_id: TEAM, user_id: 'U1' },
      { ...ARRIVAL, isFirst: Promise.resolve(false) },
    );
    expect(await ask('manage', {}, replay)).toBeUndefined();
    record = undefined;
    const first = sourceOfPayload(
      { team_id: TEAM, user_id: 'U1' },
      { ...ARRIVAL, isFirst: Promise.resolve(true) },
    );
    expect((await ask('ask', {}, first))?.user.id).toBe('U1');
  });

  it('is further what a listener asks', async () => {
    const { slack } = (await ask('ask'))!;
    groups = { S1: ['U1'], S2: ['U2'] };
    expect([await slack.isInGroups(['S1', 'S2']), await slack.isInGroups(['S2'])]).toEqual([true, false]);
    expect(await slack.userGroups()).toEqual([{ id: 'S1', handle: 'finops' }]);
    user = { is_restricted: true };
    expect(await slack.roleOf('U2')).toBe('guest');
    await slack.channels.join('C1');
    expect(asked.at(-1)).toBe('join C1');
    user = Object.assign(new Error('no'), { data: { error: 'user_not_found' } });
    expect(await slack.roleOf('U3')).toBe('nobody');
    user = Object.assign(new Error('no'), { data: { error: 'fatal_error' } });
    await expect(slack.roleOf('U4')).rejects.toBeInstanceOf(SlackFailed);
  });
});

describe('a request', () => {
  const create = (options: Partial<Source> = {}) => {
    user = { is_admin: true, locale: 'de-DE' };
    settings = { ...DEFAULT_SETTINGS, locale: 'fr-FR' };
    return ask('ask', options);
  };

  it('is private, in the reader’s locale, unless it is for the channel', async () => {
    expect(await create()).toMatchObject({
      ...{ at: 5, audience: 'asker', sharedBy: undefined, sharedFrom: undefined, locale: 'de-DE' },
      channel: 'C1',
    });
    expect(await create({ audience: 'channel' })).toMatchObject({
      ...{ audience: 'channel', locale: 'fr-FR', sharedBy: { how: 'asked', person: 'U1' } },
    });
    expect(await create({ audience: 'channel', sharedFrom: 3 })).toMatchObject({
      ...{ sharedFrom: 3, sharedBy: { how: 'shared', person: 'U1' } },
    });
  });

  it('offers a form again without the words that could be a secret', async () => {
    const sent: string[] = [];
    const chat = { postEphemeral: async (message: object) => void sent.push(JSON.stringify(message)) };
    const target = targetOf(SOURCE, { ...client, chat });
    const typed = { command: '/billing' as never, text: 'connect a1b2c3d4e5 now' };
    const request = await authorize(target, { right: 'ask' }, work(), typed);
    await request?.reply.modal.open({ type: 'modal', title: { type: 'plain_text', text: 'A' }, blocks: [] });
    expect(sent[0]).toContain('/billing connect now');
    expect(sent[0]).not.toContain('a1b2c3d4e5');
  });

  it.each<[string, Pick<Request, 'audience' | 'channel'>, boolean]>([
    ['privately', { audience: 'asker', channel: 'C1' }, true],
    ['in front of a channel', { audience: 'channel', channel: 'C1' }, false],
    ['in a direct message', { audience: 'channel', channel: 'D1' }, true],
    ['of a channel that is none', { audience: 'channel', channel: undefined }, false],
  ])('by a manager may be about a limited project %s: %s', async (_, { audience, channel }, isUnlimited) => {
    const by = async (isAdmin: boolean) => {
      user = { is_admin: isAdmin };
      now += 2 * MINUTE;
      return (await ask('ask', { audience }, { ...SOURCE, channel }))!;
    };
    const request = await by(true);
    expect(request).toMatchObject({ channel, isUnlimited });
    expect(privateLocation(request)).toEqual({ channel, isUnlimited: true });
    expect(publicLocation(request).isUnlimited).toBe(channel === 'D1');
    const member = await by(false);
    expect([member, privateLocation(member), publicLocation(member)].map((of) => of.isUnlimited)).toEqual([
      false,
      false,
      false,
    ]);
  });
});
