/** What people's keyboards and Slack make of a text, undone; and which known word a mistyped one stands for. */

const QUOTES = /["'`´‘’‚‛“”„‟«»‹›′″‴「」『』＂＇]/gu;

/** Anchored on one side only, because `+$` takes quadratic time for a long run of quotes. */
const FIRST_QUOTES = new RegExp(`^${QUOTES.source}+`, 'u');

/** Format characters (zero-width ones, soft hyphens, direction marks) and the selectors that turn signs into pictures. */
const INVISIBLE = /\p{Cf}|\p{Variation_Selector}/gu;

const DASHES = /[\p{Pd}\u2212\u2043\u02d7]+/gu;

/** No language stacks more marks on a letter, and normalising sorts each stack: that takes the square of its height. */
const STACKED = /(\p{M}{30})\p{M}+/gu;

/** Slack writes links, people and channels as <address|label>. */
const LINK = /<[^<>|]*\|([^<>]*)>/g;

/**
 * The text with one kind of dash, space and dot, and without quotes, asterisks and invisible characters; letters
 * as they were typed. `<` and `>` stay before a number, where they compare. Quotes go before NFKC as well, which would make a space of an acute accent.
 */
export function cleanTyping(text: string): string {
  return text
    .replace(QUOTES, '')
    .replace(STACKED, '$1')
    .normalize('NFKC')
    .replace(QUOTES, '')
    .replace(INVISIBLE, '')
    .replace(DASHES, '-')
    .replace(LINK, '$1')
    .replace(/<([^<>]*)>|\*/g, '$1')
    .replace(/[<>](?!\s?=?\s?\d)/g, '')
    .replace(/\.{2,}/g, '..')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * What one pass leaves may be work for the next, as in '-*-'. No text is known that needs more than three; the bound
 * keeps the work in proportion to the length, whatever somebody finds.
 */
const MOST_PASSES = 8;

/**
 * The form in which Tally reads, letters still as typed: tidy, underscores as hyphens (as Slack's italics at the
 * edges of a word: nothing), no punctuation after words, 'product:2' and '#123' without their signs, '?' as help.
 */
export function simplifyText(text: string): string {
  let [before, after] = [text, simplified(text)];
  for (let pass = 1; after !== before && pass < MOST_PASSES; pass++) {
    [before, after] = [after, simplified(after)];
  }
  return after;
}

function simplified(text: string): string {
  return cleanTyping(text)
    .replace(/_+/g, '_')
    .replace(/(?<![a-z0-9])_|_(?![a-z0-9])/gi, '')
    .replaceAll('_', '-')
    .replace(/(?<![^ ])\?+(?![^ ])/g, 'help')
    .replace(/(?<=[a-z0-9]) ?, ?(?=[a-z0-9])/gi, ',')
    .replace(/(?<=[a-z0-9])(?:[,;:!?]+|\.)(?= |$)/gi, '')
    .replace(/\b(project|product)(?: ?[:=])+ ?/gi, '$1 ')
    .replace(/(?<![^ ])#(?=\d)/g, '')
    .replace(/ +/g, ' ')
    .trim();
}

/** The plain text in lower case: what is compared with the vocabulary. */
export function normalizeText(text: string): string {
  return simplifyText(text).toLowerCase();
}

/** More words than these are clipped when they are quoted. */
const MOST_QUOTED = 20;

/**
 * How a piece of the plain text stood in the typed one, for quoting: with its signs, without the quotes around it and
 * without what cannot be seen. The piece itself if it was only a part of a word.
 */
export function originalSpelling(typed: string, piece: string): string {
  const words = typed.replace(INVISIBLE, '').replace(LINK, '$1').trim().split(/\s+/);
  const { length } = piece.split(' ');
  if (length > MOST_QUOTED) return piece;
  const starts = words.map((_, at) => words.slice(at, at + length).join(' '));
  const found = starts.find((some) => simplifyText(some) === piece) ?? piece;
  return withoutQuotesAround(found) || piece;
}

function withoutQuotesAround(text: string): string {
  const rest = text.replace(FIRST_QUOTES, '');
  let end = rest.length;
  while (end > 0 && FIRST_QUOTES.test(rest.charAt(end - 1))) end -= 1;
  return rest.slice(0, end);
}

/** `1 day`, `2 days` */
export const pluralize = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`;

const MOST_NAMED = 5;

/** `prod, dev and test`; of more than `most` names the first ones, and how many more there are. */
export function listNames(names: readonly string[], most = MOST_NAMED): string {
  const more = names.length - most;
  if (more > 0) return `${names.slice(0, most).join(', ')} and ${more} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The first `most` lines, and how many more there are. */
export const limitLines = (lines: readonly string[], most: number): readonly string[] =>
  lines.length > most ? [...lines.slice(0, most), `and ${lines.length - most} more`] : lines;

/** Whether one edit (insert, drop, replace, swap two neighbours) turns one word into the other. */
function isOneEdit(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  const swapped = `${restA.charAt(1)}${restA.charAt(0)}${restA.slice(2)}`;
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    swapped === restB
  );
}

/** A shorter known word is too near to too many others, “now” to “nov”, unless letters are only swapped: “cvs”. */
const SHORTEST = 4;

/** Words with a meaning of their own, which are never another word mistyped, however near to one they are. */
const MEANT: ReadonlySet<string> = new Set(
  [
    'no not never none nobody nothing neither nor without except excepting excluding exclude excludes excl excepted minus but unless instead',
    'what which who whom whose why when where how whether that these those then than there',
    'zero one two three four five six seven eight nine ten eleven twelve dozen couple few several half twice double',
    'first second third fourth fifth monday tuesday wednesday thursday friday saturday sunday weekend weekends weekday',
    'hourly daily weekly monthly quarterly yearly annually fortnight before after between above below under over',
    'more less fewer most least top bottom best worst late later latest early earlier lost list send part post data',
    'set net nest sent sending speed match form pass produce protect intl thus his const mouth exit emit remote removed renamed watched',
    'stop start pause resume cancel delete remove move mute unwatch unschedule unconnect reconnect now soon',
  ].flatMap((line) => line.split(' ')),
);

/** Whether an unknown word may be the name of a project. */
export const couldBeName = (word: string): boolean =>
  /^[a-z][a-z\d-]{1,31}$/i.test(word) &&
  !word
    .toLowerCase()
    .split('-')
    .some((part) => MEANT.has(part));

const digitsOf = (word: string): string => word.replace(/\D/g, '');

/** Whether they begin alike; a first letter that is missing or swapped with the second one does too. */
const beginAlike = (typed: string, known: string): boolean => typed[0] === known[0] || typed[0] === known[1];

/**
 * The known word that `word` is, mistyped; undefined where it is none, has a meaning of its own, or may as well be another.
 * A digit is never a slip: prod-2 is another project than prod-1.
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const [near, ...others] = nearestWords(word, known);
  return others.length === 0 ? near : undefined;
}

/** Each known word that `word` may be, mistyped. */
export function nearestWords(word: string, known: readonly string[]): readonly string[] {
  if (known.includes(word)) return [word];
  return MEANT.has(word) ? [] : [...new Set(known)].filter((candidate) => isSlip(word, candidate));
}

const sorted = (word: string): string => [...word].sort().join('');

const isSlip = (typed: string, known: string): boolean =>
  isOneEdit(typed, known) &&
  beginAlike(typed, known) &&
  digitsOf(typed) === digitsOf(known) &&
  (known.length >= SHORTEST || sorted(typed) === sorted(known));

/** The longest quotation of a word in answers; a longer one may be a secret. */
export function clipWord(word: string): string {
  const letters = [...word];
  return letters.length > 40 ? `${letters.slice(0, 39).join('')}…` : word;
}
