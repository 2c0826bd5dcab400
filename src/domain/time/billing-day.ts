import { clipWireValue, type WireScalar } from '../money/amount.ts';
import { DAY_MS, type Day, dayAt } from './calendar.ts';

/** The day an item belongs to, or what came instead, short enough to show. */
export type BillingDay = { readonly day: Day } | { readonly unplaced: string };

const DATE = /^(?:19|[2-9]\d)\d{2}-\d{2}-\d{2}$/;
const TIMESTAMP =
  /^(?<date>\d{4}-\d{2}-\d{2})[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d+))?)?(?: ?(?<offset>Z|UTC|[+-]\d{2}(?::?\d{2})?))?$/i;
const OFFSET = /^(?<sign>[+-])(?<hours>\d\d):?(?<minutes>\d\d)?$/;
/** Also as floating point writes it: 1794614400.0, 1.7946144e9. */
const EPOCH = /^[1-9]\d*(?:\.\d+)?$|^[1-9](?:\.\d+)?e\+?\d\d?$/i;
const LONGEST = 64;

/**
 * The contract shows no type for `day`, so the rules are Tally's: an ISO date is that day, a timestamp at midnight UTC its
 * UTC date, any other instant (offset, none meaning UTC, or epoch seconds and milliseconds) its date in `zone`, an
 * IANA name. A service that cuts days at midnight UTC writes them so, whoever reads; moving those to the reader's zone
 * would put every charge on the day before, west of Greenwich. Never throws: anything else is `unplaced`.
 */
export function parseBillingDay(wire: WireScalar, zone: string): BillingDay {
  const text = 'text' in wire && wire.text.length <= LONGEST ? wire.text.trim() : '';
  const day = isoDate(text) ?? dayOfTimestamp(text, zone) ?? dayOfEpoch(text, zone);
  return day === undefined ? { unplaced: clipWireValue(wire, 'no day') } : { day };
}

function isoDate(text: string): Day | undefined {
  return DATE.test(text) && midnightOf(text) !== undefined ? text : undefined;
}

function dayOfTimestamp(text: string, zone: string): Day | undefined {
  const { date, hour, minute, second = '00', fraction = '', offset } = TIMESTAMP.exec(text)?.groups ?? {};
  if (date === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const midnight = midnightOf(date);
  const ahead = minutesAhead(offset);
  if (midnight === undefined || ahead === undefined) return undefined;

  const seconds = (Number(hour) * 60 + Number(minute) - ahead) * 60 + Number(second);
  const instant = midnight + seconds * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  const isMidnight = instant % DAY_MS === 0 && !/[1-9]/.test(fraction);
  return isMidnight ? isoDate(new Date(instant).toISOString().slice(0, 10)) : dayOf(instant, zone);
}

/** Seconds have 9 or 10 digits before the point, milliseconds 12 or 13: both exact as a JavaScript number. */
function dayOfEpoch(text: string, zone: string): Day | undefined {
  const epoch = EPOCH.test(text) ? Math.floor(Number(text)) : 0;
  if (epoch >= 1e8 && epoch < 1e10) return dayOf(epoch * 1000, zone);
  return epoch >= 1e11 && epoch < 1e13 ? dayOf(epoch, zone) : undefined;
}

/** Milliseconds of the date's midnight in UTC; undefined for a date that no calendar has, such as 30 February. */
function midnightOf(date: string): number | undefined {
  const midnight = Date.parse(`${date}T00:00:00.000Z`);
  // V8 reads 30 February as 2 March.
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date) ? midnight : undefined;
}

/** Minutes ahead of UTC. No offset at all means UTC: the whole interface speaks UTC. */
function minutesAhead(offset = 'Z'): number | undefined {
  const { sign, hours = '', minutes = '00' } = OFFSET.exec(offset)?.groups ?? {};
  if (sign === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
}

/** A `Day` is of the years 1900 to 9999; the zones may take one more day off either end. */
const EARLIEST = Date.UTC(1900, 0, 2);
const LATEST = Date.UTC(9999, 11, 30);

function dayOf(instant: number, zone: string): Day | undefined {
  return instant >= EARLIEST && instant < LATEST ? dayAt(instant, zone) : undefined;
}
