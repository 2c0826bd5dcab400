import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildBot } from '../sandbox/build.ts';
import { createManifest } from '../src/slack/install/manifest.ts';

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
    [[], 'Choose one: --url with the bot’s address, or --socket.'],
    [[...URL_OPTION, '--socket'], 'Choose one: --url'],
    [['--url'], '--url'],
    [['--url', 'tally.example.com'], '--url is not an https address. For example https://tally.example.com.'],
    [['--url', 'http://tally.example.com'], '--url is not an https address.'],
    [['--url', 'https://me:pw@tally.example.com'], '--url is not an https address.'],
    [['--url', 'https://tally.example.com/slack/events'], '--url has a path.'],
    [['--socket', '--prefix', 'Acme'], '--prefix is not a prefix.'],
    [['--socket', '--prefix', 'a-'], '--prefix is not a prefix.'],
    [['--socket', '--prefix', 'a'.repeat(23)], '--prefix is too long. It has up to 22 characters.'],
    [['--sockets'], '--sockets'],
    [['--socket=yes'], '--socket'],
    [['https://tally.example.com'], 'Expected only options.'],
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
});
