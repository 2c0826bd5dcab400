// Tally as src/main.ts starts it, but without rate limits: the bench sends all its load as one person.
import { createTally } from '../dist/app.js';
import { readConfig } from '../dist/config.js';
import { createLog } from '../dist/ops/log.js';

const config = readConfig(process.env);
const unlimited = { take: () => undefined, demand: () => undefined };
const tally = createTally(config, createLog(config.log.level), Date.now, unlimited);
process.on('SIGTERM', () => void tally.stop().finally(() => process.exit(0)));
await tally.start();
