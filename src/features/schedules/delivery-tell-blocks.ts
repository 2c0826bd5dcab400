import { actions, button, type Message } from '../../slack/kit/atoms.ts';
import { channelLink, escapeMarkup } from '../../slack/kit/escape.ts';
import type { Pause, Schedule } from '../../workspace/schedules.ts';
import { lines, momentWords } from './delivery-blocks.ts';

/** What is to be done about a schedule that stands still. */
const REMEDIES: Readonly<Record<Exclude<Pause, 'person'>, string>> = {
  'channel-archived': 'Unarchive it, or change the schedule to another channel; then resume it.',
  'not-in-channel': 'Type /invite @Tally there; then resume it.',
  'channel-restricted': 'Let Tally post there, or change the schedule to another channel; then resume it.',
  'project-limited':
    'Somebody limited the project to other channels. Ask them to add this one, or change the schedule to another channel; then resume it.',
  'token-rejected':
    'The token may have lapsed or been withdrawn. Once an owner or admin has registered a new one with /billing connect, it goes on by itself.',
  'not-connected':
    'The connection that its project needs is not there. Once an owner or admin has registered one with /billing connect, it goes on by itself.',
  'app-removed': 'Whoever may install apps can install it again.',
};

/** What one person is told at a time: the same trouble, of one schedule or of many. */
export interface Untold {
  readonly why: Pause | 'failed';
  readonly owner: string;
  readonly cause: string;
  readonly cases: readonly Case[];
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

/** Each of a group is named up to this many. */
const MOST_NAMED = 15;

export function troubleMessage({
  why,
  cause,
  cases,
  isOwnerGone = false,
  isManagerTold = false,
}: Untold): Message {
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
        `*${escapeMarkup(text)}*`,
        ...cases.slice(0, MOST_NAMED).map(caseWords),
        ...(cases.length > MOST_NAMED ? [`and ${cases.length - MOST_NAMED} more`] : []),
        escapeMarkup(cause),
        isPaused ? escapeMarkup(REMEDIES[why]) : 'Tally tried for an hour.',
        ...(isOwnerGone
          ? ['The owner has left the workspace. Whoever adopts it in the list answers for it from then on.']
          : []),
        ...(most < 2 || isOwnerGone
          ? []
          : [
              `That is the ${ordinal(most)} time in a row${isManagerTold ? ', so somebody who manages Tally is told too' : ''}.`,
            ]),
      ),
      actions(...(others.length === 0 ? [first] : []), button('schedule-list', 'Open schedules', value)),
    ],
  };
}

const caseWords = ({ schedule, title, due }: Case): string =>
  `${escapeMarkup(title)} in ${channelLink(schedule.channel)}, due ${escapeMarkup(momentWords(due, schedule.timing.zone))}`;

const ordinal = (count: number): string => {
  const ends = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' } as const;
  return `${count}${ends[new Intl.PluralRules('en', { type: 'ordinal' }).select(count)]}`;
};
