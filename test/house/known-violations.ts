/** Imports that break a rule of `.dependency-cruiser.cjs` and are being fixed, sorted. What is fixed has to leave the list. */
export const KNOWN_VIOLATIONS: readonly string[] = [];
