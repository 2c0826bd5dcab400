import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import { type ChangeTarget, commitChange, UNDO_MS, type WorkspaceChange } from '../record/change.ts';
import { balanceFields, failureFields } from '../record/stored-outcomes.ts';
import { findProject } from '../record/workspace.ts';
import type { RecordFields } from '../record/workspace-store.ts';
import { type Project, type ProjectRemoval, parseRemoval } from './project-record.ts';
import { limitOtherNames } from './project-visibility.ts';

/** The part of `Workspaces` for projects and the channels' defaults. Each method is one round trip. @throws store-unavailable */
export function createProjectStore(target: ChangeTarget) {
  return {
    /** @returns false when the alias is taken */
    addProject(change: WorkspaceChange, project: Project): Promise<boolean> {
      const field = FIELDS.project + project.alias;
      return commitChange(target, change, () => ({ dependsOn: [], set: projectField(project) }), field);
    },
    /**
     * Saves a project under its alias or a new one; the channels whose default it is follow. Its channel limit becomes that
     * of its other names too.
     * @returns false when the new alias is taken
     */
    changeProject(change: WorkspaceChange, alias: string, after: Project): Promise<boolean> {
      const [from, to] = [FIELDS.project + alias, FIELDS.project + after.alias];
      const before = findProject(change.workspace, alias) ?? after;
      const stale = before.id === after.id ? [] : balanceFields(before.id);
      const names = projectFields(limitOtherNames(change.workspace, before, after));
      const isRenamed = from !== to;
      const channels = isRenamed ? change.workspace.channelsOf(alias) : [];
      const changed = [from, ...Object.keys(names), ...channels.map(channelField)];
      return commitChange(
        target,
        change,
        () => ({
          dependsOn: changed,
          remove: [...(isRenamed ? [from] : []), ...stale, ...failureFields(before.id)],
          set: { ...names, ...projectField(after), ...defaultFields(channels, after.alias) },
        }),
        isRenamed ? to : undefined,
      );
    },
    /** Its other names keep its channel limit. */
    async removeProject(change: WorkspaceChange, removal: ProjectRemoval): Promise<void> {
      const { alias, id } = removal.project;
      const removed = [FIELDS.project + alias, ...removal.channels.map(channelField)];
      const names = projectFields(limitOtherNames(change.workspace, removal.project, undefined));
      await commitChange(target, change, () => ({
        dependsOn: [...removed, ...Object.keys(names)],
        remove: [...removed, ...balanceFields(id), ...failureFields(id)],
        set: { ...names, [FIELDS.removedProject + alias]: JSON.stringify(removal) },
      }));
    },
    /** What `removeProject` removed less than `UNDO_MS` before `now`; undefined if nothing can be restored. @throws unseal-failed */
    async findRemovedProject(
      workspace: SlackId,
      alias: string,
      now: Millis,
    ): Promise<ProjectRemoval | undefined> {
      const json = (await target.store.load(workspace))[FIELDS.removedProject + alias];
      const removal = json === undefined ? undefined : parseRemoval(json);
      return removal && now - removal.at < UNDO_MS ? removal : undefined;
    },
    /** Restores it also as the default of its channels, except those that have another default now. @returns false when the alias is taken */
    restoreProject(change: WorkspaceChange, { project, channels }: ProjectRemoval): Promise<boolean> {
      const { alias } = project;
      return commitChange(
        target,
        change,
        (fields) => {
          const free = channels.filter((channel) => fields[channelField(channel)] === undefined);
          const changed = [FIELDS.removedProject + alias, ...free.map(channelField)];
          return {
            dependsOn: changed,
            remove: [FIELDS.removedProject + alias],
            set: { ...projectField(project), ...defaultFields(free, alias) },
          };
        },
        FIELDS.project + alias,
      );
    },
    async setChannelDefault(change: WorkspaceChange, channel: SlackId, alias?: string): Promise<void> {
      const field = channelField(channel);
      await commitChange(target, change, () =>
        alias === undefined
          ? { dependsOn: [field], remove: [field] }
          : { dependsOn: [field, FIELDS.project + alias], set: { [field]: alias } },
      );
    },
  };
}

const channelField = (channel: SlackId): string => FIELDS.channel + channel;
const projectField = (project: Project): RecordFields => ({
  [FIELDS.project + project.alias]: JSON.stringify(project),
});
const projectFields = (projects: readonly Project[]): RecordFields =>
  Object.assign({}, ...projects.map(projectField));
const defaultFields = (channels: readonly SlackId[], alias: string): RecordFields =>
  Object.fromEntries(channels.map((channel) => [channelField(channel), alias]));
