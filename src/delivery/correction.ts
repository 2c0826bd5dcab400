import { isDeepStrictEqual } from 'node:util';
import { isFailure } from '../domain/failure/index.ts';
import { postMessage as say, updateMessage } from '../slack/post-message.ts';
import { type DeliveryContext, LeaseLostError, runReport } from './context.ts';
import type { DeliveryLogEntry } from './delivery-log.ts';
import { DELIVERY_EVENT_TYPE, deliveryKey } from './find-post.ts';
import { CORRECTION_DELAYS, connectionsOf, type ScheduleLogEntry } from './plan.ts';
import { correctionMessage, renderPost } from './post-blocks.ts';
import { classifyFailure } from './retry.ts';

/** After a look that failed, in ms, and how often. */
const PAUSE = 30 * 60_000;
const MOST_TRIES = 6;

/** What is not there to be edited any more, or must not be. */
const GONE: readonly string[] = [
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
  'channel_not_found',
];

/**
 * Looks at the figures of a post again. Those that changed by more than the schedule's share are put right in the post
 * itself, and its thread says what changed; the ledger has the new ones from then on, so the same change is told once.
 * The post stays about what it was about: its own projects, days and channel, as far as the channel may see them today.
 *
 * @throws LeaseLostError, StoreUnavailable
 */
export async function correctPost(
  { schedule, line }: ScheduleLogEntry,
  round: DeliveryContext,
): Promise<void> {
  const { entry, date, json: before } = line;
  const { post } = entry;
  const subject = post?.subject;
  if (post === undefined || subject === undefined) return;
  const { next, tries, cause, ...rest } = entry;
  const enter = (after: DeliveryLogEntry, posted?: { channel: string; at: number }): Promise<string> =>
    round.enter({
      schedule: schedule.id,
      date,
      before,
      entry: after,
      ...(posted && { posted }),
      strictly: true,
    });
  const looked = { ...post, looks: looksBy(round.clock() - post.at) };
  const stop = (): Promise<string> =>
    enter({ ...rest, tries: 0, post: { ...post, looks: CORRECTION_DELAYS.length } });
  const lookAgain = (): Promise<string> =>
    enter(
      tries < MOST_TRIES
        ? { ...rest, tries: tries + 1, next: round.clock() + PAUSE, post }
        : { ...rest, tries: 0, post: looked },
    );
  try {
    // Another account may know another project by the same ID.
    if (!isDeepStrictEqual(connectionsOf(subject, round.workspace), subject.connections))
      return void (await stop());
    const { report, projects, timing, zone } = subject;
    const wanted = { report, projects, timing, zone, channel: post.channel };
    const finding = await runReport(wanted, entry.due, round);
    if (finding.covers !== subject.covers) return void (await stop());
    // A project that gives no answer now has not changed.
    if (Object.keys(finding.unanswered).some((key) => post.figures[key] !== undefined))
      return void (await lookAgain());
    const { workspace } = round;
    const change = correctionMessage(post.figures, finding.figures, schedule.correctsFrom, workspace);
    if (change === undefined) {
      await enter({ ...rest, tries: 0, post: looked });
      return;
    }
    const client = await round.client();
    const { channel, ts } = post;
    await round.pace(channel, round.book.lastPost(channel));
    const at = round.clock();
    const mark = { event_type: DELIVERY_EVENT_TYPE, event_payload: { key: deliveryKey(schedule.id, date) } };
    await updateMessage(
      client,
      channel,
      ts,
      renderPost(finding, { ...post, timing, date, corrected: at }),
      mark,
    );
    await enter({ ...rest, tries: 0, post: { ...looked, figures: finding.figures } }, { channel, at });
    round.posted(channel);
    await say(client, { channel, thread: ts }, change).catch((err: unknown) =>
      round.log.warn({ err, workspace: round.teamId }, 'a correction could not be explained'),
    );
  } catch (error) {
    if (error instanceof LeaseLostError || round.stopping.aborted) throw error;
    if (isGone(error)) return void (await stop());
    const trouble = classifyFailure(error);
    round.log.warn({ err: error, workspace: round.teamId }, 'a post could not be looked at again');
    if (trouble.kind === 'wait') await round.quiet(round.clock() + trouble.for);
    await lookAgain();
  }
}

/** How many looks are done with one now, `age` ms after the post. */
const looksBy = (age: number): number => CORRECTION_DELAYS.filter((pause) => pause <= age).length;

function isGone(error: unknown): boolean {
  if (!isFailure(error)) return false;
  return error.kind === 'cannot-post' || (error.kind === 'slack-failed' && GONE.includes(error.code));
}
