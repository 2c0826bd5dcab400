/** Reads the words after `/billing projects`, and checks the names that people give to projects. */
import { commandText } from '../../domain/command-names.ts';
import {
  catchInvalidWord,
  Failure,
  InvalidWord,
  UNKNOWN_COMMAND,
  UNRECOGNIZED,
} from '../../domain/failure/index.ts';
import { ANY_DAY_CONTEXT, NO_ALIASES } from '../../domain/language/command-items.ts';
import { holdsUnknownWord, parseSingleProjectText } from '../../domain/language/parse-command-text.ts';
import { WORD_ROLES } from '../../domain/language/questions/question-items.ts';
import { nearestWord } from '../../domain/language/text-cleanup.ts';
import { announcesSecret, couldBeSecret, looksLikeSecret } from '../../domain/secret-detection.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { clipWord } from '../../domain/wording.ts';
import { type HandlerRules, lookUp } from '../../slack/server/handlers.ts';
import { isAlias, type Project } from '../../workspace/projects/project-record.ts';
import { findProject, type Workspace } from '../../workspace/record/workspace.ts';

export type ProjectFormInput = Partial<Omit<Project, 'addedBy' | 'addedAt'>>;

export type ProjectsRequest =
  | { readonly kind: 'list'; readonly page: number }
  | { readonly kind: 'add'; readonly filled: ProjectFormInput }
  | { readonly kind: 'edit' | 'access' | 'remove'; readonly word: string };

const VERBS: Readonly<Record<string, Exclude<ProjectsRequest['kind'], 'list'>>> = {
  add: 'add',
  edit: 'edit',
  change: 'edit',
  rename: 'edit',
  access: 'access',
  remove: 'remove',
  delete: 'remove',
};

export function needsOfProjects(rest: string): Pick<HandlerRules, 'right' | 'opensForm'> {
  const [verb = '', word] = rest.split(' ');
  const kind = lookUp(VERBS, verb);
  return {
    right: kind === undefined ? 'ask' : 'manage',
    opensForm: kind === 'add' || ((kind === 'edit' || kind === 'access') && word !== undefined),
  };
}

/** @param typed `rest` with the capitals that a person typed @throws InvalidWord */
export function parseProjectsText(rest: string, typed = rest): ProjectsRequest {
  const [first = '', ...others] = rest.split(' ');
  const kind = lookUp(VERBS, first);
  if (kind === 'add') {
    if (rest.includes(',')) throw new InvalidWord(',', 'means several projects', 'Add one at a time.');
    const [connected = '', connection] = / on ([a-z0-9][a-z0-9-]*)$/.exec(rest) ?? [];
    const [, ...words] = rest.slice(0, rest.length - connected.length).split(' ');
    const [, ...asTyped] = typed.split(' ');
    return { kind, filled: withoutUndefined({ ...parseProjectFields(words, asTyped), connection }) };
  }
  if (kind !== undefined) return { kind, word: others.join(' ') };
  const page = /^(?:page (\d{1,3}))?$/.exec(rest) ?? refuse(first, others);
  return { kind: 'list', page: Number(page[1] ?? 1) };
}

function refuse(first: string, others: readonly string[]): never {
  const nearest = nearestWord(first, Object.keys(VERBS));
  throw new InvalidWord(
    clipWord(first),
    UNKNOWN_COMMAND,
    `After ${commandText('/billing projects')} you can type ${[...new Set(Object.values(VERBS))].join(', ')}.`,
    nearest === undefined ? undefined : ['projects', nearest, ...others].join(' '),
  );
}

/** Reads `prod 123 storage`, in any order. A name that could be a secret is left out. @throws InvalidWord */
function parseProjectFields(words: readonly string[], typed: readonly string[]): ProjectFormInput {
  const isName = (word: string) => /^[a-z]/.test(word) && holdsUnknownWord(word, NO_ALIASES);
  const text = words.join(' ');
  const [alias, second] = new Set(words.filter(isName));
  if (alias !== undefined && second !== undefined) {
    const joined = text.replace(alias, `${alias}-${second}`).replace(` ${second}`, '');
    throw new InvalidWord(
      clipWord(second),
      'is a second name',
      'Add one project at a time.',
      `projects add ${joined}`,
    );
  }
  const others = words.filter((word) => word !== alias).join(' ');
  const read = catchInvalidWord(() => parseSingleProjectText(others, ANY_DAY_CONTEXT));
  if (read instanceof InvalidWord)
    throw read.within((corrected) => `projects add ${alias ?? ''} ${corrected}`);
  const taken = read.phrase?.typed ?? (WORD_ROLES.has(alias ?? '') ? alias : undefined);
  if (taken !== undefined) {
    const why = 'already has a meaning in commands or questions, so it can’t be a name';
    const instead = text.replace(taken, alternativeAlias(taken.replaceAll(' ', '-')));
    throw new InvalidWord(clipWord(taken), why, '', `projects add ${instead}`);
  }
  const isSecret = couldBeSecret(typed[words.findIndex(isName)] ?? '');
  return withoutUndefined({ alias: isSecret ? undefined : alias, id: read.project, product: read.product });
}

/**
 * @param word the project's alias or ID @param prefix the command's words before the project: `projects edit`
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

/** Words that commands use, or may use later. */
const RESERVED_WORDS =
  'add edit rename remove page none csv details why access home ostoken schedule schedules status tally watch watches daily weekdays weekly monthly';

/**
 * Why a project can't have this name, as a sentence; undefined if it can. Commands must not read a name, or a part of
 * it, as anything else. @param alias in the form that `normalizeText` returns: `web-shop` @param verbs commands' first words
 */
export function validateAlias(alias: string, verbs: readonly string[]): string | undefined {
  if (looksLikeSecret(alias) || announcesSecret(`${alias} 1`))
    return 'That looks like a token or a password. Everyone can see names, so choose another.';
  if (/^\d+$/.test(alias)) return `That is a project ID, not a name. ${FORM_WORDS}`;
  if (!isAlias(alias)) return FORM_WORDS;
  // Commands are recognized with and without hyphens.
  const reserved = [...verbs, ...RESERVED_WORDS.split(' ')].map((verb) => verb.replace(/^\/|-/g, ''));
  if (reserved.includes(alias.replaceAll('-', '')))
    return `“${alias}” is a Tally command. Choose another name, for example ${alternativeAlias(alias)}.`;
  return holdsUnknownWord(alias, NO_ALIASES) && !WORD_ROLES.has(alias)
    ? undefined
    : `“${alias}” already means something in commands or questions. Choose another name, for example ${alternativeAlias(alias)}.`;
}

const alternativeAlias = (alias: string): string => `${alias.slice(0, 20).replace(/-+$/, '')}-prod`;
