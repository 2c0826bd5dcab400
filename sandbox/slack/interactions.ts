/** What people do with what the bot has drawn: clicks, choices, and external selects. */
import type { Person, Place, StateValues, Verbs } from '../protocol.ts';
import { blockProblems, elementsOf, flattened } from './blocks.ts';
import type { Ack, Delivery, Kind } from './deliver.ts';
import { inputStateOf } from './input-state.ts';
import { channelOf, envelopeOf, messageOf, userOf, viewOf } from './payloads.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { Outcome } from './speech.ts';
import { suggestions } from './texts.ts';
import type { Triggers } from './triggers.ts';
import type { Frame, Views } from './views.ts';
import type { Stored, Workspace } from './workspace.ts';

type Loose = Record<string, unknown>;

export interface InteractionParts {
  workspace: Workspace;
  views: Views;
  triggers: Triggers;
  responses: ResponseUrls;
  delivery: () => Delivery;
  complain: (problem: string) => void;
}

/** Where an interaction happens, found: the blocks there and what the payload says about it. */
interface Scene {
  person: Person;
  blocks: readonly object[];
  viewId?: string;
  message?: Stored;
  describe(values: StateValues): Loose;
}

export interface Found {
  block: Loose;
  element: Loose;
}

const INTERACTIVE: Kind = 'interactive';
const HOME = 'home';

export class Interactions {
  #lastAction = 0;

  constructor(readonly parts: InteractionParts) {}

  async act({ as, place, action, values }: Verbs['act']): Promise<Outcome> {
    const scene = this.scene(as, place);
    if (!scene) return { ok: false, error: 'not_found' };
    const found = findElement(scene.blocks, ({ block, element }) => matches(block, element, action));
    if (!found) return { ok: false, error: 'action_not_found' };
    if (!offersChosen(found.element, action)) return { ok: false, error: 'option_not_offered' };
    const full = this.#completed(found, action);
    const trigger_id = this.parts.triggers.issue({ person: as, viewId: scene.viewId });
    const ack = await this.parts.delivery().send(INTERACTIVE, {
      type: 'block_actions',
      ...envelopeOf(this.parts.workspace),
      user: userOf(scene.person),
      trigger_id,
      ...scene.describe(withChosen(values, full)),
      ...(scene.message && { response_url: this.#responseUrl(as, scene.message) }),
      actions: [full],
    });
    return outcomeOf(ack);
  }

  async suggest({ as, place, blockId, actionId, value }: Verbs['suggest']): Promise<Outcome & Loose> {
    const scene = this.scene(as, place);
    if (!scene) return { ok: false, error: 'not_found' };
    const ack = await this.parts.delivery().send(INTERACTIVE, {
      type: 'block_suggestion',
      ...envelopeOf(this.parts.workspace),
      user: userOf(scene.person),
      ...scene.describe({}),
      action_id: actionId,
      block_id: blockId,
      value,
    });
    if (ack.how !== 'acked') return outcomeOf(ack);
    const read = suggestions.safeParse(ack.body);
    if (read.success) return { ok: true, ...read.data };
    this.parts.complain(`options of ${actionId}: ${blockProblems(read.error).join('; ')}`);
    return { ok: false, error: 'invalid_options' };
  }

  /** A message that this person sees, one of their modals, or their Home. */
  scene(as: string, place: Place): Scene | undefined {
    const person = this.parts.workspace.person(as);
    if (!person) return undefined;
    return 'viewId' in place ? this.#inView(person, place.viewId) : this.#inMessage(person, place);
  }

  /** The page has one Home a person and calls it so. */
  #inView(person: Person, wanted: string): Scene | undefined {
    const { views } = this.parts;
    const home = views.home(person.id);
    const open = [views.top(person.id), home].find((one) => one?.id === wanted);
    const frame = wanted === HOME ? home : open;
    if (!frame) return undefined;
    const describe = (values: StateValues) => ofView(frame, values);
    return { person, blocks: frame.view.blocks, viewId: frame.id, describe };
  }

  #inMessage(person: Person, { channel, ts }: { channel: string; ts: string }): Scene | undefined {
    const { workspace } = this.parts;
    const place = workspace.place(channel);
    const message = workspace.messagesFor(person.id, channel).find((one) => one.ts === ts);
    if (!place || !workspace.maySee(person.id, place) || !message?.blocks) return undefined;
    const { blocks, ephemeral, threadTs } = message;
    const container = {
      type: 'message',
      message_ts: ts,
      channel_id: channel,
      is_ephemeral: ephemeral,
      ...(threadTs && { thread_ts: threadTs }),
    };
    const describe = (values: StateValues) => ({
      container,
      channel: channelOf(place),
      ...(!ephemeral && { message: messageOf(message) }),
      state: { values: inputStateOf(blocks, values) },
    });
    return { person, blocks, message, describe };
  }

  #responseUrl(person: string, source: Stored): string {
    const { channel, threadTs } = source;
    return this.parts.responses.issue({ person, channel, threadTs, source });
  }

  /** The action as Slack sends it: what the element says about itself beside what was chosen. */
  #completed({ block, element }: Found, action: Loose): Loose {
    const { type, action_id, text, value, style } = element;
    this.#lastAction = Math.max(this.parts.workspace.now(), this.#lastAction + 1);
    const own =
      type === 'button' ? { text, ...(value !== undefined && { value }), ...(style ? { style } : {}) } : {};
    const action_ts = (this.#lastAction / 1000).toFixed(6);
    return { ...own, ...action, type, action_id, block_id: block.block_id, action_ts };
  }
}

function ofView(frame: Frame, values: StateValues): Loose {
  return { container: { type: 'view', view_id: frame.id }, view: viewOf(frame, values) };
}

function outcomeOf(ack: Ack): Outcome {
  if (ack.how === 'acked') return { ok: true };
  return { ok: false, error: ack.how === 'timeout' ? 'operation_timeout' : 'dispatch_failed' };
}

/** The first element, containers' children included, that `wanted` says yes to. */
export function findElement(blocks: readonly object[], wanted: (found: Found) => boolean): Found | undefined {
  for (const block of flattened(blocks)) {
    const element = elementsOf(block).find((one) => wanted({ block, element: one }));
    if (element) return { block, element };
  }
  return undefined;
}

/** An action may leave its block's id out where its own is enough. */
function matches(block: Loose, element: Loose, { block_id, action_id }: Loose): boolean {
  return element.action_id === action_id && (block_id === undefined || block.block_id === block_id);
}

function offersChosen({ options, option_groups }: Loose, { selected_option: chosen }: Loose): boolean {
  const lists = [options, ...((option_groups as Loose[] | undefined) ?? []).map((one) => one.options)];
  const offered = lists.flatMap((one) => (one as Loose[] | undefined) ?? []);
  if (!chosen || offered.length === 0) return true;
  return offered.some(({ value }) => value === (chosen as Loose).value);
}

function withChosen(values: StateValues, action: Loose): StateValues {
  const block = String(action.block_id);
  const { action_id, action_ts: _at, block_id: _block, text: _text, style: _style, ...held } = action;
  return { ...values, [block]: { ...values[block], [String(action_id)]: held } } as unknown as StateValues;
}
