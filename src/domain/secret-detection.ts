/** Detects unknown words that look like a credential that was pasted by mistake. */
import { WORDS } from './language/generated.js';

/** Texts that people write around a secret. */
const ANNOUNCED =
  /x-(?:user|auth|subject)-token|\bbearer\s+\S|\b(?:authorization|token|secret|password|passwd|api-?key)\s*[:=]/i;

/** Fernet tokens, Slack tokens, JSON web tokens, UUIDs. */
const KNOWN =
  /(?<![a-z])(?:gAAAA|[xX][oO][xX][a-zA-Z]-|x(?:app|wfp)-|eyJ)|[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}/;

const RUN = /[\w+/=.]{16,}/g;
const LETTERS = /[a-z]{20,}/gi;
/** Letters of one case, as long as random keys are: names are shorter, and an alias has 32 letters at most. */
const ONE_CASE = /(?<![a-z])(?:[a-z]{32,}|[A-Z]{32,})(?![a-z])/g;
/** Upper and lower case mixed, with a base64 sign inside or at the end. */
const BASE64 = /^(?=.*[+/=])(?=.*(?:[a-z][A-Z]|\d|={1,2}$))[A-Za-z\d+/]{12,}={0,2}$/;
const GROUPS = /^[\da-f]{4,}(?:-[\da-f]{4,}){2,}$/i;

/** Words of the language with so many letters, the longest first. */
const wordsFrom = (letters: number): RegExp =>
  new RegExp(
    [...WORDS]
      .filter((word) => /^[a-z]+$/.test(word) && word.length >= letters)
      .sort((a, b) => b.length - a.length)
      .join('|'),
    'gi',
  );

const LONG_WORDS = wordsFrom(4);

/** A mistyped period has digits and letters too; take away the words in it, and little is left. */
const leavesMuch = (run: string): boolean => run.replace(LONG_WORDS, '').replace(/\W|_/g, '').length >= 12;

const isMixed = (run: string): boolean => /[a-z]/i.test(run) && /\d/.test(run);
const isMixedCase = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run);

const isVaried = (letters: string): boolean => new Set(letters).size >= 8;

/** Groups of hexadecimal digits; with only decimal digits there must be many. */
function isGrouped(word: string): boolean {
  const digits = word.replaceAll('-', '');
  if (!GROUPS.test(word) || digits.length > 128 || /^[a-f]+$/i.test(digits)) return false;
  return digits.length >= (/^\d+$/.test(digits) ? 24 : 16);
}

/** `word` in the letters it was typed in, as upper and lower case tell a token from a name. */
export function looksLikeSecret(word: string): boolean {
  if (KNOWN.test(word) || isGrouped(word)) return true;
  const runs = (word.match(RUN) ?? []).filter((run) => isMixed(run) || BASE64.test(run));
  const letters = (word.match(LETTERS) ?? []).filter(isMixedCase);
  const even = (word.match(ONE_CASE) ?? []).filter(isVaried);
  return [...runs, ...letters, ...even].some(leavesMuch);
}

const ALL_WORDS = wordsFrom(3);
/** Shorter words look like secrets by chance. */
const SHORTEST = 8;
/** How many different characters a secret has at least. A key that was held down makes fewer. */
const FEWEST_SIGNS = 5;
/** No word of a command is longer; an ID has 32 digits at the most. */
const LONGEST_WORD = 32;
const DATE = /^\d{4}-\d\d-\d\d/;
const QUARTER = /(?:19|20)\d\d-?q\d|q\d-?(?:19|20)\d\d/gi;
/** More consonants in a row than ordinary words have. */
const CONSONANTS = /[bcdfghjklmnpqrstvwxz]{6,}/i;
const MANY_CONSONANTS = /[bcdfghjklmnpqrstvwxz]{5,}/i;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Alternating letters and digits, hexadecimal digits, capitals inside, or unpronounceable letters. */
function isRandom(run: string): boolean {
  if (run.length < SHORTEST) return false;
  if (/^[\da-f]+$/i.test(run) && isMixed(run)) return true;
  const turns = count(run, /[a-z](?=\d)|\d(?=[a-z])/gi);
  const capitals = count(run, /[a-z](?=[A-Z])/g);
  const sounds = (run.length < 12 ? CONSONANTS : MANY_CONSONANTS).test(run);
  return turns >= 3 || (turns === 2 && run.length >= 12) || capitals >= 3 || sounds;
}

/**
 * Whether a word may be a secret: weaker than `looksLikeSecret`. It is never quoted and never becomes a name. What
 * people mistype or call their projects is no secret; a word that could be both counts as a secret.
 * @param word as it was typed, as upper and lower case tell a token from a name; of several words any one counts
 */
export const couldBeSecret = (word: string): boolean => word.split(/\s+/).some(couldBe);

/** How Slack writes a person, a channel or a user group. */
export const MENTION = /^<?(?:[@#][uwc][a-z\d]{6,}|!subteam\^s[a-z\d]{6,})>?$/i;

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

/** Returns `“word”`, or a replacement for a word that could be a secret. */
export const quoteWord = (word: string): string => (couldBeSecret(word) ? 'that word' : `“${word}”`);

/** Whether the text announces a secret, as `my token is …` does. */
export const announcesSecret = (text: string): boolean => ANNOUNCED.test(text);
