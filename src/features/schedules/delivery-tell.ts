import { isFailure } from '../../domain/failure.ts';
import { post } from '../../slack/post.ts';
import { callSlack, type WebClient } from '../../slack/web.ts';
import { readable } from '../../workspace/record.ts';
import { REPORT_NAMES, type Schedule } from '../../workspace/schedules.ts';
import type { WorkspaceRecord } from '../../workspace/workspaces.ts';
import { projectWords } from './blocks.ts';
import type { PostedLine } from './delivery-plan.ts';
import type { Round } from './delivery-run.ts';
import { troubleMessage, type Untold } from './delivery-tell-blocks.ts';
import { troubleOf } from './delivery-trouble.ts';

/**
 * Says that dates were not posted, or that schedules pause, and notes that it was said. A token that lapsed stops many
 * schedules at once: their owner gets one message.
 *
 * @throws LeaseLost, StoreUnreachable
 */
export async function tell(untold: readonly PostedLine[], round: Round): Promise<void> {
  const groups = new Map<string, PostedLine[]>();
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
async function tellGroup(group: readonly PostedLine[], round: Round): Promise<boolean> {
  const [first] = group;
  const why = first?.line.entry.untold ?? 'failed';
  // Slack takes nothing from Tally then.
  if (first === undefined || why === 'app-removed') return true;
  const cases = group.map(({ schedule, line }) => ({
    schedule,
    title: titleOf(schedule, round),
    due: line.entry.due,
    failures: round.record.lastSent(schedule.id)?.failures ?? 1,
  }));
  const { cause = '', post } = first.line.entry;
  const { owner } = first.schedule;
  const isUnclear = post !== undefined;
  try {
    await tellOf(await round.client(), round.record, { why, owner, cause, cases, isUnclear });
  } catch (error) {
    const trouble = troubleOf(error);
    if (trouble.kind === 'wait') {
      await round.quiet(round.clock() + trouble.for);
      return false;
    }
    round.log.warn({ err: error, workspace: round.workspace }, 'nobody could be told of a failed post');
  }
  return true;
}

/** `Spend of yesterday of prod`; without the projects where their records are damaged. */
function titleOf(schedule: Schedule, { record }: Round): string {
  const projects = readable(() => ` of ${projectWords(schedule, record)}`) ?? '';
  return REPORT_NAMES[schedule.report] + projects;
}

/**
 * Tells the owner, and from the second failure in a row, or where the owner is gone, somebody who manages as well. What
 * Slack does not take is let go: the status says the same.
 */
async function tellOf(client: WebClient, record: WorkspaceRecord, trouble: Untold): Promise<void> {
  const { owner, cases } = trouble;
  const isThere = await isMember(client, owner);
  const isWide = !isThere || cases.some(({ failures }) => failures >= 2);
  const managers = managersOf(record).filter((one) => one !== owner);
  const manager = isWide ? await firstMember(client, managers) : undefined;
  const message = troubleMessage({
    ...trouble,
    isOwnerGone: !isThere,
    isManagerTold: manager !== undefined,
  });
  for (const person of [...(isThere ? [owner] : []), ...(manager === undefined ? [] : [manager])])
    await post(client, { channel: person, thread: undefined }, message).catch(letGo);
}

/** Who may put it right: those named as managers, else whoever registered a connection. */
function managersOf(record: WorkspaceRecord): readonly string[] {
  const named = readable(() => record.settings.managers) ?? [];
  const registered = record.connectionNames.flatMap((name) => readable(() => record.connection(name)) ?? []);
  return [...new Set([...named, ...registered.map(({ registeredBy }) => registeredBy)])];
}

async function firstMember(client: WebClient, people: readonly string[]): Promise<string | undefined> {
  for (const person of people) if (await isMember(client, person)) return person;
  return undefined;
}

/** Whoever Slack says nothing about counts as there. @throws SlackFailed for a rate limit */
async function isMember(client: WebClient, person: string): Promise<boolean> {
  try {
    const { user } = await callSlack('users.info', () => client.users.info({ user: person }));
    return user?.deleted !== true;
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'slack-failed') throw error;
    if (error.code === 'ratelimited') throw error;
    return error.code !== 'user_not_found';
  }
}

function letGo(error: unknown): void {
  const isSlack = isFailure(error) && (error.kind === 'cannot-post' || error.kind === 'slack-failed');
  if (!isSlack || (error.kind === 'slack-failed' && error.code === 'ratelimited')) throw error;
}
