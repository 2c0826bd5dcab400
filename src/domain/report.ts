/** The reports that schedules post: their names, days and figures. Only days that are over count. */
import type { Money } from './money/amount.ts';
import { type Account, computeRunway, type Runway } from './money/balance-and-runway.ts';
import type { DayCharges } from './money/charges.ts';
import { compareUsage, type UsageChange } from './money/comparison.ts';
import { type Forecast, forecastFrom, forecastMonth } from './money/forecast.ts';
import { type Usage, usageOn } from './money/usage.ts';
import { spendOf } from './money/watch-measurement.ts';
import {
  addDays,
  type Day,
  dayAt,
  daysBefore,
  daysInRange,
  endOfDay,
  formatRequestedDays,
  type Millis,
  type RequestedDays,
  shiftUnits,
  startOfDay,
  startOfUnit,
  type Zone,
} from './time/calendar.ts';
import { sameDaysLastWeek } from './time/period.ts';

interface ReportWords {
  readonly title: string;
  /** The periods that stand for the report in a command, preferred one first; [] if people type the report's name. */
  readonly phrases: readonly string[];
  /** False if the report is about an instant. */
  readonly coversDays: boolean;
}

export const REPORTS = {
  yesterday: { title: 'Yesterday’s spend', phrases: ['yesterday', 'last-day'], coversDays: true },
  'last-week': { title: 'Last week’s spend', phrases: ['last-week'], coversDays: true },
  'month-to-date': { title: 'This month’s spend so far', phrases: ['this-month'], coversDays: true },
  balance: { title: 'Balance', phrases: [], coversDays: false },
} as const satisfies Record<string, ReportWords>;

export type ReportName = keyof typeof REPORTS;

export const REPORT_NAMES = Object.keys(REPORTS) as readonly ReportName[];

export const REPORT_CHOICES = `${REPORT_NAMES.slice(0, -1).join(', ')} or ${REPORT_NAMES.at(-1)}`;

export const findReport = (phrase: string): ReportName | undefined =>
  REPORT_NAMES.find((name) => (REPORTS[name].phrases as readonly string[]).includes(phrase));

export const NAMED_REPORTS = REPORT_NAMES.filter((name) => REPORTS[name].phrases.length === 0);

export interface DayWindow {
  readonly days: readonly Day[];
  /** `13–19 Nov`, `October`; with the year unless it is today's */
  readonly label: string;
}

export interface ComparedWindows {
  readonly window: DayWindow;
  readonly before: DayWindow;
}

export interface ReportPeriods {
  readonly main: ComparedWindows;
  /** Yesterday's month, up to yesterday. */
  readonly month: readonly Day[];
  /** The last 7 complete days, for the runway. */
  readonly week: readonly Day[];
  readonly charted: readonly Day[];
  /** The days that the forecast is based on; [] if the month is over, or if the report is sent on a later day. */
  readonly history: readonly Day[];
  readonly today: Day;
  readonly zone: Zone;
  /** The first and the last millisecond of all these days together. */
  readonly from: Millis;
  readonly to: Millis;
  readonly requested: RequestedDays;
}

/** A chart needs this many reported days. A report about fewer days charts the last two weeks. */
export const MIN_CHARTED_DAYS = 5;

/**
 * @param count how many days the report `yesterday` covers: several after a weekend without posts
 * @param sentAt later than `at` if the report is late
 */
export function reportPeriodsOf(
  name: ReportName,
  at: Millis,
  zone: Zone,
  count = 1,
  sentAt = at,
): ReportPeriods {
  const today = dayAt(at, zone);
  const [yesterday = addDays(today, -1)] = daysBefore(today, 1, zone);
  const isRunning = today.slice(0, 7) === yesterday.slice(0, 7);
  const month = daysInRange(startOfUnit('month', yesterday), yesterday, zone);
  const windowsOf: Readonly<Record<ReportName, () => ComparedWindows>> = {
    yesterday: () => lastDays(count, today, zone),
    'last-week': () => {
      const monday = startOfUnit('week', today);
      const week = daysInRange(addDays(monday, -7), addDays(monday, -1), zone);
      return comparedWindows(week, daysInRange(addDays(monday, -14), addDays(monday, -8), zone), today);
    },
    'month-to-date': () => {
      const first = startOfUnit('month', yesterday);
      const before = daysInRange(shiftUnits('month', first, -1), addDays(first, -1), zone);
      return comparedWindows(month, isRunning ? before.slice(0, month.length) : before, today);
    },
    balance: () => lastDays(count, today, zone),
  };
  const main = windowsOf[name]();
  const charted = main.window.days.length < MIN_CHARTED_DAYS ? daysBefore(today, 14, zone) : main.window.days;
  const isCurrent = isRunning && dayAt(sentAt, zone) === today;
  const history = isCurrent ? daysInRange(forecastFrom(today), yesterday, zone) : [];
  const [week, usual] = [daysBefore(today, 7, zone), sameWeekdays(yesterday)];
  const periods = [main.window.days, main.before.days, month, charted, week, history, usual];
  const [first = yesterday] = periods.flatMap(([day]) => day ?? []).sort();
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

/** @returns [] for a report about an instant */
export const daysOfReport = (name: ReportName, at: Millis, zone: Zone, count: number): readonly Day[] =>
  REPORTS[name].coversDays ? reportPeriodsOf(name, at, zone, count).main.window.days : [];

const sameWeekdays = (day: Day): readonly Day[] => [28, 21, 14, 7, 0].map((ago) => addDays(day, -ago));

function lastDays(count: number, today: Day, zone: Zone): ComparedWindows {
  const days = daysBefore(today, count, zone);
  return comparedWindows(days, sameDaysLastWeek(days, zone), today);
}

const comparedWindows = (days: readonly Day[], before: readonly Day[], today: Day): ComparedWindows => ({
  window: windowOf(days, today),
  before: windowOf(before, today),
});

function windowOf(days: readonly Day[], today: Day): DayWindow {
  const [first, last] = [days[0], days.at(-1)];
  return { days, label: first && last ? formatRequestedDays({ first, last, today }) : '' };
}

export interface ReportFigures {
  readonly main: Usage;
  readonly change: UsageChange | undefined;
  /** A single day's usual cost: the median of the last 4 same weekdays, if 3 of them are reported. */
  readonly usual: Money | undefined;
  readonly month: Usage;
  readonly charted: Usage;
  /** Undefined if the month is over or too few days are reported. */
  readonly forecast: Forecast | undefined;
  readonly runway: Runway | undefined;
  /**
   * How many items no figure includes: items without a readable day, and items more than a day outside the requested
   * range. A service with another time zone also sends the days next to the range.
   */
  readonly strays: number;
}

/** @param account undefined if the balance couldn't be fetched */
export function computeReportFigures(
  charges: readonly DayCharges[],
  periods: ReportPeriods,
  account: Account | undefined,
): ReportFigures {
  const { main, month, week, charted, history, today, zone } = periods;
  const usageOf = (days: readonly Day[]): Usage => usageOn({ days }, charges);
  const [days, before] = [main.window.days, main.before.days];
  const mainUsage = usageOf(days);
  const [day = today, ...others] = days;
  const [spend] = others.length > 0 ? [] : spendOf([day], usageOf(sameWeekdays(day)).amounts);
  const [first, last] = [addDays(dayAt(periods.from, zone), -1), addDays(dayAt(periods.to, zone), 1)];
  // Some services also send what today has cost so far. Only the forecast takes it into account.
  const soFar = usageOn({ days: [...month, today], today }, charges);
  return {
    main: mainUsage,
    change:
      before.length === 0 ? undefined : compareUsage(mainUsage, usageOf(before), { current: days, before }),
    usual: spend?.basis === 'weekday' ? spend.baseline : undefined,
    month: usageOf(month),
    charted: charted === days ? mainUsage : usageOf(charted),
    forecast: history.length === 0 ? undefined : forecastMonth(usageOf(history).amounts, today, zone, soFar),
    runway: account && computeRunway(account, usageOf(week), today),
    strays: charges
      .filter(({ day }) => day === undefined || day < first || day > last)
      .reduce((count, { merged }) => count + merged, 0),
  };
}
