/** The bot's parts, in one module so that they load after `prepareNode`. */
export { createTally } from '../src/app.ts';
export { parseConfig } from '../src/config/config.ts';
export { createLog } from '../src/ops/log.ts';
