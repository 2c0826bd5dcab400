/** Lets a test act as a person in Slack and read what that person sees. */
import type { Snapshot, StateValues, SurfaceRef, Verbs } from '../protocol.ts';
import type { Loose } from './blocks.ts';
import { chosenValue, type Fields, fillForm } from './forms.ts';
import { findElement, findSurface } from './interactions.ts';
import type { VerbHandlers } from './server.ts';
import type { StoredView, Workspace } from './workspace.ts';

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
  /** @param action an `action_id` and the chosen value are enough */
  const act = (as: string, surface: SurfaceRef, action: Verbs['act']['action'], values: StateValues = {}) =>
    handlers.act({ as, surface, action, values });

  return {
    act,
    snapshot,
    /** Sends a message or a slash command; resolves when the bot has acknowledged, or failed to. */
    say: (as: string, channel: string, text: string, threadTs?: string) =>
      handlers.say({ as, channel, text, ...(threadTs !== undefined && { threadTs }) }),
    /** @param button its label or action ID; rejects if there is none */
    async press(person: string, surface: SurfaceRef, button: string) {
      const isIt = ({ type, action_id, text }: Loose) =>
        type === 'button' && [(text as Loose | undefined)?.text, action_id].includes(button);
      const { block, element } = find(person, surface, `button ${button}`, isIt);
      return act(person, surface, { block_id: block.block_id, action_id: element.action_id });
    },
    /** @param option its value or label */
    async choose(person: string, surface: SurfaceRef, actionId: string, option: string) {
      const { element } = find(person, surface, actionId, ({ action_id }) => action_id === actionId);
      return act(person, surface, { action_id: actionId, ...chosenValue(element, option) });
    },
    /** Fills in and submits the person's top modal. Rejects if none is open, or for an unknown field. */
    async submit(person: string, fields: Fields = {}) {
      const { id, view } = topView(person);
      return handlers.submit({ as: person, viewId: id, values: fillForm(view.blocks, fields) });
    },
    dismiss: async (person: string) => handlers.close({ as: person, viewId: topView(person).id }),
    async suggest(person: string, surface: SurfaceRef, actionId: string, value: string) {
      const { block } = find(person, surface, actionId, ({ action_id }) => action_id === actionId);
      return handlers.suggest({ as: person, surface, blockId: String(block.block_id), actionId, value });
    },
    openHome: (as: string) => handlers.home({ as }),
    uninstall: (as: string) => handlers.uninstall({ as }),
    messages: (person: string, channel: string) => at(person).messagesFor(person, channel),
    modal: (person: string) => at(person).modal(person),
    home: (person: string) => at(person).home(person),
  };
}
