/** Notes to owners of schedules: a date was not posted, a schedule is paused, or projects keep giving no answer. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { chosenByKey, projectLabel } from '../../workspace/projects/chosen-project.ts';
import { canAskAbout } from '../../workspace/projects/resolve-project.ts';
import { millis, tryParseRecord } from '../../workspace/record/record-schema.ts';
import { wordFailure } from '../../workspace/record/stored-failure.ts';
import { type DeliveryContext, openState, type StateDocument } from '../context.ts';
import { type DeliveryLogSnapshot, deliveryKey } from '../log/delivery-log.ts';
import { noticeReason } from '../log/delivery-log-entry.ts';
import { earliest } from '../log/due-dates.ts';
import { findRecipient, type Recipient, responsiblePeople } from '../outbox/recipients.ts';
import { splitByTime } from '../outbox/retry.ts';
import { recordFailed, trackMessage } from '../outbox/send-message.ts';
import { sendStoredMessage, sendsAt, storedMessageSchema } from '../outbox/stored-message.ts';
import { failureNotice, type PendingNotification } from './notice-blocks.ts';
import type { PendingNotice, ScheduleLogEntry } from './post-plan.ts';
import { describeReport } from './postable-report.ts';
import { connectionsOf } from './run-state.ts';

/** Prefix of the states in the log: a notice to an owner, from when it is due until it is recorded as sent. */
const NOTICE_STATE = 'notice/';

const notice = z.object({
  began: millis,
  why: noticeReason,
  /** `deliveryKey` of each date that it is about. */
  about: z.array(z.string()).readonly(),
  isOwnerGone: z.boolean(),
  messages: z.array(storedMessageSchema.extend({ reader: z.enum(['owner', 'manager']) })).readonly(),
});
type Notice = Readonly<z.infer<typeof notice>>;

/** Returns undefined if nothing is stored or it is damaged. */
const parseNotice = (json: string | undefined): Notice | undefined => tryParseRecord(notice, json);
type NoticeDocument = StateDocument<Notice | undefined>;

const noticeAt = ({ line }: ScheduleLogEntry): Millis => line.entry.noticeNext ?? 0;

/** Whether the next notice to this owner covers the date, or the one that is already on its way. */
function isAbout(pendingDate: PendingNotice, owner: SlackId, stored: Notice | undefined): boolean {
  if (pendingDate.schedule.owner !== owner) return false;
  if (stored === undefined) return !pendingDate.isInWork;
  return stored.about.includes(keyOf(pendingDate)) && stored.why === pendingDate.line.entry.pendingNotice;
}

/** The owners who get a notice: one per owner at a time, about the dates that share its cause. */
export function planNotices(pending: readonly PendingNotice[], snapshot: DeliveryLogSnapshot, now: Millis) {
  const begun = snapshot.statesOf(NOTICE_STATE).map(([name]) => name.slice(NOTICE_STATE.length));
  const owners = new Set([...begun, ...pending.map(({ schedule }) => schedule.owner)]);
  const waiting = [...owners].flatMap((owner) => {
    const stored = parseNotice(snapshot.state(NOTICE_STATE + owner));
    const own = pending.filter((pendingDate) => isAbout(pendingDate, owner, stored));
    // A try that is due now may still succeed.
    if (own.some(({ isInWork }) => isInWork) || (own.length === 0 && !begun.includes(owner))) return [];
    const instants = stored ? stored.messages.map(sendsAt) : own.map(noticeAt);
    return [{ what: owner, at: earliest(...instants) ?? 0 }];
  });
  return splitByTime(waiting, snapshot, now);
}

/**
 * Sends a notice to an owner and records it. When a token expires, many schedules stop at once, so the owner gets one
 * message per cause instead of one per schedule.
 *
 * @throws LeaseLostError, StoreUnavailable
 */
export async function notifyOwner(
  owner: SlackId,
  pending: readonly PendingNotice[],
  context: DeliveryContext,
): Promise<void> {
  const name = NOTICE_STATE + owner;
  const document = openState(name, parseNotice, context);
  const stored = document.value();
  const own = pending.filter((pendingDate) => isAbout(pendingDate, owner, stored));
  const group = stored === undefined ? firstCauseOf(own, context.clock()) : own;
  const failure = failureOf(group, context);
  if (failure !== undefined) {
    if (stored === undefined && !(await beginNotice(owner, failure, group, document, context))) return;
    await sendNotice(name, failure, document, context);
    if (document.value()?.messages.some((message) => sendsAt(message) !== undefined)) return;
  }
  await settle(group, context);
  await context.deliveryLog.drop(context.lease, [name]);
}

/** The dates of the first cause that is due. */
function firstCauseOf(pending: readonly PendingNotice[], now: Millis): readonly PendingNotice[] {
  const first = pending.find((pendingDate) => noticeAt(pendingDate) <= now);
  return first === undefined
    ? []
    : pending.filter((pendingDate) => isDeepStrictEqual(why(pendingDate), why(first)));
}

const why = ({ line: { entry } }: ScheduleLogEntry) => [entry.pendingNotice, entry.cause, entry.silent];

const keyOf = ({ schedule, line }: ScheduleLogEntry): string => deliveryKey(schedule.id, line.date);

type Group = readonly ScheduleLogEntry[];

/** Records that the owner was notified or, with `noticeNext`, when to try again. */
async function settle(group: Group, context: DeliveryContext, noticeNext?: Millis): Promise<void> {
  for (const { schedule, line } of group) {
    const { pendingNotice: _, noticeNext: __, ...notified } = line.entry;
    const entry = noticeNext === undefined ? notified : { ...line.entry, noticeNext };
    await context.writeLog({ schedule: schedule.id, date: line.date, before: line.json, entry });
  }
}

type NoticeFailure = NonNullable<ReturnType<typeof failureOf>>;

/** Describes the failure that these dates share. Undefined if the owner needs no notice, or none can be sent. */
function failureOf(group: Group, context: DeliveryContext) {
  const [first] = group;
  if (first === undefined) return undefined;
  const { pendingNotice: why = 'failed', post } = first.line.entry;
  // Without a token nothing can be sent.
  if (why === 'app-removed' || (why === 'token-rejected' && isReminded(first.schedule.owner, group, context)))
    return undefined;
  const cases = group.map(({ schedule, line }) => ({
    schedule,
    due: line.entry.due,
    failures: context.workspace.lastSent(schedule.id)?.failures ?? 1,
  }));
  const isUnclear = why === 'failed' && post !== undefined;
  return { why, cause: causeOf(first, context), cases, isUnclear };
}

/** Why, in sentences; '' if that is not known. */
function causeOf({ schedule, line }: ScheduleLogEntry, { workspace, clock }: DeliveryContext): string {
  const { cause, silent = {} } = line.entry;
  const today = dayAt(clock(), schedule.timing.zone);
  return [
    ...(cause === undefined ? [] : [wordFailure(cause, today)]),
    ...Object.entries(silent).map(
      ([key, failure]) =>
        `${projectLabel(chosenByKey(key, schedule.projects), workspace)}: ${wordFailure(failure, today)}`,
    ),
  ].join(' ');
}

/** People who can replace a rejected token get a reminder, which counts the waiting schedules. */
function isReminded(owner: SlackId, group: Group, { workspace }: DeliveryContext): boolean {
  const names = group.flatMap(({ schedule }) => connectionsOf(schedule, workspace));
  const registrars = names.map((name) => workspace.connections.get(name)?.registeredBy);
  return workspace.settings.managers.includes(owner) || registrars.includes(owner);
}

/** Causes that only a manager can fix, and that no reminder is about. */
const FOR_MANAGERS: readonly PendingNotification['why'][] = ['not-connected', 'project-limited'];
/** How long until Slack is asked again who may be notified, in ms. */
const LOOK_AGAIN = 10 * MINUTE;

/**
 * Stores whom it goes to: the owner; a manager as well if only managers can fix it, from the second failure in a row,
 * and if the owner has left.
 *
 * @returns false if Slack did not say who may be notified
 */
async function beginNotice(
  owner: SlackId,
  { why, cases }: NoticeFailure,
  group: Group,
  document: NoticeDocument,
  context: DeliveryContext,
): Promise<boolean> {
  const at = context.clock();
  try {
    const { isGone, place } = await findRecipient(owner, context);
    const isForManagers = FOR_MANAGERS.includes(why) && !place.isUnlimited;
    const includesManager =
      isGone || isForManagers || why === 'unanswered' || cases.some(({ failures }) => failures >= 2);
    const manager = includesManager ? await findManager(owner, context) : undefined;
    const messageTo = (to: SlackId | undefined, reader: 'owner' | 'manager') =>
      to === undefined ? [] : [{ to, reader, state: 'due', at, tries: 0 } as const];
    const messages = [...messageTo(isGone ? undefined : owner, 'owner'), ...messageTo(manager, 'manager')];
    const begun = { began: at, why, about: group.map(keyOf), isOwnerGone: isGone, messages };
    await document.update(() => begun, { needsLease: true });
    return true;
  } catch (error) {
    await trackMessage('notice', {}, context, (note) =>
      recordFailed(error, note, context, (effect) => {
        const isOver = effect.kind !== 'later' && effect.kind !== 'wait';
        return settle(group, context, isOver ? undefined : at + LOOK_AGAIN);
      }),
    );
    return false;
  }
}

async function findManager(but: SlackId, context: DeliveryContext): Promise<SlackId | undefined> {
  for (const person of new Set(responsiblePeople(context.workspace)))
    if (person !== but && !(await findRecipient(person, context)).isGone) return person;
  return undefined;
}

async function sendNotice(
  name: string,
  failure: NoticeFailure,
  document: NoticeDocument,
  context: DeliveryContext,
): Promise<void> {
  const { began, isOwnerGone = false, messages = [] } = document.value() ?? {};
  const includesManager =
    failure.why === 'token-rejected' || messages.some(({ reader }) => reader === 'manager');
  const replace = (changed: Notice['messages'][number]) => (now: Notice | undefined) =>
    now && {
      ...now,
      messages: now.messages.map((stored) => (stored.reader === changed.reader ? changed : stored)),
    };
  for (const message of messages) {
    const { reader } = message;
    const at = sendsAt(message);
    if (context.isOver() || at === undefined || at > context.clock()) continue;
    await sendStoredMessage(
      {
        ...{ kind: 'notice', key: `${name}/${began}`, message, projects: [] },
        content: (isAgain, recipient) =>
          failureNotice({ ...visibleTo(recipient, failure), isOwnerGone, includesManager, isAgain }, reader),
        save: (saved, needsLease) => document.update(replace({ ...saved, reader }), { needsLease }),
      },
      context,
    );
  }
}

/** A project that the reader may not ask about is not named, nor is the cause told, which may name it. */
function visibleTo({ workspace, place }: Recipient, failure: NoticeFailure): PendingNotification {
  const cases = failure.cases.map((failed) => ({
    ...failed,
    title: describeReport(failed.schedule, workspace, place),
  }));
  const isVisible = failure.cases.every(({ schedule }) =>
    schedule.projects.every((project) => canAskAbout(project, workspace, place)),
  );
  return { ...failure, cases, cause: isVisible ? failure.cause : '', canManage: place.isUnlimited };
}
