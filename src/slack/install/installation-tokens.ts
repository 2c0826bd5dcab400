import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation, InstallationStore, InstallProvider } from '@slack/oauth';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Failure } from '../../domain/failure/index.ts';
import { HOUR, type Millis } from '../../domain/time/calendar.ts';
import { withTimeout } from '../../timeout.ts';
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

export type InstallationTokens = ReturnType<typeof createInstallationTokens>;

/** A cached installation. */
export interface KnownInstallation extends StoredInstallation {
  /** The workspaces of an organization that this process has linked to it. */
  readonly joined: Set<string>;
}

/** An installation that another process changed is used as it was for at most this long, in ms. */
const TTL = 15_000;
const MOST = 1000;
/** As in Slack's installer, in ms. Both use the machine's clock. */
const AHEAD = 2 * HOUR;
/** How long to wait for a new token: Slack wants its acknowledgement within 3 s, so after this the old token is used. */
const PATIENCE = 2_000;
/** How long to wait after a failed renewal, in ms. */
const RETRY_AFTER = 15_000;

interface Entry {
  until: Millis;
  readonly found: Promise<KnownInstallation | undefined>;
}

/** @param renewer Slack's installer, for one renewal: it asks Slack when less than two hours are left */
export function createInstallationTokens(
  installed: InstallationRecords,
  renewer: (store: InstallationStore) => Pick<InstallProvider, 'authorize'>,
  log: Logger,
) {
  const entries = new LRUCache<string, Entry>({ max: MOST });
  const renewals = new Set<Promise<void>>();

  const renew = async (id: string): Promise<void> => {
    const unlock = await installed.lock(id);
    if (unlock === undefined) return untilUnlocked(id);
    try {
      // Read after taking the lock, because the previous holder may have renewed the token.
      const before = await installed.load(id);
      if (before === undefined) return;
      const stored = parseInstallation(before);
      const { isEnterpriseInstall = false, enterprise, team } = stored.installation;
      await renewer({
        fetchInstallation: async () => stored.installation,
        async storeInstallation(installation) {
          const after = JSON.stringify({ ...stored, installation });
          if (!(await installed.replace(id, before, after)))
            log.warn(
              { workspace: id },
              'Dropped a renewed Slack token: its installation changed in the meantime',
            );
        },
      }).authorize({ isEnterpriseInstall, enterpriseId: enterprise?.id, teamId: team?.id });
    } finally {
      await unlock();
    }
  };

  const untilUnlocked = async (id: string): Promise<void> => {
    const end = Date.now() + PATIENCE;
    while (Date.now() < end && (await installed.locked(id))) await sleep(50);
  };

  const renewInTime = async (id: string): Promise<void> => {
    const renewal = renew(id).catch((err: unknown) =>
      log.error({ err, workspace: id }, 'Could not renew a Slack token'),
    );
    renewals.add(renewal);
    void renewal.finally(() => renewals.delete(renewal));
    await withTimeout(PATIENCE, renewal, () => undefined);
  };

  const load = async (id: string): Promise<StoredInstallation | undefined> => {
    const text = await installed.load(id);
    return text === undefined ? undefined : parseInstallation(text);
  };

  const fresh = async (id: string): Promise<KnownInstallation | undefined> => {
    let stored = await load(id);
    if (stored !== undefined && isDue(stored)) {
      await renewInTime(id);
      stored = await load(id);
    }
    if (stored !== undefined && tokenExpiresAt(stored) <= Date.now())
      throw new Failure('not-installed', { reason: 'expired' });
    return stored && { ...stored, joined: new Set() };
  };

  const remember = (id: string): Entry => {
    const entry: Entry = { until: Number.POSITIVE_INFINITY, found: fresh(id) };
    entries.set(id, entry);
    entry.found.then(
      (stored) => {
        entry.until = stored === undefined ? 0 : Date.now() + lifeOf(stored);
      },
      () => {
        entry.until = 0;
      },
    );
    return entry;
  };

  return {
    /** What is installed under this ID now, whether its token works or not. @throws unseal-failed, store-unavailable */
    load,
    /**
     * What is installed under this id, with a token that works; undefined when nothing is. A warm answer costs no
     * command of Redis. @throws unseal-failed, store-unavailable, not-installed `expired`
     */
    async find(id: string | undefined): Promise<KnownInstallation | undefined> {
      if (id === undefined) return undefined;
      const known = entries.get(id);
      return (known !== undefined && known.until > Date.now() ? known : remember(id)).found;
    },
    async save(installation: Installation): Promise<void> {
      const id = installationId(installation);
      const stored: StoredInstallation = { installation, at: Date.now() };
      await installed.save(id, JSON.stringify(stored));
      entries.delete(id);
    },
    /** Drops what this process remembers. */
    drop: (id: string) => void entries.delete(id),
    /** Resolves once every token from Slack is stored, because Slack hands out each only once. */
    async idle(): Promise<void> {
      while (renewals.size > 0) await Promise.all(renewals);
    },
  };
}

const isDue = (stored: StoredInstallation): boolean => tokenExpiresAt(stored) - Date.now() <= AHEAD;

/** Every process forgets a token when it falls due, so none uses one that another process has renewed. */
const lifeOf = (stored: StoredInstallation): number =>
  isDue(stored) ? RETRY_AFTER : Math.min(TTL, tokenExpiresAt(stored) - AHEAD - Date.now());
