import { useEffect, useLayoutEffect, useRef } from 'react';

/** Closer to the end than this, somebody reads along. */
const NEAR_END = 140;

/**
 * Keeps a scrolling box at its end while one reads there: whenever something grows, and always after one has said
 * something, be it a command that nobody sees.
 *
 * @param said how often that was
 */
export function useAutoScroll<E extends HTMLElement>(last: string | undefined, sentCount: number) {
  const ref = useRef<E>(null);
  const isFollowing = useRef(true);
  useEffect(() => {
    const box = ref.current;
    const content = box?.firstElementChild;
    if (!box || !content) return;
    const toEnd = () => {
      if (isFollowing.current) box.scrollTop = box.scrollHeight;
    };
    const onScroll = () => {
      isFollowing.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
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
  const lastSent = useRef(sentCount);
  useLayoutEffect(() => {
    const box = ref.current;
    if (lastSent.current !== sentCount) isFollowing.current = true;
    lastSent.current = sentCount;
    if (box && last && isFollowing.current) box.scrollTop = box.scrollHeight;
  }, [last, sentCount]);
  return ref;
}
