/** What planning reads of a workspace, without Redis. */
import { type DeliveryLogSnapshot, deliveryKey } from '../../src/delivery/log/delivery-log.ts';
import type { DatedLogEntry } from '../../src/delivery/log/delivery-log-entry.ts';

export function snapshotOf(
  lines: readonly DatedLogEntry[],
  given: Partial<DeliveryLogSnapshot> = {},
): DeliveryLogSnapshot {
  return {
    entries: lines,
    lastPost: () => undefined,
    backOffUntil: undefined,
    state: (name) => lines.find(({ schedule, date }) => deliveryKey(schedule, date) === name)?.json,
    statesOf: () => [],
    ...given,
  };
}
