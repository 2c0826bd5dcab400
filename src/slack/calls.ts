import { channel } from 'node:diagnostics_channel';

/** How a call to Slack ended. */
export interface SlackCall {
  /** `chat.postMessage`; `response_url` for what is posted through one */
  readonly method: string;
  /** `ok`, or Slack's code */
  readonly outcome: string;
}

/** Calls are made in many places and by many clients, so they are told of as Node's own modules tell of theirs. */
const CALLS = channel('tally:slack');

export const tell = (call: SlackCall): void => CALLS.publish(call);

/** @returns what ends the watching */
export function watchCalls(watch: (call: SlackCall) => void): () => void {
  const heard = (call: unknown) => watch(call as SlackCall);
  CALLS.subscribe(heard);
  return () => void CALLS.unsubscribe(heard);
}
