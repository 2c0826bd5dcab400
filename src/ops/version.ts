import facts from '../../package.json' with { type: 'json' };

/** The version that runs, as package.json had it when the bundle was built. */
export const VERSION: string = facts.version;
