/** The lines that the pages tell operators to type, run for real; test/docs/commands.test.ts has those that are not. */
import { type ExecFileException, execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IdentityService, startIdentity } from '../sandbox/identity.ts';
import { fingerprintOf } from '../src/workspace/credentials/connection-record.ts';
import { blocks, commandsIn, RUN, spans } from './docs/command-lines.ts';
import { type Bot, startBot } from './support/bot.ts';
import { describeUnless } from './support/describe-unless.ts';
import {
  makeCertificates,
  NO_SERVER,
  type RedisCluster,
  type RedisServer,
  startCluster,
  startServer,
} from './support/redis-servers.ts';

const isInstalled = (program: string): boolean => spawnSync('which', [program]).status === 0;

interface Ended {
  readonly code: number;
  readonly output: string;
}

interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: string;
}

const run = (line: string, { env, cwd, input = '' }: RunOptions = {}) =>
  new Promise<Ended>((resolve) => {
    const options = { env: { ...process.env, ...env }, cwd, timeout: 50_000 };
    const done = (error: ExecFileException | null, stdout: string, stderr: string) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr });
    const { stdin } = execFile('bash', ['-o', 'pipefail', '-c', line], options, done);
    // Most end without reading it.
    stdin?.on('error', () => undefined);
    stdin?.end(input);
  });

const typed = blocks.flatMap(({ language, text }) =>
  language === 'sh' ? text.replaceAll('\\\n', ' ').trim().split('\n') : [],
);
const lines = [...new Set([...typed, ...spans.map(({ text }) => text)])];
/** Those in which a command of the program is; with nothing after it, it is its name. */
const linesOf = (...programs: readonly string[]): readonly string[] =>
  lines.filter((line) =>
    commandsIn(line).some(([program = '', ...words]) => programs.includes(program) && words.length > 0),
  );

/** What goes on with Tally's own command: after npm's `--`, the release file, or the name of a pod, service or image. */
const TALLY = / (?:tally -- |\.\/tally-\S+\.tgz |-- tally |tally tally |localhost\/tally:\S+ tally )(.*)$/;

/** Each command of Tally as `tally …`, and the rest without what runs in a container or a pod. */
const commands = lines.flatMap(commandsIn).flatMap((words) => {
  const line = words
    .join(' ')
    .replace(/^kubectl -n tally/, 'kubectl')
    .replaceAll(/\$\([^)]*\)/g, '');
  const [, within] = TALLY.exec(line) ?? [];
  const outside = line.replace(TALLY, '').replace(/ redis:7 .*/, '');
  return within === undefined ? [outside] : [outside, `tally ${within}`];
});

describe('the options that the pages name', () => {
  it.for<[program: string, start: string, pattern: RegExp]>([
    ['tally', 'node --import tsx src/tally.ts', /^tally (?!help|start)([a-z]\S*)/],
    ['docker', 'docker', /^docker (?!compose)([a-z]\S*)/],
    ['kubectl', 'kubectl', /^kubectl (create secret generic|[a-z]\S*)/],
    ['npm run sandbox', 'node --import tsx sandbox/main.ts', /^npm run (sandbox) --/],
  ])('%s has', { timeout: 60_000 }, async ([program, start, pattern], { skip }) => {
    skip(!isInstalled(start.split(' ')[0]!), `${program} is not installed`);
    const named = commands.flatMap((line) => {
      const [, name] = pattern.exec(line) ?? [];
      return name === undefined ? [] : { name, options: [...line.matchAll(/ (--?[a-z][\w-]*)/g)] };
    });
    expect(named.length).toBeGreaterThan(1);
    const help = async (name: string) => [name, (await run(`${start} ${name} --help`)).output] as const;
    const helps = new Map(await Promise.all([...new Set(named.map(({ name }) => name))].map(help)));
    const missing = named.flatMap(({ name, options }) =>
      options
        .map(([, option = '']) => option)
        .filter((option) => !new RegExp(`(?<![\\w-])${option}(?![\\w-])`).test(`${helps.get(name)} --help`))
        .map((option) => `${program} ${name} ${option}`),
    );
    expect(missing).toEqual([]);
  });
});

/** Files that pages show, and the program that reads them. */
describe.each([
  ['docs/running.md', 'ini', '[Service]', 'tally.service', 'systemd-analyze verify'],
  ['docs/proxy.md', 'caddyfile', 'reverse_proxy', 'Caddyfile', 'caddy validate --adapter caddyfile --config'],
])('the file on %s', (page, language, part, name, command) => {
  it(`is one that ${command} accepts`, async ({ skip }) => {
    const [program = ''] = command.split(' ');
    skip(!isInstalled(program), `${program} is not installed`);
    const folder = await mkdtemp(join(tmpdir(), 'tally-page-'));
    const file = blocks.find(
      (block) => block.page === page && block.language === language && block.text.includes(part),
    );
    await writeFile(join(folder, name), file?.text ?? '');
    const { code, output } = await run(`${command} ./${name}`, { cwd: folder });
    await rm(folder, { recursive: true });
    expect([code, output]).toEqual([0, expect.not.stringMatching(/unknown|invalid/i)]);
  });
});

const NO_CLI = isInstalled('redis-cli') ? NO_SERVER : 'without redis-cli';

describeUnless(NO_CLI, 'redis-cli', () => {
  let server: RedisServer;
  let sentinel: RedisServer;
  let cluster: RedisCluster;
  beforeAll(async () => {
    [server, sentinel, cluster] = await Promise.all([
      startServer(),
      startServer(['sentinel monitor main 127.0.0.1 1 2'], { isSentinel: true }),
      startCluster(),
    ]);
    await server.client.call('ACL', 'SETUSER', 'tally', 'on', '>password', '+ping');
  }, 60_000);
  afterAll(() => Promise.all([server.kill(), sentinel.kill(), cluster.stop()]));

  /** In place of what the reader fills in, or of what this machine may not have. */
  const FILLED: Readonly<Record<string, string>> = {
    'replica-announce-ip …': 'replica-announce-ip 127.0.0.1',
    "'>password' …": "'>password'",
    'maxclients 10000': 'maxclients 1000',
    'config set maxmemory': 'config set maxmemory 1gb',
    ' -h redis.example.com -p 6379': '',
  };
  /** Where Redis is right to refuse. */
  const REFUSED: Readonly<Record<string, string>> = {
    evalsha: 'wrong number of arguments',
    'SCRIPT KILL': 'NOTBUSY',
  };

  it.each(linesOf('redis-cli'))('runs %s', async (line) => {
    let local = line;
    for (const [from, to] of Object.entries(FILLED)) local = local.replace(from, to);
    const { port } = local.includes('SENTINEL') ? sentinel : server;
    local = local.includes('--cluster')
      ? local.replace('redis.example.com:6379', `127.0.0.1:${cluster.masters[0]?.port}`)
      : local.replace(/^redis-cli/, `redis-cli -e -p ${port}`);
    const { code, output } = await run(local, {
      env: { REDIS_URL: `redis://127.0.0.1:${server.port}` },
      input: 'password\n',
    });
    const refusal = Object.entries(REFUSED).find(([end]) => line.endsWith(` ${end}`))?.[1];
    if (refusal === undefined) expect([code, output]).toEqual([0, output]);
    else expect(output).toContain(refusal);
  });
});

const HOSTS = ['host.example.com', 'identity.example.com', 'slack.com', 'tally.example.com', 'your.host'];

describeUnless(
  isInstalled('curl') && isInstalled('openssl') ? undefined : 'without curl, openssl',
  'the network',
  () => {
    let bot: Bot;
    let identity: IdentityService;
    let proxy: Server;
    let folder: string;
    beforeAll(async () => {
      [bot, identity, folder] = await Promise.all([
        startBot(),
        startIdentity(),
        mkdtemp(join(tmpdir(), 'tally-operator-')),
      ]);
      const { certificate, key } = await makeCertificates(folder);
      const backends: Readonly<Record<string, string>> = {
        'identity.example.com': new URL(identity.authUrl).origin,
        'slack.com': new URL(bot.slack.url).origin,
      };
      proxy = createServer(
        { cert: await readFile(certificate), key: await readFile(key) },
        (request, response) => {
          const { method, headers, url } = request;
          const backend = new URL(backends[headers.host ?? ''] ?? bot.url);
          const options = { method, headers: { ...headers, host: backend.host } };
          const passed = httpRequest(`${backend.origin}${url}`, options, (answer) => {
            response.writeHead(answer.statusCode ?? 500, answer.headers);
            answer.pipe(response);
          });
          request.pipe(passed);
        },
      );
      proxy.listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      // curl reads it, and goes there for each of these hosts.
      const { port } = proxy.address() as AddressInfo;
      const leads = HOSTS.map((host) => `connect-to = "${host}::127.0.0.1:${port}"`);
      await writeFile(join(folder, '.curlrc'), ['insecure', ...leads].join('\n'));
      const [, request = ''] =
        /```json\n(.*?)```/s.exec(await readFile('docs/identity-contract.md', 'utf8')) ?? [];
      const { id, secret } = identity.accesses.good;
      const filled = request
        .replace(/"id": "[^"]*"/, `"id": "${id}"`)
        .replace(/"secret": "[^"]*"/, `"secret": "${secret}"`);
      await writeFile(join(folder, 'request.json'), filled);
      await writeFile(
        join(folder, 'SHA256SUMS'),
        `${createHash('sha256').update(filled).digest('hex')}  request.json\n`,
      );
    }, 60_000);
    afterAll(async () => {
      proxy.closeAllConnections();
      proxy.close();
      await Promise.all([bot.stop(), identity.close(), rm(folder, { recursive: true })]);
    });

    /** What the pages say comes back. */
    const ANSWERS: readonly (readonly [line: RegExp, answer: RegExp])[] = [
      [/readyz/, /^\{"ok":true\}$/],
      [/healthz/, /"version":"\d/],
      [/slack\/events -d ''/, /^HTTP\/1\.1 401 /],
      [/ssl_check/, /^$/],
      [/auth\/tokens/, /^HTTP\/1\.1 201 Created\s+X-Subject-Token: \S+\s*$/i],
      [/slack\.com/, /^\{"ok":/],
      [/-dates/, /notAfter=/],
      [/subjectAltName/, /DNS:localhost/],
      [/base64 32/, /^[\w+/]{43}=$/],
      [/hex 32/, /^[\da-f]{64}$/],
      [/printf/, new RegExp(`^${fingerprintOf('a-token')}`)],
      [/sha256sum -c/, /: OK$/],
    ];
    // Those with a pod or a process in the background are in test/kubernetes-page.test.ts.
    const all = linesOf(...RUN.filter((program) => program !== 'redis-cli')).filter(
      (line) => !/kubectl|kill/.test(line),
    );

    it.for(all)('runs %s', async (line, { skip }) => {
      const [program = ''] = commandsIn(line)[0] ?? [];
      skip(!isInstalled(program), `${program} is not installed`);
      const { port } = proxy.address() as AddressInfo;
      const local = line
        .replace(/(?:http:\/\/)?(?:localhost|127\.0\.0\.1):3000/, bot.url)
        .replace('host.example.com:443', `127.0.0.1:${port}`)
        .replace(/^(getent \w+) \S+/, '$1 localhost');
      const { code, output } = await run(local, {
        ...{ cwd: folder, input: '' },
        env: { CURL_HOME: folder, TOKEN: 'a-token' },
      });
      expect([code, output]).toEqual([0, output]);
      const answer = ANSWERS.find(([pattern]) => pattern.test(line))?.[1];
      if (answer !== undefined) expect(output.trim()).toMatch(answer);
    });
  },
);
