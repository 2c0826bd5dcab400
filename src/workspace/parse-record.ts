import type { z } from 'zod';
import { SettingsDamaged, UnsealFailed } from '../domain/failure/index.ts';

/** @param what it is, for UnsealFailed @throws UnsealFailed `malformed` without a cause: the messages of parsers quote what they could not read */
export function parseRecord<T>(schema: z.ZodType<T>, json: string, what?: string): T {
  const record = schema.safeParse(parseJson(json));
  if (!record.success) throw new UnsealFailed('malformed', undefined, what);
  return record.data;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** For what has to go on beside a damaged part, such as the form that mends it: undefined in its place. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    return unlessElse(error);
  }
}

/** The same for what may take a while. */
export async function whenReadable<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    return unlessElse(error);
  }
}

function unlessElse(error: unknown): undefined {
  if (error instanceof UnsealFailed || error instanceof SettingsDamaged) return undefined;
  throw error;
}
