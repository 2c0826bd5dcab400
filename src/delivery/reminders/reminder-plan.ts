import * as z from 'zod';
import {
  addDays,
  DAY,
  dayAt,
  earliest,
  instantOf,
  type Millis,
  type Zone,
} from '../../domain/time/calendar.ts';
import type { ApplicationAccessRecord } from '../../workspace/credentials/access-record.ts';
import type { Connection } from '../../workspace/credentials/connection-record.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import type { CredentialName } from '../../workspace/record/stored-outcomes.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { DeliveryLogSnapshot } from '../log/delivery-log.ts';
import { storedMessageSchema } from '../log/delivery-log-entry.ts';
import { sendsAt, splitByTime } from '../outbox/send-state.ts';

/** Days before a credential expires on which people are reminded, in the reporting zone, at this time of day. */
const REMINDER_DAYS = [14, 3, 1] as const;
const REMINDER_TIME = '09:00';
/** After this time there is no reminder of an expiry; in ms. */
const TOO_LATE_MS = 7 * DAY;

const step = z.enum(['14', '3', '1', 'rejected']);
export type ReminderStep = z.infer<typeof step>;

const reminderMessage = storedMessageSchema.extend({
  step,
  /** Sent to an admin or owner of the workspace, because nobody else who may replace the token could be reached. */
  isForAdmin: z.boolean().exactOptional(),
});
export type ReminderMessage = Readonly<z.infer<typeof reminderMessage>>;

const schema = z.object({
  /** Identifies the credential. After a replacement, reminders start again. */
  credential: z.string(),
  reminded: z.array(step).readonly(),
  messages: z.array(reminderMessage).readonly(),
});
/** The reminders sent about one credential, in the delivery log. */
export type ReminderState = Readonly<z.infer<typeof schema>>;

const REMINDER_STATE = 'reminder/';
export const reminderName = ({ kind, name }: CredentialName): string => `${REMINDER_STATE}${kind}:${name}`;

export const parseReminderState = (json: string | undefined): ReminderState | undefined =>
  tryParseRecord(schema, json);

/** A registered credential, and what reminders depend on. */
export interface Credential extends CredentialName {
  /** Changes when the credential is replaced or gets another expiry. */
  readonly id: string;
  readonly registeredBy: string;
  readonly registeredAt: Millis;
  readonly expiresAt: Millis | undefined;
}

const credentialsOf = ({ connections, accesses }: Workspace): readonly Credential[] => [
  ...[...connections.values()].map((of) => credentialOf('connection', of.name, of.fingerprint, of)),
  ...[...accesses.values()].map((of) => credentialOf('access', of.project, of.lastFour, of)),
];

function credentialOf(
  kind: Credential['kind'],
  name: string,
  mark: string,
  { registeredBy, registeredAt, lifetime, expiresAt }: Connection | ApplicationAccessRecord,
): Credential {
  // With the expiry that somebody set, so that reminders start again when it is changed.
  const expiry = lifetime === undefined && expiresAt !== undefined ? [expiresAt] : [];
  return { kind, name, id: [mark, registeredAt, ...expiry].join('/'), registeredBy, registeredAt, expiresAt };
}

/** A reminder to send now, in place of all earlier ones that were not sent. */
export interface DueReminder {
  readonly credential: Credential;
  readonly step: ReminderStep;
  /** The steps that it replaces, its own included: none of them is sent later. */
  readonly steps: readonly ReminderStep[];
}

export type ReminderPlan = Readonly<ReturnType<typeof planReminders>>;

/** What to do about credentials at `now` (ms), by the record and the delivery log. */
export function planReminders(workspace: Workspace, snapshot: DeliveryLogSnapshot, now: Millis) {
  const credentials = credentialsOf(workspace);
  const each = credentials.map((credential) => {
    const stored = parseReminderState(snapshot.state(reminderName(credential)));
    const state = stored?.credential === credential.id ? stored : {};
    const rejected = workspace.rejectedAt(credential) !== undefined;
    return { credential, ...planSteps(credential, state, { zone: workspace.settings.zone, rejected, now }) };
  });
  const messages = each.map(({ credential, sendAt }) => ({ what: credential, at: sendAt }));
  const sending = splitByTime(messages, snapshot, now);
  const named = new Set(credentials.map(reminderName));
  return {
    due: each.flatMap(({ due }) => due ?? []),
    sending: sending.due,
    /** States that are no longer needed: the credential was replaced or removed. */
    stale: snapshot.statesOf(REMINDER_STATE).flatMap(([name]) => (named.has(name) ? [] : [name])),
    /** When there is something to do, in ms; undefined for never. */
    next: earliest(...each.map(({ next }) => next), sending.next),
  };
}

function planSteps(
  credential: Credential,
  { reminded = [], messages = [] }: Partial<ReminderState>,
  { zone, rejected, now }: { readonly zone: Zone; readonly rejected: boolean; readonly now: Millis },
) {
  const steps = expirySteps(credential, zone);
  const passed = steps.filter(({ at }) => at <= now).map((reminder) => reminder.step);
  const isTooLate = credential.expiresAt !== undefined && now - credential.expiresAt > TOO_LATE_MS;
  const newest = passed.at(-1);
  const isExpiryDue =
    newest !== undefined && !reminded.includes(newest) && !reminded.includes('rejected') && !isTooLate;
  const isRejectionDue = rejected && !reminded.includes('rejected');
  const due: DueReminder | undefined = isRejectionDue
    ? { credential, step: 'rejected', steps: [...passed, 'rejected'] }
    : isExpiryDue
      ? { credential, step: newest, steps: passed }
      : undefined;
  const ahead = reminded.includes('rejected') ? [] : steps.filter(({ at }) => at > now).map(({ at }) => at);
  return { due, next: earliest(...ahead), sendAt: earliest(...messages.map(sendsAt)) };
}

/** In order. Steps from before the credential was registered are left out. */
function expirySteps({ expiresAt, registeredAt }: Credential, zone: Zone) {
  if (expiresAt === undefined) return [];
  return REMINDER_DAYS.flatMap((days) => {
    const at = instantOf(addDays(dayAt(expiresAt, zone), -days), REMINDER_TIME, zone);
    return at > registeredAt ? [{ step: String(days) as ReminderStep, at }] : [];
  });
}
