import { commandText } from '../../domain/commands.ts';
import { context, textMessage } from '../../slack/kit/atoms.ts';
import { type StopsSource, stoppedBlocks } from '../../slack/owned/stopped-items.ts';
import type { Request } from '../../slack/request/request.ts';
import { withProject } from '../../workspace/owned/stop-reasons.ts';
import { MAX_PROJECTS, type Project } from '../../workspace/projects/projects.ts';
import { auditedChange } from '../../workspace/record/change.ts';
import { isDamaged } from '../../workspace/record/workspace.ts';
import type { Workspaces } from '../../workspace/record/workspaces.ts';
import {
  DAMAGED_PROJECT_ACTION,
  projectDetails,
  removedProjectMessage,
  removeProjectMessage,
} from './blocks.ts';

/** Removes a project, and restores it for a while. Buttons only have its name; the rest is in the record. */
export function createRemoval(workspaces: Workspaces, stops: () => readonly StopsSource[]) {
  const stopped = ({ alias }: Project, request: Request, isDone: boolean) =>
    stoppedBlocks(stops(), request, withProject(request.workspace, alias, undefined), isDone);

  const drop = async (alias: string, request: Request): Promise<void> => {
    await workspaces.dropProject(
      auditedChange(request, ['project removed', `${alias} (its record was damaged)`]),
      alias,
    );
    await request.reply.update(
      textMessage(
        `Removed the damaged record of ${alias}. To add it again, type ${commandText('/billing projects')} add ${alias}.`,
      ),
    );
  };

  return {
    ask: (project: Project, request: Request): Promise<void> =>
      request.reply.update(
        removeProjectMessage(project, request.workspace, stopped(project, request, false)),
      ),

    /** @param value alias and ID, because another project may have taken the name */
    async remove(value: string, request: Request): Promise<void> {
      const { workspace, at } = request;
      const [alias = '', id] = value.split(' ');
      if (id === DAMAGED_PROJECT_ACTION && isDamaged(workspace, 'project', alias))
        return drop(alias, request);
      const project = workspace.projects.find((project) => project.alias === alias);
      if (project === undefined || project.id !== id)
        return request.reply.update(textMessage(`Someone changed or removed ${alias}. Nothing was removed.`));
      const channels = [...workspace.channelsOf(alias)];
      const change = auditedChange(request, ['project removed', `${alias} (project ${id})`]);
      await workspaces.removeProject(change, { project, channels, at });
      await request.reply.update(removedProjectMessage(project, stopped(project, request, true)));
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
      const change = auditedChange(request, ['project restored', `${alias} (project ${removal.project.id})`]);
      if (!(await workspaces.restoreProject(change, removal))) return request.reply.update(taken);
      await request.reply.update(
        textMessage(
          `${alias} is back.`,
          context(projectDetails(removal.project, await workspaces.read(user.teamId))),
        ),
      );
    },
  };
}
