/** Tells owners that a post failed, or that a schedule or watch is paused: one message for each cause. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { commandText } from '../domain/command-names.ts';
import { failureSentence, kindOf, storedFailureSchema } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { dayAt, formatMoment, type Millis } from '../domain/time/calendar.ts';
import { limitLines, pluralize } from '../domain/wording.ts';
import { targetMarkup } from '../slack/automations/automation.ts';
import {
  actions,
  button,
  compact,
  escapeMarkup,
  joinTexts,
  markup,
  type Message as SlackMessage,
} from '../slack/block-kit/blocks.ts';
import { type ChosenProject, connectionsOf, describeProjects } from '../workspace/projects/chosen-project.ts';
import { canAskAbout } from '../workspace/projects/project-scope.ts';
import { hashOf } from '../workspace/record/audited-change.ts';
import type { Schedule, Watch } from '../workspace/record/automation-records.ts';
import type { Workspace } from '../workspace/record/workspace.ts';
import { dropMessage, newMessage, type OutboxMessage, putMessage } from './delivery-log.ts';
import type { MessageKind, Plan, Recipient } from './outbox/message-kind.ts';
import { responsiblePeople } from './outbox/recipients.ts';
import { describeReport } from './posts/post-message.ts';
import { isHandled, type LastDelivery, lastDelivery } from './posts/post-record.ts';
import type { RunView } from './run-context.ts';
import { canCheck, pauseCauseOf } from './watches/check-watches.ts';

const noticeAbout = z.object({
  owner: z.string(),
  /** `failed`: one date's post wasn't sent. `paused`: a person must fix the cause first. */
  why: z.enum(['failed', 'paused']),
  cause: storedFailureSchema,
  /** Schedules, each with the time when its post was due, and watches. */
  cases: z.array(z.object({ id: z.string(), due: z.int().exactOptional() })).readonly(),
});
type NoticeAbout = Readonly<z.infer<typeof noticeAbout>>;
type Notice = OutboxMessage<NoticeAbout>;
type Case = NoticeAbout['cases'][number];

const DELIVERED: readonly string[] = ['posted', 'posted-late'] satisfies LastDelivery['result'][];

type NoticeView = Pick<RunView, 'workspace' | 'snapshot'>;

type Item = Schedule | Watch;
const isWatch = (item: Item): item is Watch => 'rule' in item;
const isSchedule = (item: Item): item is Schedule => !isWatch(item);
const itemsOf = ({ schedules, watches }: Workspace): readonly Item[] => [...schedules, ...watches];
const findItem = ({ id }: Pick<Case, 'id'>, workspace: Workspace) =>
  itemsOf(workspace).find((item) => item.id === id);

function newsOf(item: Item, view: NoticeView): NoticeAbout | undefined {
  const { id, owner, paused } = item;
  if (paused !== undefined) return undefined;
  if (isWatch(item)) {
    const cause = pauseCauseOf(item, view);
    return cause && { owner, why: 'paused', cause, cases: [{ id }] };
  }
  const { result, cause, due = 0 } = lastDelivery(id, view.snapshot) ?? {};
  if (cause === undefined || (result !== 'failed' && result !== 'paused')) return undefined;
  return { owner, why: result, cause, cases: [{ id, due }] };
}

const isSameNews = (a: NoticeAbout, b: NoticeAbout): boolean =>
  isDeepStrictEqual([a.owner, a.why, a.cause], [b.owner, b.why, b.cause]);

function newsOfAll(view: NoticeView): readonly NoticeAbout[] {
  const all = itemsOf(view.workspace).flatMap((item) => newsOf(item, view) ?? []);
  const isFirst = (news: NoticeAbout, at: number) => all.findIndex((other) => isSameNews(other, news)) === at;
  const casesLike = (news: NoticeAbout) =>
    all.filter((other) => isSameNews(other, news)).flatMap(({ cases }) => cases);
  return all.filter(isFirst).map((news) => ({ ...news, cases: casesLike(news) }));
}

/** While a pause lasts, schedules and watches that the same cause pauses later are added to the notice. */
const isOpenPause = ({ state, about }: Notice): boolean => about.why === 'paused' && state !== 'failed';

/** Nobody gets a notice if a reminder already tells the owner about the cause, or if Slack rejects Tally's token. */
function recipientsOf({ owner, cause, cases }: NoticeAbout, workspace: Workspace): readonly SlackId[] {
  const { managers } = workspace.settings;
  const { kind } = cause;
  if (kind === 'not-installed') return [];
  const items = cases.flatMap((one) => findItem(one, workspace) ?? []);
  const connections = items.flatMap((item) => connectionsOf(item, workspace));
  const registrars = connections.map((name) => workspace.connections.get(name)?.registeredBy);
  // A reminder tells managers and registrars about a rejected token.
  if (kind === 'token-rejected') return [...managers, ...registrars].includes(owner) ? [] : [owner];
  const isForManagers = kindOf(kind)?.fixedBy === 'manager' && !managers.includes(owner);
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
      // A continuing pause needs no second notice, even if a later date is due.
      const isKnown = ({ id, due }: Case) =>
        known.some((other) => other.id === id && (news.why === 'paused' || other.due === due));
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
  const isOld = (one: Case) => lastDelivery(one.id, snapshot)?.due !== one.due;
  const isStale = (notice: Notice): boolean =>
    isHandled(notice) &&
    !isOpenPause(notice) &&
    notice.about.cases.every((one) => isOld(one) && stateOf(one, notice.about, view) !== 'open');
  return { writes: [...notices.filter(isStale).map(dropMessage), ...messages.map(putMessage)] };
}

/** `gone`: the schedule or watch needs no attention any more, for example because somebody paused or deleted it. */
function stateOf(one: Case, { owner, why }: NoticeAbout, view: NoticeView): 'open' | 'works' | 'gone' {
  const item = findItem(one, view.workspace);
  if (item === undefined || item.paused !== undefined) return 'gone';
  const last = isWatch(item) ? undefined : lastDelivery(item.id, view.snapshot);
  if (isWatch(item) ? canCheck(item, view) : DELIVERED.includes(last?.result ?? '')) return 'works';
  const isFailed = last !== undefined && last.due === one.due && last.result === 'failed';
  const isOpen = isWatch(item) || (why === 'paused' ? last !== undefined : isFailed);
  return isOpen && item.owner === owner ? 'open' : 'gone';
}

const isSettled = (notice: NoticeAbout, view: NoticeView): boolean =>
  !notice.cases.some((one) => stateOf(one, notice, view) === 'open');

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

const NEXT_STEPS: Readonly<Record<string, string>> = {
  archived: 'Unarchive the channel, or choose another in the schedule.',
  'not-there': 'Type /invite @Tally in the channel.',
  restricted: 'Ask an admin to let Tally post there, or choose another channel in the schedule.',
  'not-allowed': 'Choose another channel, or have a Tally manager allow this one for the project.',
};
const CONNECT = `A Tally manager can fix this with ${commandText('/billing connect')}.`;

const isAboutConnection = ({ cause: { kind } }: NoticeAbout): boolean =>
  kindOf(kind)?.fixedBy === 'manager' && kind !== 'not-allowed';

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
    const item = findItem(one, workspace);
    return item && (isOver || stateOf(one, notice, view) === 'open') ? [{ ...one, item }] : [];
  });
  const items = cases.map(({ item }) => item);
  const [only, ...others] = items;
  const isOne = others.length === 0;
  const titleOf = (item: Item): string =>
    isWatch(item)
      ? `The ${item.rule.kind} watch for ${describeProjects(item, workspace, scope)}`
      : describeReport(item, workspace, scope);
  const subject = only && isOne ? titleOf(only) : countText(notice, items);
  const text = `${subject} ${happenedText(notice, isOne, isOver, view)}`;
  if (isOver) return { text, blocks: [markup(`*${escapeMarkup(text)}*`)] };
  const lines = cases.map(({ item, due }) => {
    const where = `${item.channel ? 'in' : 'for'} ${targetMarkup(item)}${dueText(item, due)}`;
    return isOne
      ? where.replace(/^./, (first) => first.toUpperCase())
      : `${escapeMarkup(titleOf(item))} ${where}`;
  });
  const projects = items.flatMap((item): readonly ChosenProject[] => item.projects);
  const isVisible = projects.every((project) => canAskAbout(project, workspace, scope));
  const { zone } = only && isSchedule(only) ? only.timing : workspace.settings;
  const cause = isVisible ? failureSentence(notice.cause, dayAt(at, zone)) : '';
  const [label, action] = why === 'paused' ? ['Try again', 'retry'] : ['Send it now', 'now'];
  return {
    text: `${text}. ${cause}`.trim(),
    blocks: [
      markup(
        joinTexts('\n', [
          `*${escapeMarkup(text)}*`,
          ...limitLines(lines, MAX_LISTED),
          escapeMarkup(cause),
          ...nextSteps(notice, items, scope.isUnlimited, workspace),
        ]),
      ),
      actions(
        scope.isUnlimited && isAboutConnection(notice) && button('connect', 'Connect…'),
        only &&
          isOne &&
          isSchedule(only) &&
          button(`schedule-row:${action}`, label, { value: `${action} ${only.id}`, style: 'primary' }),
        items.some(isSchedule) && button('schedule-list', 'Open schedules'),
        items.some(isWatch) && button('watch-list', 'Open watches'),
      ),
    ],
  };
}

/** `2 scheduled posts and 1 watch`; `A watch` if it was deleted */
function countText({ cases: [first] }: NoticeAbout, items: readonly Item[]): string {
  if (items.length === 0) return first?.due === undefined ? 'A watch' : 'A scheduled post';
  const watches = items.filter(isWatch).length;
  const posts = items.length - watches;
  return joinTexts(' and ', [
    posts > 0 && pluralize(posts, 'scheduled post'),
    watches > 0 && pluralize(watches, 'watch', 'watches'),
  ]);
}

const dueText = (item: Item, due: Millis | undefined): string =>
  isSchedule(item) && due !== undefined ? `, due ${escapeMarkup(formatMoment(due, item.timing.zone))}` : '';

function happenedText(notice: NoticeAbout, isOne: boolean, isOver: boolean, view: NoticeView): string {
  const { why, cause, cases } = notice;
  if (isOver && !cases.some((one) => stateOf(one, notice, view) === 'works'))
    return isOne ? 'no longer needs attention' : 'no longer need attention';
  if (isOver) return isOne ? 'works again' : 'work again';
  if (why === 'paused') return `${isOne ? 'is' : 'are'} paused`;
  if (cause.mayBePosted) return 'may not have been posted';
  return `${isOne ? 'wasn’t' : 'weren’t'} posted`;
}

function nextSteps(
  notice: NoticeAbout,
  items: readonly Item[],
  canManage: boolean,
  workspace: Workspace,
): readonly string[] {
  const { why, cause } = notice;
  const step = NEXT_STEPS[cause.kind === 'cannot-post' ? String(cause.data?.reason) : cause.kind];
  const isGivenUp = why === 'failed' && !cause.mayBePosted;
  const isShared = cause.kind === 'token-rejected' || recipientsOf(notice, workspace).length > 1;
  return compact([
    step ?? (isAboutConnection(notice) && CONNECT),
    items.some(isWatch) && 'Watches resume by themselves once this is fixed.',
    why === 'paused' &&
      items.some(isSchedule) &&
      'Tally tries again when the next post is due, or once the schedule or the connection changes.',
    isGivenUp && 'Tally tried for an hour. The next post will mention this one.',
    isShared && (canManage ? 'The owner was notified too.' : 'A Tally manager was notified too.'),
  ]);
}
