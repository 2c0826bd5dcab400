/** Interactions with the bot's blocks: clicks, choices and external selects. */
import type { Person, StateValues, SurfaceRef, Verbs } from '../protocol.ts';
import { blockProblems, elementsOf, flattened } from './blocks.ts';
import type { Outcome } from './composer.ts';
import { suggestions } from './composition-objects.ts';
import type { Ack, Delivery, Kind } from './delivery.ts';
import { inputStateOf } from './input-state.ts';
import { channelOf, envelopeOf, messageOf, userOf, viewOf } from './payloads.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { Triggers } from './triggers.ts';
import type { StoredView, Views } from './views.ts';
import type { StoredMessage, Workspace } from './workspace.ts';

type Loose = Record<string, unknown>;

export interface InteractionParts {
  workspace: Workspace;
  views: Views;
  triggers: Triggers;
  responses: ResponseUrls;
  delivery: () => Delivery;
  complain: (problem: string) => void;
}

/** A message or a view: its blocks, and its part of the payload. */
interface Surface {
  person: Person;
  blocks: readonly object[];
  viewId?: string;
  message?: StoredMessage;
  describe(values: StateValues): Loose;
}

export interface FoundElement {
  block: Loose;
  element: Loose;
}

const INTERACTIVE: Kind = 'interactive';
const HOME = 'home';

export class Interactions {
  #lastAction = 0;

  constructor(readonly parts: InteractionParts) {}

  async act({ as, surface, action, values }: Verbs['act']): Promise<Outcome> {
    const scene = this.findSurface(as, surface);
    if (!scene) return { ok: false, error: 'not_found' };
    const found = findElement(scene.blocks, ({ block, element }) => matches(block, element, action));
    if (!found) return { ok: false, error: 'action_not_found' };
    if (!isOffered(found.element, action)) return { ok: false, error: 'option_not_offered' };
    const full = this.completeAction(found, action);
    const trigger_id = this.parts.triggers.issue({ person: as, viewId: scene.viewId });
    const ack = await this.parts.delivery().send(INTERACTIVE, {
      type: 'block_actions',
      ...envelopeOf(this.parts.workspace),
      user: userOf(scene.person),
      trigger_id,
      ...scene.describe(withChosenValue(values, full)),
      ...(scene.message && { response_url: this.#responseUrl(as, scene.message) }),
      actions: [full],
    });
    return outcomeOf(ack);
  }

  async suggest({ as, surface, blockId, actionId, value }: Verbs['suggest']): Promise<Outcome & Loose> {
    const scene = this.findSurface(as, surface);
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

  /** Finds a message that this person sees, their top modal, or their Home. */
  findSurface(as: string, surface: SurfaceRef): Surface | undefined {
    const person = this.parts.workspace.person(as);
    if (!person) return undefined;
    return 'viewId' in surface ? this.#inView(person, surface.viewId) : this.#inMessage(person, surface);
  }

  /** The page refers to the Home as `home`. */
  #inView(person: Person, wanted: string): Surface | undefined {
    const { views } = this.parts;
    const home = views.home(person.id);
    const open = [views.top(person.id), home].find((view) => view?.id === wanted);
    const frame = wanted === HOME ? home : open;
    if (!frame) return undefined;
    const describe = (values: StateValues) => viewPayload(frame, values);
    return { person, blocks: frame.view.blocks, viewId: frame.id, describe };
  }

  #inMessage(person: Person, { channel, ts }: { channel: string; ts: string }): Surface | undefined {
    const { workspace } = this.parts;
    const conversation = workspace.conversation(channel);
    const message = workspace.messagesFor(person.id, channel).find((message) => message.ts === ts);
    if (!conversation || !workspace.canSee(person.id, conversation) || !message?.blocks) return undefined;
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
      channel: channelOf(conversation),
      ...(!ephemeral && { message: messageOf(message) }),
      state: { values: inputStateOf(blocks, values) },
    });
    return { person, blocks, message, describe };
  }

  #responseUrl(person: string, source: StoredMessage): string {
    const { channel, threadTs } = source;
    return this.parts.responses.issue({ person, channel, threadTs, source });
  }

  /** The action as Slack sends it: the element's own fields and the chosen value. */
  completeAction({ block, element }: FoundElement, action: Loose): Loose {
    const { type, action_id, text, value, style } = element;
    this.#lastAction = Math.max(this.parts.workspace.now(), this.#lastAction + 1);
    const own =
      type === 'button' ? { text, ...(value !== undefined && { value }), ...(style ? { style } : {}) } : {};
    const action_ts = (this.#lastAction / 1000).toFixed(6);
    return { ...own, ...action, type, action_id, block_id: block.block_id, action_ts };
  }
}

function viewPayload(frame: StoredView, values: StateValues): Loose {
  return { container: { type: 'view', view_id: frame.id }, view: viewOf(frame, values) };
}

function outcomeOf(ack: Ack): Outcome {
  if (ack.how === 'acked') return { ok: true };
  return { ok: false, error: ack.how === 'timeout' ? 'operation_timeout' : 'dispatch_failed' };
}

/** Returns the first element that matches `wanted`, containers' children included. */
export function findElement(
  blocks: readonly object[],
  wanted: (found: FoundElement) => boolean,
): FoundElement | undefined {
  for (const block of flattened(blocks)) {
    const element = elementsOf(block).find((element) => wanted({ block, element }));
    if (element) return { block, element };
  }
  return undefined;
}

/** An action may leave out its block's ID. */
function matches(block: Loose, element: Loose, { block_id, action_id }: Loose): boolean {
  return element.action_id === action_id && (block_id === undefined || block.block_id === block_id);
}

function isOffered({ options, option_groups }: Loose, { selected_option: chosen }: Loose): boolean {
  const lists = [options, ...((option_groups as Loose[] | undefined) ?? []).map((group) => group.options)];
  const offered = lists.flatMap((list) => (list as Loose[] | undefined) ?? []);
  if (!chosen || offered.length === 0) return true;
  return offered.some(({ value }) => value === (chosen as Loose).value);
}

function withChosenValue(values: StateValues, action: Loose): StateValues {
  const block = String(action.block_id);
  const { action_id, action_ts: _at, block_id: _block, text: _text, style: _style, ...held } = action;
  return { ...values, [block]: { ...values[block], [String(action_id)]: held } } as unknown as StateValues;
}
