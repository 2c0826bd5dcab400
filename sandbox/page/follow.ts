import { useEffect, useLayoutEffect, useRef } from 'react';

/** Closer to the end than this, somebody reads along. */
const NEAR = 140;

/**
 * Keeps a scrolling box at its end while one reads there: whenever something grows, and always after one has said
 * something, be it a command that nobody sees.
 *
 * @param said how often that was
 */
export function useFollow<E extends HTMLElement>(last: string | undefined, said: number) {
  const ref = useRef<E>(null);
  const follows = useRef(true);
  useEffect(() => {
    const box = ref.current;
    const content = box?.firstElementChild;
    if (!box || !content) return;
    const toEnd = () => {
      if (follows.current) box.scrollTop = box.scrollHeight;
    };
    const onScroll = () => {
      follows.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
    };
    const grown = new ResizeObserver(toEnd);
    grown.observe(content);
    grown.observe(box);
    box.addEventListener('scroll', onScroll);
    return () => {
      grown.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, []);
  const heard = useRef(said);
  useLayoutEffect(() => {
    const box = ref.current;
    if (heard.current !== said) follows.current = true;
    heard.current = said;
    if (box && last && follows.current) box.scrollTop = box.scrollHeight;
  }, [last, said]);
  return ref;
}
