/** Menus of the projects that a person may ask about, for replies and forms. */
import type { PlainTextOption } from '@slack/types';
import { PRODUCT_IDS, PRODUCTS } from '../../domain/billing-products.ts';
import { ASKS_ABOUT, type SlashCommand } from '../../domain/command-names.ts';
import { Failure, InvalidWord } from '../../domain/failure/index.ts';
import { ANY_DAY_CONTEXT } from '../../domain/language/command-items.ts';
import { parseCommandText, parseSingleProjectText } from '../../domain/language/parse-command-text.ts';
import { formatParsedCommand } from '../../domain/language/parsed-command.ts';
import { parseTyped } from '../../domain/language/questions/parse-question.ts';
import { isChannel, type SlackId } from '../../domain/slack-id.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import {
  type ChosenProject,
  chosenProject,
  isSameProject,
  projectLabel,
  projectValue,
} from '../../workspace/projects/chosen-project.ts';
import {
  canAskAbout,
  limitedProjects,
  type ProjectScope,
  visibleProjects,
} from '../../workspace/projects/project-scope.ts';
import { type ProjectReference, resolveProject } from '../../workspace/projects/resolve-project.ts';
import { parseContextOf } from '../../workspace/record/workspace.ts';
import {
  actions,
  type Block,
  fitsOption,
  option,
  SLACK_LIMITS,
  section,
  select,
} from '../block-kit/blocks.ts';
import { checkChannel } from '../request/channels.ts';
import { privateScope, type Request } from '../request/request.ts';
import { type Command, commandButton, commandOption, toCommand } from './command-buttons.ts';

export function projectPicker(command: Command, request: Request): Block[] {
  const options = projectOptions(command, request);
  return options.length === 0
    ? projectIdHint(command, request)
    : [actions(select('rerun:project', 'Choose a project', options))];
}

export function projectSelect(command: SlashCommand, prefix: string, request: Request): Block[] {
  const options = optionsFor(request, command, (alias) => `${prefix} ${alias}`);
  return options.length === 0 ? [] : [actions(select('rerun:project', 'Choose a project', options))];
}

/** A suggestion must not name a project that is limited to other channels. */
export function canSuggest(text: string, asker: ProjectScope & Pick<Request, 'workspace'>): boolean {
  const { workspace } = asker;
  return text.split(/[ ,]/).every((word) => {
    if (!workspace.aliases.has(word)) return true;
    const project = workspace.projects.find(({ alias }) => alias === word);
    return project !== undefined && canAskAbout(project, workspace, asker);
  });
}

function projectOptions({ command, text }: Command, request: Request): PlainTextOption[] {
  const others = tryParse(() => withoutProject({ command, text }, request));
  const words = others === undefined ? text : formatParsedCommand(others);
  const textOf = (projects: string) => [projects, words].filter(Boolean).join(' ');
  const each = optionsFor(request, command, textOf);
  // Rows by day, week or month, and the most expensive days, are possible only for a single project.
  const isOfOne = others?.unit !== undefined || others?.isOfDays === true;
  if (each.length < 2 || isOfOne || ASKS_ABOUT[command] !== 'projects') return each;
  return [...each, commandOption('All projects', { command, text: textOf('all') })].filter(fitsOption);
}

const optionsFor = (request: Request, command: SlashCommand, textOf: (alias: string) => string) =>
  visibleProjects(request.workspace, privateScope(request))
    .map(({ alias, id, product }) =>
      commandOption(alias, { command, text: textOf(alias) }, `project ${id} · ${PRODUCTS[product].name}`),
    )
    .filter(fitsOption);

function withoutProject({ command, text }: Command, { workspace, at }: Request) {
  const words = parseTyped(command, text, parseContextOf(workspace, at), parseCommandText);
  const { project: _, alias: __, several: ___, ...others } = words;
  return others;
}

function projectIdHint(command: Command, request: Request): Block[] {
  const words = tryParse(() => formatParsedCommand(withoutProject(command, request)));
  const example = [command.command, '123', words].filter(Boolean).join(' ');
  const hint = `Use the ID on its project card in the console, for example ${example}`;
  if (!request.user.canManage) return [section(hint)];
  const add = commandButton('add', 'Add a project…', toCommand('/billing projects', 'add'));
  return [section(`${hint}\nOr give it a name once, then ask by that name.`), actions(...add)];
}

export function projectOption(project: ChosenProject, name: string) {
  const product = PRODUCTS[project.product].name;
  const about = name.startsWith(`Project ${project.id}`) ? product : `project ${project.id} · ${product}`;
  // The option's value contains the name only if the user may see the name.
  const { alias, ...unnamed } = project;
  return option(name, projectValue(alias === name ? project : unnamed), about);
}

export const suggestProjects = async (
  query: string,
  request: Request,
  channel: SlackId,
): Promise<readonly PlainTextOption[]> =>
  (await searchProjects(query, request, channel)).map((project) =>
    projectOption(project, projectLabel(project, request.workspace)),
  );

async function searchProjects(
  query: string,
  request: Request,
  channel: SlackId,
): Promise<readonly ChosenProject[]> {
  const { workspace } = request;
  const wanted = query.trim().toLowerCase();
  const isTheirs = isChannel(channel) && (await checkChannel(channel, request)).problem === undefined;
  const place = { channel: isTheirs ? channel : undefined, isUnlimited: false };
  const named = visibleProjects(workspace, place).filter(
    ({ alias, id }) => alias.includes(wanted) || id.includes(wanted),
  );
  const ids = typedProjects(query).filter((id) => !named.some((project) => isSameProject(id, project)));
  const closed = limitedProjects(place.channel ?? '', ids, workspace);
  return [...named, ...ids.filter((id) => !closed.includes(id))].slice(0, SLACK_LIMITS.options);
}

/** @throws if the named project can't be used */
export function typedOrDefaultProject(
  { project, alias, product }: ProjectReference,
  request: Request,
): ChosenProject | undefined {
  const isNamed = project !== undefined || alias !== undefined;
  const { channel, workspace } = request;
  if (!isNamed && (channel === undefined || workspace.channelDefault(channel) === undefined))
    return undefined;
  const find = () =>
    chosenProject(resolveProject(withoutUndefined({ project, alias, product }), workspace, request));
  return isNamed ? find() : tryParse(find, Failure);
}

/** `123` is offered once for each product, but `123 storage` only for that product. */
function typedProjects(query: string): readonly ChosenProject[] {
  const { project, product } =
    tryParse(() => parseSingleProjectText(query, ANY_DAY_CONTEXT), InvalidWord) ?? {};
  if (project === undefined) return [];
  return (product === undefined ? PRODUCT_IDS : [product]).map((id) => ({ id: project, product: id }));
}
