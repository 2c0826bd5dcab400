/** Whether a word that means nothing to Tally looks like a credential that was pasted by mistake. */
import { VOCABULARY } from './vocabulary.ts';

/** Written around a secret, whatever the secret looks like. */
const ANNOUNCED =
  /x-(?:user|auth|subject)-token|\bbearer\s+\S|\b(?:authorization|token|secret|password|passwd|api-?key)\s*[:=]/i;

/** Fernet tokens, Slack tokens, JSON web tokens, UUIDs. */
const KNOWN =
  /(?<![a-z])(?:gAAAA|[xX][oO][xX][a-zA-Z]-|xapp-|eyJ)|[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}/;

const RUN = /[\w+/=.]{16,}/g;
const LETTERS = /[a-z]{20,}/gi;
/** As long as what a random generator gives, of one case: no name is, and an alias has 32 letters at most. */
const ONE_CASE = /(?<![a-z])(?:[a-z]{32,}|[A-Z]{32,})(?![a-z])/g;
/** Letters of both cases beside each other, with a sign of base64 among them or at the end. */
const BASE64 = /^(?=.*[+/=])(?=.*(?:[a-z][A-Z]|\d|={1,2}$))[A-Za-z\d+/]{12,}={0,2}$/;
const GROUPS = /^[\da-f]{4,}(?:-[\da-f]{4,}){2,}$/i;

const LONG_WORDS = new RegExp(
  [...VOCABULARY.keys()]
    .filter((word) => word.length > 3)
    .sort((a, b) => b.length - a.length)
    .join('|'),
  'gi',
);

/** A mistyped period has digits and letters too; take away the words in it, and little is left. */
const leavesMuch = (run: string): boolean => run.replace(LONG_WORDS, '').replace(/\W|_/g, '').length >= 12;

const isMixed = (run: string): boolean => /[a-z]/i.test(run) && /\d/.test(run);
const isMixedCase = (run: string): boolean => /[a-z]/.test(run) && /[A-Z]/.test(run);

const isVaried = (letters: string): boolean => new Set(letters).size >= 8;

/** Hexadecimal digits in groups; decimal ones alone are a secret's only when there are many. */
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

/** Whether the text says itself that a secret follows. */
export function labelsSecret(text: string): boolean {
  return ANNOUNCED.test(text);
}
