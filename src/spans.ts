/** The work that a trace is about, on a diagnostics channel: without tracing nobody listens, and it costs nothing. */
import { type Channel, channel } from 'node:diagnostics_channel';

export interface WorkSpan {
  readonly name: 'command' | 'delivery';
  /** Set by whoever listens: called when the work is over. */
  end?: () => void;
}

/** Whatever happens within the work finds it in the store that is bound here. */
export const WORK_SPANS = channel('tally:work') as Channel<unknown, WorkSpan>;

/** @returns what the work returns; throws what it throws */
export function inSpan<T>(name: WorkSpan['name'], work: () => Promise<T>): Promise<T> {
  if (!WORK_SPANS.hasSubscribers) return work();
  const span: WorkSpan = { name };
  return WORK_SPANS.runStores(span, work).finally(() => span.end?.());
}
