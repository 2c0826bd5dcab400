/** Writes the names of projects in a text as commands have them: in one word, `and` as a comma, the first in front. */

import { type Aliases, CLAUSE_BREAK, isBareYear, isSpan } from './tokenizer.ts';
import { VOCABULARY } from './vocabulary.ts';

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
  const words = text.split(/(?<=[\s,])(?=[^\s,])/).map((word) => CORE.exec(word) ?? []);
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

export const isNumber = (word = ''): boolean => /^\d+$/.test(word);
const isMonth = (word = ''): boolean => VOCABULARY.get(word)?.role === 'month';
const isJoint = (word = ''): boolean => /^(?:and|,)$/i.test(word);
/** Words allowed between the projects of a list. */
const BESIDE_NAMES: ReadonlySet<string> = new Set(['the', 'on', 'for', 'of', 'in', 'project']);

/** Joins names with a comma as commands do: `prod and staging`. Another comma means nothing. */
export function joinNames(words: readonly string[], aliases: Aliases): readonly string[] {
  const joined: string[] = [];
  let listed = '';
  const isAlias = (word = ''): boolean => aliases.has(word.toLowerCase());
  const isName = (at: number): boolean => {
    const word = words[at] ?? '';
    const isBesideMonth = isMonth(words[at - 1]?.toLowerCase()) || isMonth(words[at + 1]?.toLowerCase());
    return (
      isAlias(word) ||
      (isNumber(word) &&
        (words[at - 1] === 'project' || (word.length > 2 && !isBareYear(word) && !isBesideMonth)))
    );
  };
  for (let at = 0; at < words.length; ) {
    const word = words[at] ?? '';
    let next = at + 1;
    let isJoined = false;
    if (isName(at))
      while (isJoint(words[next]) || (isJoined && BESIDE_NAMES.has(words[next]?.toLowerCase() ?? ''))) {
        isJoined ||= isJoint(words[next]);
        next += 1;
      }
    if (isJoined && isName(next)) {
      listed += `${word},`;
      at = next;
      continue;
    }
    if (listed !== '') {
      joined.push(listed + word);
      [listed, at] = ['', at + 1];
      continue;
    }
    // `oct 3, 2026`
    if (word === ',' && isNumber(words[at - 1]) && isNumber(words[at + 1])) {
      joined.push(`${joined.pop()},${words[at + 1]}`);
      at += 2;
      continue;
    }
    // `from prod` and `by prod` are of prod.
    const isOf =
      (word === 'from' || word === 'by') && isAlias(words[words[at + 1] === 'the' ? at + 2 : at + 1]);
    // `oct, nov`
    const isListed = [words[at - 1], words[at + 1]].every((other = '') => isSpan(other.toLowerCase()));
    if (!isOf && (word !== ',' || isListed)) joined.push(word === ',' ? 'and' : word);
    at += 1;
  }
  return joined;
}

/** A word of these roles after a number shows that the number belongs to it, not to the project before. */
const COUNTED = /^(?:month|unit|to|and|filler|rank|weekday|ago)$/;

/** The first name stands first, so that a number after it is a year or a product. */
export function moveNamesFirst(words: readonly string[], aliases: Aliases): readonly string[] {
  const place = words.findIndex((word) => word.split(',').every((name) => aliases.has(name.toLowerCase())));
  if (place < 0 || words[place + 1] === 'vs' || words[place - 1] === 'vs') return words;
  const product =
    /^[1-3]$/.test(words[place + 1] ?? '') &&
    !COUNTED.test(VOCABULARY.get(words[place + 2]?.toLowerCase() ?? '')?.role ?? '');
  const named = words.slice(place, place + (product ? 2 : 1));
  return [...named, CLAUSE_BREAK, ...words.toSpliced(place, named.length, CLAUSE_BREAK)];
}
