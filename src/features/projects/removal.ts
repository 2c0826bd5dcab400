import { context } from '../../slack/kit/atoms.ts';
import type { Visit } from '../../slack/visit.ts';
import { auditedChange } from '../../workspace/change.ts';
import { readable } from '../../workspace/parse-record.ts';
import { MAX_PROJECTS } from '../../workspace/projects.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import {
  DAMAGED_PROJECT_ACTION,
  projectDetails,
  projectTextMessage,
  removedProjectMessage,
} from './blocks.ts';

/** Takes a project away, and brings it back for a while. Values of buttons name it; what it is, the record says. */
export function createRemoval(workspaces: Workspaces) {
  const drop = async (alias: string, visit: Visit): Promise<void> => {
    await workspaces.dropProject(
      auditedChange(visit, ['project removed', `${alias} (its record was damaged)`]),
      alias,
    );
    await visit.answer(
      projectTextMessage(
        `The damaged record of ${alias} is removed. Add it again with /billing projects add ${alias}.`,
      ),
    );
  };

  return {
    /** @param value alias and ID: a project that took the name meanwhile is another one */
    async remove(value: string, visit: Visit): Promise<void> {
      const { record, at } = visit;
      const [alias = '', id] = value.split(' ');
      if (id === DAMAGED_PROJECT_ACTION && record.damagedProjects.includes(alias)) return drop(alias, visit);
      const project = readable(() => record.project(alias));
      if (project === undefined || project.id !== id)
        return visit.answer(
          projectTextMessage(`There is no such project any more: ${alias} was changed or removed meanwhile.`),
        );
      const channels = [...record.channelsOf(alias)];
      const change = auditedChange(visit, ['project removed', `${alias} (project ${id})`]);
      await workspaces.removeProject(change, { project, channels, at });
      await visit.answer(removedProjectMessage(project));
    },

    async undo(alias: string, visit: Visit): Promise<void> {
      const { record, asker, at } = visit;
      const taken = projectTextMessage(
        `Another project is called ${alias} by now. Rename that one first, or add this one under another name.`,
      );
      const removal = await workspaces.removed(asker.workspace, alias, at);
      if (removal === undefined)
        return visit.answer(
          projectTextMessage(
            record.aliases.has(alias)
              ? `${alias} is there already.`
              : 'The ten minutes are over: it can be added again with /billing projects add.',
          ),
        );
      if (record.aliases.size >= MAX_PROJECTS)
        return visit.answer(
          projectTextMessage(`There are ${MAX_PROJECTS} projects by now, and no more fit.`),
        );
      const change = auditedChange(visit, ['project restored', `${alias} (project ${removal.project.id})`]);
      if (!(await workspaces.restoreProject(change, removal))) return visit.answer(taken);
      await visit.answer(projectTextMessage(`${alias} is back.`, context(projectDetails(removal.project))));
    },
  };
}
