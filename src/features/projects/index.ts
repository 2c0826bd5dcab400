import { parseInvocation } from '../../slack/command-buttons.ts';
import type { HelpLine } from '../../slack/kit/help.ts';
import { REMEMBER_PROJECT } from '../../slack/project-picker.ts';
import type { Visit } from '../../slack/visit.ts';
import { accessSummary } from '../../workspace/access-line.ts';
import { visibleProjects } from '../../workspace/resolve-project.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import type { Feature } from '../feature.ts';
import {
  damagedProjectMessage,
  projectListMessage,
  projectTextMessage,
  removeProjectMessage,
} from './blocks.ts';
import { createChannelDefaults } from './channel-default.ts';
import { projectForm, savingProjectModal } from './form.ts';
import { createRemoval } from './removal.ts';
import { createSaving } from './saving.ts';
import {
  changesProjects,
  type ProjectForm,
  type ProjectFormInput,
  parseProjectForm,
  parseProjectsText,
  requireProject,
} from './words.ts';

const HELP: readonly HelpLine[] = [
  {
    usage: '/billing projects [name]',
    what: 'The projects that have a name; owners and admins add, edit and remove them.',
    examples: ['/billing projects', '/billing projects add prod 123'],
  },
  {
    usage: '/billing default [name | none]',
    what: 'The project that this channel asks about when none is named.',
    examples: ['/billing default', '/billing default prod'],
  },
];

const WITHHELD =
  'The name you typed could be a secret, so it is not filled in. Choose one that everybody may see.';

export interface ProjectsParts {
  readonly workspaces: Workspaces;
  /** What other features do with a project. */
  readonly more: () => NonNullable<Feature['projectVerbs']>;
  /** First words of all commands, which no project may be called by. */
  readonly verbs: () => readonly string[];
}

/** `/billing projects` and `/billing default`: names for IDs, who may ask where, and what a channel asks about. */
export function createProjects({ workspaces, more, verbs }: ProjectsParts): Feature {
  const save = createSaving(workspaces);
  const removal = createRemoval(workspaces);
  const defaults = createChannelDefaults(workspaces);

  const list = (search: string, page: number, visit: Visit): Promise<void> => {
    const { record, channel, asker } = visit;
    const projects = visibleProjects(record, { channel, manager: asker.manage });
    return visit.answer(
      projectListMessage({
        projects,
        others: projects.length < record.aliases.size,
        search,
        page,
        manager: asker.manage,
        more: Object.entries(more()).map(([verb, { label }]) => ({ verb, label })),
        damaged: asker.manage ? record.damagedProjects : [],
        access: ({ id }) => accessSummary(id, visit),
        channelDefault: channel === undefined ? undefined : record.channelDefault(channel),
      }),
    );
  };

  const openForm = (
    before: string,
    filled: ProjectFormInput,
    visit: Visit,
    problem?: string,
  ): Promise<void> => {
    const { record, asker, open } = visit;
    return open(
      projectForm(record, { before, filled, owner: asker.person, ...(problem !== undefined && { problem }) }),
    );
  };

  return {
    help: HELP,
    verbs: {
      projects: {
        right: (text) => (changesProjects(text, Object.keys(more())) ? 'manage' : 'ask'),
        async run(rest, visit, typed) {
          const { record } = visit;
          const request = parseProjectsText(rest, Object.keys(more()), typed);
          if (request.kind === 'list') return list(request.search, request.page, visit);
          if (request.kind === 'add')
            return openForm('', request.filled, visit, request.isWithheld ? WITHHELD : undefined);
          if (request.kind === 'other') return more()[request.verb]?.open(request.word, visit);
          const { kind, word } = request;
          if (record.damagedProjects.includes(word)) return visit.answer(damagedProjectMessage(word));
          const project = requireProject(word, record, (meant) => `projects ${kind} ${meant}`);
          if (kind === 'edit') return openForm(project.alias, project, visit);
          await visit.answer(removeProjectMessage(project, record.channelsOf(project.alias)));
        },
      },
      default: defaults.verb,
    },
    actions: {
      'project-remove': { right: 'manage', run: ({ value }, visit) => removal.remove(value, visit) },
      'project-undo': { right: 'manage', run: ({ value }, visit) => removal.undo(value, visit) },
      'project-keep': {
        right: 'manage',
        run: (_, visit) => visit.answer(projectTextMessage('Nothing was changed.')),
      },
      // Slack tells of the tick at once; it counts when a project is chosen.
      [REMEMBER_PROJECT]: { right: 'ask', run: async () => undefined },
      pick: {
        right: 'manage',
        async run({ value, fields }, visit, rerun) {
          const command = parseInvocation(value);
          if (fields[REMEMBER_PROJECT] === 'yes') await defaults.remember(command.text, visit);
          await rerun(command);
        },
      },
    },
    views: {
      project: {
        right: 'manage',
        waiting: savingProjectModal,
        read: (fields, metadata) => parseProjectForm(fields, metadata, verbs()),
        work: (form: ProjectForm, visit) => save(form, visit),
      },
    },
  };
}
