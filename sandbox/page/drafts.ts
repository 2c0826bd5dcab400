import { useCallback, useRef, useState } from 'react';

export interface Drafts {
  /** The draft of this channel. */
  of(channel: string): string;
  /** Changes when a draft is replaced from outside the message field. */
  version: number;
  /** Replaces the draft from outside the message field. */
  insert(channel: string, text: string): void;
  /** Saves what is typed. */
  save(channel: string, text: string): void;
}

/** The draft of a thread is another one than its channel's. */
export const draftKey = (channel: string, thread: string | undefined): string =>
  thread ? `${channel}/${thread}` : channel;

/** Keeps unsent texts by channel and thread. */
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
