/** The form that names a project, or changes a named one. */
import {
  DEFAULT_PRODUCT,
  isProductId,
  PRODUCT_IDS,
  PRODUCTS,
  type ProductId,
} from '../../domain/billing-products.ts';
import { commandText } from '../../domain/command-names.ts';
import { Failure, isFailure } from '../../domain/failure/index.ts';
import { normalizeText } from '../../domain/language/text-cleanup.ts';
import { isChannel, type SlackId } from '../../domain/slack-id.ts';
import { listNames } from '../../domain/wording.ts';
import { FIELDS } from '../../redis/keys.ts';
import { usersText } from '../../slack/automations/automation.ts';
import {
  actions,
  compact,
  context,
  joinTexts,
  type Message,
  markup,
  option,
  section,
  textMessage,
} from '../../slack/block-kit/blocks.ts';
import { commandButton, toCommand } from '../../slack/commands/command-buttons.ts';
import { currencyField, projectIdField } from '../../slack/forms/common-fields.ts';
import { channels, choice, personField, refuseField, text, underMore } from '../../slack/forms/fields.ts';
import { createForm, type FormInput, type SentForm } from '../../slack/forms/form.ts';
import { selectedValues } from '../../slack/request/payload.ts';
import { privateScope, type Request } from '../../slack/request/request.ts';
import { withTimeout } from '../../timeout.ts';
import { isSameProject } from '../../workspace/projects/chosen-project.ts';
import { MAX_PROJECTS, type Project } from '../../workspace/projects/project-record.ts';
import {
  findAllowedChannels,
  limitedProjects,
  UNLIMITED,
  visibleProjects,
} from '../../workspace/projects/project-scope.ts';
import { openConnection, resolveProject } from '../../workspace/projects/resolve-project.ts';
import { auditedChange } from '../../workspace/record/audited-change.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Services } from '../feature.ts';
import { type ProjectFormInput, validateAlias } from './parse-project-command.ts';
import { projectDetails } from './project-messages.ts';

/** Keeps the workspace's record small, because every request reads all of it. */
const MOST_CHANNELS = 50;
/** The option for the workspace's default connection. No connection can have this name. */
const DEFAULT_CONNECTION = '*';

type ProjectFields = ReturnType<typeof projectFields>;
type SentProject = SentForm<ProjectFields>;

export const createProjectForm = (services: Services) =>
  createForm('project', {
    right: 'manage',
    heading: 'Projects',
    /** @param before alias of the project to change; '' for a new project */
    start({ before, filled }: { readonly before: string; readonly filled: ProjectFormInput }, { user }) {
      return { id: before, values: valuesOf(filled, user.id) };
    },
    title: ({ id }) => (id === '' ? 'Add a project' : 'Edit a project'),
    fields: projectFields(() => [...services.registry.commands(), ...services.registry.verbs()]),
    records: (alias) => [FIELDS.project + alias],
    before: (id, { workspace }) => {
      const known = findByAlias(workspace, id);
      return known === undefined ? {} : { owner: known.owner };
    },
    warning({ id, input, request: { workspace } }) {
      const stopped = usersText(
        workspace,
        (project, channel = '') =>
          isSameProject(project, input) &&
          isChannel(channel) &&
          input.channels.length > 0 &&
          !input.channels.includes(channel) &&
          limitedProjects(channel, [project], workspace).length === 0,
        'it in other channels, and will stop there',
      );
      const before = findByAlias(workspace, id);
      const limits = workspace.projects.filter(
        ({ id, channels }) => id === before?.id && channels.length > 0,
      );
      const isLifted = limits.length === 1 && limits[0] === before && before?.id !== input.id;
      const lifted = isLifted && `This lifts the channel limits of project ${before?.id}.`;
      return joinTexts(' ', [stopped, lifted]) || undefined;
    },
    save: (sent) => saveProject(sent, services),
  });

const findByAlias = ({ projects }: Workspace, alias: string): Project | undefined =>
  projects.find((project) => project.alias === alias);

const MORE_FIELDS = {
  connection: underMore({
    ...choice('Connection', { hint: 'Which account to use.', options: connectionOptions }),
    check: async ({ values: { connection = '' }, request }) =>
      isDefault(connection) || request.workspace.connectionNames.includes(connection)
        ? undefined
        : 'Someone else just removed that connection. Choose another.',
  }),
  currency: underMore(currencyField('Shown next to amounts, instead of the workspace’s currency label.')),
  channels: underMore(
    channels('Only in these channels', {
      hint: 'People can only ask in these channels. Leave empty to allow all. Managers can ask anywhere.',
      placeholder: 'Everywhere',
      max: MOST_CHANNELS,
      parse(chosen) {
        const limit = selectedValues(chosen);
        return limit.length <= MOST_CHANNELS && limit.every(isChannel)
          ? limit
          : refuseField(`Choose up to ${MOST_CHANNELS} channels. Direct messages can’t be chosen.`);
      },
    }),
  ),
  owner: underMore(personField('Owner', 'Who is responsible for this project’s spend.')),
};

const projectFields = (verbs: () => readonly string[]) => ({
  alias: text('Name', {
    hint: 'People type it instead of the ID. 2 to 32 letters, digits and hyphens.',
    placeholder: 'prod',
    max: 64,
    parse(typed) {
      const alias = normalizeText(typed);
      const problem = validateAlias(alias, verbs());
      if (problem !== undefined) return refuseField(problem);
      return typed.trim().toLowerCase() === alias
        ? alias
        : refuseField(`Names can only have letters, digits and hyphens. Type “${alias}” instead.`);
    },
  }),
  id: projectIdField('Project ID', 'In the console: Cloud servers → your project → project card.'),
  product: choice<ProductId>('Product', {
    hint: 'For projects under Cloud servers, choose Cloud platform.',
    options: PRODUCT_IDS.map((id) => option(`${PRODUCTS[id].name} (${id})`, String(id))),
    parse: (chosen) =>
      isProductId(Number(chosen))
        ? (Number(chosen) as ProductId)
        : refuseField('Choose the project’s product.'),
  }),
  ...MORE_FIELDS,
});

const isDefault = (connection: string): boolean => connection === '' || connection === DEFAULT_CONNECTION;

function connectionOptions({ request: { workspace } }: { readonly request: Request }) {
  const { connectionNames: names, defaultConnection: current } = workspace;
  const first = option(current === undefined ? 'Default' : `Default (${current})`, DEFAULT_CONNECTION);
  return names.length === 0 ? [] : [first, ...names.map((name) => option(name, name))];
}

const valuesOf = (
  filled: ProjectFormInput,
  user: SlackId,
): Readonly<Record<keyof ProjectFields, string>> => ({
  alias: filled.alias ?? '',
  id: filled.id ?? '',
  product: String(filled.product ?? DEFAULT_PRODUCT),
  connection: filled.connection ?? DEFAULT_CONNECTION,
  currency: filled.currency ?? '',
  channels: (filled.channels ?? []).join(','),
  owner: filled.owner ?? user,
});

const projectOf = (
  { connection, currency, ...others }: FormInput<ProjectFields>,
  { addedBy, addedAt }: Pick<Project, 'addedBy' | 'addedAt'>,
): Project => ({
  ...others,
  ...(!isDefault(connection) && { connection }),
  ...(currency !== '' && { currency }),
  addedBy,
  addedAt,
});

async function saveProject({ id, input, place, request }: SentProject, { workspaces, billing }: Services) {
  const { workspace, user, at } = request;
  const known = findByAlias(workspace, id);
  if (input.alias !== id && findByAlias(workspace, input.alias) !== undefined)
    return refuseField(`${takenText(input.alias)} Choose another name.`);
  if (known === undefined && workspace.aliases.size >= MAX_PROJECTS)
    return refuseField(`You have ${MAX_PROJECTS} projects, the maximum. Remove one first.`);
  const project = projectOf(input, known ?? { addedBy: user.id, addedAt: at });
  const change = auditedChange(request, auditActionOf(known, project));
  const isSaved =
    known === undefined
      ? await workspaces.addProject(change, project)
      : await workspaces.changeProject(change, known.alias, project);
  if (!isSaved) throw new Failure('edit-conflict', { now: takenText(project.alias) });
  const isRenamed = known !== undefined && known.alias !== project.alias;
  const isSame = known !== undefined && isSameProject(known, project);
  const happened = joinTexts(' ', [
    'Saved.',
    isRenamed && `${known.alias} is now named ${project.alias}.`,
    !isSame && otherNamesText(project, request),
  ]);
  const now = await workspaces.load(user.teamId);
  if (isSame || !(await lacksData(project, now, billing))) return savedMessage(project, happened, place, now);
  const text = `${happened} Billing has no ${PRODUCTS[project.product].name} data for ${project.id}.`;
  const edit = toCommand('/billing projects', `edit ${project.alias}`);
  return textMessage(text, actions(...commandButton('edit', 'Choose another product…', edit)));
}

const LOOK_TIMEOUT = 3_000;

/** Whether billing says that it has no data for the project. The project is saved in either case. */
async function lacksData(project: Project, now: Workspace, billing: Services['billing']): Promise<boolean> {
  try {
    const target = resolveProject(project, now, UNLIMITED);
    const asked = billing.balance(openConnection(now, target), target).then(() => false);
    return await withTimeout(LOOK_TIMEOUT, asked, () => false);
  } catch (error) {
    return isFailure(error, 'no-data');
  }
}

/** `456 is also called staging.` Undefined if the person may see no other name of the project. */
function otherNamesText(project: Project, request: Request): string | undefined {
  const others = visibleProjects(request.workspace, privateScope(request)).filter(
    (other) => other.alias !== project.alias && isSameProject(other, project),
  );
  if (others.length === 0) return undefined;
  return `${project.id} is also called ${listNames(others.map(({ alias }) => alias))}.`;
}

const takenText = (alias: string): string => `Another project is already named “${alias}”.`;

function auditActionOf(known: Project | undefined, project: Project): readonly [string, string] {
  const { alias, id } = project;
  if (known === undefined) return ['added the project', `${alias} (project ${id})`];
  const isRenamed = known.alias !== alias;
  const changed = changedFields(known, project).join(', ');
  return [
    isRenamed ? 'renamed the project' : 'changed the project',
    [isRenamed ? `${known.alias} to ${alias}` : alias, changed].filter(Boolean).join(': '),
  ];
}

const changedFields = (before: Project, after: Project): readonly string[] =>
  (Object.keys({ ...before, ...after }) as (keyof Project)[]).filter(
    (field) => field !== 'alias' && String(before[field] ?? '') !== String(after[field] ?? ''),
  );

/** @param place the channel where the form was opened; '' for Home */
function savedMessage(project: Project, happened: string, place: string, workspace: Workspace): Message {
  const { alias } = project;
  const balance = `\`${commandText('/balance')} ${alias}\``;
  const tries =
    workspace.connectionNames.length > 0
      ? `${balance} and \`${commandText('/spend')} ${alias} last-7-days\``
      : `\`${commandText('/billing connect')}\`, then ${balance}`;
  return {
    text: `Saved ${alias}.`,
    blocks: compact([
      section(happened),
      (!isChannel(place) || limitedProjects(place, [project], workspace).length === 0) &&
        markup(`Now try ${tries}.`),
      context(projectDetails(project, workspace)),
    ]),
  };
}

/** If the project's names have different channel limits, the form shows all their channels, so saving lifts no limit. */
export function channelsInForm(project: Project, workspace: Workspace): readonly string[] {
  const limit = findAllowedChannels(project, workspace);
  if (limit?.length !== 0) return limit ?? [];
  const names = workspace.projects.filter((other) => isSameProject(other, project));
  return [...new Set(names.flatMap((other) => other.channels))];
}
