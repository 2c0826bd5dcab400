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

/** What a post is about, as the schedule and the workspace had it then: either may be changed while the post stands. */
const subject = scheduleContentSchema.extend({
  /** IANA: the reporting zone, which says what a day is. */
  zone: z.string(),
  /** The days in words: `Fri 20 Nov 2026 UTC`. */
  covers: z.string(),
  /** Names of the connections that were asked, in the projects' order. */
  connections: z.array(z.string()).readonly(),
});
export type PostSubject = Readonly<z.infer<typeof subject>>;

/** The post of one date, as it stands in the channel. */
const standing = z.object({
  channel: z.string(),
  /** Slack's; '' where Slack said that it is there and nobody could note more. */
  ts: z.string(),
  /** ms since the epoch: when it was posted */
  at: z.int(),
  isLate: z.boolean(),
  /** It may be there twice. */
  isAgain: z.boolean(),
  /** What was said of earlier dates, a line each. */
  earlier: z.array(z.string()).readonly(),
  figures: z.record(z.string(), z.string()),
  /** `<project id>:<product>` → why it has no figure, in a sentence. */
  unanswered: z.record(z.string(), z.string()).exactOptional(),
  /** How often it was looked at again since. */
  looks: z.int(),
  /** Absent in posts of earlier versions: nobody knows what they are about any more. */
  subject: subject.exactOptional(),
});
export type PostedMessage = Readonly<z.infer<typeof standing>>;

const entry = z.object({
  /**
   * `sending`: Slack may have taken it. `trying`: it has not, and is asked again. `held`: its schedule is paused by
   * Tally, and it is tried now and then whether that may end. The others are final.
   */
  state: z.enum(['sending', 'trying', 'held', 'posted', 'skipped', 'failed']),
  /** ms since the epoch: when it was due, and when this was written */
  due: z.int(),
  at: z.int(),
  /** When it was first tried, how often it failed since, and when it is tried again. */
  began: z.int(),
  tries: z.int().default(0),
  next: z.int().exactOptional(),
  /** How often it was tried while Tally paused its schedule. */
  probes: z.int().exactOptional(),
  /** Of `recordFailure`: the next post names the date, unless its `postMessage` turns out to be there. */
  isMissed: z.boolean().exactOptional(),
  /** In a sentence. */
  cause: z.string().exactOptional(),
  /** Somebody has to be told still: that it failed, that it pauses, or that projects give no answer again and again. */
  untold: z.enum([...PAUSE_REASONS, 'failed', 'unanswered']).exactOptional(),
  post: standing.exactOptional(),
});
/** What became of one date of one schedule. */
export type DeliveryLogEntry = Readonly<z.infer<typeof entry>>;

export interface DeliveryLogLine {
  readonly schedule: string;
  readonly date: Day;
  readonly entry: DeliveryLogEntry;
  /** As it stands: whoever writes it anew has to have seen it. */
  readonly json: string;
}

export interface DeliveryLogSnapshot {
  readonly lines: readonly DeliveryLogLine[];
  /** When a channel was last posted to, in ms; without one, any channel. */
  lastPost(channel?: string): number | undefined;
  /** Slack wants to be left alone until then, in ms. */
  readonly quietUntil: number | undefined;
}

/** For one run at a time, in any process. */
export interface DeliveryLease {
  readonly teamId: string;
  readonly mark: string;
}

export interface LogWrite {
  readonly schedule: string;
  readonly date: Day;
  /** As it stood; undefined for none. */
  readonly before: string | undefined;
  readonly entry: DeliveryLogEntry;
  /** Only while the lease lasts; otherwise also later, over what stood before. */
  readonly strictly?: boolean;
  /** The schedule as the record has it: not where somebody has changed or removed it since. */
  readonly resting?: string;
  /** A post went out just now. */
  readonly posted?: { readonly channel: string; readonly at: number };
  /** Dates of the schedule that need not be known any more. */
  readonly drop?: readonly Day[];
  readonly sent?: LastDelivery;
}

/**
 * What became of every due date, so that none is posted twice and none is lost: one hash a workspace. It is kept as
 * long as a date may matter, and goes with the workspace.
 *
 * @throws StoreUnavailable from each method
 */
export interface DeliveryLog {
  read(workspace: string): Promise<DeliveryLogSnapshot>;
  /** `taken` by another run; `gone` where nothing is known of the workspace any more. */
  lease(workspace: string): Promise<DeliveryLease | 'taken' | 'gone'>;
  /** False when it is lost. */
  renew(lease: DeliveryLease): Promise<boolean>;
  /** Whether it was held to the end. */
  release(lease: DeliveryLease): Promise<boolean>;
  /**
   * What was written; undefined, and nothing is, where the lease is lost or something else stood before; '' where it
   * rested on another schedule.
   */
  enter(lease: DeliveryLease, entering: LogWrite): Promise<string | undefined>;
  quiet(lease: DeliveryLease, until: number): Promise<void>;
  drop(lease: DeliveryLease, lines: readonly DeliveryLogLine[]): Promise<void>;
}

/** In ms: longer than a process may stand still between two renewals, short for whoever waits for a killed one. */
export const LEASE_MS = 12_000;
/** Longer than any cadence's pause, in ms. */
const KEPT = 100 * 86_400_000;

const CHANNEL = 'channel/';
const QUIET = 'quiet';

/** What was forgotten meanwhile is not brought back: neither without the lease nor beside a schedule that is gone. */
const ENTER = `
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

const QUIETEN = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], '${QUIET}', ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1`;

const DROP = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
for i = 2, #ARGV do redis.call('HDEL', KEYS[2], ARGV[i]) end
return 1`;

const keyOf = ({ teamId, mark }: DeliveryLease): Lease => ({ key: deliveryLockKey(teamId), token: mark });
const fieldOf = (schedule: string, date: Day): string => `${schedule}/${date}`;
const LINE = /^([a-z0-9]{8})\/(\d{4}-\d{2}-\d{2})$/;

export function createDeliveryLog(redis: Redis): DeliveryLog {
  const keysFor = (workspace: string) => [deliveryLockKey(workspace), deliveryLogKey(workspace)] as const;
  const evaluate = (script: string, keys: readonly string[], ...args: readonly (string | number)[]) =>
    guardRead(() => redis.eval(script, keys.length, ...keys, ...args));

  return {
    read: async (workspace) => bookOf(await guardRead(() => redis.hgetall(deliveryLogKey(workspace)))),
    async lease(workspace) {
      const lease = await acquireLease(redis, workspace, deliveryLockKey(workspace), LEASE_MS);
      return typeof lease === 'string' ? lease : { teamId: workspace, mark: lease.token };
    },
    renew: (lease) => extendLease(redis, keyOf(lease), LEASE_MS),
    release: (lease) => releaseLease(redis, keyOf(lease)),
    async enter(
      { teamId, mark },
      { schedule, date, before = '', strictly = false, resting = '', posted, drop = [], ...to },
    ) {
      const json = JSON.stringify(to.entry);
      const done = await evaluate(
        ENTER,
        [...keysFor(teamId), recordKey(teamId)],
        mark,
        strictly ? '1' : '0',
        fieldOf(schedule, date),
        before,
        json,
        KEPT,
        posted === undefined ? '' : CHANNEL + posted.channel,
        posted?.at ?? '',
        FIELDS.schedule + schedule,
        FIELDS.sent + schedule,
        to.sent === undefined ? '' : JSON.stringify(to.sent),
        resting,
        ...drop.map((day) => fieldOf(schedule, day)),
      );
      if (done === 2) return '';
      return done === 1 ? json : undefined;
    },
    async quiet({ teamId, mark }, until) {
      await evaluate(QUIETEN, keysFor(teamId), mark, until, KEPT);
    },
    async drop({ teamId, mark }, lines) {
      const fields = lines.map(({ schedule, date }) => fieldOf(schedule, date));
      if (fields.length > 0) await evaluate(DROP, keysFor(teamId), mark, ...fields);
    },
  };
}

function bookOf(fields: Readonly<Record<string, string>>): DeliveryLogSnapshot {
  const number = (field: string): number | undefined => {
    const value = Number(fields[field]);
    return Number.isSafeInteger(value) ? value : undefined;
  };
  return {
    lines: Object.entries(fields).flatMap(([field, json]) => {
      const [, schedule = '', date = ''] = LINE.exec(field) ?? [];
      if (schedule === '') return [];
      // A line that nobody can read is no reason to post a date again.
      return [{ schedule, date, entry: entryOf(json), json }];
    }),
    lastPost(channel) {
      if (channel !== undefined) return number(CHANNEL + channel);
      const channels = Object.keys(fields).filter((field) => field.startsWith(CHANNEL));
      return channels.length === 0 ? undefined : Math.max(...channels.map((field) => number(field) ?? 0));
    },
    quietUntil: number(QUIET),
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
