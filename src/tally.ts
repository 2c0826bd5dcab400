#!/usr/bin/env node
/** The executable of the image and of package.json's `bin`: `tally start`, `tally doctor`, … */
import { VERSION } from './ops/version.ts';
import { prepareNode } from './runtime/prepare-node.ts';

const COMMANDS: Readonly<
  Record<string, { readonly what: string; load(): Promise<unknown>; readonly hasOptions?: boolean }>
> = {
  start: { what: 'runs the bot until SIGTERM', load: () => import('./main.ts') },
  doctor: {
    what: 'checks the environment, Redis, Slack and the services; says what to fix',
    load: () => import('./cli/doctor.ts'),
    hasOptions: true,
  },
  init: {
    what: 'sets up Tally for your workspace, step by step',
    load: () => import('./cli/init.ts'),
    hasOptions: true,
  },
  manifest: {
    what: 'prints the Slack app’s manifest, to paste at api.slack.com',
    load: () => import('./cli/manifest.ts'),
    hasOptions: true,
  },
  reseal: {
    what: 'seals every secret anew under the newest of ENCRYPTION_KEYS',
    load: async () => (await import('./cli/records.ts')).runReseal(),
    hasOptions: true,
  },
  copy: {
    what: 'copies every workspace from another Redis',
    load: async () => (await import('./cli/records.ts')).runCopy(),
    hasOptions: true,
  },
  backup: {
    what: 'writes every workspace to a file',
    load: async () => (await import('./cli/records.ts')).runBackup(),
    hasOptions: true,
  },
  restore: {
    what: 'checks such a file, and writes it to Redis',
    load: async () => (await import('./cli/records.ts')).runRestore(),
    hasOptions: true,
  },
  'check-billing': {
    what: 'asks a billing service what Tally asks, and says whether it conforms',
    load: () => import('./cli/check-billing.ts'),
    hasOptions: true,
  },
};

/** EX_USAGE of sysexits.h */
const WRONG_USAGE = 64;

const usage = [
  'Usage: tally <command>, or tally --version',
  '',
  ...Object.entries(COMMANDS).map(([name, { what }]) => `  ${name.padEnd(15)}${what}`),
  '',
  'The environment is the configuration: see docs/environment.md in the release file.',
].join('\n');

const [name = '', ...rest] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command !== undefined && (rest.length === 0 || command.hasOptions)) {
  prepareNode();
  await command.load();
} else if (['help', '--help', '-h'].includes(name)) {
  process.stdout.write(`${usage}\n`);
} else if (['--version', '-v'].includes(name) && rest.length === 0) {
  process.stdout.write(`${VERSION}\n`);
} else {
  process.stderr.write(`${usage}\n`);
  process.exitCode = WRONG_USAGE;
}
