/** Tells owners that a date was not posted, that nothing can be posted, or that projects keep giving no answer. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { commandText } from '../../domain/command-names.ts';
import { storedFailure, wordFailure } from '../../domain/failure/index.ts';
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
} from '../../slack/kit/blocks.ts';
import type { LastDelivery, Schedule } from '../../workspace/owned/schedule-record.ts';
import { chosenByKey, connectionsOf, projectLabel } from '../../workspace/projects/chosen-project.ts';
import { canAskAbout } from '../../workspace/projects/project-visibility.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { RunView } from '../context.ts';
import { dueTime, newMessage, type OutboxMessage } from '../outbox/message.ts';
import { type MessageKind, messagesOf } from '../outbox/message-kind.ts';
import { findRecipient, type Recipient, responsiblePeople } from '../outbox/recipient.ts';
import { describeReport } from '../reports/reports.ts';
import { hashOf, isFinal } from './post-record.ts';

const about = z.object({
  owner: z.string(),
  /** `failed`: a date wasn't posted. `paused`: nothing can be. `unanswered`: posted without all figures. */
  why: z.enum(['failed', 'paused', 'unanswered']),
  /** By `<project id>:<product>`, or '' for the whole post. */
  causes: z.record(z.string(), storedFailure),
  /** The schedules' IDs, and when the date was due, in ms. */
  cases: z.array(z.object({ schedule: z.string(), due: z.int() })).readonly(),
  /** It says that nothing is to be done any more. */
  isOver: z.boolean().exactOptional(),
});
type NoticeAbout = Readonly<z.infer<typeof about>>;
type Notice = OutboxMessage<NoticeAbout>;
type Case = NoticeAbout['cases'][number];

/** The owner is told of a project that gives no answer in this many posts in a row. */
const TELL_AFTER = 2;
/** Causes that a manager alone can mend, and that no reminder is about. */
const FOR_MANAGERS: readonly string[] = ['not-connected', 'connection-missing', 'not-allowed'];
const DELIVERED: readonly string[] = ['posted', 'posted-late', 'skipped'] satisfies LastDelivery['result'][];

/** What the last delivery of a schedule has to tell its owner; undefined for nothing. */
function newsOf({ id, owner, paused }: Schedule, workspace: Workspace): NoticeAbout | undefined {
  const last = workspace.lastSent(id);
  if (last === undefined || paused !== undefined) return undefined;
  const { result, cause, due, unanswered = {} } = last;
  const cases = [{ schedule: id, due }];
  if ((result === 'failed' || result === 'paused') && cause && cause.data?.reason !== 'schedule-changed')
    return { owner, why: result, causes: { '': cause }, cases };
  const silent = Object.entries(unanswered).filter(([, { posts }]) => posts === TELL_AFTER);
  if (!DELIVERED.includes(result) || silent.length === 0) return undefined;
  const causes = Object.fromEntries(silent.map(([key, project]) => [key, project.cause]));
  return { owner, why: 'unanswered', causes, cases };
}

const isSameNews = (a: NoticeAbout, b: NoticeAbout): boolean =>
  isDeepStrictEqual([a.owner, a.why, a.causes], [b.owner, b.why, b.causes]);

/** The news of a workspace: one for all schedules of an owner that share a cause. */
const allNews = (workspace: Workspace): readonly NoticeAbout[] =>
  workspace.schedules
    .flatMap((schedule) => newsOf(schedule, workspace) ?? [])
    .reduce<readonly NoticeAbout[]>((all, news) => {
      const same = all.find((other) => isSameNews(other, news));
      const cases = [...(same?.cases ?? []), ...news.cases];
      return [...all.filter((other) => other !== same), { ...news, cases }];
    }, []);

/** The cases that these notices of it don't tell; a pause is told once, until it is over. */
function untold({ why, cases }: NoticeAbout, notices: readonly Notice[]): readonly Case[] {
  const told = notices.flatMap((notice) => (notice.about.isOver ? [] : notice.about.cases));
  const isTold = (one: Case, other: Case): boolean =>
    other.schedule === one.schedule && (why === 'paused' || other.due === one.due);
  return cases.filter((one) => !told.some((other) => isTold(one, other)));
}

/** The notices of this news to one person, who may have passed them on: the last part of the key says whom it was meant for. */
const noticesTo = (person: SlackId, news: NoticeAbout, { snapshot }: Pick<RunView, 'snapshot'>) =>
  messagesOf(noticeKind, snapshot).filter(
    ({ key, about: known }) => key.endsWith(`/${person}`) && isSameNews(known, news),
  );

/** One that says what is paused takes in what the same cause stops later. */
const takesIn = ({ state, about: { why, isOver } }: Notice): boolean =>
  why === 'paused' && !isOver && state !== 'skipped' && state !== 'failed';

/** The owner; a manager as well where only managers can mend it. Nobody where a reminder says the same, or without a token. */
function recipientsOf({ owner, causes, cases }: NoticeAbout, workspace: Workspace): readonly SlackId[] {
  const { managers } = workspace.settings;
  const cause = causes[''];
  const kind = cause?.kind ?? '';
  if (kind === 'not-installed' || cause?.data?.reason === 'slack-token-rejected') return [];
  const connections = workspace.schedules
    .filter(({ id }) => cases.some(({ schedule }) => schedule === id))
    .flatMap((schedule) => connectionsOf(schedule, workspace));
  const registrars = connections.map((name) => workspace.connections.get(name)?.registeredBy);
  if (kind === 'token-rejected' && [...managers, ...registrars].includes(owner)) return [];
  const isForManagers = FOR_MANAGERS.includes(kind) && !managers.includes(owner);
  const manager = isForManagers && responsiblePeople(workspace).find((person) => person !== owner);
  return manager ? [owner, manager] : [owner];
}

/** New notices, and those that are no longer needed to know what was told. */
export function planNotices(view: RunView) {
  const { workspace, snapshot, now } = view;
  const messages = allNews(workspace).flatMap((news) =>
    recipientsOf(news, workspace).flatMap((to) => {
      const known = noticesTo(to, news, view);
      const cases = untold(news, known);
      const key = `notice/${news.owner}/${news.why}-${hashOf([news.causes, cases[0]])}/${to}`;
      if (cases.length === 0 || known.some((notice) => takesIn(notice) || notice.key === key)) return [];
      return [newMessage(key, to, { ...news, cases }, now)];
    }),
  );
  const isCurrent = ({ schedule, due }: Case): boolean => workspace.lastSent(schedule)?.due === due;
  const isStale = (notice: Notice): boolean =>
    isFinal(notice) && !takesIn(notice) && !notice.about.cases.some(isCurrent);
  return { messages, stale: messagesOf(noticeKind, snapshot).filter(isStale) };
}

/** Whether the owner still has to know it. */
function isLive({ owner, why }: NoticeAbout, { schedule: id, due }: Case, workspace: Workspace): boolean {
  const schedule = workspace.schedules.find((one) => one.id === id);
  const last = workspace.lastSent(id);
  if (schedule?.owner !== owner || schedule.paused !== undefined || last === undefined) return false;
  if (why === 'paused') return !(DELIVERED.includes(last.result) && last.due >= due);
  return last.due === due && (why === 'unanswered' || last.result === 'failed');
}

/** All that a notice is about by now. */
function casesOf(notice: Notice, view: Pick<RunView, 'workspace' | 'snapshot'>): readonly Case[] {
  const news = allNews(view.workspace).find((other) => isSameNews(other, notice.about));
  const person = notice.key.slice(notice.key.lastIndexOf('/') + 1);
  const added = news === undefined || !takesIn(notice) ? [] : untold(news, noticesTo(person, news, view));
  return [...notice.about.cases, ...added];
}

export const noticeKind: MessageKind<NoticeAbout> = {
  name: 'notice',
  about,
  dueAt(message, view) {
    const at = dueTime(message, view.now);
    if (message.state !== 'posted' || at !== undefined || !takesIn(message)) return at;
    const cases = casesOf(message, view);
    const isOver = !cases.some((one) => isLive(message.about, one, view.workspace));
    return isOver || cases.length > message.about.cases.length ? 0 : undefined;
  },
  async prepare(message, context) {
    const { workspace, clock } = context;
    const { owner } = message.about;
    const cases = casesOf(message, context);
    const isOver = !cases.some((one) => isLive(message.about, one, workspace));
    if (message.state !== 'posted') {
      if (isOver) return { outcome: 'skipped', message: undefined };
      // A manager needs none of an owner who manages as an admin.
      if (!message.key.endsWith(`/${owner}`) && (await findRecipient(owner, context)).scope.isUnlimited)
        return { outcome: 'skipped', message: { ...message, state: 'skipped', at: clock() } };
    }
    const told: NoticeAbout = { ...message.about, cases, ...(isOver && { isOver }) };
    return {
      projects: [],
      about: told,
      render: (at, recipient) => drawNotice(told, recipient, at),
    };
  },
};

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

/** A notice about several schedules lists up to this many. */
const MAX_LISTED = 15;

/**
 * What a notice says to its reader. A project that the reader may not ask about is not named, nor is the cause told, which
 * may name it.
 *
 * @param at ms since the epoch
 */
export function drawNotice(
  notice: NoticeAbout,
  { workspace, scope }: Pick<Recipient, 'workspace' | 'scope'>,
  at: Millis,
): SlackMessage {
  const { why, causes, isOver = false } = notice;
  const cases = notice.cases.flatMap((one) => {
    const schedule = workspace.schedules.find(({ id }) => id === one.schedule);
    return schedule && (isOver || isLive(notice, one, workspace)) ? [{ ...one, schedule }] : [];
  });
  const [only, ...others] = cases;
  const isOne = others.length === 0;
  const titleOf = (schedule: Schedule): string => describeReport(schedule, workspace, scope);
  const title = only === undefined ? 'A scheduled post' : titleOf(only.schedule);
  const text = `${isOne ? title : `${cases.length} scheduled posts`} ${happenedText(notice, isOne, workspace)}`;
  if (isOver) return { text, blocks: [markup(`*${escapeMarkup(text)}*`)] };
  const lines = cases.map(({ schedule, due }) => {
    const where = `${channelLink(schedule.channel)}, due ${escapeMarkup(formatMoment(due, schedule.timing.zone))}`;
    return isOne ? `In ${where}` : `${escapeMarkup(titleOf(schedule))} in ${where}`;
  });
  const projects = cases.flatMap(({ schedule }) => schedule.projects);
  const isVisible = projects.every((project) => canAskAbout(project, workspace, scope));
  const today = dayAt(at, only?.schedule.timing.zone ?? workspace.settings.zone);
  const sentences = Object.entries(causes).map(([key, cause]) => {
    const label = key === '' ? '' : `${projectLabel(chosenByKey(key, projects), workspace)}: `;
    return `${label}${wordFailure(cause, today)}`;
  });
  const cause = isVisible ? sentences.join(' ') : '';
  const value = only && isOne ? { value: only.schedule.id } : {};
  const [label, action] =
    why === 'paused'
      ? (['Try again', 'schedule-resume'] as const)
      : (['Send it now', 'schedule-now'] as const);
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
        isOne && why !== 'unanswered' && button(action, label, { ...value, style: 'primary' }),
        button('schedule-list', 'Open schedules', value),
      ),
    ],
  };
}

function happenedText(
  { why, causes, cases, isOver }: NoticeAbout,
  isOne: boolean,
  workspace: Workspace,
): string {
  const isDelivered = ({ schedule }: Case) => DELIVERED.includes(workspace.lastSent(schedule)?.result ?? '');
  if (isOver && !cases.some(isDelivered)) return 'needs nothing any more';
  if (isOver) return isOne ? 'works again' : 'work again';
  if (why === 'unanswered') return `${isOne ? 'was' : 'were'} posted without all figures twice in a row`;
  if (why === 'paused') return `${isOne ? 'is' : 'are'} paused`;
  if (causes['']?.mayBePosted) return 'may not have been posted';
  return `${isOne ? 'wasn’t' : 'weren’t'} posted`;
}

const remedyOf = ({ causes: { '': cause } }: NoticeAbout): string =>
  cause?.kind === 'not-sent' ? String(cause.data?.reason) : (cause?.kind ?? '');

function nextSteps(notice: NoticeAbout, canManage: boolean, workspace: Workspace): readonly string[] {
  const { why, causes } = notice;
  const remedy = remedyOf(notice);
  const [everybody, manager = everybody] = REMEDIES[remedy] ?? [];
  const step = canManage ? manager : everybody;
  const isGivenUp = why === 'failed' && !causes['']?.mayBePosted;
  const isShared = remedy === 'token-rejected' || recipientsOf(notice, workspace).length > 1;
  return compact([
    step && escapeMarkup(step),
    why === 'paused' && 'Tally tries again with the next post, and as soon as something changes.',
    isGivenUp && 'Tally tried for an hour. The next post mentions this date.',
    isShared && (canManage ? 'The owner was notified too.' : 'A Tally manager was notified too.'),
  ]);
}
