import { useCallback, useRef, useState } from 'react';

export interface Drafts {
  /** What the composer of this channel begins with. */
  of(channel: string): string;
  /** Changes whenever somebody else than the typist wrote the draft. */
  version: number;
  /** Puts a text into the composer, from outside of it. */
  insert(channel: string, text: string): void;
  /** Remembers what is being typed. */
  save(channel: string, text: string): void;
}

/** Unsent texts by channel, so that a look elsewhere loses nothing. */
export function useDrafts(): Drafts {
  const texts = useRef(new Map<string, string>());
  const [version, setVersion] = useState(0);
  const of = useCallback((channel: string) => texts.current.get(channel) ?? '', []);
  const save = useCallback((channel: string, text: string) => void texts.current.set(channel, text), []);
  const insert = useCallback((channel: string, text: string) => {
    texts.current.set(channel, text);
    setVersion((before) => before + 1);
  }, []);
  return { of, save, insert, version };
}
