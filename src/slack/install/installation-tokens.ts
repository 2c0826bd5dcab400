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

/** @returns the workspace's ID, or the organization's for an org-wide installation @throws RangeError without either */
export function installationId({ isEnterpriseInstall, enterprise, team }: Installation): string {
  const id = isEnterpriseInstall ? enterprise?.id : team?.id;
  if (id === undefined) throw new RangeError('An installation belongs to a workspace or an organization.');
  return id;
}

/** Not validated: the record was sealed, so only Tally can have written it. */
const parseInstallation = (text: string): StoredInstallation => JSON.parse(text) as StoredInstallation;

/** @returns ms since the epoch; Infinity for a token without rotation */
const tokenExpiresAt = ({ installation: { bot } }: StoredInstallation): number =>
  bot?.refreshToken === undefined || bot.expiresAt === undefined
    ? Number.POSITIVE_INFINITY
    : bot.expiresAt * 1000;

/** A cached installation. */
export interface KnownInstallation extends StoredInstallation {
  /** The workspaces of an organization that this process has linked to it. */
  readonly joined: Set<string>;
}

/** An installation that another process changed is used as it was for at most this long, in ms. */
const TTL = 15_000;
const MOST = 1000;
/** As in Slack's installer, in ms. Both use the machine's clock. */
const RENEWED_AHEAD = 2 * HOUR;

/** Slack's installer with this store, for one renewal: it asks Slack when less than two hours are left. */
type Renewer = (store: InstallationStore) => Pick<InstallProvider, 'authorize'>;

export interface InstallationTokens {
  /** What is installed under this ID now, whether its token works or not. @throws unseal-failed, store-unavailable */
  load(id: string): Promise<StoredInstallation | undefined>;
  /** The same where one that can't be opened counts as none, so that it can be deleted. @throws store-unavailable */
  loadReadable(id: string): Promise<StoredInstallation | undefined>;
  /**
   * What is installed under this ID, with a token that works; undefined when nothing is. A warm answer costs no
   * command of Redis. @throws unseal-failed, store-unavailable, not-installed `expired`
   */
  find(id: string | undefined): Promise<KnownInstallation | undefined>;
  save(installation: Installation): Promise<void>;
  /** Drops what this process remembers. */
  drop(id: string): void;
}

export function createInstallationTokens(
  installed: InstallationRecords,
  renewer: Renewer,
  log: Logger,
): InstallationTokens {
  const cache = new LRUCache<string, Promise<KnownInstallation | undefined>>({ max: MOST, ttl: TTL });

  const load = async (id: string): Promise<StoredInstallation | undefined> => {
    const text = await installed.load(id);
    return text === undefined ? undefined : parseInstallation(text);
  };

  const loadRenewed = async (id: string): Promise<KnownInstallation | undefined> => {
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
      // A missing or failed one is looked up again.
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

/** By one process at a time; the others go on with the old token. */
async function renew(id: string, installed: InstallationRecords, renewer: Renewer): Promise<void> {
  if (!(await installed.lock(id))) return;
  // Read after taking the lock, because the previous holder may have renewed the token.
  const before = await installed.load(id);
  if (before === undefined) return;
  const stored = parseInstallation(before);
  const { isEnterpriseInstall = false, enterprise, team } = stored.installation;
  await renewer({
    fetchInstallation: async () => stored.installation,
    // Not if Tally was removed, or installed again, in the meantime.
    async storeInstallation(installation) {
      await installed.replace(id, before, JSON.stringify({ ...stored, installation }));
    },
  }).authorize({ isEnterpriseInstall, enterpriseId: enterprise?.id, teamId: team?.id });
}
