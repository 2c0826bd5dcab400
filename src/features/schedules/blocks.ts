import { duesAfter, timingWords } from '../../domain/cadence.ts';
import { dayAt, formatDays } from '../../domain/calendar.ts';
import { context, type Message, markup, moment } from '../../slack/kit/atoms.ts';
import { channelLink, escapeMarkup, mention } from '../../slack/kit/escape.ts';
import type { Visit } from '../../slack/visit.ts';
import { type LastSent, type Pause, REPORT_NAMES, type Schedule } from '../../workspace/schedules.ts';
import type { WorkspaceRecord } from '../../workspace/workspaces.ts';
import { wallWords } from './sends.ts';
import { nameOf } from './site.ts';

/** `prod, web-shop` */
export const projectWords = ({ projects }: Schedule, record: WorkspaceRecord): string =>
  projects.map((project) => nameOf(project, record)).join(', ');

/** `Spend of yesterday of prod`, in mark-up. */
const whatWords = (schedule: Schedule, record: WorkspaceRecord): string =>
  `*${REPORT_NAMES[schedule.report]}* of ${escapeMarkup(projectWords(schedule, record))}`;

const whenWords = ({ timing }: Schedule): string => {
  const words = timingWords(timing);
  return escapeMarkup(words[0]?.toLowerCase() + words.slice(1));
};

/** For the audit. */
export const about = (schedule: Schedule, record: WorkspaceRecord): string =>
  `${schedule.id}: ${REPORT_NAMES[schedule.report]} of ${projectWords(schedule, record)} in ${schedule.channel}, ${timingWords(schedule.timing)}`;

/** What the channel is told: who set up what. */
export function announcement(
  schedule: Schedule,
  record: WorkspaceRecord,
  person: string,
  isChange: boolean,
): Message {
  const what = whatWords(schedule, record);
  const verb = isChange ? 'changed a post' : 'set up a post';
  const said = `${mention(person)} ${verb} for this channel: ${what}, ${whenWords(schedule)}.`;
  const text = `Somebody ${verb} for this channel: ${REPORT_NAMES[schedule.report]} of ${projectWords(schedule, record)}.`;
  return {
    text,
    blocks: [markup(said), context('`/billing schedules` shows who answers for it, and when it comes next.')],
  };
}

export const savedSentence = (schedule: Schedule, record: WorkspaceRecord): string =>
  `Saved: ${whatWords(schedule, record)} in ${channelLink(schedule.channel)}, ${whenWords(schedule)}.${
    schedule.paused === undefined ? '' : ' It is paused until it is resumed.'
  }`;

const PAUSED: Readonly<Record<Pause, string>> = {
  person: 'paused',
  'channel-archived': 'paused: the channel is archived',
  'not-in-channel': 'paused: Tally is not in the channel; /invite @Tally there, then resume it',
  'channel-restricted': 'paused: Tally may not post in the channel',
  'project-limited': 'paused: its project may not be asked about in the channel any more',
  'token-rejected':
    'paused: the billing service rejects the access token; it goes on once another is registered',
  'not-connected': 'paused: Tally is not connected to the billing service; it goes on once it is',
  'app-removed': 'paused: Tally was removed from the workspace',
};

/** Whether it stands still for a reason of Tally's own. */
export const isStuck = ({ paused }: Schedule): boolean => paused !== undefined && paused.why !== 'person';

function pauseWords({ paused, timing }: Schedule): string | undefined {
  if (paused === undefined) return undefined;
  const day = dayAt(paused.at, timing.zone);
  const by = paused.by === undefined ? '' : ` by ${mention(paused.by)}`;
  return `*${PAUSED[paused.why]}*${by} since ${formatDays(day, day)}`;
}

/** When it comes next: in its own zone, and in the reader's where that shows another time. */
function nextWords({ timing, since }: Schedule, now: number, reader: string | undefined): string {
  const [due] = duesAfter(timing, Math.max(now, since), 1);
  if (due === undefined) return 'never';
  const here = wallWords(due.at, timing.zone);
  const isSame = reader !== undefined && wallWords(due.at, reader) === here;
  return `next ${escapeMarkup(here)}${isSame ? '' : ` (for you ${moment(due.at)})`}`;
}

/** How it went the last time. */
function lastWords(sent: LastSent | undefined, { timing: { zone } }: Schedule): string {
  if (sent === undefined) return 'nothing posted yet';
  const when = escapeMarkup(wallWords(sent.at, zone));
  const cause = sent.cause === undefined ? '' : `: ${escapeMarkup(sent.cause)}`;
  switch (sent.result) {
    case 'posted':
      return `last posted ${when}`;
    case 'posted-late':
      return `last posted late, ${when}`;
    case 'skipped':
      return `nothing was spent, so nothing was posted ${when}`;
    case 'failed':
      return `*failed ${when}*${cause}${sent.failures > 1 ? ` (${sent.failures} times in a row)` : ''}`;
    case 'trying':
      return `*not posted yet*, tried ${when}${cause}${sent.next === undefined ? '' : ` Next try ${moment(sent.next)}.`}`;
  }
}

/** Who reads it, of what, and when. */
type Reader = Pick<Visit, 'record' | 'asker' | 'at'>;

/** One schedule in mark-up, three lines. */
export function scheduleWords(schedule: Schedule, { record, asker, at }: Reader): string {
  const runs = pauseWords(schedule) ?? nextWords(schedule, at, asker.zone);
  return [
    `${whatWords(schedule, record)} → ${channelLink(schedule.channel)}`,
    `${escapeMarkup(timingWords(schedule.timing))} · owner ${mention(schedule.owner)}`,
    `${runs} · ${lastWords(record.lastSent(schedule.id), schedule)}`,
  ].join('\n');
}
