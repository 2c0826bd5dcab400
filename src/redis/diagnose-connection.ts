/** Why a Redis can't be used at all: ioredis often only says that the connection was closed. */
import { connect, type NetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Redis, RedisOptions } from 'ioredis';
import type { Millis } from '../domain/time/calendar.ts';
import { withoutUndefined } from '../domain/without-undefined.ts';
import type { RedisAddress, RedisHost } from './url.ts';

/** An answer of Redis, or none, in the shape of an error that has a code. */
export class RedisRefusal extends Error {
  override readonly name = 'RedisRefusal';
  constructor(
    readonly code: string,
    /** The host that refused, if it is not that of the address. */
    readonly at?: RedisHost,
  ) {
    super(code);
  }
}

export type Prepare = (
  options: Pick<RedisOptions, 'host' | 'port' | 'username' | 'password' | 'tls'>,
) => Redis;

/**
 * Asks the hosts of Sentinels and of a Cluster.
 *
 * @param prepare a connection that fails at once, which is not opened yet
 * @returns why the first of them can't be used, such as its certificate; else the given error
 */
export async function findRefusal(address: RedisAddress, error: Error, prepare: Prepare): Promise<Error> {
  if (address.kind === 'single') return error;
  const isCluster = address.kind === 'cluster';
  const { username, password } = address;
  const ofServer = withoutUndefined({ username, password });
  const credentials = isCluster
    ? ofServer
    : withoutUndefined({ username: address.sentinelUsername, password: address.sentinelPassword });
  const tls = address.isTls ? { tls: {} } : {};
  const hosts = isCluster ? address.nodes : address.sentinels;
  const refusals = await Promise.all(
    hosts.map((host) =>
      ask(prepare({ ...tls, ...credentials, ...host }), async (redis) => {
        const masters = isCluster ? await mastersOf(redis) : [await masterOf(redis, address.name)];
        const away = await findOne(masters, async (master) => !(await canConnect(master)));
        if (away !== undefined) return new RedisRefusal('announced address', away);
        if (isCluster) return undefined;
        const replica = await findOne(masters, (master) =>
          isReplica(prepare({ ...tls, ...ofServer, ...master })),
        );
        return replica && new RedisRefusal('master role', replica);
      }),
    ),
  );
  const refusal = refusals.find((found) => found !== undefined) ?? error;
  // The Sentinels have a password of their own.
  return address.kind === 'sentinel' &&
    refusals.includes(refusal) &&
    /^(NOAUTH|WRONGPASS)/.test(refusal.message)
    ? new RedisRefusal('NOAUTH Sentinel')
    : refusal;
}

/** @returns the error that a connection or the work with it ended with, if any */
async function ask(
  redis: Redis,
  work: (redis: Redis) => Promise<Error | undefined>,
): Promise<Error | undefined> {
  try {
    // The connection's first error is the cause; `connect` rejects with a later one.
    const refusal = await new Promise<Error | undefined>((resolve) => {
      redis.once('error', resolve).once('ready', () => resolve(undefined));
      redis.connect().catch(resolve);
    });
    return refusal ?? (await work(redis));
  } catch (error) {
    return error as Error;
  } finally {
    redis.disconnect();
  }
}

/** The address that the Sentinels announce of the master. */
async function masterOf(sentinel: Redis, name: string): Promise<RedisHost> {
  const found = await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name);
  if (!Array.isArray(found)) throw new RedisRefusal('unknown master');
  return { host: String(found[0]), port: Number(found[1]) };
}

/** The addresses that the Cluster announces of its masters. */
async function mastersOf(node: Redis): Promise<readonly RedisHost[]> {
  const ranges = await node.cluster('SLOTS');
  if (ranges.length === 0 || String(await node.cluster('INFO')).includes('cluster_state:fail'))
    throw new RedisRefusal('CLUSTERDOWN');
  return ranges.map(([, , [host, port] = ['', 0]]) => ({ host, port }));
}

async function isReplica(server: Redis): Promise<boolean> {
  const found = await ask(server, async () => {
    const [role] = (await server.call('ROLE')) as unknown[];
    return role === 'slave' ? new RedisRefusal('master role') : undefined;
  });
  return found instanceof RedisRefusal;
}

async function findOne<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<T | undefined> {
  const found = await Promise.all(items.map(test));
  return items.find((_, at) => found[at]);
}

const CONNECT_TIMEOUT: Millis = 1_000;

/** Whether a server is there: with TLS it closes a plain connection. A silent one is diagnosed elsewhere. */
const canConnect = async (host: RedisHost): Promise<boolean> => {
  const answer = await firstAnswer(host);
  return !('code' in answer) || ['timeout', 'closed', 'ECONNRESET'].includes(answer.code);
};

/**
 * What answers at a host, whatever Redis' client makes of it.
 *
 * @param asksForTls whether TLS is expected there, so that what a server with TLS objects to matters
 *
 * @returns `plain` for a Redis without TLS, `TLS`, `HTTP`, `protocol error` for anything else that answers, what Redis
 *   refuses every connection with, or the code of the error
 */
export async function identifyPeer(
  to: RedisHost | { readonly path: string },
  asksForTls: boolean,
): Promise<string> {
  const answer = await firstAnswer(to);
  if ('code' in answer) {
    if (!['closed', 'ECONNRESET'].includes(answer.code)) return answer.code;
    const { isTls, text, alert } = await shakeHands(to);
    if (!isTls) return answer.code;
    if (!asksForTls) return 'TLS';
    return text?.startsWith('HTTP/') ? 'HTTP' : (alert ?? 'TLS');
  }
  const { bytes } = answer;
  const text = bytes.toString('latin1');
  if (bytes[0] === TLS_ALERT) return 'TLS';
  if (text.startsWith('HTTP/')) return 'HTTP';
  if (/^-(?!NOAUTH|NOPERM)/.test(text)) return text.slice(1).split('\r\n')[0] ?? '';
  return /^[+-]/.test(text) ? 'plain' : 'protocol error';
}

const TLS_ALERT = 0x15;

/** Sends PING. @returns what came back, or why nothing did */
function firstAnswer(to: NetConnectOpts): Promise<{ bytes: Buffer } | { code: string }> {
  return new Promise((resolve) => {
    let isConnected = false;
    const socket = connect(to, () => {
      isConnected = true;
      socket.write('PING\r\n');
    });
    const settle = (answer: { bytes: Buffer } | { code: string }) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(CONNECT_TIMEOUT, () => settle({ code: isConnected ? 'timeout' : 'ETIMEDOUT' }));
    socket.once('data', (bytes: Buffer) => settle({ bytes }));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => settle({ code: code ?? 'closed' }));
    socket.once('close', () => settle({ code: 'closed' }));
  });
}

/** How long after the handshake a server may take to refuse what it saw of the client. */
const ALERT_TIMEOUT: Millis = 300;

/** Sends PING once the server had the time to object: an alert must arrive before it closes the connection. */
function shakeHands(to: NetConnectOpts): Promise<{ isTls: boolean; text?: string; alert?: string }> {
  return new Promise((resolve) => {
    const socket = connectTls({ ...to, rejectUnauthorized: false, timeout: CONNECT_TIMEOUT });
    let isTls = false;
    const settle = (found: { text?: string; alert?: string } = {}) => {
      socket.destroy();
      resolve({ isTls, ...found });
    };
    socket.once('secureConnect', () => {
      isTls = true;
      setTimeout(() => socket.write('PING\r\n'), ALERT_TIMEOUT);
    });
    socket.once('data', (bytes: Buffer) => settle({ text: bytes.toString('latin1') }));
    socket.once('error', ({ code = 'closed' }: NodeJS.ErrnoException) => settle({ alert: code }));
    socket.once('close', () => settle());
    socket.once('timeout', () => settle());
  });
}
