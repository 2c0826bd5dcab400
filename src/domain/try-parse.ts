/**
 * Parses untrusted text if the reason for failure doesn't matter. Only for parsing: bugs inside `parse` would be
 * hidden too.
 * @param failure the only error type to catch; default all
 * @returns undefined if it fails
 */
export function tryParse<T>(parse: () => T, failure?: abstract new (...args: never) => Error): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (failure !== undefined && !(error instanceof failure)) throw error;
    return undefined;
  }
}

/** @returns undefined if it isn't JSON */
export const tryParseJson = (text: string): unknown => tryParse(() => JSON.parse(text));
