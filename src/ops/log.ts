import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { isFailure } from '../domain/failure/index.ts';
import { redact } from './redact.ts';

export type Log = Logger;

/** JSON lines. `redact` masks each finished line; `errorSummary` reduces errors. @param stream default stdout */
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

/** Buffered characters while the log can't be written. */
const MAX_BACKLOG = 1_000_000;

/** A full disk behind it must not end the bot: lines wait, and are lost beyond the limit. */
const standardOutput = (): DestinationStream =>
  pino.destination({ dest: 1, sync: true, maxLength: MAX_BACKLOG }).on('error', () => undefined);

const MAX_CAUSES = 5;

/** Failure data safe to log: nothing that people typed or named. */
const FACTS = ['service', 'status', 'method', 'reason', 'what', 'keyId', 'write', 'host', 'code'];

/**
 * Failures: kind and facts (sentences can quote people). Other errors: message and stack. Other properties are dropped,
 * because clients attach requests and responses.
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

/** The SDK's lines about a failed call, whose error its caller logs. */
const LOGGED_BY_CALLER = /^(?:http request failed|Failed to retrieve a new WSS URL)/;

/** Adapts Bolt's logger. Drops debug lines (they contain secrets) and objects (bodies). */
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
