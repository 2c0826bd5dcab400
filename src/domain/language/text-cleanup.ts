/** Cleans up typed text (undoing what keyboards and Slack change) and corrects typos. */
import { UNRECOGNIZED } from '../failure/index.ts';
import { MENTION } from '../slack-id.ts';
import { CORRECTIONS, WORDS } from './generated.js';
import type { TextRange, WordsRefusal } from './phrase-calendar.ts';

const ENDINGS: ReadonlySet<string> = new Set(['st', 'nd', 'rd', 'th', 'ly', 'ths', 'amp']);
const VOCABULARY: ReadonlySet<string> = new Set(
  WORDS.filter((word) => /^[a-z]+$/.test(word) && !ENDINGS.has(word)),
);
/** A known word is refused as misplaced, not as unknown. */
export const isKnownWord = (word: string): boolean =>
  /^(?=.*[a-z])[a-z\d./-]+$/.test(word) &&
  [...word.matchAll(/[a-z]+/g)].every(({ 0: run, index }) => {
    const isAfterDigit = /\d/.test(word[index - 1] ?? '');
    if (run.length === 1) return VOCABULARY.has(run) && (run === word || /^\d+[a-z]$/.test(word));
    return VOCABULARY.has(run) || (isAfterDigit && ENDINGS.has(run));
  });

const LONGEST_WORD = 40;

const NEVER_MISTYPED: ReadonlySet<string> = new Set(
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

export const couldBeName = (word: string): boolean =>
  /^[a-z][a-z\d-]{1,31}$/i.test(word) &&
  !word
    .toLowerCase()
    .split('-')
    .some((part) => NEVER_MISTYPED.has(part));

function isOneEdit(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  const swapped = `${restA.charAt(1)}${restA.charAt(0)}${restA.slice(2)}`;
  const dropped = restA.slice(1);
  return dropped === restB || restA === restB.slice(1) || dropped === restB.slice(1) || swapped === restB;
}

const sortedLetters = (word: string): string => [...word].sort().join('');
const digitsOf = (word: string): string => word.replace(/\D/g, '');

/**
 * A typo begins with the right letter, or the second one if the first is missing or swapped. Digits are never
 * corrected: prod-2 isn't prod-1. In a word of three letters, only two letters may be swapped (`cvs`): “now” isn't
 * “nov”.
 */
const isMistyped = (typed: string, known: string): boolean =>
  isOneEdit(typed, known) &&
  (typed[0] === known[0] || typed[0] === known[1]) &&
  digitsOf(typed) === digitsOf(known) &&
  (known.length > 3 || sortedLetters(typed) === sortedLetters(known));

export function nearestWords(word: string, known: readonly string[]): readonly string[] {
  if (known.includes(word)) return [word];
  return NEVER_MISTYPED.has(word)
    ? []
    : [...new Set(known)].filter((candidate) => isMistyped(word, candidate));
}

export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const [near, ...others] = nearestWords(word, known);
  return others.length === 0 ? near : undefined;
}

const SPELLINGS = CORRECTIONS.filter((word) => VOCABULARY.has(word) && word.length > 2);

const near = (word: string, aliases: Iterable<string> = []): string | undefined =>
  nearestWord(word, [...SPELLINGS, ...aliases]);

/** Corrects each run of letters by itself (`lst7dys`), and the word as a whole (`web-shp`). */
function nearestTo(raw: string, aliases: ReadonlySet<string>): readonly string[] {
  if (raw.length > LONGEST_WORD) return [];
  const runs = raw
    .split(/([^a-z]+)/)
    .map((run) => (/[a-z]/.test(run) && !isKnownWord(run) ? near(run) : run));
  // In a question, -prod may mean “not prod”.
  const whole = /^[a-z\d]/.test(raw) ? near(raw, aliases) : undefined;
  return [runs.includes(undefined) ? undefined : runs.join(''), whole].filter((text) => text !== undefined);
}

const SHAPES: readonly (readonly [RegExp, why: string, works: string])[] = [
  [/^-+$/, 'has nothing after it', 'Type since 2026-10-01, or 2026-10-01..2026-10-15.'],
  [MENTION, 'You mentioned a person, a channel or a group', 'Type a project’s name or ID.'],
  [/^(?:[-+#]+\d[\d.,]*|\d+[.,][\d.,]*)$/, 'isn’t a project ID or a date', 'Type 123, 5.11. or 2026-11-05.'],
];

const UNBILLED: ReadonlyMap<string, string> = new Map([
  ['who', 'people'],
  ...'services tags labels teams VMs GPUs CPUs SKUs regions zones machines servers instances clusters namespaces buckets disks databases users customers containers pods nodes departments resources applications apps environments Kubernetes'
    .split(' ')
    .flatMap((name) => [name, name.slice(0, -1)].map((word) => [word.toLowerCase(), name] as const)),
]);

export function whyUnbilled(word: string): string | undefined {
  const name = UNBILLED.get(word.toLowerCase());
  return name && `Billing reports projects, products and days, not ${name}`;
}

export function explainBadWord(
  text: string,
  { start, end }: TextRange,
  works: string,
  aliases: ReadonlySet<string>,
): WordsRefusal {
  const word = text.slice(start, end);
  const [, why, what] = SHAPES.find(([form]) => form.test(word)) ?? [];
  if (why !== undefined && what !== undefined) return { start, end, why, works: what, instead: [] };
  const unbilled = whyUnbilled(word);
  if (unbilled !== undefined) return { start, end, why: unbilled, works: '', instead: [] };
  if (isKnownWord(word)) return { start, end, why: 'doesn’t belong there', works, instead: [] };
  return { start, end, why: UNRECOGNIZED, works, instead: nearestTo(word, aliases) };
}

/** A longer text doesn't fit a button and can't be checked at a glance. */
const LONGEST_SUGGESTION = 200;

/** Replaces an unknown word with the nearest known one, and ambiguous words with each of their meanings. */
export function correctionsOf(
  text: string,
  { start, end, why, instead }: WordsRefusal,
  isValid: (text: string) => boolean,
): readonly string[] {
  if (text.length > LONGEST_SUGGESTION) return [];
  const before = text.slice(0, start).replace(/(?<![^ ])the $/, '');
  const corrected = instead
    .map((words) => simplifyText(before + words + text.slice(end)).toLowerCase())
    .filter(isValid);
  return why === UNRECOGNIZED ? corrected.slice(0, 1) : corrected;
}

const QUOTES = /["'`´‘’‚‛“”„‟«»‹›′″‴「」『』＂＇]/gu;

const INVISIBLE = /\p{Cf}|\p{Variation_Selector}/gu;

const DASHES = /[\p{Pd}\u2212\u2043\u02d7]+/gu;

/** More marks than any language puts on a letter. The time to normalize grows with the square of their number. */
const STACKED = /(\p{M}{30})\p{M}+/gu;

/** The apostrophe of `oct '25` and `q3'26` becomes `^`, so that 25 is not read as a day. */
const SHORT_YEAR =
  /['`´‘’](?=\d\d(?!\d))(?<=(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s*.|(?<![a-z])[qh][1-4]\s*.)/gi;

const POSSESSIVE = /(?<=[a-z]{2})['`´‘’ʼ]s(?![a-z\d])/gi;

/** Slack writes links, people and channels as <address|label>. */
const LINK = /<[^<>|]*\|([^<>]*)>/g;

export const withoutMarks = (text: string): string =>
  text.replace(/~([^~\s](?:[^~]*[^~\s])?)~/g, '$1').replace(/^\s*(?:>|&gt;)+(?!\s?=)/, '');

/** Removes quotes before NFKC, which would turn ´ into a space. `<` and `>` stay before a number. */
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

/** Keeps capitals. One pass can leave new matches ('-*-'); three passes have always been enough. */
export const simplifyText = (text: string): string => simplifyOnce(simplifyOnce(simplifyOnce(text)));

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

export const normalizeText = (text: string): string => simplifyText(text).toLowerCase();
