/** The words of Tally's language, in lower case, and what each is for. */

import { PRODUCTS, type ProductId } from '../product.ts';
import { WEEKDAY_NAMES } from '../time/cadence.ts';
import type { Unit } from '../time/calendar.ts';

export type WordSense =
  | { readonly role: (typeof OWN_ROLE)[number] | keyof typeof SPELLINGS }
  /** A count, or which one of several. */
  | { readonly role: 'count' | 'rank'; readonly number: number }
  /** 1 for Monday to 7 for Sunday. */
  | { readonly role: 'weekday'; readonly weekday: number }
  | { readonly role: 'unit' | 'to-date'; readonly unit: Unit }
  | { readonly role: 'month'; readonly month: number }
  /** The word for a product, and the other word of its name: `object` before storage, `platform` after cloud. */
  | { readonly role: 'product-name' | 'product-lead' | 'product-end'; readonly product: ProductId };

export type WordRole = WordSense['role'];

export const MONTH_NAMES: readonly string[] =
  'january february march april may june july august september october november december'.split(' ');

const SHORT_WEEKDAYS = 'mon,tue tues,wed weds,thu thur thurs,fri,sat,sun'
  .split(',')
  .map((words) => words.split(' '));

const COUNTS = (
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ');
const TENS = 'ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

export const RANKS = ['first', 'second', 'third', 'fourth'] as const;

/** What commands and questions may say around their words without any effect. */
export const FILLERS = ['the', 'in', 'on', 'for', 'during', 'of', 'please', 'so far'] as const;

const UNITS: Record<Unit, readonly string[]> = {
  day: ['day', 'days', 'd'],
  week: ['week', 'weeks', 'w', 'wk', 'wks'],
  month: ['month', 'months', 'mo', 'mos', 'mth', 'mths'],
  quarter: ['quarter', 'quarters', 'q', 'qtr', 'qtrs'],
  year: ['year', 'years', 'y', 'yr', 'yrs'],
};

/** Words of which each has a role of its own. `so` is followed by `far`, and adds nothing then. */
const OWN_ROLE = [
  ...([
    'next',
    'tomorrow',
    'today',
    'yesterday',
    'date',
    'all',
    'top',
    'help',
    'project',
    'product',
  ] as const),
  ...([
    'compared',
    'with',
    'so',
    'far',
    'and',
    'between',
    'now',
    'ago',
    'before',
    'after',
    'ending',
  ] as const),
  ...(['up', 'a', 'weekend', 'half', 'time', 'fortnight'] as const),
] as const;

/** Words that share a role. */
const SPELLINGS = {
  last: ['last', 'past', 'previous', 'prev', 'prior'],
  this: ['this', 'current'],
  to: ['to', 'until', 'till', 'through', 'thru'],
  since: ['since', 'from'],
  including: ['including', 'incl', 'include'],
  'minute-or-month': ['m'],
  versus: ['vs', 'versus'],
  filler: FILLERS.filter((filler) => filler !== 'so far'),
  whole: ['whole', 'entire', 'full', 'complete', 'calendar'],
  over: ['over', 'within'],
  onwards: ['onwards', 'onward'],
  starting: ['starting', 'commencing'],
  few: ['few', 'couple'],
  early: ['early', 'beginning', 'start'],
  mid: ['mid', 'middle'],
  late: ['late', 'end'],
  weekdays: ['weekday', 'weekdays', 'weekends'],
  hour: ['hour', 'hours', 'hr', 'hrs', 'minute', 'minutes', 'min', 'mins'],
} as const satisfies Record<string, readonly string[]>;

const spellingsOf = (role: keyof typeof SPELLINGS): readonly string[] => SPELLINGS[role];

/** Short and common: never what a mistyped word was meant to be. */
const NEVER_MEANT: ReadonlySet<string> = new Set([
  ...(['versus', 'filler', 'starting', 'few', 'early', 'mid', 'late', 'hour'] as const).flatMap(spellingsOf),
  ...(['weekdays', 'whole', 'over', 'onwards'] as const).flatMap(spellingsOf),
  ...['compared', 'with', 'so', 'far', 'and', 'between', 'now', 'before', 'after', 'time', 'fortnight'],
  ...['ending', 'up'],
  ...SHORT_WEEKDAYS.flat(),
  ...COUNTS,
  ...TENS,
  ...['prev', 'prior', 'till', 'thru'],
  ...Object.values(UNITS).flatMap((words) => words.filter((word) => word.length < 4)),
]);

const TO_DATE: Record<string, Unit> = { wtd: 'week', mtd: 'month', qtd: 'quarter', ytd: 'year' };

const units = (Object.keys(UNITS) as Unit[]).flatMap((unit) =>
  UNITS[unit].map((word): [string, WordSense] => [word, { role: 'unit', unit }]),
);

const months = MONTH_NAMES.flatMap((name, n) =>
  [name, name.slice(0, 3), ...(name === 'september' ? ['sept'] : [])].map((word): [string, WordSense] => [
    word,
    { role: 'month', month: n + 1 },
  ]),
);

const numbered = (role: 'count' | 'rank', words: readonly string[]) =>
  words.map((word, n): [string, WordSense] => [word, { role, number: n + 1 }]);

const weekdays = WEEKDAY_NAMES.flatMap((name, n) =>
  [name.toLowerCase(), ...(SHORT_WEEKDAYS[n] ?? [])].map((word): [string, WordSense] => [
    word,
    { role: 'weekday', weekday: n + 1 },
  ]),
);

const products = Object.values(PRODUCTS).flatMap(({ id: product, word, name, ...other }) => {
  const [lead = '', end = ''] = name.toLowerCase().split(word);
  const words = {
    'product-name': 'spelling' in other ? [word, other.spelling] : [word],
    'product-lead': [lead.trim()],
    'product-end': [end.trim()],
  } as const;
  return (Object.keys(words) as (keyof typeof words)[]).flatMap((role) =>
    words[role].filter(Boolean).map((spelled): [string, WordSense] => [spelled, { role, product }]),
  );
});

export const VOCABULARY: ReadonlyMap<string, WordSense> = new Map<string, WordSense>([
  ...OWN_ROLE.map((role): [string, WordSense] => [role, { role }]),
  ...(Object.keys(SPELLINGS) as (keyof typeof SPELLINGS)[]).flatMap((role) =>
    SPELLINGS[role].map((word): [string, WordSense] => [word, { role }]),
  ),
  ...units,
  ...Object.entries(TO_DATE).map(([word, unit]): [string, WordSense] => [word, { role: 'to-date', unit }]),
  ...months,
  ...weekdays,
  ...numbered('count', COUNTS),
  ...TENS.map((word, n): [string, WordSense] => [word, { role: 'count', number: 10 * (n + 1) }]),
  ...numbered('rank', RANKS),
  ...products,
]);

/** Words that people write together; used to correct typing mistakes. */
const RUN_TOGETHER = [
  ...(Object.keys(UNITS) as Unit[]).flatMap((unit) => [
    `last-${unit}`,
    `past-${unit}`,
    `previous-${unit}`,
    `this-${unit}`,
    `${unit}-to-date`,
  ]),
  'including-today',
  'incl-today',
  ...Object.values(PRODUCTS).map(({ name }) => name.toLowerCase().replaceAll(' ', '-')),
];

/** Every spelling to suggest, by its form without hyphens. */
export const SUGGESTIONS: ReadonlyMap<string, string> = new Map(
  [
    ...[...VOCABULARY.keys()].filter((word) => word.length > 1 && !NEVER_MEANT.has(word)),
    ...RUN_TOGETHER,
  ].map((word) => [word.replaceAll('-', ''), word]),
);
