import type { ActionsBlockElement, InputBlockElement, KnownBlock, SectionBlockAccessory } from '@slack/types';
import type { StateValue, StateValues } from '../../protocol.ts';

export type AnyElement = ActionsBlockElement | InputBlockElement | SectionBlockAccessory;

/** The props of an element: its block, whether a choice is sent at once, and its label. */
export interface ElementProps<E = AnyElement> {
  element: E;
  blockId: string;
  dispatches: boolean;
  label?: string;
  optional?: boolean;
}

/** The block's ID, or one from its index. */
export const blockIdOf = (block: { block_id?: string }, index: number) => block.block_id ?? `block-${index}`;

/** Includes the blocks inside containers. */
function flatten(blocks: KnownBlock[]): { block: KnownBlock; blockId: string }[] {
  return blocks.flatMap((block, index) =>
    block.type === 'container'
      ? flatten(block.child_blocks as KnownBlock[])
      : [{ block, blockId: blockIdOf(block, index) }],
  );
}

function elementsOf(block: KnownBlock): AnyElement[] {
  if (block.type === 'actions') return block.elements;
  if (block.type === 'input') return [block.element];
  if (block.type === 'section' && block.accessory) return [block.accessory];
  return [];
}

export function inputsOf(blocks: KnownBlock[]) {
  return flatten(blocks).flatMap(({ block, blockId }) =>
    block.type === 'input' ? [{ block, blockId, element: block.element }] : [],
  );
}

/** Undefined for elements without a value, such as buttons. */
function initialValue(element: AnyElement): StateValue | undefined {
  const { type } = element;
  switch (element.type) {
    case 'plain_text_input':
    case 'email_text_input':
    case 'url_text_input':
    case 'number_input':
      return { type, value: element.initial_value ?? null };
    case 'static_select':
    case 'external_select':
    case 'radio_buttons':
      return { type, selected_option: (element.initial_option as StateValue['selected_option']) ?? null };
    case 'checkboxes':
    case 'multi_static_select':
    case 'multi_external_select':
      return { type, selected_options: (element.initial_options as StateValue['selected_options']) ?? [] };
    case 'datepicker':
      return { type, selected_date: element.initial_date ?? null };
    case 'timepicker':
      return { type, selected_time: element.initial_time ?? null };
    case 'datetimepicker':
      return { type, selected_date_time: element.initial_date_time ?? null };
    case 'users_select':
      return { type, selected_user: element.initial_user ?? null };
    case 'conversations_select':
      return { type, selected_conversation: element.initial_conversation ?? null };
    case 'channels_select':
      return { type, selected_channel: element.initial_channel ?? null };
    case 'multi_users_select':
      return { type, selected_users: element.initial_users ?? [] };
    case 'multi_conversations_select':
      return { type, selected_conversations: element.initial_conversations ?? [] };
    case 'multi_channels_select':
      return { type, selected_channels: element.initial_channels ?? [] };
    default:
      return undefined;
  }
}

export function withValue(
  values: StateValues,
  blockId: string,
  actionId: string,
  value: StateValue,
): StateValues {
  return { ...values, [blockId]: { ...values[blockId], [actionId]: value } };
}

/**
 * The values after an update of the blocks. As in Slack, a value stays when its block ID and action ID stay, even with
 * a new initial value, unless the new options do not include it.
 */
export function carryOver(
  previous: StateValues,
  blocks: KnownBlock[],
  currentConversation?: string,
): StateValues {
  let values: StateValues = {};
  for (const { block, blockId } of flatten(blocks)) {
    for (const element of elementsOf(block)) {
      const actionId = element.type === 'image' ? undefined : element.action_id;
      const initial = initialValue(element);
      if (!actionId || !initial) continue;
      const before = previous[blockId]?.[actionId];
      const kept = before?.type === element.type && stillOffered(element, before) ? before : undefined;
      values = withValue(
        values,
        blockId,
        actionId,
        kept ?? withDefaultConversation(element, initial, currentConversation),
      );
    }
  }
  return values;
}

/** `default_to_current_conversation` applies when there is no initial value. */
function withDefaultConversation(
  element: AnyElement,
  initial: StateValue,
  conversation: string | undefined,
): StateValue {
  const wanted = element.type === 'conversations_select' && element.default_to_current_conversation;
  if (!wanted || !conversation || initial.selected_conversation) return initial;
  return { ...initial, selected_conversation: conversation };
}

function stillOffered(element: AnyElement, value: StateValue): boolean {
  if (element.type !== 'static_select' && element.type !== 'radio_buttons') return true;
  const groups = 'option_groups' in element ? (element.option_groups ?? []) : [];
  const options = [...(element.options ?? []), ...groups.flatMap((group) => group.options)];
  const chosen = value.selected_option?.value;
  return !chosen || options.some((option) => option.value === chosen);
}
