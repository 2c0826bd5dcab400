import type { Redis } from 'ioredis';
import { NotInstalled } from '../domain/failure/index.ts';
import { guardRead } from '../redis.ts';
import { auditKey } from './keys.ts';
import { createWorkspaceStore } from './workspace-store.ts';

/** What may be done to a workspace's data. Asking is not audited. */
export const AUDIT_ACTIONS = [
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
  'application access registered',
  'application access replaced',
  'application access removed',
  'token issuers changed',
  'token issued',
  'token revoked',
  'schedule created',
  'schedule changed',
  'schedule paused',
  'schedule resumed',
  'schedule removed',
  'schedule restored',
  'schedule adopted',
  'app installed',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who did what, when. `scheduleAuditText` names the thing: an alias, a connection, what changed; never a secret. */
export interface AuditEntry {
  /** ms since the epoch */
  readonly at: number;
  /** Slack id of the person */
  readonly who: string;
  readonly deed: AuditAction;
  readonly about: string;
}

/** As it was recorded, by an older or a newer version too: so its deed may be one that this version does not know. */
export type RecordedEntry = Omit<AuditEntry, 'deed'> & { readonly deed: string };

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly RecordedEntry[];
  /** Where the next page begins; undefined on the last one. */
  readonly older: string | undefined;
}

/** Each method is one round trip. @throws StoreUnavailable */
export interface Audit {
  /**
   * For a deed that changes nothing in the workspace's record. A change brings its own entries: see `UsageChange`.
   * @throws NotInstalled where nothing is known of the workspace any more, and nothing was written
   */
  record(workspace: string, entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(workspace: string, most: number): Promise<readonly RecordedEntry[]>;
  /** The newest entries, or those before the place that a page's `older` names. */
  page(workspace: string, most: number, before?: string): Promise<AuditPage>;
}

/** As Redis makes them; what is longer it would refuse. */
const ID = /^[1-9]\d{0,14}-\d{1,15}$/;

type Row = readonly [id: string, fields: readonly string[]];

export function createAudit(redis: Redis): Audit {
  const store = createWorkspaceStore(redis);
  const rows = (workspace: string, from: string, most: number): Promise<readonly Row[]> =>
    guardRead(() => redis.xrevrange(auditKey(workspace), from, '-', 'COUNT', most));

  return {
    async record(workspace, entry) {
      if (!(await store.write(workspace, { entries: [entry] }))) throw new NotInstalled('unknown');
    },
    async list(workspace, most) {
      return (await rows(workspace, '+', most)).map(entryOf);
    },
    async page(workspace, most, before) {
      // What a button brings back is outside text; what is no place at all begins anew.
      const from = before !== undefined && ID.test(before) ? `(${before}` : '+';
      const found = await rows(workspace, from, most + 1);
      const shown = found.slice(0, most);
      return {
        entries: shown.map(entryOf),
        older: found.length > most ? shown.at(-1)?.[0] : undefined,
      };
    },
  };
}

function entryOf([id, fields]: Row): RecordedEntry {
  const named = new Map<string, string>();
  for (let at = 0; at < fields.length; at += 2) named.set(fields[at] ?? '', fields[at + 1] ?? '');
  const text = (name: string): string => named.get(name) ?? '';
  const at = Number(text('at'));
  return {
    // The stream's own ids are times as well: by the clock of Redis.
    at: Number.isSafeInteger(at) && at > 0 ? at : Number.parseInt(id, 10),
    who: text('who'),
    deed: text('deed'),
    about: text('about'),
  };
}
