/** One line a request, a message that Tally sends by itself, and a delivery run: what docs/observing.md describes. */
import { createHmac, hkdfSync } from 'node:crypto';
import type { Logger } from 'pino';
import { type FailureKind, isFailure } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { SealingKey } from '../vault/keyring.ts';
import type { MessageWork, OnFinished, RequestWork, Work } from './work-record.ts';

/** What a person or the workspace's managers can fix. Every other failure is a warning. */
const FOR_PEOPLE: ReadonlySet<string> = new Set<FailureKind | RequestWork['outcome']>([
  ...['ok', 'replayed', 'duplicate', 'invalid-form'],
  ...(['invalid-word', 'text-too-long', 'secret-pasted', 'period-just-began', 'project-missing'] as const),
  ...(['not-connected', 'connection-missing', 'no-data', 'not-allowed', 'not-issuer', 'throttled'] as const),
  ...(['access-missing', 'edit-conflict', 'rights-changed', 'not-installed'] as const),
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

type UserIds = 'hashed' | 'plain' | 'none';

export function createWorkLog({
  log,
  userIds,
  keys,
}: {
  readonly log: Logger;
  readonly userIds: UserIds;
  /** The encryption keys, newest first. */
  readonly keys: readonly SealingKey[];
}): OnFinished {
  const userField = createUserField(userIds, keys);
  return (work) => {
    const level = levelOf(work);
    const how = level === 'warn' || level === 'error' ? 'badly' : 'well';
    log[level](fieldsOf(work, userField), MESSAGES[work.kind][how]);
  };
}

function fieldsOf(work: Work, userField: (user: string) => object) {
  const { workspace, outcome, ms = 0, error } = work;
  return {
    event: EVENTS[work.kind],
    ...nameOf(work, userField),
    workspace,
    outcome,
    ms: tenths(ms),
    // A refused word was typed by a person, so it can be a password.
    ...(error !== undefined && outcome !== 'invalid-word' && { err: error }),
  };
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
