import { isFailure } from '../../domain/failure/index.ts';
import type { Request } from '../../slack/request.ts';
import { permissionsOf, type Role } from '../../workspace/permissions.ts';

/** Somebody who is named, and is issued no token as things are. */
export interface IneligibleIssuers {
  readonly person: string;
  readonly standing: Role;
}

/** Those of them whom naming alone does not help. Of whom Slack does not tell now, nothing is said. */
export async function findIneligible(
  people: readonly string[],
  request: Request,
): Promise<readonly IneligibleIssuers[]> {
  const { settings } = request.workspace;
  // Strangers are issued none, whether they may ask or not.
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
