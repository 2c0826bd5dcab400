/** Tells a schedule's owner that posts failed or are paused. One message covers all schedules with one cause. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { commandText } from '../../domain/command-names.ts';
import { failureSentence, storedFailureSchema } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, formatMoment, type Millis } from '../../domain/time/calendar.ts';
import { limitLines } from '../../domain/wording.ts';
import {
  actions,
  button,
  channelLink,
  compact,
  escapeMarkup,
  joinTexts,
  markup,
  type Message as SlackMessage,
} from '../../slack/block-kit/blocks.ts';
import { connectionsOf } from '../../workspace/projects/chosen-project.ts';
import { canAskAbout } from '../../workspace/projects/resolve-project.ts';
import type { Schedule } from '../../workspace/record/automation-records.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import {
  type DeliveryLogSnapshot,
  dropMessage,
  newMessage,
  type OutboxMessage,
  putMessage,
} from '../delivery-log.ts';
import { hashOf, type MessageKind, type Plan, type Recipient, type RunView } from '../outbox/message-kind.ts';
import { responsiblePeople } from '../outbox/recipients.ts';
import { describeReport } from '../reports/make-report.ts';
import { isHandled, type LastDelivery, lastDelivery } from './post-record.ts';

const noticeAbout = z.object({
  owner: z.string(),
  /** `failed`: one date's post wasn't sent. `paused`: a person must fix the cause first. */
  why: z.enum(['failed', 'paused']),
  cause: storedFailureSchema,
  cases: z.array(z.object({ schedule: z.string(), due: z.int() })).readonly(),
});
type NoticeAbout = Readonly<z.infer<typeof noticeAbout>>;
type Notice = OutboxMessage<NoticeAbout>;
type Case = NoticeAbout['cases'][number];

/** Only managers can fix these causes, and no reminder tells them. */
const FOR_MANAGERS: readonly string[] = ['not-connected', 'connection-missing', 'not-allowed'];
const DELIVERED: readonly string[] = ['posted', 'posted-late'] satisfies LastDelivery['result'][];

function newsOf({ id, owner, paused }: Schedule, snapshot: DeliveryLogSnapshot): NoticeAbout | undefined {
  const { result, cause, due = 0 } = lastDelivery(id, snapshot) ?? {};
  if (paused !== undefined || cause === undefined) return undefined;
  if (result !== 'failed' && result !== 'paused') return undefined;
  return { owner, why: result, cause, cases: [{ schedule: id, due }] };
}

const isSameNews = (a: NoticeAbout, b: NoticeAbout): boolean =>
  isDeepStrictEqual([a.owner, a.why, a.cause], [b.owner, b.why, b.cause]);

function newsOfAll({ workspace, snapshot }: RunView): readonly NoticeAbout[] {
  const all = workspace.schedules.flatMap((schedule) => newsOf(schedule, snapshot) ?? []);
  const isFirst = (news: NoticeAbout, at: number) => all.findIndex((other) => isSameNews(other, news)) === at;
  const casesLike = (news: NoticeAbout) =>
    all.filter((other) => isSameNews(other, news)).flatMap(({ cases }) => cases);
  return all.filter(isFirst).map((news) => ({ ...news, cases: casesLike(news) }));
}

/** Schedules that the same cause stops later are added to the notice while the pause goes on. */
const isOpenPause = ({ state, about }: Notice): boolean => about.why === 'paused' && state !== 'failed';

/** Nobody gets a notice if a reminder already tells them, or if Tally has no Slack token. */
function recipientsOf({ owner, cause, cases }: NoticeAbout, workspace: Workspace): readonly SlackId[] {
  const { managers } = workspace.settings;
  const { kind } = cause;
  if (kind === 'not-installed' || cause.data?.reason === 'slack-token-rejected') return [];
  const connections = workspace.schedules
    .filter(({ id }) => cases.some(({ schedule }) => schedule === id))
    .flatMap((schedule) => connectionsOf(schedule, workspace));
  const registrars = connections.map((name) => workspace.connections.get(name)?.registeredBy);
  if (kind === 'token-rejected' && [...managers, ...registrars].includes(owner)) return [];
  const isForManagers = FOR_MANAGERS.includes(kind) && !managers.includes(owner);
  const manager = isForManagers && responsiblePeople(workspace).find((person) => person !== owner);
  return manager ? [owner, manager] : [owner];
}

function planNotices(view: RunView): Plan {
  const { workspace, snapshot, now } = view;
  const notices = snapshot.messagesOf(noticeKind);
  const messages = newsOfAll(view).flatMap((news) =>
    recipientsOf(news, workspace).flatMap((to): Notice[] => {
      const sent = notices.filter(({ key, about }) => key.endsWith(`/${to}`) && isSameNews(about, news));
      const known = sent.flatMap(({ about }) => about.cases);
      // A pause that goes on needs no second notice, whatever date it began with.
      const isKnown = ({ schedule, due }: Case) =>
        known.some((other) => other.schedule === schedule && (news.why === 'paused' || other.due === due));
      const cases = news.cases.filter((one) => !isKnown(one));
      if (cases.length === 0) return [];
      const open = sent.find(isOpenPause);
      if (open?.state === 'sending') return [];
      if (open !== undefined) {
        const about = { ...open.about, cases: [...open.about.cases, ...cases] };
        return [{ ...open, about, next: open.next ?? now }];
      }
      const key = `notice/${news.owner}/${news.why}-${hashOf([news.cause, cases[0]])}/${to}`;
      return [newMessage(key, to, { ...news, cases }, now)];
    }),
  );
  const isCurrent = ({ schedule, due }: Case): boolean => lastDelivery(schedule, snapshot)?.due === due;
  const isStale = (notice: Notice): boolean =>
    isHandled(notice) && !isOpenPause(notice) && !notice.about.cases.some(isCurrent);
  return { writes: [...notices.filter(isStale).map(dropMessage), ...messages.map(putMessage)] };
}

type NoticeView = Pick<RunView, 'workspace' | 'snapshot'>;

function isLive(
  { owner, why }: NoticeAbout,
  { schedule: id, due }: Case,
  { workspace, snapshot }: NoticeView,
): boolean {
  const schedule = workspace.schedules.find((one) => one.id === id);
  const last = lastDelivery(id, snapshot);
  if (schedule?.owner !== owner || schedule.paused !== undefined || last === undefined) return false;
  if (why === 'paused') return !(DELIVERED.includes(last.result) && last.due >= due);
  return last.due === due && last.result === 'failed';
}

const isSettled = (notice: NoticeAbout, view: NoticeView): boolean =>
  !notice.cases.some((one) => isLive(notice, one, view));

export const noticeKind: MessageKind<NoticeAbout> = {
  name: 'notice',
  about: noticeAbout,
  plan: planNotices,
  dueAt(message, view, planned) {
    if (message.state !== 'posted' || planned !== undefined || !isOpenPause(message)) return planned;
    return isSettled(message.about, view) ? view.now : undefined;
  },
  async prepare(message, context) {
    const { snapshot } = context;
    const isOver = isSettled(message.about, context);
    if (isOver && message.state !== 'posted') return { outcome: 'skipped', message: undefined };
    const render = (at: Millis, recipient: Recipient) =>
      drawNotice(message.about, { ...recipient, snapshot }, at, isOver);
    return { projects: [], isLast: isOver, render };
  },
};

const CONNECTION_MISSING = [
  `A Tally manager can add the connection with ${commandText('/billing connect')}.`,
  'Add the connection again.',
] as const;
const LIMITED = [
  'Ask a Tally manager to allow this channel for the project, or choose another channel in the schedule.',
  'Allow this channel for the project, or choose another channel in the schedule.',
] as const;
/** Managers get the second text, if there is one. */
const REMEDIES: Readonly<Record<string, readonly [everybody: string, manager?: string]>> = {
  'channel-archived': ['Unarchive the channel, or choose another in the schedule.'],
  'not-in-channel': ['Type /invite @Tally in the channel.'],
  'channel-restricted': ['Ask an admin to let Tally post there, or choose another channel in the schedule.'],
  'token-rejected': [
    `It may have expired or been revoked. A Tally manager can replace it with ${commandText('/billing connect')}.`,
    'It may have expired or been revoked. Replace it.',
  ],
  'not-connected': CONNECTION_MISSING,
  'connection-missing': CONNECTION_MISSING,
  'not-allowed': LIMITED,
};
const NEED_CONNECT: readonly string[] = ['token-rejected', 'not-connected', 'connection-missing'];

const MAX_LISTED = 15;

/** A reader who may not ask about a project sees neither the project nor the cause, which may name it. */
export function drawNotice(
  notice: NoticeAbout,
  view: NoticeView & Pick<Recipient, 'scope'>,
  at: Millis,
  isOver: boolean,
): SlackMessage {
  const { workspace, scope } = view;
  const { why } = notice;
  const cases = notice.cases.flatMap((one) => {
    const schedule = workspace.schedules.find(({ id }) => id === one.schedule);
    return schedule && (isOver || isLive(notice, one, view)) ? [{ ...one, schedule }] : [];
  });
  const [only, ...others] = cases;
  const isOne = others.length === 0;
  const titleOf = (schedule: Schedule): string => describeReport(schedule, workspace, scope);
  const title = only === undefined ? 'A scheduled post' : titleOf(only.schedule);
  const text = `${isOne ? title : `${cases.length} scheduled posts`} ${happenedText(notice, isOne, isOver, view)}`;
  if (isOver) return { text, blocks: [markup(`*${escapeMarkup(text)}*`)] };
  const lines = cases.map(({ schedule, due }) => {
    const where = `${channelLink(schedule.channel)}, due ${escapeMarkup(formatMoment(due, schedule.timing.zone))}`;
    return isOne ? `In ${where}` : `${escapeMarkup(titleOf(schedule))} in ${where}`;
  });
  const projects = cases.flatMap(({ schedule }) => schedule.projects);
  const isVisible = projects.every((project) => canAskAbout(project, workspace, scope));
  const today = dayAt(at, only?.schedule.timing.zone ?? workspace.settings.zone);
  const cause = isVisible ? failureSentence(notice.cause, today) : '';
  const [label, action] = why === 'paused' ? ['Try again', 'retry'] : ['Send it now', 'now'];
  return {
    text: `${text}. ${cause}`.trim(),
    blocks: [
      markup(
        joinTexts('\n', [
          `*${escapeMarkup(text)}*`,
          ...limitLines(lines, MAX_LISTED),
          escapeMarkup(cause),
          ...nextSteps(notice, scope.isUnlimited, workspace),
        ]),
      ),
      actions(
        scope.isUnlimited && NEED_CONNECT.includes(remedyOf(notice)) && button('connect', 'Connect…'),
        only &&
          isOne &&
          button(`schedule-row:${action}`, label, {
            value: `${action} ${only.schedule.id}`,
            style: 'primary',
          }),
        button('schedule-list', 'Open schedules'),
      ),
    ],
  };
}

function happenedText(
  { why, cause, cases }: NoticeAbout,
  isOne: boolean,
  isOver: boolean,
  { snapshot }: NoticeView,
): string {
  const isDelivered = ({ schedule }: Case) =>
    DELIVERED.includes(lastDelivery(schedule, snapshot)?.result ?? '');
  if (isOver && !cases.some(isDelivered))
    return isOne ? 'no longer needs attention' : 'no longer need attention';
  if (isOver) return isOne ? 'works again' : 'work again';
  if (why === 'paused') return `${isOne ? 'is' : 'are'} paused`;
  if (cause.mayBePosted) return 'may not have been posted';
  return `${isOne ? 'wasn’t' : 'weren’t'} posted`;
}

const remedyOf = ({ cause }: NoticeAbout): string =>
  cause.kind === 'not-sent' ? String(cause.data?.reason) : cause.kind;

function nextSteps(notice: NoticeAbout, canManage: boolean, workspace: Workspace): readonly string[] {
  const { why, cause } = notice;
  const remedy = remedyOf(notice);
  const [everybody, manager = everybody] = REMEDIES[remedy] ?? [];
  const step = canManage ? manager : everybody;
  const isGivenUp = why === 'failed' && !cause.mayBePosted;
  const isShared = remedy === 'token-rejected' || recipientsOf(notice, workspace).length > 1;
  return compact([
    step && escapeMarkup(step),
    why === 'paused' &&
      'Tally tries again when the next post is due, or once the schedule or the connection changes.',
    isGivenUp && 'Tally tried for an hour. The next post will mention this one.',
    isShared && (canManage ? 'The owner was notified too.' : 'A Tally manager was notified too.'),
  ]);
}
