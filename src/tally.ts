#!/usr/bin/env node
/** The `tally` executable: `tally start`, `tally doctor` and so on. Variables that aren't set are read from `.env`. */
import { existsSync } from 'node:fs';
import { VERSION } from './ops/version.ts';

process.setSourceMapsEnabled(true);
// If DEBUG is set, libraries print what they send, such as the Redis password.
// biome-ignore lint/style/noProcessEnv: deletes the variable, reads none
delete process.env.DEBUG;

const COMMANDS: Readonly<Record<string, readonly [what: string, run: () => Promise<unknown>]>> = {
  start: ['runs the bot until SIGTERM', () => import('./main.ts')],
  doctor: [
    'checks the environment, Redis, Slack and the services, and says what to fix',
    async () => (await import('./cli/doctor.ts')).runDoctor(),
  ],
  init: ['asks for what Tally needs, and writes .env', async () => (await import('./cli/init.ts')).runInit()],
  manifest: [
    'prints the Slack app’s manifest, to paste at api.slack.com',
    async () => (await import('./cli/manifest.ts')).runManifest(),
  ],
  reseal: [
    'encrypts every secret again with the newest of ENCRYPTION_KEYS',
    async () => (await import('./cli/reseal.ts')).runReseal(),
  ],
  'check-billing': [
    'checks whether a billing service answers as Tally needs',
    async () => (await import('./cli/check-billing.ts')).runCheckBilling(),
  ],
};

const [WRONG_USAGE, WRONG_CONFIGURATION] = [64, 78];

/** Containers have no `.env`. Variables that are already set keep their values. */
function loadEnvFile(): void {
  if (!existsSync('.env')) return;
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    process.stderr.write(`.env can’t be read (${code}). Let this user read it, or remove it.\n`);
    process.exit(WRONG_CONFIGURATION);
  }
}

const usage = [
  'Usage: tally <command>, or tally --version',
  '',
  ...Object.entries(COMMANDS).map(([name, [what]]) => `  ${name.padEnd(15)}${what}`),
  '',
  'Tally is configured by environment variables: see docs/environment.md in the package.',
].join('\n');

const asksForHelp = (word = '') => ['help', '--help', '-h'].includes(word);
const [name = '', ...rest] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
// `start` takes no options; it is configured by the environment.
if (command !== undefined && (rest.length === 0 || name !== 'start')) {
  loadEnvFile();
  await command[1]();
} else if (asksForHelp(name) || (name === 'start' && asksForHelp(rest[0]))) {
  process.stdout.write(`${usage}\n`);
} else if (['version', '--version', '-v'].includes(name) && rest.length === 0) {
  process.stdout.write(`${VERSION}\n`);
} else {
  const wrong = command === undefined ? `Unknown command ${name}.` : `${name} takes no options.`;
  process.stderr.write(`${name === '' ? '' : `${wrong}\n\n`}${usage}\n`);
  process.exitCode = WRONG_USAGE;
}
