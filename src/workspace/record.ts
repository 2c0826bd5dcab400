import type { z } from 'zod';
import { SealBroken } from '../domain/failure.ts';

/** @throws SealBroken `malformed` without a cause: the messages of parsers quote what they could not read */
export function parseRecord<T>(schema: z.ZodType<T>, json: string): T {
  const record = schema.safeParse(parseJson(json));
  if (!record.success) throw new SealBroken('malformed');
  return record.data;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
