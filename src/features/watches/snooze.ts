import { addDays, DAY_MS, dayAt, endOfUnit, startOfDay } from '../../domain/time/calendar.ts';

/** What an alert and the list offer, by what a button's value says. */
export const SNOOZES = {
  day: '1 day',
  week: '7 days',
  month: 'Until next month',
} as const;
export type Snooze = keyof typeof SNOOZES;

/** @param at ms since the epoch @param zone the reporting zone, in which a month begins @returns ms since the epoch */
export function snoozeUntil(snooze: Snooze, at: number, zone: string): number {
  switch (snooze) {
    case 'day':
      return at + DAY_MS;
    case 'week':
      return at + 7 * DAY_MS;
    case 'month':
      return startOfDay(addDays(endOfUnit('month', dayAt(at, zone)), 1), zone);
  }
}
