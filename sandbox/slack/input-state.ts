/** The state of the elements in a view or a message: what was typed or chosen. */
import type { StateValue, StateValues } from '../protocol.ts';
import { elementsOf, flattened } from './blocks.ts';
import { LIMITS } from './limits.ts';

type Loose = Record<string, unknown>;

/** Element type → the key of its value, the key of its initial value, and its empty value. */
const VALUE_KEYS: Readonly<Record<string, readonly [key: string, initial: string, empty: unknown]>> = {
  plain_text_input: ['value', 'initial_value', null],
  email_text_input: ['value', 'initial_value', null],
  url_text_input: ['value', 'initial_value', null],
  number_input: ['value', 'initial_value', null],
  static_select: ['selected_option', 'initial_option', null],
  external_select: ['selected_option', 'initial_option', null],
  radio_buttons: ['selected_option', 'initial_option', null],
  checkboxes: ['selected_options', 'initial_options', []],
  multi_static_select: ['selected_options', 'initial_options', []],
  multi_external_select: ['selected_options', 'initial_options', []],
  users_select: ['selected_user', 'initial_user', null],
  multi_users_select: ['selected_users', 'initial_users', []],
  conversations_select: ['selected_conversation', 'initial_conversation', null],
  multi_conversations_select: ['selected_conversations', 'initial_conversations', []],
  channels_select: ['selected_channel', 'initial_channel', null],
  datepicker: ['selected_date', 'initial_date', null],
  timepicker: ['selected_time', 'initial_time', null],
};

/** Returns the key of the element's value; undefined when it has none. */
export function valueKeyOf({ type }: Loose): string | undefined {
  return VALUE_KEYS[String(type)]?.[0];
}

/** Returns the state of every element with a value; elements missing in `given` have their initial value. */
export function inputStateOf(blocks: readonly object[], given: StateValues): StateValues {
  const state: StateValues = {};
  for (const block of flattened(blocks)) {
    for (const element of elementsOf(block)) {
      const holder = VALUE_KEYS[String(element.type)];
      if (!holder) continue;
      const blockId = String(block.block_id);
      const actionId = String(element.action_id);
      state[blockId] = {
        ...state[blockId],
        [actionId]: stateValueOf(element, holder, given[blockId]?.[actionId]),
      };
    }
  }
  return state;
}

function stateValueOf(
  element: Loose,
  [key, initial, empty]: readonly [string, string, unknown],
  given?: StateValue,
) {
  const chosen = given ? (given as unknown as Loose)[key] : element[initial];
  return { type: element.type, [key]: chosen === '' || chosen === undefined ? empty : chosen } as StateValue;
}

/** Slack's own validation before a view is submitted: block_id → sentence. */
export function problemsOfInputs(blocks: readonly object[], state: StateValues): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const block of flattened(blocks)) {
    if (block.type !== 'input') continue;
    const element = block.element as Loose;
    const value = state[String(block.block_id)]?.[String(element.action_id)];
    const problem = problemOf(element, valueIn(value), block.optional === true);
    if (problem) problems[String(block.block_id)] = problem;
  }
  return problems;
}

function valueIn(value: StateValue | undefined): unknown {
  return Object.entries(value ?? {}).find(([key]) => key !== 'type')?.[1];
}

function problemOf(element: Loose, value: unknown, optional: boolean): string | undefined {
  const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  if (isEmpty) return optional ? undefined : 'Please complete this required field.';
  if (typeof value !== 'string') return undefined;
  const most = Number(element.max_length ?? LIMITS.typed);
  const least = Number(element.min_length ?? 0);
  if (element.type === 'plain_text_input' && value.length > most)
    return `Must be no more than ${most} characters.`;
  if (element.type === 'plain_text_input' && value.length < least)
    return `Must be at least ${least} characters.`;
  if (element.type === 'number_input') return problemOfNumber(element, value);
  if (element.type === 'email_text_input' && !/^[^\s@]+@[^\s@]+$/.test(value))
    return 'Must be a valid email address.';
  if (element.type === 'url_text_input' && !/^https?:\/\/[^\s/]+/.test(value)) return 'Must be a valid URL.';
  return undefined;
}

function problemOfNumber(element: Loose, value: string): string | undefined {
  const pattern = element.is_decimal_allowed ? /^-?\d+(\.\d+)?$/ : /^-?\d+$/;
  if (!pattern.test(value)) return 'Must be a number.';
  if (element.min_value !== undefined && Number(value) < Number(element.min_value))
    return `Must be at least ${element.min_value}.`;
  if (element.max_value !== undefined && Number(value) > Number(element.max_value))
    return `Must be no more than ${element.max_value}.`;
  return undefined;
}
