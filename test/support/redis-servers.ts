/**
 * Real Redis or Valkey servers on loopback: single servers, a Cluster, and a master with Sentinels. They end with
 * the test process, even if it is killed.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { waitUntil } from './wait-until.ts';

const isInstalled = (binary: string): boolean => spawnSync(binary, ['--version']).status === 0;

/** The server of all tests. REDIS_SERVER_BINARY chooses one. */
export const SERVER_BINARY: string | undefined = [
  process.env.REDIS_SERVER_BINARY ?? '',
  'redis-server',
  'valkey-server',
].find((binary) => binary !== '' && isInstalled(binary));

export const NO_SERVER: string | undefined =
  SERVER_BINARY === undefined ? 'without redis-server or valkey-server' : undefined;

export function requireServer(): string {
  if (SERVER_BINARY === undefined) throw new Error('Neither redis-server nor valkey-server is installed.');
  return SERVER_BINARY;
}

export interface RedisServer {
  readonly port: number;
  readonly client: Redis;
  kill(signal?: NodeJS.Signals): Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

/** Ends the server when the pipe to the test process closes. */
const SUPERVISOR_SCRIPT = '"$@" >"$LOG" 2>&1 & cat >/dev/null; kill -CONT "$!"; kill -9 "$!"; wait "$!"';

interface ServerOptions {
  readonly isSentinel?: boolean;
  /** With certificates, the server accepts only TLS. */
  readonly certificates?: Certificates | undefined;
}

export async function startServer(
  args: readonly string[] = [],
  { isSentinel = false, certificates }: ServerOptions = {},
): Promise<RedisServer> {
  const binary = requireServer();
  for (let attempt = 0; ; attempt += 1) {
    const port = await freePort();
    const home = await mkdtemp(join(tmpdir(), 'tally-server-'));
    const file = join(home, 'server.conf');
    const listens = certificates === undefined ? [`port ${port}`] : tlsLines(port, certificates);
    const basics = ['bind 127.0.0.1', ...listens, `dir ${home}`];
    const stores = ['enable-debug-command yes', 'save ""', 'appendonly no', 'repl-diskless-sync-delay 0'];
    const lines = isSentinel ? basics : [...basics, ...stores];
    await writeFile(file, [...lines, ...args, `pidfile ${join(home, 'pid')}`].join('\n'));
    const more = isSentinel ? ['--sentinel'] : [];
    const started = startProcess([binary, file, ...more], home);
    const tls = certificates && { tls: { ca: await readFile(certificates.authority) } };
    const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => 20, ...tls });
    client.on('error', () => undefined);
    const isUp = await answers(client, started.child, args);
    if (isUp) return { port, client, ...controls(started, client, home, await processId(client)) };
    await controls(started, client, home).kill();
    if (attempt === 5) throw new Error('The server did not start.');
  }
}

export interface Certificates {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const hasOpenssl = (): boolean => spawnSync('openssl', ['version']).status === 0;

/** A server without TLS refuses its options before it looks for the file. */
const speaksTls = (binary: string): boolean => {
  const { stdout } = spawnSync(binary, ['--port', '0', '--tls-port', '1', '--tls-cert-file', '/none'], {
    encoding: 'utf8',
  });
  return stdout.includes('Failed to configure TLS');
};

export const NO_TLS: string | undefined = !hasOpenssl()
  ? 'without openssl'
  : SERVER_BINARY === undefined
    ? NO_SERVER
    : speaksTls(SERVER_BINARY)
      ? undefined
      : `because ${SERVER_BINARY} was built without TLS`;

export async function makeCertificates(
  home: string,
  { extension = '', digest = 'sha256' }: { readonly extension?: string; readonly digest?: string } = {},
): Promise<Certificates> {
  const path = (name: string) => join(home, name);
  const openssl = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: home, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args[0]} failed:\n${stderr}`);
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Private authority'];
  openssl('req', '-x509', ...newKey, ...authority);
  openssl('req', ...newKey, ...['-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=redis']);
  await writeFile(path('names'), `subjectAltName=DNS:localhost,IP:127.0.0.1\n${extension}`);
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names', '-days', '2'];
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signed, `-${digest}`);
  return { authority: path('ca.pem'), certificate: path('server.pem'), key: path('server.key') };
}

const tlsLines = (port: number, { authority, certificate, key }: Certificates): readonly string[] => [
  ...['port 0', `tls-port ${port}`, `tls-cert-file ${certificate}`, `tls-key-file ${key}`],
  // Clients have a password instead of a certificate, as the docs say. The servers use TLS among themselves, too.
  ...[`tls-ca-cert-file ${authority}`, 'tls-auth-clients no', 'tls-replication yes'],
];

function startProcess(command: readonly string[], home: string) {
  const child = spawn('/bin/sh', ['-c', SUPERVISOR_SCRIPT, 'keeper', ...command], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { ...process.env, LOG: join(home, 'log') },
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return { child, gone };
}

async function answers(client: Redis, child: ChildProcess, args: readonly string[]): Promise<boolean> {
  const password = args.map((line) => /^requirepass (\S+)$/.exec(line)?.[1]).find(Boolean);
  if (password !== undefined) client.options.password = password;
  client.connect().catch(() => undefined);
  for (let left = 250; left > 0 && child.exitCode === null; left -= 1) {
    if (client.status === 'ready') return true;
    await delay(20);
  }
  return false;
}

const processId = async (client: Redis): Promise<number> =>
  Number(/process_id:(\d+)/.exec(await client.info('server'))?.[1]);

function controls(
  { child, gone }: ReturnType<typeof startProcess>,
  client: Redis,
  home: string,
  pid?: number,
) {
  return {
    signal(signal: NodeJS.Signals) {
      if (pid === undefined) throw new Error('The server did not start.');
      process.kill(pid, signal);
    },
    async kill(signal: NodeJS.Signals = 'SIGKILL') {
      client.disconnect();
      if (signal !== 'SIGKILL' && pid !== undefined) process.kill(pid, signal);
      child.ref();
      child.stdin?.end();
      await gone;
      // A child of the server may still be writing a snapshot.
      await rm(home, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    // A Cluster's nodes also listen on a port 10,000 higher.
    if (typeof address === 'object' && address !== null && address.port < 55_000) return address.port;
  }
}

export const WRITE_REFUSALS = [
  { code: 'OOM', kind: 'full', settings: { maxmemory: '1' } },
  { code: 'NOREPLICAS', kind: 'no-replicas', settings: { 'min-replicas-to-write': '1' } },
  { code: 'MISCONF', kind: 'misconf', settings: { save: '3600 1' } },
  { code: 'READONLY', kind: 'read-only', settings: {} },
] as const;
type WriteRefusal = (typeof WRITE_REFUSALS)[number];

export async function refuseWrites(
  client: Redis,
  { code, settings }: WriteRefusal,
): Promise<() => Promise<void>> {
  const names = Object.keys(settings);
  const before = (await Promise.all(names.map((name) => client.config('GET', name)))) as string[][];
  for (const [name, value] of Object.entries(settings)) await client.config('SET', name, value);
  if (code === 'READONLY') await client.replicaof('127.0.0.1', 1);
  if (code === 'MISCONF') await failSnapshot(client);
  return async () => {
    if (code === 'READONLY') await client.replicaof('NO', 'ONE');
    for (const [name = '', value = ''] of before) await client.config('SET', name, value);
  };
}

/** A directory in the file's place makes the snapshot fail, even for root. */
async function failSnapshot(client: Redis): Promise<void> {
  const [, dir = ''] = (await client.config('GET', 'dir')) as string[];
  const [, file = ''] = (await client.config('GET', 'dbfilename')) as string[];
  await mkdir(join(dir, file, 'in-the-way'), { recursive: true });
  await client.bgsave();
  await waitUntil(async () => (await client.info('persistence')).includes('rdb_last_bgsave_status:err'));
}

/** The rules of `ACL SETUSER tally …` in docs/redis-and-keys.md, with a test's password. */
export async function documentedRules(): Promise<string[]> {
  const page = await readFile('docs/redis-and-keys.md', 'utf8');
  const [, rules = ''] = /^ACL SETUSER tally ((?:.|\\\n)+?)$/m.exec(page.replaceAll(/\\\n\s*/g, '')) ?? [];
  return rules.split(/\s+/).map((rule) => (rule.startsWith('>') ? '>a-password' : rule));
}

export type RedisCluster = Awaited<ReturnType<typeof startCluster>>;

const SLOTS = 16_384;

/** Starts three masters, with a replica each if wanted. The URL has the documented ACL user. */
export async function startCluster({
  replicas: isReplicated = false,
  certificates,
}: {
  readonly replicas?: boolean;
  readonly certificates?: Certificates | undefined;
} = {}) {
  const tls = certificates === undefined ? [] : ['tls-cluster yes'];
  const config = ['cluster-enabled yes', 'cluster-node-timeout 1000', ...tls];
  const start = () => startServer(config, { certificates });
  const masters = await Promise.all([start(), start(), start()]);
  const replicas = isReplicated ? await Promise.all([start(), start(), start()]) : [];
  const all = [...masters, ...replicas];
  const running = () => all.filter(({ client }) => client.status !== 'end');
  const isOnline = async ({ client }: RedisServer) =>
    /slave0:.*state=online/.test(await client.info('replication'));
  await Promise.all(
    masters.map(async ({ client }, at) => {
      const first = Math.ceil((SLOTS * at) / 3);
      const last = Math.ceil((SLOTS * (at + 1)) / 3) - 1;
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
      await client.call('CLUSTER', 'ADDSLOTSRANGE', first, last);
    }),
  );
  const [head] = masters;
  for (const { client } of all.slice(1)) await client.call('CLUSTER', 'MEET', '127.0.0.1', head?.port ?? 0);
  const isKnown = async ({ client }: RedisServer) =>
    String(await client.cluster('INFO')).includes(`cluster_known_nodes:${all.length}`);
  const isOk = async ({ client }: RedisServer) =>
    String(await client.cluster('INFO')).includes('cluster_state:ok');
  await waitUntil(async () => (await Promise.all(all.map(isKnown))).every(Boolean));
  await Promise.all(
    replicas.map(async ({ client }, at) => {
      const master = String(await masters[at]?.client.cluster('MYID'));
      const replicate = () => client.call('CLUSTER', 'REPLICATE', master);
      await waitUntil(() => replicate().then(Boolean, () => false));
    }),
  );
  await waitUntil(async () => (await Promise.all(all.map(isOk))).every(Boolean));
  if (isReplicated) await waitUntil(async () => (await Promise.all(masters.map(isOnline))).every(Boolean));
  const rules = await documentedRules();
  await Promise.all(all.map(({ client }) => client.call('ACL', 'SETUSER', 'tally', ...rules)));
  return {
    get url() {
      const hosts = running().map(({ port }) => `127.0.0.1:${port}`);
      return `redis${certificates ? 's' : ''}+cluster://tally:a-password@${hosts.join(',')}`;
    },
    masters: masters as readonly RedisServer[],
    keys: async () => (await Promise.all(masters.map(({ client }) => client.keys('*')))).flat(),
    stop: async () => void (await Promise.all(all.map(({ kill }) => kill()))),
  };
}

export type RedisSentinels = Awaited<ReturnType<typeof startSentinels>>;

/** Starts a master, two replicas and three Sentinels with a quorum of two. */
export async function startSentinels(certificates?: Certificates) {
  // A master without replicas refuses writes, because the next failover would lose them.
  const safe = ['min-replicas-to-write 1', 'min-replicas-max-lag 5'];
  const first = await startServer(safe, { certificates });
  const replica = () => startServer([...safe, `replicaof 127.0.0.1 ${first.port}`], { certificates });
  const servers = [first, ...(await Promise.all([replica(), replica()]))];
  await waitUntil(async () => (await first.client.info('replication')).includes('connected_slaves:2'));
  const config = [
    `sentinel monitor tally 127.0.0.1 ${first.port} 2`,
    'sentinel down-after-milliseconds tally 1000',
    'sentinel failover-timeout tally 5000',
  ];
  const start = () => startServer(config, { isSentinel: true, certificates });
  const sentinels = await Promise.all([start(), start(), start()]);
  const isComplete = async ({ client }: RedisServer) => {
    const state = (await client.call('SENTINEL', 'MASTER', 'tally')) as string[];
    const value = (name: string) => state[state.indexOf(name) + 1];
    return value('num-other-sentinels') === '2' && Number(value('num-slaves')) >= 2;
  };
  await waitUntil(async () => (await Promise.all(sentinels.map(isComplete))).every(Boolean));
  const masterOf = async ({ client }: RedisServer) => {
    const [, port] = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'tally')) as string[];
    return servers.find((server) => server.port === Number(port));
  };
  const master = async () => {
    const found = await Promise.any(sentinels.map(masterOf));
    if (found === undefined) throw new Error('The Sentinels name an unknown server.');
    return found;
  };
  return {
    url: `redis${certificates ? 's' : ''}+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/tally`,
    servers,
    sentinels,
    master,
    stop: async () => void (await Promise.all([...servers, ...sentinels].map(({ kill }) => kill()))),
  };
}
