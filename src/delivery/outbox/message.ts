/** The one record of everything that Tally sends without being asked. */
import * as z from 'zod';
import { storedFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { HOUR, type Millis } from '../../domain/time/calendar.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';

/** The first part of a message's key. */
export const MESSAGE_KINDS = ['post', 'alert', 'reminder', 'notice'] as const;
export type MessageKindName = (typeof MESSAGE_KINDS)[number];

const schema = z.object({
  /** Slack ID of a channel or a person. */
  to: z.string(),
  /** What it says or is about: each kind has its own schema. */
  about: z.unknown(),
  /** `due`: not sent yet. `sending`: claimed, so Slack may have it. `posted`: Slack has it. The others are final. */
  state: z.enum(['due', 'sending', 'posted', 'skipped', 'failed']),
  /** In ms: when it became due, was claimed, or ended. */
  at: z.int(),
  /** How often it has failed. */
  tries: z.int().default(0),
  /** When it is sent (again) or, once it is posted, drawn again; in ms. */
  next: z.int().exactOptional(),
  /** Where Slack has it, or may have it: for a person, the direct message. */
  channel: z.string().exactOptional(),
  ts: z.string().exactOptional(),
  /** Sent again without knowing whether the first message arrived, so the conversation may show it twice. */
  isAgain: z.boolean().exactOptional(),
  /** Why it failed last. */
  cause: storedFailure.exactOptional(),
  /** Who could not get it, the first one with the reason: it goes to somebody else. */
  insteadOf: z.object({ tried: z.array(z.string()).readonly(), cause: storedFailure }).exactOptional(),
});
type StoredMessage = Readonly<z.infer<typeof schema>>;

export interface OutboxMessage<About = unknown> extends StoredMessage {
  /** `post/abcd1234/2026-11-20`: its field in the log, and how it is found in Slack. */
  readonly key: string;
  readonly about: About;
  /** As it is stored; undefined for one that is planned and not stored yet. */
  readonly json: string | undefined;
}

/** @returns undefined for a field that is no message @param json undefined for a message that is not stored */
export function parseMessage(key: string, json: string): OutboxMessage | undefined {
  if (!MESSAGE_KINDS.some((kind) => key.startsWith(`${kind}/`))) return undefined;
  // A damaged one counts as failed for good, so that nothing is sent twice.
  const stored = tryParseRecord(schema, json) ?? { to: '', about: {}, state: 'failed', at: 0, tries: 0 };
  return { ...stored, key, json };
}

const serialize = ({ key: _, json: __, ...stored }: OutboxMessage): string => JSON.stringify(stored);

/** Stores a message in the delivery log in place of what was read of it, or deletes it. */
export const putMessage = (message: OutboxMessage) => ({
  ...{ name: message.key, before: message.json, after: serialize(message) },
});
export const dropMessage = ({ key, json }: OutboxMessage) => ({ name: key, before: json, after: undefined });

/** A message that is due and not stored yet. */
export const newMessage = <About>(
  key: string,
  to: SlackId,
  about: About,
  at: Millis,
): OutboxMessage<About> => ({
  ...{ key, to, about, at },
  state: 'due',
  tries: 0,
  json: undefined,
});

/** By then a Slack call of a killed process has ended; in ms. */
export const SLACK_SETTLE: Millis = 20_000;
/** The longest wait for Slack, even if it asks for more; in ms. */
export const MAX_RETRY_DELAY: Millis = HOUR;

/** When its record says that it is sent or drawn again, in ms; undefined for never. */
export function dueTime({ state, at, next }: OutboxMessage, now: Millis): Millis | undefined {
  // A longer wait can only come from a clock that has gone back since.
  const planned = next !== undefined && next - now > MAX_DELAY ? 0 : next;
  if (state === 'due') return planned ?? 0;
  if (state === 'sending') return Math.max(planned ?? 0, at + SLACK_SETTLE);
  return state === 'posted' ? planned : undefined;
}
const MAX_DELAY: Millis = 100 * HOUR;

export const messageKindOf = ({ key }: Pick<OutboxMessage, 'key'>): MessageKindName =>
  key.slice(0, key.indexOf('/')) as MessageKindName;
