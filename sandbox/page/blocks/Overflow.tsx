import type { Overflow as OverflowElement } from '@slack/types';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { MoreIcon } from '../icons.tsx';
import { useElement } from './element.ts';
import type { ElementProps } from './form.ts';
import { Popup } from './Popup.tsx';

type Item = OverflowElement['options'][number];

export function Overflow(props: ElementProps<OverflowElement>) {
  const { press, sending, disabled } = useElement(props);
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<'first' | 'last'>();
  const close = () => {
    setOpen(undefined);
    anchor.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    setOpen(event.key === 'ArrowUp' ? 'last' : 'first');
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
        aria-expanded={open !== undefined}
        aria-busy={sending}
        disabled={disabled || sending}
        onClick={() => setOpen(open ? undefined : 'first')}
        onKeyDown={onKeyDown}
      >
        <MoreIcon />
      </button>
      {open && (
        <Popup anchor={anchor} onClose={close}>
          <Menu items={props.element.options} begin={open} onChoose={choose} onClose={close} />
        </Popup>
      )}
    </>
  );
}

interface MenuProps {
  items: Item[];
  /** Which item gets the focus first. */
  begin: 'first' | 'last';
  onChoose(item: Item): void;
  onClose(): void;
}

/** Keys of the ARIA menu pattern: arrows, Home, End, first letter; Tab closes. */
function Menu({ items, begin, onChoose, onClose }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const entries = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it opens; a snapshot must not move the focus
  useEffect(
    () =>
      entries()
        .at(begin === 'first' ? 0 : -1)
        ?.focus(),
    [],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    // Closing moves the focus to the button, from where Tab goes on.
    if (event.key === 'Tab') return onClose();
    if (next !== undefined) event.preventDefault();
    const wanted = next ?? nextStartingWith(event.key, items, at);
    if (wanted !== undefined) all[wanted]?.focus();
  };
  return (
    <div ref={menu} role="menu" aria-label="More actions" className="menu" onKeyDown={onKeyDown}>
      {items.map((item) => (
        <button
          key={item.value ?? item.text.text}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className="menu-item"
          onClick={() => onChoose(item)}
        >
          {item.text.text}
          {item.description && <small>{item.description.text}</small>}
        </button>
      ))}
    </div>
  );
}

/** Returns the next item after `at` whose text starts with this letter, wrapping around. */
function nextStartingWith(key: string, items: Item[], at: number): number | undefined {
  if (key.length !== 1 || key === ' ') return undefined;
  return items
    .map((_, step) => (at + 1 + step) % items.length)
    .find((index) => items[index]?.text.text.toLowerCase().startsWith(key.toLowerCase()));
}
