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

/** What the form starts with. The form checks the values when it is sent. */
export type ProjectFormInput = Partial<Omit<Project, 'addedBy' | 'addedAt'>>;

/** What `/billing projects …` asks for. `other` is another feature's action, named by `verb`. */
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

/** The right that the words after `projects` need, and whether they open a form. @param more verbs of other features */
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

/** @param more verbs of other features @param typed `rest` with its capitals as typed @throws InvalidWord */
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

/** Reads what it can of `prod 123 storage`, in any order. Leaves out a name that could be a secret. */
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
 * The registered project that a word names, by its alias or by its ID. @param prefix what a command has before the
 * project: `projects edit` @throws InvalidWord, project-missing; both offer the projects to choose from
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

/** Words that commands use, or may use later: a project can't have them as its name. */
const RESERVED_WORDS = [
  ...['add', 'edit', 'rename', 'remove', 'page', 'none', 'csv', 'details', 'why'],
  ...['access', 'home', 'ostoken', 'schedule', 'schedules', 'status', 'tally', 'watch', 'watches'],
  ...['daily', 'weekdays', 'weekly', 'monthly'],
];

/** Says how a typed name has to change; undefined if only capitals do. */
export const alteredAlias = (typed: string, alias: string): string | undefined =>
  typed.trim().toLowerCase() === alias
    ? undefined
    : `Names can only have letters, digits and hyphens. Type “${alias}” instead.`;

/**
 * Why a project can't have this name, as a sentence; undefined if it can. No command may be able to read the name, or a
 * part of it, as something else. @param alias as `normalizeText` makes it: `Web_Shop` is `web-shop` @param verbs first
 * words of commands
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

/** The names without hyphens, because commands are recognized with and without them. */
const reservedNames = (verbs: readonly string[]): ReadonlySet<string> =>
  new Set([...verbs, ...RESERVED_WORDS].map((verb) => verb.replace(/^\/|-/g, '')));

const alternativeAlias = (alias: string): string => `${alias.slice(0, 20).replace(/-+$/, '')}-prod`;
