/** The words of Tally's language, in lower case, and what each is for. */

import { PRODUCTS, type ProductId } from '../product.ts';
import { WEEKDAY_NAMES } from '../time/cadence.ts';
import type { Unit } from '../time/calendar.ts';

export type WordSense =
  | { readonly role: 'last' | 'this' | 'next' | 'tomorrow' | 'today' | 'yesterday' | 'to' | 'date' | 'since' }
  | {
      readonly role:
        | 'all'
        | 'top'
        | 'versus'
        | 'including'
        | 'help'
        | 'project'
        | 'product'
        | 'minute-or-month';
    }
  /** `compared` is followed by `to` or `with`. `so` is followed by `far`, and adds nothing then. */
  | { readonly role: 'compared' | 'with' | 'filler' | 'so' | 'far' }
  | { readonly role: 'and' | 'between' | 'now' | 'ago' | 'starting' | 'weekend' | 'half' | 'time' }
  | { readonly role: 'a' | 'whole' | 'over' | 'onwards' | 'before' | 'after' | 'ending' | 'up' }
  /** They have no one meaning, or none in whole days. */
  | { readonly role: 'few' | 'early' | 'mid' | 'late' | 'hour' | 'weekdays' | 'fortnight' }
  /** A count, or which one of several. */
  | { readonly role: 'count' | 'rank'; readonly number: number }
  /** 1 for Monday to 7 for Sunday. */
  | { readonly role: 'weekday'; readonly weekday: number }
  | { readonly role: 'unit'; readonly unit: Unit }
  | { readonly role: 'to-date'; readonly unit: Unit }
  | { readonly role: 'month'; readonly month: number }
  /** The word for a product, and the other word of its name: `object` before storage, `platform` after cloud. */
  | { readonly role: 'product-name' | 'product-lead' | 'product-end'; readonly product: ProductId };

export type WordRole = WordSense['role'];

export const MONTH_NAMES = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const;

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

const PLAIN: Partial<Record<WordRole, readonly string[]>> = {
  last: ['last', 'past', 'previous', 'prev', 'prior'],
  this: ['this', 'current'],
  next: ['next'],
  tomorrow: ['tomorrow'],
  today: ['today'],
  yesterday: ['yesterday'],
  to: ['to', 'until', 'till', 'through', 'thru'],
  date: ['date'],
  since: ['since', 'from'],
  all: ['all'],
  top: ['top'],
  including: ['including', 'incl', 'include'],
  help: ['help'],
  project: ['project'],
  product: ['product'],
  'minute-or-month': ['m'],
  versus: ['vs', 'versus'],
  compared: ['compared'],
  with: ['with'],
  filler: FILLERS.filter((filler) => filler !== 'so far'),
  so: ['so'],
  far: ['far'],
  and: ['and'],
  between: ['between'],
  now: ['now'],
  ago: ['ago'],
  before: ['before'],
  after: ['after'],
  ending: ['ending'],
  up: ['up'],
  a: ['a'],
  whole: ['whole', 'entire', 'full', 'complete', 'calendar'],
  over: ['over', 'within'],
  onwards: ['onwards', 'onward'],
  starting: ['starting', 'commencing'],
  weekend: ['weekend'],
  half: ['half'],
  time: ['time'],
  few: ['few', 'couple'],
  early: ['early', 'beginning', 'start'],
  mid: ['mid', 'middle'],
  late: ['late', 'end'],
  weekdays: ['weekday', 'weekdays', 'weekends'],
  fortnight: ['fortnight'],
  hour: ['hour', 'hours', 'hr', 'hrs', 'minute', 'minutes', 'min', 'mins'],
};

/** Short and common: never what a mistyped word was meant to be. */
const NEVER_MEANT: ReadonlySet<string> = new Set([
  ...(
    [
      ...(['versus', 'compared', 'with', 'filler', 'so', 'far', 'and', 'between', 'now', 'before'] as const),
      ...(['starting', 'time', 'few', 'early', 'mid', 'late', 'hour', 'weekdays', 'fortnight'] as const),
      ...(['after', 'whole', 'over', 'onwards', 'ending', 'up'] as const),
    ] as const
  ).flatMap((role) => PLAIN[role] ?? []),
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
  ...Object.entries(PLAIN).flatMap(([role, words]) =>
    words.map((word): [string, WordSense] => [word, { role } as WordSense]),
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
