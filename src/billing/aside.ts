import { isFailure, NoData } from '../domain/failure/index.ts';
import type { Consumption } from './client.ts';

type Reported = Pick<Consumption, 'items' | 'remarks'>;

/** What an answer could do without did not come: why, in a sentence, and what the service said: outside text. */
export interface MissedAnswer {
  readonly why: string;
  readonly remarks: readonly string[];
}

/** Figures that are worth having beside others and not worth failing for. Rejects with what is no Failure. */
export async function settleOptional(asking: Promise<Consumption>): Promise<Reported | MissedAnswer> {
  try {
    return await asking.catch(emptyIfNoData);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { why: error.message, remarks: error.kind === 'query-rejected' ? error.messages : [] };
  }
}

/** Where the project is known to be there, no data means that none of these days is reported. @throws any other error */
export function emptyIfNoData(error: unknown): Reported {
  if (error instanceof NoData) return { items: [], remarks: [] };
  throw error;
}
