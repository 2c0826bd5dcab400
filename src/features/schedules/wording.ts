import { wordFailure } from '../../domain/failure/index.ts';
import { REPORTS } from '../../domain/report.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { formatTiming } from '../../domain/time/cadence.ts';
import { type Day, dayAt, formatDays, formatWallTime, type Millis } from '../../domain/time/calendar.ts';
import { canReadAutomation, PAUSED_TEXTS, RESUMES_BY_ITSELF } from '../../slack/automations/automation.ts';
import {
  channelLink,
  escapeMarkup,
  formatInstant,
  joinTexts,
  mention,
} from '../../slack/block-kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import { describeProjects, stopReasonOf } from '../../workspace/projects/chosen-project.ts';
import type { ProjectScope } from '../../workspace/projects/resolve-project.ts';
import type { LastDelivery, Schedule } from '../../workspace/record/automation-records.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { UpcomingSends, UpcomingSendsOf } from './timing-preview.ts';

/** `*Yesterday’s spend* for prod`, as mrkdwn. */
const reportMarkup = (schedule: Schedule, workspace: Workspace, scope?: ProjectScope): string =>
  `*${REPORTS[schedule.report].title}* for ${escapeMarkup(describeProjects(schedule, workspace, scope))}`;

/** `every day at 09:00`: for the middle of a sentence. */
const timingText = ({ timing }: Schedule): string => {
  const text = formatTiming(timing);
  return text[0]?.toLowerCase() + text.slice(1);
};
const timingMarkup = (schedule: Schedule): string => escapeMarkup(timingText(schedule));

/** For the audit trail. */
export const scheduleAuditText = (schedule: Schedule, workspace: Workspace): string =>
  `${REPORTS[schedule.report].title} for ${describeProjects(schedule, workspace)} in ${schedule.channel}, ${timingText(schedule)}`;

/** `*Yesterday’s spend* for prod, every day at 09:00` */
export const scheduleMarkup = (schedule: Schedule, { workspace }: Pick<Request, 'workspace'>): string =>
  `${reportMarkup(schedule, workspace)}, ${timingMarkup(schedule)}`;

/** Whether it posts nothing although no person paused it: nothing can be sent, by the record or as its last delivery found. */
export const isPausedByTally = ({ paused, ...schedule }: Schedule, workspace: Workspace): boolean =>
  paused === undefined &&
  (stopReasonOf(schedule, workspace) !== undefined || workspace.lastSent(schedule.id)?.result === 'paused');

/** Why it posts nothing. @param last without its cause if the reader may not know it */
function pauseText(
  schedule: Schedule,
  last: LastDelivery | undefined,
  workspace: Workspace,
): string | undefined {
  const { paused, timing } = schedule;
  const since = (at: Millis) => `since ${formatDays(dayAt(at, timing.zone), dayAt(at, timing.zone))}`;
  if (paused !== undefined) return `*paused* by ${mention(paused.by)} ${since(paused.at)}`;
  const why = stopReasonOf(schedule, workspace);
  if (why !== undefined) return `*${PAUSED_TEXTS[why]}*${RESUMES_BY_ITSELF}`;
  if (last?.result !== 'paused') return undefined;
  const cause = last.cause === undefined ? '' : `: ${escapeMarkup(wordFailure(last.cause))}`;
  return `*paused* ${since(last.at)}${cause}${RESUMES_BY_ITSELF}`;
}

/** The next post in the schedule's zone, and in the reader's if that differs; an overdue one before it. */
function nextSendText(
  { timing }: Schedule,
  { owed, next }: UpcomingSends,
  reader: SlackId | undefined,
  tried?: Day,
): string {
  const [due] = next;
  if (due === undefined) return 'never';
  const local = formatWallTime(due.at, timing.zone);
  const isSame = reader !== undefined && formatWallTime(due.at, reader) === local;
  const latest = owed.at(-1);
  const isOverdue = latest !== undefined && latest.date !== tried;
  return joinTexts(' · ', [
    isOverdue && `*not posted yet: ${escapeMarkup(formatWallTime(latest.at, timing.zone))}*`,
    `next ${escapeMarkup(local)}${isSame ? '' : ` (your time: ${formatInstant(due.at)})`}`,
  ]);
}

function lastDeliveryText(
  sent: LastDelivery | undefined,
  { timing: { zone } }: Schedule,
  today: Day,
): string {
  if (sent === undefined) return 'nothing posted yet';
  const when = escapeMarkup(formatWallTime(sent.at, zone));
  const cause = sent.cause === undefined ? '' : `: ${escapeMarkup(wordFailure(sent.cause, today))}`;
  switch (sent.result) {
    case 'posted':
      return `last posted ${when}`;
    case 'posted-late':
      return `last posted late, ${when}`;
    case 'failed':
      return `*failed ${when}*${cause}`;
    case 'waiting':
      return `waiting for billing to report ${sent.awaits === undefined ? 'the day' : formatDays(sent.awaits, sent.awaits, today.slice(0, 4))}${sent.next === undefined ? '' : `, next look: ${formatInstant(sent.next)}`}`;
    case 'paused':
      return `last tried ${when}`;
    case 'trying':
      return `*not posted yet*, tried ${when}${cause}${sent.next === undefined ? '' : ` Next try: ${formatInstant(sent.next)}.`}`;
  }
}

/** What it is, how it is, and the rest. What the reader may not ask about is neither named nor said to have failed. */
export function describeSchedule(schedule: Schedule, reader: Request, sends: UpcomingSendsOf): string[] {
  const { workspace, user, at } = reader;
  const { zone } = schedule.timing;
  const today = dayAt(at, user.zone ?? zone);
  const known = workspace.lastSent(schedule.id);
  const { cause: _, ...uncaused } = known ?? {};
  const last = canReadAutomation(schedule, reader) ? known : known && (uncaused as LastDelivery);
  const tried = last?.result === 'trying' || last?.result === 'waiting' ? last.date : undefined;
  const state =
    pauseText(schedule, last, workspace) ?? nextSendText(schedule, sends(schedule), user.zone, tried);
  return [
    `${reportMarkup(schedule, workspace, reader)} → ${channelLink(schedule.channel)}`,
    `${state} · ${lastDeliveryText(last, schedule, today)}`,
    `${escapeMarkup(formatTiming(schedule.timing))} · owner ${mention(schedule.owner)}`,
  ];
}
