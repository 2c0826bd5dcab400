/** `npm run bench`: prints each measurement beside its baseline. Nothing fails here: timings depend on the machine. */
import { availableParallelism } from 'node:os';
import { commands } from './commands.ts';
import { computing } from './computing.ts';
import { deliveries } from './deliveries.ts';
import { floor } from './floor.ts';
import { forecastNotes } from './forecast.ts';
import { table } from './table.ts';

const begun = performance.now();
console.log(`Node ${process.version}, ${availableParallelism()} cores\n`);
const computed = computing();
const { lines, notes } = await commands();
const beside = await floor(3);
const posts = await deliveries({ workspaces: 25, each: 20, channels: 5 }, false).catch(() => [
  'Scheduled posts are not measured: there is no redis-server.',
]);
console.log(table([...computed, ...lines]));
console.log(
  [
    '',
    ...notes,
    '',
    ...forecastNotes(),
    '',
    ...beside,
    '',
    ...posts,
    `Took ${Math.round((performance.now() - begun) / 1000)} s.`,
  ].join('\n'),
);
