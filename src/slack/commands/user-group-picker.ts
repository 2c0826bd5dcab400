import type { PlainTextOption } from '@slack/types';
import { isFailure } from '../../domain/failure/index.ts';
import { isGroup } from '../../workspace/record/parse-record.ts';
import { type Field, refuseField, search } from '../forms/fields.ts';
import { option, section } from '../kit/blocks.ts';
import { selectedValues } from '../request/form-fields.ts';
import type { Request } from '../request/request.ts';
import type { UserGroup } from '../request/users.ts';

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
