import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appAddress, createManifest, UNINSTALL_EVENTS } from '../src/slack/install/manifest.ts';
import { type Bot, startBot } from './support/bot.ts';

describe('the Slack app manifest', () => {
  const manifest = createManifest({ url: 'https://tally.example.com' });
  const { display_information: shown, features, oauth_config: oauth, settings } = manifest;
  let bot: Bot;
  beforeAll(async () => {
    bot = await startBot();
  });
  afterAll(() => bot.stop());

  it('stays within Slack’s limits', () => {
    expect(shown.name.length).toBeLessThanOrEqual(35);
    expect(shown.description.length).toBeLessThanOrEqual(140);
    expect(shown.long_description.length).toBeGreaterThanOrEqual(175);
    expect(shown.long_description.length).toBeLessThanOrEqual(4_000);
    expect(features.slash_commands.length).toBeLessThanOrEqual(50);
    for (const { command, usage_hint } of features.slash_commands) {
      expect(command).toMatch(/^\/[a-z-]{1,31}$/);
      expect(usage_hint.length).toBeLessThanOrEqual(1_000);
    }
  });

  it('names exactly the commands that the bot handles', () => {
    const named = features.slash_commands.map(({ command }) => command);
    expect(named.sort()).toEqual([...bot.registry.commands()].sort());
  });

  it('makes Slack send typed text unescaped', () => {
    for (const { should_escape } of features.slash_commands) expect(should_escape).toBe(false);
  });

  it('gives Slack a single address for commands, clicks and events', () => {
    const addresses = JSON.stringify(manifest).match(/https:[^"]+/g) ?? [];
    expect(addresses.sort()).toEqual([
      ...Array(7).fill('https://tally.example.com/slack/events'),
      'https://tally.example.com/slack/oauth_redirect',
    ]);
    expect(settings.interactivity.is_enabled).toBe(true);
    expect(settings.socket_mode_enabled).toBe(false);
  });

  it('asks for exactly the scopes that Tally needs', () => {
    expect(oauth.scopes).toEqual({
      bot: [
        'commands',
        'chat:write',
        'im:write',
        'users:read',
        'app_mentions:read',
        'im:history',
        'channels:read',
        'groups:read',
      ],
      bot_optional: [
        'channels:join',
        'channels:history',
        'groups:history',
        'usergroups:read',
        'reactions:write',
        'files:write',
      ],
    });
  });

  it('subscribes to exactly the events that the bot handles', () => {
    const listened = Object.keys(bot.registry.handlers().events);
    const named = settings.event_subscriptions.bot_events;
    expect(named.map((name) => name.split('.')[0]).sort()).toEqual([...listened, ...UNINSTALL_EVENTS].sort());
  });

  it('turns on the Home tab and the tab for direct messages', () => {
    expect(features.app_home).toEqual({
      home_tab_enabled: true,
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
  });

  it('can be for an organization, with or without steps for Workflow Builder', () => {
    expect(createManifest({ org: true }).settings).toMatchObject({ org_deploy_enabled: true });
    expect(createManifest({}).settings).not.toHaveProperty('function_runtime');
    const { settings } = createManifest({ functions: {} });
    expect(settings).toMatchObject({ org_deploy_enabled: true, function_runtime: 'remote' });
    expect(settings.event_subscriptions.bot_events).toContain('function_executed');
  });

  it.each([
    ['http://tally.example.com', 'is not an https address'],
    ['https://me:pw@tally.example.com', 'is not an https address'],
    ['https://tally.example.com/slack/events', 'has a path'],
  ])('can’t have the invalid address %s', (text, why) => {
    expect(appAddress.safeParse(text).error?.issues[0]?.message).toMatch(why);
  });
});
