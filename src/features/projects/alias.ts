import { normalizeText } from '../../domain/language/command-text.ts';
import { labelsSecret, looksLikeSecret } from '../../domain/language/secret-detection.ts';
import { tokenize } from '../../domain/language/tokenizer.ts';
import { isAlias } from '../../workspace/projects/projects.ts';

const FORM_WORDS =
  'A name begins with a letter and has 2 to 32 letters, digits and hyphens, for example web-shop.';

/** Second words of `/billing projects` and `/billing default`. */
const OWN_WORDS = ['add', 'edit', 'rename', 'remove', 'page', 'none'];

/** Reserved: commands of today and tomorrow can't be aliases. */
const RESERVED_WORDS = [
  ...['access', 'home', 'ostoken', 'schedule', 'schedules', 'status', 'tally', 'watch', 'watches'],
  ...['daily', 'weekdays', 'weekly', 'monthly'],
];

/** A name as it is stored and compared: `Web_Shop` is `web-shop`. */
export const normalizeAlias = (typed: string): string => normalizeText(typed);

/** Why a name is not saved as it was typed, in a sentence; undefined when only capitals differ. */
export function alteredAlias(typed: string, alias: string): string | undefined {
  if (typed.trim().toLowerCase() === alias) return undefined;
  return `A name can have letters, digits and hyphens. Type “${alias}” to use that.`;
}

/**
 * Why this cannot be a project's name, in a sentence; undefined when it can. A name is no word that a command could
 * read as anything else, alone or in parts.
 * @param alias as `normalizeAlias` makes it
 * @param verbs first words of commands
 */
export function validateAlias(alias: string, verbs: readonly string[]): string | undefined {
  if (looksLikeSecret(alias) || labelsSecret(`${alias} 1`))
    return 'That looks like a token or a password. Everyone can see names, so choose another.';
  if (/^\d+$/.test(alias)) return `That is a project ID, not a name. ${FORM_WORDS}`;
  if (!isAlias(alias)) return FORM_WORDS;
  if (reserved(verbs).has(alias.replaceAll('-', '')))
    return `“${alias}” is a Tally command. Choose another name, for example ${alternative(alias)}.`;
  const [word, ...others] = tokenize(alias, new Set()).tokens;
  return word?.kind === 'unknown' && others.length === 0
    ? undefined
    : `“${alias}” already means something in commands, such as a period or a product. Choose another name, for example ${alternative(alias)}.`;
}

/** Commands are found with and without their hyphens. */
const reserved = (verbs: readonly string[]): ReadonlySet<string> =>
  new Set([...verbs, ...OWN_WORDS, ...RESERVED_WORDS].map((verb) => verb.replace(/^\/|-/g, '')));

const alternative = (alias: string): string => `${alias.slice(0, 20).replace(/-+$/, '')}-prod`;
