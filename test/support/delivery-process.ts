/** A process that only delivers scheduled posts, for tests that kill it. Its arguments are addresses. */
import { connectRedis, waitUntilReady } from '../../src/redis/connect.ts';
import { createDeliveryParts } from './delivery.ts';
import { lowBalances } from './fake-billing.ts';
import { FIXED_KEYRING } from './many-schedules.ts';

const [redisUrl = '', slackUrl = '', since, speed] = process.argv.slice(2);
const [from, times] = [Number(since), Number(speed)];
const redis = connectRedis(redisUrl);
const clock = () => Math.floor(from + (Date.now() - from) * times);
const { planner, close } = createDeliveryParts({
  redis,
  redisUrl,
  slackUrl,
  clock,
  keyring: FIXED_KEYRING,
  billing: lowBalances(clock),
  onLog: (line) => void process.stderr.write(line),
});
await waitUntilReady(redis, 5_000);
planner.start();
process.stdout.write('started\n');
process.on('SIGTERM', () => void close().then(() => process.exit(0)));
