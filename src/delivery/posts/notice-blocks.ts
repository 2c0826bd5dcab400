import { commandText } from '../../domain/command-names.ts';
import { limitLines, ordinal } from '../../domain/language/text.ts';
import { formatMoment, type Millis } from '../../domain/time/calendar.ts';
import {
  actions,
  button,
  channelLink,
  compact,
  escapeMarkup,
  joinTexts,
  type Message,
  markup,
} from '../../slack/kit/blocks.ts';
import type { PauseReason, Schedule } from '../../workspace/owned/schedule-record.ts';

const REMEDIES: Readonly<Record<Exclude<PauseReason, 'person'>, string>> = {
  'channel-archived': 'Unarchive the channel, or edit the schedule and choose another one.',
  'not-in-channel': 'Type /invite @Tally in the channel.',
  'channel-restricted': 'Let Tally post there, or edit the schedule and choose another channel.',
  'project-limited':
    'The project is limited to other channels. Ask a Tally manager to add this channel, or edit the schedule and choose another channel.',
  'token-rejected': `It may have expired or been revoked. A Tally manager can replace it with ${commandText('/billing connect')}.`,
  'not-connected': `A Tally manager can add the connection with ${commandText('/billing connect')}.`,
  'app-removed': 'Ask an admin to install Tally again.',
};
/** What a reader who manages Tally does; others read whom to ask. */
const MANAGERS_REMEDIES: Partial<typeof REMEDIES> = {
  'project-limited':
    'The project is limited to other channels. Add this channel to it, or edit the schedule and choose another channel.',
  'token-rejected': 'It may have expired or been revoked. Replace it.',
  'not-connected': 'Add the connection again.',
};
const RESUMES = 'Tally keeps trying. Once it works, the missed post is sent and the schedule resumes.';

/** What a notice to a person is about: the same failure of one or more schedules. */
export interface PendingNotification {
  readonly why: PauseReason | 'failed' | 'unanswered';
  readonly cause: string;
  readonly cases: readonly Case[];
  /** Whether Slack may nevertheless have taken the posts. */
  readonly isUnclear?: boolean;
  readonly isOwnerGone?: boolean;
  readonly canManage?: boolean;
  readonly includesManager?: boolean;
}

interface Case {
  readonly schedule: Schedule;
  /** `“Yesterday’s spend” for prod` */
  readonly title: string;
  readonly due: Millis;
  /** How many dates in a row have failed, with this date. */
  readonly failures: number;
}

type Reader = 'owner' | 'manager';

const NEED_CONNECT: readonly PendingNotification['why'][] = ['token-rejected', 'not-connected'];
const CONNECT = button('connect', 'Connect…', { style: 'primary' });
const ALSO_NOTIFIED: Readonly<Record<Reader, string>> = {
  owner: 'A Tally manager was notified too.',
  manager: 'You get this because you manage Tally. The owner was notified too.',
};

/** A notice about several schedules lists up to this many. */
const MAX_LISTED = 15;

export function failureNotice(notification: PendingNotification, reader: Reader): Message {
  const { why, cause, cases, canManage = reader === 'manager' } = notification;
  const [only, ...others] = cases;
  const what = others.length === 0 ? (only?.title ?? '') : `${cases.length} scheduled posts`;
  const text = `${what} ${happenedText(notification)}`;
  const lines = joinTexts('\n', [
    `*${escapeMarkup(text)}*`,
    ...limitLines(
      cases.map((failed) => caseText(failed, others.length > 0)),
      MAX_LISTED,
    ),
    escapeMarkup(cause),
    ...nextSteps({ ...notification, canManage }),
    !notification.isOwnerGone && notification.includesManager && ALSO_NOTIFIED[reader],
  ]);
  const value = only === undefined || others.length > 0 ? {} : { value: only.schedule.id };
  const remedy = pauseOf(why)
    ? button('schedule-resume', 'Resume', { ...value, style: 'primary' })
    : button('schedule-now', 'Send it now', { ...value, style: 'primary' });
  return {
    text: `${text}. ${cause}`.trim(),
    blocks: [
      markup(lines),
      actions(
        canManage && NEED_CONNECT.includes(why) && CONNECT,
        others.length === 0 && why !== 'unanswered' && remedy,
        button('schedule-list', 'Open schedules', value),
      ),
    ],
  };
}

/** Tally's own reason for a pause; undefined if nothing is paused. */
export const pauseOf = (why: PendingNotification['why']) =>
  why === 'failed' || why === 'unanswered' || why === 'person' ? undefined : why;

function happenedText({ why, cases, isUnclear = false }: PendingNotification): string {
  const isOne = cases.length === 1;
  if (why === 'unanswered') return `${isOne ? 'was' : 'were'} posted without all figures twice in a row`;
  if (why !== 'failed') return `${isOne ? 'is' : 'are'} paused`;
  if (isUnclear) return 'may not have been posted';
  return `${isOne ? 'wasn’t' : 'weren’t'} posted`;
}

function nextSteps(notification: PendingNotification): readonly string[] {
  const { why, cases, isUnclear, isOwnerGone, canManage } = notification;
  const pause = pauseOf(why);
  const failures = Math.max(...cases.map((failed) => failed.failures));
  return compact([
    pause && escapeMarkup((canManage && MANAGERS_REMEDIES[pause]) || REMEDIES[pause]),
    pause && RESUMES,
    why === 'failed' && !isUnclear && 'Tally tried for an hour. The next post mentions this date.',
    isOwnerGone && 'The owner has left the workspace.',
    !isOwnerGone && !pause && failures > 1 && `This is the ${ordinal(failures)} failure in a row.`,
  ]);
}

/** @param isTitled a notice about one schedule has its title above */
function caseText({ schedule, title, due }: Case, isTitled: boolean): string {
  const where = `${channelLink(schedule.channel)}, due ${escapeMarkup(formatMoment(due, schedule.timing.zone))}`;
  return isTitled ? `${escapeMarkup(title)} in ${where}` : `In ${where}`;
}
