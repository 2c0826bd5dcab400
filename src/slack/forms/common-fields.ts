/** Fields that several forms have: project ID, currency, time zone, user groups, and when a credential expires. */
import type { PlainTextOption } from '@slack/types';
import * as z from 'zod';
import { isProjectId } from '../../domain/billing-products.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { CURRENCY_RULE, isCurrencyLabel, MAX_CURRENCY_LENGTH } from '../../domain/money/amount.ts';
import { isGroup } from '../../domain/slack-id.ts';
import {
  type Day,
  endOfDay,
  formatWallTime,
  isTimeZone,
  type Millis,
  type Zone,
} from '../../domain/time/calendar.ts';
import type { Expiry } from '../../workspace/credentials/credential-records.ts';
import { option, SLACK_LIMITS, section } from '../block-kit/blocks.ts';
import { selectedValues } from '../request/payload.ts';
import type { Request } from '../request/request.ts';
import type { UserGroup } from '../request/users.ts';
import { checks, date, type Field, type FieldRefusal, refuseField, search, text } from './fields.ts';

export const projectIdField = (label: string, hint: string): Field<string> =>
  text(label, {
    hint,
    placeholder: '123',
    max: 64,
    parse: (id) =>
      isProjectId(id)
        ? id
        : refuseField('A project ID has 1 to 32 digits, such as 123, and doesn’t start with a zero.'),
  });

export const currencyField = (hint: string): Field<string> =>
  text('Currency label', {
    hint,
    placeholder: 'EUR',
    max: MAX_CURRENCY_LENGTH,
    optional: true,
    parse: (label) => (isCurrencyLabel(label) ? label : refuseField(CURRENCY_RULE)),
  });

/** Node versions with older time zone data accept these current names, but don't list them. */
const RENAMED: readonly Zone[] = [
  ...['America/Nuuk', 'Asia/Ho_Chi_Minh', 'Asia/Kathmandu', 'Asia/Kolkata', 'Asia/Yangon'],
  ...['Atlantic/Faroe', 'Europe/Kyiv', 'Pacific/Chuuk', 'Pacific/Kanton', 'Pacific/Pohnpei'],
];

const squeeze = (text: string): string => text.toLowerCase().replace(/[^a-z0-9+]/g, '');

/** Searches all parts of a zone's name. Cities that begin with the query come first. */
export function searchZones(query: string): readonly Zone[] {
  const wanted = squeeze(query);
  const known = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...RENAMED]);
  const found = [...known].filter((zone) => squeeze(zone).includes(wanted));
  const isOfPlace = (zone: Zone) => squeeze(zone.split('/').at(-1) ?? '').startsWith(wanted);
  return found.toSorted((a, b) => Number(isOfPlace(b)) - Number(isOfPlace(a))).slice(0, SLACK_LIMITS.options);
}

const zoneOption = (zone: Zone, at: Millis): PlainTextOption =>
  option(zone, zone, `Now ${formatWallTime(at, zone)}`);

export const zone = (label: string, hint: string): Field<Zone> =>
  search(label, {
    hint,
    placeholder: 'Berlin, Kolkata, New York, UTC…',
    max: 1,
    options: ({ value, request }) => (isTimeZone(value) ? [zoneOption(value, request.at)] : []),
    find: (query, { at }) => searchZones(query).map((found) => zoneOption(found, at)),
    parse: (chosen) => (isTimeZone(chosen) ? chosen : refuseField('Choose a time zone from the list.')),
  });

/** Returns a sentence if Slack can't list the groups, so that the form still opens. */
async function fetchUserGroups({ slack }: Request): Promise<readonly UserGroup[] | string> {
  try {
    return await slack.userGroups();
  } catch (error) {
    if (!isFailure(error, 'slack-failed')) throw error;
    const why =
      error.data.code === 'missing_scope'
        ? 'Tally lacks the scope usergroups:read'
        : `Slack returned an error (${error.data.code})`;
    return `You can’t choose user groups: ${why}.`;
  }
}

const groupOption = ({ id, handle }: UserGroup): PlainTextOption => option(`@${handle}`, id);

/** If Slack can't list the groups, people can still remove the selected ones. */
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
    async find(query, { slack }) {
      const wanted = query.trim().replace(/^@/, '').toLowerCase();
      const groups = await slack.userGroups();
      const found = groups.filter(({ handle }) => handle.toLowerCase().includes(wanted));
      return found.slice(0, SLACK_LIMITS.options).map(groupOption);
    },
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
    async check({ values, request }, before, name) {
      const added = selectedValues(values[name]).filter((id) => !selectedValues(before[name]).includes(id));
      const known = added.length === 0 ? [] : await request.slack.userGroups();
      const unknown = added.find((id) => !known.some((group) => group.id === id));
      return unknown && `${unknown} isn’t a user group of this workspace. Choose one from the list.`;
    },
  };
};

export type ExpiryChoice = Day | 'never';

export const REMINDER_HINT = 'Tally reminds you 14, 3 and 1 days before it expires.';

const day = z.iso.date().startsWith('2');

export const expiryFields = <T>(hint: string, empty: T | FieldRefusal) => ({
  expires: date<ExpiryChoice | T>('Expires on', `${hint} ${REMINDER_HINT}`, (expires, { never = '' }) => {
    if (expires === '') return never === '' ? empty : 'never';
    if (never !== '') return refuseField('Choose a day, or “It never expires”, not both.');
    return day.safeParse(expires).success ? expires : refuseField('Choose a day.');
  }),
  never: checks('No expiry', { options: [option('It never expires', 'never')] }),
});

/** A credential expires at midnight at the end of the chosen day in `zone`. */
export const expiryOf = (choice: ExpiryChoice, zone: Zone): Expiry =>
  choice === 'never' ? { lifetime: 'none' } : { expiresAt: endOfDay(choice, zone) };
