import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { startRedis } from '../../sandbox/redis.ts';
import { openWakeUps, save, schedule } from '../support/delivery.ts';
import type { Team } from '../support/oauth-bot.ts';
import { epochSeconds, type OAuthBot, startOAuthBot } from '../support/oauth-bot.ts';
import { waitUntil } from '../support/wait-until.ts';

const NORTH: Team = { id: 'T0NORTH001', name: 'North' };
const SOUTH: Team = { id: 'T0SOUTH001', name: 'South' };
const ORG = 'E0GRID0001';
const GRID: Team = { id: 'T0GRID0001', name: 'Grid', enterprise: ORG, whole: true };
const EAST: Team = { ...GRID, id: 'T0EAST0001' };

const UNINSTALLED = { type: 'app_uninstalled' };
const REVOKED = { type: 'tokens_revoked', tokens: { bot: ['U0BOT00001'] } };

let bot: OAuthBot;
afterEach(() => bot.stop());

async function started(options: Parameters<typeof startOAuthBot>[0] = {}): Promise<OAuthBot> {
  bot = await startOAuthBot(options);
  return bot;
}

const keysWith = async (id: string) => (await bot.keys()).filter((key) => key.includes(id));
const isInstalled = ({ id }: { id: string }) =>
  bot.redis.client.hexists(`tally:{${id}}:record`, 'installation');

/** Wakes the bot for this workspace, as a schedule does. */
async function wakes(url: string, workspace: string): Promise<void> {
  const wakeUps = openWakeUps(bot.redis.client, url);
  await wakeUps.wake(workspace, Date.now() + 60_000);
  await wakeUps.close();
}

/** Fills a workspace with every kind of key that it can have. */
async function livedIn(team: Team): Promise<void> {
  const { status } = await bot.install(team);
  expect(status).toBe(200);
  await bot.connect(team, 'Read-only');
  expect((await bot.command(team, '/balance 123')).reply).toContain('left');
  await waitUntil(async () => (await keysWith(team.whole ? ORG : team.id)).length >= 2);
  await save(bot.redis.client, team.id, schedule({ since: Date.now() }));
  await bot.redis.client.hset(`tally:{${team.id}}:delivery-log`, 'schedul1/2026-11-20', '{}');
  await wakes(bot.redis.url, team.id);
  await bot.redis.client.set(`tally:{${team.id}}:token-lock`, 'x', 'PX', 60_000);
}

describe('the data of a workspace', () => {
  it.each([
    ['app_uninstalled', [UNINSTALLED]],
    ['tokens_revoked', [REVOKED]],
    ['both events', [UNINSTALLED, REVOKED]],
    ['both events in reverse order, each twice', [REVOKED, UNINSTALLED, REVOKED, UNINSTALLED]],
  ])('is deleted from Redis after %s, and another workspace’s data is kept', async (_, events) => {
    await started();
    await livedIn(NORTH);
    await livedIn(SOUTH);
    const neighbour = await bot.redis.client.hgetall(`tally:{${SOUTH.id}}:record`);
    expect((await keysWith(NORTH.id)).length).toBeGreaterThanOrEqual(4);
    bot.slack.revoke(NORTH.id);
    for (const event of events) expect(await bot.event({ team_id: NORTH.id, event })).toBe(200);
    expect(await keysWith(NORTH.id)).toEqual([]);
    expect(await bot.redis.client.hgetall(`tally:{${SOUTH.id}}:record`)).toEqual(neighbour);
    expect((await bot.command(SOUTH, '/balance 123')).reply).toContain('left');
  });

  it('is deleted from Redis even if the installation can’t be decrypted', async () => {
    await started();
    await livedIn(NORTH);
    await bot.redis.client.hset(`tally:{${NORTH.id}}:record`, { installation: 'v1.gone.x.y' });
    expect(await bot.event({ team_id: NORTH.id, event: UNINSTALLED })).toBe(200);
    expect(await keysWith(NORTH.id)).toEqual([]);
  });

  it('is kept if only a user’s own token was revoked', async () => {
    await started();
    await livedIn(NORTH);
    const event = { type: 'tokens_revoked', tokens: { oauth: ['U1'], bot: [] } };
    expect(await bot.event({ team_id: NORTH.id, event })).toBe(200);
    expect(await isInstalled(NORTH)).toBe(1);
  });

  it('is kept if Slack resends an uninstall event from before the installation', async () => {
    await started();
    await livedIn(NORTH);
    const event = { team_id: NORTH.id, event: UNINSTALLED, event_time: epochSeconds() - 300 };
    expect(await bot.event(event)).toBe(200);
    expect(await isInstalled(NORTH)).toBe(1);
    bot.slack.revoke(NORTH.id);
    expect(await bot.event(event)).toBe(200);
    expect(await keysWith(NORTH.id)).toEqual([]);
  });

  it('is kept if the uninstall event isn’t signed by Slack', async () => {
    await started();
    await livedIn(NORTH);
    const body = JSON.stringify({ type: 'event_callback', team_id: NORTH.id, event: UNINSTALLED });
    const at = String(epochSeconds());
    const signature = createHmac('sha256', 'another').update(`v0:${at}:${body}`).digest('hex');
    const { status } = await fetch(`${bot.urls[0]}/slack/events`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': at,
        'x-slack-signature': `v0=${signature}`,
      },
      body,
    });
    expect(status).toBe(401);
    expect(await isInstalled(NORTH)).toBe(1);
  });

  it('can’t be deleted while Redis is down, so the uninstall event isn’t acknowledged', async () => {
    const store = await startRedis();
    await started({ env: { REDIS_URL: store.url } });
    await store.stop();
    expect(await bot.event({ team_id: NORTH.id, event: UNINSTALLED })).toBeGreaterThanOrEqual(400);
  });
});

describe('an organization', () => {
  const installed = async () => {
    await started();
    await bot.install(SOUTH);
    await bot.install(GRID);
    for (const team of [GRID, EAST]) await bot.connect(team, 'Read-only');
    expect(await keysWith('GRID')).toEqual(
      expect.arrayContaining([
        `tally:{${ORG}}:members`,
        `tally:{${ORG}}:record`,
        `tally:{${GRID.id}}:record`,
      ]),
    );
  };
  const nothingLeft = async () => {
    for (const id of [ORG, GRID.id, EAST.id]) expect(await keysWith(id)).toEqual([]);
    expect(await isInstalled(SOUTH)).toBe(1);
  };

  it.each([
    [
      'is for the whole organization',
      { team_id: GRID.id, authorizations: [{ is_enterprise_install: true }] },
    ],
    ['names no workspace', { team_id: null }],
    ['names one of its workspaces after the token was revoked', { team_id: EAST.id, authorizations: [] }],
  ])('loses the data of all its workspaces if its uninstall event %s', async (_, body) => {
    await installed();
    bot.slack.revoke(ORG);
    for (const event of [REVOKED, UNINSTALLED])
      expect(await bot.event({ ...body, enterprise_id: ORG, event })).toBe(200);
    await nothingLeft();
  });

  it('can remove Tally from single workspaces and keep it in others', async () => {
    await installed();
    const event = { type: 'team_access_revoked', team_ids: [EAST.id, 'T0NEVERSEEN'] };
    expect(await bot.event({ team_id: EAST.id, enterprise_id: ORG, event })).toBe(200);
    expect(await keysWith(EAST.id)).toEqual([]);
    expect(await bot.redis.client.smembers(`tally:{${ORG}}:members`)).toEqual([GRID.id]);
    expect((await bot.command(GRID, '/balance 123')).reply).toContain('left');
  });

  it('can remove Tally from a workspace and add Tally again', async () => {
    await installed();
    for (const type of ['team_access_revoked', 'team_access_granted'])
      await bot.event({ team_id: EAST.id, enterprise_id: ORG, event: { type, team_ids: [EAST.id] } });
    await bot.connect(EAST, 'Read-only');
    expect((await bot.redis.client.smembers(`tally:{${ORG}}:members`)).sort()).toEqual([EAST.id, GRID.id]);
  });
});

/** Deletes everything while a form's token is still being tested. */
async function connectingWhile(leave: () => Promise<unknown>): Promise<void> {
  bot.billing.setMode('slow');
  const connecting = bot.connect(NORTH, 'Read-only');
  await waitUntil(() => bot.billing.requests.length > 0);
  await leave();
  await connecting;
}

describe('a token that is being tested during an uninstall', () => {
  it.each([0, 1])('isn’t stored afterwards, whichever process handles the uninstall: %i', async (at) => {
    await started({ processes: 2 });
    await bot.install(NORTH);
    await connectingWhile(async () => {
      bot.slack.revoke(NORTH.id);
      expect(await bot.event({ team_id: NORTH.id, event: UNINSTALLED }, bot.urls[at])).toBe(200);
    });
    expect(await keysWith(NORTH.id)).toEqual([]);
  });

  it.each([0, 1])(
    'isn’t stored in single-workspace mode, whichever process handles the uninstall: %i',
    async (at) => {
      await started({ processes: 2, env: ONE_TOKEN });
      bot.slack.grant(ONE_TOKEN.SLACK_BOT_TOKEN, NORTH);
      await connectingWhile(async () => {
        bot.slack.revoke(NORTH.id);
        expect(await bot.event({ team_id: NORTH.id, event: UNINSTALLED }, bot.urls[at])).toBe(200);
      });
      expect(await bot.keys()).toEqual([]);
    },
  );
});

const ONE_TOKEN = {
  SLACK_BOT_TOKEN: 'xoxb-the-one',
  SLACK_CLIENT_ID: '',
  SLACK_CLIENT_SECRET: '',
  SLACK_STATE_SECRET: '',
};

describe('the workspace of a bot with a configured token', () => {
  it('leaves no data in Redis if it uninstalls Tally', async () => {
    await started({ env: ONE_TOKEN });
    await bot.redis.client.hset(`tally:{${NORTH.id}}:record`, { settings: '{}' });
    await bot.redis.client.xadd(`tally:{${NORTH.id}}:audit`, '*', 'at', '1');
    expect(await bot.event({ team_id: NORTH.id, event: UNINSTALLED })).toBe(200);
    expect(await bot.keys()).toEqual([]);
  });
});
