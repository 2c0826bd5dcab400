/** Finds the known word nearest to a mistyped one. */

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

/** Shorter words resemble too many others, as “now” does “nov”; only swapped letters are recognized in them: “cvs”. */
const SHORTEST = 4;

/** Words that are never read as another word mistyped, however similar they are to it. */
const MEANT: ReadonlySet<string> = new Set(
  [
    'no not never none nobody nothing neither nor without except excepting excluding exclude excludes excl excepted minus but unless instead',
    'what which who whom whose why when where how whether that these those then than there',
    'zero one two three four five six seven eight nine ten eleven twelve dozen couple few several half twice double',
    'first second third fourth fifth monday tuesday wednesday thursday friday saturday sunday weekend weekends weekday',
    'user users team teams must monkey docs means world deleted',
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

/** Whether two words begin alike, also if the first letter is missing or swapped with the second. */
const beginAlike = (typed: string, known: string): boolean => typed[0] === known[0] || typed[0] === known[1];

/**
 * The known word that `word` is, mistyped; undefined where it is none, has a meaning of its own, or may as well be another.
 * A digit is never a slip: prod-2 is another project than prod-1.
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const [near, ...others] = nearestWords(word, known);
  return others.length === 0 ? near : undefined;
}

/** All known words that `word` may be a mistyping of. */
export function nearestWords(word: string, known: readonly string[]): readonly string[] {
  if (known.includes(word)) return [word];
  return MEANT.has(word) ? [] : [...new Set(known)].filter((candidate) => isSlip(word, candidate));
}

/** The word's letters in alphabetical order. */
export const sortedLetters = (word: string): string => [...word].sort().join('');

const isSlip = (typed: string, known: string): boolean =>
  isOneEdit(typed, known) &&
  beginAlike(typed, known) &&
  digitsOf(typed) === digitsOf(known) &&
  (known.length >= SHORTEST || sortedLetters(typed) === sortedLetters(known));
