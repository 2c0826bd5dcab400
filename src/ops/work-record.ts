/** Records each finished request, run and message, for metrics and one log line each; see docs/observing.md. */
import type { Logger } from 'pino';
import { isFailure, kindOf } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';

interface WorkBase {
  readonly workspace: string;
  /** `ok`, a failure's kind, `unknown` for an unexpected error, or another outcome of this kind of work. */
  readonly outcome: string;
  readonly began: Millis;
  /** When the answer was sent, if the work went on afterwards. */
  readonly answered?: Millis;
  /** In ms, up to the answer, or else to the end of the work. */
  readonly ms?: Millis;
  readonly error?: unknown;
}

/** Adds facts to the record. If `answered` is given twice, the first counts. */
export type Annotate<W extends Work = RequestWork> = (found: Partial<W>) => void;

export type RequestVia =
  | 'command'
  | 'mention'
  | 'message'
  | 'event'
  | 'button'
  | 'form'
  | 'suggestions'
  | 'step';

/** Can also end as `duplicate` (answered before) or `invalid-form` (sent back with errors). */
export interface RequestWork extends WorkBase {
  readonly kind: 'request';
  readonly via: RequestVia;
  /** The command, event, action, form or step that Tally registered; `other` if it registered none. */
  readonly route: string;
  readonly reference?: string;
}

/** @param arrived as returned by `performance.now()`; default: now */
export const beginRequest = (
  { via, teamId }: { readonly via: RequestVia; readonly teamId: string },
  route: string,
  arrived?: unknown,
): RequestWork => ({
  began: typeof arrived === 'number' ? arrived : performance.now(),
  kind: 'request',
  via,
  route,
  workspace: teamId,
  outcome: 'ok',
});

/** Can also end as `overtaken` (another process is doing the same run) or `stopped`. */
export interface RunWork extends WorkBase {
  readonly kind: 'run';
}

/**
 * Outcomes: sent; found (a crashed run sent it); skipped; waiting (for data); refused (the recipient may not see it);
 * changed (its schedule or watch has changed); overtaken; retrying; paused; failed.
 */
export interface MessageWork extends WorkBase {
  readonly kind: 'message';
  readonly message: string;
  readonly schedule?: string | undefined;
  readonly watch?: string | undefined;
  readonly late?: Millis;
  readonly tries?: number | undefined;
}

export type Work = RequestWork | RunWork | MessageWork;

export type OnFinished = (work: Work) => void;

export const errorOutcome = (error: unknown): Pick<Work, 'outcome' | 'error'> => ({
  outcome: isFailure(error) ? error.kind : 'unknown',
  error,
});

/** Records what `run` throws as `unknown`, unless it is a Failure or `run` has recorded it. */
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

/** Outcomes outside `isWell` are logged as warnings, unless people in Slack can fix a request's failure. */
const LINES = {
  request: {
    event: 'request',
    well: 'Answered a request',
    badly: 'A request failed',
    isWell: new Set(['ok', 'duplicate', 'invalid-form']),
  },
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

export const createWorkLog =
  (log: Logger): OnFinished =>
  (work) => {
    const { kind, began: _began, answered: _answered, ms = 0, error, late, ...rest } = work as AnyWork;
    const { event, well, badly, isWell } = LINES[kind];
    const isOwnError =
      rest.outcome === 'unknown' || (kind === 'message' && error !== undefined && !isFailure(error));
    const { fixedBy } = (kind === 'request' && kindOf(rest.outcome)) || {};
    const isBad = !isWell.has(rest.outcome) && fixedBy !== 'asker' && fixedBy !== 'manager';
    const level = isOwnError ? 'error' : isBad ? 'warn' : kind === 'run' ? 'debug' : 'info';
    const fields = {
      event,
      ...rest,
      ms: Math.round(ms * 10) / 10,
      ...(late !== undefined && { lateMs: Math.round(late) }),
      // The error of `invalid-word` quotes what a person typed, which can be a password.
      ...(error !== undefined && rest.outcome !== 'invalid-word' && { err: error }),
    };
    log[level](fields, isOwnError || isBad ? badly : well);
  };

type AnyWork = Work & Pick<MessageWork, 'late'>;
