import { LRUCache } from 'lru-cache';
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

/** Characters of JSON that one parser remembers: some ten thousand records. */
const MAX_CACHED = 2_000_000;

/**
 * A parser that remembers what it parsed, by the text: every request parses the whole record of its workspace, and
 * hardly any of it has changed. Its results are shared, so they are frozen.
 *
 * @returns parses a text; throws as `parseRecord`
 */
export function createRecordParser<T extends object>(
  schema: z.ZodType<T>,
  what?: string,
): (json: string) => T {
  const cache = new LRUCache<string, T>({ maxSize: MAX_CACHED, sizeCalculation: (_, json) => json.length });
  return (json) => {
    const known = cache.get(json);
    if (known !== undefined) return known;
    const record = freezeDeep(parseRecord(schema, json, what));
    cache.set(json, record);
    return record;
  };
}

function freezeDeep<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freezeDeep(part);
  return Object.freeze(value);
}
