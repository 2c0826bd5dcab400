/** Imports that break a rule of `.dependency-cruiser.cjs` for now, sorted. Delete a line once its import is fixed. */
export const KNOWN_VIOLATIONS: readonly string[] = [];
