/** Setups that are broken in one way each, built for real, with the finding that names the cause and fixes it. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startBilling } from '../../sandbox/billing.ts';
import { freePort } from '../../sandbox/bot-process.ts';
import { startIdentity } from '../../sandbox/identity.ts';
import { deliveryLogKey, indexKey, recordKey } from '../../src/redis/keys.ts';
import { SCOPES } from '../../src/slack/install/scopes.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-index.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { closedPort, json, type Service, serve, serveRaw } from '../http/service.ts';
import { changeIn } from './change.ts';
import {
  type Certificates,
  makeCertificates,
  type RedisServer,
  refuseWrites,
  startCluster,
  startSentinels,
  startServer,
  WRITE_REFUSALS,
} from './redis-servers.ts';
import { waitUntil } from './wait-until.ts';

type Changes = Readonly<Record<string, string>>;

const BOT_TOKEN = 'xoxb-1-a-bot-token-that-must-not-be-seen';
const APP_TOKEN = 'xapp-1-an-app-token-that-must-not-be-seen';
const SIGNING_SECRET = '0123456789abcdef0123456789abcdef';
const PASSWORD = 'a-password-that-must-not-be-seen';
const USER_TOKEN = 'a-user-token-that-must-not-be-seen';
const [NEW_KEY, OLD_KEY] = [randomBytes(32), randomBytes(32)];
const base64 = (key: Buffer): string => key.toString('base64');
/** None of them may be in an output. */
export const SETUP_SECRETS: readonly string[] = [
  'app-token-that-must-not-be-seen',
  ...[BOT_TOKEN, APP_TOKEN, SIGNING_SECRET, PASSWORD, USER_TOKEN],
  ...[NEW_KEY, OLD_KEY].map(base64),
];
const REQUIRED_SCOPES = SCOPES.flatMap(({ scope, optional }) => (optional ? [] : scope));

interface SlackAnswers {
  readonly auth?: object;
  readonly open?: object;
  readonly scopes?: readonly string[];
  /** Seconds. */
  readonly ahead?: number;
  readonly status?: number;
  /** Of the bot's app. */
  readonly app?: string;
}

/** What is not broken, and what releases what a setup started. */
export class World {
  readonly #releases: (() => unknown)[] = [];
  #certificates: Promise<Certificates> | undefined;

  onEnd(release: () => unknown): void {
    this.#releases.push(release);
  }

  async close(): Promise<void> {
    await Promise.all(this.#releases.splice(0).map((release) => release()));
  }

  async server(args: readonly string[] = [], certificates?: Certificates): Promise<RedisServer> {
    const server = await startServer(['appendonly yes', 'maxmemory-policy noeviction', ...args], {
      certificates,
    });
    this.onEnd(() => server.kill());
    return server;
  }

  /** A server of its own with these lines in its configuration. */
  async redis(...args: readonly string[]): Promise<Changes> {
    return { REDIS_URL: urlOf(await this.server(args)) };
  }

  async service(started: Promise<Service>): Promise<Service> {
    const service = await started;
    this.onEnd(() => service.close());
    return service;
  }

  certificates(): Promise<Certificates> {
    this.#certificates ??= mkdtemp(join(tmpdir(), 'tally-certificates-')).then((home) => {
      this.onEnd(() => rm(home, { recursive: true }));
      return makeCertificates(home);
    });
    return this.#certificates;
  }

  async slack({ auth, open, scopes, ahead = 0, status = 200, app }: SlackAnswers = {}): Promise<Changes> {
    const granted = scopes ?? REQUIRED_SCOPES;
    const { url } = await this.service(
      serve((request, response) => {
        response.setHeader('date', new Date(Date.now() + ahead * 1000).toUTCString());
        response.setHeader('x-oauth-scopes', granted.join(','));
        if (request.url === '/api/auth.test')
          return json(response, auth ?? { ok: true, user: 'tally', team: 'Acme', bot_id: 'B1' }, status);
        if (request.url === '/api/bots.info') return json(response, { ok: true, bot: { app_id: app } });
        json(response, open ?? { ok: true, url: `ws://${request.headers.host}/a-ticket` }, status);
      }),
    );
    return { SLACK_API_URL: `${url}/api/` };
  }

  /** The answer of a server of HTTP at its root and everywhere else. */
  async http(status: number, text: string, headers: Changes = {}): Promise<string> {
    const { url } = await this.service(
      serve((_, response) => {
        response.writeHead(status, headers);
        response.end(text);
      }),
    );
    return url;
  }

  /** An environment in which nothing is broken. */
  async healthy(): Promise<Changes> {
    const [billing, identity] = await Promise.all([startBilling(), startIdentity()]);
    this.onEnd(() => billing.close());
    this.onEnd(() => identity.close());
    return {
      ...(await this.slack()),
      ...(await this.redis()),
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      ENCRYPTION_KEYS: `2026:${base64(NEW_KEY)}`,
      BILLING_BASE_URL: billing.url,
      IDENTITY_AUTH_URL: identity.authUrl,
      TRUSTED_API_HOSTS: '127.0.0.1',
      PORT: String(await freePort()),
    };
  }

  /** A server with one sealed record for each of the keys. */
  async records(...keys: readonly (readonly [id: string, key: Buffer])[]): Promise<Changes> {
    const server = await this.server();
    for (const [at, [id, key]] of keys.entries()) {
      const workspaces = createWorkspaces({ redis: server.client, keyring: createKeyring([{ id, key }]) });
      await workspaces.saveConnection(await changeIn(workspaces, `T${at}`), {
        name: 'main',
        baseUrl: 'https://api.example.com',
        token: USER_TOKEN,
        role: 'read-only',
        lifetime: '30-days',
        registeredBy: 'U1',
        registeredAt: 0,
      });
    }
    return { REDIS_URL: urlOf(server) };
  }
}

const urlOf = ({ port }: RedisServer, scheme = 'redis', userInfo = ''): string =>
  `${scheme}://${userInfo}127.0.0.1:${port}`;

export interface BrokenSetup {
  readonly name: string;
  /** @returns what differs from the healthy environment */
  readonly build: (world: World) => Promise<Changes>;
  /** How many files the doctor may open. */
  readonly openFiles?: number;
  /** The finding that has to be among those of the doctor: the words of its cause and of its remedy. */
  readonly finding: {
    readonly check: string;
    /** `bad` if absent. */
    readonly verdict?: 'warning';
    readonly code?: string;
    readonly says: RegExp;
    readonly todo: RegExp;
  };
}

const redisSetup = (
  name: string,
  build: BrokenSetup['build'],
  code: string | undefined,
  says: RegExp,
  todo: RegExp,
  verdict?: 'warning',
): BrokenSetup => ({
  name,
  build,
  finding: { check: 'Redis', says, todo, ...(code && { code }), ...(verdict && { verdict }) },
});

/** Something that answers every connection with these bytes. */
const answering = (bytes: string) => async (world: World) => {
  const { port } = await world.service(serveRaw((socket) => socket.on('data', () => socket.write(bytes))));
  return { REDIS_URL: `redis://127.0.0.1:${port}` };
};

const refusing = (code: string) => async (world: World) => {
  const server = await world.server();
  const refusal = WRITE_REFUSALS.find((known) => known.code === code);
  if (refusal) await refuseWrites(server.client, refusal);
  return { REDIS_URL: urlOf(server) };
};

const asUser =
  (...rules: readonly string[]) =>
  async (world: World) => {
    const server = await world.server();
    await server.client.call('ACL', 'SETUSER', 'bot', 'on', `>${PASSWORD}`, ...rules);
    return { REDIS_URL: urlOf(server, 'redis', `bot:${PASSWORD}@`) };
  };

const withTls =
  (scheme: string, changes: (certificates: Certificates) => Changes) => async (world: World) => {
    const certificates = await world.certificates();
    const server = await world.server([], certificates);
    return { REDIS_URL: urlOf(server, scheme), ...changes(certificates) };
  };
/** A server whose certificate has this extension, or is signed with this digest. */
const withCertificate =
  (options: Parameters<typeof makeCertificates>[1]) =>
  async (world: World): Promise<Changes> => {
    const home = await mkdtemp(join(tmpdir(), 'tally-certificates-'));
    world.onEnd(() => rm(home, { recursive: true }));
    const certificates = await makeCertificates(home, options);
    const weak = { ciphers: 'DEFAULT:@SECLEVEL=0' };
    return {
      REDIS_URL: `rediss://localhost:${await httpsServer(world, certificates, weak)}`,
      ...trusting(certificates),
    };
  };
const trusting = ({ authority }: Certificates): Changes => ({ NODE_EXTRA_CA_CERTS: authority });

/** @returns its port */
async function httpsServer(
  world: World,
  { certificate, key }: Certificates,
  options: ServerOptions = {},
): Promise<number> {
  const files = {
    cert: await readFile(certificate),
    key: await readFile(key),
  };
  const server = createHttpsServer({ ...files, ...options }).listen(0, '127.0.0.1');
  world.onEnd(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const versioned = (major: number) => async (world: World) => {
  const { port } = await world.server();
  const old = await world.service(
    serveRaw((socket) => {
      const redis = connect(port, '127.0.0.1');
      redis.on('data', (bytes) => {
        const version = /(?<=redis_version:)\d/.exec(bytes.toString('latin1'))?.index;
        if (version !== undefined) bytes.write(String(major), version);
        socket.write(bytes);
      });
      socket.on('data', (bytes) => redis.write(bytes)).on('close', () => redis.destroy());
    }),
  );
  return { REDIS_URL: `redis://127.0.0.1:${old.port}` };
};

const REDIS: readonly BrokenSetup[] = [
  redisSetup('an old server', versioned(6), 'redis_version', /is version 6\.\d/, /Upgrade it/, 'warning'),
  redisSetup(
    'a server that is too old',
    versioned(4),
    'redis_version 4',
    /older than version 5/,
    /Upgrade it/,
  ),
  redisSetup(
    'a database number that the server does not have',
    async (world) => ({ REDIS_URL: `${urlOf(await world.server())}/99` }),
    'ERR DB index is out of range',
    /database 99/,
    /REDIS_URL=redis:\/\/127\.0\.0\.1:\d+\/0/,
  ),
  redisSetup(
    'a database that is empty beside a full one',
    async (world) => {
      const changes = await world.records(['2026', NEW_KEY]);
      return { REDIS_URL: `${changes.REDIS_URL}/1` };
    },
    undefined,
    /database 1 is empty, and database 0 has \d+ keys/,
    /REDIS_URL=redis:\/\/127\.0\.0\.1:\d+\/0/,
    'warning',
  ),
  redisSetup(
    'a Cluster URL to one server',
    async (world) => ({ REDIS_URL: urlOf(await world.server(), 'redis+cluster') }),
    'ERR This instance has cluster support disabled',
    /not a Cluster/,
    /REDIS_URL=redis:\/\/127\.0\.0\.1:\d+/,
  ),
  redisSetup(
    'a plain URL to a node of a Cluster',
    async (world) => {
      const server = await world.server(['cluster-enabled yes']);
      await server.client.call('CLUSTER', 'ADDSLOTSRANGE', 0, 5000);
      return { REDIS_URL: urlOf(server) };
    },
    undefined,
    /is a node of a Cluster/,
    /REDIS_URL=redis\+cluster:\/\/127\.0\.0\.1:\d+/,
  ),
  redisSetup(
    'a Cluster without all of its slots',
    async (world) => {
      const server = await world.server(['cluster-enabled yes']);
      await server.client.call('CLUSTER', 'ADDSLOTSRANGE', 0, 5000);
      return { REDIS_URL: urlOf(server, 'redis+cluster') };
    },
    'CLUSTERDOWN',
    /slots/,
    /redis-cli --cluster fix 127\.0\.0\.1:\d+/,
  ),
  redisSetup(
    'a Cluster that announces an address nobody reaches',
    async (world) => {
      const server = await world.server([
        'cluster-enabled yes',
        'cluster-announce-ip 127.0.0.1',
        'cluster-announce-port 1',
      ]);
      await server.client.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
      await waitUntil(async () => String(await server.client.cluster('INFO')).includes('cluster_state:ok'));
      return { REDIS_URL: urlOf(server, 'redis+cluster') };
    },
    undefined,
    /announces? .*127\.0\.0\.1:\d+/,
    /cluster-announce-(ip|hostname)/,
  ),
  redisSetup(
    'a Sentinel URL to a plain Redis',
    async (world) => ({ REDIS_URL: `${urlOf(await world.server(), 'redis+sentinel')}/main` }),
    'ERR unknown command',
    /not a Sentinel/,
    /REDIS_URL=redis:\/\/127\.0\.0\.1:\d+/,
  ),
  redisSetup(
    'a plain URL to a Sentinel',
    async (world) => {
      const sentinels = await startSentinels();
      world.onEnd(() => sentinels.stop());
      return { REDIS_URL: urlOf(sentinels.sentinels[0] as RedisServer) };
    },
    undefined,
    /is a Sentinel/,
    /REDIS_URL=redis\+sentinel:\/\/127\.0\.0\.1:\d+\/tally/,
  ),
  redisSetup(
    'a master’s name that the Sentinels do not know',
    async (world) => {
      const sentinels = await startSentinels();
      world.onEnd(() => sentinels.stop());
      return { REDIS_URL: sentinels.url.replace(/\/tally$/, '/mymaster') };
    },
    undefined,
    /don’t know a master “mymaster”/,
    /REDIS_URL=redis\+sentinel:\/\/127\.0\.0\.1:\d+,127\.0\.0\.1:\d+,127\.0\.0\.1:\d+\/tally`.*SENTINEL MASTERS/,
  ),
  redisSetup(
    'an HTTP server in the place of Redis',
    async (world) => ({ REDIS_URL: (await world.http(400, '')).replace('http', 'redis') }),
    'HTTP',
    /an HTTP server answers/,
    /REDIS_URL/,
  ),
  redisSetup(
    'an HTTPS server in the place of Redis with TLS',
    async (world) => {
      const certificates = await world.certificates();
      const port = await httpsServer(world, certificates);
      return { REDIS_URL: `rediss://127.0.0.1:${port}`, ...trusting(certificates) };
    },
    'HTTP',
    /an HTTP server answers/,
    /REDIS_URL/,
  ),
  redisSetup(
    'a Redis that is far away',
    async (world) => {
      const { port } = await world.server();
      const far = await world.service(
        serveRaw((socket) => {
          const redis = connect(port, '127.0.0.1');
          socket.on('data', (bytes) => setTimeout(() => redis.write(bytes), 150));
          redis.on('data', (bytes) => socket.write(bytes));
          socket.on('close', () => redis.destroy());
        }),
      );
      return { REDIS_URL: `redis://127.0.0.1:${far.port}` };
    },
    'latency',
    /takes \d+ ms/,
    /SLOWLOG/,
    'warning',
  ),
  redisSetup(
    'a Cluster that lost a master and answers for the others',
    async (world) => {
      const cluster = await startCluster({ args: ['cluster-require-full-coverage no'] });
      world.onEnd(() => cluster.stop());
      const [, lost, third] = cluster.masters;
      await lost?.kill();
      await waitUntil(async () => String(await third?.client.cluster('NODES')).includes('master,fail '));
      return { REDIS_URL: cluster.url };
    },
    'announced address',
    /announces? .*127\.0\.0\.1:\d+/,
    /[Ss]tart it/,
  ),
  redisSetup(
    'a Cluster that lost a master',
    async (world) => {
      const cluster = await startCluster();
      world.onEnd(() => cluster.stop());
      const [first, lost] = cluster.masters;
      await lost?.kill();
      await waitUntil(async () => String(await first?.client.cluster('INFO')).includes('cluster_state:fail'));
      return { REDIS_URL: cluster.url };
    },
    'CLUSTERDOWN',
    /slots/,
    /Start the lost master/,
  ),
  redisSetup(
    'Sentinels that name a replica',
    async (world) => {
      const [master, other] = await Promise.all([world.server(), world.server()]);
      const sentinel = await startServer([`sentinel monitor main 127.0.0.1 ${master.port} 2`], {
        isSentinel: true,
      });
      world.onEnd(() => sentinel.kill());
      await master.client.call('REPLICAOF', '127.0.0.1', other.port);
      return { REDIS_URL: `${urlOf(sentinel, 'redis+sentinel')}/main` };
    },
    'master role',
    /name 127\.0\.0\.1:\d+ as the master, which is a replica/,
    /SENTINEL MASTER main/,
  ),
  redisSetup(
    'something else in the place of Redis',
    answering('SSH-2.0-OpenSSH_9.6\r\n'),
    'protocol error',
    /not Redis/,
    /REDIS_URL/,
  ),
  redisSetup(
    'a port that takes connections and never answers',
    async (world) => {
      const server = await world.server();
      server.signal('SIGSTOP');
      return { REDIS_URL: urlOf(server) };
    },
    'timeout',
    /takes the connection and doesn’t answer/,
    /redis-cli -h 127\.0\.0\.1 -p \d+ ping/,
  ),
  redisSetup(
    'a Cluster that never answers',
    async (world) => {
      const server = await world.server(['cluster-enabled yes']);
      server.signal('SIGSTOP');
      return { REDIS_URL: urlOf(server, 'redis+cluster') };
    },
    'timeout',
    /doesn’t answer/,
    /redis-cli -h 127\.0\.0\.1 -p \d+ ping/,
  ),
  redisSetup(
    'nothing that listens',
    async () => ({ REDIS_URL: 'redis://127.0.0.1:1' }),
    'ECONNREFUSED',
    /nothing listens/,
    /redis-cli -h 127\.0\.0\.1 -p \d+ ping/,
  ),
  redisSetup(
    'Sentinels that do not listen',
    async () => ({ REDIS_URL: 'redis+sentinel://127.0.0.1:1/main' }),
    'ECONNREFUSED',
    /nothing listens/,
    /redis-cli -h 127\.0\.0\.1 -p \d+ ping/,
  ),
  redisSetup(
    'an unknown host',
    async () => ({ REDIS_URL: 'redis://redis.invalid:6379' }),
    'ENOTFOUND',
    /redis\.invalid/,
    /REDIS_URL/,
  ),
  redisSetup(
    'a socket that is not there',
    async () => ({ REDIS_URL: 'unix:///run/tally-none/redis.sock' }),
    'ENOENT',
    /no socket/,
    /REDIS_URL/,
  ),
  redisSetup(
    'a certificate for clients',
    withCertificate({ extension: 'extendedKeyUsage=clientAuth' }),
    'INVALID_PURPOSE',
    /not for servers/,
    /-purpose/,
  ),
  redisSetup(
    'a certificate signed with SHA-1',
    withCertificate({ digest: 'sha1' }),
    'UNSPECIFIED',
    /SHA-1/,
    /x509 -noout -text/,
  ),
  redisSetup(
    'TLS to a plain port',
    async (world) => ({ REDIS_URL: urlOf(await world.server(), 'rediss') }),
    undefined,
    /doesn’t use TLS/,
    /REDIS_URL=redis:\/\/127\.0\.0\.1:\d+/,
  ),
  redisSetup(
    'no TLS to a port that needs it',
    withTls('redis', trusting),
    undefined,
    /TLS/,
    /REDIS_URL=rediss:\/\/127\.0\.0\.1:\d+/,
  ),
  redisSetup(
    'a certificate of an unknown authority',
    withTls('rediss', () => ({})),
    'SELF_SIGNED_CERT_IN_CHAIN',
    /authority/,
    /NODE_EXTRA_CA_CERTS=/,
  ),
  redisSetup(
    'a certificate for another name',
    async (world) => {
      const certificates = await world.certificates();
      const { port } = await world.server(['bind 127.0.0.1 127.0.0.2'], certificates);
      return { REDIS_URL: `rediss://127.0.0.2:${port}`, ...trusting(certificates) };
    },
    'ERR_TLS_CERT_ALTNAME_INVALID',
    /another name/,
    /openssl s_client|REDIS_URL/,
  ),
  redisSetup(
    'a server that asks for a client’s certificate',
    async (world) => {
      const certificates = await world.certificates();
      const server = await world.server([], certificates);
      await server.client.config('SET', 'tls-auth-clients', 'yes');
      return { REDIS_URL: urlOf(server, 'rediss'), ...trusting(certificates) };
    },
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    /client’s certificate/,
    /CONFIG SET tls-auth-clients no/,
  ),
  redisSetup(
    'no password',
    (world) => world.redis(`requirepass ${PASSWORD}`),
    'NOAUTH',
    /password/,
    /REDIS_URL=redis:\/\/:password@127\.0\.0\.1:\d+/,
  ),
  redisSetup(
    'a wrong password',
    async (world) => ({
      REDIS_URL: urlOf(await world.server([`requirepass other-${PASSWORD}`]), 'redis', `:${PASSWORD}@`),
    }),
    'WRONGPASS',
    /password/,
    /redis-cli .*--user default --askpass ping/,
  ),
  redisSetup(
    'a user without a command',
    asUser('~*', '&*', '+@all', '-evalsha', '-bzpopmin'),
    'NOPERM',
    /bzpopmin, evalsha|evalsha, bzpopmin/,
    /ACL SETUSER bot \+(bzpopmin \+evalsha|evalsha \+bzpopmin)/,
  ),
  redisSetup(
    'a user without PING, INFO and writing',
    asUser('~*', '-@all', '+get'),
    'NOPERM',
    /may not run/,
    /ACL SETUSER bot .*\+@write/,
  ),
  redisSetup(
    'a user without the keys',
    asUser('~other:*', '+@all'),
    'NOPERM keys',
    /keys/,
    /ACL SETUSER bot '~tally:\*' '~\{tally-\*\}:\*'/,
  ),
  redisSetup('a full server', refusing('OOM'), 'OOM', /full/, /CONFIG SET maxmemory/),
  redisSetup(
    'a replica',
    refusing('READONLY'),
    'READONLY',
    /replica/,
    /REDIS_URL=redis:\/\/127\.0\.0\.1:1\b/,
  ),
  redisSetup(
    'too few replicas',
    refusing('NOREPLICAS'),
    'NOREPLICAS',
    /min-replicas-to-write/,
    /redis-cli .*info replication/i,
  ),
  redisSetup('a disk that takes no snapshot', refusing('MISCONF'), 'MISCONF', /disk/, /df -h/),
  redisSetup(
    'a policy that evicts',
    (world) => world.redis('maxmemory-policy allkeys-lru'),
    undefined,
    /allkeys-lru/,
    /CONFIG SET maxmemory-policy noeviction/,
    'warning',
  ),
  redisSetup(
    'appendfsync no',
    (world) => world.redis('appendfsync no'),
    undefined,
    /system/,
    /CONFIG SET appendfsync everysec/,
    'warning',
  ),
  redisSetup(
    'a server that closes idle connections',
    (world) => world.redis('timeout 20'),
    'idle timeout',
    /idle for 20 s/,
    /CONFIG SET timeout 0/,
    'warning',
  ),
  redisSetup(
    'no append-only file',
    (world) => world.redis('appendonly no'),
    undefined,
    /keeps nothing on disk/,
    /CONFIG SET appendonly yes/,
    'warning',
  ),
  redisSetup(
    'too few connections',
    async (world) => {
      const server = await world.server();
      await server.client.config('SET', 'maxclients', '1');
      return { REDIS_URL: urlOf(server) };
    },
    'ERR max number of clients reached',
    /connections/,
    /CONFIG SET maxclients/,
  ),
  redisSetup(
    'few connections left',
    async (world) => {
      const server = await world.server();
      await server.client.config('SET', 'maxclients', '8');
      return { REDIS_URL: urlOf(server) };
    },
    'maxclients',
    /has \d connections of 8/,
    /CONFIG SET maxclients/,
    'warning',
  ),
  redisSetup(
    'too few connections, with a password',
    async (world) => {
      const server = await world.server([`requirepass ${PASSWORD}`]);
      await server.client.config('SET', 'maxclients', '1');
      return { REDIS_URL: urlOf(server, 'redis', `:${PASSWORD}@`) };
    },
    'ERR max number of clients reached',
    /as many connections as it allows/,
    /CONFIG SET maxclients/,
  ),
  redisSetup(
    'too few connections, with TLS',
    async (world) => {
      const certificates = await world.certificates();
      const server = await world.server([], certificates);
      await server.client.config('SET', 'maxclients', '1');
      return { REDIS_URL: urlOf(server, 'rediss'), ...trusting(certificates) };
    },
    undefined,
    /closes the connection at once.*as many as it allows/,
    /INFO clients/,
  ),
  redisSetup(
    'a script that does not end',
    async (world) => {
      const server = await world.server(['busy-reply-threshold 50']);
      void server.client.eval('while true do end', 0).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { REDIS_URL: urlOf(server) };
    },
    'BUSY',
    /script/,
    /script kill/i,
  ),
  redisSetup(
    'a replica that takes changes',
    async (world) => {
      const server = await world.server(['replica-read-only no']);
      await server.client.replicaof('127.0.0.1', (await world.server()).port);
      await waitUntil(async () => /master_link_status:up/.test(await server.client.info('replication')));
      return { REDIS_URL: urlOf(server) };
    },
    'replica-read-only',
    /forgets them/,
    /REDIS_URL=redis:\/\/127\.0\.0\.1/,
  ),
  redisSetup(
    'a server that holds changes back',
    async (world) => {
      const server = await world.server();
      await server.client.call('CLIENT', 'PAUSE', '600000', 'WRITE');
      return { REDIS_URL: urlOf(server) };
    },
    'pause',
    /holds changes back/,
    /CLIENT UNPAUSE/,
  ),
  redisSetup(
    'a replica that lost its primary',
    async (world) => {
      const server = await world.server(['replica-serve-stale-data no']);
      await server.client.replicaof('127.0.0.1', 1);
      return { REDIS_URL: urlOf(server) };
    },
    'READONLY',
    /replica/,
    /REDIS_URL/,
  ),
  redisSetup(
    'a server that still loads its file',
    answering('-LOADING Redis is loading the dataset in memory\r\n'),
    'LOADING',
    /loading/,
    /Wait|again/,
  ),
  redisSetup(
    'a server in protected mode',
    answering('-DENIED Redis is running in protected mode because protected mode is enabled\r\n'),
    'DENIED',
    /protected mode/,
    /requirepass|ACL SETUSER/,
  ),
  ...(
    [
      ['evalsha', /doesn’t have evalsha/],
      ['multi', /doesn’t have .*multi/],
    ] as const
  ).map(([command, says]) =>
    redisSetup(
      `a server where ${command} was renamed`,
      (world) => world.redis(`rename-command ${command} other-${command}`),
      'unknown command',
      says,
      /rename-command.*redis-cli/,
    ),
  ),
  redisSetup(
    'a proxy without INFO',
    answering("-ERR unknown command 'INFO', with args beginning with: \r\n"),
    'unknown command',
    /doesn’t have info/,
    /rename-command.*redis-cli/,
  ),
  redisSetup(
    'a user who may not choose the database',
    async (world) => ({ REDIS_URL: `${(await asUser('~*', '+@all', '-select')(world)).REDIS_URL}/1` }),
    'NOPERM',
    /may not run select/,
    /ACL SETUSER bot '\+select'/,
  ),
  redisSetup(
    'a password in the place of the user',
    async (world) => ({
      REDIS_URL: urlOf(await world.server([`requirepass ${PASSWORD}`]), 'redis', `${PASSWORD}@`),
    }),
    'WRONGPASS user',
    /has no password/,
    /REDIS_URL=redis:\/\/:password@127\.0\.0\.1:\d+/,
  ),
  redisSetup(
    'a server that has only an old TLS',
    async (world) => {
      const certificates = await world.certificates();
      const server = await world.server([], certificates);
      await server.client.config('SET', 'tls-protocols', 'TLSv1.1');
      return { REDIS_URL: urlOf(server, 'rediss'), ...trusting(certificates) };
    },
    undefined,
    /TLS 1\.2/,
    /openssl s_client/,
  ),
  redisSetup(
    'an error nobody knows',
    answering('-WHATEVER happens here\r\n'),
    'WHATEVER',
    /WHATEVER/,
    /doesn’t know/,
  ),
];

const OTHER_FORMS: readonly BrokenSetup[] = [
  redisSetup(
    'TLS to Sentinels without it',
    async (world) => {
      const sentinels = await startSentinels();
      world.onEnd(() => sentinels.stop());
      return { REDIS_URL: sentinels.url.replace('redis+', 'rediss+') };
    },
    'plain',
    /doesn’t use TLS/,
    /REDIS_URL=redis\+sentinel:\/\/127\.0\.0\.1:\d+,127\.0\.0\.1:\d+,127\.0\.0\.1:\d+\/tally/,
  ),
  redisSetup(
    'Sentinels with a password of their own',
    async (world) => {
      const sentinels = await startSentinels();
      world.onEnd(() => sentinels.stop());
      for (const { client } of sentinels.sentinels)
        await client.call('ACL', 'SETUSER', 'default', 'resetpass', `>${PASSWORD}`);
      return { REDIS_URL: sentinels.url };
    },
    'NOAUTH Sentinel',
    /their own password/,
    /\/tally\?sentinelPassword=…/,
  ),
];

const keysSetup = (name: string, build: BrokenSetup['build'], says: RegExp, todo: RegExp): BrokenSetup => ({
  name,
  build,
  finding: { check: 'Sealed records', says, todo },
});

const KEYS: readonly BrokenSetup[] = [
  keysSetup(
    'a key that is missing for what is stored',
    (world) => world.records(['2025', OLD_KEY]),
    /“2025”/,
    /ENCRYPTION_KEYS=2026:…,2025:…/,
  ),
  keysSetup(
    'two bots with different keys on one Redis',
    (world) => world.records(['2026', NEW_KEY], ['theirs', OLD_KEY]),
    /“theirs”/,
    /ENCRYPTION_KEYS=2026:…,theirs:…/,
  ),
  keysSetup(
    'two bots with different keys of one name',
    (world) => world.records(['2026', NEW_KEY], ['2026', OLD_KEY]),
    /another key .*“2026”/,
    /ENCRYPTION_KEYS/,
  ),
  keysSetup(
    'keys whose names are swapped',
    async (world) => ({
      ...(await world.records(['2026', NEW_KEY], ['2025', OLD_KEY])),
      ENCRYPTION_KEYS: `2026:${base64(OLD_KEY)},2025:${base64(NEW_KEY)}`,
    }),
    /swapped/,
    /ENCRYPTION_KEYS/,
  ),
  keysSetup(
    'a key that was renamed',
    async (world) => ({
      ...(await world.records(['2025', OLD_KEY])),
      ENCRYPTION_KEYS: `2026:${base64(OLD_KEY)}`,
    }),
    /“2026”.*was called “2025”/,
    /ENCRYPTION_KEYS=2025:…/,
  ),
];

const slackSetup = (
  name: string,
  answers: SlackAnswers,
  code: string | undefined,
  says: RegExp,
  todo: RegExp,
  changes: Changes = {},
): BrokenSetup => ({
  name,
  build: async (world) => ({ ...(await world.slack(answers)), ...changes }),
  finding: { check: 'Slack', says, todo, ...(code && { code }) },
});

const refused = (error: string) => ({ ok: false, error });
const SOCKET_MODE: Changes = { SLACK_APP_TOKEN: APP_TOKEN };

const SLACK: readonly BrokenSetup[] = [
  ...(
    [
      ['invalid_auth', /token is wrong/, /SLACK_BOT_TOKEN=xoxb-…/],
      ['token_revoked', /revoked/, /Reinstall/],
      ['account_inactive', /removed|deactivated/, /Reinstall|Install/],
      ['token_expired', /expired|rotation/, /SLACK_BOT_TOKEN=xoxb-…/],
      ['not_allowed_token_type', /kind of token/, /SLACK_BOT_TOKEN=xoxb-…/],
      ['fatal_error', /Slack’s own/, /slack-status\.com|status\.slack\.com/],
      ['ekm_access_denied', /encryption keys/, /admin/],
      ['something_new', /something_new/, /doesn’t know/],
    ] as const
  ).map(([error, says, todo]) =>
    slackSetup(`the bot token answered with ${error}`, { auth: refused(error) }, error, says, todo),
  ),
  slackSetup(
    'a scope that is missing',
    { scopes: REQUIRED_SCOPES.filter((scope) => !['im:write', 'users:read'].includes(scope)) },
    'missing_scope',
    /lacks im:write, users:read/,
    /im:write, users:read.*OAuth & Permissions.*Reinstall/i,
  ),
  {
    name: 'scopes that Tally never uses',
    build: (world) => world.slack({ scopes: [...REQUIRED_SCOPES, 'admin'] }),
    finding: {
      ...{ check: 'Slack', verdict: 'warning', code: 'surplus_scope' },
      says: /more than Tally uses: admin/,
      todo: /Remove admin .*OAuth & Permissions.*Reinstall/i,
    },
  },
  slackSetup(
    'too many requests',
    { auth: refused('ratelimited'), status: 429 },
    'ratelimited',
    /limits/,
    /Wait/,
  ),
  slackSetup('an outage of Slack', { auth: {}, status: 503 }, 'HTTP 503', /outage|Slack’s own/, /status/),
  slackSetup(
    'a wrong app-level token',
    { open: refused('invalid_auth') },
    'invalid_auth',
    /SLACK_APP_TOKEN/,
    /SLACK_APP_TOKEN=xapp-…/,
    SOCKET_MODE,
  ),
  slackSetup(
    'an app-level token without its scope',
    { open: refused('missing_scope') },
    'missing_scope',
    /connections:write/,
    /connections:write/,
    SOCKET_MODE,
  ),
  slackSetup(
    'an app-level token of another app',
    { app: 'A0BOTSAPP1' },
    'app_id',
    /SLACK_APP_TOKEN is of A0OTHERAPP, SLACK_BOT_TOKEN of A0BOTSAPP1/,
    /api\.slack\.com\/apps\/A0BOTSAPP1.*SLACK_APP_TOKEN=xapp-…/,
    { SLACK_APP_TOKEN: 'xapp-1-A0OTHERAPP-an-app-token-that-must-not-be-seen' },
  ),
  ...(['invalid_client_id', 'bad_client_secret'] as const).map((error) => ({
    name: `an app that installs by OAuth and is answered with ${error}`,
    build: async (world: World) => ({
      ...(await world.slack({ open: refused(error) })),
      ...{ SLACK_BOT_TOKEN: '', SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'a-client-secret' },
      ...{ SLACK_STATE_SECRET: 'a-state-secret', PUBLIC_URL: 'https://tally.invalid' },
    }),
    finding: {
      check: 'Slack',
      code: error,
      says: /SLACK_CLIENT_(ID|SECRET)/,
      todo: /`SLACK_CLIENT_(ID|SECRET)=…`/,
    },
  })),
  slackSetup(
    'a proxy that removes the header with the token',
    { auth: refused('not_authed') },
    'not_authed',
    /removes the header Authorization/,
    /directly/,
  ),
  slackSetup(
    'a proxy that changes what is sent to Slack',
    { auth: refused('invalid_form_data') },
    'invalid_form_data',
    /changes or cuts the request/,
    /directly/,
  ),
  slackSetup(
    'a workspace that asks its members for a second factor',
    { auth: refused('two_factor_setup_required') },
    'two_factor_setup_required',
    /doesn’t let this app in/,
    /admin/,
  ),
  {
    name: 'a Slack that drops every connection',
    build: async (world) => {
      const { url } = await world.service(serveRaw((socket) => socket.destroy()));
      return { SLACK_API_URL: `${url}/api/` };
    },
    finding: { check: 'Slack', code: 'closed', says: /closes the connection at once/, todo: /curl -sS / },
  },
  {
    name: 'http to a port of Slack for https',
    build: async (world) => ({
      SLACK_API_URL: `http://127.0.0.1:${await httpsServer(world, await world.certificates())}/api/`,
    }),
    finding: {
      ...{ check: 'Slack', code: 'TLS', says: /accepts only https/ },
      todo: /SLACK_API_URL=https:\/\/127\.0\.0\.1:\d+\/api\/`/,
    },
  },
  ...[400, 418, 451, 511].map(
    (status): BrokenSetup => ({
      name: `something that answers with HTTP ${status} in the place of Slack`,
      build: async (world) => ({ SLACK_API_URL: `${await world.http(status, '<html>')}/api/` }),
      finding: { check: 'Slack', code: `HTTP ${status}`, says: /is not Slack/, todo: /SLACK_API_URL=/ },
    }),
  ),
  {
    name: 'an address of Slack without /api',
    build: async (world) => ({ SLACK_API_URL: await world.http(404, '<html>') }),
    finding: {
      check: 'Slack',
      code: 'HTTP 404',
      says: /not Slack/,
      todo: /SLACK_API_URL=https:\/\/slack\.com\/api\//,
    },
  },
  {
    name: 'a Slack that cannot be reached',
    build: async () => ({ SLACK_API_URL: `http://127.0.0.1:${await closedPort()}/api/` }),
    finding: {
      check: 'Slack',
      code: 'ECONNREFUSED',
      says: /nothing listens/,
      todo: /curl -sS http:\/\/127\.0\.0\.1:\d+\/api\/api\.test/,
    },
  },
  {
    name: 'a Slack that never answers',
    build: async (world) => {
      const { url } = await world.service(serveRaw(() => {}));
      return { SLACK_API_URL: `${url}/api/` };
    },
    finding: { check: 'Slack', code: 'timeout', says: /doesn’t answer/, todo: /curl -sS / },
  },
  {
    name: 'a login page in the place of Slack',
    build: async (world) => ({ SLACK_API_URL: `${await world.http(200, '<html>')}/api/` }),
    finding: { check: 'Slack', code: 'not JSON', says: /login page/, todo: /SLACK_API_URL|proxy/ },
  },
  {
    name: 'a redirect in the place of Slack',
    build: async (world) => ({
      SLACK_API_URL: `${await world.http(302, '', { location: 'https://login.example.com/' })}/api/`,
    }),
    finding: { check: 'Slack', code: 'redirect', says: /login\.example\.com/, todo: /SLACK_API_URL|proxy/ },
  },
  {
    name: 'a clock that is off',
    build: (world) => world.slack({ ahead: 400 }),
    finding: { check: 'Clock', says: /behind/, todo: /timedatectl set-ntp true/ },
  },
];

const MORE_REDIS: readonly BrokenSetup[] = [
  ...['ERR Client IP address is not in allowlist.', 'no upstream host'].map((text) =>
    redisSetup(
      `what refuses every command with “${text}”`,
      answering(`-${text}\r\n`),
      'refused',
      new RegExp(`refuses every command: “${text}”`),
      /the log of what answers/,
    ),
  ),
  redisSetup(
    'a Cluster with as many connections as it allows',
    answering('-ERR max number of clients + cluster connections reached\r\n'),
    'ERR max number of clients + cluster connections reached',
    /as many connections as it allows/,
    /maxclients 10000/,
  ),
  redisSetup(
    'a database that the master of the Sentinels does not have',
    async (world) => {
      const sentinels = await startSentinels();
      world.onEnd(() => sentinels.stop());
      return { REDIS_URL: `${sentinels.url}/99` };
    },
    'ERR DB index is out of range',
    /no database 99/,
    /\/tally\/0`/,
  ),
  redisSetup(
    'a Cluster URL to a Sentinel',
    async (world) => {
      const sentinels = await startSentinels();
      world.onEnd(() => sentinels.stop());
      return { REDIS_URL: urlOf(sentinels.sentinels[0] as RedisServer, 'redis+cluster') };
    },
    'redis_mode:sentinel',
    /is a Sentinel/,
    /REDIS_URL=redis\+sentinel:\/\/127\.0\.0\.1:\d+\/tally/,
  ),
  redisSetup(
    'a Sentinel that is down beside others',
    async (world) => {
      const sentinels = await startSentinels();
      world.onEnd(() => sentinels.stop());
      await sentinels.sentinels[1]?.kill();
      return { REDIS_URL: sentinels.url };
    },
    'lost host',
    /can’t be reached at 127\.0\.0\.1:\d+ of REDIS_URL; the others answer/,
    /take it out of REDIS_URL/,
    'warning',
  ),
  redisSetup(
    'a master of Sentinels that evicts, whose settings are changed on the master',
    async (world) => {
      const sentinels = await startSentinels();
      world.onEnd(() => sentinels.stop());
      const master = await sentinels.master();
      await master.client.config('SET', 'maxmemory-policy', `allkeys-lru`);
      return { REDIS_URL: sentinels.url };
    },
    'maxmemory-policy',
    /allkeys-lru/,
    /CONFIG SET maxmemory-policy noeviction/,
    'warning',
  ),
  redisSetup(
    'a Cluster with a host that nobody knows among its nodes',
    async (world) => {
      const cluster = await startCluster();
      world.onEnd(() => cluster.stop());
      return { REDIS_URL: `${cluster.url},redis.invalid:6379` };
    },
    'lost host',
    /at redis\.invalid:6379 of REDIS_URL/,
    /redis-cli -h redis\.invalid -p 6379/,
    'warning',
  ),
];

const configSetup = (name: string, changes: Changes, says: RegExp, todo: RegExp): BrokenSetup => ({
  name,
  build: async () => changes,
  finding: { check: 'Configuration', says, todo },
});

const CONFIGURATION: readonly BrokenSetup[] = [
  configSetup(
    'a signing secret that is too long',
    { SLACK_SIGNING_SECRET: SIGNING_SECRET.repeat(2) },
    /SLACK_SIGNING_SECRET has 64 characters/,
    /SLACK_SIGNING_SECRET=…/,
  ),
  configSetup(
    'tokens in each other’s place',
    { SLACK_BOT_TOKEN: APP_TOKEN, SLACK_APP_TOKEN: BOT_TOKEN },
    /SLACK_BOT_TOKEN is an app-level token/,
    /SLACK_APP_TOKEN=xapp-…/,
  ),
  configSetup(
    'a user’s token as the bot’s',
    { SLACK_BOT_TOKEN: BOT_TOKEN.replace('xoxb', 'xoxp') },
    /SLACK_BOT_TOKEN is a user token/,
    /SLACK_BOT_TOKEN=xoxb-…/,
  ),
  configSetup(
    'a key in hexadecimal',
    { ENCRYPTION_KEYS: `2026:${NEW_KEY.toString('hex')}` },
    /hexadecimal/,
    /openssl rand -base64 32/,
  ),
  configSetup(
    'a key of 16 bytes',
    { ENCRYPTION_KEYS: `2026:${base64(NEW_KEY.subarray(16))}` },
    /16 bytes instead of 32/,
    /openssl rand -base64 32/,
  ),
  configSetup(
    'a key of zeros',
    { ENCRYPTION_KEYS: `2026:${base64(Buffer.alloc(32))}` },
    /nothing but zeros/,
    /openssl rand -base64 32/,
  ),
  configSetup(
    'a socket’s path that is too long',
    { REDIS_URL: `unix:///run/${'long/'.repeat(20)}redis.sock` },
    /more than 107 bytes/,
    /ln -s .* REDIS_URL=unix:\/\/\//,
  ),
  configSetup(
    'a % in a password that encodes nothing',
    { REDIS_URL: `redis://:100%${PASSWORD}@127.0.0.1:6379` },
    /REDIS_URL has a % in the password/,
    /%25/,
  ),
  ...(
    [
      ['in quotes of a word processor', '“redis://127.0.0.1:6379”', /is in quotes/, /REDIS_URL=…/],
      ['with a comment behind', 'redis://127.0.0.1:6379 # ours', /has a comment/, /line of its own/],
      ['with a space', 'redis:// 127.0.0.1:6379', /has a space.*%20/, /redis:\/\//],
      ['of TCP', 'tcp://127.0.0.1:6379', /begins with tcp:\/\//, /redis:\/\//],
      ['without a scheme', '127.0.0.1:6379', /doesn’t begin with redis:\/\//, /in front/],
    ] as const
  ).map(([name, REDIS_URL, says, todo]) =>
    configSetup(`an address of Redis ${name}`, { REDIS_URL }, says, todo),
  ),
  ...(
    [
      ['REDIS_URL', `redis://:${PASSWORD}@127.0.0.1:6379`],
      ['SLACK_BOT_TOKEN', BOT_TOKEN],
      ['SLACK_APP_TOKEN', APP_TOKEN],
      ['BILLING_BASE_URL', 'https://billing.example.com'],
      ['ENCRYPTION_KEYS', `2026:${base64(NEW_KEY)},2025:${base64(OLD_KEY)}`],
      ['SLACK_SIGNING_SECRET', SIGNING_SECRET],
    ] as const
  ).map(([name, value]) =>
    configSetup(
      `${name} in base64, as in a manifest of Kubernetes`,
      { [name]: Buffer.from(value).toString('base64') },
      new RegExp(`${name} is encoded in base64`),
      /stringData/,
    ),
  ),
  configSetup(
    'a token with a character that can’t be seen',
    { SLACK_BOT_TOKEN: `${BOT_TOKEN}\u200b` },
    /SLACK_BOT_TOKEN has a character that can’t be seen/,
    /SLACK_BOT_TOKEN=…/,
  ),
  ...[
    ...['redis://{{ .Values.redis.host }}:6379', 'redis://:$(REDIS_PASSWORD)@redis:6379', '<your Redis>'],
    ...['redis://…', 'your-redis-url'],
  ].map((REDIS_URL) =>
    configSetup(
      `a place for a value: ${REDIS_URL}`,
      { REDIS_URL },
      /REDIS_URL has a place for a value in it, which nothing filled in/,
      /REDIS_URL=…/,
    ),
  ),
  ...(
    [
      ['undefined', /is a word that programs and templates write/],
      ['vault:secret/data/tally#bot', /names a secret, which nothing looked up/],
      [JSON.stringify({ token: BOT_TOKEN }), /is JSON/],
      [`Bearer ${BOT_TOKEN}`, /begins with Bearer/],
      [`${BOT_TOKEN}\n${BOT_TOKEN}`, /has several lines/],
    ] as const
  ).map(([value, says]) =>
    configSetup(
      `${JSON.stringify(value)} as the bot token`,
      { SLACK_BOT_TOKEN: value },
      says,
      /SLACK_BOT_TOKEN=…/,
    ),
  ),
  configSetup(
    'a connection string of Azure',
    { REDIS_URL: `acme.redis.example.com:6380,password=${PASSWORD},ssl=True` },
    /REDIS_URL is a connection string/,
    /REDIS_URL=…/,
  ),
  configSetup(
    'a port as Kubernetes names a Service',
    { PORT: 'tcp://10.0.0.1:3000' },
    /PORT is tcp:\/\/…, which Kubernetes/,
    /enableServiceLinks: false/,
  ),
  configSetup(
    'a key whose ID has a colon',
    { ENCRYPTION_KEYS: `2026:11:${base64(NEW_KEY)}` },
    /the ID of the key has other characters/,
    /An ID has 1 to 32 letters/,
  ),
  configSetup(
    'keys with a semicolon between them',
    { ENCRYPTION_KEYS: `2026:${base64(NEW_KEY)};2025:${base64(OLD_KEY)}` },
    /not separated by commas/,
    /newest first, separated by commas/,
  ),
  configSetup(
    'a signing secret in capitals',
    { SLACK_SIGNING_SECRET: SIGNING_SECRET.toUpperCase() },
    /0 to 9 or a to f/,
    /SLACK_SIGNING_SECRET=…/,
  ),
  configSetup(
    'the name of the service before a variable',
    { SLACK_BOT_TOKEN: '', TALLY_SLACK_BOT_TOKEN: BOT_TOKEN },
    /not set/,
    /TALLY_SLACK_BOT_TOKEN is set: did you mean SLACK_BOT_TOKEN/,
  ),
  configSetup(
    'a key written before its name',
    { ENCRYPTION_KEYS: `${base64(NEW_KEY)}:2026` },
    /the key is written key:id/,
    /ENCRYPTION_KEYS=id:key/,
  ),
  configSetup(
    'a list in JSON as keys',
    { ENCRYPTION_KEYS: JSON.stringify([`2026:${base64(NEW_KEY)}`]) },
    /is JSON/,
    /ENCRYPTION_KEYS=…/,
  ),
  ...(
    [
      ['ENCRYPTION_KEYS', '2026:<what it printed>', /has a place for a value/],
      ['ENCRYPTION_KEYS', 'file:/run/secrets/keys', /is the path of a file/],
      ['SLACK_SIGNING_SECRET', '/run/secrets/signing-secret', /is the path of a file/],
      ['SLACK_BOT_TOKEN', '/run/secrets/slack-token', /is the path of a file/],
      ['SLACK_BOT_TOKEN', 'ENC[AES256_GCM,data:abc=,type:str]', /is encrypted/],
      ['SLACK_BOT_TOKEN', `${BOT_TOKEN}\\n`, /ends with \\n, a line break/],
      [
        'SLACK_BOT_TOKEN',
        BOT_TOKEN.replaceAll('-', '–'),
        /has a dash or a letter that only looks like the plain one/,
      ],
      [
        'SLACK_BOT_TOKEN',
        BOT_TOKEN.replace('x', 'х'),
        /has a dash or a letter that only looks like the plain one/,
      ],
      ['REDIS_URL', '$REDIS_URL', /has a place for a value/],
      ['REDIS_URL', '%REDIS_URL%', /has a place for a value/],
      ['REDIS_URL', '#{redis.url}', /has a place for a value/],
      ['REDIS_URL', '__REDIS_URL__', /has a place for a value/],
      ['REDIS_URL', 'redis%3A%2F%2F127.0.0.1%3A6379', /is encoded as in a URL/],
      ['PUBLIC_URL', 'https://https://tally.example.com', /begins with https:\/\/ twice/],
    ] as const
  ).map(([name, value, says]) =>
    configSetup(
      `${name} that is ${JSON.stringify(value)}`,
      { [name]: value },
      new RegExp(`${name} ${says.source}`),
      new RegExp(`${name}=…`),
    ),
  ),
  configSetup(
    'trusted hosts with a semicolon between them',
    { TRUSTED_API_HOSTS: 'billing.internal;identity.internal' },
    /TRUSTED_API_HOSTS is invalid: entry 1/,
    /separated by commas/,
  ),
  {
    name: 'one key under two names',
    build: async () => ({ ENCRYPTION_KEYS: `2027:${base64(NEW_KEY)},2026:${base64(NEW_KEY)}` }),
    finding: {
      ...{ check: 'Configuration', verdict: 'warning', code: 'same key' },
      ...{ says: /one key under the names “2027” and “2026”/, todo: /openssl rand -base64 32.*tally reseal/ },
    },
  },
  {
    name: 'a key of one byte',
    build: async () => ({ ENCRYPTION_KEYS: `2026:${base64(Buffer.alloc(32, 'A'))}` }),
    finding: {
      ...{ check: 'Configuration', verdict: 'warning', code: 'guessable key' },
      ...{ says: /“2026”, which is one byte again and again/, todo: /openssl rand -base64 32.*tally reseal/ },
    },
  },
  ...(
    [
      ['a heap that is larger than its container', 256, '--max-old-space-size=1024', /1\d{3} MiB.* 256 MiB/],
      ['a container that is too small', 128, '', /192 MiB.* 128 MiB/],
    ] as const
  ).map(
    ([name, mebibytes, option, says]): BrokenSetup => ({
      name,
      build: async () => ({
        NODE_OPTIONS: `${option} --import "data:text/javascript,process.constrainedMemory=()=>${mebibytes}*2**20"`,
      }),
      finding: {
        ...{ check: 'Configuration', verdict: 'warning', code: 'container memory' },
        ...{ says, todo: /--memory 384m.*--max-old-space-size/ },
      },
    }),
  ),
  {
    name: 'a small heap, as in a small container',
    build: async () => ({ NODE_OPTIONS: '--max-old-space-size=20' }),
    finding: {
      ...{ check: 'Configuration', verdict: 'warning', code: 'memory' },
      ...{ says: /heap of \d+ MiB/, todo: /384Mi/ },
    },
  },
  configSetup(
    'a host of Redis without its address',
    { REDIS_URL: '', REDIS_HOST: 'redis' },
    /not set/,
    /REDIS_HOST is set: did you mean REDIS_URL/,
  ),
  configSetup('a misspelled name', { REDIS_URL: '', REDIS_URI: 'redis://h' }, /not set/, /REDIS_URI is set/),
  configSetup(
    'a shortened name',
    { SLACK_BOT_TOKEN: '', SLACK_TOKEN: BOT_TOKEN },
    /not set/,
    /SLACK_TOKEN is/,
  ),
  {
    name: 'certificates that nobody checks',
    build: async () => ({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
    finding: {
      ...{ check: 'Configuration', verdict: 'warning' },
      ...{ says: /any certificate/, todo: /NODE_EXTRA_CA_CERTS=/ },
    },
  },
  {
    name: 'a proxy that others are reached by',
    build: async () => ({ HTTPS_PROXY: 'http://proxy.example.com:3128' }),
    finding: {
      ...{ check: 'Configuration', verdict: 'warning' },
      ...{ says: /HTTPS_PROXY is set.*no proxy/, todo: /unset HTTPS_PROXY/ },
    },
  },
  {
    name: 'a proxy in a variable in lower case, with a password',
    build: async () => ({ https_proxy: `http://me:${PASSWORD}@proxy.example.com:3128` }),
    finding: {
      ...{ check: 'Configuration', verdict: 'warning' },
      ...{ says: /https_proxy is set.*no proxy/, todo: /unset https_proxy/ },
    },
  },
  configSetup(
    'two addresses of billing',
    { BILLING_BASE_URL: 'https://a.example.com,https://b.example.com' },
    /BILLING_BASE_URL has several addresses/,
    /https:\/\/api\.example\.com/,
  ),
  {
    name: 'a variable under another name',
    build: async () => ({ BILLING_URL: 'https://billing.example.com', BILLING_BASE_URL: '' }),
    finding: {
      ...{ check: 'Configuration', verdict: 'warning', code: 'similar name' },
      ...{ says: /^BILLING_URL is set.* BILLING_BASE_URL isn’t$/, todo: /BILLING_BASE_URL=…/ },
    },
  },
  {
    name: 'an option of REDIS_URL that does nothing',
    build: async (world) => {
      const { REDIS_URL } = await world.redis();
      return { REDIS_URL: `${REDIS_URL}?ssl=true&a-password-that-must-not-be-seen` };
    },
    finding: {
      ...{ check: 'Configuration', verdict: 'warning', code: 'redis option' },
      ...{ says: /^REDIS_URL has ssl, … after the \?/, todo: /db, family, password, username/ },
    },
  },
  {
    name: 'too few files that may be open',
    build: async () => ({}),
    openFiles: 256,
    finding: {
      ...{ check: 'Configuration', verdict: 'warning', code: 'open files' },
      ...{ says: /may open 256 files/, todo: /ulimit -n 65536/ },
    },
  },
  configSetup(
    'two keys of one name',
    { ENCRYPTION_KEYS: `2026:${base64(NEW_KEY)},2026:${base64(OLD_KEY)}` },
    /the same name/,
    /ENCRYPTION_KEYS=new-name:…,old-name:…/,
  ),
  configSetup(
    'a file of authorities without a certificate',
    { NODE_EXTRA_CA_CERTS: '/dev/null' },
    /NODE_EXTRA_CA_CERTS.*no certificate/,
    /NODE_EXTRA_CA_CERTS=/,
  ),
  configSetup(
    'a file of authorities that is not there',
    { NODE_EXTRA_CA_CERTS: '/none/ca.pem' },
    /NODE_EXTRA_CA_CERTS.*can’t be read/,
    /NODE_EXTRA_CA_CERTS=/,
  ),
];

const MORE: readonly BrokenSetup[] = [
  {
    name: 'a bot token of another workspace than the records',
    build: async (world) => ({
      ...(await world.records(['2026', NEW_KEY])),
      ...(await world.slack({
        auth: { ok: true, user: 'tally', team: 'Staging', team_id: 'T9', bot_id: 'B1' },
      })),
    }),
    finding: {
      ...{ check: 'Slack', verdict: 'warning', code: 'team_id' },
      ...{ says: /is for “Staging” \(T9\).* records of T0/, todo: /REDIS_URL/ },
    },
  },
  {
    name: 'a port that is taken',
    build: async (world) => {
      const { port } = await world.service(serve((_, response) => response.end('another')));
      return { PORT: String(port) };
    },
    finding: { check: 'Port', code: 'EADDRINUSE', says: /is taken, by/, todo: /ss -ltnp 'sport = :\d+'/ },
  },
  {
    name: 'an address of its own without https',
    build: async () => ({ PUBLIC_URL: 'http://tally.example.com' }),
    finding: { check: 'Public address', says: /https/, todo: /PUBLIC_URL=https:\/\/tally\.example\.com/ },
  },
  {
    name: 'an address of its own that nobody knows',
    build: async () => ({ PUBLIC_URL: 'https://tally.invalid' }),
    finding: { check: 'Public address', code: 'ENOTFOUND', says: /tally\.invalid/, todo: /PUBLIC_URL|DNS/ },
  },
  ...['https://10.0.0.5', 'http://localhost:3000', 'https://tally.internal'].map(
    (PUBLIC_URL): BrokenSetup => ({
      name: `an address that Slack can’t reach: ${PUBLIC_URL}`,
      build: async () => ({ PUBLIC_URL, SLACK_API_URL: 'https://slack.invalid.example/api/' }),
      finding: {
        ...{ check: 'Public address', code: 'local address' },
        ...{
          says: /only this machine or its network can reach/,
          todo: /PUBLIC_URL=https:.*SLACK_APP_TOKEN=/,
        },
      },
    }),
  ),
  {
    name: 'a public address that drops every connection',
    build: async (world) => ({
      PUBLIC_URL: (await world.service(serveRaw((socket) => socket.destroy()))).url,
    }),
    finding: { check: 'Public address', code: 'closed', says: /closes the connection/, todo: /curl -sS/ },
  },
  {
    name: 'a public address whose proxy refuses what Slack sends',
    build: async (world) => ({ PUBLIC_URL: await world.http(429, '') }),
    finding: { check: 'Public address', code: 'HTTP 429', says: /other than Tally/, todo: /\/slack\// },
  },
  ...([401, 404] as const).map(
    (status): BrokenSetup => ({
      name: `a collector that answers with HTTP ${status}`,
      build: async (world) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: await world.http(status, '') }),
      finding: {
        ...{ check: 'Traces', verdict: 'warning', code: `HTTP ${status}` },
        says: status === 401 ? /no credentials, or wrong ones/ : /takes no traces/,
        todo: status === 401 ? /OTEL_EXPORTER_OTLP_HEADERS=/ : /OTEL_EXPORTER_OTLP_ENDPOINT=/,
      },
    }),
  ),
  {
    name: 'a page in the place of the collector',
    build: async (world) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: await world.http(200, '<html>') }),
    finding: {
      ...{ check: 'Traces', verdict: 'warning', code: 'not JSON', says: /takes no traces/ },
      todo: /OTEL_EXPORTER_OTLP_ENDPOINT=/,
    },
  },
  {
    name: 'another interface in the place of identity',
    build: async (world) => ({ IDENTITY_AUTH_URL: `${await world.http(200, '{"status":"ok"}')}/v3` }),
    finding: { check: 'Identity', code: 'not JSON', says: /something else/, todo: /IDENTITY_AUTH_URL=/ },
  },
  {
    name: 'http to a port of billing for https that hangs up',
    build: async (world) => ({
      BILLING_BASE_URL: `http://127.0.0.1:${await httpsServer(world, await world.certificates())}`,
    }),
    finding: { check: 'Billing', code: 'TLS', says: /accepts only https/, todo: /BILLING_BASE_URL=https:/ },
  },
  {
    name: 'a billing service that asks for a client’s certificate',
    build: async (world) => {
      const certificates = await world.certificates();
      const port = await httpsServer(world, certificates, {
        ...{ requestCert: true, ca: await readFile(certificates.authority) },
      });
      return { BILLING_BASE_URL: `https://127.0.0.1:${port}`, ...trusting(certificates) };
    },
    finding: {
      ...{ check: 'Billing', code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' },
      ...{ says: /asks for a client’s certificate/, todo: /openssl s_client/ },
    },
  },
  {
    name: 'a public address that asks for a login',
    build: async (world) => ({ PUBLIC_URL: await world.http(401, 'Log in') }),
    finding: { check: 'Public address', code: 'HTTP 401', says: /asks for a login/, todo: /curl -sS/ },
  },
  {
    name: 'a public address whose proxy takes short requests only',
    build: async (world) => {
      const { url } = await world.service(
        serve(({ headers }, response) => {
          response.writeHead(Number(headers['content-length']) > 65_536 ? 413 : 200);
          response.end();
        }),
      );
      return { PUBLIC_URL: url };
    },
    finding: {
      ...{ check: 'Public address', code: 'HTTP 413' },
      ...{ says: /refuses long requests/, todo: /client_max_body_size 1m/ },
    },
  },
  {
    name: 'an address of its own where something else answers',
    build: async (world) => ({ PUBLIC_URL: await world.http(404, 'nginx') }),
    finding: {
      check: 'Public address',
      code: 'HTTP 404',
      says: /something other than Tally/,
      todo: /\/slack\//,
    },
  },
  {
    name: 'an identity address without /v3',
    build: async (world) => {
      const identity = await startIdentity();
      world.onEnd(() => identity.close());
      return { IDENTITY_AUTH_URL: identity.url };
    },
    finding: {
      check: 'Identity',
      says: /doesn’t end with \/v3/,
      todo: /IDENTITY_AUTH_URL=http:\/\/127\.0\.0\.1:\d+\/v3/,
    },
  },
  {
    name: 'addresses of the services that are swapped',
    build: async (world) => {
      const [billing, identity] = await Promise.all([startBilling(), startIdentity()]);
      world.onEnd(() => billing.close());
      world.onEnd(() => identity.close());
      return { BILLING_BASE_URL: identity.authUrl, IDENTITY_AUTH_URL: `${billing.url}/v3` };
    },
    finding: { check: 'Billing', code: 'HTTP 404', says: /no billing/, todo: /BILLING_BASE_URL=/ },
  },
  {
    name: 'a private address of billing',
    build: async () => ({ BILLING_BASE_URL: 'https://10.0.0.5' }),
    finding: {
      check: 'Billing',
      says: /10\.0\.0\.5.*not a public address/,
      todo: /TRUSTED_API_HOSTS=.*10\.0\.0\.5/,
    },
  },
  {
    name: 'a proxy before billing with a login of its own',
    build: async (world) => ({ BILLING_BASE_URL: await world.http(401, '<html>') }),
    finding: {
      check: 'Billing',
      verdict: 'warning',
      code: 'HTTP 401',
      says: /a login of its own/,
      todo: /curl/,
    },
  },
  {
    name: 'another interface in the place of billing',
    build: async (world) => ({ BILLING_BASE_URL: await world.http(200, '{"status":"ok"}') }),
    finding: { check: 'Billing', code: 'not JSON', says: /something else/, todo: /BILLING_BASE_URL=/ },
  },
  {
    name: 'http to a port of billing for https',
    build: async (world) => ({ BILLING_BASE_URL: await world.http(400, 'sent to HTTPS port') }),
    finding: { check: 'Billing', verdict: 'warning', code: 'HTTP 400', says: /by http/, todo: /=https:/ },
  },
  {
    name: 'a firewall in the place of billing',
    build: async (world) => ({ BILLING_BASE_URL: await world.http(403, '<html>') }),
    finding: { check: 'Billing', verdict: 'warning', code: 'HTTP 403', says: /firewall/, todo: /curl/ },
  },
  {
    name: 'an identity service that lists its versions',
    build: async (world) => ({ IDENTITY_AUTH_URL: `${await world.http(300, '{"versions":{}}')}/v3` }),
    finding: { check: 'Identity', code: 'HTTP 300', says: /lists its versions/, todo: /IDENTITY_AUTH_URL=/ },
  },
  {
    name: 'a path in its own address',
    build: async (world) => ({ PUBLIC_URL: `${await world.http(404, '')}/slack/events` }),
    finding: { check: 'Public address', says: /has a path/, todo: /PUBLIC_URL=http:\/\/127\.0\.0\.1:\d+`/ },
  },
  {
    name: 'an address of the collector with the path of traces',
    build: async () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }),
    finding: {
      check: 'Traces',
      verdict: 'warning',
      says: /v1\/traces/,
      todo: /ENDPOINT=http:\/\/127.0.0.1:4318`/,
    },
  },
  {
    name: 'a collector that does not listen',
    build: async () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await closedPort()}` }),
    finding: {
      check: 'Traces',
      verdict: 'warning',
      code: 'ECONNREFUSED',
      says: /nothing listens/,
      todo: /OTEL/,
    },
  },
  {
    name: 'a host of Socket Mode that cannot be reached',
    build: async (world) => ({
      ...(await world.slack({ open: { ok: true, url: `wss://127.0.0.1:${await closedPort()}/a-ticket` } })),
      ...SOCKET_MODE,
    }),
    finding: { check: 'Slack', code: 'ECONNREFUSED', says: /nothing listens/, todo: /connect out/ },
  },
  {
    name: 'a proxy that looks into the connection of Socket Mode',
    build: async (world) => {
      const port = await httpsServer(world, await world.certificates());
      return {
        ...(await world.slack({ open: { ok: true, url: `wss://127.0.0.1:${port}/a-ticket` } })),
        ...SOCKET_MODE,
      };
    },
    finding: {
      ...{ check: 'Slack', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
      ...{ says: /an authority that Node doesn’t trust/, todo: /NODE_EXTRA_CA_CERTS=/ },
    },
  },
  {
    name: 'a host of Socket Mode that hangs up',
    build: async (world) => {
      const { port } = await world.service(serveRaw((socket) => socket.destroy()));
      return {
        ...(await world.slack({ open: { ok: true, url: `wss://127.0.0.1:${port}/a-ticket` } })),
        ...SOCKET_MODE,
      };
    },
    finding: { check: 'Slack', code: 'ECONNRESET', says: /closes the connection at once/, todo: /curl -sS / },
  },
  {
    name: 'keys of another program',
    build: async (world) => {
      const server = await world.server();
      await server.client.set(indexKey(0), 'theirs');
      return { REDIS_URL: urlOf(server) };
    },
    finding: { check: 'Sealed records', code: 'WRONGTYPE', says: /another type/, todo: /REDIS_URL=/ },
  },
  {
    name: 'a key of a workspace that another program wrote over',
    build: async (world) => {
      const server = await world.server();
      await createWorkspaceIndex(server.client).setCheck('T1', 0);
      await server.client.hset(recordKey('T1'), { settings: '{}' });
      await server.client.set(deliveryLogKey('T1'), 'theirs');
      return { REDIS_URL: urlOf(server) };
    },
    finding: {
      ...{ check: 'Records', code: 'wrong type', says: /in tally:\{T1\}:delivery-log: another program/ },
      todo: /`redis-cli DEL 'tally:\{T1\}:delivery-log'`/,
    },
  },
  {
    name: 'settings and a schedule that are damaged',
    build: async (world) => {
      const server = await world.server();
      await createWorkspaceIndex(server.client).setCheck('T1', 0);
      await server.client.hset(recordKey('T1'), { settings: '{', 'schedule:abcd1234': '{"id":' });
      return { REDIS_URL: urlOf(server) };
    },
    finding: {
      ...{ check: 'Records', code: 'unreadable', says: /T1 settings, T1 schedule:abcd1234/ },
      todo: /saves the settings.*`tally restore FILE`/,
    },
  },
  {
    name: 'a collector that speaks gRPC',
    build: async (world) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: (await answering('\0\0\x06\x04\0\0\0\0\0')(world)).REDIS_URL.replace(
        'redis',
        'http',
      ),
    }),
    finding: {
      ...{ check: 'Traces', verdict: 'warning', code: 'not HTTP' },
      ...{ says: /isn’t HTTP/, todo: /4318/ },
    },
  },
  {
    name: 'a billing service whose answer doesn’t end',
    build: async (world) => ({ BILLING_BASE_URL: await world.http(200, ' '.repeat(20_000_000)) }),
    finding: {
      ...{ check: 'Billing', code: 'response-too-large' },
      ...{ says: /something else/, todo: /BILLING_BASE_URL=/ },
    },
  },
  {
    name: 'a proxy that limits what is asked of Slack',
    build: async (world) => ({ SLACK_API_URL: `${await world.http(429, 'slow down')}/` }),
    finding: { check: 'Slack', code: 'HTTP 429', says: /limits how often/, todo: /Wait a minute/ },
  },
  {
    name: 'a secret for states that can be guessed',
    build: async () => ({
      ...{ SLACK_BOT_TOKEN: '', SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'f'.repeat(32) },
      ...{ SLACK_STATE_SECRET: 'secret', PUBLIC_URL: 'http://localhost' },
    }),
    finding: {
      ...{ check: 'Configuration', verdict: 'warning', code: 'state secret' },
      ...{ says: /SLACK_STATE_SECRET has 6 characters/, todo: /openssl rand -hex 32/ },
    },
  },
  {
    name: 'where only traces go, which Tally does not read',
    build: async () => ({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }),
    finding: {
      ...{ check: 'Configuration', verdict: 'warning', code: 'similar name' },
      ...{ says: /OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set/, todo: /OTEL_EXPORTER_OTLP_ENDPOINT=…/ },
    },
  },
  {
    name: 'a billing service that fails',
    build: async (world) => ({ BILLING_BASE_URL: await world.http(502, '') }),
    finding: { check: 'Billing', code: 'HTTP 502', says: /HTTP 502/, todo: /curl/ },
  },
  {
    name: 'a billing service whose certificate has expired',
    build: async (world) => {
      const certificates = await world.certificates();
      const home = dirname(certificates.authority);
      const names = ['x509', '-req', '-in', 'server.csr', '-out', 'expired.pem', '-extfile', 'names'];
      const signed = [...names, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '-1'];
      spawnSync('openssl', signed, { cwd: home });
      const port = await httpsServer(world, { ...certificates, certificate: join(home, 'expired.pem') });
      return { BILLING_BASE_URL: `https://127.0.0.1:${port}`, ...trusting(certificates) };
    },
    finding: {
      ...{ check: 'Billing', code: 'CERT_HAS_EXPIRED' },
      ...{ says: /has expired by this machine’s clock/, todo: /openssl x509 -noout -dates/ },
    },
  },
  {
    name: 'a billing service with a certificate of its own authority',
    build: async (world) => ({
      BILLING_BASE_URL: `https://127.0.0.1:${await httpsServer(world, await world.certificates())}`,
    }),
    finding: {
      ...{ check: 'Billing', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
      ...{ says: /an authority that Node doesn’t trust/, todo: /NODE_EXTRA_CA_CERTS=/ },
    },
  },
  {
    name: 'a billing service that redirects',
    build: async (world) => ({
      BILLING_BASE_URL: await world.http(301, '', { location: 'https://billing.example.com/' }),
    }),
    finding: {
      check: 'Billing',
      code: 'redirect',
      says: /https:\/\/billing\.example\.com/,
      todo: /BILLING_BASE_URL=https:\/\/billing\.example\.com/,
    },
  },
  {
    name: 'a billing service that redirects to itself',
    build: async (world) => {
      const { url } = await world.service(
        serve((request, response) => response.writeHead(302, { location: `${request.url}?seen` }).end()),
      );
      return { BILLING_BASE_URL: url };
    },
    finding: {
      ...{ check: 'Billing', code: 'redirect to itself' },
      ...{ says: /redirects to itself/, todo: /X-Forwarded-Proto.*curl -sS/ },
    },
  },
  {
    name: 'a proxy before billing that asks for a password',
    build: async (world) => ({ BILLING_BASE_URL: await world.http(407, '<html>') }),
    finding: { check: 'Billing', code: 'HTTP 407', says: /a proxy .*password/, todo: /directly/ },
  },
  {
    name: 'a proxy in the place of Slack that asks for a password',
    build: async (world) => ({ SLACK_API_URL: `${await world.http(407, '<html>')}/` }),
    finding: { check: 'Slack', code: 'HTTP 407', says: /a proxy .*password/, todo: /directly/ },
  },
  {
    name: 'a machine so busy that the doctor stands still',
    build: async (world) => {
      const server = await world.server();
      server.signal('SIGSTOP');
      const busy =
        'setInterval(() => { for (const end = Date.now() + 700; Date.now() < end; ); }, 1_000).unref()';
      return { REDIS_URL: urlOf(server), NODE_OPTIONS: `--import "data:text/javascript,${busy}"` };
    },
    finding: {
      ...{ check: 'This machine', verdict: 'warning', code: 'event loop' },
      ...{ says: /kept the doctor waiting for up to \d+ ms/, todo: /uptime/ },
    },
  },
  {
    name: 'a billing service that redirects to https',
    build: async (world) => ({
      BILLING_BASE_URL: await world.http(308, '', { location: 'https://billing.example.com/bill/graphql' }),
    }),
    finding: {
      check: 'Billing',
      code: 'redirect',
      says: /https:\/\/billing\.example\.com/,
      todo: /BILLING_BASE_URL=https:\/\/billing\.example\.com`/,
    },
  },
];

export const BROKEN_SETUPS: readonly BrokenSetup[] = [
  ...REDIS,
  ...MORE_REDIS,
  ...OTHER_FORMS,
  ...KEYS,
  ...SLACK,
  ...CONFIGURATION,
  ...MORE,
];
