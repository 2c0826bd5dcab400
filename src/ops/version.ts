import facts from '../../package.json' with { type: 'json' };

/** Tally's version, taken from package.json at build time. */
export const VERSION: string = facts.version;
