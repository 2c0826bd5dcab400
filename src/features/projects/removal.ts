import { context } from '../../slack/kit/atoms.ts';
import type { Visit } from '../../slack/visit.ts';
import { changeBy } from '../../workspace/change.ts';
import { MOST_PROJECTS } from '../../workspace/projects.ts';
import { readable } from '../../workspace/record.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import { DAMAGED, details, plainMessage, removedMessage } from './blocks.ts';

/** Takes a project away, and brings it back for a while. Values of buttons name it; what it is, the record says. */
export function createRemoval(workspaces: Workspaces) {
  const drop = async (alias: string, visit: Visit): Promise<void> => {
    await workspaces.dropProject(
      changeBy(visit, ['project removed', `${alias} (its record was damaged)`]),
      alias,
    );
    await visit.answer(
      plainMessage(
        `The damaged record of ${alias} is removed. Add it again with /billing projects add ${alias}.`,
      ),
    );
  };

  return {
    /** @param value alias and ID: a project that took the name meanwhile is another one */
    async remove(value: string, visit: Visit): Promise<void> {
      const { record, at } = visit;
      const [alias = '', id] = value.split(' ');
      if (id === DAMAGED && record.damagedProjects.includes(alias)) return drop(alias, visit);
      const project = readable(() => record.project(alias));
      if (project === undefined || project.id !== id)
        return visit.answer(
          plainMessage(`There is no such project any more: ${alias} was changed or removed meanwhile.`),
        );
      const channels = [...record.channelsOf(alias)];
      const change = changeBy(visit, ['project removed', `${alias} (project ${id})`]);
      await workspaces.removeProject(change, { project, channels, at });
      await visit.answer(removedMessage(project));
    },

    async undo(alias: string, visit: Visit): Promise<void> {
      const { record, asker, at } = visit;
      const taken = plainMessage(
        `Another project is called ${alias} by now. Rename that one first, or add this one under another name.`,
      );
      const removal = await workspaces.removed(asker.workspace, alias, at);
      if (removal === undefined)
        return visit.answer(
          plainMessage(
            record.aliases.has(alias)
              ? `${alias} is there already.`
              : 'The ten minutes are over: it can be added again with /billing projects add.',
          ),
        );
      if (record.aliases.size >= MOST_PROJECTS)
        return visit.answer(plainMessage(`There are ${MOST_PROJECTS} projects by now, and no more fit.`));
      const change = changeBy(visit, ['project restored', `${alias} (project ${removal.project.id})`]);
      if (!(await workspaces.restoreProject(change, removal))) return visit.answer(taken);
      await visit.answer(plainMessage(`${alias} is back.`, context(details(removal.project))));
    },
  };
}
