/** What the commands with options have in common. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type * as z from 'zod';

/** EX_USAGE of sysexits.h */
export const WRONG_USAGE = 64;

/** The message is a sentence that says what to type. */
export class UsageError extends Error {}

/** @throws UsageError which names the option, and never repeats a value: it may be a secret */
export function readOptions<const T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const [, option] =
      /^(?:Unknown option|Option) '(?:-\w, )?(--?[\w-]+)/.exec(String((error as Error).message)) ?? [];
    if (option === undefined)
      throw new UsageError('Expected only options and their values, such as --name value.');
    const isKnown = Object.hasOwn(options, option.replace(/^--/, ''));
    const takesValue = isKnown && options[option.replace(/^--/, '')]?.type === 'string';
    if (!isKnown) throw new UsageError(`Unknown option ${option}.`);
    throw new UsageError(takesValue ? `${option} needs a value.` : `${option} takes no value.`);
  }
}

/** @param schema as in the configuration: its message has two lines. @throws UsageError without the value */
export function checkOption<T>(name: string, schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(text.trim());
  if (parsed.success) return parsed.data;
  throw new UsageError(`${name} ${parsed.error.issues[0]?.message.replace('\n', '. ')}`);
}

/** Ends the process with the code of `run`, or with 64 and the usage after a `UsageError`. */
export async function runWithUsage(usage: string, run: () => Promise<number> | number): Promise<void> {
  try {
    process.exitCode = await run();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}\n`);
    process.exitCode = WRONG_USAGE;
  }
}
