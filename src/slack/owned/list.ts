/** What lists of schedules and of watches have in common: pages, a row with its menu, and the reply to a deletion. */
import type { SectionBlock } from '@slack/types';
import type { ActionId } from '../../domain/commands.ts';
import { UNDO_MS } from '../../workspace/projects/projects.ts';
import { actions, button, context, type Message, option, overflow, section } from '../kit/atoms.ts';
import type { Request } from '../request/request.ts';
import { canEditOwned, type Owned } from './ownership.ts';

/** A section with a menu each; Slack takes 50 blocks a message. */
const PAGE = 20;

/** @param page from 1; beyond the last one it is the last */
export function pageOf<T>(all: readonly T[], page: number) {
  const pages = Math.max(1, Math.ceil(all.length / PAGE));
  const number = Math.min(Math.max(page, 1), pages);
  return { all, pages, number, shown: all.slice((number - 1) * PAGE, number * PAGE) };
}

/** The label of a menu's option, and its action. */
export type RowChoice = readonly [label: string, action: string];

interface RowMenu {
  readonly actionId: ActionId;
  /** For people who may edit it. */
  readonly choices: readonly RowChoice[];
  /** Whether this person may adopt it. */
  readonly isOrphan: boolean;
}

/** Adds the menu of what this person may do; the value of a choice is its action and the ID. */
export function withRowMenu(
  text: SectionBlock,
  owned: Owned,
  viewer: Pick<Request, 'user'>,
  { actionId, choices, isOrphan }: RowMenu,
): SectionBlock {
  const allowed = [
    ...(canEditOwned(owned, viewer) ? choices : []),
    ...(isOrphan ? [['Adopt', 'adopt'] as const] : []),
  ];
  if (allowed.length === 0) return text;
  const options = allowed.map(([label, action]) => option(label, `${action} ${owned.id}`));
  return { ...text, accessory: overflow(actionId, options) };
}

interface Deletion {
  /** What was deleted, plain. */
  readonly text: string;
  /** Of what was deleted, for the button that brings it back. */
  readonly id: string;
  readonly undoAction: ActionId;
  readonly listAction: ActionId;
  /** The label of the button that shows the others. */
  readonly listLabel: string;
}

/** The reply to a deletion that can be undone for `UNDO_MS`. */
export const deletedMessage = ({ text, id, undoAction, listAction, listLabel }: Deletion): Message => ({
  text,
  blocks: [
    section(text),
    actions(button(undoAction, 'Undo', { value: id }), button(listAction, listLabel)),
    context(`You can undo this for ${UNDO_MS / 60_000} minutes.`),
  ],
});
