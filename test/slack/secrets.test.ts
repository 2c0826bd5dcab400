import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { type OAuthBot, STATE_SECRET, startOAuthBot, type Team } from '../support/oauth-bot.ts';
import { dumpRedis } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';

const NORTH: Team = { id: 'T0NORTH001', name: 'North' };
const TURNING: Team = { id: 'T0TURN0001', name: 'Turning', expires: 3600 };
const GRID: Team = { id: 'T0GRID0001', name: 'Grid', enterprise: 'E0GRID0001', whole: true };

/** The encodings in which a secret can leak: plain, JSON, URL, hexadecimal, base64 at every offset. */
function encodingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    // The outer characters depend on the neighbouring bytes.
    const cut = (text: string) => text.replaceAll('=', '').slice(offset === 0 ? 0 : offset + 1, -1);
    return [cut(shifted.toString('base64')), cut(shifted.toString('base64url'))];
  });
  const quoted = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, quoted, encodeURIComponent(secret), bytes.toString('hex'), ...base64])].filter(
    (form) => form.length >= 8,
  );
}

let running: OAuthBot | undefined;
afterEach(async () => {
  await running?.stop();
});

describe('a secret', () => {
  it('that a person entered can be read neither in Redis nor in the log nor in Slack', async () => {
    const key = randomBytes(32).toString('base64');
    const bot = await startOAuthBot({ env: { ENCRYPTION_KEYS: `test:${key}` } });
    running = bot;
    for (const team of [NORTH, TURNING, GRID]) {
      await bot.install(team);
      // The third token is one that the service rejects.
      await bot.connect(team, 'Read-only');
      await bot.connect(team, 'Administrator');
      bot.billing.setMode('refused');
      await bot.connect(team, 'Accountant');
      bot.billing.setMode('healthy');
      for (const text of ['/balance 123', '/spend 123 mtd', '/billing status', '/billing audit', '/nothing'])
        await bot.command(team, text);
      const { body } = await bot.interact(team, {
        type: 'block_actions',
        actions: [{ action_id: 'audit-csv', type: 'button', value: '' }],
        channel: { id: 'C0COSTS001' },
        response_url: bot.slack.replyAddress(`csv-${team.id}`),
      });
      expect(body).toBe('');
    }
    expect((await bot.command(NORTH, '/billing connect xoxb-0123456789-0123456789-typed')).reply).toContain(
      'looks like a token',
    );
    bot.slack.revoke(NORTH.id);
    await bot.command(NORTH, '/balance 123');
    await waitUntil(() => bot.slack.called('oauth.v2.access').some(({ fields }) => fields.refresh_token));

    const dump = await dumpRedis(bot.redis.client);
    // An OAuth code, a refresh token and the app's own secret go to Slack only.
    const calls = bot.slack.calls
      .filter(({ method }) => method !== 'oauth.v2.access')
      .map(({ method, fields }) => ({ method, fields }));
    const told = JSON.stringify([calls, bot.slack.replies]);
    const secrets = [
      ...bot.slack.secrets,
      ...bot.billing.tokens.map(({ value }) => value),
      ...[STATE_SECRET, key, 'xoxb-0123456789-0123456789-typed'],
    ];
    expect(dump).toContain('replaced the token of the connection');
    expect(told).toContain('Who changed what');
    expect(secrets.length).toBeGreaterThan(15);
    for (const [where, text] of Object.entries({ dump, log: bot.log(), told }))
      for (const secret of secrets)
        for (const form of encodingsOf(secret))
          expect(text.includes(form), `in the ${where}: ${form}`).toBe(false);
  });
});
