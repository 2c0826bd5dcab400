import type { Button, SectionBlock } from '@slack/types';
import { HIDDEN_PROJECT } from '../../delivery/posts/schedule-wording.ts';
import type { WatchState } from '../../delivery/watches/watch-service.ts';
import { pluralize } from '../../domain/language/text.ts';
import { commandButton, pageButtons } from '../../slack/commands/command-buttons.ts';
import {
  actions,
  type Block,
  button,
  context,
  header,
  type Message,
  markup,
  section,
} from '../../slack/kit/atoms.ts';
import { deletedMessage, pageOf, type RowChoice, withRowMenu } from '../../slack/owned/list.ts';
import { findOrphans, type ListViewer } from '../../slack/owned/ownership.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { damagedIds, type Workspace } from '../../workspace/record/workspace.ts';
import { describeWatch, isSnoozed } from './blocks.ts';
import type { WatchesParts } from './draft-view.ts';
import { canReadWatch, channelOfWatch, watchesVisibleTo } from './permissions.ts';
import { watchText } from './wording.ts';

/** What was just done. */
export interface WatchNotice {
  /** Mrkdwn */
  readonly text: string;
  /** What to choose from. */
  readonly buttons?: readonly Button[];
}

type Reader = ListViewer & Pick<Request, 'locale' | 'at'>;

interface States {
  readonly stateOf: (watch: Watch) => WatchState | undefined;
  /** Whether this person may adopt it. */
  readonly isOrphan: (watch: Watch) => boolean;
}

interface ShowOptions {
  readonly notice?: WatchNotice;
  readonly page?: number;
  /** Whether to post the list below the message with the button instead of replacing it. */
  readonly isApart?: boolean;
}

/** Replies with the list, read again after a change. */
export async function showWatches(
  { workspaces, watching }: WatchesParts,
  request: Request,
  { notice, page = 1, isApart = false }: ShowOptions = {},
): Promise<void> {
  const workspace = notice === undefined ? request.workspace : await workspaces.read(request.user.teamId);
  const now = { ...request, workspace };
  const { shown } = pageOf(watchesVisibleTo(now), page);
  const [isOrphan, states] = await Promise.all([
    findOrphans(shown, channelOfWatch, now),
    watching.readStates(workspace),
  ]);
  const stateOf = (watch: Watch) => (canReadWatch(watch, now) ? states.get(watch.id) : undefined);
  const view = { isOrphan, stateOf };
  const message = watchListMessage({ page, notice }, { ...now, ...view });
  await (isApart ? request.reply.private(message) : request.reply.update(message));
}

function watchListMessage(
  { page, notice }: { readonly page: number; readonly notice: WatchNotice | undefined },
  viewer: Reader & States,
): Message {
  const { all, pages, number, shown } = pageOf(watchesVisibleTo(viewer), page);
  const { canManage } = viewer.user;
  const news = [
    ...(notice === undefined ? [] : [markup(notice.text)]),
    ...(notice?.buttons === undefined ? [] : [actions(...notice.buttons)]),
    ...(canManage && damagedWatches(viewer.workspace).length > 0 ? damagedBlocks() : []),
  ];
  if (all.length === 0)
    return { text: notice?.text ?? NONE, blocks: [...news, section(NONE), actions(...addButton())] };
  const title = pluralize(all.length, 'watch', 'watches');
  const turns = pageButtons(number, pages, (to) => ({ command: '/billing watches', text: `page ${to}` }));
  return {
    text: notice?.text ?? title,
    blocks: [
      ...news,
      header(title),
      ...shown.map((one) => watchRow(one, viewer)),
      actions(...turns, ...addButton()),
      context(
        [
          ...(pages > 1 ? [`page ${number} of ${pages}`] : []),
          canManage
            ? 'all watches of this workspace'
            : 'watches of this channel, yours, and those that alert you',
        ].join(' · '),
      ),
    ],
  };
}

const NONE =
  'No watches here yet. Tally can alert you before the money runs out, when a budget is reached, or when a day costs too much.';
const DAMAGED =
  'The record of a watch is damaged, so Tally can’t show or check it. Remove it and set it up again.';
const damagedBlocks = (): Block[] => [
  section(DAMAGED),
  actions(button('watch-drop', 'Remove damaged watches', { style: 'danger' })),
];

/** IDs of the watches that cannot be read. */
export const damagedWatches = (workspace: Workspace): readonly string[] => damagedIds(workspace, 'watch');

const addButton = () => commandButton('watch', 'Watch…', { command: '/billing watch' }, { style: 'primary' });

/** The action ID of a row's menu; its value is an action and the watch's ID. */
export const WATCH_ROW_ACTION = 'watch-row';

export const watchRow = (watch: Watch, viewer: Reader & States): SectionBlock =>
  withRowMenu(markup(describeWatch(watch, viewer)), watch, viewer, {
    actionId: WATCH_ROW_ACTION,
    choices: choicesFor(watch, viewer),
    isOrphan: viewer.isOrphan(watch),
  });

const choicesFor = (watch: Watch, viewer: Reader): RowChoice[] => [
  watch.paused === undefined ? ['Pause', 'pause'] : ['Resume', 'resume'],
  ...(canReadWatch(watch, viewer) ? [['Edit…', 'edit'] as const] : []),
  isSnoozed(watch, viewer.at) ? ['Stop snoozing', 'wake'] : ['Snooze…', 'snooze'],
  ['Delete', 'delete'],
];

export const watchDeletedMessage = (watch: Watch, request: Request): Message =>
  deletedMessage({
    text: `Deleted the watch on ${
      canReadWatch(watch, request) ? watchText(watch, request.workspace, request.locale) : HIDDEN_PROJECT
    }. It won’t alert anyone again.`,
    ...{ id: watch.id, undoAction: 'watch-undo', listAction: 'watch-list', listLabel: 'All watches' },
  });
