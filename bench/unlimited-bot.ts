/** Starts Tally without rate limits, because the bench sends all its load as one person. */
import { createTally } from '../src/app.ts';
import { parseConfig } from '../src/config/config.ts';
import { createLog } from '../src/ops/log.ts';

const config = parseConfig(process.env);
const loadingDelays = { message: 60_000, modal: 2_500 };
const tally = createTally(config, createLog(config.log.level), Date.now, {
  limits: { take: () => undefined, demand: () => undefined },
  loadingDelays,
});
process.on('SIGTERM', () => void tally.stop().finally(() => process.exit(0)));
await tally.start();
