/** Whether a command may be offered instead of the one that was typed. */
import { simplifyText } from './text.ts';
import { type Aliases, type Token, tokenize } from './tokenizer.ts';

/** What one word says; '' for signs, and for words that only say what the next one is. */
function meaningOf(token: Token, text: string): string {
  switch (token.kind) {
    case 'word':
      return /^(?:to|project|product|platform|object|filler|so|far)$/.test(token.sense.role)
        ? ''
        : Object.values(token.sense).join(' ');
    case 'number':
      return token.digits.replace(/^0+(?=\d)/, '');
    case 'range-sign':
    case 'comma':
    case 'break':
      return '';
    default:
      return text.slice(token.start, token.end).replaceAll(/[,-]/g, '');
  }
}

function meaningsOf(text: string, aliases: Aliases) {
  const source = tokenize(simplifyText(text), aliases);
  const of = (isUnknown: boolean) =>
    source.tokens
      .filter(({ kind }) => (kind === 'unknown' || kind === 'bad') === isUnknown)
      .map((token) => meaningOf(token, source.text))
      .filter(Boolean);
  return { known: of(false), unknown: of(true) };
}

/** What is left of the first, and what of the second is not in it. */
function compare(all: readonly string[], some: readonly string[]) {
  const counts = new Map<string, number>();
  for (const word of some) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rest = all.filter((word) => {
    const count = counts.get(word) ?? 0;
    counts.set(word, count - 1);
    return count <= 0;
  });
  return { rest, missing: some.length - (all.length - rest.length) };
}

/**
 * Whether what is offered says all that was typed: each word that Tally knows, in whatever order, and something in the place
 * of each that was refused or is unknown. A button that leaves a word out asks something else.
 */
export function keepsWords(typed: string, refused: string, offered: string, aliases: Aliases): boolean {
  const [all, bad, next] = [typed, refused, offered].map((text) => meaningsOf(text, aliases));
  if (!all || !bad || !next) return false;
  const known = compare(all.known, bad.known);
  const unknown = compare(all.unknown, bad.unknown);
  const added = compare([...next.known, ...next.unknown], known.rest);
  const corrected = compare(added.rest, unknown.rest);
  return known.missing + unknown.missing + added.missing === 0 && corrected.rest.length > corrected.missing;
}
