/**
 * Counts Redis commands where ioredis in this process sends them. So the counts hold for any server, also for the embedded one,
 * which has neither MONITOR nor statistics of commands. What a script does inside Redis is not counted.
 */
import { tracingChannel } from 'node:diagnostics_channel';
import { INDEX_KEY } from '../../src/redis/keys.ts';
import { type TestRedis, untilNothingRuns } from './redis.ts';

/** What ioredis publishes about a command. It replaces arguments that may be confidential with “?”. */
interface SentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly database: number;
}

/** The queue and the index of workspaces do their work whenever they like. */
const isOfScheduler = ({ args }: SentCommand): boolean =>
  args.some((arg) => arg.includes('{tally}') || arg === INDEX_KEY);

/**
 * @param isLeftOut by default what the scheduler of a running bot sends
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
        // A script that this connection has sent before goes by its hash.
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
