import facts from '../../package.json' with { type: 'json' };

export const VERSION: string = facts.version;
