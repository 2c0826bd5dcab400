import { commandText } from '../../domain/command-names.ts';
import { limitLines } from '../../domain/language/text.ts';
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
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import type { StoredFailure } from '../../workspace/record/stored-failure.ts';

const CONNECTION_MISSING = [
  `A Tally manager can add the connection with ${commandText('/billing connect')}.`,
  'Add the connection again.',
] as const;
const LIMITED = [
  'Ask a Tally manager to add this channel to the project, or edit the schedule and choose another channel.',
  'Add this channel to the project, or edit the schedule and choose another channel.',
] as const;
/** What to do about a cause; then for a reader who manages Tally, where that differs. */
const REMEDIES: Readonly<Record<string, readonly [everybody: string, manager?: string]>> = {
  'channel-archived': ['Unarchive the channel, or edit the schedule and choose another one.'],
  'not-in-channel': ['Type /invite @Tally in the channel.'],
  'channel-restricted': ['Let Tally post there, or edit the schedule and choose another channel.'],
  'token-rejected': [
    `It may have expired or been revoked. A Tally manager can replace it with ${commandText('/billing connect')}.`,
    'It may have expired or been revoked. Replace it.',
  ],
  'not-connected': CONNECTION_MISSING,
  'connection-missing': CONNECTION_MISSING,
  'not-allowed': LIMITED,
};
const NEED_CONNECT: readonly string[] = ['token-rejected', 'not-connected', 'connection-missing'];

/** What a notice says to its reader. */
export interface NoticeView {
  /** `failed`: a date wasn't posted. `paused`: nothing can be. `unanswered`: posted without all figures. */
  readonly why: 'failed' | 'paused' | 'unanswered';
  /** Of the whole post; undefined where single projects give no answer. */
  readonly reason: StoredFailure | undefined;
  /** Nothing is to be done any more. */
  readonly isOver: boolean;
  readonly cases: readonly {
    readonly schedule: Schedule;
    /** `“Yesterday’s spend” for prod` */
    readonly title: string;
    readonly due: Millis;
  }[];
  /** In sentences; '' if the reader may not know it. */
  readonly cause: string;
  readonly canManage: boolean;
  /** Whether the owner and a manager are told. */
  readonly isShared: boolean;
  /** Whether a post has gone out since. */
  readonly worksAgain: boolean;
}

/** A notice about several schedules lists up to this many. */
const MAX_LISTED = 15;

export function failureNotice(view: NoticeView): Message {
  const { why, reason, isOver, cases, cause, canManage } = view;
  const [only, ...others] = cases;
  const remedy = typeof reason?.why === 'string' ? reason.why : (reason?.kind ?? '');
  const what = others.length === 0 ? (only?.title ?? 'A scheduled post') : `${cases.length} scheduled posts`;
  const text = `${what} ${happenedText(view)}`;
  if (isOver) return { text, blocks: [markup(`*${escapeMarkup(text)}*`)] };
  const value = only === undefined || others.length > 0 ? {} : { value: only.schedule.id };
  const action =
    why === 'paused'
      ? button('schedule-resume', 'Try again', { ...value, style: 'primary' })
      : button('schedule-now', 'Send it now', { ...value, style: 'primary' });
  return {
    text: `${text}. ${cause}`.trim(),
    blocks: [
      markup(
        joinTexts('\n', [
          `*${escapeMarkup(text)}*`,
          ...limitLines(
            cases.map((failed) => caseText(failed, others.length > 0)),
            MAX_LISTED,
          ),
          escapeMarkup(cause),
          ...nextSteps(view, remedy),
        ]),
      ),
      actions(
        canManage &&
          NEED_CONNECT.includes(remedy) &&
          button('connect', 'Connect…', why === 'paused' ? {} : { style: 'primary' }),
        others.length === 0 && why !== 'unanswered' && action,
        button('schedule-list', 'Open schedules', value),
      ),
    ],
  };
}

function happenedText({ why, reason, isOver, cases, worksAgain }: NoticeView): string {
  const isOne = cases.length <= 1;
  if (isOver) return worksAgain ? (isOne ? 'works again' : 'work again') : 'needs nothing any more';
  if (why === 'unanswered') return `${isOne ? 'was' : 'were'} posted without all figures twice in a row`;
  if (why === 'paused') return `${isOne ? 'is' : 'are'} paused`;
  if (reason?.mayBePosted) return 'may not have been posted';
  return `${isOne ? 'wasn’t' : 'weren’t'} posted`;
}

const RESUMES = 'Tally tries again with the next post, and as soon as something changes.';

function nextSteps({ why, reason, canManage, isShared }: NoticeView, remedy: string): readonly string[] {
  const [everybody, manager = everybody] = REMEDIES[remedy] ?? [];
  const step = canManage ? manager : everybody;
  return compact([
    step && escapeMarkup(step),
    why === 'paused' && RESUMES,
    why === 'failed' && !reason?.mayBePosted && 'Tally tried for an hour. The next post mentions this date.',
    isShared && (canManage ? 'The owner was notified too.' : 'A Tally manager was notified too.'),
  ]);
}

/** @param isTitled a notice about one schedule has its title above */
function caseText({ schedule, title, due }: NoticeView['cases'][number], isTitled: boolean): string {
  const where = `${channelLink(schedule.channel)}, due ${escapeMarkup(formatMoment(due, schedule.timing.zone))}`;
  return isTitled ? `${escapeMarkup(title)} in ${where}` : `In ${where}`;
}
