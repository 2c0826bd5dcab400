/** Starts each kind of process that tests kill, prints their process IDs, and waits to be killed itself. */
import { Redis } from 'ioredis';
import { startDeliveryProcess, startPersistentRedis } from './delivery-processes.ts';

const redis = await startPersistentRedis();
const client = new Redis(redis.url.replace('unix://', ''));
const [, server] = /process_id:(\d+)/.exec(await client.info('server')) ?? [];
const deliverer = await startDeliveryProcess(redis.url, 'http://127.0.0.1:9/api/');
redis.signal('SIGSTOP');
process.stdout.write(`${server} ${deliverer.pid}\n`);
