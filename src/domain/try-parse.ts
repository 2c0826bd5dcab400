/**
 * Returns undefined if `parse` throws. Use it only for parsing untrusted text, because it hides bugs in `parse`, too.
 * @param failure the only type of error to catch; undefined for every type
 */
export function tryParse<T>(parse: () => T, failure?: abstract new (...args: never) => Error): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (failure !== undefined && !(error instanceof failure)) throw error;
    return undefined;
  }
}

export const tryParseJson = (text: string): unknown => tryParse(() => JSON.parse(text));
