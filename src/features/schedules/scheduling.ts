import type { DeliveryLogSnapshot } from '../../delivery/delivery-log.ts';
import type { Schedule } from '../../workspace/schedules.ts';

/** What the forms and lists of schedules ask of whatever delivers them. */
export interface Scheduling {
  /** The workspace's schedules changed: when it is woken is derived from them anew. */
  changed(workspace: string): Promise<void>;
  /** What became of the due dates so far. @throws StoreUnavailable */
  book(workspace: string): Promise<DeliveryLogSnapshot>;
  /**
   * Posts what the schedule would, as of now and beside the calendar: no due date is spent on it. The post says that
   * it is a test, or who wanted it now. `schedule` need not be saved.
   * @throws Failure: CannotPost where the channel does not take it, and whatever the report throws
   */
  send(workspace: string, schedule: Schedule, why: 'test' | 'now', by: string): Promise<void>;
}
