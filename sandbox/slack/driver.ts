/** Lets a test act as a person in Slack and read what that person sees. */
import type { Snapshot, StateValues, SurfaceRef, Verbs } from '../protocol.ts';
import type { Loose } from './blocks.ts';
import { chosenValue, type Fields, fillForm } from './forms.ts';
import { findElement, findSurface } from './interactions.ts';
import type { VerbHandlers } from './server.ts';
import type { StoredView, Workspace } from './workspace.ts';

/** @param at the workspace of a person */
export function createDriver(
  handlers: VerbHandlers,
  at: (person: string) => Workspace,
  snapshot: (person: string) => Snapshot,
) {
  const find = (person: string, surface: SurfaceRef, what: string, isWanted: (element: Loose) => boolean) => {
    const blocks = findSurface(at(person), person, surface)?.blocks ?? [];
    const found = findElement(blocks, ({ element }) => isWanted(element));
    if (!found) throw new Error(`${person} sees no ${what} there.`);
    return found;
  };
  const topView = (person: string): StoredView => {
    const view = at(person).modal(person);
    if (!view) throw new Error(`${person} has no modal open.`);
    return view;
  };
  /** `action` needs only an `action_id` and the chosen value. */
  const act = (as: string, surface: SurfaceRef, action: Verbs['act']['action'], values: StateValues = {}) =>
    handlers.act({ as, surface, action, values });

  return {
    ...{ act, snapshot },
    /** Sends a message or a slash command; resolves when the bot has acknowledged it or failed to. */
    say: (as: string, channel: string, text: string, threadTs?: string) =>
      handlers.say({ as, channel, text, ...(threadTs !== undefined && { threadTs }) }),
    /** Presses the button with this label or action ID. Rejects when there is none. */
    async press(person: string, surface: SurfaceRef, button: string) {
      const isIt = ({ type, action_id, text }: Loose) =>
        type === 'button' && [(text as Loose | undefined)?.text, action_id].includes(button);
      const { block, element } = find(person, surface, `button ${button}`, isIt);
      return act(person, surface, { block_id: block.block_id, action_id: element.action_id });
    },
    /** Chooses an option by value or label in the element with this action ID. */
    async choose(person: string, surface: SurfaceRef, actionId: string, option: string) {
      const { element } = find(person, surface, actionId, ({ action_id }) => action_id === actionId);
      return act(person, surface, { action_id: actionId, ...chosenValue(element, option) });
    },
    /** Fills and submits the person's top modal. Rejects when none is open, or for an unknown field. */
    async submit(person: string, fields: Fields = {}) {
      const { id, view } = topView(person);
      return handlers.submit({ as: person, viewId: id, values: fillForm(view.blocks, fields) });
    },
    /** Closes the person's top modal. */
    dismiss: async (person: string) => handlers.close({ as: person, viewId: topView(person).id }),
    async suggest(person: string, surface: SurfaceRef, actionId: string, value: string) {
      const { block } = find(person, surface, actionId, ({ action_id }) => action_id === actionId);
      return handlers.suggest({ as: person, surface, blockId: String(block.block_id), actionId, value });
    },
    openHome: (as: string) => handlers.home({ as }),
    /** Uninstalls the app from this person's workspace; resolves when the bot has got the events. */
    uninstall: (as: string) => handlers.uninstall({ as }),
    /** The messages in the channel that this person sees, oldest first. */
    messages: (person: string, channel: string) => at(person).messagesFor(person, channel),
    /** The person's top modal. */
    modal: (person: string) => at(person).modal(person),
    home: (person: string) => at(person).home(person),
  };
}
