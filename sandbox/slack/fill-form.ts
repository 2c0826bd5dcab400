/** Fills a form: block ID or action ID → text, or an option's value or label. */
import type { StateValues } from '../protocol.ts';
import { elementsOf, flattened } from './blocks.ts';
import { valueKeyOf } from './input-state.ts';

type Loose = Record<string, unknown>;

/** By block ID or action ID. */
export type Fields = Record<string, string | readonly string[]>;

/** Throws for a field or an option that the form does not have. */
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

/** Returns the part of an action or a state value that holds the choice. */
export function chosenValue(element: Loose, given: string | readonly string[]): Loose {
  const key = element.type === 'overflow' ? 'selected_option' : valueKeyOf(element);
  if (key === undefined) throw new Error(`A ${String(element.type)} has no value.`);
  if (key === 'selected_option') return { [key]: option(element, String(given)) };
  if (key === 'selected_options')
    return { [key]: [given].flat().map((chosen) => option(element, String(chosen))) };
  return { [key]: given };
}

/** The options of an `external_select` are not in the view, so any value is accepted. */
function option(element: Loose, wanted: string): Loose {
  if (element.type === 'external_select' || element.type === 'multi_external_select')
    return { text: { type: 'plain_text', text: wanted }, value: wanted };
  const groups = (element.option_groups as Loose[] | undefined) ?? [];
  const all = [element.options, ...groups.map((group) => group.options)].flatMap(
    (group) => (group as Loose[]) ?? [],
  );
  const found = all.find((option) => option.value === wanted || (option.text as Loose).text === wanted);
  if (!found) throw new Error(`${String(element.action_id)} has no option ${wanted}.`);
  return found;
}
