import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { boltLogger, createLog } from '../../src/ops/log.ts';
import { createInstallations, type Installations } from '../../src/slack/install/installations.ts';
import { createResponseUrlClient } from '../../src/slack/reply/message-calls.ts';
import { callSlack } from '../../src/slack/web-client.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createAudit } from '../../src/workspace/record/audit.ts';
import { BOT_TOKEN } from '../support/bot.ts';
import {
  CLIENT,
  type OAuthBot,
  PUBLIC_URL,
  SIGNING_SECRET,
  STATE_SECRET,
  startOAuthBot,
  type Team,
} from '../support/oauth-bot.ts';

const NORTH: Team = { id: 'T0NORTH001', name: 'North' };
const GRID: Team = { id: 'T0GRID0001', name: 'Grid', enterprise: 'E0GRID0001', whole: true };

let bot: OAuthBot;
let worker: Installations;
afterEach(() => bot.stop());

/** Starts the bot, and a second process that gets no payloads from Slack. */
async function started(credentials?: NodeJS.ProcessEnv): Promise<void> {
  const keys = `test:${randomBytes(32).toString('base64')}`;
  bot = await startOAuthBot({ env: { ENCRYPTION_KEYS: keys } });
  const config = parseConfig({
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_API_URL: `${bot.slack.url}/api/`,
    REDIS_URL: bot.redis.url,
    ENCRYPTION_KEYS: keys,
    ...(credentials ?? {
      SLACK_CLIENT_ID: CLIENT.id,
      SLACK_CLIENT_SECRET: CLIENT.secret,
      SLACK_STATE_SECRET: STATE_SECRET,
      PUBLIC_URL,
    }),
  });
  const log = createLog('silent', { write: () => undefined });
  worker = createInstallations(config.slack, {
    onForget: async () => undefined,
    redis: bot.redis.client,
    keyring: createKeyring(config.keys),
    audit: createAudit(bot.redis.client),
    responseUrls: createResponseUrlClient(),
    log,
    boltLogger: boltLogger(log),
    clock: Date.now,
  });
}

const post = async (workspace: string) => {
  const client = await worker.clientFor(workspace);
  await client.chat.postMessage({ channel: 'C0COSTS001', text: 'Monday' });
  return bot.slack.called('chat.postMessage').at(-1);
};

describe('a scheduled post', () => {
  it('uses the configured token in single-workspace mode', async () => {
    await started({ SLACK_BOT_TOKEN: BOT_TOKEN });
    await worker.clientFor(NORTH.id).then((client) => client.auth.test().catch(() => undefined));
    expect(bot.slack.called('auth.test').at(-1)?.token).toBe(BOT_TOKEN);
  });

  it('uses the organization’s token for a workspace that has already used Tally', async () => {
    await started();
    await bot.install(GRID);
    await expect(worker.clientFor(GRID.id)).rejects.toEqual(
      new Failure('not-installed', { reason: 'unknown' }),
    );
    await bot.command(GRID, '/billing help');
    expect(await post(GRID.id)).toMatchObject({ of: GRID.enterprise, fields: { team_id: GRID.id } });
  });

  it.each([
    ['the workspace', { team_ids: [GRID.id], type: 'team_access_revoked' }],
    ['its organization', { type: 'app_uninstalled' }],
  ])('isn’t sent once %s has uninstalled Tally', async (_, event) => {
    await started();
    await bot.install(GRID);
    await bot.command(GRID, '/billing help');
    bot.slack.revoke('E0GRID0001');
    await bot.event({ team_id: GRID.id, enterprise_id: GRID.enterprise, event });
    await expect(worker.clientFor(GRID.id)).rejects.toEqual(
      new Failure('not-installed', { reason: 'unknown' }),
    );
    expect((await bot.keys()).filter((key) => key.includes(GRID.id))).toEqual([]);
  });

  it('isn’t sent with an expired token', async () => {
    await started();
    await bot.install({ ...NORTH, expires: 0 });
    bot.slack.refuse('oauth.v2.access', 'internal_error');
    await expect(worker.clientFor(NORTH.id)).rejects.toEqual(
      new Failure('not-installed', { reason: 'expired' }),
    );
  });
});

describe('a call beyond Slack’s rate limit', () => {
  it('fails with the number of seconds to wait', async () => {
    await started();
    await bot.install(NORTH);
    bot.slack.limit('chat.postMessage', 7);
    const client = await worker.clientFor(NORTH.id);
    const call = callSlack('chat.postMessage', () => client.chat.postMessage({ channel: 'C1', text: 'x' }));
    await expect(call).rejects.toMatchObject({
      kind: 'slack-failed',
      data: { code: 'ratelimited', retryAfter: 7 },
    });
    expect(bot.slack.called('chat.postMessage').filter(({ fields }) => fields.text === 'x')).toHaveLength(1);
  });
});
