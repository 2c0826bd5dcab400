/** Tally as `tally start` starts it, but without rate limits: the bench sends all its load as one person. */
import { prepareNode } from '../src/prepare-node.ts';

prepareNode();
const { createTally, createLog, readConfig } = await import('./unlimited-parts.ts');

const config = readConfig(process.env);
const unlimited = { take: () => undefined, demand: () => undefined };
// The bench waits for answers, and takes none that says to wait, however slow the machine is.
const patient = { message: 60_000, modal: 2_500 };
const tally = createTally(config, createLog(config.log.level), Date.now, unlimited, patient);
process.on('SIGTERM', () => void tally.stop().finally(() => process.exit(0)));
await tally.start();
