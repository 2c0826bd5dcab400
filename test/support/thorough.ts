/** `npm test -- --all` sets it. */
export const isThorough = process.env.THOROUGH !== undefined;

/** `npm test` without more sets it. */
export const isQuick = process.env.QUICK !== undefined;

/** How many examples a property tries, for fast-check's `numRuns`: a twentieth of them in a quick run, and never fewer than ten. */
export const runs = (whole: number): number => (isThorough ? whole : Math.max(10, Math.ceil(whole / 20)));
