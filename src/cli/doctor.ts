import { pluralize } from '../domain/wording.ts';
import { isSecondSocketError } from '../redis/outage.ts';
import { printLine, runCliCommand } from './command.ts';
import { diagnose, type Finding } from './diagnosis.ts';

const USAGE = `Usage: tally doctor

Checks what the bot would start with, says what to fix, and changes nothing.

Ends with 0 if Tally can start, 1 for a problem, 78 if the environment can’t be read.`;

function format(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ verdict, check, says, todo }) => [
    `${(verdict === 'bad' ? 'BAD' : verdict).padEnd(7)}  ${check.padEnd(width)}  ${says}`,
    ...(todo === undefined ? [] : [`${' '.repeat(width + 11)}${todo}`]),
  ]);
  const bad = findings.filter(({ verdict }) => verdict === 'bad').length;
  return [...lines, '', bad === 0 ? 'Tally can start.' : `${pluralize(bad, 'problem')} to fix.`].join('\n');
}

// The findings have the error that came first.
process.on('uncaughtException', (error) => {
  if (!isSecondSocketError(error)) throw error;
});
await runCliCommand(USAGE, {}, async () => {
  const { findings, code } = await diagnose(process.env);
  printLine(format(findings));
  return code;
});
// A client that gave up may still have a timer running.
process.exit();
