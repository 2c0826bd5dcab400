/** Reads, checks and fills the inputs of a view or a message. */
import { initialOf, type StateValue, type StateValues, VALUE_KEYS } from '../protocol.ts';
import { elementsOf, flattened, type Loose } from './blocks.ts';
import { LIMITS } from './limits.ts';

/** Elements missing from `given` have their initial value. */
export function inputStateOf(blocks: readonly object[], given: StateValues): StateValues {
  const state: StateValues = {};
  for (const block of flattened(blocks)) {
    for (const element of elementsOf(block)) {
      const { type, action_id } = element;
      const key = VALUE_KEYS[String(type)];
      if (key === undefined || type === 'overflow') continue;
      const [blockId, actionId] = [String(block.block_id), String(action_id)];
      const typed = given[blockId]?.[actionId] as Loose | undefined;
      const value = typed ? typed[key] : element[initialOf(key)];
      const empty = key.endsWith('s') ? [] : null;
      const filled = { type, [key]: value === '' || value === undefined ? empty : value };
      state[blockId] = { ...state[blockId], [actionId]: filled as StateValue };
    }
  }
  return state;
}

/** Slack's own checks before a submission. @returns sentences by block ID */
export function problemsOfInputs(blocks: readonly object[], state: StateValues): Record<string, string> {
  const inputs = flattened(blocks).filter(({ type }) => type === 'input');
  return Object.fromEntries(
    inputs.flatMap(({ block_id, optional, element }) => {
      const { action_id, max_length = LIMITS.typed } = element as Loose;
      const { type, ...held } = state[String(block_id)]?.[String(action_id)] ?? { type: '' };
      const [value] = Object.values(held);
      const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
      const problem = () => {
        if (isEmpty) return optional !== true && 'Please complete this required field.';
        if (type !== 'plain_text_input') return false;
        return String(value).length > Number(max_length) && `Must be no more than ${max_length} characters.`;
      };
      const sentence = problem();
      return sentence ? [[String(block_id), sentence]] : [];
    }),
  );
}

/** By block ID or action ID: a text, or an option's value or label. */
export type Fields = Record<string, string | readonly string[]>;

/** @throws Error for a field or an option that the form doesn't have */
export function fillForm(blocks: readonly object[], fields: Fields): StateValues {
  const left = new Set(Object.keys(fields));
  const values: StateValues = {};
  for (const block of flattened(blocks)) {
    for (const element of elementsOf(block)) {
      const name = [block.block_id, element.action_id].map(String).find((known) => left.has(known));
      const given = name === undefined ? undefined : fields[name];
      if (name === undefined || given === undefined) continue;
      left.delete(name);
      const value = { type: String(element.type), ...chosenValue(element, given) };
      const id = String(block.block_id);
      values[id] = { ...values[id], [String(element.action_id)]: value };
    }
  }
  if (left.size > 0) throw new Error(`The form has no field ${[...left].join(', ')}.`);
  return values;
}

export function chosenValue(element: Loose, given: string | readonly string[]): Loose {
  const key = VALUE_KEYS[String(element.type)];
  if (key === undefined) throw new Error(`A ${String(element.type)} has no value.`);
  if (key === 'selected_option') return { [key]: optionOf(element, String(given)) };
  if (key === 'selected_options')
    return { [key]: [given].flat().map((chosen) => optionOf(element, String(chosen))) };
  return { [key]: given };
}

export const optionsOf = ({ options, option_groups }: Loose): Loose[] =>
  [options, ...((option_groups as Loose[]) ?? []).map((group) => group.options)].flatMap(
    (list) => (list as Loose[]) ?? [],
  );

/** The view doesn't contain the options of an `external_select`, so any value is accepted. */
function optionOf(element: Loose, wanted: string): Loose {
  if (String(element.type).includes('external'))
    return { text: { type: 'plain_text', text: wanted }, value: wanted };
  const found = optionsOf(element).find(
    (option) => option.value === wanted || (option.text as Loose).text === wanted,
  );
  if (!found) throw new Error(`${String(element.action_id)} has no option ${wanted}.`);
  return found;
}
