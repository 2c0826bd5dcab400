import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { commandPrefix, variables } from '../config/variables.ts';
import { commandText } from '../domain/command-names.ts';
import { VERSION } from '../ops/version.ts';
import {
  appAddress,
  createManifest,
  formatManifest,
  type ManifestChoices,
} from '../slack/install/manifest.ts';
import {
  askUntil,
  checkOption,
  INTERRUPTED,
  type OptionValues,
  openPrompts,
  type Prompts,
  parseOptions,
  printLine,
  runCommand,
  UsageError,
} from './command.ts';
import { ANSWERS, addTrustedHosts, askAll, EnvDraft, questionsFor } from './init-answers.ts';

const [ENV_FILE, MANIFEST_FILE] = ['.env', 'tally-manifest.yml'];

const USAGE = [
  'Usage: tally init [options]',
  '',
  'Sets up Tally for your workspace: asks what it needs, says what to do in Slack, writes .env with fresh keys, and runs',
  'the doctor. Run it again to continue where you stopped. It adds lines to .env and changes none.',
];

const OPTIONS = {
  socket: ['', 'Socket Mode, which needs no public address'],
  url: ['URL', 'HTTP: the bot’s public address, such as https://tally.example.com'],
  prefix: ['PREFIX', 'puts a word before each command: acme makes /acme-balance'],
  ...ANSWERS,
  'no-input': ['', 'asks nothing and names what is missing, as without a terminal'],
} as const;
type Values = OptionValues<typeof OPTIONS>;

interface Choices extends Pick<ManifestChoices, 'url' | 'prefix'> {}

function parseChoices({ url, socket, prefix }: Values): Choices | undefined {
  if (url !== undefined && socket) throw new UsageError('Choose one: --url or --socket.');
  if (url === undefined && !socket) return undefined;
  return {
    url: checkOption('--url', appAddress, url),
    prefix: checkOption('--prefix', commandPrefix, prefix),
  };
}

const optionsOf = ({ url, prefix }: Choices): readonly string[] => [
  ...(url === undefined ? ['--socket'] : ['--url', url]),
  ...(prefix === undefined ? [] : ['--prefix', prefix]),
];

async function askChoices(prompts: Prompts, { prefix }: Values): Promise<Choices> {
  printLine('How does Slack reach Tally?');
  printLine('  1  Socket Mode: Tally connects to Slack. You need no public address.');
  printLine('  2  HTTP: Slack posts to an https address of yours.');
  const isHttp = await askUntil(
    () => prompts.ask('1 or 2 [1]: '),
    (typed) => {
      if (/^[12]?$/.test(typed)) return typed === '2';
      throw new UsageError('Type 1 or 2.');
    },
  );
  const askUrl = () => prompts.ask('\nThe address, such as https://tally.example.com: ');
  const url = isHttp ? await askUntil(askUrl, (typed) => checkOption('That', appAddress, typed)) : undefined;
  const asks = `\nA word before each command, where another app has ${commandText('/balance')}: acme makes /acme-balance.\nPrefix [none]: `;
  const read = (typed: string) => checkOption('That', commandPrefix, typed || undefined);
  return { url, prefix: prefix === undefined ? await askUntil(() => prompts.ask(asks), read) : read(prefix) };
}

/** What was chosen when `.env` was begun counts: the Slack app was made of it. @throws UsageError for another choice now */
async function choose(draft: EnvDraft, values: Values, prompts: Prompts | undefined): Promise<Choices> {
  const begun = draft.options && parseChoices(parseOptions(draft.options, OPTIONS).values);
  const given = parseChoices(values);
  if (begun !== undefined) {
    if (given !== undefined && optionsOf(given).join(' ') !== optionsOf(begun).join(' '))
      throw new UsageError(
        `${ENV_FILE} was started with ${optionsOf(begun).join(' ')}. To start over, move it away.`,
      );
    return begun;
  }
  const chosen = given ?? (prompts && (await askChoices(prompts, values)));
  if (chosen === undefined)
    throw new UsageError('Choose one: --url with the bot’s address, or --socket for Socket Mode.');
  draft.addOptions(optionsOf(chosen));
  return chosen;
}

function explainApp({ url }: Choices): void {
  printLine(`
Make the app in Slack:
  1. Open https://api.slack.com/apps, choose Create New App, From a manifest, and your workspace.
  2. In the tab YAML, replace everything with what is in ${MANIFEST_FILE}. Choose Next, then Create.
  3. Choose Install App, Install to …, Allow.`);
  if (url === undefined)
    printLine(
      '  4. Choose Basic Information, App-Level Tokens, Generate Token and Scopes: any name, the scope connections:write.',
    );
}

function explainStart({ url, prefix }: Choices): void {
  const named = (command: string) => (prefix === undefined ? command : `/${prefix}-${command.slice(1)}`);
  const bot = prefix === undefined ? 'Tally' : `Tally ${prefix}`;
  const steps = [
    `Start it: ${commandLine('start')}`,
    ...(url === undefined
      ? []
      : ['On the app’s page Event Subscriptions, choose Retry if Slack hasn’t verified the address yet.']),
    `In Slack, an owner or admin types ${named(commandText('/billing connect'))}, with a read-only token of the billing service.`,
    `Ask what a project has left: ${named(commandText('/balance'))} 123, with your project’s ID. In a channel, /invite @${bot} first.`,
  ];
  printLine(`\nNext:\n${steps.map((step, at) => `  ${at + 1}. ${step}`).join('\n')}`);
}

/** The next command, typed in the same way as this command was. */
function commandLine(command: 'start' | 'doctor' | 'init'): string {
  const { npm_lifecycle_event: script, npm_command: npm } = process.env;
  if (script === 'tally') return command === 'start' ? 'npm start' : `npm run tally -- ${command}`;
  return npm === 'exec' ? `npx --yes ./tally-${VERSION}.tgz ${command}` : `tally ${command}`;
}

async function run(values: Values): Promise<number> {
  const isInteractive = process.stdin.isTTY && !values['no-input'];
  const prompts = isInteractive ? openPrompts(stopped) : undefined;
  try {
    const draft = EnvDraft.open(ENV_FILE);
    if (draft.exists) printLine(`${ENV_FILE} exists. Tally keeps its values and adds the missing ones.`);
    const { SLACK_BOT_TOKEN: token, SLACK_CLIENT_ID: client } = draft.values;
    if (draft.options === undefined && (token || client)) return finish(draft, { url: undefined });
    const choices = await choose(draft, values, prompts);
    const missing = await fill(draft, choices, values, prompts);
    if (missing.length > 0)
      throw new UsageError(`Still missing: ${missing.join(', ')}. Everything else is in ${ENV_FILE}.`);
    prompts?.close();
    return finish(draft, choices);
  } finally {
    prompts?.close();
  }
}

/** @returns the variables that are still missing */
async function fill(
  draft: EnvDraft,
  choices: Choices,
  values: Values,
  prompts: Prompts | undefined,
): Promise<readonly string[]> {
  if (!draft.values.ENCRYPTION_KEYS) {
    const fresh = `${new Date().getUTCFullYear()}:${randomBytes(32).toString('base64')}`;
    const given = process.env.ENCRYPTION_KEYS?.trim() || undefined;
    checkOption<unknown>('ENCRYPTION_KEYS', variables.shape.ENCRYPTION_KEYS, given);
    draft.addValue('ENCRYPTION_KEYS', given ?? fresh);
    printLine(
      `${ENV_FILE} has ENCRYPTION_KEYS, which seal what Tally stores. Keep a copy of them apart from Redis’ backups.`,
    );
  }
  if (choices.prefix !== undefined && draft.values.COMMAND_PREFIX === undefined)
    draft.addValue('COMMAND_PREFIX', choices.prefix);
  const questions = questionsFor(choices.url === undefined);
  const open = questions.filter(({ name, standard }) =>
    standard === '' ? draft.values[name] === undefined : !draft.values[name],
  );
  if (open.some(({ name }) => name.startsWith('SLACK_'))) {
    writeFileSync(MANIFEST_FILE, formatManifest(createManifest(choices)));
    explainApp(choices);
  }
  const missing = await askAll(draft, open, values, prompts);
  await addTrustedHosts(draft, values, prompts);
  return missing;
}

/** @returns the exit code of the doctor */
function finish(draft: EnvDraft, choices: Choices): number {
  if ((statSync(draft.path).mode & 0o077) !== 0)
    printLine(`Others on this machine can read ${ENV_FILE}: chmod 600 ${ENV_FILE}`);
  printLine('\nThe doctor checks it:\n');
  const { status } = spawnSync(process.execPath, [...process.execArgv, process.argv[1] ?? '', 'doctor'], {
    stdio: 'inherit',
    env: { ...draft.values, ...process.env },
  });
  if (status === 0) explainStart(choices);
  else printLine(`\nFix it in ${ENV_FILE}, then check again: ${commandLine('doctor')}`);
  return status ?? 1;
}

function stopped(): never {
  process.stderr.write(`\nStopped. To continue: ${commandLine('init')}\n`);
  process.exit(INTERRUPTED);
}

const notes = ['A variable in the environment counts as an answer: REDIS_URL, SLACK_BOT_TOKEN, …'];
await runCommand({ usage: USAGE, options: OPTIONS, notes }, run);
