import type { ProductId } from '../../domain/product.ts';
import { formatTiming } from '../../domain/time/cadence.ts';
import { type Day, dayAt, formatDays } from '../../domain/time/calendar.ts';
import { context, formatInstant, type Message, markup } from '../../slack/kit/atoms.ts';
import { channelLink, escapeMarkup, mention } from '../../slack/kit/escape.ts';
import type { Request } from '../../slack/request.ts';
import {
  type LastDelivery,
  type PauseReason,
  REPORT_NAMES,
  resumesByItself,
  type Schedule,
} from '../../workspace/schedules.ts';
import type { Workspace } from '../../workspace/workspaces.ts';
import { channelNameOf } from './channel-check.ts';
import { formatWallTime, type UpcomingSends, type UpcomingSendsOf } from './upcoming-sends.ts';

/** `prod, web-shop` */
export const describeProjects = ({ projects }: Schedule, record: Workspace): string =>
  projects.map((project) => channelNameOf(project, record)).join(', ');

/** How the project is called that `<project id>:<product>` means. */
export function projectName(key: string, record: Workspace): string {
  const [id = '', product] = key.split(':');
  return channelNameOf({ id, product: Number(product) as ProductId }, record);
}

/** `Spend of yesterday of prod`, in mark-up. */
const whatWords = (schedule: Schedule, record: Workspace): string =>
  `*${REPORT_NAMES[schedule.report]}* of ${escapeMarkup(describeProjects(schedule, record))}`;

const whenWords = ({ timing }: Schedule): string => {
  const words = formatTiming(timing);
  return escapeMarkup(words[0]?.toLowerCase() + words.slice(1));
};

/** For the audit. */
export const scheduleAuditText = (schedule: Schedule, record: Workspace): string =>
  `${schedule.id}: ${REPORT_NAMES[schedule.report]} of ${describeProjects(schedule, record)} in ${schedule.channel}, ${formatTiming(schedule.timing)}`;

/** What the channel is told: who set up what. */
export function announcementMessage(
  schedule: Schedule,
  record: Workspace,
  person: string,
  isChange: boolean,
): Message {
  const what = whatWords(schedule, record);
  const verb = isChange ? 'changed a post' : 'set up a post';
  const said = `${mention(person)} ${verb} for this channel: ${what}, ${whenWords(schedule)}.`;
  const text = `Somebody ${verb} for this channel: ${REPORT_NAMES[schedule.report]} of ${describeProjects(schedule, record)}.`;
  return {
    text,
    blocks: [markup(said), context('`/billing schedules` shows who answers for it, and when it comes next.')],
  };
}

export const scheduleSavedText = (schedule: Schedule, record: Workspace): string =>
  `Saved: ${whatWords(schedule, record)} in ${channelLink(schedule.channel)}, ${whenWords(schedule)}.${
    schedule.paused === undefined ? '' : ' It is paused until it is resumed.'
  }`;

const PAUSED: Readonly<Record<PauseReason, string>> = {
  person: 'paused',
  'channel-archived': 'paused: the channel is archived',
  'not-in-channel': 'paused: Tally is not in the channel; type /invite @Tally there',
  'channel-restricted': 'paused: Tally may not post in the channel',
  'project-limited': 'paused: the project is limited to other channels',
  'token-rejected': 'paused: the billing service rejects the access token',
  'not-connected': 'paused: its connection to the billing service is missing',
  'app-removed': 'paused: Slack rejected Tally’s token',
};

/** Whether it stands still for a reason of Tally's own. */
export const isStuck = ({ paused }: Schedule): boolean => paused !== undefined && resumesByItself(paused.why);

function pauseWords({ paused, timing }: Schedule): string | undefined {
  if (paused === undefined) return undefined;
  const day = dayAt(paused.at, timing.zone);
  const by = paused.by === undefined ? '' : ` by ${mention(paused.by)}`;
  const resumes = resumesByItself(paused.why) ? ' · resumes by itself once it works again' : '';
  return `*${PAUSED[paused.why]}*${by} since ${formatDays(day, day)}${resumes}`;
}

/** When it comes next: in its own zone, and in the reader's where that shows another time. What is due is said before. */
function nextWords(
  { timing }: Schedule,
  { owed, next }: UpcomingSends,
  reader: string | undefined,
  tried?: Day,
): string {
  const [due] = next;
  if (due === undefined) return 'never';
  const here = formatWallTime(due.at, timing.zone);
  const isSame = reader !== undefined && formatWallTime(due.at, reader) === here;
  const latest = owed.at(-1);
  const isUnsaid = latest !== undefined && latest.date !== tried;
  return [
    ...(isUnsaid ? [`*not posted yet: ${escapeMarkup(formatWallTime(latest.at, timing.zone))}*`] : []),
    `next ${escapeMarkup(here)}${isSame ? '' : ` (for you ${formatInstant(due.at)})`}`,
  ].join(' · ');
}

/** How it went the last time. */
function lastWords(
  sent: LastDelivery | undefined,
  { timing: { zone } }: Schedule,
  record: Workspace,
): string {
  if (sent === undefined) return 'nothing posted yet';
  const when = escapeMarkup(formatWallTime(sent.at, zone));
  const cause = sent.cause === undefined ? '' : `: ${escapeMarkup(sent.cause)}`;
  const byHand =
    sent.byHand === undefined
      ? ''
      : ` · sent with Send now ${escapeMarkup(formatWallTime(sent.byHand, zone))}`;
  switch (sent.result) {
    case 'posted':
      return `last posted ${when}${unansweredWords(sent, record)}`;
    case 'posted-late':
      return `last posted late, ${when}${unansweredWords(sent, record)}`;
    case 'skipped':
      return `nothing was spent, so nothing was posted ${when}`;
    case 'failed':
      return `*failed ${when}*${cause}${sent.failures > 1 ? ` (${sent.failures} times in a row)` : ''}`;
    case 'trying':
      return `*not posted yet*, tried ${when}${cause}${sent.next === undefined ? '' : ` Next try ${formatInstant(sent.next)}.`}${byHand}`;
  }
}

/** ` · *no figures for test* (3 posts in a row): …` */
function unansweredWords({ unanswered = {} }: LastDelivery, record: Workspace): string {
  const words = Object.entries(unanswered).map(([key, { posts, cause }]) => {
    const often = posts > 1 ? ` (${posts} posts in a row)` : '';
    return ` · *no figures for ${escapeMarkup(projectName(key, record))}*${often}: ${escapeMarkup(cause)}`;
  });
  return words.join('');
}

/** Who reads it, and of what. */
interface Reader extends Pick<Request, 'workspace' | 'user'> {
  readonly sends: UpcomingSendsOf;
}

/** One schedule in mark-up, three lines. */
export function describeSchedule(schedule: Schedule, { workspace, user, sends }: Reader): string {
  const sent = workspace.lastSent(schedule.id);
  const tried = sent?.result === 'trying' ? sent.date : undefined;
  const runs = pauseWords(schedule) ?? nextWords(schedule, sends(schedule), user.zone, tried);
  return [
    `${whatWords(schedule, workspace)} → ${channelLink(schedule.channel)}`,
    `${escapeMarkup(formatTiming(schedule.timing))} · owner ${mention(schedule.owner)}`,
    `${runs} · ${lastWords(sent, schedule, workspace)}`,
  ].join('\n');
}
