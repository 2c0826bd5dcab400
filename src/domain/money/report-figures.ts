/**
 * What a scheduled post looks at: the complete days it is about, what they are compared with, and the month around
 * them; never today, which is not over when the post goes out.
 */
import { parseBillingDay } from '../time/billing-day.ts';
import {
  addDays,
  type Day,
  dayAt,
  daysBefore,
  daysInRange,
  endOfDay,
  formatDays,
  startOfDay,
} from '../time/calendar.ts';
import { compareUsage, sameDaysLastWeek, type UsageChange } from '../time/comparison-window.ts';
import { resolvePeriodText } from '../time/period.ts';
import type { Amount } from './amount.ts';
import { type Forecast, forecastFrom, forecastMonth } from './forecast.ts';
import { computeRunway, type Runway } from './runway.ts';
import { computeUsage, type Usage, type WireCharge } from './usage.ts';

/** Days, and how they are called: `13–19 Nov`. */
export interface DayWindow {
  readonly days: readonly Day[];
  readonly label: string;
}

/** A window and the one it is compared with. */
export interface ComparedWindows {
  readonly window: DayWindow;
  readonly before: DayWindow;
}

/** What a post is about. Each is of complete days alone. */
export interface ReportPeriods {
  readonly main: ComparedWindows;
  /** The month that yesterday is in, up to yesterday, against as many first days of the month before. */
  readonly month: ComparedWindows;
  /** The last 7 days: what the runway rests on. */
  readonly week: readonly Day[];
  /** Days that a chart shows. */
  readonly charted: readonly Day[];
  /** What a forecast of the month that runs rests on; none where the month of the post is over. */
  readonly history: readonly Day[];
  readonly today: Day;
  readonly zone: string;
  /** First and last millisecond of all these days, and how they are called: one question for the whole of it. */
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

/** The window a post is about; a balance has yesterday's spending beside it. */
export type ReportScope = 'yesterday' | 'last-week' | 'month-to-date';

const CHARTED = 14;

/**
 * @param at ms since the epoch: the instant that the post is as of
 * @param count how many days `yesterday` is: after a weekend without posts it is more than one
 */
export function reportPeriodsOf(scope: ReportScope, at: number, zone: string, count = 1): ReportPeriods {
  const today = dayAt(at, zone);
  const [yesterday = addDays(today, -1)] = daysBefore(today, 1, zone);
  const phrase = monthOf(yesterday, today);
  const month = comparedOf(phrase, at, zone, yesterday);
  const main =
    scope === 'yesterday'
      ? latest(count, today, zone)
      : comparedOf(scope === 'last-week' ? scope : phrase, at, zone);
  const isShort = scope === 'yesterday' || main.window.days.length === 1;
  const charted = isShort ? daysBefore(today, CHARTED, zone) : main.window.days;
  const week = daysBefore(today, 7, zone);
  const history = phrase === 'this-month' ? daysInRange(forecastFrom(today), yesterday, zone) : [];
  const windows = [
    main.window.days,
    main.before.days,
    month.window.days,
    month.before.days,
    charted,
    week,
    history,
  ];
  const [first = yesterday] = windows.flatMap(([day]) => day ?? []).sort();
  return {
    ...{ main, month, week, charted, history, today, zone },
    from: startOfDay(first, zone),
    to: endOfDay(yesterday, zone),
    label: formatDays(first, yesterday, today.slice(0, 4)),
  };
}

/** The last `count` days against the same days a week before. */
function latest(count: number, today: Day, zone: string): ComparedWindows {
  const days = daysBefore(today, count, zone);
  return { window: windowOf(days), before: windowOf(sameDaysLastWeek(days, zone), days.at(-1)) };
}

/** On a month's first day no day of it is over, so the post is about the month that is. */
const monthOf = (yesterday: Day, today: Day): string =>
  today.slice(0, 7) === yesterday.slice(0, 7) ? 'this-month' : 'last-month';

function comparedOf(phrase: string, at: number, zone: string, near?: Day): ComparedWindows {
  const { days, today, comparison } = resolvePeriodText(phrase, at, zone);
  const complete = days.filter((day) => day !== today);
  return { window: windowOf(complete, near), before: windowOf(comparison?.days ?? [], complete.at(-1)) };
}

/** @param near a day whose year goes without saying */
function windowOf(days: readonly Day[], near?: Day): DayWindow {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return { days, label: '' };
  return { days, label: formatDays(first, last, near?.slice(0, 4)) };
}

/** The figures of one project. */
export interface ReportFigures {
  readonly main: Usage;
  /** Undefined where there are no days to compare with. */
  readonly change: UsageChange | undefined;
  readonly month: Usage;
  readonly monthChange: UsageChange | undefined;
  readonly charted: Usage;
  /** Of the month that runs; undefined where it is over or too few days are reported. */
  readonly forecast: Forecast | undefined;
  /** Undefined where the balance could not be had. */
  readonly runway: Runway | undefined;
  /**
   * Items in no figure here: they name no day, or one that is more than a day away from those asked about. Where a
   * service cuts its days in another zone, those of the day before and after come along every time.
   */
  readonly strays: number;
}

export function computeReportFigures(
  items: readonly WireCharge[],
  brief: ReportPeriods,
  has: { readonly balance: Amount; readonly bonuses: Amount } | undefined,
): ReportFigures {
  const { main, month, week, charted, history, today, zone } = brief;
  const dated = items.map((item) => ({ item, day: parseBillingDay(item.day, zone) }));
  const known = new Map<readonly Day[], Usage>();
  const usageOf = (days: readonly Day[]): Usage => {
    const usage = known.get(days) ?? usageFor(days);
    known.set(days, usage);
    return usage;
  };
  const usageFor = (days: readonly Day[]): Usage => {
    const wanted = new Set(days);
    const those = dated.filter(({ day }) => 'day' in day && wanted.has(day.day));
    return computeUsage(
      those.map(({ item }) => item),
      { days, zone },
    );
  };
  const changeOf = ({ window: { days }, before }: ComparedWindows) =>
    before.days.length === 0
      ? undefined
      : compareUsage(usageOf(days), usageOf(before.days), { current: days, before: before.days });
  const [first, last] = [addDays(dayAt(brief.from, zone), -1), addDays(dayAt(brief.to, zone), 1)];
  return {
    main: usageOf(main.window.days),
    change: changeOf(main),
    month: usageOf(month.window.days),
    monthChange: changeOf(month),
    charted: usageOf(charted),
    forecast: history.length === 0 ? undefined : forecastMonth(usageOf(history), today, zone),
    runway: has && computeRunway(has, usageOf(week), today),
    strays: dated.filter(({ day }) => !('day' in day) || day.day < first || day.day > last).length,
  };
}
