/** The list of schedules and that of watches with what its menus and buttons do, and how they are, for Home and status. */

import type { Button, SectionBlock } from '@slack/types';
import { commandText } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import type { Reader } from '../../domain/language/items.ts';
import { MINUTE } from '../../domain/time/calendar.ts';
import { UNDO_MS } from '../../workspace/record/change.ts';
import { readerIn } from '../../workspace/record/workspace.ts';
import { toCommand } from '../commands/command.ts';
import { commandButton, pageButtons } from '../commands/command-buttons.ts';
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
  textMessage,
} from '../kit/blocks.ts';
import type { Request } from '../request/request.ts';
import {
  type ActionHandler,
  type CommandHandler,
  type Listeners,
  lookUp,
  onClick,
  type Rules,
} from '../server/listeners.ts';
import { findItemProblem } from './owned-form.ts';
import {
  canEditOwned,
  canReadOwned,
  capitalize,
  changeOwned,
  createCommandOf,
  deletedText,
  limitReachedMessage,
  listCommandOf,
  notOwner,
  type OwnedItem,
  type OwnedKind,
  type OwnedWords,
  type OwnerAction,
  ownedChange,
  pluralOf,
  requireOwned,
  visibleItems,
} from './owned-kind.ts';

/** A section with a menu each; Slack takes 50 blocks a message. */
const PAGE = 20;

interface ShowOptions<T> {
  /** What was just done, as mrkdwn; then the list is read again. */
  readonly notice?: string | undefined;
  readonly buttons?: readonly Button[];
  /** From 1; numbers beyond the last page mean the last page. */
  readonly page?: number;
  /** A list of some of them: which, and what its own words are. */
  readonly only?: {
    readonly isListed: (item: T) => boolean;
    readonly words: Pick<OwnedWords<T>, 'create' | 'none'>;
    /** What the list’s command says of it, for the buttons to other pages. */
    readonly filter: string;
    /** Words after the command that opens the form for a new item: they fill in its fields. */
    readonly createText: string;
  };
  /** Whether to post the list below the message with the button instead of replacing it. */
  readonly isApart?: boolean;
}

/** Replies with the list. */
export async function showOwned<T extends OwnedItem>(
  kind: OwnedKind<T>,
  request: Request,
  options: ShowOptions<T> = {},
): Promise<void> {
  const { notice, isApart = false } = options;
  const workspace =
    notice === undefined ? request.workspace : await kind.workspaces.load(request.user.teamId);
  const viewer = { ...request, workspace };
  const message = listMessage(kind, options, viewer, await kind.load(viewer));
  await (isApart ? request.reply.private(message) : request.reply.update(message));
}

function listMessage<T extends OwnedItem>(
  kind: OwnedKind<T>,
  { notice, buttons, page = 1, only }: ShowOptions<T>,
  viewer: Request,
  details: unknown,
): Message {
  const { create, none } = only?.words ?? kind.words;
  const visible = visibleItems(kind, viewer).filter((item) => only?.isListed(item) ?? true);
  const { pages, number, shown } = pageOf(visible, page);
  const news = compact([notice !== undefined && markup(notice), buttons && actions(...buttons)]);
  const setUp = toCommand(createCommandOf(kind), only?.createText ?? '');
  const add = commandButton(kind.kind, create, setUp, { style: 'primary' });
  if (visible.length === 0)
    return { text: notice ?? none, blocks: [...news, section(none), actions(...add)] };
  const title = kind.words.count(visible.length);
  const turns = pageButtons(number, pages, (to) =>
    toCommand(listCommandOf(kind), [only?.filter, `page ${to}`].filter(Boolean).join(' ')),
  );
  const which = viewer.user.canManage ? `all ${pluralOf(kind)} of this workspace` : kind.words.shownHere;
  return {
    text: notice ?? title,
    blocks: [
      ...news,
      header(title),
      ...shown.map((item) => itemRow(kind, item, viewer, details)),
      actions(...turns, ...add),
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

/** An item with a menu of what this person may do; the value of a choice is its action and the ID. */
function itemRow<T extends OwnedItem>(
  kind: OwnedKind<T>,
  item: T,
  viewer: Request,
  details: unknown,
): SectionBlock {
  const text = markup(joinTexts('\n', kind.describe(item, viewer, details)));
  const choice = (label: string, action: string) => option(label, `${action} ${item.id}`);
  if (!canEditOwned(item, viewer)) return text;
  const options = compact([
    item.paused === undefined ? choice('Pause', 'pause') : choice('Resume', 'resume'),
    canReadOwned(item, viewer) && choice('Edit…', 'edit'),
    ...kind.choices(item, viewer).map(([label, action]) => choice(label, action)),
    choice('Delete', 'delete'),
  ]);
  return { ...text, accessory: overflow(`${kind.kind}-row`, options) };
}

/** How many are shown on Home and in `/billing status`, those that need somebody first. */
const MOST_LINES = 5;

/** How they are, for Home and `/billing status`; undefined where the viewer sees none. @throws store-unavailable */
export async function ownedHealth<T extends OwnedItem>(kind: OwnedKind<T>, viewer: Request) {
  const details = await kind.load(viewer);
  const all = visibleItems(kind, viewer).map((item) => ({ item, need: kind.needOf(item, viewer, details) }));
  if (all.length === 0) return undefined;
  const needy = all.filter(({ need }) => need !== undefined);
  const paused = all.filter(({ item, need }) => item.paused !== undefined && need === undefined);
  const stopped = needy.filter(({ need }) => need?.what === PAUSED_BY_TALLY);
  const counts = new Map(
    needy.map(({ need }) => [need?.what, needy.filter((one) => one.need?.what === need?.what)]),
  );
  const summary = compact([
    `${all.length - paused.length - stopped.length} running`,
    paused.length > 0 && `${paused.length} paused`,
    ...[...counts].map(([what, some]) => `*${some.length} ${what}*`),
  ]);
  const { dueOf } = kind;
  const working = dueOf ? all.filter(({ need }) => need === undefined) : [];
  const shown = [...needy, ...working.toSorted((a, b) => rankOf(a.item) - rankOf(b.item))];
  function rankOf(item: T): number {
    return item.paused === undefined ? (dueOf?.(item, details) ?? 0) : Number.POSITIVE_INFINITY;
  }
  const line = ({ item, need }: (typeof all)[number]) => {
    const [label, action] = need?.fix ?? [];
    const canFix = label !== undefined && canEditOwned(item, viewer);
    const fix = canFix && button(`${kind.kind}-row:${action}`, label, { value: `${action} ${item.id}` });
    return {
      level: need?.level ?? ('fine' as const),
      text: kind.describe(item, viewer, details).filter(Boolean),
      ...(fix && { fix }),
    };
  };
  return {
    title: kind.words.title,
    summary: summary.join(' · '),
    lines: shown.map(line),
    most: MOST_LINES,
    more: button(`${kind.kind}-list`, `All ${pluralOf(kind)}`),
  };
}
export const PAUSED_BY_TALLY = 'paused by Tally';

interface OwnedFeature<T extends OwnedItem, Words, ListWords> {
  readonly kind: OwnedKind<T>;
  readonly form: {
    readonly listeners: Pick<Required<Listeners>, 'actions' | 'options' | 'views'>;
    readonly openNew: (words: Words, request: Request) => Promise<void>;
    readonly openFor: OwnerAction<T>;
  };
  readonly help: (request: Request) => Message;
  /** Words after the command that opens the form. @throws InvalidWord, secret-pasted */
  readonly parse: (text: string, reader: Reader) => Words;
  /** Words after the list’s command. @throws InvalidWord, secret-pasted */
  readonly parseList: (text: string, reader: Reader) => ListWords;
  readonly show: (words: ListWords, request: Request) => Promise<void>;
}

/**
 * The form and the list as commands, for full members, with what menus and buttons do. A button only names an item; the record
 * says what it is and whose. `handler` is for buttons elsewhere: of notices, of alerts.
 */
export function createOwnedFeature<T extends OwnedItem, Words, ListWords>(
  feature: OwnedFeature<T, Words, ListWords>,
) {
  const { kind, form, help, parse, parseList, show } = feature;
  const ownerActions = { ...sharedActions(kind, form.openFor), ...kind.actions };
  const readerOf = ({ workspace, at }: Request) => readerIn(workspace, at);

  const needsOf = (action: string): Partial<Rules> =>
    action === 'edit' ? { opensForm: true } : { changes: true };
  /** Does this with the item of this ID; both are outside text. @throws not-allowed except for the owner and managers */
  async function act(action: string, id: string, request: Request): Promise<void> {
    const item = requireOwned(kind, id, request, action);
    if (item === undefined) return showOwned(kind, request, { notice: deletedText(kind) });
    await lookUp<OwnerAction<T>>(ownerActions, action)?.(item, request);
  }
  const handler = (action: string) =>
    onClick('member', needsOf(action), (id, request) => act(action, id, request));
  const creating: CommandHandler = {
    ...{ right: 'member', help, opensForm: true },
    parse: (rest, _, reader) => parse(rest, reader),
    run: (rest, request) => form.openNew(parse(rest, readerOf(request)), request),
  };
  /** `pause abcd1234` after the list’s command is what a manager is asked to do with somebody else's. */
  const readAction = (text: string) => {
    const [, action = '', id = ''] = /^([a-z]+) ([a-z0-9]{8})$/.exec(text) ?? [];
    return lookUp<unknown>(ownerActions, action) === undefined ? undefined : { action, id };
  };
  const listing: CommandHandler = {
    ...{ right: 'member', help },
    needs(text) {
      const asked = readAction(text);
      return asked === undefined ? {} : needsOf(asked.action);
    },
    parse: (text, _, reader) => (readAction(text) === undefined ? parseList(text, reader) : undefined),
    run(text, request) {
      const asked = readAction(text);
      return asked === undefined
        ? show(parseList(text, readerOf(request)), request)
        : act(asked.action, asked.id, request);
    },
  };
  const buttons: Readonly<Record<string, ActionHandler>> = {
    [`${kind.kind}-row`]: {
      right: 'member',
      needs: (value) => needsOf(value.split(' ')[0] ?? ''),
      run({ value }, request) {
        const [action = '', id = ''] = value.split(' ');
        return act(action, id, request);
      },
    },
    [`${kind.kind}-undo`]: onClick('member', { changes: true }, (id, request) =>
      undoDelete(kind, id, request),
    ),
    [`${kind.kind}-list`]: onClick('member', {}, (_, request) => showOwned(kind, request)),
  };
  const listeners = {
    ...form.listeners,
    verbs: { [kind.kind]: creating, [pluralOf(kind)]: listing },
    actions: { ...form.listeners.actions, ...buttons },
  };
  return { handler, listeners };
}

const sharedActions = <T extends OwnedItem>(
  kind: OwnedKind<T>,
  edit: OwnerAction<T>,
): Readonly<Record<string, OwnerAction<T>>> => ({
  async edit(item, request) {
    if (!canReadOwned(item, request)) throw new Failure('not-allowed', { reason: 'channel' });
    await edit(item, request);
  },
  async pause({ id }, request) {
    const paused = { at: request.at, by: request.user.id };
    await changeOwned(kind, id, request, 'paused', (item) =>
      item.paused === undefined ? { save: { ...item, paused } } : undefined,
    );
    await showOwned(kind, request, { notice: kind.words.paused });
  },
  async resume(item, request) {
    const problem = await findItemProblem(item, request);
    if (problem !== undefined)
      return showOwned(kind, request, { notice: `${problem} The ${kind.kind} is still paused.` });
    await changeOwned(kind, item.id, request, 'resumed', (now) =>
      now.paused === undefined ? undefined : { save: kind.resumed(now, request) },
    );
    await showOwned(kind, request, { notice: kind.words.resumed(item) });
  },
  async delete(item, request) {
    await changeOwned(kind, item.id, request, 'deleted', () => 'remove');
    await request.reply.update(
      textMessage(
        kind.words.deleted(item, request),
        actions(
          button(`${kind.kind}-undo`, 'Undo', { value: item.id }),
          button(`${kind.kind}-list`, `All ${pluralOf(kind)}`),
        ),
        context(`You can undo this for ${UNDO_MS / MINUTE} minutes.`),
      ),
    );
  },
});

/** @throws not-allowed except for its owner and managers */
async function undoDelete<T extends OwnedItem>(
  kind: OwnedKind<T>,
  id: string,
  request: Request,
): Promise<void> {
  const { user, at } = request;
  const restored = { notice: `${capitalize(kind.kind)} restored.` };
  const item = kind.store.findRemoved(request.workspace, id, at);
  if (item === undefined) {
    // Somebody else may have restored it a moment ago.
    const now = { user, workspace: await kind.workspaces.load(user.teamId) };
    const isThere = requireOwned(kind, id, now) !== undefined;
    const tooLate = `It’s too late to undo this. Set it up again with ${commandText(createCommandOf(kind))}.`;
    return showOwned(kind, request, isThere ? restored : { notice: tooLate });
  }
  if (!canEditOwned(item, request)) throw notOwner(item, 'edit');
  const full = limitReachedMessage(kind, request);
  if (full !== undefined) return request.reply.update(full);
  // False if somebody else, or the same click in another process, was first.
  if (await kind.store.restore(ownedChange(kind, 'restored', item, request), id))
    await kind.changed(user.teamId);
  await showOwned(kind, request, restored);
}
