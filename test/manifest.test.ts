import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildBot } from '../sandbox/build.ts';
import { createManifest, formatManifest } from '../src/slack/install/manifest.ts';
import { SCOPES } from '../src/slack/install/scopes.ts';
import { UNINSTALL_EVENTS } from '../src/slack/install/uninstall.ts';
import { type Bot, startBot } from './support/bot.ts';

const atRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

interface Ran {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

const tallyManifest = (...options: string[]) =>
  new Promise<Ran>((resolve) => {
    execFile(process.execPath, [atRoot('dist/tally.js'), 'manifest', ...options], (error, output, errors) =>
      resolve({ code: Number(error?.code ?? 0), output, errors }),
    );
  });

beforeAll(() => buildBot(() => {}), 60_000);

const URL_OPTION = ['--url', 'https://tally.example.com'];
/** Every combination of what can be chosen. */
const FORMS = [URL_OPTION, ['--socket']].flatMap((address) =>
  [[], ['--prefix', 'acme']].flatMap((prefix) =>
    [[], ['--org']].flatMap((org) =>
      [[], ['--workflow-steps']].map((steps) => [...address, ...prefix, ...org, ...steps]),
    ),
  ),
);

/** Slack's own, from github.com/slackapi/manifest-schema; it is not ours to hand on. */
const schemaPath = (version: string) => atRoot(`../shared/slack-manifest/manifest.schema.${version}.json`);

const compileSchema = (version: string) => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv.compile(JSON.parse(readFileSync(schemaPath(version), 'utf8')));
};

describe.skipIf(!existsSync(schemaPath('1.0.0')))(
  'Slack’s schema, if it is at hand beside the repository',
  () => {
    it.each(FORMS.map((options) => ({ options })))(
      'takes what tally manifest prints: $options',
      async ({ options }) => {
        const [yaml, json] = await Promise.all([
          tallyManifest(...options),
          tallyManifest(...options, '--json'),
        ]);
        expect([yaml.errors, json.errors]).toEqual(['', '']);
        const manifest = parse(yaml.output);
        expect(JSON.parse(json.output)).toEqual(manifest);
        // Version 2 declares functions in another way, which is for apps that run at Slack.
        for (const version of manifest.functions === undefined ? ['1.0.0', '2.0.0'] : ['1.0.0']) {
          const validate = compileSchema(version);
          validate(manifest);
          expect(validate.errors).toBeNull();
        }
        // Slack's form may not know aliases.
        expect(yaml.output).not.toMatch(/: [&*]\w/);
        expect(yaml.output.includes('https://')).toBe(options.includes('--url'));
      },
    );

    it.each(['1.0.0', '2.0.0'])('%s would find a typing mistake', (version) => {
      const manifest = createManifest({});
      expect(compileSchema(version)({ ...manifest, setings: {} })).toBe(false);
    });
  },
);

describe('tally manifest', () => {
  it.each([
    [[], 'Choose one: --url with the bot’s address, or --socket for Socket Mode.'],
    [[...URL_OPTION, '--socket'], 'Choose one: --url'],
    [['--url'], '--url needs a value.'],
    [['--url', 'tally.example.com'], '--url is not an https address. For example https://tally.example.com.'],
    [['--url', 'http://tally.example.com'], '--url is not an https address.'],
    [['--url', 'https://me:pw@tally.example.com'], '--url is not an https address.'],
    [['--url', 'https://tally.example.com/slack/events'], '--url has a path.'],
    [['--socket', '--prefix', 'Acme'], '--prefix is not a prefix.'],
    [['--socket', '--prefix', 'a-'], '--prefix is not a prefix.'],
    [['--socket', '--prefix', 'a'.repeat(23)], '--prefix is too long. It has up to 22 characters.'],
    [['--sockets'], 'Unknown option --sockets.'],
    [['--socket=yes'], '--socket takes no value.'],
    [['https://tally.example.com'], 'Every word here is an option or the value of one.'],
  ])('refuses %j in one line, then says how it is used', async (options, line) => {
    const { code, output, errors } = await tallyManifest(...options);
    expect({ code, output }).toEqual({ code: 64, output: '' });
    expect(errors.split('\n')[0]).toContain(line);
    expect(errors).toContain('Usage: tally manifest');
  });

  it('takes an address with a slash at its end and a port', async () => {
    const { output } = await tallyManifest('--url', 'https://Tally.example.com:8443/', '--json');
    expect(JSON.parse(output).settings.interactivity.request_url).toBe(
      'https://tally.example.com:8443/slack/events',
    );
  });

  it('gives the longest prefix to every command, the name and the description', () => {
    const prefix = 'a'.repeat(22);
    const { features, display_information: shown } = createManifest({ prefix });
    const commands = features.slash_commands.map(({ command }) => command);
    expect(commands).toContain(`/${prefix}-os-token`);
    expect(Math.max(...commands.map(({ length }) => length))).toBe(32);
    expect([shown.name, features.bot_user.display_name]).toEqual([`Tally ${prefix}`, `Tally ${prefix}`]);
    expect(shown.name.length).toBeLessThanOrEqual(35);
    expect(shown.long_description).toContain(`/${prefix}-balance 123`);
    expect(shown.long_description).not.toMatch(/(?:^| )\/balance/);
  });

  it('makes an app for an organisation, and only with its steps one for Workflow Builder', () => {
    expect(createManifest({ org: true }).settings).toMatchObject({ org_deploy_enabled: true });
    expect(createManifest({}).settings).not.toHaveProperty('function_runtime');
    const { settings } = createManifest({ functions: {} });
    expect(settings).toMatchObject({ org_deploy_enabled: true, function_runtime: 'remote' });
    expect(settings.event_subscriptions.bot_events).toContain('function_executed');
  });
});

describe('the manifest', () => {
  const manifest = createManifest({ url: 'https://tally.example.com' });
  const text = formatManifest(manifest);
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

  it('names the commands that the bot listens to, and no other', () => {
    const named = features.slash_commands.map(({ command }) => command);
    expect(named.sort()).toEqual([...bot.registry.commands()].sort());
  });

  it('leaves what people type unescaped', () => {
    for (const { should_escape } of features.slash_commands) expect(should_escape).toBe(false);
  });

  it('sends everything to the one path the bot serves', () => {
    const addresses = JSON.stringify(manifest).match(/https:[^"]+/g) ?? [];
    expect(addresses.sort()).toEqual([
      ...Array(7).fill('https://tally.example.com/slack/events'),
      'https://tally.example.com/slack/oauth_redirect',
    ]);
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
    for (const { why } of SCOPES) expect(text).toContain(`# ${why}\n`);
  });

  it('subscribes to the events that are listened to, each with its reason, and no other', () => {
    const listened = Object.keys(bot.registry.listeners().events);
    const named = settings.event_subscriptions.bot_events;
    expect(named.map((name) => name.split('.')[0]).sort()).toEqual([...listened, ...UNINSTALL_EVENTS].sort());
    for (const name of named) expect(text).toMatch(new RegExp(`# to .+\\n +- ${name}\\n`));
  });

  it('opens the Home, and the tab in which private messages arrive and questions are asked', () => {
    expect(features.app_home).toEqual({
      home_tab_enabled: true,
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
  });
});
