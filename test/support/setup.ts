/**
 * Runs before every test file. A failure's message says what happened before it. Like a Redis Cluster,
 * every Redis rejects the bot's commands with keys in several slots.
 */
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterEach, beforeEach } from 'vitest';
import { happened, runs } from './test-run.ts';

fc.configureGlobal({ numRuns: runs(100) });

beforeEach(() => {
  happened.length = 0;
});
afterEach(({ task }) => {
  if (happened.length === 0) return;
  for (const error of task.result?.errors ?? [])
    error.message += `\n\nBefore that:\n${happened.slice(-6).join('\n')}`;
});

const PATCHED = Symbol.for('tally.one-slot');
const TAG = /\{([^}]+)\}/;

const slotsOf = (keys: readonly string[]): readonly string[] => [
  ...new Set(keys.map((key) => TAG.exec(key)?.[1] ?? key)),
];

/** Only the connections of `src/redis/connect.ts` have this option. */
const isOfBot = ({ options }: Redis): boolean =>
  options.autoResendUnfulfilledCommands === false || options.keepAlive === 5_000;

const prototype = Redis.prototype as Redis & { [PATCHED]?: boolean };
if (!prototype[PATCHED]) {
  prototype[PATCHED] = true;
  const send = prototype.sendCommand;
  prototype.sendCommand = function (this: Redis, command, stream) {
    const keys = isOfBot(this) ? command.getKeys().map(String) : [];
    if (slotsOf(keys).length > 1) {
      command.reject(new TypeError(`${command.name} names keys of several slots: ${keys.join(' ')}`));
      return command.promise;
    }
    return send.call(this, command, stream);
  };
}
