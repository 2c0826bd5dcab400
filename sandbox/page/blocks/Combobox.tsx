import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { ChevronIcon, CloseIcon } from '../icons.tsx';
import { Listbox } from './Listbox.tsx';
import type { Item } from './options.ts';
import { Popup } from './Popup.tsx';

interface Props {
  label: string;
  placeholder: string;
  items: Item[];
  chosen: Item[];
  many: boolean;
  clearable: boolean;
  disabled: boolean;
  /** Shown instead of options. */
  note: string | undefined;
  onToggle(item: Item): void;
  onClear(): void;
  /** Fetches the options; without it they are filtered here. */
  onQuery: ((query: string) => void) | undefined;
}

/** A searchable select for one choice or several. */
export function Combobox(props: Props) {
  const { label, chosen, many, disabled, note, onQuery } = props;
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const anchor = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const listId = useId();
  const needle = query.trim().toLowerCase();
  const items = onQuery ? props.items : props.items.filter(({ text }) => text.toLowerCase().includes(needle));
  const shown = many ? '' : (chosen[0]?.text ?? '');

  const search = (text: string) => {
    setQuery(text);
    setActive(0);
    setOpen(true);
    onQuery?.(text);
  };
  const close = () => {
    setOpen(false);
    setQuery('');
  };
  const choose = (item: Item) => {
    props.onToggle(item);
    if (many) search('');
    else close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = chosen.at(-1);
    if (event.key === 'Escape' && open) close();
    else if (event.key === 'ArrowDown' && !open) search('');
    else if (event.key === 'ArrowDown') setActive((at) => Math.min(at + 1, items.length - 1));
    else if (event.key === 'ArrowUp' && open) setActive((at) => Math.max(at - 1, 0));
    else if (event.key === 'Enter') {
      const item = items[active];
      if (open && item) choose(item);
      else if (!open) search('');
    } else if (event.key === 'Backspace' && many && !query && last) props.onToggle(last);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a click anywhere focuses the input
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
    <div
      ref={anchor}
      className={`combobox ${many ? 'many' : ''} ${disabled ? 'disabled' : ''}`}
      onClick={() => field.current?.focus()}
    >
      {many &&
        chosen.map((item) => (
          <ChosenTag key={item.value} item={item} onRemove={() => props.onToggle(item)} />
        ))}
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={open && items[active] ? `${listId}-${active}` : undefined}
        placeholder={many && chosen.length ? '' : open && shown ? shown : props.placeholder}
        value={open ? query : shown}
        disabled={disabled}
        autoComplete="off"
        spellCheck={false}
        onClick={() => !open && search('')}
        onChange={({ target }) => search(target.value)}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      {props.clearable && chosen.length > 0 && (
        <button type="button" className="clear" aria-label={`Clear ${label}`} onClick={props.onClear}>
          <CloseIcon size={14} />
        </button>
      )}
      <span className="chevron">
        <ChevronIcon size={16} />
      </span>
      {open && (
        <Popup anchor={anchor} onClose={close} fit>
          <Listbox id={listId} items={items} chosen={chosen} active={active} note={note} onChoose={choose} />
        </Popup>
      )}
    </div>
  );
}

function ChosenTag({ item, onRemove }: { item: Item; onRemove(): void }) {
  return (
    <span className="token">
      {item.text}
      <button type="button" aria-label={`Remove ${item.text}`} onClick={onRemove}>
        <CloseIcon size={12} />
      </button>
    </span>
  );
}
