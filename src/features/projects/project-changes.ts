import { commandText } from '../../domain/command-names.ts';
import { pluralize } from '../../domain/language/text.ts';
import {
  buttonRow,
  context,
  escapeMarkup,
  joinTexts,
  markupMessage,
  textMessage,
} from '../../slack/kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import { holdsRegisteredSecret } from '../../workspace/credentials/detect-registered-secret.ts';
import { MAX_PROJECTS, type Project } from '../../workspace/projects/project-record.ts';
import type { AuditAction, AuditSubject } from '../../workspace/record/audit.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { isDamaged } from '../../workspace/record/workspace.ts';
import type { Services } from '../feature.ts';
import {
  allProjectsButton,
  DAMAGED_PROJECT_ACTION,
  projectDetails,
  removedProjectMessage,
  removeProjectMessage,
} from './blocks.ts';
import { PROJECTS_TITLE, type ProjectForm, projectForm, projectStamp, savedBlocks } from './form.ts';
import type { ProjectFormInput } from './parse.ts';

interface FormAgain {
  readonly todo?: string;
  readonly filled?: ProjectFormInput;
  readonly before?: string;
}

/** Saves the form. If that isn't possible, the form comes back with what was typed and the reason. */
export function createProjectSaving({ workspaces }: Services) {
  return async (form: ProjectForm, request: Request): Promise<void> => {
    const { workspace, user, at } = request;
    /** @param todo what to do in the form; a form that was closed is answered without it */
    const again = (
      problem: string,
      { todo = '', filled = form, before = form.before }: FormAgain = {},
    ): Promise<void> =>
      request.reply.modal.update(
        projectForm(request, { before, filled, problem: joinTexts(' ', [problem, todo]) }),
        markupMessage(`${problem} Nothing was saved.`),
      );
    const known =
      form.before === '' ? undefined : workspace.projects.find(({ alias }) => alias === form.before);
    if (form.before !== '' && known === undefined)
      return again(`Someone renamed or removed ${escapeMarkup(form.before)}.`, {
        todo: 'Save again to add it as a new project.',
        before: '',
      });
    if (known !== undefined && !['', projectStamp(workspace, known.alias)].includes(form.seen))
      return again(
        `Someone else changed ${known.alias} first. It’s now ${projectDetails(known, workspace)}.`,
        { todo: 'Save again to replace that.' },
      );
    if (holdsRegisteredSecret(form.alias, workspace)) {
      const { alias: _, ...others } = form;
      return again('That name is a registered secret. Choose another name.', { filled: others });
    }
    if (form.connection !== undefined && !workspace.connectionNames.includes(form.connection))
      return again('Someone removed that connection. Choose another.');
    if (known === undefined && workspace.aliases.size >= MAX_PROJECTS)
      return again(`You have ${MAX_PROJECTS} projects, which is the limit. Remove one first.`);

    const { before: _, seen: __, ...registered } = form;
    const { addedBy, addedAt } = known ?? { addedBy: user.id, addedAt: at };
    const project: Project = { ...registered, addedBy, addedAt };
    const channels = known === undefined ? [] : workspace.channelsOf(known.alias);
    const change = auditedChange(request, auditActionOf(known, project));
    const saved =
      known === undefined
        ? await workspaces.addProject(change, project)
        : await workspaces.changeProject(change, known.alias, project);
    if (!saved) return again(`Another project is already named “${project.alias}”. Choose another name.`);

    const blocks = savedBlocks(
      project.alias,
      savedText(known, project, channels.length),
      projectDetails(project, await workspaces.load(user.teamId)),
      workspace.connectionNames.length > 0,
    );
    await request.reply.modal.show(PROJECTS_TITLE, { text: `Saved ${project.alias}.`, blocks });
  };
}

function auditActionOf(known: Project | undefined, project: Project): readonly [AuditAction, AuditSubject] {
  const { alias, id } = project;
  if (known === undefined) return ['project added', { kind: 'project', alias, id }];
  const about = { kind: 'project', alias, id, changed: changedFields(known, project) } as const;
  return known.alias === alias
    ? ['project changed', about]
    : ['project renamed', { ...about, before: known.alias }];
}

const FIELDS = ['id', 'product', 'connection', 'currency', 'channels', 'owner'] as const;

const changedFields = (before: Project, after: Project): readonly string[] =>
  FIELDS.filter((field) => String(before[field] ?? '') !== String(after[field] ?? ''));

function savedText(known: Project | undefined, { alias }: Project, channels: number): string {
  if (known === undefined || known.alias === alias) return 'Saved.';
  const stays = channels === 0 ? '' : ` It stays the default of ${pluralize(channels, 'channel')}.`;
  return `Saved. ${known.alias} is now named ${alias}.${stays}`;
}

/** Removes a project, and restores it for a while. Buttons only have its name; the rest is in the record. */
export function createProjectRemoval({ workspaces }: Services) {
  const drop = async (alias: string, request: Request): Promise<void> => {
    const change = auditedChange(request, ['project removed', { kind: 'project', alias }]);
    await workspaces.dropDamaged(change, 'project', [alias]);
    await request.reply.update(
      textMessage(
        `Removed the damaged record of ${alias}. To add it again, type ${commandText('/billing projects')} add ${alias}.`,
      ),
    );
  };

  return {
    async ask(project: Project, request: Request): Promise<void> {
      await request.reply.update(removeProjectMessage(project, request.workspace));
    },

    /** @param value alias and ID, because another project may have taken the name */
    async remove(value: string, request: Request): Promise<void> {
      const { workspace, at } = request;
      const [alias = '', id] = value.split(' ');
      if (id === DAMAGED_PROJECT_ACTION && isDamaged(workspace, 'project', alias))
        return drop(alias, request);
      const project = workspace.projects.find((project) => project.alias === alias);
      if (project === undefined || project.id !== id)
        return request.reply.update(
          textMessage(
            workspace.aliases.has(alias)
              ? `Someone changed ${alias} first. Nothing was removed.`
              : `${alias} was already removed or renamed.`,
            ...buttonRow(allProjectsButton()),
          ),
        );
      const channels = [...workspace.channelsOf(alias)];
      const change = auditedChange(request, ['project removed', { kind: 'project', alias, id }]);
      await workspaces.removeProject(change, { project, channels, at });
      await request.reply.update(removedProjectMessage(project));
    },

    async undo(alias: string, request: Request): Promise<void> {
      const { workspace, user, at } = request;
      const taken = textMessage(
        `Another project is now named ${alias}. Rename that one first, or add this one under another name.`,
      );
      const removal = await workspaces.findRemovedProject(user.teamId, alias, at);
      if (removal === undefined)
        return request.reply.update(
          textMessage(
            workspace.aliases.has(alias)
              ? `${alias} is already back.`
              : `You can no longer undo this. Add the project again with ${commandText('/billing projects')} add.`,
          ),
        );
      if (workspace.aliases.size >= MAX_PROJECTS)
        return request.reply.update(
          textMessage(`You have ${MAX_PROJECTS} projects, which is the limit. Remove one first.`),
        );
      const { id } = removal.project;
      const change = auditedChange(request, ['project restored', { kind: 'project', alias, id }]);
      if (!(await workspaces.restoreProject(change, removal))) return request.reply.update(taken);
      await request.reply.update(
        textMessage(
          `${alias} is back.`,
          context(projectDetails(removal.project, await workspaces.load(user.teamId))),
        ),
      );
    },
  };
}
