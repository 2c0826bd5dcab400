import { actions, button, type Message } from '../slack/kit/atoms.ts';
import { channelLink, escapeMarkup } from '../slack/kit/escape.ts';
import type { PauseReason, Schedule } from '../workspace/schedules.ts';
import { formatMoment, joinLines } from './post-blocks.ts';

/** What to do about a paused schedule. */
const REMEDIES: Readonly<Record<Exclude<PauseReason, 'person'>, string>> = {
  'channel-archived': 'Unarchive it, or change the schedule to another channel.',
  'not-in-channel': 'Type /invite @Tally there.',
  'channel-restricted': 'Let Tally post there, or change the schedule to another channel.',
  'project-limited':
    'The project is limited to other channels. Ask a Tally manager to add this one, or change the schedule to another channel.',
  'token-rejected':
    'It may have expired or been revoked. A Tally manager can replace it with /billing connect.',
  'not-connected': 'A Tally manager can register the connection with /billing connect.',
  'app-removed': 'Whoever may install apps can install Tally again.',
};
const RESUMES =
  'Tally keeps trying. Once it works again, the missed post comes and the schedule resumes by itself.';

/** What one person is told at a time: the same trouble, of one schedule or of many. */
export interface PendingNotification {
  readonly why: PauseReason | 'failed' | 'unanswered';
  readonly owner: string;
  readonly cause: string;
  readonly cases: readonly Case[];
  /** Slack may have taken the posts. */
  readonly isUnclear?: boolean;
  readonly isOwnerGone?: boolean;
  /** Somebody who manages is told as well. */
  readonly isManagerTold?: boolean;
}

interface Case {
  readonly schedule: Schedule;
  /** `Spend of yesterday of prod` */
  readonly title: string;
  readonly due: number;
  /** Dates in a row that failed, this one included. */
  readonly failures: number;
}

const NEED_CONNECT: readonly PendingNotification['why'][] = ['token-rejected', 'not-connected'];
const CONNECT = button('connect', 'Connect…', { style: 'primary' });
const ALSO_TOLD = {
  owner: 'A Tally manager is told too.',
  manager: 'You get this because you manage Tally. The owner of the schedule is told too.',
} as const;

/** Each of a group is named up to this many. */
const MOST_NAMED = 15;

export function failureNotice(
  { why, cause, cases, isUnclear = false, isOwnerGone = false, isManagerTold = false }: PendingNotification,
  reader: 'owner' | 'manager',
): Message {
  const [only, ...others] = cases;
  const value = only === undefined || others.length > 0 ? {} : { value: only.schedule.id };
  const isPaused = why !== 'failed' && why !== 'unanswered' && why !== 'person';
  const what = others.length === 0 ? (only?.title ?? '') : `${cases.length} scheduled posts`;
  const text = `${what} ${happened(why, cases.length === 1, isUnclear)}`;
  const most = Math.max(...cases.map(({ failures }) => failures));
  const remedy = isPaused
    ? button('schedule-resume', 'Resume', { ...value, style: 'primary' })
    : button('schedule-now', 'Send it now', { ...value, style: 'primary' });
  const isSingle = others.length === 0 && why !== 'unanswered';
  return {
    text: `${text}. ${cause}`,
    blocks: [
      joinLines(
        `*${escapeMarkup(text)}*`,
        ...cases.slice(0, MOST_NAMED).map(caseWords),
        ...(cases.length > MOST_NAMED ? [`and ${cases.length - MOST_NAMED} more`] : []),
        escapeMarkup(cause),
        ...(isPaused ? [escapeMarkup(REMEDIES[why]), RESUMES] : []),
        ...(why === 'failed' && !isUnclear
          ? ['Tally tried for an hour. The next post names this date.']
          : []),
        ...(isOwnerGone
          ? ['The owner has left the workspace. Whoever adopts it in the list answers for it from then on.']
          : []),
        ...(isOwnerGone || isPaused || most < 2 ? [] : [`That is the ${ordinal(most)} time in a row.`]),
        ...(isOwnerGone || !isManagerTold ? [] : [ALSO_TOLD[reader]]),
      ),
      actions(
        ...(reader === 'manager' && NEED_CONNECT.includes(why) ? [CONNECT] : []),
        ...(isSingle ? [remedy] : []),
        button('schedule-list', 'Open schedules', value),
      ),
    ],
  };
}

function happened(why: PendingNotification['why'], isOne: boolean, isUnclear: boolean): string {
  if (why === 'unanswered') return `${isOne ? 'has' : 'have'} come twice in a row without all figures`;
  if (why !== 'failed') return `${isOne ? 'is' : 'are'} paused`;
  if (isUnclear) return 'may not have been posted';
  return `${isOne ? 'was' : 'were'} not posted`;
}

const caseWords = ({ schedule, title, due }: Case): string =>
  `${escapeMarkup(title)} in ${channelLink(schedule.channel)}, due ${escapeMarkup(formatMoment(due, schedule.timing.zone))}`;

const ordinal = (count: number): string => {
  const ends = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' } as const;
  return `${count}${ends[new Intl.PluralRules('en', { type: 'ordinal' }).select(count)]}`;
};
