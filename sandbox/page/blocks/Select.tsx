import { useWorkspace } from '../workspace.ts';
import { Combobox } from './Combobox.tsx';
import { useElement } from './element.ts';
import type { ElementProps } from './form.ts';
import { chosenItems, type Item, isMany, ownOptions, type SelectElement, stateOf } from './options.ts';
import { useSuggestions } from './suggestions.ts';

/** Every select menu, single or multiple. */
export function Select(props: ElementProps<SelectElement>) {
  const { element, blockId, label, optional = false } = props;
  const workspace = useWorkspace();
  const { value, choose, sending, disabled } = useElement(props);
  const isExternal = element.type === 'external_select' || element.type === 'multi_external_select';
  const suggestions = useSuggestions(blockId, element, isExternal);
  const own = ownOptions(element, workspace);
  const chosen = chosenItems(value, own);
  const many = isMany(element);
  const limit = many ? (element.max_selected_items ?? Number.POSITIVE_INFINITY) : 1;

  const toggle = (item: Item) => {
    if (!many) return choose(stateOf(element, [item]));
    const without = chosen.filter((option) => option.value !== item.value);
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
