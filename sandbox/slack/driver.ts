/** Lets a test act as a person in Slack and read what that person sees. */
import type { Snapshot, StateValues, StepRun, SurfaceRef } from '../protocol.ts';
import type { Loose } from './blocks.ts';
import type { Outcome } from './core.ts';
import { chosenValue, type Fields, fillForm } from './forms.ts';
import { findElement, findSurface } from './interactions.ts';
import type { VerbHandlers } from './server.ts';
import type { StoredMessage, StoredView, Workspace } from './workspace.ts';

export interface Driver {
  /** Sends a message or a slash command; resolves when the bot has acknowledged it or failed to. */
  say(person: string, channel: string, text: string, threadTs?: string): Promise<Outcome>;
  /** `action` needs only an `action_id` and the chosen value. */
  act(person: string, surface: SurfaceRef, action: Loose, values?: StateValues): Promise<Outcome>;
  /** Presses the button with this label or action ID. Rejects when there is none. */
  press(person: string, surface: SurfaceRef, button: string): Promise<Outcome>;
  /** Chooses an option by value or label in the element with this action ID. */
  choose(person: string, surface: SurfaceRef, actionId: string, option: string): Promise<Outcome>;
  /** Fills and submits the person's top modal. Rejects when none is open, or for an unknown field. */
  submit(person: string, fields?: Fields): Promise<Outcome>;
  /** Closes the person's top modal. */
  dismiss(person: string): Promise<Outcome>;
  suggest(person: string, surface: SurfaceRef, actionId: string, value: string): Promise<Outcome & Loose>;
  openHome(person: string): Promise<Outcome>;
  /** Runs a step of Workflow Builder; resolves with its ID when the bot has acknowledged it. */
  runStep(person: string, step: string, inputs?: Loose): Promise<Outcome & Loose>;
  /** The step with this ID, after it was run. */
  stepRun(person: string, id: string): StepRun | undefined;
  /** Uninstalls the app from this person's workspace; resolves when the bot has got the events. */
  uninstall(person: string): Promise<Outcome>;
  snapshot(person: string): Snapshot;
  /** The messages in the channel that this person sees, oldest first. */
  messages(person: string, channel: string): readonly StoredMessage[];
  /** The person's top modal. */
  modal(person: string): StoredView | undefined;
  home(person: string): StoredView | undefined;
}

/** @param at the workspace of a person */
export function createDriver(
  handlers: VerbHandlers,
  at: (person: string) => Workspace,
  snapshot: (person: string) => Snapshot,
): Driver {
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
  const act = (as: string, surface: SurfaceRef, action: Loose, values: StateValues = {}) =>
    handlers.act({ as, surface, action, values }) as Promise<Outcome>;

  const driver = {
    ...{ act, snapshot },
    say: (as: string, channel: string, text: string, threadTs?: string) =>
      handlers.say({ as, channel, text, ...(threadTs !== undefined && { threadTs }) }),
    async press(person: string, surface: SurfaceRef, button: string) {
      const { block, element } = find(
        person,
        surface,
        `button ${button}`,
        ({ type, action_id, text }) =>
          type === 'button' && [(text as Loose | undefined)?.text, action_id].includes(button),
      );
      return act(person, surface, { block_id: block.block_id, action_id: element.action_id });
    },
    async choose(person: string, surface: SurfaceRef, actionId: string, option: string) {
      const { element } = find(person, surface, actionId, ({ action_id }) => action_id === actionId);
      return act(person, surface, { action_id: actionId, ...chosenValue(element, option) });
    },
    async submit(person: string, fields: Fields = {}) {
      const { id, view } = topView(person);
      return handlers.submit({ as: person, viewId: id, values: fillForm(view.blocks, fields) });
    },
    async dismiss(person: string) {
      return handlers.close({ as: person, viewId: topView(person).id });
    },
    async suggest(person: string, surface: SurfaceRef, actionId: string, value: string) {
      const { block } = find(person, surface, actionId, ({ action_id }) => action_id === actionId);
      return handlers.suggest({ as: person, surface, blockId: String(block.block_id), actionId, value });
    },
    runStep: (as: string, step: string, inputs: Loose = {}) => handlers.step({ as, step, inputs }),
    stepRun: (person: string, id: string) => snapshot(person).stepRuns.find((run) => run.id === id),
    openHome: (as: string) => handlers.home({ as }),
    uninstall: (as: string) => handlers.uninstall({ as }),
    messages: (person: string, channel: string) => at(person).messagesFor(person, channel),
    modal: (person: string) => at(person).modal(person),
    home: (person: string) => at(person).home(person),
  };
  return driver as unknown as Driver;
}
