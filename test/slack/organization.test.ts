import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { epochSeconds, INSTALLER, type OAuthBot, startOAuthBot, type Team } from '../support/oauth-bot.ts';
import { waitUntil } from '../support/wait-until.ts';

const ORG = 'E0GRID0001';
/** Two workspaces of an organization that installed Tally as a whole, and another customer's workspace. */
const NORTH: Team = { id: 'T0NORTH001', name: 'North', enterprise: ORG, whole: true };
const SOUTH: Team = { ...NORTH, id: 'T0SOUTH001', name: 'South' };
const OTHER: Team = { id: 'T0OTHER001', name: 'Other' };

let bot: OAuthBot;
beforeEach(async () => {
  bot = await startOAuthBot();
  for (const team of [NORTH, OTHER]) await bot.install(team);
});
afterEach(() => bot.stop());

const record = (id: string) => bot.redis.client.hgetall(`tally:{${id}}:record`);
const members = async () => (await bot.redis.client.smembers(`tally:{${ORG}}:members`)).sort();
const askedAbout = () => bot.slack.called('users.info').at(-1)?.fields.team_id;
const ofBilling = () => bot.billing.requests.at(-1)?.token;

/** The common fields of a payload from an installation of the whole organization. */
const from = (team: Team) => ({
  team: null,
  user: { id: INSTALLER, team_id: team.id },
  view: { id: 'V1', type: 'modal', app_installed_team_id: ORG, private_metadata: '', state: { values: {} } },
});
const click = (action_id: string, value = '') => ({
  type: 'block_actions',
  actions: [{ type: 'button', action_id, block_id: 'b', value }],
});
const eventFrom = (team: Team, event: object) => ({
  team_id: team.id,
  enterprise_id: ORG,
  context_team_id: team.id,
  event_id: `Ev${Math.random()}`,
  authorizations: [{ enterprise_id: ORG, team_id: null, is_enterprise_install: true }],
  event: { user: INSTALLER, channel: 'C0COSTS001', ts: '1.1', ...event },
});

describe('a payload from a workspace of an organization', () => {
  const PAYLOADS: readonly (readonly [string, (team: Team) => Promise<unknown>])[] = [
    ['a command', (team) => bot.command(team, '/billing help')],
    ['a click', (team) => bot.interact(team, { ...from(team), ...click('rerun:x', '/billing help') })],
    [
      'a click with its own workspace as the team',
      (team) =>
        bot.interact(team, {
          ...from(team),
          team: { id: team.id },
          user: { id: INSTALLER },
          ...click('rerun:x', '/billing help'),
        }),
    ],
    [
      'a click in Home',
      (team) =>
        bot.interact(team, {
          ...from(team),
          view: { ...from(team).view, type: 'home' },
          ...click('rerun:x', '/billing help'),
        }),
    ],
    [
      'a form',
      (team) => {
        const { view, ...rest } = from(team);
        return bot.interact(team, {
          ...rest,
          type: 'view_submission',
          view: { ...view, callback_id: 'settings' },
        });
      },
    ],
    [
      'a suggestion',
      (team) =>
        bot.interact(team, {
          ...from(team),
          type: 'block_suggestion',
          action_id: 'zone',
          block_id: 'zone',
          value: 'par',
        }),
    ],
    ['the Home being opened', (team) => bot.event(eventFrom(team, { type: 'app_home_opened', tab: 'home' }))],
    ['a mention', (team) => bot.event(eventFrom(team, { type: 'app_mention', text: 'help' }))],
    [
      'a mention whose authorization has the organization’s ID for the workspace’s',
      (team) =>
        bot.event({
          ...eventFrom(team, { type: 'app_mention', text: 'help' }),
          authorizations: [{ enterprise_id: ORG, team_id: ORG, is_enterprise_install: true }],
        }),
    ],
  ];

  it.each(PAYLOADS)('is handled for that workspace, not for the organization: %s', async (_, send) => {
    for (const team of [NORTH, SOUTH]) {
      await send(team);
      await waitUntil(async () => (await members()).includes(team.id));
      await waitUntil(async () => {
        const about = askedAbout();
        return about === undefined || about === team.id;
      });
    }
    expect(await members()).toEqual([NORTH.id, SOUTH.id]);
    expect(Object.keys(await record(ORG))).toEqual(['installation']);
    for (const { id } of [NORTH, SOUTH]) expect(await record(id)).toEqual({ served: ORG });
    expect(bot.slack.calls.filter(({ fields }) => fields.team_id === ORG)).toEqual([]);
    expect(bot.log()).not.toMatch(/A listener failed|Could not process/);
  });
});

describe('two workspaces of an organization', () => {
  const balanceByClick = async (team: Team) => {
    const before = bot.billing.requests.length;
    await bot.interact(team, { ...from(team), ...click('run:x', '/balance 123') });
    await waitUntil(() => bot.billing.requests.length > before);
    return ofBilling();
  };
  const balanceByMention = async (team: Team) => {
    const before = bot.billing.requests.length;
    await bot.event(eventFrom(team, { type: 'app_mention', text: 'balance 123' }));
    await waitUntil(() => bot.billing.requests.length > before);
    return ofBilling();
  };

  it('are each answered through their own connection', async () => {
    await bot.connect(NORTH, 'Read-only', ORG);
    await bot.connect(SOUTH, 'Accountant', ORG);
    expect(Object.keys(await record(ORG))).toEqual(['installation']);
    for (const [team, label] of [
      [NORTH, 'Read-only'],
      [SOUTH, 'Accountant'],
    ] as const) {
      expect(await balanceByClick(team)).toBe(label);
      expect(await balanceByMention(team)).toBe(label);
      expect((await bot.command(team, '/balance 123')).reply).toContain('left');
      expect(ofBilling()).toBe(label);
    }
  });

  it('don’t use each other’s connection', async () => {
    await bot.connect(NORTH, 'Read-only', ORG);
    const before = bot.billing.requests.length;
    await bot.interact(SOUTH, {
      ...from(SOUTH),
      response_url: bot.slack.replyAddress('click'),
      ...click('run:x', '/balance 123'),
    });
    await waitUntil(() => bot.slack.replies.some(({ url }) => url.endsWith('/click')));
    expect(JSON.stringify(bot.slack.replies.at(-1))).toContain('isn’t connected');
    expect(bot.billing.requests).toHaveLength(before);
  });
});

describe('another customer in a channel shared with an organization', () => {
  const inShared = (event: object) => ({
    ...eventFrom(OTHER, { type: 'app_mention', text: 'balance 123', ...event }),
    enterprise_id: null,
    context_team_id: null,
    is_ext_shared_channel: true,
  });

  it('gets no answer through the organization’s installation', async () => {
    await bot.connect(OTHER, 'Read-only');
    const before = bot.billing.requests.length;
    expect(await bot.event(inShared({}))).toBe(200);
    expect(
      (
        await bot.interact(OTHER, {
          ...from(OTHER),
          ...click('rerun:x', '/billing help'),
          enterprise: { id: ORG },
          is_enterprise_install: true,
        })
      ).status,
    ).toBe(200);
    expect(await members()).not.toContain(OTHER.id);
    expect(await record(OTHER.id)).not.toHaveProperty('served');
    expect(bot.billing.requests).toHaveLength(before);
  });

  it('keeps its data when the organization uninstalls Tally', async () => {
    await bot.connect(OTHER, 'Read-only');
    await bot.interact(OTHER, {
      ...from(OTHER),
      view: undefined,
      ...click('rerun:x', '/billing help'),
      enterprise: { id: ORG },
      is_enterprise_install: true,
    });
    bot.slack.revoke(ORG);
    expect(await bot.event({ team_id: null, enterprise_id: ORG, event: { type: 'app_uninstalled' } })).toBe(
      200,
    );
    expect((await bot.command(OTHER, '/balance 123')).reply).toContain('left');
  });
});

describe('a command from an organization without a valid workspace ID', () => {
  it.each([
    ['empty', ''],
    ['the organization’s own ID', ORG],
  ])('adds no workspace to the organization if the ID is %s', async (_, id) => {
    const { reply } = await bot.command({ ...NORTH, id }, '/billing help');
    expect(reply).toContain('Tally only answers members');
    expect(await members()).toEqual([]);
    bot.slack.revoke(ORG);
    const event = { team_id: null, enterprise_id: ORG, event: { type: 'app_uninstalled' } };
    expect(await bot.event(event)).toBe(200);
    expect((await bot.keys()).filter((key) => key.includes(ORG))).toEqual([]);
  });
});

describe('a workspace from which its organization removes Tally', () => {
  const own: Team = { ...SOUTH, whole: false };
  const access = (change: 'granted' | 'revoked', team: Team, event_time = epochSeconds()) => ({
    team_id: null,
    enterprise_id: ORG,
    event_time,
    event: { type: `team_access_${change}`, team_ids: [team.id] },
  });
  const keysOf = async ({ id }: Team) => (await bot.keys()).filter((key) => key.includes(id));

  it('keeps its data if it has an installation of its own', async () => {
    await bot.install(own);
    await bot.connect(own, 'Accountant');
    await bot.command(SOUTH, '/billing help');
    expect(await members()).toEqual([SOUTH.id]);
    expect(await bot.event(access('revoked', SOUTH))).toBe(200);
    expect(await members()).toEqual([]);
    expect(await record(SOUTH.id)).not.toHaveProperty('served');
    expect((await bot.command(own, '/balance 123')).reply).toContain('left');
    expect((await bot.command(SOUTH, '/balance 123')).reply).toContain('left');
  });

  it('keeps its data until its own token is revoked', async () => {
    await bot.install(own);
    await bot.command(SOUTH, '/billing help');
    await bot.command(NORTH, '/billing help');
    const gone = { team_id: null, enterprise_id: ORG, event: { type: 'app_uninstalled' } };
    expect(await bot.event(gone)).toBe(200);
    expect(await keysOf(NORTH)).toEqual([]);
    expect(Object.keys(await record(SOUTH.id))).toContain('installation');
    bot.slack.revoke(SOUTH.id);
    await bot.event(access('revoked', SOUTH));
    expect(await keysOf(SOUTH)).toEqual([]);
  });

  it('leaves no data behind even if a request arrives late', async () => {
    for (const team of [NORTH, SOUTH]) await bot.connect(team, 'Read-only');
    await bot.event(access('revoked', SOUTH));
    const { reply } = await bot.command(SOUTH, '/balance 123');
    expect(reply).toContain('/slack/install');
    await bot.event(eventFrom(SOUTH, { type: 'app_mention', text: 'help' }));
    expect(await keysOf(SOUTH)).toEqual([]);
    expect(await members()).toEqual([NORTH.id]);
    expect((await bot.command(NORTH, '/balance 123')).reply).toContain('left');
  });

  it('can use Tally again after the organization has added Tally again', async () => {
    const at = epochSeconds();
    await bot.event(access('revoked', SOUTH, at - 60));
    await bot.event(access('granted', SOUTH, at - 90));
    expect((await bot.command(SOUTH, '/billing help')).reply).toContain('/slack/install');
    await bot.event(access('granted', SOUTH, at - 30));
    await bot.connect(SOUTH, 'Read-only');
    await bot.event(access('revoked', SOUTH, at - 60));
    expect((await bot.command(SOUTH, '/balance 123')).reply).toContain('left');
  });

  it('keeps its data if Slack’s event names only the organization', async () => {
    await bot.connect(NORTH, 'Read-only');
    await bot.event(access('revoked', { ...SOUTH, id: ORG }));
    expect((await bot.command(NORTH, '/balance 123')).reply).toContain('left');
  });
});
