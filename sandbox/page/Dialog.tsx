import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { CloseIcon } from './icons.tsx';

interface Props {
  title: string;
  className: string;
  icon?: ReactNode;
  /** Leaves the panel usable, to copy an access from it into a form. */
  besidePanel?: boolean;
  onClose(): void;
  children: ReactNode;
}

/** Gets the focus unless an element asks for it: the first field, otherwise a button at the bottom. */
const FIRST_FOCUS = '.field, [role="combobox"], .dialog-foot button';

/** A modal dialog over the page, or over the workspace only. */
export function Dialog({ title, className, icon, besidePanel = false, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (besidePanel) dialog?.show();
    else dialog?.showModal();
    const first =
      dialog?.querySelector<HTMLElement>('[data-focus]') ?? dialog?.querySelector<HTMLElement>(FIRST_FOCUS);
    first?.focus({ preventScroll: true });
    return () => dialog?.close();
  }, [besidePanel]);
  // After an update has removed the focused element, the keydown event no longer reaches the dialog.
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!besidePanel) return;
    const onEscape = (event: globalThis.KeyboardEvent) => {
      const isForThisDialog =
        event.key === 'Escape' && !event.defaultPrevented && !document.querySelector(':modal');
      if (isForThisDialog) close.current();
    };
    document.addEventListener('keydown', onEscape);
    return () => document.removeEventListener('keydown', onEscape);
  }, [besidePanel]);
  // Browsers let a page cancel only the first `cancel` event, but every keydown.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  const dialog = (
    <dialog
      ref={ref}
      className={`dialog ${className}`}
      aria-label={title}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="dialog-head">
        {icon}
        <h2>{title}</h2>
        <button type="button" className="icon-button" aria-label="Close window" onClick={onClose}>
          <CloseIcon />
        </button>
      </div>
      {children}
    </dialog>
  );
  return besidePanel ? <div className="overlay">{dialog}</div> : dialog;
}
