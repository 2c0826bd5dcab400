/**
 * Counts Redis commands where ioredis in this process sends them. So the counts hold for any server, also for the embedded one,
 * which has neither MONITOR nor statistics of commands. What a script does inside Redis is not counted.
 */
import { tracingChannel } from 'node:diagnostics_channel';
import type { TestRedis } from './redis.ts';

/** What ioredis publishes about a command. It replaces arguments that may be confidential with “?”. */
interface SentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly database: number;
}

/** The queue and the index of workspaces do their work whenever they like. */
const isOfScheduler = ({ args }: SentCommand): boolean => args.some((arg) => arg.includes('{tally-'));

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
  const stop = observe(redis, {
    start: (sent) => {
      if (!isLeftOut(sent) && sent.command !== 'ping') names.push(sent.command);
    },
  });
  try {
    await work();
  } finally {
    stop();
  }
  return names;
}

export interface PendingCommands {
  /** How many commands of this name have no answer yet. */
  count(name: string): number;
  stop(): void;
}

/** Watches the commands that go to this database from now on. */
export function watchPending(redis: TestRedis): PendingCommands {
  const pending = new Set<SentCommand>();
  const stop = observe(redis, {
    start: (sent) => pending.add(sent),
    asyncEnd: (sent) => pending.delete(sent),
  });
  return { count: (name) => [...pending].filter(({ command }) => command === name).length, stop };
}

interface Observer {
  start(sent: SentCommand): void;
  asyncEnd?(sent: SentCommand): void;
}

function observe({ client }: TestRedis, { start, asyncEnd = () => undefined }: Observer): () => void {
  const toHere = (work: (sent: SentCommand) => void) => (message: unknown) => {
    const sent = message as SentCommand;
    if (sent.database === client.options.db) work(sent);
  };
  const none = () => undefined;
  const subscribers = {
    start: toHere(start),
    asyncEnd: toHere(asyncEnd),
    end: none,
    asyncStart: none,
    error: none,
  };
  const commands = tracingChannel('ioredis:command');
  commands.subscribe(subscribers);
  return () => void commands.unsubscribe(subscribers);
}
