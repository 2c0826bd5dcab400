import { commandText } from '../../domain/command-names.ts';
import { isFailure } from '../../domain/failure/index.ts';
import { parseCommand } from '../../slack/commands/command.ts';
import type { HelpLine } from '../../slack/commands/help.ts';
import { REMEMBER_PROJECT } from '../../slack/commands/project-picker.ts';
import { buttonRow, context, type Message, textMessage } from '../../slack/kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/listeners.ts';
import { MAX_PROJECTS } from '../../workspace/projects/project-record.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { isDamaged } from '../../workspace/record/workspace.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import type { Feature, Services } from '../feature.ts';
import {
  allProjectsButton,
  DAMAGED_PROJECT,
  projectDetails,
  projectListMessage,
  removedProjectMessage,
  removeProjectMessage,
} from './blocks.ts';
import { createChannelDefaults } from './channel-default.ts';
import { channelsInForm, createProjectForm } from './form.ts';
import { changesProjects, opensProjectForm, parseProjectsText, requireProject } from './parse.ts';

declare module '../../domain/command-names.ts' {
  interface Commands {
    '/billing projects': true;
    '/billing default': true;
  }
  interface Actions {
    'project-remove': true;
    'project-undo': true;
    'project-keep': true;
    'project-form': true;
    remember: true;
    pick: true;
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
    usage: `${commandText('/billing projects')} [name]`,
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

const WITHHELD = 'The name you typed could be a secret, so Tally didn’t fill it in. Choose another name.';

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
    if (input.kind === 'list')
      return request.reply.update(projectListMessage(input.search, input.page, more(), request));
    if (input.kind === 'other') return more()[input.verb]?.open(input.word, request);
    const problem = 'isWithheld' in input && input.isWithheld ? WITHHELD : undefined;
    if (input.kind === 'add') {
      const { connection, ...others } = input.filled;
      const isDefault = connection === undefined || connection === workspace.defaultConnection;
      return form.open('', isDefault ? others : input.filled, request, problem);
    }
    const { kind, word } = input;
    if (isDamaged(workspace, 'project', word))
      return request.reply.update(removeProjectMessage(word, undefined, workspace));
    const project = requireProject(word, workspace, `projects ${kind}`);
    const { alias } = project;
    if (kind === 'remove') return request.reply.update(removeProjectMessage(alias, project, workspace));
    const values = { ...project, channels: channelsInForm(project, workspace), ...input.filled };
    await form.open(alias, values, request, problem);
  };
  /** After a second press at the same moment, the answer is that of the first. */
  const answerWith = (answer: typeof removeProject) =>
    onClick('manage', { changes: true }, async (value, request) => {
      const said = await answer(value, request, workspaces).catch(async (error: unknown) => {
        if (!isFailure(error, 'edit-conflict')) throw error;
        const workspace = await workspaces.load(request.user.teamId);
        return answer(value, { ...request, workspace }, workspaces);
      });
      await request.reply.update(said);
    });

  return {
    help: HELP,
    verbs: {
      projects: {
        right: 'ask',
        needs: (rest) => ({
          right: changesProjects(rest, Object.keys(more())) ? 'manage' : 'ask',
          opensForm: opensProjectForm(rest),
        }),
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
      'project-remove': answerWith(removeProject),
      'project-undo': answerWith(undoRemoval),
      'project-keep': onClick('manage', {}, (_, request) =>
        request.reply.update(textMessage('Nothing was changed.')),
      ),
      // Slack tells of the tick at once; it counts when a project is chosen.
      [REMEMBER_PROJECT]: onClick('ask', {}, async () => undefined),
      pick: {
        right: 'manage',
        changes: true,
        async run({ value, fields }, request, rerun) {
          const command = parseCommand(value);
          const hasSaved =
            fields[REMEMBER_PROJECT] === 'yes' && (await defaults.remember(command.text, request));
          await rerun(command, { hasSaved });
        },
      },
    },
    views: form.listeners.views,
  };
}

/** @param value alias and ID, because another project may have taken the name */
async function removeProject(value: string, request: Request, workspaces: Workspaces): Promise<Message> {
  const { workspace, at } = request;
  const [alias = '', id] = value.split(' ');
  if (id === DAMAGED_PROJECT && isDamaged(workspace, 'project', alias)) {
    const change = auditedChange(request, ['removed the damaged record of the project', alias]);
    await workspaces.dropDamagedProject(change, alias);
    return textMessage(
      `Removed the damaged record of ${alias}. To add it again, type ${commandText('/billing projects')} add ${alias}.`,
    );
  }
  const project = workspace.projects.find((known) => known.alias === alias);
  const removed = project ?? workspaces.findRemovedProject(workspace, alias, at);
  if (project === undefined && removed !== undefined && removed.id === id)
    return removedProjectMessage(removed);
  if (project === undefined || project.id !== id) {
    const why = workspace.aliases.has(alias)
      ? `Someone changed ${alias} first. Nothing was removed.`
      : `${alias} was already removed or renamed.`;
    return textMessage(why, ...buttonRow(allProjectsButton()));
  }
  const change = auditedChange(request, ['removed the project', `${alias} (project ${id})`]);
  await workspaces.removeProject(change, project, at);
  return removedProjectMessage(project);
}

async function undoRemoval(alias: string, request: Request, workspaces: Workspaces): Promise<Message> {
  const { workspace, user, at } = request;
  const project = workspaces.findRemovedProject(workspace, alias, at);
  if (project === undefined)
    return textMessage(
      workspace.aliases.has(alias)
        ? `${alias} is already back.`
        : `You can no longer undo this. Add the project again with ${commandText('/billing projects')} add.`,
    );
  if (workspace.aliases.size >= MAX_PROJECTS)
    return textMessage(`You have ${MAX_PROJECTS} projects, which is the limit. Remove one first.`);
  const change = auditedChange(request, ['restored the project', `${alias} (project ${project.id})`]);
  return (await workspaces.restoreProject(change, alias))
    ? textMessage(`${alias} is back.`, context(projectDetails(project, await workspaces.load(user.teamId))))
    : textMessage(
        `Another project is now named ${alias}. Rename that one first, or add this one under another name.`,
      );
}
