import type { Aliases } from './tokenizer.ts';

/** A word without the signs around it, with those before it and those after it. */
const CORE = /^([^a-z\d]*)([a-z\d][a-z\d-]*|)(.*)$/is;

/** The text with names of several words joined as they are written, `web shop` as `web-shop`: the longest names, and the shortest. */
export function joinAliasWords(text: string, aliases: Aliases): readonly string[] {
  // `web` of `web-shop`: no other word begins a name of several words.
  const begins = new Set(
    [...aliases].flatMap((name) => [...name.matchAll(/-/g)].map(({ index }) => name.slice(0, index))),
  );
  const typed = text.toLowerCase();
  if (![...begins].some((name) => typed.includes(name))) return [];
  const words = text.split(/(?<=\s)(?=\S)/).map((word) => CORE.exec(word) ?? []);
  const joined = (isLongest: boolean): string => {
    let result = '';
    for (let at = 0; at < words.length; at++) {
      let [whole = '', before, name = '', after = ''] = words[at] ?? [];
      for (let next = at + 1; begins.has(name.toLowerCase()) && after.trim() === ''; next++) {
        const [, sign, core, end = ''] = words[next] ?? [];
        if (sign !== '') break;
        [name, after] = [`${name}-${core}`, end];
        if (!aliases.has(name.toLowerCase())) continue;
        [whole, at] = [`${before}${name}${after}`, next];
        if (!isLongest) break;
      }
      result += whole;
    }
    return result;
  };
  return [...new Set([joined(true), joined(false)])].filter((other) => other !== text);
}
