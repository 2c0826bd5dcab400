import type { Overflow as OverflowElement } from '@slack/types';
import { useRef, useState } from 'react';
import { MoreIcon } from '../icons.tsx';
import { useElement } from './element.ts';
import type { Placed } from './form.ts';
import { Popup } from './Popup.tsx';

type Item = OverflowElement['options'][number];

export function Overflow(props: Placed<OverflowElement>) {
  const { press, sending, disabled } = useElement(props);
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    anchor.current?.focus();
  };
  const choose = (option: Item) => {
    close();
    if (option.url && /^https?:/i.test(option.url)) window.open(option.url, '_blank', 'noopener,noreferrer');
    void press({ selected_option: option });
  };
  return (
    <>
      <button
        ref={anchor}
        type="button"
        className="button overflow"
        aria-label="More actions"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-busy={sending}
        disabled={disabled || sending}
        onClick={() => setOpen(!open)}
      >
        <MoreIcon />
      </button>
      {open && (
        <Popup anchor={anchor} onClose={close}>
          <Menu items={props.element.options} onChoose={choose} />
        </Popup>
      )}
    </>
  );
}

function Menu({ items, onChoose }: { items: Item[]; onChoose(item: Item): void }) {
  const move = (from: HTMLElement, step: 1 | -1) => {
    const all = [...(from.parentElement?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    all[(all.indexOf(from) + step + all.length) % all.length]?.focus();
  };
  return (
    <div role="menu" className="menu">
      {items.map((item, index) => (
        <button
          key={item.value ?? item.text.text}
          type="button"
          role="menuitem"
          className="menu-item"
          ref={index === 0 ? (first) => first?.focus() : undefined}
          onClick={() => onChoose(item)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') move(event.currentTarget, 1);
            else if (event.key === 'ArrowUp') move(event.currentTarget, -1);
            else return;
            event.preventDefault();
          }}
        >
          {item.text.text}
          {item.description && <small>{item.description.text}</small>}
        </button>
      ))}
    </div>
  );
}
