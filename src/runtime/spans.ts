/** Publishes traced work on a diagnostics channel, which costs nothing without a subscriber. */
import { type Channel, channel } from 'node:diagnostics_channel';

export interface WorkSpan {
  readonly name: 'command' | 'delivery';
  /** Set by the subscriber; called when the work is over. */
  end?: () => void;
}

/** Its bound store makes the span available to everything inside the work. */
export const WORK_SPANS = channel('tally:work') as Channel<unknown, WorkSpan>;

/** @returns what the work returns; throws what it throws */
export function inSpan<T>(name: WorkSpan['name'], work: () => Promise<T>): Promise<T> {
  if (!WORK_SPANS.hasSubscribers) return work();
  const span: WorkSpan = { name };
  return WORK_SPANS.runStores(span, work).finally(() => span.end?.());
}
