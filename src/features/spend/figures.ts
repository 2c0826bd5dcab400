/** Fetches what projects spent, the days to compare with, and the forecast. */
import { type BillingClient, missedAnswer, type TimeRange } from '../../billing/client.ts';
import { collectWarnings } from '../../domain/billing-warnings.ts';
import type { ParsedCommand } from '../../domain/language/parsed-command.ts';
import type { DayCharges } from '../../domain/money/charges.ts';
import { compareUsage, type UsageChange } from '../../domain/money/comparison.ts';
import { type Forecast, forecastFrom, forecastMonth } from '../../domain/money/forecast.ts';
import { computeUsage, type Usage, usageOn } from '../../domain/money/usage.ts';
import {
  addDays,
  type Day,
  daysBetween,
  daysInRange,
  endOfDay,
  formatRequestedDays,
  startOfDay,
  startOfUnit,
  type Zone,
} from '../../domain/time/calendar.ts';
import { MAX_PERIOD_DAYS, type Period } from '../../domain/time/period.ts';
import type { AnswerView } from '../../slack/reply/project-answers.ts';
import type { ConnectedAnswer } from '../../slack/reply/send-answer.ts';
import { openConnection, type ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';

export interface SpendFigures extends ConnectedAnswer {
  readonly usage: Usage;
  /** A sentence if the earlier days couldn't be fetched; undefined if nothing is compared. */
  readonly change: UsageChange | string | undefined;
  readonly before: Usage | undefined;
  /** Undefined if the period isn't the current month, or if too few days are reported. */
  readonly forecast: Forecast | undefined;
}

export interface SpendView extends AnswerView<SpendFigures> {
  readonly period: Period;
  readonly shape: {
    readonly [Name in 'top' | 'isLowest' | 'isOfDays' | 'unit']?: ParsedCommand[Name] | undefined;
  };
  /** After `top 3`: the projects shown, the number of projects with figures, and the number of all projects. */
  readonly top?:
    | { readonly shown: readonly SpendFigures[]; readonly among: number; readonly of: number }
    | undefined;
}

/** Fetches the period, and the days that it is compared with. @throws Failure */
export async function fetchSpend(
  billing: BillingClient,
  workspace: Workspace,
  target: ResolvedProject,
  period: Period,
): Promise<SpendFigures> {
  const access = openConnection(workspace, target);
  const { from, to, dates, zone, comparison, requested: days } = period;
  const earlier = earlierDays(period);
  const [now, past] = await Promise.all([
    billing.consumption(access, target, { from, to, zone, days }),
    earlier && billing.consumption(access, target, { ...earlier, zone }).catch(missedAnswer),
  ]);
  const usage = computeUsage(now.charges, period);
  const charges = past && 'charges' in past ? past.charges : undefined;
  const before = comparison && charges && usageOn({ days: comparison.days }, charges);
  const today = forecastOn(period);
  return {
    target,
    connection: access.connection,
    usage,
    before,
    change:
      comparison && before
        ? compareUsage(usage, before, { current: comparison.currentDays, before: comparison.days })
        : comparison && past && 'why' in past
          ? past.why
          : undefined,
    forecast: today && charges ? forecastFor(today, zone, charges, usage) : undefined,
    remarks: collectWarnings(
      [`the figures for ${dates}`, now],
      ...(past && earlier ? [[`the figures for ${formatRequestedDays(earlier.days)}`, past] as const] : []),
    ),
  };
}

/** @returns today, if the period is the current month, whose cost can be forecast */
const forecastOn = ({ days, today, phrase }: Period): Day | undefined =>
  today !== undefined && phrase !== 'today' && days[0] === startOfUnit('month', today) ? today : undefined;

function forecastFor(today: Day, zone: Zone, charges: readonly DayCharges[], soFar: Usage) {
  const days = daysInRange(forecastFrom(today), addDays(today, -1), zone);
  return forecastMonth(usageOn({ days }, charges).amounts, today, zone, soFar);
}

/** One query covers both the days to compare with and the last months for the forecast. */
function earlierDays(period: Period): Omit<TimeRange, 'zone'> | undefined {
  const { zone, comparison } = period;
  const today = forecastOn(period);
  const compared = comparison && { from: comparison.from, to: comparison.to, days: comparison.requested };
  if (today === undefined) return compared;
  const last = addDays(today, -1);
  const [first = last] = [forecastFrom(today), ...(compared ? [compared.days.first] : [])].sort();
  // Billing would have to send too many days for the forecast.
  if (compared !== undefined && daysBetween(first, last) >= MAX_PERIOD_DAYS) return compared;
  return {
    from: startOfDay(first, zone),
    to: endOfDay(last, zone),
    // If the query fails, the answer mentions only the days to compare with.
    days: comparison?.requested ?? { first, last, today },
  };
}
