import { useCallback, useSyncExternalStore } from 'react';

/** Keep in sync with `styles/base.css`. */
export const PHONE = '(width < 700px)';
export const NARROW = '(width < 1100px)';

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}
