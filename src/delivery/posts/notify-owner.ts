import { isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, MINUTE } from '../../domain/time/calendar.ts';
import { canAskAbout } from '../../workspace/projects/resolve-project.ts';
import { wordFailure } from '../../workspace/record/stored-failure.ts';
import type { Workspace } from '../../workspace/record/workspaces.ts';
import type { DeliveryContext } from '../context.ts';
import { findRecipient, type Recipient } from '../outbox/recipients.ts';
import { classifyFailure } from '../outbox/retry.ts';
import { sendNote } from '../outbox/unclaimed-messages.ts';
import { failureNotice, type PendingNotification } from './notify-blocks.ts';
import type { ScheduleLogEntry } from './post-plan.ts';
import { connectionsOf } from './run-state.ts';
import { chosenByKey, describeReport, projectLabel } from './schedule-wording.ts';

/**
 * Notifies owners that dates were not posted or that schedules are paused, and records that it did. A token that expires
 * stops many schedules at once: their owner gets one message.
 *
 * @throws LeaseLostError, StoreUnavailable
 */
export async function notifyOwners(
  pending: readonly ScheduleLogEntry[],
  context: DeliveryContext,
): Promise<void> {
  const groups = new Map<string, ScheduleLogEntry[]>();
  for (const one of pending) {
    const { pendingNotice: why, cause, silent } = one.line.entry;
    const key = JSON.stringify([one.schedule.owner, why, cause, silent]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  for (const group of groups.values()) {
    if (context.isOver()) return;
    const outcome = await notifyGroup(group, context);
    if (outcome === 'rate-limited') return;
    for (const { schedule, line } of group) {
      const { pendingNotice: _, noticeNext: __, ...notified } = line.entry;
      const waiting = { ...line.entry, noticeNext: context.clock() + LOOK_AGAIN };
      const entry = outcome === 'later' ? waiting : notified;
      await context.writeLog({ schedule: schedule.id, date: line.date, before: line.json, entry });
    }
  }
}

/** How long until Slack is asked again who may be notified, in ms. */
const LOOK_AGAIN = 10 * MINUTE;

/** `later`: Slack didn't say who may be notified, so nothing was sent. */
type NoticeOutcome = 'done' | 'rate-limited' | 'later';

async function notifyGroup(
  group: readonly ScheduleLogEntry[],
  context: DeliveryContext,
): Promise<NoticeOutcome> {
  const [first] = group;
  const why = first?.line.entry.pendingNotice ?? 'failed';
  // Without a token nothing can be sent.
  if (first === undefined || why === 'app-removed') return 'done';
  const cases = group.map(({ schedule, line }) => ({
    schedule,
    due: line.entry.due,
    failures: context.workspace.lastSent(schedule.id)?.failures ?? 1,
  }));
  const { post } = first.line.entry;
  const { owner } = first.schedule;
  if (why === 'token-rejected' && isReminded(owner, group, context)) return 'done';
  const isUnclear = why === 'failed' && post !== undefined;
  try {
    await sendNotices({ why, owner, cause: causeOf(first, context), cases, isUnclear }, context);
  } catch (error) {
    const effect = classifyFailure(error);
    if (effect.kind === 'wait') {
      await context.backOff(context.clock() + effect.for);
      return 'rate-limited';
    }
    context.log.warn({ err: error, workspace: context.teamId }, 'could not notify anyone of a failed post');
    // People are looked up before anything is posted.
    const isPosting = isFailure(error) && 'method' in error && error.method === 'chat.postMessage';
    if (effect.kind === 'later' && !isPosting) return 'later';
  }
  return 'done';
}

/** Why, in sentences; '' if that is not known. */
function causeOf({ schedule, line }: ScheduleLogEntry, { workspace, clock }: DeliveryContext): string {
  const { cause, silent = {} } = line.entry;
  const today = dayAt(clock(), schedule.timing.zone);
  return [
    ...(cause === undefined ? [] : [wordFailure(cause, today)]),
    ...Object.entries(silent).map(
      ([key, why]) =>
        `${projectLabel(chosenByKey(key, schedule.projects), workspace)}: ${wordFailure(why, today)}`,
    ),
  ].join(' ');
}

/** People who can replace a rejected token get a reminder, which counts the waiting schedules. */
function isReminded(
  owner: SlackId,
  group: readonly ScheduleLogEntry[],
  { workspace }: DeliveryContext,
): boolean {
  const names = group.flatMap(({ schedule }) => connectionsOf(schedule, workspace));
  const registrars = names.map((name) => workspace.connections.get(name)?.registeredBy);
  return workspace.settings.managers.includes(owner) || registrars.includes(owner);
}

/** Causes that only a manager can fix, and that no reminder tells them. */
const FOR_MANAGERS: readonly PendingNotification['why'][] = ['not-connected', 'project-limited'];

type Failure = Omit<PendingNotification, 'cases'> & {
  readonly cases: readonly Omit<PendingNotification['cases'][number], 'title'>[];
};

/**
 * Notifies the owner; a manager as well if only managers can fix it, from the second failure in a row, and if the
 * owner has left. A message that Slack refuses is dropped: `/billing status` says the same.
 */
async function sendNotices(failure: Failure, context: DeliveryContext): Promise<void> {
  const { owner, cases, why } = failure;
  const found = await findRecipient(owner, context);
  const isOwnerGone = found.isGone;
  const isForManagers = FOR_MANAGERS.includes(why) && !found.place.manager;
  const includesManager =
    isOwnerGone || isForManagers || why === 'unanswered' || cases.some(({ failures }) => failures >= 2);
  const manager = includesManager ? await findManager(owner, context) : undefined;
  const isManagerTold = manager !== undefined || why === 'token-rejected';
  const send = async (recipient: Recipient, reader: 'owner' | 'manager') => {
    const notification = { ...failure, isOwnerGone, includesManager: isManagerTold };
    const message = failureNotice(visibleTo(recipient, notification), reader);
    await sendNote(recipient, message, context).catch(ignoreRefusal);
  };
  if (!isOwnerGone) await send(found, 'owner');
  if (manager !== undefined) await send(manager, 'manager');
}

/** A project that the reader may not ask about is not named, nor is the cause told, which may name it. */
function visibleTo({ workspace, place }: Recipient, failure: Failure): PendingNotification {
  const cases = failure.cases.map((one) => ({
    ...one,
    title: describeReport(one.schedule, workspace, place),
  }));
  const isVisible = failure.cases.every(({ schedule }) =>
    schedule.projects.every((project) => canAskAbout(project, workspace, place)),
  );
  return { ...failure, cases, cause: isVisible ? failure.cause : '' };
}

/** Named managers, then people who registered a connection: they managed Tally then. */
export const responsiblePeople = (workspace: Workspace): readonly string[] => [
  ...workspace.settings.managers,
  ...workspace.connectionNames.flatMap((name) => workspace.connections.get(name)?.registeredBy ?? []),
];

async function findManager(but: string, context: DeliveryContext): Promise<Recipient | undefined> {
  for (const person of new Set(responsiblePeople(context.workspace))) {
    const recipient = person === but ? undefined : await findRecipient(person, context);
    if (recipient?.isGone === false) return recipient;
  }
  return undefined;
}

function ignoreRefusal(error: unknown): void {
  const isSlack = isFailure(error) && (error.kind === 'cannot-post' || error.kind === 'slack-failed');
  if (!isSlack || (error.kind === 'slack-failed' && error.code === 'ratelimited')) throw error;
}
