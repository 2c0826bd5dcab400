/** The list of schedules or watches with its menus and buttons, and their health for Home and `/billing status`. */
import type { Button, SectionBlock } from '@slack/types';
import { Failure } from '../../domain/failure/index.ts';
import type { Reader } from '../../domain/language/parsed-command.ts';
import { readerIn } from '../../workspace/record/workspace.ts';
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
import { type HelpLine, helpMessage } from '../commands/help.ts';
import { parsePage } from '../commands/subcommands.ts';
import type { HandlerRules, Request } from '../request/request.ts';
import {
  type ActionHandler,
  type CommandHandler,
  type Listeners,
  lookUp,
  onClick,
} from '../server/handlers.ts';
import {
  type Automation,
  type AutomationAction,
  type AutomationKind,
  type AutomationView,
  canEditAutomation,
  canReadAutomation,
  changeAutomation,
  createCommandOf,
  deletedText,
  listCommandOf,
  pluralOf,
  requireAutomation,
  visibleAutomations,
} from './automation.ts';
import { findItemProblem } from './automation-form.ts';

/** An item takes one of the 50 blocks that Slack allows in a message. */
const PAGE = 20;

interface ShowOptions {
  /** From 1; a number past the end shows the last page. */
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

/** The row has a menu of what this user may do. A menu value is `<action> <id>`. */
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

async function automationHealth<T extends Automation>(kind: AutomationKind<T>, viewer: Request) {
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

interface AutomationFeature<T extends Automation, Words> {
  readonly kind: AutomationKind<T>;
  readonly form: {
    readonly listeners: Pick<Required<Listeners>, 'actions' | 'options' | 'views'>;
    readonly openNew: (words: Words, request: Request) => Promise<void>;
    readonly openFor: AutomationAction<T>;
  };
  readonly help: readonly HelpLine[];
  /** The last line of the help page. */
  readonly small: string;
  /** Parses the words of the command that opens the form. @throws InvalidWord, secret-pasted */
  readonly parse: (text: string, reader: Reader) => Words;
}

export function createAutomationFeature<T extends Automation, Words>(feature: AutomationFeature<T, Words>) {
  const { kind, form, parse } = feature;
  const help = (request: Request) => helpMessage(kind.words.title, feature.help, feature.small, request);
  const ownerActions = { ...sharedActions(kind, form.openFor), ...kind.actions };
  const readerOf = ({ workspace, at }: Request) => readerIn(workspace, at);

  const needsOf = (action: string): Partial<HandlerRules> =>
    action === 'edit' ? { opensForm: true } : { changes: true };
  /** @param action, id both untrusted @throws not-allowed unless the user owns the item or manages Tally */
  async function act(action: string, id: string, request: Request): Promise<void> {
    const item = requireAutomation(kind, id, request, action);
    if (item === undefined) return showAutomations(kind, request, { notice: deletedText(kind) });
    await lookUp<AutomationAction<T>>(ownerActions, action)?.(item, request);
  }
  const creating: CommandHandler = {
    right: 'member',
    help,
    opensForm: true,
    parse: (rest, _, reader) => parse(rest, reader),
    run: (rest, request) => form.openNew(parse(rest, readerOf(request)), request),
  };
  /** **Ask a manager** passes on a menu action as words of a command: `/billing schedules pause abcd1234`. */
  const readAction = (text: string) => {
    const [, action = '', id = ''] = /^([a-z]+) ([a-z0-9]{8})$/.exec(text) ?? [];
    return Object.hasOwn(ownerActions, action) ? { action, id } : undefined;
  };
  const listing: CommandHandler = {
    right: 'member',
    help,
    needs(text) {
      const asked = readAction(text);
      return asked === undefined ? {} : needsOf(asked.action);
    },
    parse: (text) => (readAction(text) === undefined ? parsePage(text, pluralOf(kind)) : undefined),
    run(text, request) {
      const asked = readAction(text);
      return asked === undefined
        ? showAutomations(kind, request, { page: parsePage(text, pluralOf(kind)) })
        : act(asked.action, asked.id, request);
    },
  };
  const row: ActionHandler = {
    right: 'member',
    needs: (value) => needsOf(value.split(' ')[0] ?? ''),
    run({ value }, request) {
      const [action = '', id = ''] = value.split(' ');
      return act(action, id, request);
    },
  };
  return {
    ...form.listeners,
    help: feature.help,
    health: (viewer: Request) => automationHealth(kind, viewer),
    verbs: { [kind.noun]: creating, [pluralOf(kind)]: listing },
    actions: {
      ...form.listeners.actions,
      [`${kind.noun}-row`]: row,
      [`${kind.noun}-list`]: onClick('member', {}, (_, request) => showAutomations(kind, request)),
    },
  };
}

const sharedActions = <T extends Automation>(
  kind: AutomationKind<T>,
  edit: AutomationAction<T>,
): Readonly<Record<string, AutomationAction<T>>> => ({
  async edit(item, request) {
    if (!canReadAutomation(item, request)) throw new Failure('not-allowed', { reason: 'channel' });
    await edit(item, request);
  },
  async pause({ id }, request) {
    const paused = { at: request.at, by: request.user.id };
    await changeAutomation(kind, id, request, 'paused', (item) =>
      item.paused === undefined ? { save: { ...item, paused } } : undefined,
    );
    await showAutomations(kind, request, { notice: kind.words.paused });
  },
  async resume(item, request) {
    const problem = await findItemProblem(item, request);
    if (problem !== undefined)
      return showAutomations(kind, request, { notice: `${problem} The ${kind.noun} is still paused.` });
    await changeAutomation(kind, item.id, request, 'resumed', (now) =>
      now.paused === undefined ? undefined : { save: kind.resumed(now, request) },
    );
    await showAutomations(kind, request, { notice: kind.words.resumed });
  },
  delete: (item, request) =>
    showAutomations(kind, request, {
      notice: `Delete ${nameOf(kind, item, request)}? This can’t be undone.`,
      buttons: [
        button(`${kind.noun}-row:remove`, 'Delete', { style: 'danger', value: `remove ${item.id}` }),
        button(`${kind.noun}-list`, 'Keep'),
      ],
    }),
  async remove(item, request) {
    await changeAutomation(kind, item.id, request, 'deleted', () => 'remove');
    await showAutomations(kind, request, { notice: `Deleted ${nameOf(kind, item, request)}.` });
  },
});

/** An owner may have lost the right to see the item's projects, and then the text names none. */
const nameOf = <T extends Automation>(kind: AutomationKind<T>, item: T, request: Request): string =>
  canReadAutomation(item, request) ? kind.words.summary(item, request) : `the ${kind.noun}`;
