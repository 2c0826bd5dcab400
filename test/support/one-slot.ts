/**
 * Runs before every test file: whatever the bot's own connections send in any test names keys of one slot only, since a
 * Cluster refuses everything else. So every method of every store that some test calls is checked, on any Redis.
 */
import { Redis } from 'ioredis';

const PATCHED = Symbol.for('tally.one-slot');
const TAG = /\{([^}]+)\}/;
/** The names before hash tags: only one server ever had them, and they leave it by a script of their own. */
const OLD_NAME = /^tally:(workspace|audit|ledger|org|handles|issued|heard|lock|jobs):/;

const slotsOf = (keys: readonly string[]): readonly string[] => [
  ...new Set(keys.map((key) => TAG.exec(key)?.[1] ?? key)),
];

/** A connection of `src/redis.ts`, for commands or for the queue: tests open theirs with other options. */
const isOfBot = ({ options }: Redis): boolean =>
  options.commandTimeout !== undefined || options.keepAlive === 5_000;

const prototype = Redis.prototype as Redis & { [PATCHED]?: boolean };
if (!prototype[PATCHED]) {
  prototype[PATCHED] = true;
  const send = prototype.sendCommand;
  prototype.sendCommand = function (this: Redis, command, stream) {
    const keys = isOfBot(this) ? command.getKeys().map(String) : [];
    if (slotsOf(keys).length > 1 && !keys.some((key) => OLD_NAME.test(key))) {
      command.reject(new TypeError(`${command.name} names keys of several slots: ${keys.join(' ')}`));
      return command.promise;
    }
    return send.call(this, command, stream);
  };
}
