import { isFailure } from '../domain/failure/index.ts';
import { describeProjects } from '../features/schedules/blocks.ts';
import { postMessage } from '../slack/post-message.ts';
import { callSlack, type WebClient } from '../slack/web-client.ts';
import { REPORT_NAMES, type Schedule } from '../workspace/schedules.ts';
import type { Workspace } from '../workspace/workspaces.ts';
import type { DeliveryContext } from './context.ts';
import { failureNotice, type PendingNotification } from './notify-blocks.ts';
import type { ScheduleLogEntry } from './plan.ts';
import { classifyFailure } from './retry.ts';

/**
 * Says that dates were not posted, or that schedules pause, and notes that it was said. A token that lapsed stops many
 * schedules at once: their owner gets one message.
 *
 * @throws LeaseLostError, StoreUnavailable
 */
export async function notifyOwners(
  untold: readonly ScheduleLogEntry[],
  round: DeliveryContext,
): Promise<void> {
  const groups = new Map<string, ScheduleLogEntry[]>();
  for (const one of untold) {
    const { untold: why, cause } = one.line.entry;
    const key = JSON.stringify([one.schedule.owner, why, cause]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  for (const group of groups.values()) {
    if (round.isOver()) return;
    if (!(await tellGroup(group, round))) return;
    for (const { schedule, line } of group) {
      const { untold: _, ...entry } = line.entry;
      await round.enter({ schedule: schedule.id, date: line.date, before: line.json, entry });
    }
  }
}

/** False where Slack wants to be left alone first. */
async function tellGroup(group: readonly ScheduleLogEntry[], round: DeliveryContext): Promise<boolean> {
  const [first] = group;
  const why = first?.line.entry.untold ?? 'failed';
  // Slack takes nothing from Tally then.
  if (first === undefined || why === 'app-removed') return true;
  const cases = group.map(({ schedule, line }) => ({
    schedule,
    title: titleOf(schedule, round),
    due: line.entry.due,
    failures: round.workspace.lastSent(schedule.id)?.failures ?? 1,
  }));
  const { cause = '', post } = first.line.entry;
  const { owner } = first.schedule;
  const isUnclear = why === 'failed' && post !== undefined;
  try {
    await tellOf(await round.client(), round.workspace, { why, owner, cause, cases, isUnclear });
  } catch (error) {
    const trouble = classifyFailure(error);
    if (trouble.kind === 'wait') {
      await round.quiet(round.clock() + trouble.for);
      return false;
    }
    round.log.warn({ err: error, workspace: round.teamId }, 'nobody could be told of a failed post');
  }
  return true;
}

/** `Spend of yesterday of prod` */
function titleOf(schedule: Schedule, { workspace }: DeliveryContext): string {
  return `${REPORT_NAMES[schedule.report]} of ${describeProjects(schedule, workspace)}`;
}

/** What only somebody who manages can mend. */
const FOR_MANAGERS: readonly PendingNotification['why'][] = [
  'token-rejected',
  'not-connected',
  'project-limited',
];

/**
 * Tells the owner. Somebody who manages is told as well where only they can mend it, from the second failure in a row,
 * and where the owner is gone. What Slack does not take is let go: the status says the same.
 */
async function tellOf(client: WebClient, record: Workspace, trouble: PendingNotification): Promise<void> {
  const { owner, cases, why } = trouble;
  const found = await findPerson(client, owner);
  const isOwnerGone = found === 'gone';
  const named = managersOf(record);
  const isForManagers = FOR_MANAGERS.includes(why) && found !== 'admin' && !named.includes(owner);
  const isWide =
    isOwnerGone || isForManagers || why === 'unanswered' || cases.some(({ failures }) => failures >= 2);
  const manager = isWide ? await firstMember(client, [...named, ...registrarsOf(record)], owner) : undefined;
  const message = (reader: 'owner' | 'manager') =>
    failureNotice({ ...trouble, isOwnerGone, isManagerTold: manager !== undefined }, reader);
  if (!isOwnerGone)
    await postMessage(client, { channel: owner, thread: undefined }, message('owner')).catch(letGo);
  if (manager !== undefined)
    await postMessage(client, { channel: manager, thread: undefined }, message('manager')).catch(letGo);
}

/** Those named as managers. */
const managersOf = (record: Workspace): readonly string[] => record.settings.managers;

/** Whoever registered a connection: somebody who managed then. */
const registrarsOf = (record: Workspace): readonly string[] =>
  [...record.connections.values()].map(({ registeredBy }) => registeredBy);

async function firstMember(client: WebClient, people: readonly string[], but: string) {
  for (const person of new Set(people))
    if (person !== but && (await findPerson(client, person)) !== 'gone') return person;
  return undefined;
}

/** Whoever Slack says nothing about counts as a member. @throws SlackFailed for a rate limit */
async function findPerson(client: WebClient, person: string): Promise<'admin' | 'member' | 'gone'> {
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

function letGo(error: unknown): void {
  const isSlack = isFailure(error) && (error.kind === 'cannot-post' || error.kind === 'slack-failed');
  if (!isSlack || (error.kind === 'slack-failed' && error.code === 'ratelimited')) throw error;
}
