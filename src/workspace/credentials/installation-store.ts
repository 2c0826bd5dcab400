/** Stores Slack installations as encrypted text that only `slack/` parses. */
import { createHash } from 'node:crypto';
import type { SlackId } from '../../domain/slack-id.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { FIELDS, membersKey, onceKey, recordKey, tokenLockKey, WORKSPACE_KEYS } from '../../redis/keys.ts';
import { evalInWorkspace, guardRedis } from '../../redis/outages.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { createWorkspaceStore } from '../record/workspace-store.ts';
import { EVENTS_KEPT_MS } from '../replay-protection.ts';
import { sealOwnerOf } from './credential-records.ts';

/** @throws store-unavailable from every method */
export interface InstallationRecords {
  save(id: SlackId, text: string): Promise<void>;
  load(id: SlackId): Promise<string | undefined>;
  /** @returns false, with nothing written, if the stored text isn't `before` any more @throws unseal-failed */
  replace(id: SlackId, before: string, after: string): Promise<boolean>;
  /**
   * Links a workspace to an organization's installation, so that both are deleted together. @returns false if the
   * organization isn't installed, or has revoked the workspace's access
   */
  join(organization: SlackId, workspace: SlackId): Promise<boolean>;
  organizationOf(workspace: SlackId): Promise<SlackId | undefined>;
  /** A Slack refresh token works only once, so only one process may use it. @returns false if another process does */
  lock(id: SlackId): Promise<boolean>;
}

const LOCK_MS = 15_000;
const owner = (id: string) => sealOwnerOf('slack-installation', id, FIELDS.installation);

/** Lua: takes the lock, unless another process has it or the workspace was removed. */
const LOCK = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('SET', KEYS[2], '1', 'PX', ARGV[1], 'NX') and 1 or 0`;

const JOIN = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SADD', KEYS[2], ARGV[1])
return 1`;
const IS_MEMBER = `
return redis.call('EXISTS', KEYS[1]) == 1 and redis.call('SISMEMBER', KEYS[2], ARGV[1]) or 0`;

const UNDO_JOIN = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return redis.call('HDEL', KEYS[1], ARGV[2]) end
return redis.call('UNLINK', unpack(KEYS))`;

export function createInstallationStore({
  redis,
  keyring,
}: {
  readonly redis: RedisConnection;
  readonly keyring: Keyring;
}): InstallationRecords {
  const store = createWorkspaceStore(redis);
  const access = createMemberAccessStore(redis);
  const envelopeOf = (id: string) => guardRedis(() => redis.hget(recordKey(id), FIELDS.installation));

  return {
    async save(id, text) {
      const envelope = keyring.seal(text, owner(id));
      await store.write(id, { first: true, set: { [FIELDS.installation]: envelope } });
    },
    async load(id) {
      const envelope = await envelopeOf(id);
      return envelope === null ? undefined : keyring.open(envelope, owner(id));
    },
    async replace(id, before, after) {
      const envelope = await envelopeOf(id);
      if (envelope === null || keyring.open(envelope, owner(id)) !== before) return false;
      const renewed = keyring.seal(after, owner(id));
      const { installation } = FIELDS;
      return store.write(id, { seen: { [installation]: envelope }, set: { [installation]: renewed } });
    },
    async join(organization, workspace) {
      if (await access.isRevoked(organization, workspace)) return false;
      // The organization's keys and the workspace's are in different Redis Cluster slots, so this takes two steps. The
      // list of members is written first, so that an uninstall between the steps finds the workspace.
      const keys = [recordKey, membersKey];
      const ask = (script: string) => evalInWorkspace(redis, organization, script, keys, workspace);
      if ((await ask(JOIN)) !== 1) return false;
      await store.write(workspace, { first: true, set: { [FIELDS.organization]: organization } });
      if ((await ask(IS_MEMBER)) === 1 && !(await access.isRevoked(organization, workspace))) return true;
      await guardRedis(() => redis.srem(membersKey(organization), workspace));
      const fields = [FIELDS.installation, FIELDS.organization];
      await evalInWorkspace(redis, workspace, UNDO_JOIN, WORKSPACE_KEYS, ...fields);
      return false;
    },
    organizationOf: async (workspace) =>
      (await guardRedis(() => redis.hget(recordKey(workspace), FIELDS.organization))) ?? undefined,
    lock: async (id) => (await evalInWorkspace(redis, id, LOCK, [recordKey, tokenLockKey], LOCK_MS)) === 1,
  };
}

export type MemberAccess = 'granted' | 'revoked';

const SAVE_LATEST = `
if tonumber(redis.call('HGET', KEYS[1], 'at') or ARGV[1]) > tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'at', ARGV[1], 'access', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

/**
 * Remembers whether an organization has revoked a workspace's access, for as long as Slack may resend events. An older
 * request that comes late then can't bring back deleted data. @throws store-unavailable from every method
 */
export function createMemberAccessStore(redis: RedisConnection) {
  const keyOf = (...ids: readonly string[]) =>
    onceKey('access', createHash('sha256').update(ids.join(' ')).digest('base64url'));
  return {
    /** @param eventTime in seconds, from Slack @returns false if a later event is already stored */
    async save(
      organization: SlackId,
      workspace: SlackId,
      access: MemberAccess,
      eventTime: number,
    ): Promise<boolean> {
      const key = keyOf(organization, workspace);
      return (
        (await guardRedis(() => redis.eval(SAVE_LATEST, 1, key, eventTime, access, EVENTS_KEPT_MS))) === 1
      );
    },
    isRevoked: async (organization: string, workspace: SlackId) =>
      (await guardRedis(() => redis.hget(keyOf(organization, workspace), 'access'))) === 'revoked',
  };
}
