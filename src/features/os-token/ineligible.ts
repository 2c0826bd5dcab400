import { isFailure } from '../../domain/failure/index.ts';
import type { Request } from '../../slack/request/request.ts';
import { permissionsOf, type Role } from '../../workspace/permissions.ts';

/** Someone who was chosen as an issuer but can't get tokens yet. */
export interface IneligibleIssuers {
  readonly person: string;
  readonly role: Role;
}

/** The chosen people whose role doesn't allow tokens. People whose role Slack doesn't return now are left out. */
export async function findIneligible(
  people: readonly string[],
  request: Request,
): Promise<readonly IneligibleIssuers[]> {
  const settings = request.workspace.settings;
  // External people never get tokens, even if they can ask.
  const isIssued = (role: Role): boolean =>
    role !== 'external' && permissionsOf(role, settings, false).canAsk;
  const found = await Promise.all(
    people.map(async (person) => {
      const role = await request.slack.roleOf(person).catch((error: unknown) => {
        if (!isFailure(error)) throw error;
      });
      return role === undefined || isIssued(role) ? [] : [{ person, role }];
    }),
  );
  return found.flat();
}
