import { createSecretKey, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { NotInstalled } from '../domain/failure/index.ts';
import { guardRead } from '../redis.ts';
import { parseEnvelope, seal, unseal } from '../vault/seal.ts';
import { type AuditEntry, auditArguments, LUA_AUDIT } from './audit.ts';
import { auditKey, grantsKey, recordKey } from './keys.ts';
import { parseRecord } from './parse-record.ts';

/**
 * What a token's modal leads to. A token is kept nowhere: the modal holds it encrypted, Redis the key to that, until the
 * service has confirmed that the token is revoked and no longer than the token lives. Neither half is the token, and each
 * is bound to the other.
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
export type TokenGrant = Omit<Kept, 'key'>;

/** Each method is one round trip. @throws StoreUnavailable */
export interface OneTimeGrants {
  /**
   * Keeps an errand until `until` (ms), with the key to a token where there is one.
   * @throws NotInstalled where the workspace left, and nothing was written
   * @returns what the modal carries: the handle, and the token encrypted
   */
  keep(workspace: string, errand: TokenGrant, life: Life, token?: string, also?: Also): Promise<string>;
  /**
   * Gives it out to one of however many ask for the same purpose; the token where the two halves belong together. It
   * stays, so that a lost answer loses nothing: whoever claimed it replaces it, drops it or releases it.
   * @returns `busy` for `GRANT_LEASE_MS` ms after somebody claimed it; undefined where it expired or belongs to somebody else
   */
  claim(claim: GrantClaim): Promise<ClaimedGrant | 'busy' | undefined>;
  /** Lets it be claimed for this purpose again at once. */
  release({ workspace, carried, purpose }: Omit<GrantClaim, 'person' | 'at'>): Promise<void>;
  /** Removes it. */
  drop(workspace: string, carried: string): Promise<void>;
}

/** Both in ms since the epoch. */
interface Life {
  readonly at: number;
  readonly until: number;
}

/** What is done in the same step. */
interface Also {
  /** Written into the audit first: where that fails, nothing is kept. */
  readonly entry?: AuditEntry | undefined;
  /** What a modal carried until now; it leads nowhere any more. */
  readonly replaces?: string | undefined;
}

export interface GrantClaim {
  readonly workspace: string;
  /** Slack's id of the one who asks. */
  readonly person: string;
  readonly carried: string;
  readonly purpose: Purpose;
  /** ms */
  readonly at: number;
}

/** Issuing another token does not stand in the way of revoking the one before. */
const PURPOSES = ['issue', 'revoke'] as const;
type Purpose = (typeof PURPOSES)[number];

export interface ClaimedGrant {
  readonly grant: TokenGrant;
  readonly token: string | undefined;
}

/** Longer than a revocation with its check may take, in ms. */
export const GRANT_LEASE_MS = 30_000;

const HANDLE = /^[\w-]{22}$/;
const KEY_ID = 'once';

/**
 * Values are `<until> <json>`, and `<until>` for a claim. What has expired is cleared away whenever something comes. Of a
 * workspace that left there is neither record nor audit, and nothing comes back. The entry comes first: a stream may
 * refuse it.
 */
const KEEP = `${LUA_AUDIT}
if redis.call('EXISTS', KEYS[2], KEYS[3]) == 0 then return 0 end
if ARGV[6] then enter(KEYS[3], ARGV[6], ARGV[7], ARGV[8], ARGV[9]) end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local value = redis.call('HGET', KEYS[1], field)
  local isReplaced = ARGV[5] ~= '' and string.sub(field, 1, #ARGV[5]) == ARGV[5]
  if isReplaced or tonumber(string.match(value, '^%d+')) <= tonumber(ARGV[1]) then
    redis.call('HDEL', KEYS[1], field)
  end
end
redis.call('HSET', KEYS[1], ARGV[3], ARGV[2] .. ' ' .. ARGV[4])
local life = tonumber(ARGV[2]) - tonumber(ARGV[1])
if redis.call('PTTL', KEYS[1]) < life then redis.call('PEXPIRE', KEYS[1], life) end
return 1`;

/**
 * Only the one whose it is can claim it: somebody else's try changes nothing. Whose it is stands in the JSON, in whose
 * texts no quote is bare: so what is looked for is that one property. What is gone is claimed, too: two clicks in an old
 * window are not two tokens.
 */
const CLAIM = `
local value = redis.call('HGET', KEYS[1], ARGV[1])
local isThere = value and tonumber(string.match(value, '^%d+') or 0) > tonumber(ARGV[3])
if isThere and not string.find(value, ARGV[5], 1, true) then return false end
if tonumber(redis.call('HGET', KEYS[1], ARGV[2]) or 0) > tonumber(ARGV[3]) then return 'busy' end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[4])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[4] - ARGV[3]) end
return isThere and value`;

export function createOneTimeGrants(redis: Redis): OneTimeGrants {
  return {
    async keep(workspace, errand, { at, until }, token, { entry, replaces = '' } = {}) {
      const handle = randomBytes(16).toString('base64url');
      const key = token === undefined ? undefined : randomBytes(32);
      const kept: Kept = { ...errand, ...(key && { key: key.toString('base64url') }) };
      const keys = [grantsKey(workspace), recordKey(workspace), auditKey(workspace)];
      const life = [Math.floor(at), Math.ceil(Math.max(until, at + 1))];
      const args = [...life, handle, JSON.stringify(kept), grantHandle(replaces)];
      const done = await guardRead(() =>
        redis.eval(
          KEEP,
          keys.length,
          ...[...keys, ...args, ...(entry === undefined ? [] : auditArguments(entry))],
        ),
      );
      if (done !== 1) throw new NotInstalled('unknown');
      if (token === undefined || key === undefined) return handle;
      return `${handle} ${seal(token, ownerOf(workspace, handle, errand), KEY_ID, createSecretKey(key))}`;
    },

    async claim({ workspace, person, carried, purpose, at }) {
      const [handle = '', envelope] = carried.split(' ');
      if (!HANDLE.test(handle)) return undefined;
      const now = Math.floor(at);
      const whose = JSON.stringify({ person }).slice(1, -1);
      const args = [handle, leaseOf(handle, purpose), now, now + GRANT_LEASE_MS, whose];
      const value = await guardRead(() => redis.eval(CLAIM, 1, grantsKey(workspace), ...args));
      if (value === 'busy') return 'busy';
      const [, json] = /^\d+ (.*)$/s.exec(String(value)) ?? [];
      if (json === undefined) return undefined;
      const kept = parseRecord(schema, json);
      const errand = errandOf(kept);
      return { grant: errand, token: opened(envelope, ownerOf(workspace, handle, errand), kept.key) };
    },

    async release({ workspace, carried, purpose }) {
      await guardRead(() => redis.hdel(grantsKey(workspace), leaseOf(grantHandle(carried), purpose)));
    },

    async drop(workspace, carried) {
      const handle = grantHandle(carried);
      const fields = [handle, ...PURPOSES.map((purpose) => leaseOf(handle, purpose))];
      await guardRead(() => redis.hdel(grantsKey(workspace), ...fields));
    },
  };
}

const leaseOf = (handle: string, purpose: Purpose): string => `${handle}:${purpose}`;

/** What a modal carries, without the token. */
export const grantHandle = (carried: string): string => carried.split(' ')[0] ?? '';

const errandOf = ({ key: _, ...errand }: Kept): TokenGrant => errand;

const ownerOf = (workspace: string, handle: string, { person, project, authUrl = '' }: TokenGrant) => ({
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
