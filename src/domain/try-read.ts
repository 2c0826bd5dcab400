/**
 * Reads what comes from outside and may be unreadable, where all that counts is that it is: no JSON, no URL, no zone. Only
 * for reading, because a mistake of our own within `read` would be swallowed, too.
 *
 * @returns undefined where `read` throws
 */
export function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** @returns undefined for what is not JSON */
export const tryParseJson = (text: string): unknown => tryRead(() => JSON.parse(text));
