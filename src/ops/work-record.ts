/**
 * The record of a piece of work, passed on at its end: metrics count it, and the log gets one line of it, as docs/observing.md
 * describes.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import type { Logger } from 'pino';
import { type FailureKind, isFailure } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { SealingKey } from '../vault/keyring.ts';

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

/** What a person or the workspace's managers can fix. Every other failure is a warning. */
const FOR_PEOPLE: ReadonlySet<string> = new Set<FailureKind | RequestWork['outcome']>([
  ...['ok', 'replayed', 'duplicate', 'invalid-form'],
  ...(['invalid-word', 'text-too-long', 'secret-pasted', 'period-just-began', 'project-missing'] as const),
  ...(['not-connected', 'connection-missing', 'no-data', 'not-allowed', 'not-issuer', 'throttled'] as const),
  ...(['access-missing', 'edit-conflict', 'rights-changed', 'not-installed'] as const),
]);
/** How the log names each kind of work, and the outcomes that need no attention. */
const LINES = {
  request: { event: 'request', well: 'Answered a request', badly: 'A request failed', isWell: FOR_PEOPLE },
  message: {
    event: 'delivery',
    well: 'Handled a scheduled message',
    badly: 'Could not send a message',
    isWell: new Set(['sent', 'found', 'skipped', 'waiting', 'refused', 'changed', 'overtaken', 'stopped']),
  },
  run: {
    event: 'run',
    well: 'Ran deliveries',
    badly: 'A delivery run failed',
    isWell: new Set(['ok', 'overtaken', 'stopped']),
  },
} as const satisfies Record<Work['kind'], object>;

/** @param keys the encryption keys, newest first */
export function createWorkLog(log: Logger, keys: readonly SealingKey[]): OnFinished {
  const hashUser = createUserHash(keys);
  return (work) => {
    const { kind, began: _began, answered: _answered, ms = 0, error, user, late, ...rest } = work as AnyWork;
    const { event, well, badly, isWell } = LINES[kind];
    const isOwnError =
      rest.outcome === 'unknown' || (kind === 'message' && error !== undefined && !isFailure(error));
    const isBad = !isWell.has(rest.outcome);
    const level = isOwnError ? 'error' : isBad ? 'warn' : kind === 'run' ? 'debug' : 'info';
    const fields = {
      ...{ event, ...rest, ms: Math.round(ms * 10) / 10 },
      ...(user && { user: hashUser(user) }),
      ...(late !== undefined && { lateMs: Math.round(late) }),
      // A refused word was typed by a person, so it can be a password.
      ...(error !== undefined && rest.outcome !== 'invalid-word' && { err: error }),
    };
    log[level](fields, isOwnError || isBad ? badly : well);
  };
}

/** The fields of each kind that the log words in its own way. */
type AnyWork = Work & Partial<Pick<RequestWork, 'user'> & Pick<MessageWork, 'late'>>;

/**
 * A hash that nobody can undo by trying all IDs, since its key is derived from the newest encryption key: the same in every
 * process until that key is replaced.
 */
function createUserHash([newest]: readonly SealingKey[]): (user: string) => string {
  const key = Buffer.from(hkdfSync('sha256', newest?.key ?? '', '', 'tally log user ids', 32));
  return (user) => createHmac('sha256', key).update(user).digest('base64url').slice(0, 12);
}
