import type { PlainTextOption } from '@slack/types';
import { type FailureOf, InvalidWord, isFailure } from '../../domain/failure/index.ts';
import { isGroup } from '../../workspace/record/parse-record.ts';
import { type Field, refuseField, search } from '../forms/fields.ts';
import { option, section } from '../kit/blocks.ts';
import { selectedValues } from '../request/form-fields.ts';
import type { Request } from '../request/request.ts';
import type { UserGroup } from '../request/users.ts';

/** The user groups to choose from, or a sentence that says why there are none. */
interface GroupChoices {
  readonly known: readonly UserGroup[];
  readonly problem: string | undefined;
}

/** If Slack doesn't list the groups, the form still opens, with a sentence about it. */
async function fetchUserGroups(request: Request): Promise<GroupChoices> {
  try {
    return { known: await request.slack.userGroups(), problem: undefined };
  } catch (error) {
    if (!isFailure(error, 'slack-failed')) throw error;
    return { known: [], problem: problemOf(error) };
  }
}

const problemOf = ({ data: { code } }: FailureOf<'slack-failed'>): string =>
  code === 'missing_scope'
    ? 'You can’t choose user groups, because Tally lacks the scope usergroups:read. Tally’s operator can add it and install the app again.'
    : `You can’t choose user groups right now: Slack returned an error (${code}).`;

/** Adds only groups of this workspace. @throws InvalidWord, slack-failed */
async function requireKnownGroups(added: readonly string[], request: Request): Promise<void> {
  if (added.length === 0) return;
  const known = await request.slack.userGroups();
  const unknown = added.find((id) => !known.some((group) => group.id === id));
  if (unknown !== undefined)
    throw new InvalidWord(unknown, 'isn’t a user group of this workspace', 'Choose one from the list.');
}

/** What an options listener suggests for what was typed. @throws slack-failed */
async function suggestGroups(query: string, request: Request): Promise<readonly PlainTextOption[]> {
  const wanted = query.trim().replace(/^@/, '').toLowerCase();
  const groups = await request.slack.userGroups();
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
    options: ({ value, found }) => {
      const { known } = found as GroupChoices;
      const named = selectedValues(value).map(
        (id) => known.find((group) => group.id === id) ?? { id, handle: id },
      );
      return named.map(groupOption);
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
    draw(at) {
      const { problem } = at.found as GroupChoices;
      const isDrawn = problem === undefined || at.value !== '';
      return [...(isDrawn ? listed.draw(at) : []), ...(problem === undefined ? [] : [section(problem)])];
    },
    async check({ values, request }, before, name) {
      const known = selectedValues(before[name]);
      await requireKnownGroups(
        selectedValues(values[name]).filter((id) => !known.includes(id)),
        request,
      );
      return undefined;
    },
  };
};
