import { commandText } from '../../domain/command-names.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { buttonRow, type Message, textMessage } from '../../slack/block-kit/blocks.ts';
import type { HelpLine } from '../../slack/commands/help.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/listeners.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { isDamaged } from '../../workspace/record/workspace.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import type { Feature, Services } from '../feature.ts';
import { createChannelDefaults } from './channel-default.ts';
import { needsOfProjects, parseProjectsText, requireProject } from './parse-project-command.ts';
import { channelsInForm, createProjectForm } from './project-form.ts';
import {
  allProjectsButton,
  DAMAGED_PROJECT,
  projectListMessage,
  removedProjectMessage,
  removeProjectMessage,
} from './project-list.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/billing projects': true;
    '/billing default': true;
  }
  interface Actions {
    'project-remove': true;
    'project-form': true;
  }
}

declare module '../feature.ts' {
  interface Feature {
    /** More that a manager can do with a project, by the word after `/billing projects`. */
    readonly projectVerbs?: Readonly<Record<string, ProjectAction>>;
  }
}

const HELP: readonly HelpLine[] = [
  {
    usage: commandText('/billing projects'),
    what: 'List the projects that have a name. Managers add, edit and remove them there.',
    short: 'List the projects you can ask about by name.',
    examples: [commandText('/billing projects'), `${commandText('/billing projects')} add prod 123`],
  },
  {
    usage: `${commandText('/billing default')} [name | none]`,
    what: 'Show or set the project that this channel asks about when you name none.',
    examples: [commandText('/billing default'), `${commandText('/billing default')} prod`],
  },
];

/** An entry in each project's menu, and the verb WORD of `/billing projects WORD PROJECT`. */
export interface ProjectAction {
  readonly label: string;
  /** @param word what was typed for the project: outside text */
  open(word: string, request: Request): Promise<void>;
}

/** `/billing projects` and `/billing default`: names for IDs, who may ask where, and what a channel asks about. */
export function createProjectsFeature(services: Services): Feature {
  const { workspaces, all } = services;
  const more = all.projectVerbs;
  const form = createProjectForm(services);
  const defaults = createChannelDefaults(workspaces);

  const work = async (rest: string, request: Request, typed?: string): Promise<void> => {
    const { workspace } = request;
    const input = parseProjectsText(rest, Object.keys(more()), typed);
    if (input.kind === 'list') return request.reply.update(projectListMessage(input.page, more(), request));
    if (input.kind === 'other') return more()[input.verb]?.open(input.word, request);
    if (input.kind === 'add') return form.open('', input.filled, request);
    const { kind, word } = input;
    if (isDamaged(workspace, 'project', word))
      return request.reply.update(removeProjectMessage(word, undefined, workspace));
    const project = requireProject(word, workspace, `projects ${kind}`);
    const { alias } = project;
    if (kind === 'remove') return request.reply.update(removeProjectMessage(alias, project, workspace));
    await form.open(
      alias,
      { ...project, channels: channelsInForm(project, workspace), ...input.filled },
      request,
    );
  };

  return {
    help: HELP,
    verbs: {
      projects: {
        right: 'ask',
        needs: (rest) => needsOfProjects(rest, Object.keys(more())),
        parse(rest, workspace) {
          const { kind, word } = { word: '', ...parseProjectsText(rest, Object.keys(more())) };
          if (kind === 'edit' || kind === 'remove') requireProject(word, workspace, `projects ${kind}`);
        },
        run: work,
      },
      default: defaults.verb,
    },
    actions: {
      ...form.listeners.actions,
      'project-remove': onClick('manage', { changes: true }, async (value, request) =>
        request.reply.update(await removeProject(value, request, workspaces)),
      ),
    },
    views: form.listeners.views,
  };
}

/**
 * After a second press at the same moment, the answer is that of the first.
 * @param value alias and ID, because another project may have taken the name
 */
async function removeProject(value: string, request: Request, workspaces: Workspaces): Promise<Message> {
  try {
    return await removeNamed(value, request, workspaces);
  } catch (error) {
    if (!isFailure(error, 'edit-conflict')) throw error;
    const workspace = await workspaces.load(request.user.teamId);
    return removeNamed(value, { ...request, workspace }, workspaces);
  }
}

async function removeNamed(value: string, request: Request, workspaces: Workspaces): Promise<Message> {
  const { workspace } = request;
  const [alias = '', id] = value.split(' ');
  if (id === DAMAGED_PROJECT && isDamaged(workspace, 'project', alias)) {
    const change = auditedChange(request, ['removed the damaged record of the project', alias]);
    await workspaces.dropDamagedProject(change, alias);
    return textMessage(
      `Removed the damaged record of ${alias}. To add it again, type ${commandText('/billing projects')} add ${alias}.`,
    );
  }
  const project = workspace.projects.find((known) => known.alias === alias);
  if (project === undefined || project.id !== id) {
    const why = project
      ? `Someone changed ${alias} first. Nothing was removed.`
      : `No project is named ${alias} any more.`;
    return textMessage(why, ...buttonRow(allProjectsButton()));
  }
  const change = auditedChange(request, ['removed the project', `${alias} (project ${id})`]);
  await workspaces.removeProject(change, project);
  return removedProjectMessage(project);
}
