import { setTimeout as sleep } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import type { Logger } from 'pino';
import { isFailure, type SlackFailed } from '../domain/failure/index.ts';
import type { Message } from './kit/atoms.ts';
import type { Origin } from './origin.ts';
import { postEphemeral, postMessage } from './post-message.ts';
import type { ResponseUrlClient } from './response-url.ts';
import { callSlack, type WebClient } from './web-client.ts';

/** Where a request came from, and what it can be answered with. */
export interface Ways {
  readonly origin: Origin;
  readonly client: WebClient;
  readonly responder: ResponseUrlClient;
  readonly log: Logger;
  /** The modal that was opened meanwhile: whatever is still to be said about it belongs there. */
  opened?: string;
  /** What Slack called the modal as it was when it was clicked in, or as it was drawn last. */
  hash?: string;
}

/**
 * To the asker alone, by the first way that is open: the response_url, the channel, a direct message.
 * @throws CannotPost, SlackFailed: why the first was not, where none is
 */
export async function whisper(ways: Ways, message: Message, replace = false): Promise<void> {
  const { origin, client, responder } = ways;
  const { responseUrl, channel, userId, thread } = origin;
  const direct = { channel: userId, thread: undefined };
  const attempts = [
    ...(responseUrl === undefined ? [] : [() => responder.post(responseUrl, message, { replace })]),
    ...(channel === undefined ? [] : [() => postEphemeral(client, userId, { channel, thread }, message)]),
    ...(userId === '' ? [] : [() => postMessage(client, direct, message)]),
  ];
  await deliver(attempts, ways);
}

/** To everybody in the channel: in the thread it was asked in, or in one that begins with the question. @throws CannotPost, SlackFailed */
export async function speak(ways: Ways, message: Message): Promise<void> {
  const { origin, client, responder } = ways;
  const { responseUrl, channel, thread, startsThread } = origin;
  // A response_url knows no thread: what it posts for everybody would stand in the channel.
  if (channel !== undefined && (responseUrl === undefined || thread !== undefined))
    return deliver([() => postMessage(client, { channel, thread: thread ?? startsThread }, message)], ways);
  await deliver([() => responder.post(responseUrl ?? '', message, { everyone: true })], ways);
}

/** By the first way that takes it. Where one may have, no other is tried: better an answer too few than two. */
async function deliver(attempts: readonly (() => Promise<void>)[], { log }: Ways): Promise<void> {
  const reasons: unknown[] = [];
  for (const attempt of attempts) {
    try {
      return await inTurn(attempt);
    } catch (error) {
      if (isSlackFailed(error) && error.unclear)
        return log.warn({ err: error }, 'Slack did not confirm an answer, so it is not sent again');
      reasons.push(error);
    }
  }
  throw reasons[0];
}

/** How long an answer waits for its turn, all waits together, in s. */
const LONGEST_WAIT = 30;

/** Slack takes about one message a second in a channel. What comes too early waits for as long as Slack asks. */
async function inTurn(attempt: () => Promise<void>): Promise<void> {
  for (let waited = 0; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (!isSlackFailed(error) || error.retryAfter === undefined) throw error;
      const pause = Math.max(1, error.retryAfter);
      waited += pause;
      if (waited > LONGEST_WAIT) throw error;
      await sleep(pause * 1000);
    }
  }
}

const isSlackFailed = (error: unknown): error is SlackFailed =>
  isFailure(error) && error.kind === 'slack-failed';

/** Draws the modal that this came from, or that it opened, anew: whether that was done. */
export async function draw(ways: Ways, view: ModalView): Promise<boolean> {
  const { origin, client, opened = origin.viewId } = ways;
  try {
    const drawn = await callSlack('views.update', () => client.views.update({ view_id: opened ?? '', view }));
    if (drawn.view?.hash !== undefined) ways.hash = drawn.view.hash;
    return true;
  } catch {
    return false;
  }
}

/** Draws the modal that this came from anew; where that fails, says `instead` in a direct message. @throws SlackFailed */
export async function show(ways: Ways, view: ModalView, instead?: Message): Promise<void> {
  if ((await draw(ways, view)) || instead === undefined) return;
  await whisper({ ...ways, origin: { ...ways.origin, responseUrl: undefined, channel: undefined } }, instead);
}
