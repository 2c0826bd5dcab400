import { commandText } from '../../domain/command-names.ts';
import { Failure } from '../../domain/failure/index.ts';
import { MINUTE } from '../../domain/time/calendar.ts';
import { auditedChange, UNDO_MS } from '../../workspace/record/change.ts';
import { damagedIds } from '../../workspace/record/workspace.ts';
import { actions, button, context, type Message, textMessage } from '../kit/blocks.ts';
import type { Request } from '../request/request.ts';
import { type ActionHandler, type CommandHandler, lookUp, onClick } from '../server/listeners.ts';
import { showOwned } from './list.ts';
import {
  canEditOwned,
  canReadOwned,
  capitalize,
  notOwner,
  type OwnedItem,
  type OwnedKind,
  type OwnerAction,
  ownedAuditText,
  requireOwned,
} from './owned-kind.ts';
import { findItemProblem } from './target-check.ts';

/** What the list's menus and buttons do. A button only names an item; the record says what it is and whose. */
export function createOwnedActions<T extends OwnedItem>(
  kind: OwnedKind<T>,
  edit: OwnerAction<T>,
  more: Readonly<Record<string, OwnerAction<T>>>,
) {
  const ownerActions = { ...sharedActions(kind, edit), ...more };

  /** @throws not-allowed except for the owner and managers; Failure */
  async function act(action: string, id: string, request: Request): Promise<void> {
    const item = requireOwned(kind.find, id, request, action);
    if (item === undefined) return showOwned(kind, request, { notice: deletedText(kind) });
    await lookUp<OwnerAction<T>>(ownerActions, action)?.(item, request);
  }

  const needsOf = (action: string) => {
    if (action === '') return {};
    return action === 'edit' ? { opensForm: true } : { changes: true };
  };
  /** Does this with the item whose ID is the button's value, which is outside text. */
  const handler = (action: string): ActionHandler =>
    onClick('member', needsOf(action), (id, request) => act(action, id, request));

  const listeners: Readonly<Record<string, ActionHandler>> = {
    [kind.actions.row]: {
      right: 'member',
      needs: (value) => needsOf(value.split(' ')[0] ?? ''),
      run({ value }, request) {
        const [action = '', id = ''] = value.split(' ');
        return act(action, id, request);
      },
    },
    [kind.actions.undo]: onClick('member', { changes: true }, (id, request) => undoDelete(kind, id, request)),
    [kind.actions.drop]: onClick('manage', { changes: true }, (_, request) => dropDamaged(kind, request)),
    [kind.actions.list]: onClick('member', {}, (_, request) => showOwned(kind, request)),
  };
  /** The list's command, and `pause abcd1234` after it: what a manager is asked to do with somebody else's. */
  const verb = (listing: CommandHandler): CommandHandler => {
    const read = (text: string) => {
      const [, action = '', id = ''] = /^([a-z]+) ([a-z0-9]{8})$/.exec(text) ?? [];
      return lookUp<unknown>(ownerActions, action) === undefined ? undefined : { action, id };
    };
    return {
      ...listing,
      needs: (text) => needsOf(read(text)?.action ?? ''),
      parse: (text, ...given) => (read(text) === undefined ? listing.parse?.(text, ...given) : undefined),
      run(text, request) {
        const asked = read(text);
        return asked === undefined ? listing.run(text, request) : act(asked.action, asked.id, request);
      },
    };
  };
  return { handler, verb, listeners };
}

export const deletedText = ({ kind }: Pick<OwnedKind, 'kind'>): string => `This ${kind} was deleted.`;
const setUpAgainText = ({ commands }: Pick<OwnedKind, 'commands'>): string =>
  `Set it up again with ${commandText(commands.create)}.`;

/** The answer where a workspace has as many as it may have; undefined where it has fewer. */
export const limitReachedMessage = (
  { ids, max, plural, commands }: Pick<OwnedKind, 'ids' | 'max' | 'plural' | 'commands'>,
  { workspace }: Request,
): Message | undefined =>
  ids(workspace).length < max
    ? undefined
    : textMessage(
        `This workspace has ${max} ${plural}, the maximum. Delete one first with ${commandText(commands.list)}.`,
      );

/** @param did what a person did to the item: `paused` @returns what the audit says of it */
const ownedChange = (kind: OwnedKind, did: string, item: OwnedItem, request: Request) =>
  auditedChange(request, [`${did} a ${kind.kind}:`, ownedAuditText(kind, item, request)]);

/** Saves it with its entry in the audit, and has what posts or checks plan again. @param did as the audit says it: `paused` */
export async function changeItem(
  kind: OwnedKind,
  item: OwnedItem,
  did: string,
  request: Request,
): Promise<void> {
  await kind.store.save(ownedChange(kind, did, item, request), item);
  await kind.changed(request.user.teamId);
}

/** Deletes the item, which can be restored for a while. */
async function removeItem(kind: OwnedKind, item: OwnedItem, request: Request): Promise<void> {
  await kind.store.remove(ownedChange(kind, 'deleted', item, request), item.id, request.at);
  await kind.changed(request.user.teamId);
}

const sharedActions = <T extends OwnedItem>(
  kind: OwnedKind<T>,
  edit: OwnerAction<T>,
): Readonly<Record<string, OwnerAction<T>>> => ({
  async edit(item, request) {
    if (!canReadOwned(item, request)) throw new Failure('not-allowed', { reason: 'channel' });
    await edit(item, request);
  },
  async pause(item, request) {
    if (item.paused === undefined) await changeItem(kind, kind.paused(item, request), 'paused', request);
    await showOwned(kind, request, { notice: kind.words.paused });
  },
  async resume(item, request) {
    const problem = await findItemProblem(item, request);
    if (problem !== undefined)
      return showOwned(kind, request, { notice: `${problem} The ${kind.kind} is still paused.` });
    if (item.paused !== undefined) await changeItem(kind, kind.resumed(item, request), 'resumed', request);
    await showOwned(kind, request, { notice: kind.words.resumed(item) });
  },
  async delete(item, request) {
    await removeItem(kind, item, request);
    const { words, actions: ids, plural } = kind;
    await request.reply.update(
      textMessage(
        words.deleted(item, request),
        actions(button(ids.undo, 'Undo', { value: item.id }), button(ids.list, `All ${plural}`)),
        context(`You can undo this for ${UNDO_MS / MINUTE} minutes.`),
      ),
    );
  },
});

/** @throws not-allowed except for its owner and managers */
async function undoDelete(kind: OwnedKind, id: string, request: Request): Promise<void> {
  const { user, workspace, at } = request;
  const tooLate = { notice: `It’s too late to undo this. ${setUpAgainText(kind)}` };
  const item = kind.store.findRemoved(workspace, id, at);
  if (item === undefined) return showOwned(kind, request, tooLate);
  if (!canEditOwned(item, request)) throw notOwner(item, 'edit');
  const full = limitReachedMessage(kind, request);
  if (full !== undefined) return request.reply.update(full);
  if (!(await kind.store.restore(ownedChange(kind, 'restored', item, request), id)))
    return showOwned(kind, request, tooLate);
  await kind.changed(user.teamId);
  await showOwned(kind, request, { notice: `${capitalize(kind.kind)} restored.` });
}

/** Removes a damaged item: nothing else can be done with it. */
async function dropDamaged(kind: OwnedKind, request: Request): Promise<void> {
  const damaged = damagedIds(request.workspace, kind.kind);
  if (damaged.length === 0) return showOwned(kind, request, { notice: deletedText(kind) });
  const change = auditedChange(request, [`deleted damaged ${kind.plural}:`, damaged.join(', ')]);
  await kind.workspaces.dropDamaged(change, kind.kind, damaged);
  await kind.changed(request.user.teamId);
  await showOwned(kind, request, { notice: `Removed what was damaged. ${setUpAgainText(kind)}` });
}
