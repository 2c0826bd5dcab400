import { isFailure } from '../domain/failure/index.ts';
import { postMessage } from '../slack/post-message.ts';
import { callSlack, type WebClient } from '../slack/web-client.ts';
import type { Schedule } from '../workspace/schedules.ts';
import type { Workspace } from '../workspace/workspaces.ts';
import type { DeliveryContext } from './context.ts';
import { failureNotice, type PendingNotification } from './notify-blocks.ts';
import { connectionsOf } from './pause.ts';
import type { ScheduleLogEntry } from './plan.ts';
import { classifyFailure } from './retry.ts';
import { describeReport } from './schedule-wording.ts';

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
    const { pendingNotice: why, cause } = one.line.entry;
    const key = JSON.stringify([one.schedule.owner, why, cause]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  for (const group of groups.values()) {
    if (context.isOver()) return;
    if (!(await notifyGroup(group, context))) return;
    for (const { schedule, line } of group) {
      const { pendingNotice: _, ...entry } = line.entry;
      await context.writeLog({ schedule: schedule.id, date: line.date, before: line.json, entry });
    }
  }
}

/** @returns whether it is done; false when Slack's rate limit has to be waited for */
async function notifyGroup(group: readonly ScheduleLogEntry[], context: DeliveryContext): Promise<boolean> {
  const [first] = group;
  const why = first?.line.entry.pendingNotice ?? 'failed';
  // Without a token nothing can be sent.
  if (first === undefined || why === 'app-removed') return true;
  const cases = group.map(({ schedule, line }) => ({
    schedule,
    title: titleOf(schedule, context),
    due: line.entry.due,
    failures: context.workspace.lastSent(schedule.id)?.failures ?? 1,
  }));
  const { cause = '', post } = first.line.entry;
  const { owner } = first.schedule;
  if (why === 'token-rejected' && isReminded(owner, group, context)) return true;
  const isUnclear = why === 'failed' && post !== undefined;
  try {
    await sendNotices(await context.client(), context.workspace, { why, owner, cause, cases, isUnclear });
  } catch (error) {
    const effect = classifyFailure(error);
    if (effect.kind === 'wait') {
      await context.backOff(context.clock() + effect.for);
      return false;
    }
    context.log.warn({ err: error, workspace: context.teamId }, 'could not notify anyone of a failed post');
  }
  return true;
}

/** People who can replace a rejected token get a reminder, which counts the waiting schedules. */
function isReminded(
  owner: string,
  group: readonly ScheduleLogEntry[],
  { workspace }: DeliveryContext,
): boolean {
  const names = group.flatMap(({ schedule }) => connectionsOf(schedule, workspace));
  const registrars = names.map((name) => workspace.connections.get(name)?.registeredBy);
  return workspace.settings.managers.includes(owner) || registrars.includes(owner);
}

/** `“Yesterday’s spend” for prod` */
function titleOf(schedule: Schedule, { workspace }: DeliveryContext): string {
  return describeReport(schedule, workspace);
}

/** Causes that only a manager can fix, and that no reminder tells them. */
const FOR_MANAGERS: readonly PendingNotification['why'][] = ['not-connected', 'project-limited'];

/**
 * Notifies the owner; a manager as well if only managers can fix it, from the second failure in a row, and if the
 * owner has left. A message that Slack refuses is dropped: `/billing status` says the same.
 */
async function sendNotices(
  client: WebClient,
  workspace: Workspace,
  notification: PendingNotification,
): Promise<void> {
  const { owner, cases, why } = notification;
  const found = await findPerson(client, owner);
  const isOwnerGone = found === 'gone';
  const named = workspace.settings.managers;
  const isForManagers = FOR_MANAGERS.includes(why) && found !== 'admin' && !named.includes(owner);
  const includesManager =
    isOwnerGone || isForManagers || why === 'unanswered' || cases.some(({ failures }) => failures >= 2);
  const manager = includesManager
    ? await firstMember(client, responsiblePeople(workspace), owner)
    : undefined;
  const isManagerTold = manager !== undefined || why === 'token-rejected';
  const message = (reader: 'owner' | 'manager') =>
    failureNotice({ ...notification, isOwnerGone, includesManager: isManagerTold }, reader);
  if (!isOwnerGone)
    await postMessage(client, { channel: owner, thread: undefined }, message('owner')).catch(ignoreRefusal);
  if (manager !== undefined)
    await postMessage(client, { channel: manager, thread: undefined }, message('manager')).catch(
      ignoreRefusal,
    );
}

/** Named managers, then people who registered a connection: they managed Tally then. */
export const responsiblePeople = (workspace: Workspace): readonly string[] => [
  ...workspace.settings.managers,
  ...workspace.connectionNames.flatMap((name) => workspace.connections.get(name)?.registeredBy ?? []),
];

async function firstMember(client: WebClient, people: readonly string[], but: string) {
  for (const person of new Set(people))
    if (person !== but && (await findPerson(client, person)) !== 'gone') return person;
  return undefined;
}

/** Where Slack does not say, a member. @throws SlackFailed for a rate limit */
export async function findPerson(client: WebClient, person: string): Promise<'admin' | 'member' | 'gone'> {
  try {
    const { user } = await callSlack('users.info', () => client.users.info({ user: person }));
    if (user?.deleted) return 'gone';
    return user?.is_admin || user?.is_owner ? 'admin' : 'member';
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'slack-failed') throw error;
    if (error.code === 'ratelimited') throw error;
    return error.code === 'user_not_found' ? 'gone' : 'member';
  }
}

function ignoreRefusal(error: unknown): void {
  const isSlack = isFailure(error) && (error.kind === 'cannot-post' || error.kind === 'slack-failed');
  if (!isSlack || (error.kind === 'slack-failed' && error.code === 'ratelimited')) throw error;
}
