/** Fields in which people look for a time zone or for user groups. */
import type { PlainTextOption } from '@slack/types';
import { isFailure } from '../../domain/failure/index.ts';
import { isTimeZone, type Millis, type Zone } from '../../domain/time/calendar.ts';
import { isGroup } from '../../workspace/record/parse-record.ts';
import { option, SLACK_LIMITS, section } from '../block-kit/blocks.ts';
import { type Field, refuseField, search } from '../forms/fields.ts';
import { selectedValues } from '../request/form-fields.ts';
import type { Request } from '../request/request.ts';
import type { UserGroup } from '../request/users.ts';

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

/** The user groups to choose from, or a sentence that says why there are none: the form still opens. */
type GroupChoices = readonly UserGroup[] | string;

async function fetchUserGroups({ slack }: Request): Promise<GroupChoices> {
  try {
    return await slack.userGroups();
  } catch (error) {
    if (!isFailure(error, 'slack-failed')) throw error;
    const { code } = error.data;
    return code === 'missing_scope'
      ? 'You can’t choose user groups, because Tally lacks the scope usergroups:read. Tally’s operator can add it and install the app again.'
      : `You can’t choose user groups right now: Slack returned an error (${code}).`;
  }
}

/** What an options listener suggests for what was typed. @throws slack-failed */
async function suggestGroups(query: string, { slack }: Request): Promise<readonly PlainTextOption[]> {
  const wanted = query.trim().replace(/^@/, '').toLowerCase();
  const groups = await slack.userGroups();
  return groups
    .filter(({ handle }) => handle.toLowerCase().includes(wanted))
    .slice(0, 100)
    .map(groupOption);
}

const groupOption = ({ id, handle }: UserGroup): PlainTextOption => option(`@${handle}`, id);

/** User groups, by their IDs. If Slack doesn't list them, those that are named can still be removed. */
export const userGroups = (label: string, hint: string, max: number): Field<readonly string[]> => {
  const listed = search<readonly string[]>(label, {
    hint,
    placeholder: 'Type the name of a group',
    max,
    optional: true,
    options({ value, found }) {
      const known: readonly UserGroup[] = Array.isArray(found) ? found : [];
      const named = (id: string) => known.find((group) => group.id === id) ?? { id, handle: id };
      return selectedValues(value).map((id) => groupOption(named(id)));
    },
    find: suggestGroups,
    parse(chosen) {
      const ids = selectedValues(chosen);
      return ids.length <= max && ids.every(isGroup)
        ? ids
        : refuseField(`Choose up to ${max} user groups from the list.`);
    },
  });
  return {
    ...listed,
    load: { run: ({ request }) => fetchUserGroups(request) },
    draw: (at) =>
      typeof at.found === 'string'
        ? [...(at.value === '' ? [] : listed.draw(at)), section(at.found)]
        : listed.draw(at),
    /** Adds only groups of this workspace. @throws slack-failed */
    async check({ values, request }, before, name) {
      const kept = selectedValues(before[name]);
      const added = selectedValues(values[name]).filter((id) => !kept.includes(id));
      const known = added.length === 0 ? [] : await request.slack.userGroups();
      const unknown = added.find((id) => !known.some((group) => group.id === id));
      return unknown && `${unknown} isn’t a user group of this workspace. Choose one from the list.`;
    },
  };
};
