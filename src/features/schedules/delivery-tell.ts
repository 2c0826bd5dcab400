import { isFailure } from '../../domain/failure.ts';
import { actions, button, type Message } from '../../slack/kit/atoms.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';
import { post } from '../../slack/post.ts';
import { callSlack, type WebClient } from '../../slack/web.ts';
import type { LedgerEntry } from '../../workspace/ledger.ts';
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

interface Trouble {
  readonly schedule: Schedule;
  /** `Spend of yesterday` */
  readonly title: string;
  readonly entry: LedgerEntry;
  /** Dates in a row that failed, this one included. */
  readonly failures: number;
}

/** Says that a date was not posted, or that a schedule pauses, and notes that it was said. @throws LeaseLost */
export async function tell({ schedule, line }: PostedLine, round: Round): Promise<void> {
  const { untold, ...entry } = line.entry;
  if (untold !== 'app-removed') {
    const { failures = 1 } = round.record.lastSent(schedule.id) ?? {};
    const title = round.titleOf(schedule);
    try {
      await tellOf(await round.client(), round.record, { schedule, title, entry: line.entry, failures });
    } catch (error) {
      const trouble = troubleOf(error);
      if (trouble.kind === 'wait') return round.quiet(round.clock() + trouble.for);
      round.log.warn({ err: error, workspace: round.workspace }, 'nobody could be told of a failed post');
    }
  }
  await round.enter({ schedule: schedule.id, date: line.date, before: line.json, entry });
}

/**
 * Tells the owner, and from the second failure in a row, or where the owner is gone, somebody who manages as well. What
 * Slack does not take is let go: the status says the same.
 */
async function tellOf(client: WebClient, record: WorkspaceRecord, trouble: Trouble): Promise<void> {
  const { owner } = trouble.schedule;
  const isThere = await isMember(client, owner);
  const wide = !isThere || trouble.failures >= 2;
  const manager = wide
    ? await firstMember(
        client,
        managersOf(record).filter((one) => one !== owner),
      )
    : undefined;
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

function troubleMessage({ schedule, title, entry, failures }: Trouble): Message {
  const { untold: why = 'failed', due, cause = '' } = entry;
  const { id, channel, timing } = schedule;
  const was = `${escapeMarkup(momentWords(due, timing.zone))} in ${inChannel(channel)}`;
  const open = button('schedule-list', 'Open schedules', { value: id });
  if (why === 'failed' || why === 'person') {
    const text = `${title} was not posted`;
    return {
      text: `${text}. ${cause}`,
      blocks: [
        lines(
          `*${text}*: it was due ${was}. Tally tried for an hour.`,
          escapeMarkup(cause),
          ...(failures < 2
            ? []
            : [`That is the ${ordinal(failures)} time in a row; somebody who manages Tally is told too.`]),
        ),
        actions(button('schedule-now', 'Send it now', { value: id, style: 'primary' }), open),
      ],
    };
  }
  const text = `${title} is paused`;
  return {
    text: `${text}. ${cause}`,
    blocks: [
      lines(`*${text}*: it could not be posted ${was}.`, escapeMarkup(cause), escapeMarkup(TODO[why])),
      actions(button('schedule-resume', 'Resume', { value: id, style: 'primary' }), open),
    ],
  };
}

const ordinal = (count: number): string => {
  const ends = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' } as const;
  return `${count}${ends[new Intl.PluralRules('en', { type: 'ordinal' }).select(count)]}`;
};
