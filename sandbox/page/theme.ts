import { useLayoutEffect, useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

const KEY = 'theme';
const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

const systemTheme = (): Theme => (systemIsDark.matches ? 'dark' : 'light');

function currentTheme(): Theme {
  const chosen = localStorage.getItem(KEY);
  return chosen === 'dark' || chosen === 'light' ? chosen : systemTheme();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  systemIsDark.addEventListener('change', listener);
  return () => {
    listeners.delete(listener);
    systemIsDark.removeEventListener('change', listener);
  };
}

function toggle(): void {
  const next = currentTheme() === 'dark' ? 'light' : 'dark';
  // Choosing the system's theme makes the page follow the system again.
  if (next === systemTheme()) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  for (const listener of listeners) listener();
}

/** The system's theme, unless the viewer has chosen the other one; the choice is stored in the browser. */
export function useTheme(): [Theme, () => void] {
  const theme = useSyncExternalStore(subscribe, currentTheme);
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return [theme, toggle];
}
