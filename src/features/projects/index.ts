/** `/billing projects` and `/billing default`: project names, who may ask about them where, and channel defaults. */
import { commandText } from '../../domain/command-names.ts';
import { InvalidWord } from '../../domain/failure/index.ts';
import { isDirectMessage, type SlackId } from '../../domain/slack-id.ts';
import {
  actions,
  buttonRow,
  channelLink,
  context,
  escapeMarkup,
  type Message,
  markupMessage,
  select,
  textMessage,
} from '../../slack/block-kit/blocks.ts';
import {
  commandButton,
  commandOption,
  projectButtons,
  toCommand,
} from '../../slack/commands/command-buttons.ts';
import type { HelpLine } from '../../slack/commands/help.ts';
import type { Request } from '../../slack/request/request.ts';
import { type CommandHandler, onClick } from '../../slack/server/handlers.ts';
import type { Project } from '../../workspace/projects/project-record.ts';
import { canAskAbout } from '../../workspace/projects/project-scope.ts';
import { auditedChange } from '../../workspace/record/audited-change.ts';
import { isDamaged, type Workspace } from '../../workspace/record/workspace.ts';
import type { Workspaces } from '../../workspace/record/workspace-repository.ts';
import type { Feature, Services } from '../feature.ts';
import { needsOfProjects, parseProjectsText, requireProject } from './parse-project-command.ts';
import { channelsInForm, createProjectForm } from './project-form.ts';
import {
  allProjectsButton,
  DAMAGED_PROJECT,
  idAndProduct,
  projectListMessage,
  removeProjectMessage,
} from './project-messages.ts';

const HELP: readonly HelpLine[] = [
  {
    usage: commandText('/billing projects'),
    what: 'List named projects. Managers can add, edit and remove them.',
    short: 'List the projects you can ask about by name.',
    examples: [commandText('/billing projects'), `${commandText('/billing projects')} add prod 123`],
  },
  {
    usage: `${commandText('/billing default')} [name | none]`,
    what: 'Show or set this channel’s default project.',
    examples: [commandText('/billing default'), `${commandText('/billing default')} prod`],
  },
];

export function createProjectsFeature(services: Services): Feature {
  const { workspaces, registry } = services;
  const form = createProjectForm(services);

  const work = async (rest: string, request: Request, typed?: string): Promise<void> => {
    const { workspace } = request;
    const input = parseProjectsText(rest, typed);
    if (input.kind === 'list') return request.reply.update(projectListMessage(input.page, request));
    if (input.kind === 'access') return registry.openAccess()?.(input.word, request);
    if (input.kind === 'add') return form.open({ before: '', filled: input.filled }, request);
    const { kind, word } = input;
    if (isDamaged(workspace, 'project', word))
      return request.reply.update(removeProjectMessage(word, undefined, workspace));
    const project = requireProject(word, workspace, `projects ${kind}`);
    const { alias } = project;
    if (kind === 'remove') return request.reply.update(removeProjectMessage(alias, project, workspace));
    const filled = { ...project, channels: channelsInForm(project, workspace) };
    await form.open({ before: alias, filled }, request);
  };

  return {
    help: HELP,
    verbs: {
      projects: {
        right: 'ask',
        needs: needsOfProjects,
        parse(rest, workspace) {
          const asked = parseProjectsText(rest);
          if (asked.kind === 'edit' || asked.kind === 'remove')
            requireProject(asked.word, workspace, `projects ${asked.kind}`);
        },
        run: work,
      },
      default: channelDefaultCommand(workspaces),
    },
    forms: [form],
    actions: {
      'project-remove': onClick('manage', { changes: true }, async (value, request) =>
        request.reply.update(await removeProject(value, request, workspaces)),
      ),
    },
  };
}

/** @param value `<alias> <ID>`: the alias may belong to another project by now */
async function removeProject(value: string, request: Request, workspaces: Workspaces): Promise<Message> {
  const { workspace } = request;
  const [alias = '', id] = value.split(' ');
  if (id === DAMAGED_PROJECT && isDamaged(workspace, 'project', alias)) {
    const change = auditedChange(request, ['removed the damaged record of the project', alias]);
    await workspaces.dropDamagedProject(change, alias);
    return textMessage(`Removed ${alias}.`);
  }
  const project = workspace.projects.find((known) => known.alias === alias);
  if (project === undefined || project.id !== id) {
    const text = `Someone else just changed ${alias}. Nothing was removed.`;
    return textMessage(text, ...buttonRow(allProjectsButton()));
  }
  const change = auditedChange(request, ['removed the project', `${alias} (project ${id})`]);
  await workspaces.removeProject(change, project);
  return textMessage(`Removed ${alias}. You can still ask about project ${id} by its ID.`);
}

function channelDefaultCommand(workspaces: Workspaces): CommandHandler {
  const set = async (channel: SlackId, alias: string | undefined, request: Request): Promise<void> => {
    if (request.workspace.channelDefault(channel) === alias) return;
    const change = auditedChange(request, [
      'changed the default project of',
      `${channel}: ${alias ?? 'none'}`,
    ]);
    await workspaces.setChannelDefault(change, channel, alias);
  };
  return {
    right: 'manage',
    needs: (rest) => (rest === '' ? { right: 'ask' } : { changes: true }),
    parse: (word, workspace) => word === '' || word === 'none' || requireProject(word, workspace, 'default'),
    async run(word, request) {
      const { workspace, user, channel, reply } = request;
      const example = `Type the project, for example ${commandText('/balance')} prod.`;
      if (channel === undefined || isDirectMessage(channel))
        return reply.update(textMessage(`Direct messages have no default project. ${example}`));
      if (word === '') return reply.update(channelDefaultMessage(channel, request));
      if (word === 'none') {
        await set(channel, undefined, request);
        return reply.update(markupMessage(`Removed the default project of ${channelLink(channel)}.`));
      }
      const project = requireProject(word, workspace, 'default');
      if (!canChannelAsk(project, channel, workspace))
        throw new InvalidWord(
          project.alias,
          'is limited to other channels, so it can’t be the default here',
          `Add this channel with ${commandText('/billing projects')} edit ${project.alias} first.`,
          undefined,
          'always',
        );
      await set(channel, project.alias, request);
      await reply.update(defaultIsMessage(project, channel, user.canManage));
    },
  };
}

/** Whether people who aren't managers may ask about the project in this channel. */
const canChannelAsk = (project: Project, channel: SlackId, workspace: Workspace): boolean =>
  canAskAbout(project, workspace, { channel, isUnlimited: false });

function channelDefaultMessage(channel: SlackId, { workspace, user }: Request): Message {
  const possible = workspace.projects.filter((project) => canChannelAsk(project, channel, workspace));
  const current = possible.find(({ alias }) => alias === workspace.channelDefault(channel));
  if (current !== undefined) return defaultIsMessage(current, channel, user.canManage);
  const text = `This channel has no default project. Type the project, for example ${commandText('/balance')} prod.`;
  if (!user.canManage) return textMessage(`${text} A Tally manager can set a default.`);
  if (possible.length === 0)
    return textMessage(
      `${text} To set one, name a project first with ${commandText('/billing projects')} add.`,
    );
  const options = possible.map(({ alias }) => commandOption(alias, toCommand('/billing default', alias)));
  return textMessage(text, actions(select('rerun:default', 'Set a default', options)));
}

function defaultIsMessage(project: Project, channel: SlackId, isForManager: boolean): Message {
  const { alias } = project;
  const remove = commandButton('none', 'Remove default', toCommand('/billing default', 'none'));
  return markupMessage(
    `The default project of ${channelLink(channel)} is ${escapeMarkup(alias)}.`,
    actions(...projectButtons(alias), ...(isForManager ? remove : [])),
    context(idAndProduct(project)),
  );
}
