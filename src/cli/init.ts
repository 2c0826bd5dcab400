/** `tally init`: asks for what Tally needs, prints the app's manifest, and writes `.env`. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { variables } from '../config/variables.ts';
import { tryParse } from '../domain/try-parse.ts';
import { checkDestination } from '../http/address-rules.ts';
import { appAddress, createManifest, formatManifest } from '../slack/install/manifest.ts';
import {
  NOT_CREATED,
  openPrompts,
  parseOption,
  printError,
  printLine,
  runCliCommand,
  UsageError,
} from './command.ts';

const ENV_FILE = '.env';

const USAGE = `Usage: tally init

Sets up Tally for your workspace: asks what it needs, prints the Slack app’s manifest, writes .env with a fresh key, and
runs the doctor.`;

type Name = keyof typeof variables.shape;
type Values = Partial<Record<Name, string>>;
type Prompts = ReturnType<typeof openPrompts>;

/** `standard` is the answer if the input is empty; '' for an optional question. Without `standard`, input is hidden. */
type Question = readonly [name: Name, asks: string, standard?: string];

const questionsFor = (isSocket: boolean): readonly Question[] => [
  ['SLACK_BOT_TOKEN', 'The Bot User OAuth Token, on the app’s page OAuth & Permissions.'],
  isSocket
    ? ['SLACK_APP_TOKEN', 'The app-level token, on the app’s page Basic Information.']
    : ['SLACK_SIGNING_SECRET', 'The Signing Secret, on the app’s page Basic Information.'],
  ['REDIS_URL', 'The Redis where Tally stores everything.', 'redis://127.0.0.1:6379'],
  [
    'BILLING_BASE_URL',
    'The billing service’s address, the part before /bill/graphql. Leave it empty to enter it in Slack.',
    '',
  ],
  ['IDENTITY_AUTH_URL', 'The identity service’s address, ending with /v3. Only needed for OS_TOKENs.', ''],
];

async function askUntil<T>(ask: () => Promise<string>, read: (typed: string) => T): Promise<T> {
  for (;;) {
    try {
      return read(await ask());
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      printError(error.message);
    }
  }
}

function checkAnswer([name, , standard]: Question, value: string): string {
  if (value === '' && standard === '') return value;
  if (value === '') throw new UsageError('This can’t be empty.');
  parseOption<unknown>(name, variables.shape[name], value);
  return value;
}

function ask(question: Question, prompts: Prompts): Promise<string> {
  const [name, asks, standard] = question;
  printError(`\n${asks}`);
  const isHidden = standard === undefined;
  const hint = isHidden ? '(hidden)' : `[${standard || 'none'}]`;
  return askUntil(
    async () => (await prompts.ask(`${name} ${hint}: `, isHidden)) || (standard ?? ''),
    (typed) => checkAnswer(question, typed),
  );
}

const askUrl = (prompts: Prompts): Promise<string | undefined> =>
  askUntil(
    () => prompts.ask('The bot’s public https address, or Enter for Socket Mode, which needs none: '),
    (typed) => parseOption('That', appAddress, typed || undefined),
  );

async function hostsToTrust(values: Values, prompts: Prompts): Promise<string> {
  const refused = [values.BILLING_BASE_URL, values.IDENTITY_AUTH_URL].flatMap((address) => {
    if (!address) return [];
    const url = new URL(address);
    return tryParse(() => [checkDestination(url, [])]) === undefined ? [url.host] : [];
  });
  const hosts = [...new Set(refused)].join(',');
  if (hosts === '') return '';
  const asks = `\nTally only connects to public https addresses. Trust ${hosts} as well? [y/N]: `;
  return /^y/i.test(await prompts.ask(asks)) ? hosts : '';
}

function writeEnvFile(values: Values): void {
  const lines = Object.entries(values).flatMap(([name, value]) => {
    if (!value) return [];
    const line = /[\s#'"`\\]/.test(value) ? `${name}='${value}'` : `${name}=${value}`;
    if (parseEnv(line)[name] === value) return [line];
    throw new UsageError(
      `${name} has characters that ${ENV_FILE} can’t hold. In an address, write ' as %27.`,
    );
  });
  writeFileSync(ENV_FILE, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
}

function printAppSteps(url: string | undefined): void {
  printLine('1. At https://api.slack.com/apps choose Create New App, From a manifest, and paste this:\n');
  printLine(formatManifest(createManifest({ url })));
  printLine('2. Choose Install App, Install to …, Allow.');
  if (url === undefined)
    printLine('3. Under Basic Information, App-Level Tokens, generate one with the scope connections:write.');
}

export const runInit = (): Promise<void> =>
  runCliCommand(USAGE, {}, async () => {
    if (existsSync(ENV_FILE)) {
      printError(`${ENV_FILE} exists already. \`tally doctor\` checks it; to start over, move it away.`);
      return NOT_CREATED;
    }
    if (!process.stdin.isTTY) throw new UsageError('Run this in a terminal. It asks you questions.');
    const prompts = openPrompts();
    try {
      const url = await askUrl(prompts);
      printAppSteps(url);
      const values: Values = {
        ...(url !== undefined && { PUBLIC_URL: url }),
        ENCRYPTION_KEYS: `${new Date().getUTCFullYear()}:${randomBytes(32).toString('base64')}`,
      };
      for (const question of questionsFor(url === undefined))
        values[question[0]] = await ask(question, prompts);
      values.TRUSTED_API_HOSTS = await hostsToTrust(values, prompts);
      writeEnvFile(values);
      prompts.close();
      printLine(
        `\nWrote ${ENV_FILE}. Keep a copy of its ENCRYPTION_KEYS, separate from the Redis backups.\n`,
      );
      const { status } = spawnSync(process.execPath, [...process.execArgv, process.argv[1] ?? '', 'doctor'], {
        stdio: 'inherit',
        env: { ...values, ...process.env },
      });
      if (status === 0)
        printLine(`\nStart it: ${process.env.npm_lifecycle_event ? 'npm start' : 'tally start'}`);
      return status ?? 1;
    } finally {
      prompts.close();
    }
  });
