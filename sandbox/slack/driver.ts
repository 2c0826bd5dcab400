/** Lets a test act as a person in Slack and read what that person sees. */
import type { Snapshot, StateValues, StepRun, Verbs } from '../protocol.ts';
import type { Outcome } from './composer.ts';
import { chosenValue, type Fields, fillForm } from './fill-form.ts';
import { type FoundElement, findElement, type Interactions } from './interactions.ts';
import type { VerbHandlers } from './page.ts';
import type { StoredView, Views } from './views.ts';
import type { StoredMessage, Workspace } from './workspace.ts';

type Loose = Record<string, unknown>;
type SurfaceRef = Verbs['act']['surface'];

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

export interface DriverParts {
  handlers: VerbHandlers;
  /** The workspace of a person. */
  at: (person: string) => { workspace: Workspace; views: Views; interactions: Interactions };
  snapshot: (person: string) => Snapshot;
}

export function createDriver(parts: DriverParts): Driver {
  const { at, snapshot } = parts;
  const handlers = parts.handlers as unknown as Record<
    keyof Verbs,
    (body: unknown) => Promise<Outcome & Loose>
  >;

  function findOrThrow(
    person: string,
    surface: SurfaceRef,
    what: string,
    wanted: (found: FoundElement) => boolean,
  ): FoundElement {
    const found = findElement(at(person).interactions.findSurface(person, surface)?.blocks ?? [], wanted);
    if (!found) throw new Error(`${person} sees no ${what} there.`);
    return found;
  }

  function topView(person: string): StoredView {
    const frame = at(person).views.top(person);
    if (!frame) throw new Error(`${person} has no modal open.`);
    return frame;
  }

  const act: Driver['act'] = (person, surface, action, values = {}) =>
    handlers.act({ as: person, surface, action, values });

  return {
    act,
    snapshot,
    say: (as, channel, text, threadTs) => handlers.say({ as, channel, text, threadTs }),
    async press(person, surface, button) {
      const { block, element } = findOrThrow(person, surface, `button ${button}`, (found) =>
        isButton(found, button),
      );
      return act(person, surface, { block_id: block.block_id, action_id: element.action_id });
    },
    async choose(person, surface, actionId, option) {
      const { element } = findOrThrow(
        person,
        surface,
        actionId,
        (found) => found.element.action_id === actionId,
      );
      return act(person, surface, { action_id: actionId, ...chosenValue(element, option) });
    },
    async submit(person, fields = {}) {
      const { id, view } = topView(person);
      return handlers.submit({ as: person, viewId: id, values: fillForm(view.blocks, fields) });
    },
    async dismiss(person) {
      return handlers.close({ as: person, viewId: topView(person).id });
    },
    async suggest(person, surface, actionId, value) {
      const { block } = findOrThrow(
        person,
        surface,
        actionId,
        (found) => found.element.action_id === actionId,
      );
      return handlers.suggest({ as: person, surface, blockId: String(block.block_id), actionId, value });
    },
    runStep: (as, step, inputs = {}) => handlers.step({ as, step, inputs }),
    stepRun: (person, id) => snapshot(person).stepRuns.find((run) => run.id === id),
    openHome: (as) => handlers.home({ as }),
    uninstall: (as) => handlers.uninstall({ as }),
    messages: (person, channel) => at(person).workspace.messagesFor(person, channel),
    modal: (person) => at(person).views.top(person),
    home: (person) => at(person).views.home(person),
  };
}

function isButton({ element }: FoundElement, wanted: string): boolean {
  const label = (element.text as Loose | undefined)?.text;
  return element.type === 'button' && (label === wanted || element.action_id === wanted);
}
