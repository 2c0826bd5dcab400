/** `npm run bench`: each measurement beside the floor it is compared with. Nothing is judged here; timings vary by machine. */
import { availableParallelism } from 'node:os';
import { commands } from './commands.ts';
import { computing } from './computing.ts';
import { table } from './table.ts';

const begun = performance.now();
console.log(`Node ${process.version}, ${availableParallelism()} cores\n`);
const computed = computing();
const { lines, notes } = await commands();
console.log(table([...computed, ...lines]));
console.log(['', ...notes, `Took ${Math.round((performance.now() - begun) / 1000)} s.`].join('\n'));
