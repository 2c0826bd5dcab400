import { createSecretKey, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { commitInWorkspace, evalInWorkspace, guardRead } from '../../redis/guard.ts';
import { auditKey, grantsKey, recordKey } from '../../redis/keys.ts';
import { parseEnvelope, seal, unseal } from '../../vault/keyring.ts';
import { type AuditEntry, auditArguments, LUA_AUDIT } from '../record/audit.ts';
import { parseRecord, projectId, slackId } from '../record/parse-record.ts';

/**
 * What the buttons of a token's modal may do. No token is stored: the modal holds it encrypted, and Redis holds the key,
 * until the service confirms that the token is revoked, at most until the token expires. Neither half is the token, and
 * each is bound to the other.
 */
const schema = z.object({
  person: slackId,
  project: projectId,
  /** The project as a command names it: the alias, or the ID. */
  word: z.string(),
  /** The channel of the request: the project's channel limits hold for what follows, too. */
  channel: z.string().exactOptional(),
  /** The identity service that issued the token: it is sent to no other. */
  authUrl: z.string().exactOptional(),
  /** When the token expires, in ms, if the service says. */
  expiresAt: z.int().exactOptional(),
  /** 12 hexadecimal digits, for the audit. */
  audit: z.string().exactOptional(),
  /** base64url of the 32 bytes that the modal's half is encrypted with. */
  key: z.string().exactOptional(),
});

type StoredGrant = Readonly<z.infer<typeof schema>>;
/** A grant without the key that opens the token. */
export type TokenGrant = Omit<StoredGrant, 'key'>;

/** Each method is one round trip. @throws store-unavailable */
export type TokenGrants = ReturnType<typeof createTokenGrants>;

/** What else is written in the same step as the grant. */
interface KeepOptions {
  /** Written first: if that fails, no grant is stored. */
  readonly entry?: AuditEntry | undefined;
  /** The grant that the modal held until now: it is dropped. */
  readonly replaces?: string | undefined;
}

export interface GrantClaim {
  readonly workspace: SlackId;
  readonly person: SlackId;
  readonly grantText: string;
  readonly purpose: Purpose;
  readonly at: Millis;
}

/** Separate, so that a token can be revoked while another one is issued. */
const PURPOSES = ['issue', 'revoke'] as const;
type Purpose = (typeof PURPOSES)[number];

/** Longer than a revocation with its check may take, in ms. */
export const GRANT_LEASE_MS = 30_000;

const HANDLE = /^[\w-]{22}$/;
const KEY_ID = 'once';

/**
 * Values are `<until> <json>`, and `<until>` for a claim. Expired ones are deleted here. A workspace that left has
 * neither record nor audit, and gets no grant. The audit entry comes first, because a stream may refuse it.
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
 * Only its owner can claim a grant; other people's attempts change nothing. The owner is a property of the JSON, found by
 * its text: quotes inside of JSON strings are escaped, so nothing else can match. A missing grant is claimed as well, so
 * that two clicks in an old window do not issue two tokens.
 */
const CLAIM = `
local value = redis.call('HGET', KEYS[1], ARGV[1])
local isThere = value and tonumber(string.match(value, '^%d+') or 0) > tonumber(ARGV[3])
if isThere and not string.find(value, ARGV[5], 1, true) then return false end
if tonumber(redis.call('HGET', KEYS[1], ARGV[2]) or 0) > tonumber(ARGV[3]) then return 'busy' end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[4])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[4] - ARGV[3]) end
return isThere and value`;

export function createTokenGrants(redis: RedisConnection) {
  return {
    /**
     * Stores a grant, with the key to a token if there is one.
     * @returns what to put into the modal: the handle and the encrypted token
     * @throws not-installed when the workspace left; nothing was written
     */
    async keep(
      workspace: SlackId,
      grant: TokenGrant,
      { at, until }: { readonly at: Millis; readonly until: Millis },
      token?: string,
      { entry, replaces = '' }: KeepOptions = {},
    ): Promise<string> {
      const handle = randomBytes(16).toString('base64url');
      const key = token === undefined ? undefined : randomBytes(32);
      const stored: StoredGrant = { ...grant, ...(key && { key: key.toString('base64url') }) };
      const keys = [grantsKey, recordKey, auditKey];
      const life = [Math.floor(at), Math.ceil(Math.max(until, at + 1))];
      const args = [...life, handle, JSON.stringify(stored), grantHandle(replaces)];
      // A lost answer matters for the audit entry; a grant that nobody holds does not.
      const [run, audit] = entry ? [commitInWorkspace, auditArguments(entry)] : [evalInWorkspace, []];
      if ((await run(redis, workspace, KEEP, keys, ...args, ...audit)) !== 1)
        throw new Failure('not-installed', { reason: 'unknown' });
      if (token === undefined || key === undefined) return handle;
      return `${handle} ${seal(token, ownerOf(workspace, handle, grant), KEY_ID, createSecretKey(key))}`;
    },

    /**
     * Gives the grant, with its token if the two halves belong together, to one request at a time for each purpose. It
     * stays stored, so a lost answer loses nothing: the request that claimed it replaces, drops or releases it.
     *
     * @returns `busy` for `GRANT_LEASE_MS` after another claim; undefined when it expired or belongs to somebody else
     */
    async claim({ workspace, person, grantText, purpose, at }: GrantClaim) {
      const [handle = '', envelope] = grantText.split(' ');
      if (!HANDLE.test(handle)) return undefined;
      const now = Math.floor(at);
      const owner = JSON.stringify({ person }).slice(1, -1);
      const args = [handle, leaseOf(handle, purpose), now, now + GRANT_LEASE_MS, owner];
      const value = await evalInWorkspace(redis, workspace, CLAIM, [grantsKey], ...args);
      if (value === 'busy') return 'busy';
      const [, json] = /^\d+ (.*)$/s.exec(String(value)) ?? [];
      if (json === undefined) return undefined;
      const { key, ...grant } = parseRecord(schema, json);
      return { grant, token: openToken(envelope, ownerOf(workspace, handle, grant), key) };
    },

    /** Lets it be claimed for this purpose again at once. */
    async release({ workspace, grantText, purpose }: Omit<GrantClaim, 'person' | 'at'>): Promise<void> {
      const lease = leaseOf(grantHandle(grantText), purpose);
      await guardRead(() => redis.hdel(grantsKey(workspace), lease));
    },

    async drop(workspace: SlackId, grantText: string): Promise<void> {
      const handle = grantHandle(grantText);
      const fields = [handle, ...PURPOSES.map((purpose) => leaseOf(handle, purpose))];
      await guardRead(() => redis.hdel(grantsKey(workspace), ...fields));
    },
  };
}

const leaseOf = (handle: string, purpose: Purpose): string => `${handle}:${purpose}`;

/** The grant as text for a modal, without the token. */
export const grantHandle = (grantText: string): string => grantText.split(' ')[0] ?? '';

const ownerOf = (workspace: SlackId, handle: string, { person, project, authUrl = '' }: TokenGrant) => ({
  workspace,
  kind: 'os-token',
  id: JSON.stringify([handle, person, project, authUrl]),
});

/** Undefined if the half in the modal is forged or belongs to another grant. */
function openToken(
  envelope: string | undefined,
  owner: ReturnType<typeof ownerOf>,
  key: string | undefined,
): string | undefined {
  if (envelope === undefined || key === undefined) return undefined;
  return tryParse(() =>
    unseal(parseEnvelope(envelope), owner, createSecretKey(Buffer.from(key, 'base64url'))),
  );
}
