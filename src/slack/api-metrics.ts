import { channel } from 'node:diagnostics_channel';

/** How a call to Slack ended. */
export interface ApiCall {
  /** `chat.postMessage`; `response_url` for what is posted through one */
  readonly method: string;
  /** `ok`, or Slack's code */
  readonly outcome: string;
}

/** Calls are made in many places and by many clients, so they are told of as Node's own modules tell of theirs. */
const CALLS = channel('tally:slack');

export const reportApiCall = (call: ApiCall): void => CALLS.publish(call);

/** @returns what ends the watching */
export function onApiCall(watch: (call: ApiCall) => void): () => void {
  const heard = (call: unknown) => watch(call as ApiCall);
  CALLS.subscribe(heard);
  return () => void CALLS.unsubscribe(heard);
}
