/** Tally's log: JSON lines without secrets and without what people typed. */
import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { isFailure } from '../domain/failure/index.ts';
import { redact } from './redact.ts';

export type Log = Logger;

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

/** The maximum number of characters of log lines that are kept in memory while the log can't be written. */
const MAX_BACKLOG = 1_000_000;

/** If the log can't be written, for example because the disk is full, the bot keeps running and loses lines. */
const standardOutput = (): DestinationStream =>
  pino.destination({ dest: 1, sync: true, maxLength: MAX_BACKLOG }).on('error', () => undefined);

const MAX_CAUSES = 5;

/** The fields of a Failure that never contain what people typed or named. */
const FACTS = ['service', 'status', 'method', 'reason', 'what', 'keyId', 'host', 'code'];

/** Leaves out a Failure's sentence, which can quote people, and other fields, which can hold whole requests. */
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

const factsOf = (data: object): object =>
  Object.fromEntries(FACTS.map((fact) => [fact, (data as Record<string, unknown>)[fact]]));

/** Errors that Slack's SDK logs, although the code that made the call logs them too. */
const LOGGED_BY_CALLER = /^(?:http request failed|Failed to retrieve a new WSS URL)/;

/** Drops Bolt's debug lines, which contain secrets, and objects, which are request bodies. */
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
