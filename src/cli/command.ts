/** What all commands share: arguments, exit codes, prompts. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import type * as z from 'zod';
import { redact } from '../ops/redact.ts';

/** EX_USAGE in sysexits.h. */
const WRONG_USAGE = 64;
export const NOT_CREATED = 73;

export class UsageError extends Error {}

export const printLine = (line: string): void => void process.stdout.write(`${line}\n`);
export const printError = (line: string): void => void process.stderr.write(`${line}\n`);

/** Makes untrusted text safe to print in a terminal: at most 200 printable characters. */
export const toPlainLine = (text: string): string =>
  text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '').slice(0, 200);

export const [TEXT, SWITCH] = [{ type: 'string' }, { type: 'boolean' }] as const;

/** Exits with the number that `run` returns, or with 64 for wrong arguments. */
export async function runCliCommand<const T extends Record<string, typeof TEXT | typeof SWITCH>>(
  usage: string,
  options: T,
  run: (values: ReturnType<typeof parseArgs<{ options: T }>>['values']) => Promise<number> | number,
): Promise<void> {
  // EPIPE means that the program that reads the output, such as `head`, has ended. 141 is the code of SIGPIPE.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(141);
    printError(`The output can’t be written (${code}).`);
    process.exit(NOT_CREATED);
  });
  const args = process.argv.slice(3);
  if (args.includes('--help') || args.includes('-h')) return printLine(usage);
  try {
    process.exitCode = await run(parseArgs({ args, options }).values);
  } catch (error) {
    const { message, stack, code } = error as NodeJS.ErrnoException;
    const isUsage = error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS');
    // Node's message quotes the unexpected argument, which may be a secret.
    const says =
      code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL' ? 'This command only takes options.' : message;
    printError(isUsage ? `${says}\n\n${usage}` : redact(stack ?? message));
    process.exit(isUsage ? WRONG_USAGE : 1);
  }
}

export function parseOption<T>(name: string, schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(text.trim());
  if (parsed.success) return parsed.data;
  throw new UsageError(`${name} ${parsed.error.issues[0]?.message.replace('\n', '. ')}`);
}

/** Asks on standard error, because standard output may be piped. Ctrl-C or the end of the input ends the process. */
export function openPrompts() {
  let isHidden = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  const stop = () => process.exit(130);
  lines.once('SIGINT', stop).once('close', stop);
  return {
    async ask(question: string, hides = false): Promise<string> {
      if (hides) process.stderr.write(question);
      isHidden = hides;
      const typed = await lines.question(hides ? '' : question);
      isHidden = false;
      if (hides) process.stderr.write('\n');
      return typed.trim();
    },
    close(): void {
      lines.off('close', stop);
      lines.close();
    },
  };
}
