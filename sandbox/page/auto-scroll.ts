import { useEffect, useLayoutEffect, useRef } from 'react';

/** Within this distance of the end, in px, the box follows new messages. */
const NEAR_END = 140;

/**
 * Keeps a scrolling box at its end when content is added, unless the viewer has scrolled up. Sending a message scrolls
 * to the end again.
 *
 * @param sentCount the number of messages the viewer has sent
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
