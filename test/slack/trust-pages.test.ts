import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/slack/install/scopes.ts';
import { type OAuthBot, startOAuthBot } from '../support/oauth-bot.ts';

const PATHS = ['/privacy', '/support', '/security'] as const;

const read = async (bot: OAuthBot, path: string) => {
  const response = await fetch(bot.urls[0] + path);
  const html = await response.text();
  return { status: response.status, headers: response.headers, html, text: html.replace(/<[^>]*>/g, '') };
};

describe('the pages about trust', () => {
  let bot: OAuthBot;
  beforeAll(async () => {
    bot = await startOAuthBot();
  });
  afterAll(() => bot.stop());

  it.each(PATHS)('%s is served, loads nothing from elsewhere, and leads to the other two', async (path) => {
    const { status, headers, html } = await read(bot, path);
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).not.toMatch(/<script|src=|@import|url\(/);
    for (const other of PATHS) expect(html.includes(`href="${other}"`)).toBe(other !== path);
  });

  it('are linked where an installation begins', async () => {
    const { html } = await bot.openInstallPage();
    for (const path of PATHS) expect(html).toContain(`href="${path}"`);
  });

  it('name every scope with its reason', async () => {
    const { html } = await read(bot, '/security');
    for (const { scope, why } of SCOPES) expect(html).toContain(`<code>${scope}</code></dt><dd>${why}`);
  });

  it('say whom to ask if no address for help is configured', async () => {
    const { text } = await read(bot, '/support');
    expect(text).toContain('Ask the person who installed Tally in your workspace');
    expect(text).toContain('/billing help');
  });
});

describe('the pages about trust of a bot with its own settings', () => {
  it.each([
    ['hashed', 'as a hash that only this bot can make'],
    ['plain', 'by their Slack ID'],
    ['none', 'don’t appear'],
  ])('say how the log names people: %s', async (LOG_USER_IDS, says) => {
    const bot = await startOAuthBot({ env: { LOG_USER_IDS } });
    expect((await read(bot, '/privacy')).text).toContain(says);
    await bot.stop();
  });

  it('link the address for help, and mention traces if they are sent', async () => {
    const bot = await startOAuthBot({
      env: {
        SUPPORT_URL: 'mailto:help@example.com?subject=%22Tally%22',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      },
    });
    for (const path of ['/support', '/security'])
      expect((await read(bot, path)).html).toContain('href="mailto:help@example.com?subject=%22Tally%22"');
    expect((await read(bot, '/privacy')).text).toContain('sends traces');
    await bot.stop();
  });

  it('are served to a bot with the token of one workspace, and in Socket Mode', async () => {
    const bot = await startOAuthBot({
      env: {
        SLACK_BOT_TOKEN: 'xoxb-x',
        SLACK_CLIENT_ID: '',
        SLACK_CLIENT_SECRET: '',
        SLACK_STATE_SECRET: '',
        SLACK_APP_TOKEN: 'xapp-for-tests',
      },
    });
    for (const path of PATHS) expect((await read(bot, path)).status).toBe(200);
    await bot.stop();
  });
});
