import { useRef, useState } from 'react';
import type { SlashCommand } from '../protocol.ts';

/** Returns the commands that start with the text; none after the command's name is complete. */
export function completionsOf(text: string, commands: SlashCommand[]): SlashCommand[] {
  if (!/^\/\S*$/.test(text)) return [];
  return commands.filter(({ command }) => command.startsWith(text.toLowerCase()));
}

/** Returns the command whose arguments are being typed. */
export function commandInText(text: string, commands: SlashCommand[]): SlashCommand | undefined {
  const [name, rest] = text.split(/\s/, 2);
  return rest === undefined ? undefined : commands.find(({ command }) => command === name);
}

/** Sent messages, for recall with the arrow keys; shared by all channels. */
const sent: string[] = [];

export function useHistory() {
  const [browsing, setBrowsing] = useState(false);
  const at = useRef(sent.length);
  const step = (by: 1 | -1): string | undefined => {
    const next = at.current + by;
    if (next < 0 || next > sent.length) return undefined;
    at.current = next;
    setBrowsing(next < sent.length);
    return sent[next] ?? '';
  };
  const add = (text: string) => {
    if (sent.at(-1) !== text) sent.push(text);
    at.current = sent.length;
    setBrowsing(false);
  };
  return { browsing, older: () => step(-1), newer: () => step(1), add };
}
