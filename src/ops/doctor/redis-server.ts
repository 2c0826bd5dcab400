/** What a server says of itself in INFO and its settings, as findings of the doctor. */
import { findingOf, type Placeholders } from './causes.ts';
import { type Finding, okFinding } from './finding.ts';
import { redisUrlTo } from './redacted-addresses.ts';
import type { serversOf } from './redis-dry-run.ts';

export const finding = (code: string, figures: Placeholders): Finding =>
  findingOf('REDIS', 'Redis', code, figures);
export const good = (says: string): Finding => okFinding('Redis', says);

export type Server = ReturnType<typeof serversOf>[number];

/** Redis' answers become part of commands that people paste, so only plain words are used. */
export const isPlainWord = (text: string | undefined): text is string => /^[\w./:-]+$/.test(text ?? '');

export type Info = ReadonlyMap<string, string>;

/** Undefined if this user may not run INFO, or because a cloud service doesn't have it. */
export async function fetchInfo(server: Server): Promise<Info | undefined> {
  const text = await server.info().catch((error: unknown) => {
    if (error instanceof Error && /^(NOPERM|ERR unknown command)/.test(error.message)) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  return new Map([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]));
}

export async function figuresOf(server: Server | undefined, info: Info): Promise<Placeholders> {
  const folder = server && (await fetchSetting(server, 'dir'));
  const bytes = Math.max(Number(info.get('used_memory') ?? 0), Number(info.get('maxmemory') ?? 0));
  return { moreMemory: `${Math.ceil((2 * bytes) / 2 ** 20)}mb`, ...(isPlainWord(folder) && { folder }) };
}

/** What INFO and the settings of one server say. */
export async function serverFindings(
  server: Server,
  info: Info | undefined,
  figures: Placeholders,
): Promise<readonly Finding[]> {
  if (info === undefined) return [finding('NOPERM info', figures)];
  return [
    ...versionFindings(info, figures),
    ...roleFindings(info, figures),
    ...(await persistenceFindings(server, info, figures)),
    ...connectionFindings(info, figures),
    ...(await idleFindings(server, figures)),
    ...memoryFindings(info, figures),
    evictionFinding(info, figures),
  ];
}

function versionFindings(info: Info, figures: Placeholders): readonly Finding[] {
  const valkey = info.get('valkey_version');
  const version = info.get('redis_version') ?? '?';
  const answers = good(valkey === undefined ? `${version} answers` : `Valkey ${valkey} answers`);
  const major = Number.parseInt(version, 10);
  const old = finding(major < 5 ? 'redis_version 4' : 'redis_version', { ...figures, version });
  return major < 7 ? [answers, old] : [answers];
}

function roleFindings(info: Info, figures: Placeholders): readonly Finding[] {
  if (info.get('role') !== 'slave') return [];
  const host = info.get('master_host');
  const primary = isPlainWord(host) && {
    asPrimary: redisUrlTo(figures.url ?? '', { host, port: Number(info.get('master_port')) }),
  };
  const code = info.get('slave_read_only') === '0' ? 'replica-read-only' : 'READONLY';
  return [finding(code, { ...figures, ...primary })];
}

const SYNCS: Readonly<Record<string, string>> = {
  always: ', and syncs it each time',
  everysec: ', and syncs it every second',
  unknown: '; could not check appendfsync',
};

async function persistenceFindings(
  server: Server,
  info: Info,
  figures: Placeholders,
): Promise<readonly Finding[]> {
  const failed = (name: string) => (info.get(name) ?? 'ok') !== 'ok';
  const snapshot = failed('rdb_last_bgsave_status') ? [finding('rdb_last_bgsave_status', figures)] : [];
  const isAppending = info.get('aof_enabled');
  if (isAppending === undefined)
    return [good('doesn’t say whether it keeps changes on disk: could not check'), ...snapshot];
  if (isAppending !== '1') {
    const save = await fetchSetting(server, 'save');
    const code = save === undefined ? 'aof_enabled' : save === '' ? 'appendonly' : 'save';
    return [finding(code, figures), ...snapshot];
  }
  // Redis then refuses every change, and says so.
  if (failed('aof_last_write_status')) return snapshot;
  const syncs = SYNCS[(await fetchSetting(server, 'appendfsync')) ?? 'unknown'];
  const written = `writes every change to its append-only file${syncs}`;
  return [syncs === undefined ? finding('appendfsync', figures) : good(written), ...snapshot];
}

/** Undefined if Redis doesn't tell. */
async function fetchSetting(server: Server, name: string): Promise<string | undefined> {
  const [, value] = (await server.config('GET', name).catch(() => [])) as string[];
  return value;
}

/** Fewer than so many free connections are not enough for another process of Tally, during an upgrade. */
const FEW_CONNECTIONS = 10;

function connectionFindings(info: Info, figures: Placeholders): readonly Finding[] {
  const [clients = '', most = ''] = [info.get('connected_clients'), info.get('maxclients')];
  const isFull = Number(most || Number.NaN) - Number(clients || Number.NaN) < FEW_CONNECTIONS;
  return isFull ? [finding('maxclients', { ...figures, clients, most })] : [];
}

async function idleFindings(server: Server, figures: Placeholders): Promise<readonly Finding[]> {
  const seconds = (await fetchSetting(server, 'timeout')) ?? '0';
  return seconds === '0' ? [] : [finding('idle timeout', { ...figures, seconds })];
}

/** From this share of its limit on, Redis is called almost full. */
const ALMOST_FULL = 0.9;

/** A server that is full says so when it refuses a change. */
function memoryFindings(info: Info, figures: Placeholders): readonly Finding[] {
  const limit = Number(info.get('maxmemory'));
  const used = Number(info.get('used_memory'));
  if (Number.isNaN(limit)) return [good('doesn’t say how much memory it may use')];
  if (limit === 0) return [good('has no limit of its own for memory')];
  if (used >= limit) return [];
  const share = String(Math.round((used / limit) * 100));
  const mebibytes = (limit / 2 ** 20).toFixed(1);
  if (used < limit * ALMOST_FULL) return [good(`uses ${share} % of its ${mebibytes} MiB`)];
  return [finding('maxmemory', { ...figures, share, limit: mebibytes })];
}

function evictionFinding(info: Info, figures: Placeholders): Finding {
  const policy = info.get('maxmemory_policy');
  if (policy === undefined) return good('doesn’t say what it evicts: could not check');
  if (policy === 'noeviction') return good('evicts nothing when memory runs out');
  return finding('maxmemory-policy', { ...figures, policy });
}

/** The records may be in another database of the same server. */
export function databaseFindings(info: Info, figures: Placeholders): readonly Finding[] {
  const { database = '0', asDatabase0 = '' } = figures;
  const others = [...info].flatMap(([name, value]) => {
    const [, other] = /^db(\d+)$/.exec(name) ?? [];
    return other === undefined ? [] : { other, keys: /keys=(\d+)/.exec(value)?.[1] ?? '?' };
  });
  const [most] = others.toSorted((a, b) => Number(b.keys) - Number(a.keys));
  if (most === undefined || others.some(({ other }) => other === database)) return [];
  const asOther = figures.url?.startsWith('unix:')
    ? `unix://${figures.host}?db=${most.other}`
    : asDatabase0.replace(/\/0$/, `/${most.other}`);
  return [finding('keyspace', { ...figures, ...most, asOther })];
}
