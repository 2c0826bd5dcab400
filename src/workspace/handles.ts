import { createSecretKey, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { NotInstalled } from '../domain/failure.ts';
import { storeGuard } from '../redis.ts';
import { parseEnvelope, seal, unseal } from '../vault/seal.ts';
import type { AuditEntry } from './audit.ts';
import { auditKey, handlesKey, recordKey } from './keys.ts';
import { parseRecord } from './record.ts';
import { ENTER, entered } from './store.ts';

/**
 * What a token's modal leads to. A token is kept nowhere: the modal holds it encrypted, Redis the key to that, for
 * one use and no longer than the token lives. Neither half is the token, and each is bound to the other.
 */
const schema = z.object({
  /** Slack's id of the one who may use it. */
  person: z.string(),
  /** 1 to 32 digits */
  project: z.string(),
  /** What was typed to mean it: an alias, else the ID. */
  word: z.string(),
  /** Where the project was asked about: its limits hold for what follows from there, too. */
  channel: z.string().exactOptional(),
  /** The identity service that issued the token: it is sent to no other. */
  authUrl: z.string().exactOptional(),
  /** When the token lapses, in ms, where the service tells. */
  expiresAt: z.int().exactOptional(),
  /** 12 hexadecimal digits, for the audit. */
  audit: z.string().exactOptional(),
  /** base64url of the 32 bytes that the modal's half is encrypted with. */
  key: z.string().exactOptional(),
});

type Kept = Readonly<z.infer<typeof schema>>;
/** What a modal is about. */
export type Errand = Omit<Kept, 'key'>;

/** Each method is one round trip. @throws StoreUnreachable */
export interface Handles {
  /**
   * Keeps an errand until `until` (ms), with the key to a token where there is one.
   * @param entry written into the audit first: where that fails, nothing is kept
   * @throws NotInstalled where the workspace left, and nothing was written
   * @returns what the modal carries: the handle, and the token encrypted
   */
  keep(workspace: string, errand: Errand, life: Life, token?: string, entry?: AuditEntry): Promise<string>;
  /** Gives it out once, to one of however many ask; the token where the two halves belong together. */
  take(workspace: string, person: string, carried: string, at: number): Promise<Taken | undefined>;
}

/** Both in ms since the epoch. */
interface Life {
  readonly at: number;
  readonly until: number;
}

export interface Taken {
  readonly errand: Errand;
  /** ms */
  readonly until: number;
  readonly token: string | undefined;
}

const HANDLE = /^[\w-]{22}$/;
const KEY_ID = 'once';

/**
 * Values are `<until> <json>`. What has lapsed is cleared away whenever something comes. Of a workspace that left there
 * is neither record nor audit, and nothing comes back. The entry comes first: a stream may refuse it.
 */
const KEEP = `${ENTER}
if redis.call('EXISTS', KEYS[2], KEYS[3]) == 0 then return 0 end
if ARGV[5] then enter(KEYS[3], ARGV[5], ARGV[6], ARGV[7], ARGV[8]) end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local value = redis.call('HGET', KEYS[1], field)
  if tonumber(string.match(value, '^%d+')) <= tonumber(ARGV[1]) then redis.call('HDEL', KEYS[1], field) end
end
redis.call('HSET', KEYS[1], ARGV[3], ARGV[2] .. ' ' .. ARGV[4])
local life = tonumber(ARGV[2]) - tonumber(ARGV[1])
if redis.call('PTTL', KEYS[1]) < life then redis.call('PEXPIRE', KEYS[1], life) end
return 1`;

/**
 * Only the one whose it is takes it away: somebody else's try leaves it where it was. Whose it is stands in the JSON,
 * in whose texts no quote is bare: so what is looked for is that one property.
 */
const TAKE = `
local value = redis.call('HGET', KEYS[1], ARGV[1])
if not value or tonumber(string.match(value, '^%d+') or 0) <= tonumber(ARGV[2]) then return false end
if not string.find(value, ARGV[3], 1, true) then return false end
redis.call('HDEL', KEYS[1], ARGV[1])
return value`;

export function createHandles(redis: Redis): Handles {
  return {
    async keep(workspace, errand, { at, until }, token, entry) {
      const handle = randomBytes(16).toString('base64url');
      const key = token === undefined ? undefined : randomBytes(32);
      const kept: Kept = { ...errand, ...(key && { key: key.toString('base64url') }) };
      const keys = [handlesKey(workspace), recordKey(workspace), auditKey(workspace)];
      const life = [Math.floor(at), Math.ceil(Math.max(until, at + 1))];
      const done = await storeGuard(() =>
        redis.eval(
          KEEP,
          keys.length,
          ...[...keys, ...life, handle, JSON.stringify(kept), ...(entry === undefined ? [] : entered(entry))],
        ),
      );
      if (done !== 1) throw new NotInstalled('unknown');
      if (token === undefined || key === undefined) return handle;
      return `${handle} ${seal(token, ownerOf(workspace, handle, errand), KEY_ID, createSecretKey(key))}`;
    },

    async take(workspace, person, carried, at) {
      const [handle = '', envelope] = carried.split(' ');
      if (!HANDLE.test(handle)) return undefined;
      const whose = JSON.stringify({ person }).slice(1, -1);
      const value = await storeGuard(() =>
        redis.eval(TAKE, 1, handlesKey(workspace), handle, Math.floor(at), whose),
      );
      const [, until, json] = /^(\d+) (.*)$/s.exec(String(value)) ?? [];
      if (json === undefined) return undefined;
      const kept = parseRecord(schema, json);
      const errand = errandOf(kept);
      return {
        errand,
        until: Number(until),
        token: opened(envelope, ownerOf(workspace, handle, errand), kept.key),
      };
    },
  };
}

/** What a modal carries, without the token. */
export const handleOf = (carried: string): string => carried.split(' ')[0] ?? '';

const errandOf = ({ key: _, ...errand }: Kept): Errand => errand;

const ownerOf = (workspace: string, handle: string, { person, project, authUrl = '' }: Errand) => ({
  workspace,
  kind: 'os-token',
  id: JSON.stringify([handle, person, project, authUrl]),
});

/** A half that was made up, or belongs to another handle, opens nothing. */
function opened(
  envelope: string | undefined,
  owner: ReturnType<typeof ownerOf>,
  key: string | undefined,
): string | undefined {
  if (envelope === undefined || key === undefined) return undefined;
  try {
    return unseal(parseEnvelope(envelope), owner, createSecretKey(Buffer.from(key, 'base64url')));
  } catch {
    return undefined;
  }
}
