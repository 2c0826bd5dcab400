/** What the commands have in common: options and their usage, lines and questions at a terminal. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type * as z from 'zod';

/** EX_USAGE of sysexits.h */
export const WRONG_USAGE = 64;

/** The message is a sentence that says what to type. */
export class UsageError extends Error {}

export const printLine = (line: string): void => void process.stdout.write(`${line}\n`);
export const printError = (line: string): void => void process.stderr.write(`${line}\n`);

type Options = NonNullable<ParseArgsConfig['options']>;

export type OptionValues<T extends Options> = ReturnType<typeof readOptions<T>>['values'];

interface Command<T extends Options> {
  readonly usage: readonly string[];
  readonly options: T;
  /** What the one word beside the options is, as the usage calls it. */
  readonly takes?: string;
}

/** Reads the command line and runs the command. The process ends with what `run` returns, or with 64 after a `UsageError`. */
export async function runCommand<const T extends Options>(
  { usage, options, takes }: Command<T>,
  run: (values: OptionValues<T>, word: string) => Promise<number> | number,
): Promise<void> {
  const args = process.argv.slice(3);
  if (args.includes('--help') || args.includes('-h')) {
    printLine(usage.join('\n'));
    return;
  }
  try {
    const { values, words } = readOptions(args, options, takes);
    process.exitCode = await run(values, words[0] ?? '');
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printError(`${error.message}\n\n${usage.join('\n')}`);
    process.exitCode = WRONG_USAGE;
  }
}

/** @throws UsageError which names the option, and never repeats a value: it may be a secret */
export function readOptions<const T extends Options>(args: readonly string[], options: T, takes?: string) {
  const { values, positionals: words } = parse(args, options, takes !== undefined);
  if (takes !== undefined && words.length !== 1) throw new UsageError(`Name one ${takes}.`);
  return { values, words };
}

function parse<const T extends Options>(args: readonly string[], options: T, allowPositionals: boolean) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals });
  } catch (error) {
    const [, option] =
      /^(?:Unknown option|Option) '(?:-\w, )?(--?[\w-]+)/.exec(String((error as Error).message)) ?? [];
    if (option === undefined)
      throw new UsageError('Expected only options and their values, such as --name value.');
    const known = options[option.replace(/^--/, '')];
    if (known === undefined) throw new UsageError(`Unknown option ${option}.`);
    throw new UsageError(known.type === 'string' ? `${option} needs a value.` : `${option} takes no value.`);
  }
}

/** @param schema as in the configuration: its message has two lines. @throws UsageError without the value */
export function checkOption<T>(name: string, schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(text.trim());
  if (parsed.success) return parsed.data;
  throw new UsageError(`${name} ${parsed.error.issues[0]?.message.replace('\n', '. ')}`);
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
    /** The same, but what is typed stays hidden. */
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
