import { type Day, formatDays } from '../time/calendar.ts';
import type { Money } from './amount.ts';
import type { Forecast } from './forecast.ts';

/**
 * `Estimate for Nov 2026: about 861,234.00 ± 12,000.00, from 27 of the last 28 days`. Our own words and figures
 * alone.
 * @param today a day of the month
 */
export function formatForecast(
  { total, error, reported, of }: Forecast,
  today: Day,
  money: (value: Money) => string,
): string {
  const range = error === undefined ? '' : ` ± ${money(error)}`;
  const month = formatDays(`${today.slice(0, 8)}01`, `${today.slice(0, 8)}01`).slice(6);
  return `Estimate for ${month}: about ${money(total)}${range}, from ${reported} of the last ${of} days`;
}
