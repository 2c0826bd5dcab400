/** Which known word was meant. */

/** Edits (insert, drop, replace, swap two neighbours) that turn one word into the other. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const [drop = 0, insert = 0, replace = 0] = [last[j], row[j - 1], last[j - 1]];
      const same = a[i - 1] === b[j - 1];
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? beforeLast[j - 2] : undefined;
      row.push(Math.min(drop + 1, insert + 1, replace + (same ? 0 : 1), (swapped ?? Infinity) + 1));
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}

/** How many slips a word of this length may have before it is more likely another word. */
function slipsIn(length: number): number {
  if (length < 3) return 0;
  if (length < 5) return 1;
  return length < 9 ? 2 : 3;
}

/** Longer texts cannot be a mistyped word or name, and comparing takes quadratic time. */
const LONGEST = 64;

/** The known word that differs least from `word`, of equally near ones the one with the same first letter, or none. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST) return undefined;
  const slips = slipsIn(word.length);
  const cost = (candidate: string) => distance(word, candidate) + (candidate[0] === word[0] ? 0 : 0.5);
  const near = known
    .filter((candidate) => Math.abs(candidate.length - word.length) <= slips)
    .map((candidate) => ({ candidate, cost: cost(candidate) }))
    .filter((one) => Math.floor(one.cost) <= slips);
  return near.sort((a, b) => a.cost - b.cost)[0]?.candidate;
}

/** The longest quotation of a word in answers; a longer one may be a secret. */
export function clipWord(word: string): string {
  const letters = [...word];
  return letters.length > 40 ? `${letters.slice(0, 39).join('')}…` : word;
}
