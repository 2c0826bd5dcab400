import { isFailure } from '../../domain/failure.ts';
import { actions, button, type Message } from '../../slack/kit/atoms.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';
import { post } from '../../slack/post.ts';
import { callSlack, type WebClient } from '../../slack/web.ts';
import { readable } from '../../workspace/record.ts';
import type { Pause, Schedule } from '../../workspace/schedules.ts';
import type { WorkspaceRecord } from '../../workspace/workspaces.ts';
import { inChannel, lines, momentWords } from './delivery-blocks.ts';
import type { PostedLine } from './delivery-plan.ts';
import type { Round } from './delivery-run.ts';
import { troubleOf } from './delivery-trouble.ts';

/** What is to be done about a schedule that stands still. */
const TODO: Readonly<Record<Exclude<Pause, 'person'>, string>> = {
  'channel-archived':
    'The channel is archived. Unarchive it, or change the schedule to another channel; then resume it.',
  'not-in-channel': 'Tally is not in the channel. Type /invite @Tally there; then resume it.',
  'channel-restricted':
    'Only some people may post in the channel. Let Tally post there, or change the schedule to another channel; then resume it.',
  'token-rejected':
    'The token may have lapsed or been withdrawn. Once an owner or admin has registered a new one with /billing connect, it goes on by itself.',
  'not-connected':
    'The connection that its project needs is not there. Once an owner or admin has registered one with /billing connect, it goes on by itself.',
  'app-removed':
    'Slack no longer accepts Tally’s access to this workspace. Whoever may install apps can install it again.',
};

/** What one person is told at a time: the same trouble, of one schedule or of many. */
interface Trouble {
  readonly why: Pause | 'failed';
  readonly owner: string;
  readonly cause: string;
  readonly cases: readonly Case[];
}

interface Case {
  readonly schedule: Schedule;
  /** `Spend of yesterday` */
  readonly title: string;
  readonly due: number;
  /** Dates in a row that failed, this one included. */
  readonly failures: number;
}

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
    title: round.titleOf(schedule),
    due: line.entry.due,
    failures: round.record.lastSent(schedule.id)?.failures ?? 1,
  }));
  const { cause = '' } = first.line.entry;
  try {
    await tellOf(await round.client(), round.record, { why, owner: first.schedule.owner, cause, cases });
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

/**
 * Tells the owner, and from the second failure in a row, or where the owner is gone, somebody who manages as well. What
 * Slack does not take is let go: the status says the same.
 */
async function tellOf(client: WebClient, record: WorkspaceRecord, trouble: Trouble): Promise<void> {
  const { owner, cases } = trouble;
  const isThere = await isMember(client, owner);
  const isWide = !isThere || cases.some(({ failures }) => failures >= 2);
  const managers = managersOf(record).filter((one) => one !== owner);
  const manager = isWide ? await firstMember(client, managers) : undefined;
  const message = troubleMessage(trouble);
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

/** Each of a group is named up to this many. */
const MOST_NAMED = 15;

function troubleMessage({ why, cause, cases }: Trouble): Message {
  const [only, ...others] = cases;
  const value = only === undefined || others.length > 0 ? {} : { value: only.schedule.id };
  const isPaused = why !== 'failed' && why !== 'person';
  const what = others.length === 0 ? (only?.title ?? '') : `${cases.length} scheduled posts`;
  const text = isPaused
    ? `${what} ${others.length === 0 ? 'is' : 'are'} paused`
    : `${what} ${others.length === 0 ? 'was' : 'were'} not posted`;
  const most = Math.max(...cases.map(({ failures }) => failures));
  const first = isPaused
    ? button('schedule-resume', 'Resume', { ...value, style: 'primary' })
    : button('schedule-now', 'Send it now', { ...value, style: 'primary' });
  return {
    text: `${text}. ${cause}`,
    blocks: [
      lines(
        `*${text}*`,
        ...cases.slice(0, MOST_NAMED).map(caseWords),
        ...(cases.length > MOST_NAMED ? [`and ${cases.length - MOST_NAMED} more`] : []),
        escapeMarkup(cause),
        isPaused ? escapeMarkup(TODO[why]) : 'Tally tried for an hour.',
        ...(most < 2
          ? []
          : [`That is the ${ordinal(most)} time in a row, so somebody who manages Tally is told too.`]),
      ),
      actions(...(others.length === 0 ? [first] : []), button('schedule-list', 'Open schedules', value)),
    ],
  };
}

const caseWords = ({ schedule, title, due }: Case): string =>
  `${escapeMarkup(title)} in ${inChannel(schedule.channel)}, due ${escapeMarkup(momentWords(due, schedule.timing.zone))}`;

const ordinal = (count: number): string => {
  const ends = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' } as const;
  return `${count}${ends[new Intl.PluralRules('en', { type: 'ordinal' }).select(count)]}`;
};
