import type { ActionsBlockElement, InputBlockElement, KnownBlock, SectionBlockAccessory } from '@slack/types';
import type { StateValue, StateValues } from '../../protocol.ts';

export type AnyElement = ActionsBlockElement | InputBlockElement | SectionBlockAccessory;

/** An element where it stands: its block, whether a choice is sent at once, and the label beside it. */
export interface ElementProps<E = AnyElement> {
  element: E;
  blockId: string;
  dispatches: boolean;
  label?: string;
  optional?: boolean;
}

/** Blocks without an id get one from their place, as the service would give them one. */
export const blockIdOf = (block: { block_id?: string }, index: number) => block.block_id ?? `block-${index}`;

/** Containers hold blocks of their own; for values they are as flat as everything else. */
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

/** What an element says before anybody touches it; buttons and menus say nothing. */
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
 * The values of newly drawn blocks. What was there under the same block and action ids stays, as in Slack, even
 * against a new initial value; a choice that the new options no longer offer does not.
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

/** `default_to_current_conversation` fills what nothing else has filled. */
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
