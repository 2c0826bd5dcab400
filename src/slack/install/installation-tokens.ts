/** The bot tokens of installed workspaces. A token that expires soon is renewed before it is used. */
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

export function installationId({ isEnterpriseInstall, enterprise, team }: Installation): string {
  const id = isEnterpriseInstall ? enterprise?.id : team?.id;
  if (id === undefined) throw new RangeError('An installation belongs to a workspace or an organization.');
  return id;
}

/** Only Tally can have written an encrypted record, so its shape isn't checked. */
const parseInstallation = (text: string): StoredInstallation => JSON.parse(text) as StoredInstallation;

/** The time in ms since the epoch, or Infinity if the app has no token rotation. */
const tokenExpiresAt = ({ installation: { bot } }: StoredInstallation): number =>
  bot?.refreshToken === undefined || bot.expiresAt === undefined
    ? Number.POSITIVE_INFINITY
    : bot.expiresAt * 1000;

export interface CachedInstallation extends StoredInstallation {
  readonly joined: Set<string>;
}

/** Other processes may change an installation, so the cache keeps it only briefly. */
const TTL: Millis = 15_000;
const RENEWED_AHEAD: Millis = 2 * HOUR;

type Renewer = (store: InstallationStore) => Pick<InstallProvider, 'authorize'>;

export interface InstallationTokens {
  /** Also finds an installation whose token has expired. @throws unseal-failed, store-unavailable */
  load(id: string): Promise<StoredInstallation | undefined>;
  /** Like `load`, but returns undefined if the record can't be decrypted. @throws store-unavailable */
  loadReadable(id: string): Promise<StoredInstallation | undefined>;
  find(id: string | undefined): Promise<CachedInstallation | undefined>;
  save(installation: Installation): Promise<void>;
  drop(id: string): void;
}

export function createInstallationTokens(
  installed: InstallationRecords,
  renewer: Renewer,
  log: Logger,
): InstallationTokens {
  const cache = new LRUCache<string, Promise<CachedInstallation | undefined>>({ max: 1000, ttl: TTL });

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

async function renew(id: string, installed: InstallationRecords, renewer: Renewer): Promise<void> {
  if (!(await installed.lock(id))) return;
  // While this process waited for the lock, another one may have renewed the token.
  const before = await installed.load(id);
  if (before === undefined) return;
  const stored = parseInstallation(before);
  const { isEnterpriseInstall = false, enterprise, team } = stored.installation;
  await renewer({
    fetchInstallation: async () => stored.installation,
    async storeInstallation(installation) {
      await installed.replace(id, before, JSON.stringify({ ...stored, installation }));
    },
  }).authorize({ isEnterpriseInstall, enterpriseId: enterprise?.id, teamId: team?.id });
}
