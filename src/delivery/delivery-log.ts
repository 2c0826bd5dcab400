import type { Redis } from 'ioredis';
import { z } from 'zod';
import { UnsealFailed } from '../domain/failure/index.ts';
import type { Day } from '../domain/time/calendar.ts';
import { guardRead } from '../redis.ts';
import { FIELDS } from '../workspace/fields.ts';
import { deliveryLockKey, deliveryLogKey, recordKey } from '../workspace/keys.ts';
import { acquireLease, extendLease, type Lease, releaseLease } from '../workspace/lease.ts';
import { parseRecord } from '../workspace/record-schema.ts';
import { type LastDelivery, PAUSE_REASONS, scheduleContentSchema } from '../workspace/schedules.ts';

/** What a post is about, as the schedule and the workspace were then; either may change later. */
const subject = scheduleContentSchema.extend({
  /** IANA: the reporting zone, which says what a day is. */
  zone: z.string(),
  /** The days in words: `Fri 20 Nov 2026 UTC`. */
  covers: z.string(),
  /** Names of the connections that were asked, in the projects' order. */
  connections: z.array(z.string()).readonly(),
});
export type PostSubject = Readonly<z.infer<typeof subject>>;

/** The post of one date, as it is in the channel. */
const postedMessage = z.object({
  channel: z.string(),
  /** Slack's; '' where the post is there and its `ts` could not be recorded. */
  ts: z.string(),
  /** ms since the epoch: when it was posted */
  at: z.int(),
  isLate: z.boolean(),
  /** The channel may hold it twice. */
  isAgain: z.boolean(),
  /** What the post says about missed dates, a line each. */
  earlier: z.array(z.string()).readonly(),
  figures: z.record(z.string(), z.string()),
  /** `<project id>:<product>` → why it has no figure, in a sentence. */
  unanswered: z.record(z.string(), z.string()).exactOptional(),
  /** How many planned checks for corrections are done. */
  looks: z.int(),
  /** Absent in posts of earlier versions, which cannot be corrected. */
  subject: subject.exactOptional(),
});
export type PostedMessage = Readonly<z.infer<typeof postedMessage>>;

const entry = z.object({
  /**
   * `sending`: Slack may have taken it. `trying`: it failed and is tried again. `held`: Tally paused its schedule and
   * probes whether it works again. The others are final.
   */
  state: z.enum(['sending', 'trying', 'held', 'posted', 'skipped', 'failed']),
  /** ms since the epoch: when it was due, and when this was written */
  due: z.int(),
  at: z.int(),
  /** When it was first tried, how often it failed since, and when it is tried again; times in ms. */
  began: z.int(),
  tries: z.int().default(0),
  next: z.int().exactOptional(),
  /** How often it was probed while Tally paused its schedule. */
  probes: z.int().exactOptional(),
  /** It failed for good: the next post names the date, unless this post turns out to be in the channel. */
  isMissed: z.boolean().exactOptional(),
  /** An edit took the date out before anything was sent: earlier dates of the new times may still come. */
  isDropped: z.boolean().exactOptional(),
  /** Why it failed, in a sentence. */
  cause: z.string().exactOptional(),
  /** The owner has not been notified of this yet: a failure, a pause, or projects that keep giving no answer. */
  untold: z.enum([...PAUSE_REASONS, 'failed', 'unanswered']).exactOptional(),
  post: postedMessage.exactOptional(),
});
/** What became of one date of one schedule. `untold` and `looks` are names in stored records, which have to stay. */
export type DeliveryLogEntry = Readonly<z.infer<typeof entry>>;

export interface DeliveryLogLine {
  readonly schedule: string;
  readonly date: Day;
  readonly entry: DeliveryLogEntry;
  /** As stored: a write replaces exactly this. */
  readonly json: string;
}

export interface DeliveryLogSnapshot {
  readonly lines: readonly DeliveryLogLine[];
  /** When a channel was last posted to, in ms; without one, any channel. */
  lastPost(channel?: string): number | undefined;
  /** Slack limits the rate of this workspace until then, in ms. */
  readonly backOffUntil: number | undefined;
}

/** Held by one run at a time, in any process. */
export interface DeliveryLease {
  readonly teamId: string;
  readonly token: string;
}

export interface LogWrite {
  readonly schedule: string;
  readonly date: Day;
  /** The entry's JSON before; undefined for none. */
  readonly before: string | undefined;
  readonly entry: DeliveryLogEntry;
  /** Refuse the write once the lease is lost. Otherwise it only needs an existing entry that equals `before`. */
  readonly needsLease?: boolean;
  /** The schedule's stored JSON: refuse the write if somebody has changed or deleted it since. */
  readonly expectedSchedule?: string;
  /** A post went out just now. */
  readonly posted?: { readonly channel: string; readonly at: number };
  /** Dates of the schedule whose lines are no longer needed. */
  readonly drop?: readonly Day[];
  readonly lastDelivery?: LastDelivery;
}

/**
 * What became of every due date, so that none is posted twice and none is lost: one hash a workspace, removed with it.
 * Lines are kept for as long as their date may matter.
 *
 * @throws StoreUnavailable from each method
 */
export interface DeliveryLog {
  read(workspace: string): Promise<DeliveryLogSnapshot>;
  /** `taken` by another run; `gone` where the workspace has no record any more. */
  lease(workspace: string): Promise<DeliveryLease | 'taken' | 'gone'>;
  /** @returns whether it is still held */
  renew(lease: DeliveryLease): Promise<boolean>;
  /** @returns whether it was held to the end */
  release(lease: DeliveryLease): Promise<boolean>;
  /**
   * @returns the JSON it wrote; undefined, writing nothing, where the lease is lost or the entry is not `before`; ''
   * where the schedule is not the expected one
   */
  write(lease: DeliveryLease, write: LogWrite): Promise<string | undefined>;
  backOff(lease: DeliveryLease, until: number): Promise<void>;
  drop(lease: DeliveryLease, lines: readonly DeliveryLogLine[]): Promise<void>;
}

/** In ms: longer than a process may hang between two renewals, and short enough to wait for after a kill. */
export const LEASE_MS = 12_000;
/** Longer than any cadence's interval, in ms. */
const KEEP_MS = 100 * 86_400_000;

const CHANNEL = 'channel/';
const QUIET = 'quiet';

/** Creates nothing without the lease, and no last delivery of a deleted schedule: both may just have been forgotten. */
const WRITE = `
local held = redis.call('GET', KEYS[1]) == ARGV[1]
if (redis.call('HGET', KEYS[2], ARGV[3]) or '') ~= ARGV[4] then return 0 end
if not held and (ARGV[2] == '1' or ARGV[4] == '') then return 0 end
if ARGV[12] ~= '' and redis.call('HGET', KEYS[3], ARGV[9]) ~= ARGV[12] then return 2 end
redis.call('HSET', KEYS[2], ARGV[3], ARGV[5])
if ARGV[7] ~= '' then redis.call('HSET', KEYS[2], ARGV[7], ARGV[8]) end
for i = 13, #ARGV do redis.call('HDEL', KEYS[2], ARGV[i]) end
redis.call('PEXPIRE', KEYS[2], ARGV[6])
if ARGV[11] ~= '' and redis.call('HEXISTS', KEYS[3], ARGV[9]) == 1 then
  redis.call('HSET', KEYS[3], ARGV[10], ARGV[11])
end
return 1`;

const BACK_OFF = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], '${QUIET}', ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1`;

const DROP = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
for i = 2, #ARGV do redis.call('HDEL', KEYS[2], ARGV[i]) end
return 1`;

const leaseOf = ({ teamId, token }: DeliveryLease): Lease => ({ key: deliveryLockKey(teamId), token });
const fieldOf = (schedule: string, date: Day): string => `${schedule}/${date}`;
const LINE = /^([a-z0-9]{8})\/(\d{4}-\d{2}-\d{2})$/;

export function createDeliveryLog(redis: Redis): DeliveryLog {
  const keysFor = (workspace: string) => [deliveryLockKey(workspace), deliveryLogKey(workspace)] as const;
  const evaluate = (script: string, keys: readonly string[], ...args: readonly (string | number)[]) =>
    guardRead(() => redis.eval(script, keys.length, ...keys, ...args));

  return {
    read: async (workspace) => parseSnapshot(await guardRead(() => redis.hgetall(deliveryLogKey(workspace)))),
    async lease(workspace) {
      const lease = await acquireLease(redis, workspace, deliveryLockKey(workspace), LEASE_MS);
      return typeof lease === 'string' ? lease : { teamId: workspace, token: lease.token };
    },
    renew: (lease) => extendLease(redis, leaseOf(lease), LEASE_MS),
    release: (lease) => releaseLease(redis, leaseOf(lease)),
    async write(
      { teamId, token },
      { schedule, date, before = '', needsLease = false, expectedSchedule = '', posted, drop = [], ...to },
    ) {
      const json = JSON.stringify(to.entry);
      const done = await evaluate(
        WRITE,
        [...keysFor(teamId), recordKey(teamId)],
        token,
        needsLease ? '1' : '0',
        fieldOf(schedule, date),
        before,
        json,
        KEEP_MS,
        posted === undefined ? '' : CHANNEL + posted.channel,
        posted?.at ?? '',
        FIELDS.schedule + schedule,
        FIELDS.sent + schedule,
        to.lastDelivery === undefined ? '' : JSON.stringify(to.lastDelivery),
        expectedSchedule,
        ...drop.map((day) => fieldOf(schedule, day)),
      );
      if (done === 2) return '';
      return done === 1 ? json : undefined;
    },
    async backOff({ teamId, token }, until) {
      await evaluate(BACK_OFF, keysFor(teamId), token, until, KEEP_MS);
    },
    async drop({ teamId, token }, lines) {
      const fields = lines.map(({ schedule, date }) => fieldOf(schedule, date));
      if (fields.length > 0) await evaluate(DROP, keysFor(teamId), token, ...fields);
    },
  };
}

function parseSnapshot(fields: Readonly<Record<string, string>>): DeliveryLogSnapshot {
  const number = (field: string): number | undefined => {
    const value = Number(fields[field]);
    return Number.isSafeInteger(value) ? value : undefined;
  };
  return {
    lines: Object.entries(fields).flatMap(([field, json]) => {
      const [, schedule = '', date = ''] = LINE.exec(field) ?? [];
      if (schedule === '') return [];
      // A damaged line must not make its date be posted again.
      return [{ schedule, date, entry: entryOf(json), json }];
    }),
    lastPost(channel) {
      if (channel !== undefined) return number(CHANNEL + channel);
      const channels = Object.keys(fields).filter((field) => field.startsWith(CHANNEL));
      return channels.length === 0 ? undefined : Math.max(...channels.map((field) => number(field) ?? 0));
    },
    backOffUntil: number(QUIET),
  };
}

function entryOf(json: string): DeliveryLogEntry {
  try {
    return parseRecord(entry, json);
  } catch (error) {
    if (!(error instanceof UnsealFailed)) throw error;
    return DAMAGED;
  }
}

const DAMAGED: DeliveryLogEntry = { state: 'failed', due: 0, at: 0, began: 0, tries: 0 };

/** The log, calling `onEnded` with the result of each date that was posted, skipped or given up. */
export const observeDeliveries = (
  deliveryLog: DeliveryLog,
  onEnded: (result: LastDelivery['result']) => void,
): DeliveryLog => ({
  ...deliveryLog,
  async write(lease, write) {
    const written = await deliveryLog.write(lease, write);
    const { result = 'trying' } = write.lastDelivery ?? {};
    if (written !== undefined && result !== 'trying') onEnded(result);
    return written;
  },
});
