import { LRUCache } from 'lru-cache';
import type { SlackId } from '../../domain/slack-id.ts';
import { DAY, type Day, type Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { evalInWorkspace, guardRead } from '../../redis/guard.ts';
import {
  deliveryLockKey,
  deliveryLogKey,
  FIELDS,
  type KeyOf,
  recordKey,
  threadsKey,
  threadTimesKey,
} from '../../redis/keys.ts';
import { acquireLease, extendLease, type Lease, releaseLease } from '../../redis/lease.ts';
import type { LastDelivery } from '../../workspace/owned/schedule-record.ts';
import {
  LUA_REMEMBER,
  questionArguments,
  type ThreadPlace,
  type ThreadQuestion,
} from '../../workspace/thread-store.ts';
import { type DatedLogEntry, type DeliveryLogEntry, parseLogEntry } from './delivery-log-entry.ts';

export interface DeliveryLogSnapshot {
  readonly entries: readonly DatedLogEntry[];
  /** When this channel (any channel if none is given) was last posted to, in ms. */
  lastPost(channel?: SlackId): number | undefined;
  /** Slack limits the rate of this workspace until then, in ms. */
  readonly backOffUntil: Millis | undefined;
  state(name: string): string | undefined;
  /** Names and JSON of all fields whose name begins with `prefix`. */
  statesOf(prefix: string): readonly (readonly [name: string, json: string])[];
}

/** Held by one run at a time, in any process. */
export interface DeliveryLease {
  readonly teamId: SlackId;
  readonly token: string;
}

/** A field of the log: a due date of a schedule, or anything else, such as a watch or a notice. */
export interface FieldWrite {
  /** As `deliveryKey` makes it; of anything else, a name whose prefix is never the ID of a schedule: `watch/abcd1234`. */
  readonly name: string;
  /** The JSON before; undefined for none. The write is refused if Redis holds another value at that moment. */
  readonly before: string | undefined;
  readonly value: unknown;
}

/** A write of a field, and what is written in the same step. */
export interface LogWrite extends FieldWrite {
  /** Other fields: all are written, or none is. */
  readonly with?: readonly FieldWrite[];
  /** Refuse the write once the lease is lost. Otherwise it only needs an existing value that equals `before`. */
  readonly needsLease?: boolean;
  /** A field of the workspace's record with its value, '' for any: reject the write if the value has changed. */
  readonly expected?: { readonly field: string; readonly value: string };
  readonly posted?: { readonly channel: SlackId; readonly at: Millis };
  /** What follow-ups in its thread refer to from now on. */
  readonly questions?: readonly (readonly [ThreadPlace, ThreadQuestion])[] | undefined;
  readonly drop?: readonly string[];
  /** How the last delivery of a schedule ended, if the schedule still exists. */
  readonly lastDelivery?: readonly [schedule: string, LastDelivery];
}

/**
 * What became of every due date, so that none is posted twice and none is lost: one hash a workspace, removed with it.
 * Lines are kept for as long as their date may matter.
 *
 * @throws StoreUnavailable from each method
 */
export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

/** In ms: longer than a process may hang between two renewals, and short enough to wait for after a kill. */
export const LEASE_MS = 12_000;
/** How long figures are kept after their last use, in ms: longer than any cadence's interval. */
const FIGURES_LIFETIME = 100 * DAY;

const CHANNEL = 'channel/';
const BACK_OFF = 'quiet';

/**
 * Without the lease it creates nothing, because the workspace may just have been deleted. A deleted schedule gets no
 * last delivery. Questions that can't be stored, because their key is damaged, don't fail the rest.
 */
const WRITE = `${LUA_REMEMBER}
local held = redis.call('GET', KEYS[1]) == ARGV[1]
if not held and ARGV[2] == '1' then return 'refused' end
local written = 11 + 3 * ARGV[10]
for i = 12, written, 3 do
  if (redis.call('HGET', KEYS[2], ARGV[i]) or '') ~= ARGV[i + 1] then return 'refused' end
  if not held and ARGV[i + 1] == '' then return 'refused' end
end
if ARGV[6] ~= '' and redis.call('HGET', KEYS[3], ARGV[5]) ~= ARGV[6] then return 'changed' end
for i = 12, written, 3 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2]) end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[2], ARGV[3], ARGV[4]) end
if ARGV[9] ~= '' and redis.call('HEXISTS', KEYS[3], ARGV[7]) == 1 then
  redis.call('HSET', KEYS[3], ARGV[8], ARGV[9])
end
local dropped = written + ARGV[11]
for i = written + 1, dropped do redis.call('HDEL', KEYS[2], ARGV[i]) end
redis.call('PEXPIRE', KEYS[2], ${FIGURES_LIFETIME})
for i = dropped + 1, #ARGV, 3 do pcall(remember, KEYS[4], KEYS[5], ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
return 'written'`;

const SET = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ${FIGURES_LIFETIME})
return 1`;

/** Sets a field of one of the workspace's hashes; does nothing once the lease is lost. @throws StoreUnavailable */
export const setWithLease = (
  redis: RedisConnection,
  { teamId, token }: DeliveryLease,
  key: KeyOf,
  ...field: readonly [name: string, value: string | number]
): Promise<unknown> => evalInWorkspace(redis, teamId, SET, [deliveryLockKey, key], token, ...field);

const DROP = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
for i = 2, #ARGV do redis.call('HDEL', KEYS[2], ARGV[i]) end
return 1`;

const leaseOf = ({ teamId, token }: DeliveryLease): Lease => ({ key: deliveryLockKey(teamId), token });
/** Identifies one due date of one schedule, in the log and in the metadata of its post in Slack. */
export const deliveryKey = (schedule: string, date: Day): string => `${schedule}/${date}`;
const LINE = /^([a-z0-9]{8})\/(\d{4}-\d{2}-\d{2})$/;

/** Parsed lines in memory, up to two kilobytes each: those that a run reads again and again. */
const MAX_PARSED = 5_000;

export function createDeliveryLog(redis: RedisConnection) {
  const parsed = new LRUCache<string, Pick<DatedLogEntry, 'entry' | 'json'>>({ max: MAX_PARSED });
  const parseLine = (name: string, json: string): DeliveryLogEntry => {
    const known = parsed.get(name);
    if (known?.json === json) return known.entry;
    const entry = parseLogEntry(json);
    parsed.set(name, { json, entry });
    return entry;
  };
  const keys = [deliveryLockKey, deliveryLogKey, recordKey, threadsKey, threadTimesKey];
  const evaluate = (workspace: SlackId, script: string, ...args: readonly (string | number)[]) =>
    evalInWorkspace(redis, workspace, script, keys, ...args);

  return {
    async load(workspace: SlackId): Promise<DeliveryLogSnapshot> {
      const fields = await guardRead(() => redis.hgetall(deliveryLogKey(workspace)));
      return parseSnapshot(fields, (field, json) => parseLine(`${workspace} ${field}`, json));
    },
    /** `taken` by another run; `gone` when the workspace has no record any more. */
    async lease(workspace: SlackId): Promise<DeliveryLease | 'taken' | 'gone'> {
      const lease = await acquireLease(redis, workspace, deliveryLockKey, LEASE_MS);
      return typeof lease === 'string' ? lease : { teamId: workspace, token: lease.token };
    },
    /** @returns whether it is still held */
    renew: (lease: DeliveryLease): Promise<boolean> => extendLease(redis, leaseOf(lease), LEASE_MS),
    /** @returns whether it was held to the end */
    release: (lease: DeliveryLease): Promise<boolean> => releaseLease(redis, leaseOf(lease)),
    /**
     * @returns `refused` if the lease is lost or the field differs from `before`; `changed` if the record differs from
     * `expected`; nothing is written then
     */
    async write(
      { teamId, token }: DeliveryLease,
      { needsLease = false, expected, posted, questions = [], drop = [], lastDelivery, ...write }: LogWrite,
    ): Promise<'written' | 'refused' | 'changed'> {
      const [schedule, last] = lastDelivery ?? [''];
      const fields = [write, ...(write.with ?? [])].map((field) => ({
        json: JSON.stringify(field.value),
        ...field,
      }));
      const outcome = await evaluate(
        teamId,
        WRITE,
        ...[token, needsLease ? '1' : '0'],
        ...[posted === undefined ? '' : CHANNEL + posted.channel, posted?.at ?? ''],
        ...[expected?.field ?? '', expected?.value ?? ''],
        ...[
          FIELDS.schedule + schedule,
          FIELDS.sent + schedule,
          last === undefined ? '' : JSON.stringify(last),
        ],
        ...[fields.length, drop.length],
        ...fields.flatMap(({ name, before = '', json }) => [name, before, json]),
        ...drop,
        ...questions.flatMap((asked) => questionArguments(...asked, 'everybody')),
      );
      // The next pass reads what was written.
      for (const { name, json, value } of outcome === 'written' ? fields : [])
        if (LINE.test(name)) parsed.set(`${teamId} ${name}`, { json, entry: value as DeliveryLogEntry });
      return outcome as 'written' | 'refused' | 'changed';
    },
    async backOff(lease: DeliveryLease, until: Millis): Promise<void> {
      await setWithLease(redis, lease, deliveryLogKey, BACK_OFF, until);
    },
    /** Deletes entries and states. Does nothing once the lease is lost. @param fields of dates and states */
    async drop({ teamId, token }: DeliveryLease, fields: readonly string[]): Promise<void> {
      if (fields.length > 0) await evaluate(teamId, DROP, token, ...fields);
    },
  };
}

function parseSnapshot(
  fields: Readonly<Record<string, string>>,
  parseLine: (field: string, json: string) => DeliveryLogEntry,
): DeliveryLogSnapshot {
  const number = (field: string): number | undefined => {
    const value = Number(fields[field]);
    return Number.isSafeInteger(value) ? value : undefined;
  };
  return {
    entries: Object.entries(fields).flatMap(([field, json]) => {
      const [, schedule = '', date = ''] = LINE.exec(field) ?? [];
      if (schedule === '') return [];
      return [{ schedule, date, entry: parseLine(field, json), json }];
    }),
    lastPost(channel) {
      if (channel !== undefined) return number(CHANNEL + channel);
      const channels = Object.keys(fields).filter((field) => field.startsWith(CHANNEL));
      return channels.length === 0 ? undefined : Math.max(...channels.map((field) => number(field) ?? 0));
    },
    backOffUntil: number(BACK_OFF),
    state: (name) => fields[name],
    statesOf: (prefix) => Object.entries(fields).filter(([field]) => field.startsWith(prefix)),
  };
}
