/** One line a request, a message that Tally sends by itself, and a delivery run: what docs/observing.md describes. */
import { createHmac, hkdfSync } from 'node:crypto';
import type { Logger } from 'pino';
import { type FailureKind, isFailure } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { MessageWork, OnFinished, RequestWork, WaitMeter, Work } from '../runtime/work-record.ts';
import type { SealingKey } from '../vault/keyring.ts';

/** What a person or the workspace's managers can fix. Every other failure is a warning. */
const FOR_PEOPLE: ReadonlySet<string> = new Set<FailureKind | RequestWork['outcome']>([
  ...['ok', 'replayed', 'duplicate', 'invalid-form'],
  ...(['invalid-word', 'text-too-long', 'secret-pasted', 'period-just-began', 'project-missing'] as const),
  ...(['not-connected', 'connection-missing', 'no-data', 'not-allowed', 'not-issuer', 'throttled'] as const),
  ...(['access-missing', 'too-many-tokens', 'edit-conflict', 'rights-changed', 'not-installed'] as const),
]);
/** Outcomes of a message that need no attention: nothing is wrong, or Tally tries again. */
const IS_WELL: ReadonlySet<string> = new Set<MessageWork['outcome']>([
  ...['sent', 'found', 'skipped', 'waiting', 'refused', 'changed', 'overtaken', 'stopped'],
]);
/** A run's outcomes that are part of any day. */
const IS_ORDINARY: ReadonlySet<string> = new Set(['ok', 'overtaken', 'stopped']);

type Level = 'debug' | 'info' | 'warn' | 'error';

function levelOf({ kind, outcome, error }: Work): Level {
  const isOwnError =
    outcome === 'unknown' || (kind === 'message' && error !== undefined && !isFailure(error));
  if (kind === 'run') return IS_ORDINARY.has(outcome) ? 'debug' : isOwnError ? 'error' : 'warn';
  if ((kind === 'request' ? FOR_PEOPLE : IS_WELL).has(outcome)) return 'info';
  return isOwnError ? 'error' : 'warn';
}

const MESSAGES = {
  request: { well: 'Answered a request', badly: 'A request failed' },
  message: { well: 'Handled a scheduled message', badly: 'Could not send a message' },
  run: { well: 'Ran deliveries', badly: 'A delivery run failed' },
} as const;

/** Up to this many lines a second are all written, and as many about failures; of further lines only one in `STEP`. */
const LINES_PER_SECOND = 50;
const STEP = 10;

type UserIds = 'hashed' | 'plain' | 'none';

export function createWorkLog({
  log,
  userIds,
  keys,
  clock = () => performance.now(),
}: {
  readonly log: Logger;
  readonly userIds: UserIds;
  /** The encryption keys, newest first. */
  readonly keys: readonly SealingKey[];
  /** ms, never goes back */
  readonly clock?: () => Millis;
}): OnFinished {
  const userField = createUserField(userIds, keys);
  const samples = { well: createSampler(clock), badly: createSampler(clock) };
  return (work) => {
    const level = levelOf(work);
    if (!log.isLevelEnabled(level)) return;
    const how = level === 'warn' || level === 'error' ? 'badly' : 'well';
    const sampled = samples[how]();
    if (sampled === 0) return;
    const fields = { ...fieldsOf(work, userField), ...(sampled > 1 && { sampled }) };
    log[level](fields, MESSAGES[work.kind][how]);
  };
}

function fieldsOf(work: Work, userField: (user: string) => object) {
  const { workspace, outcome, ms = 0, error } = work;
  const waited = waitOf(work);
  return {
    event: EVENTS[work.kind],
    ...nameOf(work, userField),
    workspace,
    outcome,
    ms: tenths(ms),
    ...(waited.calls > 0 && { serviceMs: tenths(waited.ms), serviceCalls: waited.calls }),
    // A refused word was typed by a person, so it can be a password.
    ...(error !== undefined && outcome !== 'invalid-word' && { err: error }),
  };
}

/** How long it waited for billing and identity, and for how many answers. */
function waitOf({ waits, waited = { ms: 0, calls: 0 } }: Work): Pick<WaitMeter, 'ms' | 'calls'> {
  return { ms: (waits?.ms ?? 0) - waited.ms, calls: (waits?.calls ?? 0) - waited.calls };
}

const EVENTS: Record<Work['kind'], string> = { run: 'run', request: 'request', message: 'delivery' };

/** The log leaves out what is undefined. */
function nameOf(work: Work, userField: (user: string) => object): object {
  switch (work.kind) {
    case 'run':
      return {};
    case 'request': {
      const { via, route, user, reference } = work;
      return { via, route, ...(user !== '' && userField(user)), reference };
    }
    case 'message': {
      const { message, schedule, watch, late, tries } = work;
      return { message, schedule, watch, lateMs: late && Math.round(late), tries };
    }
  }
}

const tenths = (ms: Millis): number => Math.round(ms * 10) / 10;

/** @returns how many lines the next one represents; 0 if it is not written */
function createSampler(clock: () => Millis): () => number {
  let until = 0;
  let written = 0;
  let beyond = 0;
  return () => {
    const now = clock();
    if (now >= until) [until, written] = [now + 1_000, 0];
    written += 1;
    if (written <= LINES_PER_SECOND) return 1;
    beyond += 1;
    return beyond % STEP === 0 ? STEP : 0;
  };
}

/**
 * A hash that nobody can undo by trying all IDs, since the key is derived from the newest encryption key: the same in every
 * process until that key is replaced.
 */
function createUserField(userIds: UserIds, [newest]: readonly SealingKey[]) {
  if (userIds === 'none' || newest === undefined) return () => ({});
  if (userIds === 'plain') return (user: string) => ({ user });
  const key = Buffer.from(hkdfSync('sha256', newest.key, '', 'tally log user ids', 32));
  return (user: string) => ({
    user: createHmac('sha256', key).update(user).digest('base64url').slice(0, 12),
  });
}
