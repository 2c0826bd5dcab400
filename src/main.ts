import { createTally } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
import { createLog } from './ops/log.ts';

function configured() {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(78);
  }
}

const config = configured();
const log = createLog(config.log.level);
const tally = createTally(config, log, Date.now);

let stopping = false;
async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  await tally.stop().catch((err: unknown) => log.error({ err }, 'could not stop cleanly'));
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    log.info({ signal }, 'stopping');
    void stop(0);
  });
}
process.on('uncaughtException', (err: unknown) => {
  log.fatal({ err }, 'uncaughtException');
  void stop(1);
});
// One message that a library stumbles over must not take the answers of everybody else with it.
process.on('unhandledRejection', (err: unknown) => log.error({ err }, 'unhandledRejection'));

try {
  const port = await tally.start();
  log.info({ port, mode: config.slack.mode.kind }, 'Tally listens');
} catch (err) {
  log.fatal({ err }, 'Tally could not start');
  await stop(1);
}
