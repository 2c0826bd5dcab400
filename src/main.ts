import { createTally } from './app.ts';
import { loadConfig } from './config/config.ts';
import { createLog } from './ops/log.ts';
import { VERSION } from './ops/version.ts';
import { isSecondSocketError } from './redis/outages.ts';

const config = loadConfig(process.env, console.error);
const log = createLog(config.log.level);
log.info({ version: VERSION, node: process.versions.node }, 'Tally is starting');
const tally = createTally(config, log, Date.now);

let stopping = false;
async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  await tally.stop().catch((err: unknown) => log.error({ err }, 'Tally did not stop cleanly'));
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    log.info({ signal }, 'Tally is stopping');
    void stop(0);
  });
}
process.on('uncaughtException', (err: unknown) => {
  if (isSecondSocketError(err)) return log.debug({ err }, 'A closed connection reported another error');
  // The process may be in a bad state. The log is synchronous, so no line is lost.
  log.fatal({ err }, 'Uncaught error; Tally exits');
  process.exit(1);
});
// A library that fails on one message must not stop the bot for everyone else.
process.on('unhandledRejection', (err: unknown) =>
  log.error({ err }, 'Unhandled promise rejection; Tally keeps running'),
);

try {
  const port = await tally.start();
  log.info({ port, mode: config.slack.mode.kind }, 'Tally is listening');
} catch (err) {
  log.fatal({ err }, 'Tally could not start');
  await stop(1);
}
