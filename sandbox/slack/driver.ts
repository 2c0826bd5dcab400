/** What a person does in Slack, and what they then see, for tests. */
import type { Snapshot, StateValues, Verbs } from '../protocol.ts';
import { chosen, type Fields, fill } from './fill.ts';
import { type Found, findElement, type Interactions } from './interactions.ts';
import type { Doers } from './page.ts';
import type { Outcome } from './speech.ts';
import type { Frame, Views } from './views.ts';
import type { Stored, Workspace } from './workspace.ts';

type Loose = Record<string, unknown>;
type Place = Verbs['act']['place'];

export interface Driver {
  /** A message, or a slash command; comes back when the bot has acknowledged or failed to. */
  say(person: string, channel: string, text: string, threadTs?: string): Promise<Outcome>;
  /** `action` needs no more than an `action_id`, and what was chosen. */
  act(person: string, place: Place, action: Loose, values?: StateValues): Promise<Outcome>;
  /** Presses the button with this label or action id. */
  press(person: string, place: Place, button: string): Promise<Outcome>;
  /** Chooses by value or label in the element with this action id. */
  choose(person: string, place: Place, actionId: string, option: string): Promise<Outcome>;
  /** Fills the fields of the person's uppermost modal and sends it. */
  submit(person: string, fields?: Fields): Promise<Outcome>;
  /** Closes the person's uppermost modal. */
  dismiss(person: string): Promise<Outcome>;
  suggest(person: string, place: Place, actionId: string, value: string): Promise<Outcome & Loose>;
  openHome(person: string): Promise<Outcome>;
  /** Takes the app out of this person's workspace; comes back when the bot was told. */
  uninstall(person: string): Promise<Outcome>;
  snapshot(person: string): Snapshot;
  /** What this person sees in the channel, oldest first. */
  messages(person: string, channel: string): readonly Stored[];
  /** The person's uppermost modal. */
  modal(person: string): Frame | undefined;
  home(person: string): Frame | undefined;
}

export interface DriverParts {
  doers: Doers;
  /** Where a person is. */
  at: (person: string) => { workspace: Workspace; views: Views; interactions: Interactions };
  snapshot: (person: string) => Snapshot;
}

export function createDriver(parts: DriverParts): Driver {
  const { at, snapshot } = parts;
  const doers = parts.doers as unknown as Record<keyof Verbs, (body: unknown) => Promise<Outcome & Loose>>;

  function look(person: string, place: Place, what: string, wanted: (found: Found) => boolean): Found {
    const found = findElement(at(person).interactions.scene(person, place)?.blocks ?? [], wanted);
    if (!found) throw new Error(`${person} sees no ${what} there.`);
    return found;
  }

  function uppermost(person: string): Frame {
    const frame = at(person).views.top(person);
    if (!frame) throw new Error(`${person} has no modal open.`);
    return frame;
  }

  const act: Driver['act'] = (person, place, action, values = {}) =>
    doers.act({ as: person, place, action, values });

  return {
    act,
    snapshot,
    say: (as, channel, text, threadTs) => doers.say({ as, channel, text, threadTs }),
    async press(person, place, button) {
      const { block, element } = look(person, place, `button ${button}`, (one) => isButton(one, button));
      return act(person, place, { block_id: block.block_id, action_id: element.action_id });
    },
    async choose(person, place, actionId, option) {
      const { element } = look(person, place, actionId, (one) => one.element.action_id === actionId);
      return act(person, place, { action_id: actionId, ...chosen(element, option) });
    },
    async submit(person, fields = {}) {
      const { id, view } = uppermost(person);
      return doers.submit({ as: person, viewId: id, values: fill(view.blocks, fields) });
    },
    async dismiss(person) {
      return doers.close({ as: person, viewId: uppermost(person).id });
    },
    async suggest(person, place, actionId, value) {
      const { block } = look(person, place, actionId, (one) => one.element.action_id === actionId);
      return doers.suggest({ as: person, place, blockId: String(block.block_id), actionId, value });
    },
    openHome: (as) => doers.home({ as }),
    uninstall: (as) => doers.uninstall({ as }),
    messages: (person, channel) => at(person).workspace.messagesFor(person, channel),
    modal: (person) => at(person).views.top(person),
    home: (person) => at(person).views.home(person),
  };
}

function isButton({ element }: Found, wanted: string): boolean {
  const label = (element.text as Loose | undefined)?.text;
  return element.type === 'button' && (label === wanted || element.action_id === wanted);
}
