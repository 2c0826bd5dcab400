import { commandText } from '../../domain/command-names.ts';
import { InvalidWord, UNRECOGNIZED } from '../../domain/failure/index.ts';
import { nearestWord } from '../../domain/language/correct-text.ts';
import type { Reader } from '../../domain/language/items.ts';
import type { ProjectName } from '../../domain/language/parsed-command.ts';
import {
  holdsUnknownWord,
  parseBalanceText,
  parseSingleProjectText,
} from '../../domain/language/read-command.ts';
import { normalizeText } from '../../domain/language/text.ts';
import {
  MAX_RUNWAY_DAYS,
  MAX_THRESHOLD_DIGITS,
  parseFactor,
  parseRunwayDays,
  parseThreshold,
  thresholdDigits,
  type WatchKind,
} from '../../domain/money/watch-rule.ts';
import type { ProductId } from '../../domain/product.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { clipWord, withoutMatch } from '../../domain/wording.ts';

/** Plain digits, or what a person typed. */
interface ThresholdFields {
  readonly below?: string;
  readonly days?: string;
  readonly amount?: string;
  readonly factor?: string;
  readonly floor?: string;
}

/** What was typed after `/billing watch`; absent fields weren't typed. */
export interface WatchWords extends ThresholdFields {
  readonly project?: string;
  readonly alias?: string;
  readonly product?: ProductId;
  readonly kind?: WatchKind;
}

export const WATCH_KINDS: readonly WatchKind[] = ['balance', 'runway', 'budget', 'spike'];
export const KIND_EXAMPLES = 'balance 50000, runway 14, budget 500000 or spike 2x over 1000';
const EXAMPLE = `Type it like ${commandText('/billing watch')} prod ${KIND_EXAMPLES}.`;
const AMOUNTS = 'Write amounts like 50000, 50,000 or 50000.50.';

interface Piece<T> {
  readonly rest: string;
  readonly found?: T;
}

/**
 * `prod balance 50000` in any order.
 * @throws InvalidWord, whose suggestion is the command's text put right; secret-pasted
 */
export function parseWatchText(text: string, reader: Reader): WatchWords {
  const { aliases } = reader;
  const whole = normalizeText(text);
  const { rest, found } = takeRule(whole, aliases);
  if (found === undefined) refuseWithoutKind(rest, aliases);
  const { project, alias, product } = parseProject(rest, whole, reader);
  return { ...withoutUndefined({ project, alias, product }), ...found };
}

/** What the list of watches is about: those of projects or of budgets alone, else all. */
export interface WatchListWords {
  readonly page: number;
  readonly projects: readonly ProjectName[];
  readonly isBudget: boolean;
}

/** `prod budget`, `prod budget page 2`, `page 2`, or nothing. @throws InvalidWord, secret-pasted */
export function parseWatchList(text: string, reader: Reader): WatchListWords {
  const turned = /(?:^| )page (\d{1,3})$/.exec(text);
  const words = text.slice(0, turned?.index).split(' ').filter(Boolean);
  const isBudget = words.includes('budget') && !reader.aliases.has('budget');
  const asked = words.filter((word) => word !== 'budget' || !isBudget).join(' ');
  const parsed = tryParse(() => parseBalanceText(asked, reader));
  if (parsed === undefined || parsed.help || parsed.product !== undefined || parsed.several === 'all')
    throw new InvalidWord(clipWord(text), 'doesn’t belong there', LIST_EXAMPLE);
  const { project, alias, several } = parsed;
  const single = alias === undefined ? project && { project } : { alias };
  return { page: Number(turned?.[1] ?? 1), projects: several ?? (single ? [single] : []), isBudget };
}

const LIST_EXAMPLE = `Type ${commandText('/billing watches')}, or the names of projects after it.`;

const KIND = new RegExp(`(?<![^ ])(${WATCH_KINDS.join('|')})(?![^ ])`, 'g');

type RuleWords = Pick<WatchWords, 'kind' | keyof ThresholdFields>;

/** A kind, then its thresholds; unambiguous ones of a spike can be anywhere. */
function takeRule(text: string, aliases: ReadonlySet<string>): Piece<RuleWords> {
  const [match, ...others] = [...text.matchAll(KIND)];
  if (match === undefined) return { rest: text };
  const kind = match[0] as WatchKind;
  const [second] = others;
  if (second !== undefined) {
    const why = second[0] === kind ? 'appears twice' : `is a second kind; you already gave “${kind}”`;
    throw refusal(second[0], why, 'Set up one watch at a time.');
  }
  const before = text.slice(0, match.index).trim();
  const after = text.slice(match.index + kind.length).trim();
  switch (kind) {
    case 'runway':
      return takeDays(before, after);
    case 'spike':
      return takeSpike(before, after, aliases);
    default: {
      const taken = takeAmount(kind, before, after, aliases);
      const field = kind === 'balance' ? 'below' : 'amount';
      return { rest: taken.rest, found: { kind, ...(taken.found && { [field]: taken.found }) } };
    }
  }
}

const BELOW = '(?:(?:is |falls |drops |goes )?(?:below|under|of|at) )?';
/** Words allowed around an amount: “over” and “a day” don't fit a balance, and “below” doesn't fit a budget. */
const AROUND: Readonly<Record<'balance' | 'budget', readonly [before: string, after: string]>> = {
  balance: [BELOW, ''],
  budget: ['(?:(?:is |goes )?(?:over|above|of|at) )?', '(?: (?:a|per) month)?'],
};
/** A word with a digit in it, or groups of three digits. */
const NUMBER = '(?:\\p{Sc} ?)?-?(?:\\d{1,3}(?: \\d{3}(?![^ .,]))+\\S*|[\\d.,]*\\d\\S*)(?: ?\\p{Sc}(?![^ ]))?';

/** @param after what follows the kind */
function takeAmount(
  kind: keyof typeof AROUND,
  before: string,
  after: string,
  aliases: ReadonlySet<string>,
): Piece<string> {
  const [filler, each] = AROUND[kind];
  const match = new RegExp(`^${filler}(${NUMBER})${each}(?![^ ])`, 'u').exec(after);
  if (match === null) {
    refuseWord(after, aliases);
    return { rest: join(before, after.replace(new RegExp(`^${filler}$`), '')) };
  }
  const [all, typed = ''] = match;
  const rest = join(before, after.slice(all.length));
  refuseTwoMeanings(typed, rest, kind);
  return { rest, found: amountIn(typed, kind, (value) => join(rest, kind, value)) };
}

/** `balance 50 123`: is 123 a project, or the end of 50,123? */
function refuseTwoMeanings(typed: string, rest: string, kind: WatchKind): void {
  const [, first = '', group = ''] = /^(\d{1,3}) ([1-9]\d\d)$/.exec(typed) ?? [];
  if (group === '' || rest !== '') return;
  throw refusal(typed, 'could be one amount, or an amount and a project', AMOUNTS, [
    join(kind, first + group),
    join(group, kind, first),
  ]);
}

/** `balance -`, `balance lots`: neither an amount nor a project. */
function refuseWord(after: string, aliases: ReadonlySet<string>): void {
  const [word = ''] = after.split(' ');
  if (!/^[-\p{Sc}]/u.test(word) || aliases.has(word)) return;
  throw refusal(word, 'isn’t an amount', AMOUNTS);
}

/** @param corrected the whole text with another amount @returns plain digits */
function amountIn(typed: string, kind: WatchKind, corrected: (value: string) => string): string {
  const amount = parseThreshold(typed);
  if ('problem' in amount) {
    const [why, works] = PROBLEMS[amount.problem];
    throw refusal(typed, why, works, amount.readings?.map(corrected));
  }
  if (kind === 'budget' && amount.value.eq(0)) throw refusal(typed, 'A budget is above zero', AMOUNTS);
  return thresholdDigits(amount.value);
}

const PROBLEMS = {
  'no-amount': ['isn’t an amount', AMOUNTS],
  'below-zero': ['is below zero', 'Type an amount of zero or more.'],
  'too-long': [`has more than ${MAX_THRESHOLD_DIGITS} digits`, 'Type a shorter amount.'],
  ambiguous: ['can mean two amounts', 'Which one?'],
} as const;

function takeDays(before: string, after: string): Piece<RuleWords> {
  const leading = /(?:^|(?<= ))(\d{1,6}) ?(days?|d|weeks?|w)$/.exec(before);
  const match = new RegExp(`^${BELOW}(-?\\d\\S*(?: (?:days?|d|weeks?|w)(?![^ ]))?)`).exec(after);
  const typed = match?.[1] ?? leading?.[0];
  if (typed === undefined) return { rest: join(before, after), found: { kind: 'runway' } };
  const rest = match
    ? join(before, after.slice(match[0].length))
    : join(before.slice(0, leading?.index), after);
  const days = parseRunwayDays(typed);
  if (days !== undefined) return { rest, found: { kind: 'runway', days: String(days) } };
  const works = `Type 1 to ${MAX_RUNWAY_DAYS.toLocaleString('en-US')} days, such as runway 14.`;
  const why = typed.startsWith('-') ? 'is below zero' : 'isn’t a number of days';
  throw refusal(typed, why, works);
}

const FACTOR = /(?<![^ ])(-?(?:[x×] ?\d[\d.,]*|\d[\d.,]* ?[x×]))(?![^ ])/;
const FLOOR = new RegExp(
  `(?<![^ ])(?:over|above|floor|from|at least) (${NUMBER})(?: (?:a|per) day)?(?![^ ])`,
  'u',
);
const FACTORS = 'Write the factor like 2x or 1.5x.';

function takeSpike(before: string, after: string, aliases: ReadonlySet<string>): Piece<RuleWords> {
  let rest = join(before, after);
  const floored = FLOOR.exec(rest);
  if (floored !== null) rest = withoutMatch(rest, floored);
  const factored = FACTOR.exec(rest);
  if (factored !== null) rest = withoutMatch(rest, factored);
  const over = floored === null ? '' : floored[0];
  const typed = factored?.[1] ?? '';
  const factor = parseFactor(typed);
  if (typed !== '' && factor === undefined) throw refusal(typed, 'isn’t a factor above 1', FACTORS);
  if (typed === '') refuseBareFactor(before, after, over, aliases);
  const floor =
    floored?.[1] && amountIn(floored[1], 'spike', (value) => join(rest, 'spike', typed, `over ${value}`));
  return {
    rest,
    found: { kind: 'spike', ...(factor && { factor: thresholdDigits(factor) }), ...(floor && { floor }) },
  };
}

/** `spike 2`: a number right after it is not a project. */
function refuseBareFactor(before: string, after: string, over: string, aliases: ReadonlySet<string>): void {
  const [, number] = /^(\d{1,2}(?:[.,]\d+)?)(?![^ ])/.exec(after) ?? [];
  if (number === undefined || aliases.has(number)) return;
  const rest = join(before, after.slice(number.length).replace(over, ''));
  throw refusal(number, 'isn’t a factor', FACTORS, [join(rest, 'spike', `${number}x`, over)]);
}

/** `prod 50000`: of what? `prod blance 50000` says it; of `prod fnord 50000` the unknown word is what is wrong. */
function refuseWithoutKind(text: string, aliases: ReadonlySet<string>): void {
  const words = text.split(' ');
  for (const word of words) {
    const nearest = aliases.has(word) ? undefined : nearestWord(word, WATCH_KINDS);
    if (nearest !== undefined) throw refusal(word, UNRECOGNIZED, EXAMPLE, [text.replace(word, nearest)]);
  }
  if (words.some((word) => !/\d/.test(word) && holdsUnknownWord(word, aliases))) return;
  const numbers = [...text.matchAll(/(?<![^ ,])\d[\d.,]*(?![^ ,])/g)];
  const hasAlias = words.some((word) => aliases.has(word));
  const amount = numbers[hasAlias ? 0 : 1];
  if (amount === undefined || amount[0].length < 2) return;
  const rest = withoutMatch(text, amount);
  throw refusal(amount[0], 'needs a kind before it', EXAMPLE, [
    join(rest, 'balance', amount[0]),
    join(rest, 'budget', amount[0]),
  ]);
}

function parseProject(text: string, whole: string, reader: Reader) {
  try {
    const { phrase, ...words } = parseSingleProjectText(text, reader);
    if (phrase === undefined) return words;
    throw refusal(phrase.typed, 'is a period, and a watch has none', EXAMPLE);
  } catch (error) {
    if (!(error instanceof InvalidWord)) throw error;
    const texts = error.offered
      .map((offered) => whole.replace(text, offered))
      .filter((suggested) => isReadable(suggested, reader));
    throw refusal(error.word, error.why, EXAMPLE, texts);
  }
}

function isReadable(text: string, reader: Reader): boolean {
  const words = tryParse(
    () => parseSingleProjectText(takeRule(text, reader.aliases).rest, reader),
    InvalidWord,
  );
  return words !== undefined && words.phrase === undefined && !words.help;
}

const join = (...words: readonly string[]): string =>
  words
    .map((word) => word.trim())
    .filter(Boolean)
    .join(' ');

/** @param readings texts after `watch` */
const refusal = (word: string, why: string, works: string, readings: readonly string[] = []): InvalidWord =>
  new InvalidWord(
    word.slice(0, 40),
    why,
    works,
    [...new Set(readings)].map((text) => join('watch', text)),
  );
