import { NewerRecords, StoreUnavailable, WriteRefused } from '../domain/failure/index.ts';
import { storeErrorKind } from './errors.ts';
import { reportOutage, timeOperation } from './store-events.ts';

/** Runs commands that read. @throws StoreUnavailable for every form of an outage; our own mistakes are thrown as they are */
export async function guardRead<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await timeOperation(work);
  } catch (error) {
    if (!reportOutage(error)) throw error;
    const kind = storeErrorKind(error);
    if (kind === 'newer-records') throw new NewerRecords();
    throw new StoreUnavailable({ cause: error }, false, kind === 'wrong-type' ? OVERWRITTEN : undefined);
  }
}

const OVERWRITTEN =
  'Another program changed Tally’s data of this workspace. Ask Tally’s operator to run “tally doctor”.';

/** Runs commands that write. @throws StoreUnavailable, `unsure` if the command may have been executed although its answer was lost */
export async function guardWrite<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await guardRead(work);
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || error instanceof NewerRecords) throw error;
    const { cause } = error;
    throw wasRefused(cause)
      ? new WriteRefused({ cause })
      : new StoreUnavailable({ cause }, true, error.message);
  }
}

/** Whether Redis refused all of it, or the command was never sent. A script that meets a key of another type ends halfway. */
const wasRefused = (cause: unknown): boolean =>
  cause instanceof Error &&
  storeErrorKind(cause) !== 'wrong-type' &&
  (cause.name === 'ReplyError' || NEVER_EXECUTED.test(cause.message));

/** A redirection says that a node of a Cluster did not execute the command. */
const NEVER_EXECUTED =
  /^(Stream isn|Cluster isn't|Cluster is ended|None of startup nodes|Too many Cluster redirections)/;
