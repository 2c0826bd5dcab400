/**
 * What a schedule can post: the reports' names, and the figures of each. They are of the complete days it covers, the days
 * they are compared with, and the month around them; never of today, which is not over when the post goes out.
 */
import { LRUCache } from 'lru-cache';
import { unitDays } from './language/named-days.ts';
import type { DayCharges } from './money/charges.ts';
import { type Forecast, forecastFrom, forecastMonth } from './money/forecast.ts';
import { type Account, computeRunway, type Runway } from './money/runway.ts';
import { computeUsage, type Usage } from './money/usage.ts';
import { compareUsage, type UsageChange } from './money/usage-change.ts';
import {
  addDays,
  type Day,
  dayAt,
  daysBefore,
  daysInRange,
  endOfDay,
  formatDays,
  type Millis,
  type RequestedDays,
  startOfDay,
  type Zone,
} from './time/calendar.ts';
import { sameDaysLastWeek } from './time/comparison-window.ts';
import { type NamedDays, periodOf } from './time/period.ts';

/** What a report is called, and how people ask for it. */
interface ReportWords {
  readonly title: string;
  /** The periods that mean it, first the period to suggest; none for a report that is asked for by its name. */
  readonly phrases: readonly string[];
  /** Whether it is about days, of which some may have no spend or change later; otherwise about an instant. */
  readonly coversDays: boolean;
}

/**
 * The reports by the name that a schedule stores. One more is an entry here; the compiler then asks `reportPeriodsOf` for
 * its days.
 */
export const REPORTS = {
  yesterday: { title: 'Yesterday’s spend', phrases: ['yesterday', 'last-day'], coversDays: true },
  'last-week': { title: 'Last week’s spend', phrases: ['last-week'], coversDays: true },
  'month-to-date': { title: 'This month’s spend so far', phrases: ['this-month'], coversDays: true },
  balance: { title: 'Balance', phrases: [], coversDays: false },
} as const satisfies Record<string, ReportWords>;

export type ReportName = keyof typeof REPORTS;

export const REPORT_NAMES = Object.keys(REPORTS) as readonly ReportName[];

/** `yesterday, last-week, month-to-date or balance` */
export const REPORT_CHOICES = `${REPORT_NAMES.slice(0, -1).join(', ')} or ${REPORT_NAMES.at(-1)}`;

/** @param phrase a period's canonical text */
export const findReport = (phrase: string): ReportName | undefined =>
  REPORT_NAMES.find((name) => (REPORTS[name].phrases as readonly string[]).includes(phrase));

/** Asked for by their names. */
export const NAMED_REPORTS = REPORT_NAMES.filter((name) => REPORTS[name].phrases.length === 0);

/** Days and their label: `13–19 Nov`. */
export interface DayWindow {
  readonly days: readonly Day[];
  readonly label: string;
}

export interface ComparedWindows {
  readonly window: DayWindow;
  readonly before: DayWindow;
}

/** The periods of a report: complete days only. */
export interface ReportPeriods {
  readonly main: ComparedWindows;
  /** Yesterday's month up to yesterday, compared with as many first days of the month before. */
  readonly month: ComparedWindows;
  /** The last 7 complete days, for the runway. */
  readonly week: readonly Day[];
  readonly charted: readonly Day[];
  /** The days that the forecast of the running month is based on; empty if the month of the post is over. */
  readonly history: readonly Day[];
  readonly today: Day;
  readonly zone: Zone;
  /** First and last millisecond of all these days, which one request gets. */
  readonly from: Millis;
  readonly to: Millis;
  /** The days that the post is about. */
  readonly requested: RequestedDays;
}

const MIN_CHARTED_DAYS = 14;

/** Thousands of posts are due at one instant and share a few periods, so these are kept. */
const recentPeriods = new LRUCache<string, ReportPeriods>({ max: 200 });

/**
 * @param at the instant that the figures are as of
 * @param count how many days `yesterday` covers: several after a weekend without posts
 */
export function reportPeriodsOf(name: ReportName, at: Millis, zone: Zone, count = 1): ReportPeriods {
  const key = [name, at, zone, count].join(' ');
  const periods = recentPeriods.get(key) ?? findPeriods(name, at, zone, count);
  recentPeriods.set(key, periods);
  return periods;
}

/** The days that a post of the report is about, in order; none for a report about an instant. As `reportPeriodsOf`. */
export const daysOfReport = (name: ReportName, at: Millis, zone: Zone, count: number): readonly Day[] =>
  REPORTS[name].coversDays ? reportPeriodsOf(name, at, zone, count).main.window.days : [];

function findPeriods(name: ReportName, at: Millis, zone: Zone, count: number): ReportPeriods {
  const today = dayAt(at, zone);
  const [yesterday = addDays(today, -1)] = daysBefore(today, 1, zone);
  // On the first day of a month no day of it is over, so the post is about the month before.
  const isRunning = today.slice(0, 7) === yesterday.slice(0, 7);
  const phrase = unitDays('month', isRunning ? 0 : 1, today, zone);
  const month = compareWindows(phrase, at, zone, yesterday);
  const ofLastDays = () => lastDays(count, today, zone);
  const windowsOf: Readonly<Record<ReportName, () => ComparedWindows>> = {
    yesterday: ofLastDays,
    'last-week': () => compareWindows(unitDays('week', 1, today, zone), at, zone),
    'month-to-date': () => compareWindows(phrase, at, zone),
    // The balance's report shows the spend of the last days.
    balance: ofLastDays,
  };
  const main = windowsOf[name]();
  const isShort = windowsOf[name] === ofLastDays || main.window.days.length === 1;
  const charted = isShort ? daysBefore(today, MIN_CHARTED_DAYS, zone) : main.window.days;
  const week = daysBefore(today, 7, zone);
  const history = isRunning ? daysInRange(forecastFrom(today), yesterday, zone) : [];
  const compared = [main, month].flatMap(({ window, before }) => [window.days, before.days]);
  const [first = yesterday] = [...compared, charted, week, history].flatMap(([day]) => day ?? []).sort();
  return {
    main,
    month,
    week,
    charted,
    history,
    today,
    zone,
    from: startOfDay(first, zone),
    to: endOfDay(yesterday, zone),
    requested: { first: main.window.days[0] ?? yesterday, last: main.window.days.at(-1) ?? yesterday, today },
  };
}

/** The last `count` days, compared with the same days a week before. */
function lastDays(count: number, today: Day, zone: Zone): ComparedWindows {
  const days = daysBefore(today, count, zone);
  return { window: windowOf(days), before: windowOf(sameDaysLastWeek(days, zone), days.at(-1)) };
}

function compareWindows(phrase: NamedDays, at: Millis, zone: Zone, labelYearOf?: Day): ComparedWindows {
  const { days, today, comparison } = periodOf(phrase, at, zone);
  const complete = days.filter((day) => day !== today);
  return {
    window: windowOf(complete, labelYearOf),
    before: windowOf(comparison?.days ?? [], complete.at(-1)),
  };
}

/** @param labelYearOf a day whose year the label leaves out */
function windowOf(days: readonly Day[], labelYearOf?: Day): DayWindow {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return { days, label: '' };
  return { days, label: formatDays(first, last, labelYearOf?.slice(0, 4)) };
}

/** The days, without the year if it is the current year. */
export function formatReportDays({ days, label }: DayWindow, today: Day): string {
  const [first, last] = [days[0], days.at(-1)];
  return first === undefined || last === undefined ? label : formatDays(first, last, today.slice(0, 4));
}

/** The figures of one project. */
export interface ReportFigures {
  readonly main: Usage;
  /** Undefined when there is nothing to compare with. */
  readonly change: UsageChange | undefined;
  readonly month: Usage;
  readonly monthChange: UsageChange | undefined;
  readonly charted: Usage;
  /** Of the month that runs; undefined when it is over or too few days are reported. */
  readonly forecast: Forecast | undefined;
  /** Undefined when the balance is missing. */
  readonly runway: Runway | undefined;
  /**
   * How many items no figure here contains: they have no day, or one that is more than a day away from the requested
   * ones. A service that cuts its days in another zone always sends items of the days just before and after.
   */
  readonly strays: number;
}

/** @param account the project's balance and bonuses; undefined when they are missing */
export function computeReportFigures(
  charges: readonly DayCharges[],
  periods: ReportPeriods,
  account: Account | undefined,
): ReportFigures {
  const { main, month, week, charted, history, today, zone } = periods;
  const usageOf = (days: readonly Day[]): Usage => {
    const covered = new Set(days);
    return computeUsage(
      charges.filter(({ day }) => day !== undefined && covered.has(day)),
      { days },
    );
  };
  const changeOf = (usage: Usage, { window: { days }, before }: ComparedWindows) =>
    before.days.length === 0
      ? undefined
      : compareUsage(usage, usageOf(before.days), { current: days, before: before.days });
  const [mainUsage, monthUsage] = [usageOf(main.window.days), usageOf(month.window.days)];
  const [first, last] = [addDays(dayAt(periods.from, zone), -1), addDays(dayAt(periods.to, zone), 1)];
  return {
    main: mainUsage,
    change: changeOf(mainUsage, main),
    month: monthUsage,
    monthChange: changeOf(monthUsage, month),
    charted: charted === main.window.days ? mainUsage : usageOf(charted),
    forecast: history.length === 0 ? undefined : forecastMonth(usageOf(history), today, zone),
    runway: account && computeRunway(account, usageOf(week), today),
    strays: charges
      .filter(({ day }) => day === undefined || day < first || day > last)
      .reduce((count, { merged }) => count + merged, 0),
  };
}
