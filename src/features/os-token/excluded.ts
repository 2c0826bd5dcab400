import { isFailure } from '../../domain/failure.ts';
import type { Visit } from '../../slack/visit.ts';
import { readable } from '../../workspace/record.ts';
import { rightsOf, type Standing } from '../../workspace/rights.ts';
import { DEFAULT_SETTINGS } from '../../workspace/settings.ts';

/** Somebody who is named, and is issued no token as things are. */
export interface Excluded {
  readonly person: string;
  readonly standing: Standing;
}

/** Those of them whom naming alone does not help. Of whom Slack does not tell now, nothing is said. */
export async function excludedOf(people: readonly string[], visit: Visit): Promise<readonly Excluded[]> {
  const settings = readable(() => visit.record.settings) ?? DEFAULT_SETTINGS;
  // Strangers are issued none, whether they may ask or not.
  const isIssued = (standing: Standing): boolean =>
    standing !== 'stranger' && rightsOf(standing, settings, false).ask;
  const found = await Promise.all(
    people.map(async (person) => {
      const standing = await visit.standingOf(person).catch((error: unknown) => {
        if (!isFailure(error)) throw error;
      });
      return standing === undefined || isIssued(standing) ? [] : [{ person, standing }];
    }),
  );
  return found.flat();
}
