import * as z from 'zod';
import { tryParseRecord } from '../../workspace/record/record-schema.ts';
import { storedFailure } from '../../workspace/record/stored-failure.ts';
import { storedMessageSchema } from '../outbox/stored-message.ts';

const level = z.enum(['threshold', '50', '80', 'forecast', '100']);

/** What happened to an alert, oldest first. Times are ms since the epoch, people Slack IDs. */
const event = z.discriminatedUnion('kind', [
  /** `title` and `why` as texts, as they were sent. */
  z.object({ kind: z.literal('crossed'), level, at: z.int(), title: z.string(), why: z.string() }),
  z.object({ kind: z.literal('recovered'), at: z.int(), text: z.string() }),
  /** Billing now reports another amount for its day. */
  z.object({ kind: z.literal('corrected'), at: z.int(), text: z.string() }),
  z.object({ kind: z.literal('acknowledged'), at: z.int(), by: z.string() }),
  z.object({ kind: z.literal('snoozed'), at: z.int(), by: z.string(), until: z.int() }),
  /** Its watch got another rule. */
  z.object({ kind: z.literal('replaced'), at: z.int() }),
]);
export type AlertEvent = Readonly<z.infer<typeof event>>;

/** One message to one channel or person, from the moment it is due. */
const alertMessage = storedMessageSchema.extend({
  /** Index of its event. The first message to a target is the alert; the others reply to it. */
  event: z.int(),
  /** How many events the alert shows. */
  drawn: z.int().default(0),
  /** Goes to the owner or a manager, because the channel or person does not take it. */
  insteadOf: z
    .object({ to: z.string(), cause: storedFailure, tried: z.array(z.string()).readonly() })
    .exactOptional(),
});
export type AlertMessage = Readonly<z.infer<typeof alertMessage>>;

const alert = z.object({
  /** A budget's month, a spike's day, otherwise one crossing. */
  episode: z.string(),
  events: z.array(event).min(1).readonly(),
  messages: z.array(alertMessage).readonly(),
});
/** One alert: a message for each channel or person, and what happened since. */
export type Alert = Readonly<z.infer<typeof alert>>;

const state = z.object({
  /** The watch's `since`: an edited rule is judged from the start. */
  since: z.int(),
  told: z
    .array(
      z.object({
        episode: z.string(),
        level,
        isOver: z.boolean().exactOptional(),
        isRearmed: z.boolean().exactOptional(),
        amount: z.string().exactOptional(),
      }),
    )
    .readonly()
    .default([]),
  /** Oldest first. */
  alerts: z.array(alert).readonly().default([]),
});
/** What a watch has sent, in the delivery log. */
export type StoredWatchState = Readonly<z.infer<typeof state>>;

/** Undefined for none, and for a damaged one. */
export const parseWatchState = (json: string | undefined): StoredWatchState | undefined =>
  tryParseRecord(state, json);
