/** Reads the words after `/billing watch`. */
import { commandText } from '../../domain/command-names.ts';
import { InvalidWord } from '../../domain/failure/index.ts';
import type { ParseContext } from '../../domain/language/command-items.ts';
import { parseSingleProjectText } from '../../domain/language/parse-command-text.ts';
import { nearestWord, normalizeText } from '../../domain/language/text-cleanup.ts';
import type { WatchKind } from '../../domain/money/watch-rule.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import type { ProjectReference } from '../../workspace/projects/resolve-project.ts';

type ThresholdName = 'below' | 'days' | 'amount' | 'factor' | 'floor';

/** What was typed after `/billing watch`, with thresholds that aren't parsed yet. */
export interface WatchWords extends ProjectReference, Partial<Readonly<Record<ThresholdName, string>>> {
  readonly kind?: WatchKind;
}

export const WATCH_KINDS: readonly WatchKind[] = ['balance', 'runway', 'budget', 'spike'];
export const KIND_EXAMPLES = 'balance 50000, runway 14, budget 500000 or spike 2x over 1000';
const EXAMPLE = `Type it like ${commandText('/billing watch')} prod ${KIND_EXAMPLES}.`;

/** Reads `prod balance 50000` in any order. @throws InvalidWord, with the corrected command; secret-pasted */
export function parseWatchText(text: string, context: ParseContext): WatchWords {
  const whole = normalizeText(text);
  const { rest, found } = takeRule(whole);
  const { project, alias, product } = parseProject(rest, whole, context);
  return { ...withoutUndefined({ project, alias, product }), ...found };
}

export const MAX_TYPED = 60;

type RuleWords = Pick<WatchWords, 'kind' | ThresholdName>;

const BELOW = '(?:(?:is |falls |drops |goes )?(?:below|under|of|at) )?';
/** An amount as typed: a word with a digit, or groups of three digits. */
const NUMBER = '(?:\\p{Sc} ?)?-?(?:\\d{1,3}(?: \\d{3}(?![^ .,]))+\\S*|[\\d.,]*\\d\\S*)(?: ?\\p{Sc}(?![^ ]))?';
const DAYS = '(?:days?|d|weeks?|w)';
const form = (words: string): RegExp => new RegExp(`(?<![^ ])${words}(?![^ ])`, 'u');

/** If a threshold has two forms, the first that matches counts. */
const THRESHOLD_FORMS: Readonly<
  Record<WatchKind, readonly (readonly [name: ThresholdName, form: RegExp])[]>
> = {
  balance: [['below', form(`balance ${BELOW}(${NUMBER})`)]],
  runway: [
    ['days', form(`runway ${BELOW}(-?\\d\\S*(?: ${DAYS}(?![^ ]))?)`)],
    ['days', form(`(\\d{1,6} ?${DAYS}) runway`)],
  ],
  budget: [
    ['amount', form(`budget (?:(?:is |goes )?(?:over|above|of|at) )?(${NUMBER})(?: (?:a|per) month)?`)],
  ],
  spike: [
    ['floor', form(`(?:over|above|floor|from|at least) (${NUMBER})(?: (?:a|per) day)?`)],
    ['factor', form('(-?(?:[x×] ?\\d[\\d.,]*|\\d[\\d.,]* ?[x×]))')],
    // A number that follows `spike` is its factor, not a project.
    ['factor', form('spike (\\d{1,2}(?:[.,]\\d+)?)')],
  ],
};

function takeRule(text: string): { readonly rest: string; readonly found?: RuleWords } {
  const [kind, second] = text.split(' ').filter(isKind);
  if (kind === undefined) return { rest: text };
  if (second !== undefined)
    throw refusal(second, `is a second rule, after “${kind}”`, 'Set up one watch at a time.');
  const thresholds: Record<string, string> = {};
  let rest = text;
  for (const [name, typed] of THRESHOLD_FORMS[kind]) {
    const [match, value] = (!(name in thresholds) && typed.exec(rest)) || [];
    if (match === undefined || value === undefined) continue;
    thresholds[name] = value.slice(0, MAX_TYPED);
    rest = rest.replace(match, match.includes(kind) ? kind : '');
  }
  const others = rest.split(' ').filter((word) => word !== '' && word !== kind);
  return { rest: others.join(' '), found: { kind, ...thresholds } };
}

const isKind = (word: string): word is WatchKind => (WATCH_KINDS as readonly string[]).includes(word);

function parseProject(text: string, whole: string, context: ParseContext) {
  try {
    const { phrase, ...words } = parseSingleProjectText(text, context);
    if (phrase === undefined) return words;
    throw refusal(phrase.typed, 'is a period. Watches don’t need one', EXAMPLE);
  } catch (error) {
    if (!(error instanceof InvalidWord)) throw error;
    const kind = nearestWord(error.word, WATCH_KINDS);
    const offered = kind === undefined ? error.offered : [text.replace(error.word, kind)];
    const texts = offered
      .map((corrected) => whole.replace(text, corrected))
      .filter((corrected) => isReadable(corrected, context));
    throw refusal(error.word, error.why, EXAMPLE, texts);
  }
}

function isReadable(text: string, context: ParseContext): boolean {
  const words = tryParse(() => parseSingleProjectText(takeRule(text).rest, context), InvalidWord);
  return words !== undefined && words.phrase === undefined && !words.help;
}

const refusal = (word: string, why: string, works: string, texts: readonly string[] = []): InvalidWord =>
  new InvalidWord(
    word.slice(0, 40),
    why,
    works,
    [...new Set(texts)].map((text) => `watch ${text}`),
  );
