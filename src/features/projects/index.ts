import { commandText } from '../../domain/command-names.ts';
import { parseCommand } from '../../slack/commands/command.ts';
import type { HelpLine } from '../../slack/commands/help.ts';
import { REMEMBER_PROJECT } from '../../slack/commands/project-picker.ts';
import { textMessage } from '../../slack/kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import { onClick } from '../../slack/server/listeners.ts';
import { isDamaged } from '../../workspace/record/workspace.ts';
import type { Feature, Services } from '../feature.ts';
import { damagedProjectMessage, projectListMessage } from './blocks.ts';
import { createChannelDefaults } from './channel-default.ts';
import { channelsInForm, createProjectForm } from './form.ts';
import { changesProjects, opensProjectForm, parseProjectsText, requireProject } from './parse.ts';
import { createProjectRemoval } from './project-changes.ts';

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
  const removal = createProjectRemoval(services);
  const defaults = createChannelDefaults(workspaces);

  const work = async (rest: string, request: Request, typed?: string): Promise<void> => {
    const { workspace } = request;
    const input = parseProjectsText(rest, Object.keys(more()), typed);
    if (input.kind === 'list')
      return request.reply.update(projectListMessage(input.search, input.page, more(), request));
    if (input.kind === 'other') return more()[input.verb]?.open(input.word, request);
    const { kind, filled } = input;
    const problem = input.isWithheld ? WITHHELD : undefined;
    if (kind === 'add') {
      const { connection, ...others } = filled;
      const isDefault = connection === undefined || connection === workspace.defaultConnection;
      return form.open('', isDefault ? others : filled, request, problem);
    }
    const { word } = input;
    if (isDamaged(workspace, 'project', word)) return request.reply.update(damagedProjectMessage(word));
    const project = requireProject(word, workspace, `projects ${kind}`);
    const channels = channelsInForm(project, workspace);
    if (kind === 'edit')
      return form.open(project.alias, { ...project, channels, ...filled }, request, problem);
    await removal.ask(project, request);
  };

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
      'project-remove': onClick('manage', { changes: true }, removal.remove),
      'project-undo': onClick('manage', { changes: true }, (value, request) =>
        removal.undo(value.split(' ')[0] ?? '', request),
      ),
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
