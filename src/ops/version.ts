import facts from '../../package.json' with { type: 'json' };

/** From package.json, at build time. */
export const VERSION: string = facts.version;
