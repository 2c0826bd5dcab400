import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';

interface Props {
  anchor: RefObject<HTMLElement | null>;
  onClose(): void;
  /** As wide as what it hangs on. */
  fit?: boolean;
  children: ReactNode;
}

const GAP = 4;
const MARGIN = 8;

/** A menu hanging on an element, above everything else, so that no scrolling box cuts it off. */
export function Popup({ anchor, onClose, fit = false, children }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  useLayoutEffect(() => {
    const popup = ref.current;
    if (!popup) return;
    popup.showPopover();
    const place = () => anchor.current && position(popup, anchor.current.getBoundingClientRect(), fit);
    place();
    // What is inside may grow, and what is outside may scroll.
    const grown = new ResizeObserver(place);
    grown.observe(popup);
    window.addEventListener('scroll', place, true);
    window.addEventListener('resize', place);
    return () => {
      grown.disconnect();
      window.removeEventListener('scroll', place, true);
      window.removeEventListener('resize', place);
    };
  }, [anchor, fit]);

  useEffect(() => {
    const outside = ({ target }: PointerEvent) => {
      const inside =
        target instanceof Node && (ref.current?.contains(target) || anchor.current?.contains(target));
      if (!inside) close.current();
    };
    document.addEventListener('pointerdown', outside, true);
    return () => document.removeEventListener('pointerdown', outside, true);
  }, [anchor]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears the keys of the menu inside it
    <div ref={ref} popover="manual" className="popup" onKeyDown={onKeyDown}>
      {children}
    </div>
  );
}

function position(popup: HTMLElement, anchor: DOMRect, fit: boolean) {
  if (fit) popup.style.width = `${Math.max(anchor.width, 220)}px`;
  const below = window.innerHeight - anchor.bottom - GAP - MARGIN;
  const above = anchor.top - GAP - MARGIN;
  const up = below < Math.min(popup.scrollHeight, 220) && above > below;
  popup.style.maxHeight = `${Math.min(up ? above : below, 320)}px`;
  const { width, height } = popup.getBoundingClientRect();
  popup.style.top = `${up ? anchor.top - GAP - height : anchor.bottom + GAP}px`;
  popup.style.left = `${Math.max(MARGIN, Math.min(anchor.left, window.innerWidth - width - MARGIN))}px`;
}
