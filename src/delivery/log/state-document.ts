import { type DeliveryContext, LeaseLostError, ScheduleChangedError } from '../context.ts';
import type { StateWrite } from './delivery-log.ts';

type WriteConditions = Pick<StateWrite, 'needsLease' | 'expected'>;

/** A state in the delivery log that several processes may read, change and write. */
export interface StateDocument<T> {
  /** As last read or written. */
  value(): T;
  /**
   * Applies `change` and writes the result. If another process wrote first, `change` is applied to the newer value.
   * Does nothing once the state is deleted.
   *
   * @throws LeaseLostError, with `needsLease` also when it was deleted; ScheduleChangedError if the record is not as expected; StoreUnavailable
   */
  update(change: (value: T) => T, conditions?: WriteConditions): Promise<void>;
}

const MAX_ATTEMPTS = 5;

/** Opens the state as this pass read it. @param parse gets the stored JSON, or undefined if nothing is stored */
export function openState<T>(
  name: string,
  parse: (json: string | undefined) => T,
  context: DeliveryContext,
): StateDocument<T> {
  let before = context.logSnapshot.state(name);
  let value = parse(before);
  return {
    value: () => value,
    async update(change, conditions = {}) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const after = change(value);
        const json = JSON.stringify(after);
        if (json === before) return;
        const outcome = await context.writeState({ name, before, json, ...conditions });
        if (outcome === 'changed') throw new ScheduleChangedError();
        if (outcome === 'written') {
          [before, value] = [json, after];
          return;
        }
        const now = (await context.deliveryLog.read(context.teamId)).state(name);
        const isDeleted = now === undefined;
        if (now === before || (isDeleted && conditions.needsLease === true)) throw new LeaseLostError();
        if (isDeleted) return;
        [before, value] = [now, parse(now)];
      }
      throw new LeaseLostError();
    },
  };
}
