/** Set by `npm test -- --all`. */
export const isThorough = process.env.THOROUGH !== undefined;

/** Set by `npm test` without further arguments. */
export const isQuick = process.env.QUICK !== undefined;

/** How many examples fast-check tries: without `--all`, a twentieth of `whole`, but at least ten. */
export const runs = (whole: number): number => (isThorough ? whole : Math.max(10, Math.ceil(whole / 20)));

/** What has happened in the current test, for the message of its failure. */
export const happened: string[] = [];
export const note = (text: string): void => void happened.push(text.slice(0, 300));
