import { isFailure, NoData } from '../domain/failure/index.ts';
import type { Consumption } from './client.ts';

type Reported = Pick<Consumption, 'items' | 'remarks'>;

/** Why optional figures are missing: our sentence, and what the service said about it (outside text). */
export interface MissedAnswer {
  readonly why: string;
  readonly remarks: readonly string[];
}

/**
 * Waits for figures that an answer can do without, such as those of the window before.
 *
 * @returns the figures, without items where the service has none, or why they are missing
 * @throws what is not a Failure: a mistake of ours
 */
export async function settleOptional(consumption: Promise<Consumption>): Promise<Reported | MissedAnswer> {
  try {
    return await consumption.catch(emptyIfNoData);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { why: error.message, remarks: error.kind === 'query-rejected' ? error.messages : [] };
  }
}

/**
 * For a project that is known to exist, where NoData means that none of these days is reported yet.
 *
 * @returns no items and no remarks
 * @throws `error` itself where it is not NoData
 */
export function emptyIfNoData(error: unknown): Reported {
  if (error instanceof NoData) return { items: [], remarks: [] };
  throw error;
}
