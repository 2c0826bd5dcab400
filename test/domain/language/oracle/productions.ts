/** Generates period phrases in the spellings that people use, each with the days that it means. */
import fc from 'fast-check';
import {
  between,
  betweenDays,
  betweenMonths,
  type Days,
  date,
  daysAgo,
  daysIncludingToday,
  daysOfMonth,
  halfOfMonth,
  lastMonthsOf,
  lastUnits,
  lastWeekday,
  lastWeekend,
  lastWholeMonth,
  latestDay,
  latestHalf,
  latestMonth,
  latestOrdinal,
  latestQuarter,
  latestWeek,
  lengthOf,
  ofYear,
  type Reading,
  since,
  theDay,
  theHalf,
  theMonth,
  theQuarter,
  theWeek,
  theWeekOf,
  theYear,
  thisUnit,
  thisWeekend,
  type Unit,
  unitBeforeLast,
  weekdayOf,
  weekdayOfLastWeek,
} from './readings.ts';

export interface Said {
  readonly text: string;
  readonly days: Reading;
}

const REFUSED: Reading = () => undefined;
const said = (text: string, days: Reading): Said => ({ text, days });

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const WEEKDAYS = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ');
const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const ORDINALS = ['first', 'second', 'third', 'fourth'];

const two = (n: number): string => String(n).padStart(2, '0');
const nth = (n: number): string =>
  `${n}${n > 3 && n < 21 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;

const fill = (template: string, parts: Readonly<Record<string, string | number>>): string =>
  template.replace(/\{(\w)\}/g, (_, name: string) => String(parts[name]));

const pick = <T>(...of: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...of);
const whole = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const pair = <A, B, C>(a: fc.Arbitrary<A>, b: fc.Arbitrary<B>, to: (a: A, b: B) => C): fc.Arbitrary<C> =>
  fc.tuple(a, b).map(([one, other]) => to(one, other));

const month = whole(1, 12);
const year = whole(2002, 2036);
const nameOf = (m: number): fc.Arbitrary<string> => {
  const name = MONTHS[m - 1]!;
  const short = name.slice(0, 3);
  return pick(name, short, ...(m === 5 ? [] : [`${short}.`]), ...(m === 9 ? ['sept'] : []));
};
const named = month.chain((m) => nameOf(m).map((name) => ({ m, name, short: MONTHS[m - 1]!.slice(0, 3) })));
const weekday = whole(0, 6).chain((w) =>
  pick(WEEKDAYS[w]!, WEEKDAYS[w]!.slice(0, 3)).map((name) => ({ w, name })),
);
const counted = (max: number): fc.Arbitrary<{ n: number; word: string }> =>
  fc.oneof(
    whole(1, max).map((n) => ({ n, word: String(n) })),
    whole(1, Math.min(max, 12)).map((n) => ({ n, word: NUMBERS[n - 1]! })),
  );

/** Fills in the day (also as an ordinal and with two digits), the month (typed, short, as a number) and the year. */
const spellDay = (template: string, d: number, name: string, m: number, y = 0): string =>
  fill(template, { d, o: nth(d), e: two(d), n: name, s: MONTHS[m - 1]!.slice(0, 3), m, x: two(m), y });

const DAY_SPELLINGS = (
  '{d} {n} · {n} {d} · {o} of {n} · the {o} of {n} · {n} {o} · {o} {n} · {d} of {n} · {s}-{d} · {s}{d} · {d}-{s} · {s} {e} · ' +
  '{n} the {o} · {d}.{m}. · {e}.{x}.'
).split(' · ');
const DATE_SPELLINGS = (
  '{n} {d}, {y} · {d} {n} {y} · {n} {o}, {y} · {o} of {n} {y} · {y}-{s}-{d} · {d}-{s}-{y} · {n} {d} {y} · {d}.{m}.{y} · ' +
  '{e}.{x}.{y} · {y}-{x}-{e} · {y}/{m}/{d} · {d}/{m}/{y} · {m}/{d}/{y}'
).split(' · ');
/** With slashes and the year last, only a day above 12 is clear. */
const spellDate = (template: string, d: number, name: string, m: number, y: number): string =>
  spellDay(d <= 12 && /\/\{y\}/.test(template) ? '{y}-{m}-{d}' : template, d, name, m, y);

const day31 = whole(1, 31);
const dayWithoutYear = fc
  .tuple(day31, named, pick(...DAY_SPELLINGS))
  .map(([d, { m, name }, as]) => ({ m, d, text: spellDay(as, d, name, m) }));
const dayWithYear = fc
  .tuple(year, day31, named, pick(...DATE_SPELLINGS))
  .map(([y, d, { m, name }, as]) => ({ y, m, d, text: spellDate(as, d, name, m, y) }));
const anyDay = fc.oneof(
  dayWithoutYear.map(({ m, d, text }) => said(text, latestDay(m, d))),
  dayWithYear.map(({ y, m, d, text }) => said(text, theDay(y, m, d))),
);

const monthSpelled = fc.oneof(
  named.map(({ m, name }) => said(name, latestMonth(m))),
  fc
    .tuple(year, named, pick('{n} {y}', '{n}, {y}', '{s}-{y}', '{y}-{m}', '{y}/{m}', '{n} of {y}'))
    .map(([y, { m, name, short }, as]) =>
      said(fill(as, { n: name, s: short, y, m: two(m) }), theMonth(y, m)),
    ),
);
const quarterSpelled = fc.oneof(
  whole(1, 4).map((q) => said(`q${q}`, latestQuarter(q))),
  fc
    .tuple(year, whole(1, 4), pick('q{q} {y}', '{y}-q{q}', 'q{q} of {y}', '{o} quarter of {y}', '{y}q{q}'))
    .map(([y, q, as]) => said(fill(as, { q, o: ORDINALS[q - 1]!, y }), theQuarter(y, q))),
);
const halfSpelled = fc.oneof(
  whole(1, 2).map((h) => said(`h${h}`, latestHalf(h))),
  fc
    .tuple(year, whole(1, 2), pick('h{h} {y}', '{y}-h{h}', '{o} half of {y}', 'the {o} half of {y}'))
    .map(([y, h, as]) => said(fill(as, { h, o: ORDINALS[h - 1]!, y }), theHalf(y, h))),
);
const weekSpelled = fc.oneof(
  pair(whole(1, 53), pick('w{w}', 'week {w}'), (w, as) => said(fill(as, { w }), latestWeek(w))),
  fc
    .tuple(year, whole(1, 53), pick('{y}-w{w}', 'w{w} {y}', 'week {w} of {y}', '{y}w{w}'))
    .map(([y, w, as]) => said(fill(as, { w: two(w), y }), theWeek(y, w))),
  fc
    .tuple(
      year,
      whole(1, 53),
      whole(1, 53),
      pick('weeks {a} to {b} {y}', 'week {a}-{b} of {y}', 'w{a}-{b} {y}'),
    )
    .map(([y, a, b, as]) => said(fill(as, { a, b, y }), between(theWeek(y, a), theWeek(y, b)))),
  pair(dayWithoutYear, pick('the week of', 'week of'), ({ m, d, text }, as) =>
    said(`${as} ${text}`, theWeekOf(latestDay(m, d))),
  ),
  pair(dayWithYear, pick('week starting', 'the week starting'), ({ y, m, d, text }, as) => {
    const at = date(y, m, d);
    return said(`${as} ${text}`, at && weekdayOf(at) === 0 ? theWeekOf(theDay(y, m, d)) : REFUSED);
  }),
);

const UNITS: readonly Unit[] = ['day', 'week', 'month', 'quarter', 'year'];
const MOST: Readonly<Record<Unit, number>> = { day: 400, week: 60, month: 40, quarter: 12, year: 5 };
const LETTERS: Readonly<Record<Unit, string>> = { day: 'd', week: 'w', month: 'mo', quarter: 'q', year: 'y' };
const counts = pick(...UNITS).chain((of) =>
  fc
    .tuple(
      counted(MOST[of]),
      pick('last {n} {u}', 'past {n} {u}', 'previous {n} {u}', '{n} {u}', '{l}', '{k}'),
    )
    .map(([{ n, word }, as]) => {
      const text = fill(as, {
        n: word,
        u: n === 1 ? of : `${of}s`,
        l: `${n}${LETTERS[of]}`,
        k: `last-${n}-${of}s`,
      });
      return said(text, lastUnits(n, of));
    }),
);
const LARGE_UNITS: readonly Unit[] = ['week', 'month', 'quarter', 'year'];
const units = pick(...LARGE_UNITS).chain((of) =>
  fc.oneof(
    pick('last', 'past', 'previous', 'prev', 'the last').map((word) =>
      said(`${word} ${of}`, lastUnits(1, of)),
    ),
    pick('this {u}', 'current {u}', '{u} to date', 'this {u} so far', 'so far this {u}', `${of[0]}td`).map(
      (as) => said(fill(as, { u: of }), thisUnit(of)),
    ),
  ),
);

const daysInOrder = pair(day31, day31, (a, b) => [Math.min(a, b), Math.max(a, b)] as const);
const ranges = fc.oneof(
  fc
    .tuple(
      daysInOrder,
      named,
      pick(
        '{n} {a}-{b}',
        ...['{a}-{b} {n}', '{a} to {b} {n}', 'between {a} and {b} {n}', 'from {n} {a} through {n} {b}'],
        ...['{a}.{m}.-{b}.{m}.', '{a}–{b} {n}', 'from the {x} to the {y} of {n}', '{n} {x} until {n} {y}'],
        ...['{a} {n} till {b} {n}'],
      ),
    )
    .map(([[a, b], { m, name }, as]) =>
      said(fill(as, { n: name, a, b, m, x: nth(a), y: nth(b) }), betweenDays([m, a], [m, b])),
    ),
  fc
    .tuple(year, daysInOrder, named, pick('{a}-{b} {n} {y}', '{n} {a}-{b}, {y}', '{a} to {b} {n} {y}'))
    .map(([y, [a, b], { m, name }, as]) =>
      said(fill(as, { n: name, a, b, y }), between(theDay(y, m, a), theDay(y, m, b))),
    ),
  fc
    .tuple(
      dayWithoutYear,
      dayWithoutYear,
      pick('{a} - {b}', '{a} to {b}', 'from {a} through {b}', 'between {a} and {b}', '{a} – {b}'),
    )
    .map(([from, to, as]) =>
      said(fill(as, { a: from.text, b: to.text }), betweenDays([from.m, from.d], [to.m, to.d])),
    ),
  fc
    .tuple(
      dayWithYear,
      whole(0, 400),
      pick(...DATE_SPELLINGS),
      pick('{a} to {b}', '{a} - {b}', 'from {a} until {b}'),
    )
    .map(([from, length, spelling, as]) => {
      const last = new Date(Date.UTC(from.y, from.m - 1, from.d + length));
      const [y, m, d] = [last.getUTCFullYear(), last.getUTCMonth() + 1, last.getUTCDate()];
      const name = MONTHS[m - 1]!;
      return said(
        fill(as, { a: from.text, b: spellDate(spelling, d, name, m, y) }),
        between(theDay(from.y, from.m, from.d), theDay(y, m, d)),
      );
    }),
  fc
    .tuple(named, named, pick('{a} to {b}', '{a} - {b}', 'from {a} through {b}', 'between {a} and {b}'))
    .map(([from, to, as]) => said(fill(as, { a: from.name, b: to.name }), betweenMonths(from.m, to.m))),
  fc
    .tuple(anyDay, pick('since {a}', 'from {a}', 'from {a} to now', '{a} until today'))
    .map(([from, as]) => said(fill(as, { a: from.text }), since(from.days))),
  fc
    .tuple(fc.oneof(monthSpelled, quarterSpelled), pick('since {a}', 'from {a}', 'from {a} to now'))
    .map(([from, as]) => said(fill(as, { a: from.text }), since(from.days))),
);

const monthsAgain = fc.oneof(
  named.map(({ m, name }) => said(`last ${name}`, lastWholeMonth(m))),
  named.map(({ m, name }) =>
    said(
      `${name} last year`,
      ofYear(1, (y) => theMonth(y, m)),
    ),
  ),
  pair(named, pick('this {n}', '{n} this year'), ({ m, name }, as) =>
    said(
      fill(as, { n: name }),
      ofYear(0, (y) => theMonth(y, m)),
    ),
  ),
  pair(whole(1, 4), pick('q{q}', '{o} quarter'), (q, as) => {
    const text = fill(as, { q, o: ORDINALS[q - 1]! });
    return said(
      `${text} last year`,
      ofYear(1, (y) => theQuarter(y, q)),
    );
  }),
  // In a running month, the second half may not have begun. Nothing says which half is meant then.
  fc.tuple(named, year, whole(1, 2)).map(([{ m, name }, y, h]) =>
    said(
      `${ORDINALS[h - 1]} half of ${name} ${y}`,
      halfOfMonth(h, theMonth(y, m), () => lengthOf(y, m)),
    ),
  ),
);

const monthOfYear = fc.oneof(
  named.map(({ m, name }) => ({ m, y: undefined as number | undefined, name })),
  pair(named, year, ({ m, name }, y) => ({ m, y: y as number | undefined, name: `${name} ${y}` })),
);
const parts = fc.oneof(
  pair(monthOfYear, counted(28), ({ m, y, name }, { n, word }) =>
    said(
      `first ${word} days of ${name}`,
      daysOfMonth(m, y, (days) => days.slice(0, n)),
    ),
  ),
  pair(monthOfYear, counted(28), ({ m, y, name }, { n, word }) =>
    said(
      `the last ${word} days of ${name}`,
      daysOfMonth(m, y, (days) => days.slice(-n)),
    ),
  ),
  pair(monthOfYear, pick('of', 'in'), ({ m, y, name }, of) =>
    said(
      `last day ${of} ${name}`,
      daysOfMonth(m, y, (days) => days.slice(-1)),
    ),
  ),
  fc.tuple(monthOfYear, weekday, whole(0, 4)).map(([{ m, y, name }, { w, name: on }, n]) =>
    said(
      `${ORDINALS[n] ?? 'last'} ${on} of ${name}`,
      daysOfMonth(m, y, (days) => {
        const found = days.filter((day) => weekdayOf(day) === w);
        return [found[n < 4 ? n : found.length - 1]!];
      }),
    ),
  ),
  pick<Unit>('week', 'month', 'quarter', 'year').map((of) =>
    said(`the ${of} before last`, unitBeforeLast(of)),
  ),
  pair(whole(1, 4), year, (q, y) =>
    said(`${q < 4 ? ORDINALS[q - 1] : 'last'} quarter of ${y}`, theQuarter(y, q)),
  ),
  pair(named, year, ({ m }, y) => said(`last ${m} months of ${y}`, lastMonthsOf(y, m))),
);

/** Nobody says “saturday 2026-oct-3”. */
const dayAfterWeekday = dayWithYear.filter(({ text }) => !/^\d{4}-[a-z]/.test(text));
const relative = fc.oneof(
  pick('today', 'for today', 'since today').map((text) => said(text, (today) => [today, today])),
  pick('yesterday', 'last-day', 'previous day').map((text) => said(text, daysAgo(1))),
  pick('the day before yesterday', 'day before yesterday').map((text) => said(text, daysAgo(2))),
  counted(99).map(({ n, word }) => said(`${word} ${n === 1 ? 'day' : 'days'} ago`, daysAgo(n))),
  pair(weekday, pick('', 'on ', 'last '), ({ w, name }, before) => said(`${before}${name}`, lastWeekday(w))),
  pair(weekday, pick('since ', 'since last '), ({ w, name }, before) =>
    said(`${before}${name}`, since(lastWeekday(w))),
  ),
  pair(weekday, pick('{d} last week', 'last week {d}'), ({ w, name }, as) =>
    said(fill(as, { d: name }), weekdayOfLastWeek(w)),
  ),
  pick('weekend', 'last weekend', 'the weekend').map((text) => said(text, lastWeekend)),
  pick('this weekend').map((text) => said(text, thisWeekend)),
  pair(day31, pick('the ', 'on the '), (d, before) => said(`${before}${nth(d)}`, latestOrdinal(d))),
  pair(
    whole(1, 99),
    pick('last {n} days including today', '{n} days incl today', '{n}d including today'),
    (n, as) => said(fill(as, { n }), daysIncludingToday(n)),
  ),
  year.map((y) => said(`year ${y}`, theYear(y))),
  // The weekday of the date, or another weekday.
  fc.tuple(dayAfterWeekday, weekday, fc.boolean()).map(([{ y, m, d, text }, { w, name }, agrees]) => {
    const at = date(y, m, d);
    const right = at === undefined ? w : weekdayOf(at);
    return agrees
      ? said(`${WEEKDAYS[right]} ${text}`, theDay(y, m, d))
      : said(`${name} ${text}`, right === w ? theDay(y, m, d) : REFUSED);
  }),
);

export const PRODUCTIONS: Readonly<Record<string, fc.Arbitrary<Said>>> = {
  days: pair(anyDay, pick('', 'on ', 'for '), ({ text, days }, word) => said(`${word}${text}`, days)),
  ranges,
  months: fc.oneof(monthSpelled, monthsAgain),
  'quarters and halves': fc.oneof(quarterSpelled, halfSpelled),
  weeks: weekSpelled,
  'parts of months and years': parts,
  counts,
  'running and last units': units,
  'days counted from today': relative,
};

export const isTooLong = ([first, last]: Days): boolean =>
  Date.parse(last) - Date.parse(first) > 3659 * 86_400_000;
