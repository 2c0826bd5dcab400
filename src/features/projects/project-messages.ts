/** The list of projects, a project's description, and the question before its name is removed. */
import type { SectionBlock } from '@slack/types';
import { PRODUCTS } from '../../domain/billing-products.ts';
import { commandText } from '../../domain/command-names.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { pluralize } from '../../domain/wording.ts';
import { usersText } from '../../slack/automations/automation.ts';
import { pageOf } from '../../slack/automations/automation-list.ts';
import {
  actions,
  button,
  buttonRow,
  channelLink,
  context,
  escapeMarkup,
  header,
  joinTexts,
  type Message,
  markup,
  mention,
  overflow,
  questionMessage,
  section,
  textMessage,
} from '../../slack/block-kit/blocks.ts';
import {
  commandButton,
  commandOption,
  pageButtons,
  projectOptions,
  toCommand,
} from '../../slack/commands/command-buttons.ts';
import type { Request } from '../../slack/request/request.ts';
import { accessSummary } from '../../workspace/credentials/credential-records.ts';
import { findNamed, isSameProject } from '../../workspace/projects/chosen-project.ts';
import type { Project } from '../../workspace/projects/project-record.ts';
import { findAllowedChannels, firstNames, visibleProjects } from '../../workspace/projects/project-scope.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';

export function projectListMessage(page: number, request: Request): Message {
  const { workspace, channel, user } = request;
  const projects = visibleProjects(workspace, { channel, isUnlimited: user.canManage });
  if (projects.length === 0) return emptyMessage(request);
  const { pages, number, shown } = pageOf(projects, page);
  const count = firstNames(projects).length;
  const names = count < projects.length ? ` · ${projects.length} names` : '';
  const title = pluralize(count, 'project') + names;
  const turns = pageButtons(number, pages, (to) => toCommand('/billing projects', `page ${to}`));
  return {
    text: `${title}: ${shown.map(({ alias }) => alias).join(', ')}`,
    blocks: [
      header(title),
      ...shown.map((project) => row(project, request)),
      ...buttonRow([...turns, ...(user.canManage ? addButton() : [])]),
      context(
        joinTexts(' · ', [
          pages > 1 && `page ${number} of ${pages}`,
          'You can ask about any other project by its ID.',
        ]),
      ),
    ],
  };
}

function row(project: Project, request: Request): SectionBlock {
  const { alias, id } = project;
  const { workspace, channel, user, at } = request;
  const isDefault = channel !== undefined && workspace.channelDefault(channel) === alias;
  const access = accessSummary(workspace.accesses.get(id), user, at, workspace.settings.zone);
  const billing = (label: string, verb: string) =>
    commandOption(label, toCommand('/billing projects', `${verb} ${alias}`));
  return {
    ...markup(
      joinTexts('\n', [
        `*${escapeMarkup(alias)}*${isDefault ? ' · default in this channel' : ''}`,
        projectDetails(project, workspace),
        access !== undefined && `OS_TOKEN: ${escapeMarkup(access)}`,
      ]),
    ),
    accessory: overflow('run:project', [
      ...projectOptions(alias),
      // Slack allows five options in this menu, so managers get **OS_TOKEN…** on Home instead.
      ...(user.canManage
        ? [billing('Edit…', 'edit'), billing('Application access…', 'access'), billing('Remove…', 'remove')]
        : access === undefined
          ? []
          : [commandOption('OS_TOKEN…', { command: '/os-token', text: alias })]),
    ]),
  };
}

const SHOWN_CHANNELS = 10;

export const idAndProduct = ({ id, product }: Project): string =>
  `project ${id} · ${PRODUCTS[product].name} (${product})`;

export function projectDetails(project: Project, workspace: Pick<Workspace, 'projects' | 'damaged'>): string {
  const { connection, currency, owner } = project;
  return joinTexts(' · ', [
    idAndProduct(project),
    connection !== undefined && `connection ${escapeMarkup(connection)}`,
    currency !== undefined && escapeMarkup(currency),
    `owner ${mention(owner)}`,
    limitText(findAllowedChannels(project, workspace)),
  ]);
}

function limitText(channels: readonly SlackId[] | undefined): string {
  if (channels === undefined) return 'everywhere';
  if (channels.length === 0)
    return 'can’t be used in any channel: its names are limited to different channels';
  const more = channels.length - SHOWN_CHANNELS;
  const where = channels.slice(0, SHOWN_CHANNELS).map(channelLink);
  return `only in ${where.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const addButton = () =>
  commandButton('add', 'Add a project…', toCommand('/billing projects', 'add'), { style: 'primary' });

export const allProjectsButton = () => commandButton('all', 'All projects', toCommand('/billing projects'));

function emptyMessage(request: Request): Message {
  const { workspace, user } = request;
  const text =
    workspace.aliases.size > 0 ? 'No project is available in this channel.' : 'No project has a name yet.';
  const todo = user.canManage
    ? `Name a project, then type ${commandText('/spend')} prod instead of its ID.`
    : `Ask by ID, for example ${commandText('/spend')} 123. A Tally manager can name projects.`;
  return textMessage(`${text}\n${todo}`, ...buttonRow(user.canManage ? addButton() : []));
}

/** @param project undefined if its record is damaged */
export function removeProjectMessage(
  alias: string,
  project: Project | undefined,
  workspace: Workspace,
): Message {
  const others = workspace.projects.filter((other) => other.alias !== alias);
  const users = project && usersText(workspace, (other) => findNamed(other, workspace)?.alias === alias);
  const hasOthers = project !== undefined && others.some((other) => isSameProject(other, project));
  const channels = workspace.channelsOf(alias).map(channelLink).slice(0, SHOWN_CHANNELS);
  const what = joinTexts(' ', [
    project === undefined && 'Its record is damaged. The project may have channel limits.',
    `This removes the name${hasOthers ? '' : ' and its channel limits'}. Commands that use the name stop working.`,
  ]);
  const facts = joinTexts(' · ', [
    project && projectDetails(project, workspace),
    channels.length > 0 && `default of ${channels.join(', ')}`,
  ]);
  const value = `${alias} ${project?.id ?? DAMAGED_PROJECT}`;
  return questionMessage(
    `Remove ${alias}?`,
    section(what),
    ...(users === undefined ? [] : [section(users)]),
    ...(facts === '' ? [] : [context(facts)]),
    actions(
      button('project-remove', 'Remove', { style: 'danger', value }),
      ...commandButton('keep', 'Keep', toCommand('/billing projects')),
    ),
  );
}

/** Stands for the project's ID in the button that removes a damaged project. */
export const DAMAGED_PROJECT = '-';
