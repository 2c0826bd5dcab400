import { Fragment, useEffect, useRef } from 'react';
import { CheckIcon } from '../icons.tsx';
import type { Item } from './options.ts';

interface Props {
  id: string;
  items: Item[];
  chosen: Item[];
  active: number;
  note: string | undefined;
  onChoose(item: Item): void;
}

export function Listbox({ id, items, chosen, active, note, onChoose }: Props) {
  const current = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the active option changes
  useEffect(() => {
    void current.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div id={id} role="listbox" className="menu">
      {items.map((item, index) => {
        const isChosen = chosen.some(({ value }) => value === item.value);
        return (
          <Fragment key={`${item.group ?? ''}/${item.value}`}>
            {item.group && item.group !== items[index - 1]?.group && (
              <div className="menu-group" role="presentation">
                {item.group}
              </div>
            )}
            {/* biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and refers to the active option */}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys */}
            <div
              id={`${id}-${index}`}
              ref={index === active ? current : undefined}
              role="option"
              aria-selected={isChosen}
              aria-label={item.text}
              className={index === active ? 'menu-item active' : 'menu-item'}
              // Keeps the focus in the field; losing it would close the list.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onChoose(item)}
            >
              <span>
                {item.text}
                {item.description && <small>{item.description}</small>}
              </span>
              {isChosen && <CheckIcon size={16} />}
            </div>
          </Fragment>
        );
      })}
      {items.length === 0 && <div className="menu-note">{note ?? 'No matches.'}</div>}
    </div>
  );
}
