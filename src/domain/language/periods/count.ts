/** How many units a period has. */
import type { Unit } from '../../time/calendar.ts';
import { RefusedPhrase } from './grammar.ts';
import type { PhraseMeaning } from './period-phrase.ts';

/** Ten years; a longer period is almost certainly a mistake. */
export const MAX_PERIOD_DAYS = 3660;
export const PERIOD_TOO_LONG = 'is longer than 3,660 days';

/** Digits as they were typed: they may be more than a number holds. */
export interface Count {
  readonly digits: string;
}

/** Refuses a count beyond the limit before it becomes a number, which would not be exact. */
export function countOf({ digits }: Count): number | RefusedPhrase {
  const count = digits.replace(/^0+/, '');
  if (count === '')
    return new RefusedPhrase('asks for nothing', 'Counts start at 1, such as last-1-day or last-7-days.');
  return count.length > 4 || Number(count) > MAX_PERIOD_DAYS
    ? new RefusedPhrase(PERIOD_TOO_LONG, 'Ask for ten years or less, such as last-3-years.')
    : Number(count);
}

export function lastUnits(unit: Unit, counted: Count): PhraseMeaning | RefusedPhrase {
  const count = countOf(counted);
  return count instanceof RefusedPhrase ? count : { kind: 'last', unit, count };
}
