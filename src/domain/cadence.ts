/** When something is due again and again: a rule over local calendar days, a time of day, and the zone of both. */
import type { Day } from './calendar.ts';

export type Cadence =
  | { readonly kind: 'daily' }
  /** Monday to Friday. */
  | { readonly kind: 'weekdays' }
  /** 1 for Monday to 7 for Sunday. */
  | { readonly kind: 'weekly'; readonly weekday: number }
  /** 1 to 31, a shorter month's last day where it has no such day; or the last day of each month. */
  | { readonly kind: 'monthly'; readonly day: number | 'last' };

export interface Timing {
  readonly cadence: Cadence;
  /** '09:00', 24 hours, of the zone's wall clock */
  readonly time: string;
  /** IANA */
  readonly zone: string;
}

/** One time that something is due. */
export interface Due {
  /** The local date it is due on: what makes it this one and no other. */
  readonly date: Day;
  /** ms since the epoch: a time of day that the zone skips is the first instant after the gap, a doubled one its first */
  readonly at: number;
}
