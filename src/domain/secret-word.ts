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

/** `word` in the letters it was typed in, as upper and lower case tell a token from a name. */
export function looksSecret(word: string): boolean {
  if (KNOWN.test(word)) return true;
  const runs = (word.match(RUN) ?? []).filter(isMixed);
  const letters = (word.match(LETTERS) ?? []).filter(isMixedCase);
  return [...runs, ...letters].some(leavesMuch);
}

/** Whether the text says itself that a secret follows. */
export function announcesSecret(text: string): boolean {
  return ANNOUNCED.test(text);
}
