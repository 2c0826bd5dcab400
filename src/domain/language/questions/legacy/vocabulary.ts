/** The words of Tally's language, in lower case, and what each is for. */

import { PRODUCTS, type ProductId } from '../../../product.ts';
import { WEEKDAY_NAMES } from '../../../time/cadence.ts';
import type { Unit } from '../../../time/calendar.ts';

export type WordSense =
  | { readonly role: OwnRole | keyof typeof SPELLINGS }
  /** A count, or a place in a sequence. */
  | { readonly role: 'count' | 'rank'; readonly number: number }
  /** 1 for Monday to 7 for Sunday. */
  | { readonly role: 'weekday'; readonly weekday: number }
  | { readonly role: 'unit' | 'to-date' | 'recurring'; readonly unit: Unit }
  | { readonly role: 'month'; readonly month: number }
  /** The word for a product, and the other word of its name: `object` before storage, `platform` after cloud. */
  | { readonly role: 'product-name' | 'product-lead' | 'product-end'; readonly product: ProductId };

export type WordRole = WordSense['role'];

export const MONTH_NAMES: readonly string[] =
  'january february march april may june july august september october november december'.split(' ');

/** `october` @param month 1 to 12 */
export const nameOfMonth = (month: number): string => MONTH_NAMES[month - 1] ?? '';

export const RANKS = ['first', 'second', 'third', 'fourth'] as const;

/** In the tables below, words after a bar are short or common: never what a mistyped word was meant to be. */
const UNITS: Readonly<Record<Unit, string>> = {
  day: 'days | day d',
  week: 'week weeks | w wk wks kw cw',
  month: 'month months mths | mo mos mth',
  quarter: 'quarter quarters qtrs | q qtr',
  year: 'year years | y yr yrs',
};
const UNIT_NAMES = Object.keys(UNITS) as readonly Unit[];

/** Words that each have their own role. `so` adds nothing if `far` follows. */
const OWN_ROLE = [
  'next tomorrow today yesterday date all top help product ago a weekend half',
  '| compared with so far and between now before after ending up time fortnight',
] as const;
type OwnRole = Exclude<WordsOf<(typeof OWN_ROLE)[number]>, '|'>;
type WordsOf<T extends string> = T extends `${infer First} ${infer Rest}` ? First | WordsOf<Rest> : T;

/** Words that share a role. */
const SPELLINGS = {
  last: 'last past previous | prev prior',
  trailing: '| trailing rolling',
  this: 'this current',
  to: 'to until through | till thru',
  since: 'since from',
  project: 'project | projects',
  including: 'including incl include',
  excluding: '| excluding excl exclude without',
  each: '| each every per by',
  'minute-or-month': 'm',
  versus: '| vs versus',
  // What commands and questions may say around their words without any effect.
  filler: '| the in on for during of please',
  whole: '| whole entire full complete calendar',
  over: '| over within',
  onwards: '| onwards onward',
  starting: '| starting commencing',
  few: '| few couple',
  early: '| early beginning start',
  mid: '| mid middle',
  late: '| late end',
  weekdays: '| weekday weekdays weekends',
  hour: '| hour hours hr hrs minute minutes min mins',
} as const;

const COUNTS =
  '| one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = '| ten twenty thirty forty fifty sixty seventy eighty ninety';
const SHORT_WEEKDAYS = 'mon,tue tues,wed weds,thu thur thurs,fri,sat,sun'.split(',');
/** `monthly`: it says how often, not when. */
const RECURRING = {
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
  quarter: 'quarterly',
  year: 'yearly annually',
} as const;
const TO_DATE = { wtd: 'week', mtd: 'month', qtd: 'quarter', ytd: 'year' } as const;

const vocabulary = new Map<string, WordSense>();
const correctableWords: string[] = [];

/** @param senseOf the sense of the word at a place among those before or after the bar */
function add(words: string, senseOf: (place: number, word: string) => WordSense): void {
  const [meant = [], never = []] = words.split('|').map((some) => some.split(' ').filter(Boolean));
  for (const some of [meant, never])
    for (const [place, word] of some.entries()) vocabulary.set(word, senseOf(place, word));
  correctableWords.push(...meant.filter((word) => word.length > 1));
}

for (const words of OWN_ROLE) add(words, (_, word) => ({ role: word as OwnRole }));
for (const role of Object.keys(SPELLINGS) as (keyof typeof SPELLINGS)[])
  add(SPELLINGS[role], () => ({ role }));
for (const unit of UNIT_NAMES) add(UNITS[unit], () => ({ role: 'unit', unit }));
for (const unit of UNIT_NAMES) add(`| ${RECURRING[unit]}`, () => ({ role: 'recurring', unit }));
for (const [word, unit] of Object.entries(TO_DATE)) add(word, () => ({ role: 'to-date', unit }));
for (const [n, name] of MONTH_NAMES.entries())
  add(`${name} ${name.slice(0, 3)} ${name === 'september' ? 'sept' : ''}`, () => ({
    role: 'month',
    month: n + 1,
  }));
for (const [n, name] of WEEKDAY_NAMES.entries())
  add(`${name.toLowerCase()} | ${SHORT_WEEKDAYS[n]}`, () => ({ role: 'weekday', weekday: n + 1 }));
add(COUNTS, (n) => ({ role: 'count', number: n + 1 }));
add(TENS, (n) => ({ role: 'count', number: 10 * (n + 1) }));
add(RANKS.join(' '), (n) => ({ role: 'rank', number: n + 1 }));
for (const { id: product, word, name, ...other } of Object.values(PRODUCTS)) {
  const [lead = '', end = ''] = name.toLowerCase().split(word);
  add('spelling' in other ? `${word} ${other.spelling}` : word, () => ({ role: 'product-name', product }));
  add(lead, () => ({ role: 'product-lead', product }));
  add(end, () => ({ role: 'product-end', product }));
}

export const VOCABULARY: ReadonlyMap<string, WordSense> = vocabulary;

/** Words that people write together; used to correct typing mistakes. */
const RUN_TOGETHER = [
  ...UNIT_NAMES.flatMap((unit) => [
    ...['last', 'past', 'previous', 'this'].map((which) => `${which}-${unit}`),
    `${unit}-to-date`,
  ]),
  'including-today',
  'incl-today',
  ...Object.values(PRODUCTS).map(({ name }) => name.toLowerCase().replaceAll(' ', '-')),
];

/** Every spelling to suggest, by its form without hyphens. */
export const SUGGESTIONS: ReadonlyMap<string, string> = new Map(
  [...correctableWords, ...RUN_TOGETHER].map((word) => [word.replaceAll('-', ''), word]),
);
