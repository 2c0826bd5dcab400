import { type ChangeTarget, commitChange, fieldValues, type WorkspaceChange } from './change.ts';
import { FIELDS } from './fields.ts';
import { balanceFields } from './last-balance.ts';
import { type Project, type ProjectRemoval, parseRemoval, UNDO_MS } from './projects.ts';
import { findProject } from './workspace.ts';
import type { RecordFields } from './workspace-store.ts';

/** What `Workspaces` does with projects and channels' defaults: each method is one round trip. @throws StoreUnavailable */
export interface ProjectStore {
  /** False when the alias is taken. */
  addProject(change: WorkspaceChange, project: Project): Promise<boolean>;
  /**
   * Writes a known project anew, under its alias or under a new one, which its channels' defaults follow; false when
   * that one is taken.
   */
  changeProject(change: WorkspaceChange, alias: string, after: Project): Promise<boolean>;
  removeProject(change: WorkspaceChange, removal: ProjectRemoval): Promise<void>;
  /** One that cannot be read, with its channels' defaults; there is nothing to bring back. */
  dropProject(change: WorkspaceChange, alias: string): Promise<void>;
  /** What `removeProject` took away less than `UNDO_MS` before `now`; undefined when there is nothing to bring back. */
  findRemovedProject(workspace: string, alias: string, now: number): Promise<ProjectRemoval | undefined>;
  /** Its channels' default as well, but for those that were given another; false when the alias is taken. */
  restoreProject(change: WorkspaceChange, removal: ProjectRemoval): Promise<boolean>;
  setChannelDefault(change: WorkspaceChange, channel: string, alias: string | undefined): Promise<void>;
}

export function createProjectStore(destination: ChangeTarget): ProjectStore {
  return {
    addProject(change, project) {
      const field = FIELDS.project + project.alias;
      return commitChange(
        destination,
        change,
        () => ({ seen: { [field]: undefined }, set: written(project) }),
        field,
      );
    },
    changeProject(change, alias, after) {
      const [from, to] = [FIELDS.project + alias, FIELDS.project + after.alias];
      const id = findProject(change.workspace, alias)?.id ?? after.id;
      const stale = id === after.id ? [] : balanceFields(id);
      if (from === to)
        return commitChange(destination, change, (fields) => ({
          seen: fieldValues(fields, from),
          remove: stale,
          set: written(after),
        }));
      const channels = change.workspace.channelsOf(alias);
      return commitChange(
        destination,
        change,
        (fields) => ({
          seen: {
            ...fieldValues(fields, from, ...channels.map((channel) => FIELDS.channel + channel)),
            [to]: undefined,
          },
          remove: [from, ...stale],
          set: { ...written(after), ...defaults(channels, after.alias) },
        }),
        to,
      );
    },
    async removeProject(change, removal) {
      const { alias, id } = removal.project;
      const gone = [FIELDS.project + alias, ...removal.channels.map((channel) => FIELDS.channel + channel)];
      await commitChange(destination, change, (fields) => ({
        seen: fieldValues(fields, ...gone),
        remove: [...gone, ...balanceFields(id)],
        set: { [FIELDS.removedProject + alias]: JSON.stringify(removal) },
      }));
    },
    async dropProject(change, alias) {
      const gone = [
        FIELDS.project + alias,
        ...change.workspace.channelsOf(alias).map((channel) => FIELDS.channel + channel),
      ];
      await commitChange(destination, change, (fields) => ({
        seen: fieldValues(fields, ...gone),
        remove: gone,
      }));
    },
    async findRemovedProject(workspace, alias, now) {
      const json = (await destination.store.read(workspace))[FIELDS.removedProject + alias];
      const removal = json === undefined ? undefined : parseRemoval(json);
      return removal !== undefined && now - removal.at < UNDO_MS ? removal : undefined;
    },
    restoreProject(change, { project, channels }) {
      const { alias } = project;
      return commitChange(
        destination,
        change,
        (fields) => {
          const free = channels.filter((channel) => fields[FIELDS.channel + channel] === undefined);
          return {
            seen: {
              ...fieldValues(
                fields,
                FIELDS.removedProject + alias,
                ...free.map((channel) => FIELDS.channel + channel),
              ),
              [FIELDS.project + alias]: undefined,
            },
            remove: [FIELDS.removedProject + alias],
            set: { ...written(project), ...defaults(free, alias) },
          };
        },
        FIELDS.project + alias,
      );
    },
    async setChannelDefault(change, channel, alias) {
      const field = FIELDS.channel + channel;
      await commitChange(destination, change, (fields) =>
        alias === undefined
          ? { seen: fieldValues(fields, field), remove: [field] }
          : { seen: fieldValues(fields, field, FIELDS.project + alias), set: { [field]: alias } },
      );
    },
  };
}

const written = (project: Project): RecordFields => ({
  [FIELDS.project + project.alias]: JSON.stringify(project),
});
const defaults = (channels: readonly string[], alias: string): RecordFields =>
  Object.fromEntries(channels.map((channel) => [FIELDS.channel + channel, alias]));
