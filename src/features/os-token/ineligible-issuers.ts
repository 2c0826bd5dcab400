/** Who can't get tokens: chosen people without the right, and people who lose it with a change of the record. */
import { isDeepStrictEqual } from 'node:util';
import { ignoreFailure } from '../../domain/failure/index.ts';
import { pluralize } from '../../domain/language/text.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { escapeMarkup, mention } from '../../slack/kit/blocks.ts';
import type { StopsSource } from '../../slack/owned/change-impact.ts';
import type { Request } from '../../slack/request/request.ts';
import { permissionsOf, type Role } from '../../workspace/permissions.ts';
import type { Settings } from '../../workspace/settings.ts';
import { formatList, type IneligibleIssuer, mentionGroup } from './access-form.ts';
import { accessProjectLabel } from './parse-access-form.ts';

/** The chosen people whose role doesn't allow tokens. People whose role Slack doesn't return now are left out. */
export async function findIneligible(
  people: readonly SlackId[],
  slack: Request['slack'],
  settings: Settings,
): Promise<readonly IneligibleIssuer[]> {
  // External people never get tokens, even if they can ask.
  const isEligible = (role: Role): boolean =>
    role !== 'external' && permissionsOf(role, settings, false).canAsk;
  const found = await Promise.all(
    people.map(async (person) => {
      const role = await slack.roleOf(person).catch(ignoreFailure);
      return role === undefined || isEligible(role) ? [] : [{ person, role }];
    }),
  );
  return found.flat();
}

/** Who loses the right to tokens, by access. Slack tells who is in a user group once they ask for a token. */
export const stoppedAccesses: StopsSource = async (before, after, { slack }) => {
  const isSame = before.settings.guests === after.settings.guests;
  const found = await Promise.all(
    [...before.accesses].map(async ([project, { issuers }]) => {
      const { issuers: now = issuers } = after.accesses.get(project) ?? {};
      if (isSame && isDeepStrictEqual(now, issuers)) return [];
      const eligible = async (people: readonly SlackId[], settings: Settings) => {
        const others = (await findIneligible(people, slack, settings)).map(({ person }) => person);
        return people.filter((person) => !others.includes(person));
      };
      const left = await eligible(now.people, after.settings);
      const had = await eligible(issuers.people, before.settings);
      const lost = [
        ...had.filter((person) => !left.includes(person)).map(mention),
        ...issuers.groups.filter((group) => !now.groups.includes(group)).map(mentionGroup),
      ];
      if (lost.length === 0) return [];
      const { label } = accessProjectLabel(before, project);
      const isOver = now.groups.length === 0 && left.length === 0;
      return [{ isOver, line: `Tokens for ${escapeMarkup(label)}: not for ${formatList(lost)}` }];
    }),
  );
  const linesOf = (which: boolean) =>
    found.flat().flatMap(({ isOver, line }) => (isOver === which ? line : []));
  const lines = linesOf(true);
  const count = pluralize(lines.length, 'application access', 'application accesses');
  return { count, lines, reduced: linesOf(false) };
};
