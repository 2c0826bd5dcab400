/** A BullMQ worker for `deliveries.ts`. Its jobs do nothing. It begins when its parent sends a message. */
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';

const connection = new Redis(process.argv[2] ?? '', { maxRetriesPerRequest: null });
const worker = new Worker('empty', async () => undefined, { connection, concurrency: 300, autorun: false });
await worker.waitUntilReady();
process.once('message', () => void worker.run());
process.send?.('ready');
