/** Detects secrets that people paste into commands and forms. */
import { WORDS } from './language/generated.js';
import { MENTION } from './slack-id.ts';

/** `token: …`, `Bearer …` */
const ANNOUNCED =
  /x-(?:user|auth|subject)-token|\bbearer\s+\S|\b(?:authorization|token|secret|password|passwd|api-?key)\s*[:=]/i;

/** Fernet tokens, Slack tokens, JSON web tokens, UUIDs. */
const KNOWN =
  /(?<![a-z])(?:gAAAA|[xX][oO][xX][a-zA-Z]-|x(?:app|wfp)-|eyJ)|[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}/;

const RUN = /[\w+/=.]{16,}/g;
const LETTERS = /[a-z]{20,}/gi;
const ONE_CASE = /(?<![a-z])(?:[a-z]{32,}|[A-Z]{32,})(?![a-z])/g;
const BASE64 = /^(?=.*[+/=])(?=.*(?:[a-z][A-Z]|\d|={1,2}$))[A-Za-z\d+/]{12,}={0,2}$/;
const GROUPS = /^[\da-f]{4,}(?:-[\da-f]{4,}){2,}$/i;

/** Matches Tally's own words, the longest first. */
const wordsFrom = (letters: number): RegExp =>
  new RegExp(
    [...WORDS]
      .filter((word) => /^[a-z]+$/.test(word) && word.length >= letters)
      .sort((a, b) => b.length - a.length)
      .join('|'),
    'gi',
  );

const LONG_WORDS = wordsFrom(4);

/** A mistyped period mixes digits and letters, too, but consists mostly of known words. */
const leavesMuch = (run: string): boolean => run.replace(LONG_WORDS, '').replace(/\W|_/g, '').length >= 12;

const isMixed = (run: string): boolean => /[a-z]/i.test(run) && /\d/.test(run);
const isMixedCase = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run);

const isVaried = (letters: string): boolean => new Set(letters).size >= 8;

/** Groups of hex digits between hyphens, like a UUID's. */
function isGrouped(word: string): boolean {
  const digits = word.replaceAll('-', '');
  if (!GROUPS.test(word) || digits.length > 128 || /^[a-f]+$/i.test(digits)) return false;
  return digits.length >= (/^\d+$/.test(digits) ? 24 : 16);
}

export function looksLikeSecret(word: string): boolean {
  if (KNOWN.test(word) || isGrouped(word)) return true;
  const runs = (word.match(RUN) ?? []).filter((run) => isMixed(run) || BASE64.test(run));
  const letters = (word.match(LETTERS) ?? []).filter(isMixedCase);
  const even = (word.match(ONE_CASE) ?? []).filter(isVaried);
  return [...runs, ...letters, ...even].some(leavesMuch);
}

const ALL_WORDS = wordsFrom(3);
/** Many shorter words would look like secrets. */
const SHORTEST = 8;
/** Fewer different characters come from a key that was held down. */
const FEWEST_SIGNS = 5;
/** Project IDs have up to 32 digits, aliases up to 32 letters. */
const LONGEST_WORD = 32;
const DATE = /^\d{4}-\d\d-\d\d/;
const QUARTER = /(?:19|20)\d\d-?q\d|q\d-?(?:19|20)\d\d/gi;
/** Ordinary words have fewer consonants in a row. */
const CONSONANTS = /[bcdfghjklmnpqrstvwxz]{6,}/i;
const MANY_CONSONANTS = /[bcdfghjklmnpqrstvwxz]{5,}/i;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Looks for hex digits, alternating letters and digits, capitals inside a word, and unpronounceable letters. */
function isRandom(run: string): boolean {
  if (run.length < SHORTEST) return false;
  if (/^[\da-f]+$/i.test(run) && isMixed(run)) return true;
  const turns = count(run, /[a-z](?=\d)|\d(?=[a-z])/gi);
  const capitals = count(run, /[a-z](?=[A-Z])/g);
  const sounds = (run.length < 12 ? CONSONANTS : MANY_CONSONANTS).test(run);
  return turns >= 3 || (turns === 2 && run.length >= 12) || capitals >= 3 || sounds;
}

/**
 * Also true for a doubtful word, which is then neither quoted nor used as a name; but not for likely typos and names.
 * @param word as typed, because capitals matter; may be several words
 */
export const couldBeSecret = (word: string): boolean => word.split(/\s+/).some(couldBe);

function couldBe(word: string): boolean {
  if (looksLikeSecret(word)) return true;
  if (MENTION.test(word)) return false;
  if (/^\d+$/.test(word)) return word.length > LONGEST_WORD;
  const rest = word.replace(QUARTER, ' ').replace(ALL_WORDS, ' ');
  const runs = rest.match(/[a-z\d]+/gi) ?? [];
  const length = runs.reduce((sum, run) => sum + run.length, 0);
  const isDull = new Set(word.toLowerCase()).size < FEWEST_SIGNS;
  if (length < SHORTEST || isDull || DATE.test(word)) return false;
  const isSigned = /[^\w\s.,:;/\u0080-\uffff-]/.test(rest) && isMixed(rest);
  const areMixed = runs.filter((run) => run.length >= 3 && isMixed(run)).length >= 2;
  const capitals = count(rest.replace(/[-_]/g, ''), /[a-z](?=[A-Z])/g);
  return length >= LONGEST_WORD || isSigned || areMixed || capitals >= 4 || runs.some(isRandom);
}

export const announcesSecret = (text: string): boolean => ANNOUNCED.test(text);
