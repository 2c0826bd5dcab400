import type { Redis } from 'ioredis';
import { storeGuard } from '../redis.ts';

/** What may be done to a workspace's data. Asking is not audited. */
export const DEEDS = [
  'connection registered',
  'connection replaced',
  'connection removed',
  'default connection changed',
  'project added',
  'project changed',
  'project renamed',
  'project removed',
  'project restored',
  'channel default changed',
  'settings changed',
  'app installed',
] as const;

export type Deed = (typeof DEEDS)[number];

/** Who did what, when. `about` names the thing: an alias, a connection, what changed; never a secret. */
export interface AuditEntry {
  /** ms since the epoch */
  readonly at: number;
  /** Slack id of the person */
  readonly who: string;
  readonly deed: Deed;
  readonly about: string;
}

/** @throws StoreUnreachable */
export interface Audit {
  record(workspace: string, entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(workspace: string, most: number): Promise<readonly AuditEntry[]>;
}

/** Enough for years of administration; older entries go. */
const KEPT = 1000;

export const auditKey = (workspace: string): string => `tally:audit:${workspace}`;

export function createAudit(redis: Redis): Audit {
  return {
    async record(workspace, entry) {
      const { at, who, deed, about } = entry;
      await storeGuard(() =>
        redis.xadd(
          auditKey(workspace),
          'MAXLEN',
          '~',
          KEPT,
          '*',
          'at',
          at,
          'who',
          who,
          'deed',
          deed,
          'about',
          about,
        ),
      );
    },
    async list(workspace, most) {
      const rows = await storeGuard(() => redis.xrevrange(auditKey(workspace), '+', '-', 'COUNT', most));
      return rows.map(([, fields]) => entryOf(fields));
    },
  };
}

function entryOf(fields: readonly string[]): AuditEntry {
  const field = (name: string): string => fields[fields.indexOf(name) + 1] ?? '';
  const deed = DEEDS.find((known) => known === field('deed')) ?? 'settings changed';
  return { at: Number(field('at')), who: field('who'), deed, about: field('about') };
}
