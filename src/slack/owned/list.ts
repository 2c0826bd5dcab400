/** The list of schedules and that of watches, and the rows of both on pages that show other things as well. */

import type { Button, SectionBlock } from '@slack/types';
import { type HealthLevel, worstFirst } from '../../workspace/credentials/health.ts';
import { damagedIds } from '../../workspace/record/workspace.ts';
import { toCommand } from '../commands/command.ts';
import { commandButton, pageButtons } from '../commands/command-buttons.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  header,
  type Message,
  markup,
  option,
  overflow,
  section,
} from '../kit/blocks.ts';
import type { Request } from '../request/request.ts';
import { canEditOwned, canReadOwned, type OwnedItem, type OwnedKind, visibleItems } from './owned-kind.ts';

/** A section with a menu each; Slack takes 50 blocks a message. */
const PAGE = 20;
/** Rows of each kind at the top of a person's Home, and in `/billing status`. */
const MOST_IN_ATTENTION = 5;

interface ShowOptions {
  /** What was just done, as mrkdwn; then the list is read again. */
  readonly notice?: string | undefined;
  readonly buttons?: readonly Button[];
  /** From 1; numbers beyond the last page mean the last page. */
  readonly page?: number;
  /** What the list’s command says of which items they are, for the buttons to other pages. */
  readonly filter?: string;
  /** Words after the command that opens the form for a new item: they fill in its fields. */
  readonly createText?: string;
  /** Whether to post the list below the message with the button instead of replacing it. */
  readonly isApart?: boolean;
}

interface RowContext {
  /** The record and the place as the rows show them. */
  readonly viewer: Request;
  readonly details: unknown;
}

/** Replies with the list. */
export async function showOwned(kind: OwnedKind, request: Request, options: ShowOptions = {}): Promise<void> {
  const { notice, isApart = false } = options;
  const workspace =
    notice === undefined ? request.workspace : await kind.workspaces.load(request.user.teamId);
  const viewer = { ...request, workspace };
  const message = listMessage(kind, options, { viewer, details: await kind.load(viewer) });
  await (isApart ? request.reply.private(message) : request.reply.update(message));
}

function listMessage(
  kind: OwnedKind,
  { notice, buttons, page = 1, filter, createText = '' }: ShowOptions,
  rows: RowContext,
): Message {
  const { words, commands } = kind;
  const { viewer } = rows;
  const { canManage } = viewer.user;
  const { all, pages, number, shown } = pageOf(visibleItems(kind, viewer), page);
  const news = compact([
    notice !== undefined && markup(notice),
    buttons && actions(...buttons),
    ...(canManage && damagedIds(viewer.workspace, kind.kind).length > 0 ? damagedBlocks(kind) : []),
  ]);
  const setUp = toCommand(commands.create, createText);
  const create = commandButton(kind.kind, words.create, setUp, { style: 'primary' });
  if (all.length === 0)
    return { text: notice ?? words.none, blocks: [...news, section(words.none), actions(...create)] };
  const title = words.count(all.length);
  const turns = pageButtons(number, pages, (to) =>
    toCommand(commands.list, [filter, `page ${to}`].filter(Boolean).join(' ')),
  );
  const which = canManage ? `all ${kind.plural} of this workspace` : words.shownHere;
  return {
    text: notice ?? title,
    blocks: [
      ...news,
      header(title),
      ...shown.map((item) => itemRow(kind, item, rows)),
      actions(...turns, ...create),
      context([pages > 1 && `page ${number} of ${pages}`, which].filter(Boolean).join(' · ')),
    ],
  };
}

/** @param page from 1; numbers beyond the last page mean the last page */
export function pageOf<T>(all: readonly T[], page: number) {
  const pages = Math.max(1, Math.ceil(all.length / PAGE));
  const number = Math.min(Math.max(page, 1), pages);
  return { all, pages, number, shown: all.slice((number - 1) * PAGE, number * PAGE) };
}

const damagedBlocks = ({ kind, plural, actions: ids, words }: OwnedKind): Block[] => [
  section(
    `The record of a ${kind} is damaged, so Tally can’t show or ${words.verb} it. Remove it and set it up again.`,
  ),
  actions(button(ids.drop, `Remove damaged ${plural}`, { style: 'danger' })),
];

/** An item with a menu of what this person may do; the value of a choice is its action and the ID. */
function itemRow(kind: OwnedKind, item: OwnedItem, { viewer, details }: RowContext): SectionBlock {
  const text = markup(kind.describe(item, viewer, details));
  const choice = (label: string, action: string) => option(label, `${action} ${item.id}`);
  if (!canEditOwned(item, viewer)) return text;
  const options = compact([
    item.paused === undefined ? choice('Pause', 'pause') : choice('Resume', 'resume'),
    canReadOwned(item, viewer) && choice('Edit…', 'edit'),
    ...kind.choices(item, viewer).map(([label, action]) => choice(label, action)),
    choice('Delete', 'delete'),
  ]);
  return { ...text, accessory: overflow(kind.actions.row, options) };
}

/** For the top of a person's Home: the items that need attention, or the first of them with a button to all. */
export const attentionRows = (
  kind: OwnedKind,
  items: readonly OwnedItem[],
  rows: RowContext,
): readonly Block[] => [
  ...items.slice(0, MOST_IN_ATTENTION).map((item) => itemRow(kind, item, rows)),
  ...(items.length > MOST_IN_ATTENTION
    ? [
        markup(`*${items.length - MOST_IN_ATTENTION} more* ${kind.plural} need attention.`),
        actions(button(kind.actions.list, `All ${kind.plural}`)),
      ]
    : []),
];

/** Items that `/billing status` counts: `2 paused by Tally`. */
interface Attention {
  readonly items: readonly OwnedItem[];
  readonly what: string;
  readonly health: HealthLevel;
}

/** For `/billing status` of managers: what can't run until one of them removes it. */
export function damagedStatus(kind: OwnedKind, { workspace, user }: Request) {
  const { length: problems } = damagedIds(workspace, kind.kind);
  return user.canManage && problems > 0
    ? [{ health: 'broken' as const, problems, blocks: damagedBlocks(kind) }]
    : [];
}

/** For `/billing status`: how many run, are paused by a person and need attention; below it the first of `items`. */
export function statusPart(
  kind: OwnedKind,
  [running, paused]: readonly [running: number, paused: number],
  attention: readonly Attention[],
  items: readonly OwnedItem[],
  viewer: Request,
  details: unknown,
) {
  const found = attention.filter((some) => some.items.length > 0);
  const problems = found.filter(({ health }) => health !== 'fine');
  const counts = compact([
    `${running} running`,
    paused > 0 && `${paused} paused`,
    ...found.map(({ items: some, what }) => `*${some.length} ${what}*`),
  ]);
  const blocks: readonly Block[] = [
    markup(`*${kind.words.title}* · ${counts.join(' · ')}`),
    ...items.slice(0, MOST_IN_ATTENTION).map((item) => markup(kind.describe(item, viewer, details))),
    actions(button(kind.actions.list, `All ${kind.plural}`)),
  ];
  const health = worstFirst(problems)[0]?.health ?? 'fine';
  return { health, problems: problems.flatMap((some) => some.items).length, blocks };
}
