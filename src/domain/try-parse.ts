/**
 * Reads outside text, if it doesn't matter why it can't be read: it is no JSON, no URL, no time zone. Only
 * for reading, because a mistake of our own within `parse` would be swallowed, too.
 *
 * @param failure the only error that counts; every one if absent
 * @returns undefined where `parse` throws @throws other errors than `failure`
 */
export function tryParse<T>(parse: () => T, failure?: abstract new (...args: never) => Error): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (failure !== undefined && !(error instanceof failure)) throw error;
    return undefined;
  }
}

/** @returns undefined for what is not JSON */
export const tryParseJson = (text: string): unknown => tryParse(() => JSON.parse(text));
