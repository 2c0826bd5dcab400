import type { PlainTextOption } from '@slack/types';
import { isTimeZone, type Millis, type Zone } from '../../domain/time/calendar.ts';
import { type Field, refuseField, search } from '../forms/fields.ts';
import { option, SLACK_LIMITS } from '../kit/blocks.ts';
import type { Request } from '../request/request.ts';

/** Current IANA names. Older ICU versions accept them, but list only the former names. */
const RENAMED: readonly Zone[] = [
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Kanton',
  'Pacific/Pohnpei',
];

/** Made when it is first needed, because trying all names takes a tenth of a start. */
let madeZones: readonly Zone[] | undefined;
const allZones = (): readonly Zone[] => {
  madeZones ??= [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...RENAMED.filter(isTimeZone)])];
  return madeZones;
};

const squeeze = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9+]/g, '');

/**
 * Finds zones by what was typed, best match first: the exact name, cities that begin with it, then names that contain it. A
 * former IANA name, such as Turkey, and a fixed offset, such as Etc/GMT+5, are found by their full name only.
 */
export function searchZones(query: string): readonly Zone[] {
  const wanted = squeeze(query);
  const isOfPlace = (zone: Zone) => squeeze(zone.split('/').at(-1) ?? '').startsWith(wanted);
  const found = allZones().filter((zone) => squeeze(zone).includes(wanted));
  const sorted = found.toSorted((a, b) => Number(isOfPlace(b)) - Number(isOfPlace(a)));
  return [...new Set([...findZone(query.trim()), ...sorted])].slice(0, SLACK_LIMITS.options);
}

function findZone(query: string): readonly Zone[] {
  const wanted = query.toLowerCase();
  const found = allZones().find((zone) => zone.toLowerCase() === wanted);
  if (found !== undefined) return [found];
  if (!isTimeZone(query)) return [];
  const { timeZone } = createFormatter(query).resolvedOptions();
  return [timeZone.toLowerCase() === wanted ? timeZone : query];
}

/** `Saturday 21 November 2026, 15:45 (UTC+05:30)` */
function formatLocalTime(zone: Zone, at: Millis): string {
  const parts = Object.fromEntries(
    createFormatter(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  // ICU has had both `GMT` and `GMT+00:00` for no offset.
  const offset = (parts.timeZoneName ?? '').replace('GMT', 'UTC').replace('+00:00', '');
  return `${parts.weekday} ${parts.day} ${parts.month} ${parts.year}, ${parts.hour}:${parts.minute} (${offset})`;
}

/** What an options listener suggests for what was typed. */
const suggestZones = (query: string, { at }: Pick<Request, 'at'>): readonly PlainTextOption[] =>
  searchZones(query).map((zone) => zoneOption(zone, at));

/** A time zone, by its IANA name. */
export const zone = (label: string, hint: string): Field<Zone> =>
  search(label, {
    hint,
    placeholder: 'Berlin, Kolkata, New York, UTC…',
    max: 1,
    options: ({ value, request }) => (isTimeZone(value) ? [zoneOption(value, request.at)] : []),
    find: suggestZones,
    parse: (chosen) => (isTimeZone(chosen) ? chosen : refuseField('Choose a time zone from the list.')),
  });

const zoneOption = (zone: Zone, at: Millis): PlainTextOption => option(zone, zone, formatLocalTime(zone, at));

function createFormatter(zone: Zone): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
}
