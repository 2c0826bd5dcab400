import { context } from '../../slack/kit/atoms.ts';
import type { Visit } from '../../slack/visit.ts';
import type { Audit } from '../../workspace/audit.ts';
import { MOST_PROJECTS } from '../../workspace/projects.ts';
import type { Workspaces } from '../../workspace/workspaces.ts';
import { details, plainMessage, removedMessage } from './blocks.ts';

/** Takes a project away, and brings it back for a while. Values of buttons name it; what it is, the record says. */
export function createRemoval(workspaces: Workspaces, audit: Audit) {
  return {
    /** @param value alias and ID: a project that took the name meanwhile is another one */
    async remove(value: string, visit: Visit): Promise<void> {
      const { record, asker, at } = visit;
      const [alias = '', id] = value.split(' ');
      const project = record.project(alias);
      if (project === undefined || project.id !== id)
        return visit.answer(
          plainMessage(`There is no such project any more: ${alias} was changed or removed meanwhile.`),
        );
      const channels = [...record.channelsOf(alias)];
      await workspaces.removeProject(asker.workspace, { project, channels, at });
      await audit.record(asker.workspace, {
        at,
        who: asker.person,
        deed: 'project removed',
        about: `${alias} (project ${id})`,
      });
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
      // A channel that was given another default meanwhile keeps it.
      const channels = removal.channels.filter((channel) => record.channelDefault(channel) === undefined);
      if (!(await workspaces.restoreProject(asker.workspace, { ...removal, channels })))
        return visit.answer(taken);
      await audit.record(asker.workspace, {
        at,
        who: asker.person,
        deed: 'project restored',
        about: `${alias} (project ${removal.project.id})`,
      });
      await visit.answer(plainMessage(`${alias} is back.`, context(details(removal.project))));
    },
  };
}
