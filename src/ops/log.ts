import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { isFailure } from '../domain/failure/index.ts';
import { redact } from './mask.ts';

export type Log = Logger;

/**
 * Logs one JSON object per line. `redact` masks every finished line, whatever went into it; errors under `err` are
 * reduced to what `errorSummary` keeps.
 *
 * @param stream stdout by default
 */
export function createLog(level: LevelWithSilent, stream?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorSummary },
      hooks: { streamWrite: redact },
    },
    stream ?? pino.destination({ dest: 1, sync: true }),
  );
}

interface ErrorSummary {
  readonly name: string;
  readonly message: string;
  readonly kind?: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: ErrorSummary;
}

const MAX_CAUSES = 5;

/**
 * Keeps an error's name, message, code and causes, and the stack of what is not our own Failure. Other properties are
 * dropped: clients attach requests, responses and arguments to their errors.
 */
function errorSummary(error: unknown, depth = 0): ErrorSummary {
  if (!(error instanceof Error))
    return { name: typeof error, message: typeof error === 'string' ? error : '' };
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return {
    name,
    message,
    ...(isFailure(error) ? { kind: error.kind } : stack !== undefined && { stack }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: errorSummary(cause, depth + 1) }),
  };
}

/**
 * Slack's SDK, logging into our log. Debug lines are dropped at every level: they contain the client secret, OAuth
 * codes and whole views. So are objects, which are bodies; strings and errors pass.
 */
export function boltLogger(log: Log): BoltLogger {
  const write =
    (level: 'info' | 'warn' | 'error') =>
    (...parts: unknown[]) => {
      const err = parts.find((part) => part instanceof Error);
      const text = parts.filter((part) => typeof part === 'string').join(' ');
      log[level]({ from: 'slack-sdk', ...(err && { err }) }, text);
    };
  return {
    debug: () => undefined,
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    setLevel: () => undefined,
    getLevel: () => LogLevel.INFO,
    setName: () => undefined,
  };
}
