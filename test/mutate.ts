/**
 * `npm run mutate -- <room> [file…]`: mutation tests of one room of `src`, with the tests that are about it. What was
 * found is kept in `.stryker-tmp/`, so that the next run tries only what changed.
 */
import { Stryker } from '@stryker-mutator/core';
import { ROOMS } from './support/mutation-rooms.ts';

const [name = '', ...files] = process.argv.slice(2);
const room = ROOMS[name];
if (room === undefined) {
  console.error(`Usage: npm run mutate -- <room> [file…]\nRooms: ${Object.keys(ROOMS).join(', ')}`);
  process.exit(64);
}
// The processes that run the tests read it.
process.env.MUTATED_ROOM = name;
await new Stryker({
  testRunner: 'in-process',
  plugins: ['./test/support/mutation-runner.ts'],
  mutate: files.length > 0 ? files : [...room.mutate],
  incrementalFile: `.stryker-tmp/${name}.json`,
  jsonReporter: { fileName: `.stryker-tmp/report-${name}.json` },
  htmlReporter: { fileName: `.stryker-tmp/report-${name}.html` },
}).runMutationTest();
