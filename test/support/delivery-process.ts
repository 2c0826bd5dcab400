/** A process that delivers scheduled posts and nothing else, for tests that kill it: its addresses come as arguments. */
import { connectRedis } from '../../src/redis.ts';
import { createDeliveryParts } from './delivery.ts';

const [redisUrl = '', slackUrl = '', since, speed] = process.argv.slice(2);
const [from, times] = [Number(since), Number(speed)];
const redis = connectRedis(redisUrl);
const { engine, close } = createDeliveryParts({
  redis,
  redisUrl,
  slackUrl,
  clock: () => Math.floor(from + (Date.now() - from) * times),
  onLog: (line) => void process.stderr.write(line),
});
engine.start();
process.stdout.write('started\n');
process.on('SIGTERM', () => void close().then(() => process.exit(0)));
