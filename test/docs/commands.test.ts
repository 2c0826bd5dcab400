/**
 * What pages tell people to type: scripts, commands, files, services and variables are there. test/operator-commands.test.ts
 * runs what can be run. A command line that no check takes fails.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Variable, variables } from '../../src/config/variables.ts';
import { ROOMS } from '../mutation/rooms.ts';
import { blocks, commandsIn, RUN, spans } from './command-lines.ts';
import { NAMES } from './environment.ts';

const { scripts, dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
const services = Object.keys(parse(await readFile('compose.yaml', 'utf8')).services);
const usage = execFileSync(process.execPath, ['--import', 'tsx', 'src/tally.ts', 'help'], {
  encoding: 'utf8',
});
const tallyCommands = [...usage.matchAll(/^ {2}([a-z-]+) /gm)]
  .map(([, name = '']) => name)
  .concat('help', '--help', '--version');

/** What holds each language of a block; commands are in `sh`. */
const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'this test',
  text: 'test/check-billing.test.ts, test/redis/acl.test.ts; the rest is output',
  json: 'test/docs/contracts.test.ts',
  graphql: 'test/docs/contracts.test.ts',
  promql: 'test/ops/alerts.test.ts',
  yaml: 'test/deploy.test.ts, test/kubernetes-page.test.ts',
  nginx: 'test/proxy-page.test.ts, test/chaos/rolling-restart.test.ts',
  haproxy: 'test/chaos/rolling-restart.test.ts',
  caddyfile: 'test/operator-commands.test.ts',
  ini: 'test/operator-commands.test.ts, and names of variables here',
  ts: 'the compiler, in each feature',
};

/** Is it right? By program; the words are those after it. */
type Check = (words: readonly string[]) => boolean;

const isTally: Check = ([name = 'help']) => tallyCommands.includes(name);
/** In a container or a pod: the words from `tally` on. */
const isTallyWithin: Check = (words) =>
  words.length === 0 || (words[0] === 'tally' && isTally(words.slice(1)));
const isReleaseFile = (word = '') => /^\.\/tally-(\d+\.\d+\.\d+)\.tgz$/.test(word);
const isFile: Check = (words) => words.every((word) => word.startsWith('-') || existsSync(word));

function isNpm(words: readonly string[]): boolean {
  const [name = '', ...rest] = words.filter((word) => word !== '--silent' && word !== 'run');
  if (name === 'ci') return rest.every((word) => word === '--omit=dev');
  if (name === 'install') return rest.length === 2 && rest[0] === '--global' && isReleaseFile(rest[1]);
  if (name === 'version') return rest[0] === '--no-git-tag-version' && /^\d+\.\d+\.\d+$/.test(rest[1] ?? '');
  if (!Object.hasOwn(scripts, name)) return false;
  const [separator, ...args] = rest;
  if (separator === undefined) return true;
  return separator === '--' && (SCRIPT_ARGUMENTS[name]?.(args) ?? false);
}

const SCRIPT_ARGUMENTS: Readonly<Record<string, Check>> = {
  tally: isTally,
  test: ([option]) => option === '--all',
  // Without words for `<room>`.
  mutate: ([room, ...files]) => room === undefined || (Object.hasOwn(ROOMS, room) && isFile(files)),
  // test/operator-commands.test.ts holds them against the usage.
  sandbox: (options) => options.every((option) => option.startsWith('--')),
  release: (options) => options.every((option) => option.startsWith('--')),
};

function isNpx([name = '', ...words]: readonly string[]): boolean {
  if (name === '--yes') return isReleaseFile(words[0]) && isTally(words.slice(1));
  if (name === 'vitest') return isFile(words.filter((word) => word !== 'run'));
  if (name === 'tsx') return isFile(words);
  return ['tsc', 'knip'].includes(name) || Object.hasOwn(dependencies, name);
}

function isDocker([name = '', ...words]: readonly string[]): boolean {
  if (name === 'compose') return isCompose(words);
  if (name === 'run') {
    const command = words.indexOf('tally');
    return command === -1 || isTallyWithin(words.slice(command));
  }
  return ['load', 'tag', 'push', 'stop'].includes(name);
}

function isCompose([name = '', ...words]: readonly string[]): boolean {
  const service = words.findIndex((word) => services.includes(word));
  if (['', 'ps', 'stop', 'up'].includes(name)) return words.every((word) => word.startsWith('-'));
  if (name === 'logs') return service !== -1;
  const command = words.slice(service + 1);
  const isOfRedis = words[service] === 'redis' && command[0] === 'redis-cli';
  return ['exec', 'run'].includes(name) && service !== -1 && (isOfRedis || isTallyWithin(command));
}

/** Of the namespace, or of a file. test/kubernetes-page.test.ts runs those of its page. */
function isKubectl(words: readonly string[]): boolean {
  const [name = '', ...rest] = words[0] === '-n' && words[1] === 'tally' ? words.slice(2) : words;
  const separator = rest.indexOf('--');
  if (name === 'exec')
    return rest[0] === 'deploy/tally' && separator === 1 && isTallyWithin(rest.slice(separator + 1));
  return ['apply', 'create', 'delete', 'describe', 'edit', 'logs', 'port-forward', 'rollout'].includes(name);
}

const CHECKS: Readonly<Record<string, Check>> = {
  tally: isTally,
  npm: isNpm,
  npx: isNpx,
  docker: isDocker,
  podman: isDocker,
  kubectl: isKubectl,
  bash: isFile,
  // The function of docs/troubleshooting.md; test/ops/alerts.test.ts searches a log by its lines.
  logs: (words) => words.every((word) => /^--since=\d+h$/.test(word)),
  // Slack's own; test/slack-cli.test.ts speaks its protocol.
  slack: ([name]) => name === 'run',
  // What it says is true of any machine, and it changes something beyond Tally.
  ...Object.fromEntries(
    ['apt', 'cp', 'df', 'git', 'kill', 'skopeo', 'sleep', 'timedatectl', 'ulimit', 'umask', 'unset'].map(
      (name) => [name, () => true],
    ),
  ),
  sudo: (words) => isRight(words),
  // Beside the others in a line.
  ...Object.fromEntries(
    ['cat', 'grep', 'jq', 'printf', 'sed', 'sort', 'tar', 'uniq'].map((name) => [name, () => true]),
  ),
  ...Object.fromEntries(RUN.map((name) => [name, () => true])),
};

/** Programs that pages may come to name, so that a line of theirs is noticed. */
const MORE_PROGRAMS = [
  ...[
    'awk',
    'buildah',
    'caddy',
    'chmod',
    'chown',
    'date',
    'dig',
    'echo',
    'env',
    'export',
    'find',
    'haproxy',
    'helm',
  ],
  ...[
    'http',
    'journalctl',
    'ls',
    'mkdir',
    'mv',
    'nc',
    'nginx',
    'node',
    'oc',
    'promtool',
    'ps',
    'redis-server',
    'rm',
  ],
  ...[
    'scp',
    'sh',
    'ssh',
    'systemctl',
    'tail',
    'tee',
    'tsx',
    'valkey-cli',
    'vi',
    'wget',
    'xargs',
    'yarn',
    'yq',
  ],
];

const isRight = ([program = '', ...words]: readonly string[]): boolean => CHECKS[program]?.(words) ?? false;

const lines = [
  ...blocks.filter(({ language }) => language === 'sh'),
  ...spans.filter(({ text }) => {
    const [program = '', ...words] = commandsIn(text)[0] ?? [];
    return words.length > 0 && (Object.hasOwn(CHECKS, program) || MORE_PROGRAMS.includes(program));
  }),
];

describe('what the docs tell people to type', () => {
  it('is in blocks that say their language, and each language has its test', () => {
    expect(blocks.filter(({ language }) => !Object.hasOwn(LANGUAGES, language))).toEqual([]);
  });

  it('has a check for each command, which it passes', () => {
    expect(lines.length).toBeGreaterThan(100);
    const commands = lines.flatMap(({ page, text }) => commandsIn(text).map((words) => ({ page, words })));
    expect(commands.filter(({ words }) => !isRight(words))).toEqual([]);
  });

  it('would be noticed if a program, a command, a script or a file was not there', () => {
    const wrong = [
      ...['tally dcotor', 'npm run strat', 'npx vitest run test/no.test.ts', 'docker compose logs tally-bot'],
      ...[
        'kubectl -n tally exec deploy/tally -- tally dcotor',
        'a | helm install tally',
        'echo $(tally none)',
      ],
    ];
    expect(wrong.filter((line) => commandsIn(line).every(isRight))).toEqual([]);
  });

  it('names variables that Tally has, with values that it takes', () => {
    const prefix = /^(?:SLACK|LIMIT|LOG|BILLING|IDENTITY|REDIS|ENCRYPTION|TRUSTED|PUBLIC|SHUTDOWN)_/;
    // Of tally check-billing, and of the tests.
    const others = ['BILLING_TOKEN', 'REDIS_SERVER_BINARY'];
    const pattern = /\b([A-Z]+(?:_[A-Z]+)+|PORT)\b(?:=(?:"([^"]*)"|([^\s"'),;]*)))?/g;
    const named = [...blocks, ...spans]
      .flatMap(({ page, text }) =>
        [...text.matchAll(pattern)].map(([, name = '', quoted, plain]) => ({
          ...{ page, name },
          value: quoted ?? plain,
        })),
      )
      .filter(
        ({ name }) => (prefix.test(name) || NAMES.includes(name as Variable)) && !others.includes(name),
      );
    expect(named.length).toBeGreaterThan(100);
    const wrong = named.filter(({ name, value }) => {
      const schema = variables.shape[name as Variable];
      if (schema === undefined) return true;
      // What is left out, printed by another command or a placeholder.
      if (value === undefined || value === '' || /[…$<]|\bpassword\b|^\.\.\./.test(value)) return false;
      return !schema.safeParse(value).success;
    });
    expect(wrong).toEqual([]);
  });
});
