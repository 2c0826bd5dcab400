/** `npm run bench`: prints each measurement beside its baseline. Nothing fails here: timings depend on the machine. */
import { availableParallelism } from 'node:os';
import { compareWithBolt } from './bolt-comparison.ts';
import { commands } from './commands.ts';
import { measureCpuWork } from './cpu-work.ts';
import { deliveries } from './deliveries.ts';
import { forecastNotes } from './forecast.ts';
import { largeAnswers } from './large-answers.ts';
import { table } from './table.ts';

const startedAt = performance.now();
console.log(`Node ${process.version}, ${availableParallelism()} cores\n`);
const computed = measureCpuWork();
const { lines, notes } = await commands();
const large = await largeAnswers();
const comparison = await compareWithBolt(3);
const posts = await deliveries({ workspaces: 25, each: 20, channels: 5 }, false).catch(() => [
  'Scheduled posts are not measured: redis-server is not installed.',
]);
console.log(table([...computed, ...lines]));
console.log(
  [
    '',
    ...notes,
    '',
    ...forecastNotes(),
    '',
    ...large,
    '',
    ...comparison,
    '',
    ...posts,
    `Took ${Math.round((performance.now() - startedAt) / 1000)} s.`,
  ].join('\n'),
);
