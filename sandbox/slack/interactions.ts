/** Clicks, choices and searches in the bot's blocks, and submitted and closed modals. */
import type { Person, StateValues, SurfaceRef, Verbs } from '../protocol.ts';
import { elementsOf, flattened, type Loose, problemsOf, Rejection, readView } from './blocks.ts';
import { type Core, failed, type Outcome } from './core.ts';
import type { Ack } from './delivery.ts';
import { suggestions } from './elements.ts';
import { inputStateOf, optionsOf, problemsOfInputs } from './forms.ts';
import { channelOf, interactionOf, messageOf, viewOf } from './payloads.ts';
import { teamOf } from './people.ts';
import { type StoredMessage, type StoredView, WHOLE_VIEW, type Workspace } from './workspace.ts';

interface Surface {
  person: Person;
  blocks: readonly object[];
  viewId?: string;
  message?: StoredMessage;
  describe(values: StateValues): Loose;
}

interface FoundElement {
  block: Loose;
  element: Loose;
}

export async function act(core: Core, workspace: Workspace, given: Verbs['act']): Promise<Outcome> {
  const { as, action, values } = given;
  const surface = findSurface(workspace, as, given.surface);
  if (!surface) return failed('not_found');
  const { block_id, action_id } = action;
  const found = findElement(
    surface.blocks,
    ({ block, element }) =>
      element.action_id === action_id && (block_id === undefined || block.block_id === block_id),
  );
  if (!found) return failed('action_not_found');
  const offered = optionsOf(found.element);
  const chosen = action.selected_option as Loose | undefined;
  if (chosen && offered.length > 0 && !offered.some(({ value }) => value === chosen.value))
    return failed('option_not_offered');
  const { message } = surface;
  const origin = message && { channel: message.channel, threadTs: message.threadTs, source: message };
  const full = completeAction(core, found, action);
  const ack = await core.delivery.send('interactive', {
    type: 'block_actions',
    ...interactionOf(workspace, surface.person),
    trigger_id: core.triggers.issue({ person: as, viewId: surface.viewId }),
    ...surface.describe(withChosenValue(values, full)),
    ...(origin && { response_url: core.responses.issue({ workspace, person: as, ...origin }) }),
    actions: [full],
  });
  return outcomeOf(ack);
}

export async function suggest(
  core: Core,
  workspace: Workspace,
  { as, surface: ref, blockId, actionId, value }: Verbs['suggest'],
): Promise<Outcome & Loose> {
  const surface = findSurface(workspace, as, ref);
  if (!surface) return failed('not_found');
  const ack = await core.delivery.send('interactive', {
    type: 'block_suggestion',
    ...interactionOf(workspace, surface.person),
    ...surface.describe({}),
    action_id: actionId,
    block_id: blockId,
    value,
  });
  if (ack.how !== 'acked') return outcomeOf(ack);
  const read = suggestions.safeParse(ack.body);
  if (read.success) return { ok: true, ...read.data };
  core.complain(`options of ${actionId}: ${problemsOf(read.error).join('; ')}`);
  return failed('invalid_options');
}

/** Finds a message that this person sees, their top modal, or their Home, which the page calls `home`. */
export function findSurface(workspace: Workspace, as: string, ref: SurfaceRef): Surface | undefined {
  const person = workspace.person(as);
  if (!person) return undefined;
  if (!('viewId' in ref)) return messageSurface(workspace, person, ref);
  const home = workspace.home(as);
  const view =
    ref.viewId === 'home' ? home : [workspace.modal(as), home].find((view) => view?.id === ref.viewId);
  return (
    view && {
      person,
      blocks: view.view.blocks,
      viewId: view.id,
      describe: (values) => ({ container: { type: 'view', view_id: view.id }, view: viewOf(view, values) }),
    }
  );
}

function messageSurface(
  workspace: Workspace,
  person: Person,
  { channel, ts }: { channel: string; ts: string },
): Surface | undefined {
  const conversation = workspace.conversation(channel);
  const message = workspace.messagesFor(person.id, channel).find((message) => message.ts === ts);
  if (!conversation || !workspace.canSee(person.id, conversation) || !message?.blocks) return undefined;
  const { blocks, ephemeral, threadTs } = message;
  const container = { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: ephemeral };
  return {
    person,
    blocks,
    message,
    describe: (values) => ({
      container: { ...container, ...(threadTs && { thread_ts: threadTs }) },
      channel: channelOf(conversation),
      ...(!ephemeral && { message: messageOf(message) }),
      state: { values: inputStateOf(blocks, values) },
    }),
  };
}

export function findElement(
  blocks: readonly object[],
  wanted: (found: FoundElement) => boolean,
): FoundElement | undefined {
  return flattened(blocks)
    .flatMap((block) => elementsOf(block).map((element) => ({ block, element })))
    .find(wanted);
}

let lastAction = 0;

function completeAction({ now }: Core, { block, element }: FoundElement, action: Loose): Loose {
  const { type, action_id, text, value, style } = element;
  lastAction = Math.max(now(), lastAction + 1);
  const own =
    type === 'button' ? { text, ...(value !== undefined && { value }), ...(style ? { style } : {}) } : {};
  const action_ts = (lastAction / 1000).toFixed(6);
  return { ...own, ...action, type, action_id, block_id: block.block_id, action_ts };
}

function withChosenValue(values: StateValues, action: Loose): StateValues {
  const block = String(action.block_id);
  const { action_id, action_ts: _at, block_id: _block, text: _text, style: _style, ...held } = action;
  return { ...values, [block]: { ...values[block], [String(action_id)]: held } } as unknown as StateValues;
}

function outcomeOf(ack: Ack): Outcome {
  if (ack.how === 'acked') return { ok: true };
  return failed(ack.how === 'timeout' ? 'operation_timeout' : 'dispatch_failed');
}

const CONNECTION_ERROR = 'We had some trouble connecting. Try again?';

export async function submit(
  core: Core,
  workspace: Workspace,
  { as, viewId, values }: Verbs['submit'],
): Promise<Outcome> {
  const view = workspace.modal(as);
  const person = workspace.person(as);
  if (view?.id !== viewId || !person) return failed('not_found');
  if (view.busy) return failed('busy');
  const errors = problemsOfInputs(view.view.blocks, inputStateOf(view.view.blocks, values));
  workspace.markView(view, { errors });
  if (Object.keys(errors).length > 0) return failed('invalid_input');
  workspace.markView(view, { busy: true });
  const ack = await core.delivery.send('interactive', {
    type: 'view_submission',
    ...interactionOf(workspace, person),
    // The user's own team. The team with the app is in the view's `app_installed_team_id`.
    team: { id: teamOf(person), domain: workspace.team.domain },
    trigger_id: core.triggers.issue({ person: as, viewId: view.id }),
    view: viewOf(view, values),
    response_urls: [],
  });
  workspace.markView(view, { busy: false });
  const problem = ack.how === 'acked' ? applyAcknowledgement(workspace, view, ack.body) : ack.how;
  if (problem === undefined) return { ok: true };
  workspace.markView(view, { errors: { [WHOLE_VIEW]: CONNECTION_ERROR } });
  if (ack.how === 'acked') core.complain(`view_submission: ${problem}`);
  return failed(CONNECTION_ERROR);
}

/** @returns what is wrong with the acknowledgement, if anything */
function applyAcknowledgement(workspace: Workspace, shown: StoredView, body: unknown): string | undefined {
  const { response_action: action, view, errors } = (body ?? {}) as Loose;
  if (action === undefined) {
    if (workspace.modal(shown.person) === shown) workspace.closeModal(shown);
    return undefined;
  }
  if (action === 'errors') return showErrors(workspace, shown, (errors ?? {}) as Loose);
  if (action !== 'update') return `unknown response_action ${String(action)}`;
  try {
    workspace.replaceView(shown, readView(view, 'modal'));
    return undefined;
  } catch (error) {
    if (error instanceof Rejection) return error.message;
    throw error;
  }
}

function showErrors(workspace: Workspace, shown: StoredView, errors: Loose): string | undefined {
  const inputs = shown.view.blocks.filter(({ type }) => type === 'input').map(({ block_id }) => block_id);
  const unknown = Object.keys(errors).filter((id) => !inputs.includes(id));
  if (unknown.length > 0) return `errors for unknown input blocks: ${unknown.join(', ')}`;
  const sentences = Object.values(errors);
  if (
    sentences.length === 0 ||
    !sentences.every((sentence) => typeof sentence === 'string' && sentence !== '')
  )
    return 'errors must be non-empty texts';
  workspace.markView(shown, { errors: errors as Record<string, string> });
  return undefined;
}

export async function close(workspace: Workspace, { as, viewId }: Verbs['close']): Promise<Outcome> {
  const view = workspace.modal(as);
  if (view?.id !== viewId) return failed('not_found');
  workspace.closeModal(view);
  return { ok: true };
}
