import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { isFailure } from '../domain/failure/index.ts';
import { redact } from './redact.ts';

export type Log = Logger;

/** A log of JSON lines. `errorSummary` shortens errors; `redact` masks secrets. @param stream default: stdout */
export const createLog = (level: LevelWithSilent, stream?: DestinationStream): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorSummary },
      hooks: { streamWrite: redact },
    },
    stream ?? standardOutput(),
  );

/** How many characters of log lines are kept in memory while the log can't be written. */
const MAX_BACKLOG = 1_000_000;

/** Standard output. If it can't be written, as with a full disk, the bot runs on; lines beyond the limit are lost. */
const standardOutput = (): DestinationStream =>
  pino.destination({ dest: 1, sync: true, maxLength: MAX_BACKLOG }).on('error', () => undefined);

const MAX_CAUSES = 5;

/** The fields of a Failure that are safe to log: none contains what people typed or named. */
const FACTS = ['service', 'status', 'method', 'reason', 'what', 'keyId', 'write', 'host', 'code'];

/**
 * Shortens an error for the log. A Failure: kind and `FACTS`, without its sentence, which can quote people. Any other
 * error: message and stack. Other properties are dropped, because HTTP clients attach whole requests and responses.
 */
function errorSummary(error: unknown, depth = 0): object {
  if (!(error instanceof Error))
    return { name: typeof error, message: typeof error === 'string' ? error : '' };
  const { name, message, stack, cause } = error;
  const { code, host } = error as { code?: unknown; host?: unknown };
  return {
    name,
    ...(isFailure(error)
      ? { kind: error.kind, ...factsOf(error.data) }
      : { message, ...(stack !== undefined && { stack }) }),
    ...(typeof host === 'string' && { host }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: errorSummary(cause, depth + 1) }),
  };
}

/** Drops undefined fields. */
const factsOf = (data: object): object =>
  Object.fromEntries(FACTS.map((fact) => [fact, (data as Record<string, unknown>)[fact]]));

/** Slack SDK lines about a failed call. They are dropped, because the code that made the call logs the error. */
const LOGGED_BY_CALLER = /^(?:http request failed|Failed to retrieve a new WSS URL)/;

/** Sends Bolt's log lines to Tally's log, without debug lines (they contain secrets) and objects (request bodies). */
export function boltLogger(log: Log): BoltLogger {
  const write =
    (level: 'info' | 'warn' | 'error') =>
    (...parts: unknown[]) => {
      const err = parts.find((part) => part instanceof Error);
      const text = parts.filter((part) => typeof part === 'string').join(' ');
      log[LOGGED_BY_CALLER.test(text) ? 'debug' : level]({ from: 'slack-sdk', ...(err && { err }) }, text);
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
