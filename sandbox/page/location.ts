import { useCallback, useEffect, useState } from 'react';

interface Location {
  as: string | null;
  channel: string | null;
}

/** The App Home is `channel=home` in the URL. */
export const HOME = 'home';

const read = (): Location => {
  const search = new URLSearchParams(window.location.search);
  return { as: search.get('as'), channel: search.get('channel') };
};

/** The viewer and the open channel, kept in the URL for reloads and other windows. */
export function useLocation(): [Location, (change: Partial<Location>) => void] {
  const [location, setLocation] = useState(read);
  useEffect(() => {
    const back = () => setLocation(read());
    window.addEventListener('popstate', back);
    return () => window.removeEventListener('popstate', back);
  }, []);
  const go = useCallback((change: Partial<Location>) => {
    const next = { ...read(), ...change };
    const search = new URLSearchParams();
    if (next.as) search.set('as', next.as);
    if (next.channel) search.set('channel', next.channel);
    window.history.pushState(null, '', `?${search}`);
    setLocation(next);
  }, []);
  return [location, go];
}
