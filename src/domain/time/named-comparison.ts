/** The comparison that somebody names: `october vs september`, `vs last year`. */
import { catchInvalidWord, Failure, InvalidWord } from '../failure/index.ts';
import type { Versus } from '../language/parse-argument.ts';
import { parsePeriodText } from '../language/parse-command.ts';
import type { PeriodPhrase } from '../language/periods/period-ast.ts';
import { clipWord } from '../language/text.ts';
import { tryParse } from '../try-parse.ts';
import { addDays, type Day, formatDays, type Millis, type Zone } from './calendar.ts';
import {
  type ComparisonWindow,
  dayOneYearBefore,
  describeWindow,
  sameDaysLastYear,
} from './comparison-window.ts';
import { type Period, resolvePeriod, resolvePeriodText } from './resolve-period.ts';

export interface ComparedPeriod extends Period {
  /** What the period is compared with, if the command named it. */
  readonly versus?: Versus;
}

export interface Instants {
  /** ms since the epoch */
  readonly now: Millis;
  /** ms: when a person wrote the words, if that was earlier */
  readonly writtenAt?: Millis | undefined;
}

const ONLY_COMPLETE = 'Only complete days are compared, never today.';
const OTHER_DAYS = 'Name other days, or leave out “vs” to compare with the days before.';

const typedText = (versus: Versus): string =>
  `vs ${versus === 'year-before' ? 'last year' : clipWord(versus.typed)}`;

const completeDays = ({ days, today }: Period): readonly Day[] => days.filter((day) => day !== today);

/**
 * The period with the named comparison in place of its own. The complete days of each are compared; the two may differ
 * in length, and either may be the earlier one.
 *
 * @throws InvalidWord if one of them has no complete day, if they share days, or as {@link resolvePeriod} does of the
 * named one; what it offers goes after `vs`
 */
export function compareWith(period: Period, versus: Versus, instants: Instants): ComparedPeriod {
  const [first, ...others] = completeDays(period);
  if (first === undefined)
    throw new InvalidWord(period.phrase, 'has no complete day to compare yet', ONLY_COMPLETE);
  const complete = [first, ...others] as const;
  const comparison =
    versus === 'year-before' ? yearBefore(period, complete) : namedWindow(period, complete, versus, instants);
  const requested = new Set(period.days);
  if (!comparison.days.some((day) => requested.has(day))) return { ...period, comparison, versus };
  const isSame = comparison.days.length === complete.length && comparison.days[0] === first;
  const why = isSame ? `is the same days, ${period.dates}` : `shares days with ${period.dates}`;
  throw new InvalidWord(typedText(versus), why, OTHER_DAYS);
}

type CompleteDays = readonly [Day, ...Day[]];

function yearBefore({ rule, zone, requested }: Period, complete: CompleteDays): ComparisonWindow {
  const window = describeWindow(sameDaysLastYear(complete, rule, zone), complete, zone, requested.today);
  if (window !== undefined) return window;
  // One day only: 29 February, or one that the zone skipped a year later.
  const [day] = complete;
  const around = [-1, 1].map((step) => dayOneYearBefore(addDays(day, step)));
  const why = `has no day for ${formatDays(day, day)}`;
  throw new InvalidWord(typedText('year-before'), why, 'Compare with a day beside it.', around);
}

function namedWindow(
  period: Period,
  complete: CompleteDays,
  versus: PeriodPhrase,
  { now, writtenAt = now }: Instants,
): ComparisonWindow {
  const { zone, requested } = period;
  const named = resolveNamed(period, versus, { now, writtenAt });
  const window = { days: completeDays(named), basis: 'the named days' };
  const described = describeWindow(window, complete, zone, requested.today);
  if (described !== undefined) return described;
  throw new InvalidWord(typedText(versus), 'has no complete day to compare yet', ONLY_COMPLETE);
}

/** A correction of a refused period is offered only if the question's period can be compared with it. */
function resolveNamed(period: Period, versus: PeriodPhrase, instants: Required<Instants>): Period {
  const named = catchInvalidWord(() => resolvePeriod(versus, instants.now, period.zone, instants.writtenAt));
  if (!(named instanceof InvalidWord)) return named;
  const offered = named.offered.filter((text) =>
    isAccepted(() => compareWith(period, parsePeriodText(text), instants)),
  );
  throw new InvalidWord(named.word, named.why, named.works, offered);
}

/** Whether a period, as its canonical text, can be compared with what is named. */
export const canCompare = (phrase: string, versus: Versus, zone: Zone, now: Millis): boolean =>
  isAccepted(() => compareWith(resolvePeriodText(phrase, now, zone), versus, { now }));

const isAccepted = (compare: () => ComparedPeriod): boolean => tryParse(compare, Failure) !== undefined;
