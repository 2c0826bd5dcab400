import { InvalidWord, isFailure } from '../../domain/failure/index.ts';
import { parseSingleProjectText } from '../../domain/language/command-text.ts';
import { PRODUCT_IDS, PRODUCTS } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import {
  type ChosenProject,
  chosenProject,
  isSameProject,
  projectLabel,
  projectValue,
} from '../../workspace/projects/chosen-project.ts';
import {
  limitedProjects,
  type ProjectReference,
  resolveProject,
  visibleProjects,
} from '../../workspace/projects/resolve-project.ts';
import { isChannel } from '../../workspace/record/record-schema.ts';
import { option } from '../kit/atoms.ts';
import { SLACK_LIMITS } from '../kit/limits.ts';
import { checkChannel } from '../request/channel-check.ts';
import { askLocation, type Request } from '../request/request.ts';
import type { OptionsListener } from '../server/listeners.ts';

/** A project in the select of a form. @param name as people call it */
export function projectOption(project: ChosenProject, name: string) {
  const product = PRODUCTS[project.product].name;
  // Without a name, the label already has the ID.
  const about = name.startsWith(`Project ${project.id}`) ? product : `project ${project.id} · ${product}`;
  // A user who may not see its name gets an option without it.
  const { alias, ...unnamed } = project;
  return option(name, projectValue(alias === name ? project : unnamed), about);
}

/**
 * What is offered as somebody types into a form's select.
 * @param channelIn from the form's metadata: where, or for where it was opened
 */
export const projectSearch = (channelIn: (metadata: string) => SlackId): OptionsListener => ({
  right: 'member',
  find: async (query, request, metadata) =>
    (await searchProjects(query, request, channelIn(metadata))).map((project) =>
      projectOption(project, projectLabel(project, request.workspace)),
    ),
});

/** Named projects that the channel may see, and IDs. @param channel not checked yet */
async function searchProjects(
  query: string,
  request: Request,
  channel: SlackId,
): Promise<readonly ChosenProject[]> {
  const { workspace } = request;
  const wanted = query.trim().toLowerCase();
  const isTheirs = isChannel(channel) && (await checkChannel(channel, request)).problem === undefined;
  const place = { channel: isTheirs ? channel : undefined, manager: false };
  const named = visibleProjects(workspace, place).filter(
    ({ alias, id }) => alias.includes(wanted) || id.includes(wanted),
  );
  const ids = typedProjects(query).filter((id) => !named.some((project) => isSameProject(id, project)));
  const closed = limitedProjects(place.channel ?? '', ids, workspace);
  return [...named, ...ids.filter((id) => !closed.includes(id))].slice(0, SLACK_LIMITS.options);
}

/** The project that was typed, else the channel's default. @throws NotAllowed, Failure for a project that was typed */
export function typedOrDefaultProject(
  { project, alias, product }: ProjectReference,
  request: Request,
): ChosenProject | undefined {
  const isNamed = project !== undefined || alias !== undefined;
  const { channel, workspace } = request;
  if (!isNamed && (channel === undefined || workspace.channelDefault(channel) === undefined))
    return undefined;
  try {
    const named = withoutUndefined({ project, alias, product });
    const target = resolveProject(named, workspace, askLocation(request));
    return chosenProject(target);
  } catch (error) {
    if (isNamed || !isFailure(error)) throw error;
    return undefined;
  }
}

/** `123` as each of the products, `123 storage` as that one. */
function typedProjects(query: string): readonly ChosenProject[] {
  try {
    const { project, product } = parseSingleProjectText(query);
    if (project === undefined) return [];
    return (product === undefined ? PRODUCT_IDS : [product]).map((id) => ({ id: project, product: id }));
  } catch (error) {
    if (error instanceof InvalidWord) return [];
    throw error;
  }
}
