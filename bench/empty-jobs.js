/** A worker of BullMQ whose jobs do nothing, for `deliveries.ts`. It begins at its parent's word. */
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';

const connection = new Redis(process.argv[2] ?? '', { maxRetriesPerRequest: null });
const worker = new Worker('empty', async () => undefined, { connection, concurrency: 300, autorun: false });
await worker.waitUntilReady();
process.once('message', () => void worker.run());
process.send?.('ready');
