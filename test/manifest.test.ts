import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { UNINSTALL_EVENTS } from '../src/slack/install/uninstall.ts';
import { type Bot, startBot } from './support/bot.ts';

const atRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const text = readFileSync(atRoot('manifest.yml'), 'utf8');
const manifest = parse(text);
const { display_information: shown, features, oauth_config: oauth, settings } = manifest;

/** Slack's own, from github.com/slackapi/manifest-schema; it is not ours to hand on. */
const schemaPath = (version: string) => atRoot(`../shared/slack-manifest/manifest.schema.${version}.json`);

describe.each(['1.0.0', '2.0.0'])('Slack’s schema %s', (version) => {
  const at = schemaPath(version);
  const read = () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    return ajv.compile(JSON.parse(readFileSync(at, 'utf8')));
  };

  it('takes the manifest', ({ skip }) => {
    if (!existsSync(at)) skip('Slack’s schema is not at hand beside the repository');
    const validate = read();
    validate(manifest);
    expect(validate.errors).toBeNull();
  });

  it('would find a typing mistake', ({ skip }) => {
    if (!existsSync(at)) skip('Slack’s schema is not at hand beside the repository');
    expect(read()({ ...manifest, setings: {} })).toBe(false);
  });
});

describe('the manifest', () => {
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

  it('names the commands that the bot listens to, and no other', () => {
    const named = features.slash_commands.map(({ command }: { command: string }) => command);
    expect(named.sort()).toEqual([...bot.registry.commands()].sort());
  });

  it('leaves what people type unescaped', () => {
    for (const { should_escape } of features.slash_commands) expect(should_escape).toBe(false);
  });

  it('sends everything to the one path the bot serves', () => {
    const addresses = [...text.matchAll(/^ +-? ?(?:url|request_url|message_menu_options_url): (.+)$/gm)];
    expect(addresses).toHaveLength(7);
    for (const [, address] of addresses) expect(address).toBe('https://tally.example.com/slack/events');
    expect(settings.interactivity.is_enabled).toBe(true);
    expect(settings.socket_mode_enabled).toBe(false);
  });

  it('asks for the least, each scope with its reason', () => {
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
      bot_optional: ['channels:join', 'channels:history', 'groups:history', 'usergroups:read', 'files:write'],
    });
    for (const scope of [...oauth.scopes.bot, ...oauth.scopes.bot_optional])
      expect(text).toMatch(new RegExp(`# .+\\n(?: +- [a-z:]+\\n)* +- ${scope}\\n`));
  });

  it('subscribes to the events that are listened to, each with its reason, and no other', () => {
    const listened = Object.keys(bot.registry.listeners().events);
    const named: string[] = settings.event_subscriptions.bot_events;
    expect(named.map((name) => name.split('.')[0]).sort()).toEqual([...listened, ...UNINSTALL_EVENTS].sort());
    expect(text).toMatch(/ +# .+\n +- app_home_opened\n +# .+\n +- app_mention\n +- message\.im\n/);
  });

  it('opens the Home, and the tab in which private messages arrive and questions are asked', () => {
    expect(features.app_home).toEqual({
      home_tab_enabled: true,
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
  });
});
