/** What the commands have in common: options and their usage, lines and questions at a terminal. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import type * as z from 'zod';
import { redact } from '../ops/mask.ts';

/** EX_USAGE of sysexits.h */
const WRONG_USAGE = 64;
/** EX_CANTCREAT of sysexits.h */
export const NOT_CREATED = 73;
/** The exit code that shells use for a process that Ctrl-C ended. */
export const INTERRUPTED = 130;

/** The message is a sentence that says what to type. */
export class UsageError extends Error {}

export const printLine = (line: string): void => void process.stdout.write(`${line}\n`);
export const printError = (line: string): void => void process.stderr.write(`${line}\n`);

/** Options by name: what the usage calls the value, '' for a switch, and what it does. */
type Options = Readonly<Record<string, readonly [value: string, what: string]>>;

export type OptionValues<T extends Options> = {
  readonly [Name in keyof T]?: T[Name][0] extends '' ? boolean : string;
};

interface Command<T extends Options> {
  /** How it is called, and what it does. */
  readonly usage: readonly string[];
  readonly options: T;
  /** What the usage says after the options. */
  readonly notes?: readonly string[];
  /** The usage's name for the one word beside the options, such as `file`. */
  readonly takes?: string;
}

/** Reads the command line and runs the command. The process ends with what `run` returns, or with 64 after a `UsageError`. */
export async function runCommand<const T extends Options>(
  command: Command<T>,
  run: (values: OptionValues<T>, word: string) => Promise<number> | number,
): Promise<void> {
  // A reader such as `head` has enough. The code is the one of shells for SIGPIPE.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(141);
    printError(`The output can’t be written (${code}).`);
    process.exit(NOT_CREATED);
  });
  const args = process.argv.slice(3);
  const usage = formatUsage(command);
  if (args.includes('--help') || args.includes('-h')) return printLine(usage);
  try {
    const { values, words } = parseOptions(args, command.options, command.takes);
    process.exitCode = await run(values, words[0] ?? '');
  } catch (error) {
    if (error instanceof UsageError) {
      printError(`${error.message}\n\n${usage}`);
      process.exitCode = WRONG_USAGE;
      return;
    }
    if (error instanceof Error && 'code' in error && 'path' in error) {
      printError(
        `${error.path} can’t be used (${error.code}). Check that folder, who may write there, and its free space.`,
      );
      process.exitCode = NOT_CREATED;
      return;
    }
    // Node would print the line of the bundle, which has all of the code in it.
    const lines = error instanceof Error ? error.stack : String(error);
    printError(`This is a bug in Tally. Report these lines:\n${redact(lines ?? '')}`);
    process.exit(1);
  }
}

function formatUsage({ usage, options, notes = [] }: Command<Options>): string {
  const rows = Object.entries(options).map(
    ([name, [value, what]]) => [`--${name} ${value}`.trim(), what] as const,
  );
  const width = Math.max(...rows.map(([option]) => option.length));
  const lines = rows.map(([option, what]) => `  ${option.padEnd(width)}   ${what}`);
  const parts = [usage, lines, notes].filter(({ length }) => length > 0);
  return parts.map((part) => part.join('\n')).join('\n\n');
}

/** @throws UsageError which names the option, and never repeats a value: it may be a secret */
export function parseOptions<T extends Options>(args: readonly string[], options: T, takes?: string) {
  const types = Object.entries(options).map(
    ([name, [value]]) => [name, { type: value === '' ? 'boolean' : 'string' }] as const,
  );
  try {
    const { values, positionals: words } = parseArgs({
      args: [...args],
      options: Object.fromEntries(types),
      allowPositionals: takes !== undefined,
    });
    if (takes !== undefined && words.length !== 1) throw new UsageError(`Name one ${takes}.`);
    return { values: values as OptionValues<T>, words };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const [, option] =
      /^(?:Unknown option|Option) '(?:-\w, )?(--?[\w-]+)/.exec(String((error as Error).message)) ?? [];
    if (option === undefined)
      throw new UsageError('Expected only options and their values, such as --name value.');
    const known = options[option.replace(/^--/, '')];
    if (known === undefined) throw new UsageError(`Unknown option ${option}.`);
    throw new UsageError(known[0] === '' ? `${option} takes no value.` : `${option} needs a value.`);
  }
}

/** @param schema as in the configuration: its message has two lines. @throws UsageError without the value */
export function checkOption<T>(name: string, schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(text.trim());
  if (parsed.success) return parsed.data;
  throw new UsageError(`${name} ${parsed.error.issues[0]?.message.replace('\n', '. ')}`);
}

/** Asks again until `read` accepts what was typed. @param read may throw a UsageError */
export async function askUntil<T>(ask: () => Promise<string>, read: (typed: string) => T): Promise<T> {
  for (;;) {
    try {
      return read(await ask());
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      process.stderr.write(`${error.message}\n`);
    }
  }
}

export type Prompts = ReturnType<typeof openPrompts>;

/** Asks on standard error, so that standard output can be piped. @param stopped called at Ctrl-C and at the end of the input */
export function openPrompts(stopped: () => never) {
  let isHidden = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  lines.once('SIGINT', stopped);
  lines.once('close', stopped);
  return {
    /** @returns what was typed, without spaces around it */
    ask: async (question: string): Promise<string> => (await lines.question(question)).trim(),
    /** Like `ask`, but does not show what is typed. */
    async askHidden(question: string): Promise<string> {
      process.stderr.write(question);
      isHidden = true;
      const typed = await lines.question('');
      isHidden = false;
      process.stderr.write('\n');
      return typed.trim();
    },
    close(): void {
      lines.off('close', stopped);
      lines.close();
    },
  };
}
