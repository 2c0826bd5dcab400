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
  /** Makes it as wide as the anchor. */
  fit?: boolean;
  children: ReactNode;
}

const GAP = 4;
const MARGIN = 8;

/** A menu below or above an anchor, in the top layer so that scrolling boxes do not cut it off. */
export function Popup({ anchor, onClose, fit = false, children }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  useLayoutEffect(() => {
    const popup = ref.current;
    if (!popup) return;
    popup.showPopover();
    const reposition = () => anchor.current && position(popup, anchor.current.getBoundingClientRect(), fit);
    reposition();
    // The content can grow, and the page can scroll.
    const observer = new ResizeObserver(reposition);
    observer.observe(popup);
    window.addEventListener('scroll', reposition, true);
    window.addEventListener('resize', reposition);
    return () => {
      observer.disconnect();
      window.removeEventListener('scroll', reposition, true);
      window.removeEventListener('resize', reposition);
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
    // biome-ignore lint/a11y/noStaticElementInteractions: it only handles keys of the menu inside it
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
