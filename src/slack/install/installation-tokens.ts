import type { Installation, InstallationStore, InstallProvider } from '@slack/oauth';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import { HOUR, type Millis } from '../../domain/time/calendar.ts';
import type { InstallationRecords } from '../../workspace/credentials/installation-store.ts';

interface StoredInstallation {
  readonly installation: Installation;
  readonly at: Millis;
}

/** @returns workspace ID, or organization ID for an org-wide install */
export function installationId({ isEnterpriseInstall, enterprise, team }: Installation): string {
  const id = isEnterpriseInstall ? enterprise?.id : team?.id;
  if (id === undefined) throw new RangeError('An installation belongs to a workspace or an organization.');
  return id;
}

/** Not validated: it was sealed, so only Tally wrote it. */
const parseInstallation = (text: string): StoredInstallation => JSON.parse(text) as StoredInstallation;

/** @returns ms since the epoch; Infinity for a token without rotation */
const tokenExpiresAt = ({ installation: { bot } }: StoredInstallation): number =>
  bot?.refreshToken === undefined || bot.expiresAt === undefined
    ? Number.POSITIVE_INFINITY
    : bot.expiresAt * 1000;

export interface CachedInstallation extends StoredInstallation {
  /** Workspaces of an organization that this process has already linked to it. */
  readonly joined: Set<string>;
}

/** How long a cached installation can be out of date after another process changes it. */
const TTL = 15_000;
const MOST = 1000;
/** Renew this long before expiry, as Slack's installer does. */
const RENEWED_AHEAD = 2 * HOUR;

/** Creates Slack's installer for one renewal; it renews if less than two hours are left. */
type Renewer = (store: InstallationStore) => Pick<InstallProvider, 'authorize'>;

export interface InstallationTokens {
  /** The stored installation, even if its token no longer works. @throws unseal-failed, store-unavailable */
  load(id: string): Promise<StoredInstallation | undefined>;
  /** `load`, but undefined if it can't be decrypted, so that it can be deleted. @throws store-unavailable */
  loadReadable(id: string): Promise<StoredInstallation | undefined>;
  /** The installation, with its token renewed if needed. A cache hit needs no Redis call. */
  find(id: string | undefined): Promise<CachedInstallation | undefined>;
  save(installation: Installation): Promise<void>;
  /** Clears an ID from this process's cache. */
  drop(id: string): void;
}

export function createInstallationTokens(
  installed: InstallationRecords,
  renewer: Renewer,
  log: Logger,
): InstallationTokens {
  const cache = new LRUCache<string, Promise<CachedInstallation | undefined>>({ max: MOST, ttl: TTL });

  const load = async (id: string): Promise<StoredInstallation | undefined> => {
    const text = await installed.load(id);
    return text === undefined ? undefined : parseInstallation(text);
  };

  const loadRenewed = async (id: string): Promise<CachedInstallation | undefined> => {
    let stored = await load(id);
    if (stored !== undefined && tokenExpiresAt(stored) - Date.now() <= RENEWED_AHEAD) {
      await renew(id, installed, renewer).catch((err: unknown) =>
        log.error({ err, workspace: id }, 'Could not renew a Slack token'),
      );
      stored = await load(id);
    }
    if (stored !== undefined && tokenExpiresAt(stored) <= Date.now())
      throw new Failure('not-installed', { reason: 'expired' });
    return stored && { ...stored, joined: new Set() };
  };

  return {
    load,
    loadReadable: (id) =>
      load(id).catch((error: unknown) => {
        if (!isFailure(error, 'unseal-failed')) throw error;
        return undefined;
      }),
    async find(id) {
      if (id === undefined) return undefined;
      const known = cache.get(id);
      if (known !== undefined) return known;
      const found = loadRenewed(id);
      cache.set(id, found);
      // Don't cache missing or failed look-ups.
      const forget = () => void (cache.peek(id) === found && cache.delete(id));
      found.then((stored) => stored ?? forget(), forget);
      return found;
    },
    async save(installation) {
      const id = installationId(installation);
      const stored: StoredInstallation = { installation, at: Date.now() };
      await installed.save(id, JSON.stringify(stored));
      cache.delete(id);
    },
    drop: (id) => void cache.delete(id),
  };
}

/** One process renews; others keep using the old token. */
async function renew(id: string, installed: InstallationRecords, renewer: Renewer): Promise<void> {
  if (!(await installed.lock(id))) return;
  // Read again inside the lock: the previous holder may have renewed it.
  const before = await installed.load(id);
  if (before === undefined) return;
  const stored = parseInstallation(before);
  const { isEnterpriseInstall = false, enterprise, team } = stored.installation;
  await renewer({
    fetchInstallation: async () => stored.installation,
    // Don't store if Tally was removed or reinstalled meanwhile.
    async storeInstallation(installation) {
      await installed.replace(id, before, JSON.stringify({ ...stored, installation }));
    },
  }).authorize({ isEnterpriseInstall, enterpriseId: enterprise?.id, teamId: team?.id });
}
