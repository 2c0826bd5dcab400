import type { ModalView } from '@slack/types';
import type { Message } from './kit/atoms.ts';
import type { Origin } from './origin.ts';
import { post, postAlone } from './post.ts';
import type { Responder } from './respond.ts';
import { callSlack, type WebClient } from './web.ts';

/** Where a request came from, and what it can be answered with. */
export interface Ways {
  readonly origin: Origin;
  readonly client: WebClient;
  readonly responder: Responder;
  /** The modal that was opened meanwhile: whatever is still to be said about it belongs there. */
  opened?: string;
  /** What Slack called the modal as it was when it was clicked in, or as it was drawn last. */
  hash?: string;
}

/**
 * To the asker alone, by the first way that is open: the response_url, the channel, a direct message.
 * @throws CannotPost, SlackFailed: why the first was not, where none is
 */
export async function whisper(
  { origin, client, responder }: Ways,
  message: Message,
  replace = false,
): Promise<void> {
  const { responseUrl, channel, person, thread } = origin;
  const direct = { channel: person, thread: undefined };
  const attempts = [
    ...(responseUrl === undefined ? [] : [() => responder.post(responseUrl, message, { replace })]),
    ...(channel === undefined ? [] : [() => postAlone(client, person, { channel, thread }, message)]),
    ...(person === '' ? [] : [() => post(client, direct, message)]),
  ];
  const reasons: unknown[] = [];
  for (const attempt of attempts) {
    try {
      return await attempt();
    } catch (error) {
      reasons.push(error);
    }
  }
  throw reasons[0];
}

/** To everybody in the channel: in the thread it was asked in, or in one that begins with the question. @throws CannotPost, SlackFailed */
export async function speak({ origin, client, responder }: Ways, message: Message): Promise<void> {
  const { responseUrl, channel, thread, begins } = origin;
  // A response_url knows no thread: what it posts for everybody would stand in the channel.
  if (channel !== undefined && (responseUrl === undefined || thread !== undefined))
    return post(client, { channel, thread: thread ?? begins }, message);
  await responder.post(responseUrl ?? '', message, { everyone: true });
}

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
