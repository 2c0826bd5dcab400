import { commandText } from '../../domain/command-names.ts';
import { buttonRow, context, textMessage } from '../../slack/kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import { MAX_PROJECTS, type Project } from '../../workspace/projects/project-record.ts';
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

/** Removes a project, and restores it for a while. Buttons only have its name; the rest is in the record. */
export function createProjectRemoval({ workspaces }: Services) {
  const drop = async (alias: string, request: Request): Promise<void> => {
    const change = auditedChange(request, ['removed the damaged record of the project', alias]);
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
      const change = auditedChange(request, ['removed the project', `${alias} (project ${id})`]);
      await workspaces.removeProject(change, project, at);
      await request.reply.update(removedProjectMessage(project));
    },

    async undo(alias: string, request: Request): Promise<void> {
      const { workspace, user, at } = request;
      const taken = textMessage(
        `Another project is now named ${alias}. Rename that one first, or add this one under another name.`,
      );
      const project = workspaces.findRemovedProject(workspace, alias, at);
      if (project === undefined)
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
      const change = auditedChange(request, ['restored the project', `${alias} (project ${project.id})`]);
      if (!(await workspaces.restoreProject(change, alias))) return request.reply.update(taken);
      await request.reply.update(
        textMessage(
          `${alias} is back.`,
          context(projectDetails(project, await workspaces.load(user.teamId))),
        ),
      );
    },
  };
}
