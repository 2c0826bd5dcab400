import { isFailure } from '../../domain/failure/index.ts';
import type { Request } from '../../slack/request.ts';
import { permissionsOf, type Role } from '../../workspace/permissions.ts';

/** Someone who was chosen as an issuer but can't get tokens yet. */
export interface IneligibleIssuers {
  readonly person: string;
  readonly standing: Role;
}

/** The chosen people whose role doesn't allow tokens. People whose role Slack doesn't return now are left out. */
export async function findIneligible(
  people: readonly string[],
  request: Request,
): Promise<readonly IneligibleIssuers[]> {
  const settings = request.workspace.settings;
  // External people never get tokens, even where they can ask.
  const isIssued = (standing: Role): boolean =>
    standing !== 'stranger' && permissionsOf(standing, settings, false).canAsk;
  const found = await Promise.all(
    people.map(async (person) => {
      const standing = await request.slack.roleOf(person).catch((error: unknown) => {
        if (!isFailure(error)) throw error;
      });
      return standing === undefined || isIssued(standing) ? [] : [{ person, standing }];
    }),
  );
  return found.flat();
}
