/**
 * Parses untrusted text where the reason for a failure doesn't matter. Use it only for parsing, because it also hides
 * bugs inside `parse`.
 * @param failure the only type of error to catch; if absent, every error is caught
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

/** @returns undefined if the text isn't JSON */
export const tryParseJson = (text: string): unknown => tryParse(() => JSON.parse(text));
