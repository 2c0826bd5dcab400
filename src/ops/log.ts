import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { errorSummary } from './describe-error.ts';
import { redact } from './mask.ts';

export type Log = Logger;

/**
 * JSON lines for machines. Every finished line goes through `redact`, whatever it was made of; errors under `err` are
 * reduced to what `errorSummary` keeps.
 *
 * @param stream stdout when not given
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

/**
 * Slack's SDK, logging into ours. Debug is dropped at every level: the SDK writes the client secret, OAuth codes and
 * whole views there. So are objects, which are bodies; strings and errors pass.
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
