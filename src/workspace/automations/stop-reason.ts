import { Failure } from '../../domain/failure/index.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { type ChosenProject, projectKey, referenceTo } from '../projects/chosen-project.ts';
import { limitedProjects, resolveProject, UNLIMITED } from '../projects/resolve-project.ts';
import type { Schedule, Target } from '../record/automation-records.ts';
import type { Workspace } from '../record/workspace.ts';

/** Why a schedule or watch can't do its work, judging by the record alone. `managers-only`: for a part of its readers. */
export type StopReason = 'not-connected' | 'project-limited' | 'managers-only';

/** What a schedule or a watch sends: projects, and where they are shown. */
export type Delivery = Target & { readonly projects: readonly ChosenProject[] };

/** @returns undefined if it can run, or if a damaged record makes that unknown */
export function stopReasonOf(
  item: Pick<Schedule, 'projects' | 'channel'>,
  workspace: Workspace,
): Exclude<StopReason, 'managers-only'> | undefined;
export function stopReasonOf(item: Delivery, workspace: Workspace): StopReason | undefined;
export function stopReasonOf(item: Delivery, workspace: Workspace): StopReason | undefined {
  const blocked = blockedProjects(item, workspace);
  const [why] = blocked.values();
  return item.projects.every((project) => blocked.has(projectKey(project))) ? why : undefined;
}

/** Its projects that can't be shown, and why. A schedule goes on with its other projects. */
function blockedProjects(
  { projects, channel, people = [] }: Delivery,
  workspace: Workspace,
): ReadonlyMap<string, StopReason> {
  const { managers } = workspace.settings;
  const reasonOf = (project: ChosenProject): StopReason | undefined => {
    if (!hasConnection(project, workspace)) return 'not-connected';
    // A direct message is not one of the channels that a limited project may be shown in.
    if (limitedProjects(channel ?? '', [project], workspace).length === 0) return undefined;
    if (channel !== undefined) return 'project-limited';
    return people.every((person) => managers.includes(person)) ? undefined : 'managers-only';
  };
  return new Map(
    projects.flatMap((project) => {
      const why = tryParse(() => reasonOf(project), Failure);
      return why === undefined ? [] : [[projectKey(project), why] as const];
    }),
  );
}

function hasConnection(project: ChosenProject, workspace: Workspace): boolean {
  const connection = connectionNameOf(project, workspace);
  return connection !== undefined && workspace.connectionNames.includes(connection);
}

/** The connection that a project is asked over, which may be gone. @throws Failure where its record is damaged */
export function connectionNameOf(project: ChosenProject, workspace: Workspace): string | undefined {
  const named = referenceTo(project, workspace);
  const { connection = workspace.defaultConnection } = resolveProject(named, workspace, UNLIMITED);
  return connection;
}

/** Whether billing is asked about a project by this connection. */
export const usesConnection = (project: ChosenProject, name: string, workspace: Workspace): boolean =>
  tryParse(() => connectionNameOf(project, workspace), Failure) === name;
