/** Notes to owners of schedules: a date was not posted, a schedule is paused, or projects keep giving no answer. */

import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { storedFailure, wordFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, earliest, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import { chosenByKey, projectLabel } from '../../workspace/projects/chosen-project.ts';
import { canAskAbout } from '../../workspace/projects/project-visibility.ts';
import { millis, tryParseRecord } from '../../workspace/record/parse-record.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { type DeliveryContext, openState, type StateDocument } from '../delivery-run.ts';
import { type DeliveryLogSnapshot, deliveryKey, type FieldWrite } from '../log/delivery-log.ts';
import { type DeliveryLogEntry, noticeReason, storedMessageSchema } from '../log/delivery-log-entry.ts';
import { findRecipient, type Recipient, responsiblePeople } from '../outbox/check-recipient.ts';
import { handleSendError, trackMessage } from '../outbox/failures.ts';
import { sendDueMessages } from '../outbox/send-message.ts';
import { newMessage, sendsAt, splitByTime } from '../outbox/send-state.ts';
import { failureNotice, type PendingNotification, pauseOf } from './notice-blocks.ts';
import type { PendingNotice, ScheduleLogEntry } from './post-plan.ts';
import { openDate } from './record-delivery.ts';
import { describeReport } from './run-report.ts';
import { connectionsOf } from './schedule-pauses.ts';

/** Prefix of the fields in the log: a notice to an owner, until it is sent or given up. */
const NOTICE_STATE = 'notice/';

const notice = z.object({
  /** In ms: part of its name in Slack. */
  began: millis,
  why: noticeReason,
  /** Why the dates failed, and the projects without figures: as the first date has it. */
  cause: storedFailure.exactOptional(),
  silent: z.record(z.string(), storedFailure).exactOptional(),
  /** The dates that it is about: the schedule's ID, and when it was due, in ms. */
  cases: z.array(z.object({ schedule: z.string(), due: z.int() })).readonly(),
  /** Whether Slack may nevertheless have taken the posts. */
  isUnclear: z.boolean(),
  isOwnerGone: z.boolean(),
  messages: z.array(storedMessageSchema.extend({ reader: z.enum(['owner', 'manager']) })).readonly(),
});
type Notice = Readonly<z.infer<typeof notice>>;

const parseNotice = (json: string | undefined): Notice | undefined => tryParseRecord(notice, json);
type NoticeDocument = StateDocument<Notice | undefined>;

const noticeAt = ({ line }: ScheduleLogEntry): Millis => line.entry.noticeNext ?? 0;

/** The owner's dates, except those that this pass tries to post: they may still succeed. */
const pendingOf = (owner: SlackId, pending: readonly PendingNotice[]): readonly PendingNotice[] =>
  pending.filter(({ schedule, isInWork }) => schedule.owner === owner && !isInWork);

/** The owners who get a notice: one per owner at a time, about the dates that share its cause. */
export function planNotices(pending: readonly PendingNotice[], snapshot: DeliveryLogSnapshot, now: Millis) {
  const begun = snapshot.statesOf(NOTICE_STATE).map(([name]) => name.slice(NOTICE_STATE.length));
  const owners = new Set([...begun, ...pending.map(({ schedule }) => schedule.owner)]);
  const waiting = [...owners].flatMap((owner) => {
    const stored = parseNotice(snapshot.state(NOTICE_STATE + owner));
    const own = pendingOf(owner, pending);
    if (own.length === 0 && !begun.includes(owner)) return [];
    const instants = stored ? stored.messages.map(sendsAt) : own.map(noticeAt);
    return [{ what: owner, at: earliest(...instants) ?? 0 }];
  });
  return splitByTime(waiting, snapshot, now);
}

/**
 * Sends a notice to an owner. When a token expires, many schedules stop at once, so the owner gets one message per cause
 * instead of one per schedule.
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
  const isBegun = document.value() !== undefined;
  const group = isBegun ? [] : firstCauseOf(pendingOf(owner, pending), context.clock());
  if (group.length > 0 && !(await beginNotice(owner, group, document, context))) return;
  const notice = document.value();
  const cases = notice === undefined ? [] : currentCases(notice, context);
  if (notice !== undefined && cases.length > 0) {
    const { began, why, isUnclear, isOwnerGone, messages } = notice;
    const includesManager = why === 'token-rejected' || messages.some(({ reader }) => reader === 'manager');
    const about = { why, isUnclear, isOwnerGone, includesManager };
    await sendDueMessages(
      document,
      (a, b) => a.reader === b.reader,
      ({ reader }) => ({
        kind: 'notice',
        key: `${name}/${began}`,
        prepare: async () => ({
          projects: [],
          render: (_, recipient) => ({
            message: failureNotice({ ...about, ...visibleTo(recipient, cases, notice, context) }, reader),
          }),
        }),
      }),
      context,
    );
    if (document.value()?.messages.some((message) => sendsAt(message) !== undefined)) return;
  }
  await context.deliveryLog.drop(context.lease, [name]);
}

function firstCauseOf(pending: readonly PendingNotice[], now: Millis): readonly PendingNotice[] {
  const first = pending.find((pendingDate) => noticeAt(pendingDate) <= now);
  return first === undefined
    ? []
    : pending.filter((pendingDate) => isDeepStrictEqual(reasonOf(pendingDate), reasonOf(first)));
}

const reasonOf = ({ line: { entry } }: ScheduleLogEntry) => [entry.pendingNotice, entry.cause, entry.silent];

type Group = readonly ScheduleLogEntry[];

function withoutNotice({ pendingNotice, noticeNext, silent, ...entry }: DeliveryLogEntry): DeliveryLogEntry {
  return entry;
}

/** Stores that the dates need no notice or, with `noticeNext`, when to try again. */
async function saveWithoutNotice(group: Group, context: DeliveryContext, noticeNext?: Millis): Promise<void> {
  for (const { line } of group) {
    const entry = noticeNext === undefined ? withoutNotice(line.entry) : { ...line.entry, noticeNext };
    await openDate(line, context).replace(entry);
  }
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
 * Stores the notice and, in the same step, that it is about these dates. It goes to the owner; to a manager as well if
 * only managers can fix it, from the second failure in a row, and if the owner has left.
 *
 * @returns false if Slack did not say who may be notified
 */
async function beginNotice(
  owner: SlackId,
  group: Group,
  document: NoticeDocument,
  context: DeliveryContext,
): Promise<boolean> {
  const at = context.clock();
  const { pendingNotice: why = 'failed', channel, cause, silent } = group[0]?.line.entry ?? {};
  // No notice: it could not be sent without a token, or a reminder says the same.
  if (why === 'app-removed' || (why === 'token-rejected' && isReminded(owner, group, context))) {
    await saveWithoutNotice(group, context);
    return true;
  }
  const messageTo = (to: SlackId | undefined, reader: 'owner' | 'manager') =>
    to === undefined ? [] : [{ ...newMessage(to, at), reader }];
  try {
    const { isGone, scope } = await findRecipient(owner, context);
    const isForManagers = FOR_MANAGERS.includes(why) && !scope.isUnlimited;
    const isRepeated = group.some(({ schedule }) => failuresOf(schedule.id, context) >= 2);
    const includesManager = isGone || isForManagers || why === 'unanswered' || isRepeated;
    const manager = includesManager ? await findManager(owner, context) : undefined;
    const begun: Notice = {
      began: at,
      why,
      isOwnerGone: isGone,
      isUnclear: why === 'failed' && channel !== undefined,
      ...(cause && { cause }),
      ...(silent && { silent }),
      cases: group.map(({ schedule, line }) => ({ schedule: schedule.id, due: line.entry.due })),
      messages: [...messageTo(isGone ? undefined : owner, 'owner'), ...messageTo(manager, 'manager')],
    };
    const dates = group.map(({ line: { schedule, date, json, entry } }): FieldWrite => {
      return { name: deliveryKey(schedule, date), before: json, value: withoutNotice(entry) };
    });
    await document.replace(begun, { needsLease: true, with: dates });
    return true;
  } catch (error) {
    await trackMessage({ kind: 'notice' }, context, (annotate) =>
      handleSendError(error, annotate, context, (effect) => {
        const isOver = effect.kind !== 'later' && effect.kind !== 'wait';
        return saveWithoutNotice(group, context, isOver ? undefined : at + LOOK_AGAIN);
      }),
    );
    return false;
  }
}

const failuresOf = (schedule: string, { workspace }: DeliveryContext): number =>
  workspace.lastSent(schedule)?.failures ?? 1;

async function findManager(but: SlackId, context: DeliveryContext): Promise<SlackId | undefined> {
  for (const person of new Set(responsiblePeople(context.workspace)))
    if (person !== but && !(await findRecipient(person, context)).isGone) return person;
  return undefined;
}

type CurrentCase = Omit<PendingNotification['cases'][number], 'title'>;

/** The notice's dates, without those whose schedule was deleted or resumed since. */
function currentCases({ why, cases }: Notice, context: DeliveryContext): readonly CurrentCase[] {
  const pause = pauseOf(why);
  return cases.flatMap(({ schedule: id, due }) => {
    const schedule = context.workspace.schedules.find((known) => known.id === id);
    if (schedule === undefined || (pause !== undefined && schedule.paused?.why !== pause)) return [];
    return [{ schedule, due, failures: failuresOf(id, context) }];
  });
}

/** A project that the reader may not ask about is not named, nor is the cause told, which may name it. */
function visibleTo(
  { workspace, scope }: Recipient,
  cases: readonly CurrentCase[],
  notice: Notice,
  { clock }: DeliveryContext,
) {
  const isVisible = cases.every(({ schedule }) =>
    schedule.projects.every((project) => canAskAbout(project, workspace, scope)),
  );
  return {
    cases: cases.map((failed) => ({ ...failed, title: describeReport(failed.schedule, workspace, scope) })),
    cause: isVisible ? causeOf(notice, cases[0]?.schedule, workspace, clock()) : '',
    canManage: scope.isUnlimited,
  };
}

/** Why, in sentences; '' if that is not known. */
function causeOf(
  { cause, silent = {} }: Notice,
  schedule: Schedule | undefined,
  workspace: Workspace,
  now: Millis,
): string {
  const today = dayAt(now, schedule?.timing.zone ?? workspace.settings.zone);
  return [
    ...(cause === undefined ? [] : [wordFailure(cause, today)]),
    ...Object.entries(silent).map(
      ([key, failure]) =>
        `${projectLabel(chosenByKey(key, schedule?.projects ?? []), workspace)}: ${wordFailure(failure, today)}`,
    ),
  ].join(' ');
}
