import type { DeliveryContext } from '../context.ts';
import type { DeliveryLogEntry } from '../log/delivery-log-entry.ts';
import type { DeliveryTask } from './post-plan.ts';

/** One try to deliver a date: the latest log entry, and whether Slack may have taken the post before. */
export interface DeliveryAttempt {
  /** The entry's JSON as the log has it; undefined for none. */
  before: string | undefined;
  entry: DeliveryLogEntry;
  isDoubtful: boolean;
}

export function beginAttempt({ due, line }: DeliveryTask, context: DeliveryContext): DeliveryAttempt {
  const now = context.clock();
  const fresh: DeliveryLogEntry = { state: 'trying', due: due.at, at: now, began: now, tries: 0 };
  const before = line?.json;
  switch (line?.entry.state) {
    case 'sending':
      return { before, entry: entryFor(line.entry, fresh), isDoubtful: true };
    case 'trying':
      return { before, entry: entryFor(line.entry, fresh), isDoubtful: false };
    case 'held':
      return { before, entry: { ...line.entry, due: due.at, began: now, tries: 0 }, isDoubtful: false };
    default:
      return { before, entry: fresh, isDoubtful: false };
  }
}

/** If an edit has moved the date, the hour of tries begins again; whether Slack may have taken it stays. */
const entryFor = (entry: DeliveryLogEntry, { due, began, tries }: DeliveryLogEntry): DeliveryLogEntry =>
  entry.due === due ? entry : { ...entry, due, began, tries };
