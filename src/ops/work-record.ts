/** The record of a piece of work, passed on at its end: metrics and the log read it. */
import { isFailure } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';

interface WorkBase {
  readonly workspace: string;
  /** `ok` until something else is set: a failure's kind, `unknown` for an error that Tally didn’t foresee, or one of the kind’s own. */
  readonly outcome: string;
  /** When the work began, by `performance.now()`. */
  readonly began: Millis;
  /** When its answer was out, if the work goes on after it. */
  readonly answered?: Millis;
  /** How long it took, until its answer if it has one. */
  readonly ms?: Millis;
  readonly error?: unknown;
}

/** Adds to a piece of work what is found out about it. If its answer's time is given twice, the first counts. */
export type Annotate<W extends Work = RequestWork> = (found: Partial<W>) => void;

/** What Slack sent. */
export type RequestVia =
  | 'command'
  | 'mention'
  | 'message'
  | 'event'
  | 'button'
  | 'form'
  | 'suggestions'
  | 'step';

/** Its own outcomes: `replayed` and `duplicate` were answered before, `invalid-form` was refused with its fields marked. */
export interface RequestWork extends WorkBase {
  readonly kind: 'request';
  readonly via: RequestVia;
  /** Names that Tally registered: a command, which a mention or a button can run too, else an event, action, form or step; `other` for unknown names. */
  readonly route: string;
  /** '' for a workflow: Slack doesn't say who runs it. */
  readonly user: string;
  /** The reference ID of an error, as the person was shown it. */
  readonly reference?: string;
}

/**
 * What is known of a request when it arrives: the beginning of its line in the log.
 * @param source who sent what
 * @param arrived by `performance.now()`; now, if the transport does not say
 */
export const beginRequest = (
  { via, teamId, userId }: { readonly via: RequestVia; readonly teamId: string; readonly userId: string },
  route: string,
  arrived?: unknown,
): RequestWork => ({
  began: typeof arrived === 'number' ? arrived : performance.now(),
  kind: 'request',
  via,
  route,
  workspace: teamId,
  user: userId,
  outcome: 'ok',
});

/** Its own outcomes: `overtaken` (another process is about the same), `stopped`. */
export interface RunWork extends WorkBase {
  readonly kind: 'run';
}

/**
 * Its own outcomes: `sent`; `found` (a run that died had sent it); `skipped` (nothing to say); `waiting` (billing hasn’t
 * reported the day); `refused` (its recipient may not see it); `changed` (what it is about); `overtaken` (another process is
 * about it); `retrying`; `paused` until its cause is mended; `failed` for good.
 */
export interface MessageWork extends WorkBase {
  readonly kind: 'message';
  readonly message: string;
  readonly schedule?: string | undefined;
  readonly watch?: string | undefined;
  /** How long after it was due it went out, or was tried; in ms. */
  readonly late?: Millis;
  /** How often it had failed before. */
  readonly tries?: number | undefined;
}

export type Work = RequestWork | RunWork | MessageWork;

/** Gets each record when it is over. */
export type OnFinished = (work: Work) => void;

/** What the record of a piece of work says of the error that it ended with, or that its answer reports. */
export const errorOutcome = (error: unknown): Pick<Work, 'outcome' | 'error'> => ({
  outcome: isFailure(error) ? error.kind : 'unknown',
  error,
});

/** @returns what `run` returns; throws what it throws, as the outcome `unknown` unless `run` has set one */
export async function trackWork<W extends Work, T>(
  begun: W,
  onFinished: OnFinished,
  run: (annotate: Annotate<W>) => Promise<T>,
): Promise<T> {
  let { answered } = begun;
  const work: W = { ...begun };
  const annotate: Annotate<W> = (found) => {
    answered ??= found.answered;
    Object.assign(work, found);
  };
  try {
    return await run(annotate);
  } catch (error) {
    if (work.error !== error) Object.assign(work, errorOutcome(error));
    throw error;
  } finally {
    Object.assign(work, { ms: (answered ?? performance.now()) - work.began });
    onFinished(work);
  }
}
