/** The list of schedules or watches with its menus and buttons, and their health for Home and `/billing status`. */
import type { Button, SectionBlock } from '@slack/types';
import {
  actions,
  button,
  compact,
  context,
  header,
  joinTexts,
  type Message,
  markup,
  option,
  overflow,
  section,
} from '../block-kit/blocks.ts';
import { commandButton, pageButtons, toCommand } from '../commands/command-buttons.ts';
import type { Request } from '../request/request.ts';
import {
  type Automation,
  type AutomationKind,
  type AutomationView,
  canEditAutomation,
  canReadAutomation,
  createCommandOf,
  listCommandOf,
  pluralOf,
  visibleAutomations,
} from './automation.ts';

/** Each schedule or watch takes one of the 50 blocks that Slack allows in a message. */
const PAGE = 20;

interface ShowOptions {
  /** The first page is 1. A number past the last page shows the last page. */
  readonly page?: number;
  readonly notice?: string | undefined;
  readonly buttons?: readonly Button[];
}

export async function showAutomations<T extends Automation>(
  kind: AutomationKind<T>,
  request: Request,
  options: ShowOptions = {},
): Promise<void> {
  const workspace =
    options.notice === undefined ? request.workspace : await kind.workspaces.load(request.user.teamId);
  const viewer = { ...request, workspace };
  await request.reply.update(listMessage(kind, options, viewer, await kind.viewFor(viewer)));
}

function listMessage<T extends Automation>(
  kind: AutomationKind<T>,
  { notice, buttons, page = 1 }: ShowOptions,
  viewer: Request,
  view: AutomationView<T>,
): Message {
  const { create, none } = kind.words;
  const visible = visibleAutomations(kind, viewer);
  const { pages, number, shown } = pageOf(visible, page);
  const news = compact([notice !== undefined && markup(notice), buttons && actions(...buttons)]);
  const add = commandButton(kind.noun, create, toCommand(createCommandOf(kind)), { style: 'primary' });
  if (visible.length === 0)
    return { text: notice ?? none, blocks: [...news, section(none), actions(...add)] };
  const title = kind.words.count(visible.length);
  const turns = pageButtons(number, pages, (to) => toCommand(listCommandOf(kind), `page ${to}`));
  return {
    text: notice ?? title,
    blocks: [
      ...news,
      header(title),
      ...shown.map((item) => itemRow(kind.noun, item, viewer, view)),
      actions(...turns, ...add),
      ...(pages > 1 ? [context(`page ${number} of ${pages}`)] : []),
    ],
  };
}

export function pageOf<T>(all: readonly T[], page: number) {
  const pages = Math.max(1, Math.ceil(all.length / PAGE));
  const number = Math.min(Math.max(page, 1), pages);
  return { pages, number, shown: all.slice((number - 1) * PAGE, number * PAGE) };
}

/** The row's menu offers only the actions that this user may take. An option's value is `<action> <id>`. */
function itemRow<T extends Automation>(
  noun: AutomationKind['noun'],
  item: T,
  viewer: Request,
  { describe, choices: choicesOf }: AutomationView<T>,
): SectionBlock {
  const text = markup(joinTexts('\n', describe(item)));
  if (!canEditAutomation(item, viewer)) return text;
  const choices = compact([
    item.paused === undefined ? (['Pause', 'pause'] as const) : (['Resume', 'resume'] as const),
    canReadAutomation(item, viewer) && (['Edit…', 'edit'] as const),
    ...choicesOf(item),
    ['Delete…', 'delete'] as const,
  ]);
  const options = choices.map(([label, action]) => option(label, `${action} ${item.id}`));
  return { ...text, accessory: overflow(`${noun}-row`, options) };
}

const MOST_LINES = 5;

export async function automationHealth<T extends Automation>(kind: AutomationKind<T>, viewer: Request) {
  const { describe, needOf } = await kind.viewFor(viewer);
  const visible = visibleAutomations(kind, viewer).map((item) => ({ item, need: needOf(item) }));
  const all = visible.filter(({ need }) => need?.isTold !== true);
  const needy = all.filter(({ need }) => need !== undefined);
  const others = all.filter(({ need }) => need === undefined);
  const waiting = visible.length - all.length;
  const paused = others.filter(({ item }) => item.paused !== undefined).length;
  const problems = needy.map(({ need }) => need?.what);
  const stopped = problems.filter((what) => what === PAUSED_BY_TALLY).length;
  const summary = compact([
    `${all.length - paused - stopped} running`,
    waiting > 0 && `${waiting} waiting for billing`,
    paused > 0 && `${paused} paused`,
    ...[...new Set(problems)].map((what) => `*${problems.filter((one) => one === what).length} ${what}*`),
  ]);
  const line = ({ item, need }: (typeof all)[number]) => {
    const [label = '', action] = (canEditAutomation(item, viewer) && need?.fix) || [];
    return {
      level: need?.level ?? ('fine' as const),
      text: describe(item).filter(Boolean),
      ...(action && { fix: button(`${kind.noun}-row:${action}`, label, { value: `${action} ${item.id}` }) }),
    };
  };
  return {
    title: kind.words.title,
    summary: summary.join(' · '),
    lines: [...needy, ...others].map(line),
    maxLines: MOST_LINES,
    ...(all.length > MOST_LINES && { more: button(`${kind.noun}-list`, `All ${pluralOf(kind)}`) }),
  };
}
export const PAUSED_BY_TALLY = 'paused by Tally';
