/** What the measured bot is made of, loaded after Node is prepared for it. */
export { createTally } from '../src/app.ts';
export { readConfig } from '../src/config.ts';
export { createLog } from '../src/ops/log.ts';
