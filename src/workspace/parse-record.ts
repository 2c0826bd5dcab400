import type { z } from 'zod';
import { UnsealFailed } from '../domain/failure/index.ts';

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
