/** Undoes what keyboards and Slack change in a typed text. */

const QUOTES = /["'`´‘’‚‛“”„‟«»‹›′″‴「」『』＂＇]/gu;

/** Format characters (zero-width ones, soft hyphens, direction marks) and the selectors that turn signs into pictures. */
const INVISIBLE = /\p{Cf}|\p{Variation_Selector}/gu;

const DASHES = /[\p{Pd}\u2212\u2043\u02d7]+/gu;

/** No language has more marks on a letter. Normalizing sorts them, in time that grows with the square of their number. */
const STACKED = /(\p{M}{30})\p{M}+/gu;

/** The apostrophe of a year of two digits, `oct '25`, `q3'26`; it is kept as `^`, so that 25 is not read as a day. */
const SHORT_YEAR =
  /['`´‘’](?=\d\d(?!\d))(?<=(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s*.|(?<![a-z])[qh][1-4]\s*.)/gi;

/** `last month's` means `last month`. */
const POSSESSIVE = /(?<=[a-z]{2})['`´‘’ʼ]s(?![a-z\d])/gi;

/** Slack writes links, people and channels as <address|label>. */
const LINK = /<[^<>|]*\|([^<>]*)>/g;

/** Without Slack's marks for struck-out text, and for a quotation before it. */
export const withoutMarks = (text: string): string =>
  text.replace(/~([^~\s](?:[^~]*[^~\s])?)~/g, '$1').replace(/^\s*(?:>|&gt;)+(?!\s?=)/, '');

/**
 * The text with one kind of dash, space and dot, and without quotes, asterisks and invisible characters; letters
 * as they were typed. `<` and `>` stay before a number, where they compare. Quotes go before NFKC as well, which would make a space of an acute accent.
 */
export function cleanTyping(text: string): string {
  return withoutMarks(text)
    .replace(SHORT_YEAR, '^')
    .replace(POSSESSIVE, '')
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

/** Matches whatever `simplifyOnce` may change: most words have nothing of that, and skip it. */
const UNTIDY = /[^a-z\d -]|[ -]{2}|^[ -]|[ -]$/i;

/**
 * Normalises text and keeps the case of letters: single spaces; hyphens for underscores, except those of Slack's italics at the
 * edges of a word, which are removed; no punctuation after words, except in dates such as '5.11.'; `product:2` and `#123`
 * without their signs; `?` as `help`. What a pass leaves may need another one, as in '-*-'; no text is known that needs a fourth.
 */
export const simplifyText = (text: string): string =>
  UNTIDY.test(text) ? simplifyOnce(simplifyOnce(simplifyOnce(text))) : text;

function simplifyOnce(text: string): string {
  return cleanTyping(text)
    .replace(/_+/g, '_')
    .replace(/(?<![a-z0-9])_|_(?![a-z0-9])/gi, '')
    .replaceAll('_', '-')
    .replace(/(?<![^ ])\?+(?![^ ])/g, 'help')
    .replace(/(?<=[a-z0-9])(?: ?,)+ ?(?=[a-z0-9])/gi, ',')
    .replace(/(?<=[a-z0-9]\.?)[,;:!?]+(?= |$)/gi, '')
    .replace(/(?<=[a-z0-9])(?<!(?<![\d.])\d{1,2}\.\d{1,2})\.(?= |$)/gi, '')
    .replace(/\b(project|product)(?: ?[:=])+ ?/gi, '$1 ')
    .replace(/(?<![^ ])#(?=\d)/g, '')
    .replace(/ +/g, ' ')
    .trim();
}

/** The normalized text in lower case, which is compared with the vocabulary. */
export const normalizeText = (text: string): string => simplifyText(text).toLowerCase();
