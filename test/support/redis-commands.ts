/**
 * Records the Redis commands that ioredis sends in this process, so that the counts hold for any server. Commands
 * inside a script aren't counted.
 */
import { tracingChannel } from 'node:diagnostics_channel';
import { INDEX_KEY } from '../../src/redis/keys.ts';
import { type TestRedis, untilNothingRuns } from './redis.ts';

/** A command as ioredis publishes it, with “?” for arguments that may be confidential. */
interface SentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly database: number;
}

/** The queue and the index of workspaces send commands at any time. */
const isOfScheduler = ({ args }: SentCommand): boolean =>
  args.some((arg) => arg.includes('{tally}') || arg === INDEX_KEY);

/**
 * @param isLeftOut by default, commands of a running bot's scheduler
 * @returns the names of the commands that go to this database during the work, in order
 */
export async function commandsOf(
  redis: TestRedis,
  work: () => Promise<unknown>,
  isLeftOut = isOfScheduler,
): Promise<string[]> {
  const names: string[] = [];
  const none = () => undefined;
  const subscribers = {
    start(message: unknown) {
      const sent = message as SentCommand;
      if (sent.database === redis.client.options.db && !isLeftOut(sent) && sent.command !== 'ping')
        // Redis knows a script by its hash once this connection has sent it.
        names.push(sent.command === 'evalsha' ? 'eval' : sent.command);
    },
    end: none,
    asyncStart: none,
    asyncEnd: none,
    error: none,
  };
  await untilNothingRuns(redis.client);
  const channel = tracingChannel('ioredis:command');
  channel.subscribe(subscribers);
  try {
    await work();
  } finally {
    channel.unsubscribe(subscribers);
  }
  return names;
}
