import { useWorkspace } from '../workspace.ts';
import { Combobox } from './Combobox.tsx';
import { useElement } from './element.ts';
import type { Placed } from './form.ts';
import { chosenIn, type Item, isMany, offeredBy, type SelectElement, stateOf } from './options.ts';
import { useSuggestions } from './suggestions.ts';

/** Every select menu, single or multiple, whatever list it draws from. */
export function Select(props: Placed<SelectElement>) {
  const { element, blockId, label, optional = false } = props;
  const workspace = useWorkspace();
  const { value, choose, sending, disabled } = useElement(props);
  const isExternal = element.type === 'external_select' || element.type === 'multi_external_select';
  const suggestions = useSuggestions(blockId, element, isExternal);
  const own = offeredBy(element, workspace);
  const chosen = chosenIn(value, own);
  const many = isMany(element);
  const limit = many ? (element.max_selected_items ?? Number.POSITIVE_INFINITY) : 1;

  const toggle = (item: Item) => {
    if (!many) return choose(stateOf(element, [item]));
    const without = chosen.filter((one) => one.value !== item.value);
    const next = without.length < chosen.length ? without : [...chosen, item].slice(0, limit);
    return choose(stateOf(element, next));
  };
  return (
    <Combobox
      label={label ?? element.placeholder?.text ?? 'Select an option'}
      placeholder={element.placeholder?.text ?? 'Select an option'}
      items={isExternal ? suggestions.items : own}
      chosen={chosen}
      many={many}
      clearable={optional}
      disabled={disabled || sending}
      note={isExternal ? suggestions.note : undefined}
      onToggle={(item) => void toggle(item)}
      onClear={() => void choose(stateOf(element, []))}
      onQuery={isExternal ? suggestions.ask : undefined}
    />
  );
}
