/** Tells owners that a date was not posted, that nothing can be posted, or that projects keep giving no answer. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, type Millis } from '../../domain/time/calendar.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import { chosenByKey, connectionsOf, projectLabel } from '../../workspace/projects/chosen-project.ts';
import { canAskAbout } from '../../workspace/projects/project-visibility.ts';
import { storedFailure, wordFailure } from '../../workspace/record/stored-failure.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { RunView } from '../context.ts';
import { dueTime, type Message, newMessage } from '../outbox/message.ts';
import { type MessageKind, messagesOf } from '../outbox/message-kind.ts';
import { findRecipient, type Recipient, responsiblePeople } from '../outbox/recipient.ts';
import { failureNotice, type NoticeView } from './notice-blocks.ts';
import { isFinal } from './post-record.ts';
import { describeReport } from './run-report.ts';

const about = z.object({
  owner: z.string(),
  /** `failed`: a date wasn't posted. `paused`: nothing can be, until somebody mends it. `unanswered`: posted without all figures. */
  why: z.enum(['failed', 'paused', 'unanswered']),
  /** Why, by `<project id>:<product>`, or '' for the whole post. */
  causes: z.record(z.string(), storedFailure),
  /** The schedules' IDs, and when the date was due, in ms. */
  cases: z.array(z.object({ schedule: z.string(), due: z.int() })).readonly(),
  /** For a manager, besides the owner. */
  isForManager: z.boolean(),
  /** It says that nothing is to be done any more. */
  isOver: z.boolean().exactOptional(),
});
export type NoticeAbout = Readonly<z.infer<typeof about>>;
type Notice = Message<NoticeAbout>;
type Case = NoticeAbout['cases'][number];
/** What one notice is about: all schedules of an owner that share a cause. */
type Group = Omit<NoticeAbout, 'isForManager' | 'isOver'>;

/** The owner is told of a project that gives no answer in this many posts in a row. */
const TELL_AFTER = 2;
/** Causes that a manager alone can mend, and that no reminder is about. */
const FOR_MANAGERS: readonly string[] = ['not-connected', 'connection-missing', 'not-allowed'];
const DELIVERED: readonly string[] = ['posted', 'posted-late', 'skipped'];

/** What the last delivery of a schedule has to tell its owner; undefined for nothing. */
function newsOf({ id, owner, paused }: Schedule, workspace: Workspace): Group | undefined {
  const last = workspace.lastSent(id);
  if (last === undefined || paused !== undefined) return undefined;
  const { result, cause, due, unanswered = {} } = last;
  const cases = [{ schedule: id, due }];
  if ((result === 'failed' || result === 'paused') && cause && cause.why !== 'schedule-changed')
    return { owner, why: result, causes: { '': cause }, cases };
  const silent = Object.entries(unanswered).filter(([, { posts }]) => posts === TELL_AFTER);
  if (!DELIVERED.includes(result) || silent.length === 0) return undefined;
  const causes = Object.fromEntries(silent.map(([key, project]) => [key, project.cause]));
  return { owner, why: 'unanswered', causes, cases };
}

const isSameNews = (a: Group, b: Group): boolean =>
  a.owner === b.owner && a.why === b.why && isDeepStrictEqual(a.causes, b.causes);

/** The news of a workspace, by owner and cause. */
function groupsOf(workspace: Workspace): readonly Group[] {
  const groups: Group[] = [];
  for (const schedule of workspace.schedules) {
    const news = newsOf(schedule, workspace);
    const at = news === undefined ? -1 : groups.findIndex((group) => isSameNews(group, news));
    const group = groups[at];
    if (group && news) groups[at] = { ...group, cases: [...group.cases, ...news.cases] };
    else if (news) groups.push(news);
  }
  return groups;
}

/** The cases that these notices don't tell; a pause is told once, until it is over. */
function untold(group: Group, known: readonly Notice[]): readonly Case[] {
  const told = known
    .filter((notice) => isSameNews(group, notice.about) && notice.about.isOver === undefined)
    .flatMap((notice) => notice.about.cases);
  const isTold = (one: Case, other: Case): boolean =>
    other.schedule === one.schedule && (group.why === 'paused' || other.due === one.due);
  return group.cases.filter((one) => !told.some((other) => isTold(one, other)));
}

/** The last part of a notice's key is who it was meant for, whoever got it. */
const meantFor = ({ key }: Message): SlackId => key.slice(key.lastIndexOf('/') + 1);
/** One that waits to be sent, or that says in Slack what is paused, takes in further schedules. */
const takesIn = ({ state, about: { why, isOver } }: Notice): boolean =>
  isOver === undefined &&
  (state === 'due' || (why === 'paused' && !(state === 'skipped' || state === 'failed')));

/** The owner; a manager as well where only managers can mend it. Nobody where a reminder says the same, or without a token. */
function recipientsOf({ owner, causes, cases }: Group, workspace: Workspace): readonly SlackId[] {
  const { managers } = workspace.settings;
  const cause = causes[''];
  const kind = cause?.kind ?? '';
  if (kind === 'not-installed' || cause?.why === 'slack-token-rejected') return [];
  const projects = workspace.schedules
    .filter(({ id }) => cases.some(({ schedule }) => schedule === id))
    .flatMap((schedule) => schedule.projects);
  const connections = connectionsOf({ projects }, workspace);
  const registrars = connections.map((name) => workspace.connections.get(name)?.registeredBy);
  if (kind === 'token-rejected' && [...managers, ...registrars].includes(owner)) return [];
  const isForManagers = FOR_MANAGERS.includes(kind) && !managers.includes(owner);
  const manager = isForManagers && responsiblePeople(workspace).find((person) => person !== owner);
  return manager ? [owner, manager] : [owner];
}

/** New notices, and those that are no longer needed to know what was told. */
export function planNotices({ workspace, snapshot, now }: RunView) {
  const known = messagesOf(noticeKind, snapshot);
  const messages = groupsOf(workspace).flatMap((group) =>
    recipientsOf(group, workspace).flatMap((to) => {
      const own = known.filter((notice) => meantFor(notice) === to && isSameNews(group, notice.about));
      const cases = untold(group, own);
      const [first] = cases;
      if (first === undefined || own.some(takesIn)) return [];
      const key = `notice/${group.owner}/${group.why}-${first.schedule}-${first.due}/${to}`;
      return [newMessage(key, to, { ...group, cases, isForManager: to !== group.owner }, now)];
    }),
  );
  const isCurrent = ({ schedule, due }: Case): boolean => workspace.lastSent(schedule)?.due === due;
  const isStale = (notice: Notice): boolean =>
    isFinal(notice) && !takesIn(notice) && !notice.about.cases.some(isCurrent);
  return { messages, stale: known.filter(isStale) };
}

/** Whether the owner still has to know it. */
function isLive({ owner, why }: NoticeAbout, { schedule: id, due }: Case, workspace: Workspace): boolean {
  const schedule = workspace.schedules.find((one) => one.id === id);
  const last = workspace.lastSent(id);
  if (schedule?.owner !== owner || schedule.paused !== undefined || last === undefined) return false;
  if (why === 'paused') return !(DELIVERED.includes(last.result) && last.due >= due);
  return last.due === due && (why === 'unanswered' || last.result === 'failed');
}

/** What a notice has to take in since it was put. */
function addedCases(notice: Notice, { workspace, snapshot }: Pick<RunView, 'workspace' | 'snapshot'>) {
  const group = groupsOf(workspace).find((news) => isSameNews(news, notice.about));
  const own = messagesOf(noticeKind, snapshot).filter((other) => meantFor(other) === meantFor(notice));
  return group === undefined || !takesIn(notice) ? [] : untold(group, own);
}

export const noticeKind: MessageKind<NoticeAbout> = {
  name: 'notice',
  about,
  dueAt(message, view) {
    const at = dueTime(message, view.now);
    if (message.state !== 'posted' || at !== undefined || !takesIn(message)) return at;
    const isOver = !message.about.cases.some((one) => isLive(message.about, one, view.workspace));
    return isOver || addedCases(message, view).length > 0 ? 0 : undefined;
  },
  async prepare(message, context) {
    const { workspace, clock } = context;
    const cases = [...message.about.cases, ...addedCases(message, context)];
    const isOver = !cases.some((one) => isLive(message.about, one, workspace));
    if (message.state !== 'posted') {
      if (isOver) return { outcome: 'skipped', message: undefined };
      const { owner, isForManager } = message.about;
      if (isForManager && (await findRecipient(owner, context)).scope.isUnlimited)
        return { outcome: 'skipped', message: { ...message, state: 'skipped', at: clock() } };
    }
    const told: NoticeAbout = { ...message.about, cases, ...(isOver && { isOver }) };
    return {
      projects: [],
      about: told,
      render: (at, recipient) => failureNotice(viewOf(told, recipient, at)),
    };
  },
};

/** A project that the reader may not ask about is not named, nor is the cause told, which may name it. */
function viewOf(notice: NoticeAbout, { workspace, scope }: Recipient, at: Millis): NoticeView {
  const { cases, why, causes, isForManager, isOver = false } = notice;
  const reason = causes[''];
  const found = cases.flatMap((one) => {
    const schedule = workspace.schedules.find(({ id }) => id === one.schedule);
    if (schedule === undefined || (why === 'paused' && !isOver && !isLive(notice, one, workspace))) return [];
    return [{ ...one, schedule, title: describeReport(schedule, workspace, scope) }];
  });
  const projects = found.flatMap(({ schedule }) => schedule.projects);
  const isVisible = projects.every((project) => canAskAbout(project, workspace, scope));
  const today = dayAt(at, found[0]?.schedule.timing.zone ?? workspace.settings.zone);
  const sentences = Object.entries(causes).map(([key, cause]) => {
    const label = key === '' ? '' : `${projectLabel(chosenByKey(key, projects), workspace)}: `;
    return `${label}${wordFailure(cause, today)}`;
  });
  const isDelivered = ({ schedule }: Case) => DELIVERED.includes(workspace.lastSent(schedule)?.result ?? '');
  return {
    ...{ why, reason, isOver, isForManager },
    cases: found,
    cause: isVisible ? sentences.join(' ') : '',
    canManage: scope.isUnlimited,
    worksAgain: cases.some(isDelivered),
    isShared: reason?.kind === 'token-rejected' || recipientsOf(notice, workspace).length > 1,
  };
}
