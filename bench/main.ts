/** `npm run bench`: prints each measurement beside its baseline. Nothing fails: timings depend on the machine. */
import { availableParallelism } from 'node:os';
import { compareWithBolt } from './bolt-comparison.ts';
import { deliveries, emptyJobs } from './deliveries.ts';
import { forecastNotes } from './forecast.ts';

/** @param words index of a left-aligned column besides the first; the others are right-aligned */
function columns(rows: readonly (readonly string[])[], words?: number): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, i: number) =>
    i === 0 || i === words ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

console.log(`Node ${process.version}, ${availableParallelism()} cores\n`);
console.log('Forecast of a month, asked on its days 3 to 25: mean absolute error in % of the month');
console.log(columns(forecastNotes()));
console.log('\nTally and a thirty-line Bolt bot, /balance, medians of 3 runs each');
console.log(columns(await compareWithBolt(3)));
console.log('\nTen thousand scheduled posts by two processes, after as many empty jobs of BullMQ');
const size = { workspaces: 500, each: 20 };
for (const measure of [() => emptyJobs(size.workspaces * size.each), () => deliveries(size)])
  console.log(await measure().catch((error: Error) => error.message));
