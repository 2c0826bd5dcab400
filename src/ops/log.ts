import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { isFailure } from '../domain/failure/index.ts';
import { redact } from './redact.ts';

export type Log = Logger;

/**
 * Logs one JSON object per line. `redact` masks every finished line, whatever went into it; errors under `err` are
 * reduced to what `errorSummary` keeps.
 *
 * @param stream stdout by default
 */
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

/** How much of the log is kept while it can't be written, in characters. */
const MAX_BACKLOG = 1_000_000;

/** A full disk behind it must not end the bot: lines wait, and are lost beyond the limit. */
const standardOutput = (): DestinationStream =>
  pino.destination({ dest: 1, sync: true, maxLength: MAX_BACKLOG }).on('error', () => undefined);

const MAX_CAUSES = 5;

/** The data of a failure that helps an operator, without anything that a person typed or named. */
const FACTS = ['service', 'status', 'method', 'reason', 'what', 'keyId', 'write', 'host', 'code'];

/**
 * Keeps of an error its name, code and causes, of a Failure its kind and facts (its sentence can name a project or quote a
 * word), of any other its message and stack. Other properties are dropped: clients attach requests, responses and arguments to their errors.
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

/** The log leaves out what is undefined. */
const factsOf = (data: object): object =>
  Object.fromEntries(FACTS.map((fact) => [fact, (data as Record<string, unknown>)[fact]]));

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
