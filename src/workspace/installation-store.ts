import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { guardRead } from '../redis.ts';
import type { Keyring } from '../vault/keyring.ts';
import { FIELDS, sealOwnerOf } from './fields.ts';
import { membersKey, recordKey, refreshLockKey } from './keys.ts';

/**
 * What Slack gave for a workspace or an organisation, as a text that this room does not read, sealed as a whole.
 *
 * @throws StoreUnavailable from each method
 */
export interface InstallationRecords {
  save(id: string, text: string): Promise<void>;
  /** @throws UnsealFailed */
  read(id: string): Promise<string | undefined>;
  /** False, and nothing is written, where another text than `before` stands there meanwhile, or none. @throws UnsealFailed */
  replace(id: string, before: string, after: string): Promise<boolean>;
  /** Notes that an organisation's installation serves this workspace, if it is there, so that leaving takes it along. */
  join(organisation: string, workspace: string): Promise<void>;
  /** The organisation that was noted for this workspace; forgotten when the workspace or the organisation leaves. */
  organisationOf(workspace: string): Promise<string | undefined>;
  members(organisation: string): Promise<readonly string[]>;
  /** For one process at a time, until it unlocks or `LOCK` is over; undefined where another has it. */
  lock(id: string): Promise<(() => Promise<void>) | undefined>;
  locked(id: string): Promise<boolean>;
}

/** Longer than a call to Slack with its retry may take, in ms. */
const LOCK = 15_000;
const owner = (id: string) => sealOwnerOf('slack-installation', id, FIELDS.installation);

const REPLACE = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

const JOIN = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[3], '${FIELDS.organisation}', ARGV[2])
return 1`;

const TAKE = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
return redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2], 'NX') and 1 or 0`;

const UNLOCK = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

export function createInstallationStore({
  redis,
  keyring,
}: {
  redis: Redis;
  keyring: Keyring;
}): InstallationRecords {
  const envelopeOf = (id: string) => guardRead(() => redis.hget(recordKey(id), FIELDS.installation));

  return {
    async save(id, text) {
      const envelope = keyring.seal(text, owner(id));
      await guardRead(() => redis.hset(recordKey(id), FIELDS.installation, envelope));
    },
    async read(id) {
      const envelope = await envelopeOf(id);
      return envelope === null ? undefined : keyring.open(envelope, owner(id));
    },
    async replace(id, before, after) {
      // What is sealed anew with another key meanwhile is the same text in another envelope: hence the second look.
      for (let look = 0; look < 3; look += 1) {
        const envelope = await envelopeOf(id);
        if (envelope === null || keyring.open(envelope, owner(id)) !== before) return false;
        const sealed = keyring.seal(after, owner(id));
        if (
          (await guardRead(() =>
            redis.eval(REPLACE, 1, recordKey(id), FIELDS.installation, envelope, sealed),
          )) === 1
        )
          return true;
      }
      return false;
    },
    async join(organisation, workspace) {
      const keys = [recordKey(organisation), membersKey(organisation), recordKey(workspace)];
      await guardRead(() => redis.eval(JOIN, keys.length, ...keys, workspace, organisation));
    },
    organisationOf: async (workspace) =>
      (await guardRead(() => redis.hget(recordKey(workspace), FIELDS.organisation))) ?? undefined,
    members: (organisation) => guardRead(() => redis.smembers(membersKey(organisation))),
    async lock(id) {
      const mark = randomBytes(12).toString('base64url');
      const args = [recordKey(id), refreshLockKey(id), mark, LOCK];
      if ((await guardRead(() => redis.eval(TAKE, 2, ...args))) !== 1) return undefined;
      return async () => {
        await guardRead(() => redis.eval(UNLOCK, 1, refreshLockKey(id), mark));
      };
    },
    locked: async (id) => (await guardRead(() => redis.exists(refreshLockKey(id)))) === 1,
  };
}
