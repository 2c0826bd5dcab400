import { commandText } from '../../domain/command-names.ts';
import { Failure, InvalidWord, UNKNOWN_COMMAND, UNRECOGNIZED } from '../../domain/failure/index.ts';
import { holdsUnknownWord, parseSingleProjectText } from '../../domain/language/parse-command-text.ts';
import { ANY_DAY_READER, NO_ALIASES } from '../../domain/language/parsed-command.ts';
import { nearestWord } from '../../domain/language/typed-text.ts';
import { announcesSecret, couldBeSecret, looksLikeSecret } from '../../domain/secret-detection.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { clipWord } from '../../domain/wording.ts';
import type { HandlerRules } from '../../slack/request/request.ts';
import { lookUp } from '../../slack/server/listeners.ts';
import { isAlias, type Project } from '../../workspace/projects/project-record.ts';
import { findProject, type Workspace } from '../../workspace/record/workspace.ts';

/** Initial form values; validated on submit. */
export type ProjectFormInput = Partial<Omit<Project, 'addedBy' | 'addedAt'>>;

/** A parsed `/billing projects` command. `verb` is another feature's action. */
export type ProjectsRequest =
  | { readonly kind: 'list'; readonly page: number }
  | { readonly kind: 'add'; readonly filled: ProjectFormInput }
  | { readonly kind: 'edit' | 'remove'; readonly word: string }
  | { readonly kind: 'other'; readonly verb: string; readonly word: string };

const VERBS: Readonly<Record<string, 'add' | 'edit' | 'remove'>> = {
  add: 'add',
  edit: 'edit',
  change: 'edit',
  rename: 'edit',
  remove: 'remove',
  delete: 'remove',
};

/** What these words after `projects` need. @param more verbs of other features */
export function needsOfProjects(
  rest: string,
  more: readonly string[],
): Pick<HandlerRules, 'right' | 'opensForm'> {
  const [verb = '', word] = rest.split(' ');
  const kind = lookUp(VERBS, verb);
  const isOfProject = kind === 'edit' || verb === 'access';
  return {
    right: kind !== undefined || more.includes(verb) ? 'manage' : 'ask',
    opensForm: kind === 'add' || (isOfProject && word !== undefined),
  };
}

/**
 * @param more verbs of other features
 * @param typed the same in the letters it was typed in
 * @throws InvalidWord
 */
export function parseProjectsText(rest: string, more: readonly string[], typed = rest): ProjectsRequest {
  const [first = '', ...others] = rest.split(' ');
  if (more.includes(first)) return { kind: 'other', verb: first, word: others.join(' ') };
  const kind = lookUp(VERBS, first);
  if (kind === 'add') {
    if (rest.includes(',')) throw new InvalidWord(',', 'means several projects', 'Add one at a time.');
    const [connected = '', connection] = / on ([a-z0-9][a-z0-9-]*)$/.exec(rest) ?? [];
    const words = rest
      .slice(0, rest.length - connected.length)
      .split(' ')
      .slice(1);
    return {
      kind,
      filled: withoutUndefined({ ...parseProjectFields(words, typed.split(' ').slice(1)), connection }),
    };
  }
  if (kind !== undefined) return { kind, word: others.join(' ') };
  const page = /^(?:page (\d{1,3}))?$/.exec(rest) ?? refuse(first, others, more);
  return { kind: 'list', page: Number(page[1] ?? 1) };
}

function refuse(first: string, others: readonly string[], more: readonly string[]): never {
  const nearest = nearestWord(first, [...Object.keys(VERBS), ...more]);
  throw new InvalidWord(
    clipWord(first),
    UNKNOWN_COMMAND,
    `After ${commandText('/billing projects')} you can type ${[...new Set(Object.values(VERBS)), ...more].join(', ')}.`,
    nearest === undefined ? undefined : ['projects', nearest, ...others].join(' '),
  );
}

/** `prod 123 storage` in any order, as far as it can be read; no name that could be a secret. */
function parseProjectFields(words: readonly string[], typed: readonly string[]): ProjectFormInput {
  const at = words.findIndex((word) => /^[a-z]/.test(word) && holdsUnknownWord(word, NO_ALIASES));
  const alias = words[at];
  const rest = words.filter((word) => word !== alias).join(' ');
  const { project, product } =
    tryParse(() => parseSingleProjectText(rest, ANY_DAY_READER), InvalidWord) ?? {};
  const isSecret = couldBeSecret(typed[at] ?? '');
  return withoutUndefined({ alias: isSecret ? undefined : alias, id: project, product });
}

/**
 * The registered project that a word names: its alias, or the ID of one project.
 * @param prefix the command's text before the project: `projects edit`
 * @throws InvalidWord, project-missing; both offer the projects to choose from
 */
export function requireProject(word: string, record: Workspace, prefix: string): Project {
  if (word === '') throw new Failure('project-missing', { projectFor: prefix });
  const named = record.aliases.has(word) ? findProject(record, word) : undefined;
  const [only, ...others] = named === undefined ? record.projects.filter(({ id }) => id === word) : [named];
  if (only !== undefined && others.length === 0) return only;
  const nearest = nearestWord(word, [...record.aliases]);
  throw new InvalidWord(
    clipWord(word),
    UNRECOGNIZED,
    `Choose a project, or see ${commandText('/billing projects')}.`,
    nearest === undefined ? undefined : `${prefix} ${nearest}`,
    'judged',
    prefix,
  );
}

const FORM_WORDS =
  'A name has 2 to 32 letters, digits and hyphens, and starts with a letter, such as web-shop.';

/** Reserved: current and future command words can't be project names. */
const RESERVED_WORDS = [
  ...['add', 'edit', 'rename', 'remove', 'page', 'none', 'csv', 'details', 'why'],
  ...['access', 'home', 'ostoken', 'schedule', 'schedules', 'status', 'tally', 'watch', 'watches'],
  ...['daily', 'weekdays', 'weekly', 'monthly'],
];

/** Says how a typed name has to be changed; undefined if only capitals differ. */
export const alteredAlias = (typed: string, alias: string): string | undefined =>
  typed.trim().toLowerCase() === alias
    ? undefined
    : `Names can only have letters, digits and hyphens. Type “${alias}” instead.`;

/**
 * Why this cannot be a project's name, in a sentence; undefined when it can. A name is no word that a command could
 * read as anything else, alone or in parts.
 * @param alias as `normalizeText` makes it: `Web_Shop` is `web-shop`
 * @param verbs first words of commands
 */
export function validateAlias(alias: string, verbs: readonly string[]): string | undefined {
  if (looksLikeSecret(alias) || announcesSecret(`${alias} 1`))
    return 'That looks like a token or a password. Everyone can see names, so choose another.';
  if (/^\d+$/.test(alias)) return `That is a project ID, not a name. ${FORM_WORDS}`;
  if (!isAlias(alias)) return FORM_WORDS;
  if (reservedNames(verbs).has(alias.replaceAll('-', '')))
    return `“${alias}” is a Tally command. Choose another name, for example ${alternativeAlias(alias)}.`;
  return holdsUnknownWord(alias, NO_ALIASES)
    ? undefined
    : `“${alias}” already means something in commands, such as a period or a product. Choose another name, for example ${alternativeAlias(alias)}.`;
}

/** With and without hyphens, because commands are matched both ways. */
const reservedNames = (verbs: readonly string[]): ReadonlySet<string> =>
  new Set([...verbs, ...RESERVED_WORDS].map((verb) => verb.replace(/^\/|-/g, '')));

const alternativeAlias = (alias: string): string => `${alias.slice(0, 20).replace(/-+$/, '')}-prod`;
