/** A record of each finished piece of work, for metrics and one log line; see docs/observing.md. */
import { createHmac, hkdfSync } from 'node:crypto';
import type { Logger } from 'pino';
import { type FailureKind, isFailure } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { SealingKey } from '../vault/keyring.ts';

interface WorkBase {
  readonly workspace: string;
  /** `ok`, a failure's kind, `unknown` (unexpected error), or one specific to the kind of work. */
  readonly outcome: string;
  /** When the work began, by `performance.now()`. */
  readonly began: Millis;
  /** When its answer was out, if the work goes on after it. */
  readonly answered?: Millis;
  /** Duration, up to the answer if there is one. */
  readonly ms?: Millis;
  readonly error?: unknown;
}

/** Adds facts to the record. The first `answered` counts. */
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
  /** Registered names only: command, event, action, form or step; `other` otherwise. */
  readonly route: string;
  /** '' for a workflow: Slack doesn't say who runs it. */
  readonly user: string;
  /** Error reference shown to the user. */
  readonly reference?: string;
}

/** Starts a request's record. @param arrived `performance.now()`, if the transport knows */
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
 * Its own outcomes: sent; found (sent by a crashed run); skipped; waiting (unreported day); refused
 * (recipient may not see it); changed (its subject changed); overtaken; retrying; paused; failed.
 */
export interface MessageWork extends WorkBase {
  readonly kind: 'message';
  readonly message: string;
  readonly schedule?: string | undefined;
  readonly watch?: string | undefined;
  /** Delay after its due time. */
  readonly late?: Millis;
  /** Earlier failures. */
  readonly tries?: number | undefined;
}

export type Work = RequestWork | RunWork | MessageWork;

/** Receives each finished record. */
export type OnFinished = (work: Work) => void;

/** The outcome and error for a record. */
export const errorOutcome = (error: unknown): Pick<Work, 'outcome' | 'error'> => ({
  outcome: isFailure(error) ? error.kind : 'unknown',
  error,
});

/** @returns or throws like `run`; an unexpected error gives outcome `unknown` unless `run` set another */
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

/** Failures that users or managers can fix; all others are logged as warnings. */
const FOR_PEOPLE: ReadonlySet<string> = new Set<FailureKind | RequestWork['outcome']>([
  ...['ok', 'replayed', 'duplicate', 'invalid-form'],
  ...(['invalid-word', 'text-too-long', 'secret-pasted', 'period-just-began', 'project-missing'] as const),
  ...(['not-connected', 'connection-missing', 'no-data', 'not-allowed', 'not-issuer', 'throttled'] as const),
  ...(['access-missing', 'edit-conflict', 'rights-changed', 'not-installed'] as const),
]);
/** Log message per kind of work, and its normal outcomes. */
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

/** @param keys newest first */
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
      event,
      ...rest,
      ms: Math.round(ms * 10) / 10,
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
 * A keyed hash (from the newest encryption key), so that IDs can't be found by trying all. Stable until the key is
 * replaced.
 */
function createUserHash([newest]: readonly SealingKey[]): (user: string) => string {
  const key = Buffer.from(hkdfSync('sha256', newest?.key ?? '', '', 'tally log user ids', 32));
  return (user) => createHmac('sha256', key).update(user).digest('base64url').slice(0, 12);
}
